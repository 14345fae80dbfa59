// What a changeset costs: what it changes, and not the table.

import assert from "node:assert/strict";
import test from "node:test";
import { row, scripted, settle, start } from "./scripted.mjs";

const size = 100_000;
const most = 3;

async function large() {
  const run = scripted();
  const table = run.client.table("t");
  const stop = table.subscribe(() => {});
  await settle();
  const rows = Array.from({ length: size }, (_, index) => row(`r${index}`));
  run.transport.only.reply({ body: start({ table: "t", cursor: "aa.1", state: "ready", sections: [{ id: "s", header: null, footer: null, rows }] }) });
  await settle();
  let version = 1;
  /** The quickest of some replies, from their JSON's being read until they are shown: a machine that is busy is no worse client. */
  const quickest = async (stageOf, rounds = 15) => {
    let best = Infinity;
    for (let round = 0; round < rounds; round++) {
      const body = { table: "t", from: `aa.${version}`, to: `aa.${++version}`, stages: [stageOf(round)] };
      const seen = new Promise((resolve) => {
        const end = table.subscribe(() => (end(), resolve(performance.now())));
      });
      const began = performance.now();
      run.transport.only.reply({ body });
      best = Math.min(best, (await seen) - began);
      await run.clock.advance(200);
    }
    return best;
  };
  return { ...run, table, stop, quickest };
}

test(`a changeset to ${size} rows takes at most ${most} ms`, async (t) => {
  const { table, quickest, client } = await large();
  const update = await quickest((round) => ({ rows: { update: [{ at: [0, 50_000], row: row("r50000", `${round}`), reload: false }] } }));
  assert.equal(table.row("r50000").payload.title, "14");
  const insert = await quickest((round) => ({ rows: { insert: [{ at: [0, 10], row: row(`n${round}`) }] } }));
  const move = await quickest(() => ({ rows: { move: [{ from: [0, 90_000], to: [0, 5], id: table.snapshot.sections[0].rows[90_000].id }] } }));
  t.diagnostic(`update ${update.toFixed(2)} ms, insert ${insert.toFixed(2)} ms, move ${move.toFixed(2)} ms`);
  for (const ms of [update, insert, move]) assert.ok(ms <= most, `${ms} ms`);
  await client.close();
});

test("a row is found at once, whether an edit is on it or not, and after it has gone", async () => {
  const { table, quickest, client } = await large();
  table.patch("r7", { x: 1 }, { show: (row) => ({ ...row, payload: { title: "mine" } }) });
  table.delete("r8");
  const added = table.add({}, { before: "r0" }, { show: { cellIdentifier: "Label", payload: { title: "new" } } });
  assert.equal(table.row("r7").payload.title, "mine");
  assert.equal(table.row("r8"), undefined);
  assert.equal(table.row(added.key).payload.title, "new");
  assert.equal(table.snapshot.sections[0].rows[0].id, added.key);
  const began = performance.now();
  for (let index = 0; index < size; index++) table.row(`r${index}`);
  assert.ok(performance.now() - began < 1000);
  await quickest(() => ({ rows: { delete: [{ at: [0, 7], id: "r7" }] } }), 1);
  assert.equal(table.row("r7"), undefined);
  await client.close();
});

test("what doesn't fit leaves every row as it was, wherever it goes wrong", async () => {
  const { table, transport, client } = await large();
  const before = table.snapshot.sections;
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.2", stages: [
    { rows: { delete: [{ at: [0, 0], id: "r0" }], insert: [{ at: [0, 0], row: row("x") }], update: [{ at: [0, 4], row: row("r4", "other"), reload: false }] } },
    { rows: { insert: [{ at: [0, 0], row: row("r9") }] } },
  ] } });
  await settle();
  assert.equal(table.snapshot.sections, before);
  assert.equal(table.row("x"), undefined);
  assert.equal(table.row("r0").payload.title, "r0");
  assert.equal(table.row("r4").payload.title, "r4");
  await client.close();
});
