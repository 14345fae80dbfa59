// Edits through a hostile proxy, over real sockets, with a clock that runs fifty times as fast: each is done once.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { TablecastClient } from "../tablecast.js";
import { seeded } from "./fake-service.mjs";
import { HostileProxy } from "./hostile-proxy.mjs";
import { Service } from "./lives.mjs";

const speed = 50;
const clock = {
  performance: { now: () => performance.now() * speed },
  Date,
  setTimeout: (action, ms) => setTimeout(action, ms / speed),
  clearTimeout,
};

for (const [seed, takesIdentities] of [[1, true], [2, true], [3, false], [4, false]]) {
  test(`seed ${seed}, ${takesIdentities ? "with" : "without"} identities of the client's`, async (t) => {
    const random = seeded(seed);
    let keys = 0;
    const service = new Service(clock, takesIdentities);
    const server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url, "http://x");
      let text = "";
      request.on("error", () => {});
      for await (const part of request) text += part;
      const query = Object.fromEntries(searchParams);
      if (request.method === "GET" && query.after === service.cursor && query.wait !== "0") {
        await new Promise((resolve) => {
          const over = () => (service.waiting.delete(over), resolve());
          service.waiting.add(over);
          setTimeout(over, (query.wait * 1000) / speed);
        });
      }
      const { status = 200, type = "application/json", body } =
        request.method !== "GET" ? service.edit(request.method, pathname, request.headers["idempotency-key"], text ? JSON.parse(text) : undefined)
        : pathname.endsWith("/changes") ? service.poll(query) : { body: service.snapshot() };
      const reply = JSON.stringify(body);
      response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(reply) }).end(reply);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    // Old answers of other edits, which "repeat" gives, can't be told from those that are meant.
    const kinds = ["delay", "refuse", "cut", "half", "503", "429", "html", "401", "304", "hang", "empty", "500"];
    const proxy = new HostileProxy(`http://127.0.0.1:${server.address().port}`, { random, speed, kinds });
    const client = new TablecastClient(`http://127.0.0.1:${await proxy.listen()}`, {
      clock, random, newKey: () => `k${++keys}x`,
    });
    t.after(async () => {
      await client.close();
      proxy.close();
      server.closeAllConnections();
      server.close();
    });
    const table = client.table("t");
    table.subscribe(({ after }) => {
      // The app: the person signs in again, or asks again.
      if (after.trouble || after.refusal) setTimeout(() => client.resume(), 20);
    });
    const edits = [];
    for (let n = 0; n < 12; n++) {
      const added = table.add({ title: "new" }, {}, { show: { cellIdentifier: "C", payload: {} } });
      edits.push(added, table.patch(added.key, { title: "other" }));
      if (n % 3 === 0) edits.push(table.delete(added.key));
      if (n % 4 === 0) client.wake();
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const calm = setTimeout(() => (proxy.rate = 0), 6000);
    const ended = await Promise.all(edits.map(async (edit) => (await edit.done).state));
    clearTimeout(calm);
    assert.deepEqual(ended, edits.map(() => "confirmed"));
    assert.deepEqual(edits.map(({ key }) => service.state.done[key]), edits.map(() => 1));
  });
}
