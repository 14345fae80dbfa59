// The cases of sizes.json: replies that are too long, over sockets.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import test from "node:test";
import { TablecastClient } from "../tablecast.js";

const { limit, cases } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/sizes.json", import.meta.url)));
const heads = { chunked: "Transfer-Encoding: chunked\r\n", close: "", length: `Content-Length: ${limit + 1}\r\n` };

for (const { name, kind, mostBytes } of cases) {
  test(name, async (t) => {
    let sent = 0;
    const piece = Buffer.alloc(2 ** 20, " ");
    const chunk = kind === "chunked" ? Buffer.concat([Buffer.from("100000\r\n"), piece, Buffer.from("\r\n")]) : piece;
    const closed = new Promise((resolve) => {
      const server = createServer((socket) => {
        const send = () => {
          while (!socket.destroyed && socket.write(chunk)) sent += piece.length;
          sent += piece.length;
        };
        socket.on("error", () => {});
        socket.on("close", resolve);
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${heads[kind]}\r\n`);
          socket.on("drain", send);
          send();
        });
      }).listen(0, "127.0.0.1");
      t.server = server;
    });
    await once(t.server, "listening");
    const client = new TablecastClient(`http://127.0.0.1:${t.server.address().port}`, { random: () => 1 });
    const table = client.table("t");
    const failed = new Promise((resolve) => table.subscribe(({ after }) => after.connection === "retrying" && resolve()));
    t.after(() => (t.server.close(), client.close()));
    await Promise.all([failed, closed]);
    assert.equal(client.events.lastError.problem.title, "unfit: length");
    assert.ok(sent <= mostBytes, `${sent} bytes`);
    await client.close();
  });
}
