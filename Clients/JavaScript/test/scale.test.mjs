// What a changeset costs: what it changes, and not the table.

import assert from "node:assert/strict";
import test from "node:test";
import { row, scripted, settle, start } from "./scripted.mjs";

const size = 100_000;

async function large() {
  const run = scripted();
  const table = run.client.table("t");
  const stop = table.subscribe(() => {});
  await settle();
  const rows = Array.from({ length: size }, (_, index) => row(`r${index}`));
  run.transport.only.reply({ body: start({ table: "t", cursor: "aa.1", state: "ready", sections: [{ id: "s", header: null, footer: null, rows }] }) });
  await settle();
  let version = 1;
  /** One changeset of one stage, until it is shown. */
  const change = async (stage) => {
    const seen = new Promise((resolve) => {
      const end = table.subscribe(() => (end(), resolve()));
    });
    run.transport.only.reply({ body: { table: "t", from: `aa.${version}`, to: `aa.${++version}`, stages: [stage] } });
    await seen;
    await run.clock.advance(200);
  };
  return { ...run, table, stop, change };
}

/** How many of the rows that are shown are other objects than before: those that something was made of anew. */
function made(before, after) {
  const known = new Set(before);
  return after.filter((row) => !known.has(row)).length;
}

test(`a changeset to ${size} rows makes no other rows than its own`, async () => {
  const { table, change, client } = await large();
  const shown = () => table.snapshot.sections[0].rows;
  for (const [stage, changed] of [
    [{ rows: { update: [{ at: [0, 50_000], row: row("r50000", "new"), reload: false }] } }, 1],
    [{ rows: { insert: [{ at: [0, 10], row: row("n") }] } }, 1],
    [{ rows: { move: [{ from: [0, 90_000], to: [0, 5], id: "r89999" }] } }, 0],
    [{ rows: { delete: [{ at: [0, 0], id: "r0" }] } }, 0],
  ]) {
    const before = shown();
    await change(stage);
    assert.equal(made(before, shown()), changed);
  }
  assert.equal(table.row("r50000").payload.title, "new");
  assert.deepEqual(shown().slice(3, 6).map(({ id }) => id), ["r4", "r89999", "r5"]);
  await client.close();
});

test("a row is found, whether an edit is on it or not, and after it has gone", async () => {
  const { table, change, client } = await large();
  table.patch("r7", { x: 1 }, { show: (row) => ({ ...row, payload: { title: "mine" } }) });
  table.delete("r8");
  const added = table.add({}, { before: "r0" }, { show: { cellIdentifier: "Label", payload: { title: "new" } } });
  assert.equal(table.row("r7").payload.title, "mine");
  assert.equal(table.row("r8"), undefined);
  assert.equal(table.row(added.key).payload.title, "new");
  assert.equal(table.snapshot.sections[0].rows[0].id, added.key);
  for (let index = 10; index < size; index++) assert.equal(table.row(`r${index}`).id, `r${index}`);
  await change({ rows: { delete: [{ at: [0, 7], id: "r7" }] } });
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
