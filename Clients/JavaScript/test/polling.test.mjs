// The cases of polling.json: what a client must do however its jitter falls, on a clock, with several seeds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { seeded } from "./fake-service.mjs";
import { scripted } from "./scripted.mjs";

const { cases } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/polling.json", import.meta.url)));
const targetOf = ({ path, query }) => {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => `${name}=${encodeURIComponent(value)}`));
  return path + (pairs.length ? `?${pairs.join("&")}` : "");
};
/** The same request, whatever the order of its query and how its marks are encoded. */
const plain = (target) => {
  const [path, query = ""] = decodeURIComponent(decodeURIComponent(target)).split("?");
  return `${path}?${query.split("&").sort().join("&")}`;
};

for (const { name, tables: given, replies, restored = [], does = [], seconds, expect } of cases) {
  for (const seed of [1, 2]) {
    test(`${name}, seed ${seed}`, async () => {
      const random = seeded(seed);
      const kept = (key) => restored.find(({ table }) => key.split(" ").includes(table));
      const store = restored.length ? { get: async (key) => structuredClone(kept(key)), set: async () => {}, delete() {} } : undefined;
      const { client, transport, clock } = scripted({ random, store });
      const general = replies.filter(({ only }) => !only);
      const special = replies.filter(({ only }) => only).map((reply) => ({ left: reply.times ?? 1, ...reply }));
      const requests = [];

      function answer(request) {
        const target = targetOf(request);
        requests.push({ target, at: clock.performance.now() });
        const found = special.find(({ only, left }) => left > 0 && decodeURIComponent(target).includes(only));
        if (found) found.left--;
        const reply = found ?? (general.length > 1 ? general.shift() : general[0]);
        const after = [request.query.after ?? ""].flat()[0].split(":").at(-1);
        const text = (reply.text ?? JSON.stringify(reply.body) ?? "")
          .replaceAll('"{from}"', after ? JSON.stringify(after) : "null").replaceAll("{after}", after);
        if (reply.hangs) return;
        const delay = (reply.waits ? Number(request.query.wait ?? 20) : 0) + (reply.delay ?? 0);
        clock.setTimeout(() => (reply.fails ? request.fail() : request.reply({ status: reply.status, headers: reply.headers, body: text })), delay * 1000);
      }
      transport.onrequest = answer;

      const followed = new Map();
      const shown = [];
      const connections = [];
      const connect = ({ after: { connection } }) => {
        if (connection !== "connecting" && connections.at(-1) !== connection) connections.push(connection);
      };
      const note = ({ after }) => {
        const rows = after.sections.flatMap(({ rows }) => rows.map(({ id }) => id));
        if (after.cursor && JSON.stringify(shown.at(-1)) !== JSON.stringify(rows)) shown.push(rows);
      };
      for (const { name, rows, view, parameters } of given) {
        const table = client.table(name, { params: parameters, view, rows });
        const isFirst = !followed.size;
        const seen = (change) => (connect(change), isFirst && note(change));
        followed.set(name, { table, stop: table.subscribe(seen) });
      }
      const first = followed.get(given[0].name).table;
      for (const { at, do: action, reason, rows, table } of does) {
        clock.setTimeout(() => {
          if (action === "leave") followed.get(table ?? given[0].name).stop();
          else if (action === "widen") first.loadMore(rows - first.snapshot.window.rows);
          else client[action](reason);
        }, at * 1000);
      }
      await clock.advance(seconds * 1000);
      await client.close();

      const targets = requests.map(({ target }) => target);
      const why = JSON.stringify(targets.slice(0, 12));
      const [least, most] = expect.requests ?? [0, Infinity];
      assert.ok(requests.length >= least && requests.length <= most, `${requests.length} requests, not ${least} to ${most}: ${why}`);
      const matches = (expected, target = "") => {
        const [start, ...parts] = expected.split("…");
        const isWhole = !parts.length;
        const text = decodeURIComponent(decodeURIComponent(target));
        return isWhole ? plain(target) === plain(expected) : text.startsWith(start) && parts.every((part) => text.includes(decodeURIComponent(part)));
      };
      (expect.targets ?? []).forEach((expected, index) => assert.ok(matches(expected, targets[index]), `${expected}: ${why}`));
      if (expect.last) assert.ok(matches(expect.last, targets.at(-1)), `${expect.last}: ${targets.at(-1)}`);
      if (expect.shown) assert.deepEqual(shown, expect.shown);
      if (expect.connections) assert.deepEqual(connections, expect.connections);
      if (expect.cursor) assert.equal(first.snapshot.cursor, expect.cursor);
      for (const id of expect.never ?? []) assert.ok(!shown.flat().includes(id), id);
      (expect.gaps ?? []).forEach((gap, index) => {
        const seen = (requests[index + 1]?.at - requests[index]?.at) / 1000;
        assert.ok(seen >= gap - 0.001, `gap ${index}: ${seen} s, not ${gap}`);
      });
    });
  }
}
