// Through a hostile proxy, over real sockets, with a clock that runs fifty times as fast: whatever happens on the way,
// nothing is shown that the service didn't have, requests stay few, and in the end all is there.

import assert from "node:assert/strict";
import test from "node:test";
import { TablecastClient } from "../tablecast.js";
import { FakeService, seeded } from "./fake-service.mjs";
import { HostileProxy } from "./hostile-proxy.mjs";

const speed = 50;
const clock = {
  performance: { now: () => performance.now() * speed },
  setTimeout: (action, ms) => setTimeout(action, ms / speed),
  clearTimeout,
};

for (const seed of [1, 2, 3, 4]) {
  test(`seed ${seed}: converges, shows only what was, and makes few requests`, async (t) => {
    const random = seeded(seed);
    const service = new FakeService(random, speed);
    const proxy = new HostileProxy(`http://127.0.0.1:${await service.listen()}`, { random, speed });
    // A 401 is final for a fixed token; one that is asked for anew goes on.
    proxy.kinds = proxy.kinds.filter((kind) => kind !== "401");
    const client = new TablecastClient(`http://127.0.0.1:${await proxy.listen()}`, { clock, random });
    t.after(async () => {
      await client.close();
      proxy.close();
      service.close();
    });
    const table = client.table("t");
    let shown = 0;
    let changes = 0;
    const began = clock.performance.now();
    const problems = [];
    const stop = table.subscribe(({ after }) => {
      shown++;
      try {
        assert.notEqual(after.connection, "refused");
        if (!after.cursor) return;
        assert.deepEqual(JSON.parse(JSON.stringify(after.sections)), service.versions.get(after.cursor), `at ${after.cursor}`);
      } catch (error) {
        problems.push(error);
      }
    });
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        if (changes++ < 200) service.change();
        else proxy.rate = 0;
        const isThere = table.snapshot.cursor === service.cursor && table.snapshot.connection === "live";
        if (!problems.length && (changes <= 200 || !isThere)) return;
        clearInterval(timer);
        resolve();
      }, 400 / speed);
    });
    stop();
    assert.deepEqual(problems, []);
    const minutes = (clock.performance.now() - began) / 60_000;
    // At most: one for each change, and for each misdeed a few.
    assert.ok(proxy.requests < 200 + 60 * minutes * 2, `${proxy.requests} requests in ${minutes} minutes`);
    assert.ok(shown > 2, `${shown} shown`);
  });
}
