// Tabs that share one store: nothing that one keeps is lost by another, and what a tab that is gone has left is taken up.

import assert from "node:assert/strict";
import test from "node:test";
import { keptEdits } from "../kept.js";
import { FakeLocks } from "./fake-locks.mjs";
import { memory, scripted, settle, snapshot, start } from "./scripted.mjs";

function tabs() {
  const kept = new Map();
  const locks = new FakeLocks();
  let number = 0;
  return () => {
    const own = locks.program();
    const store = memory(kept);
    const prefix = `tab${++number}`;
    let keys = 0;
    const parts = scripted({ store, keepEdits: keptEdits(store, { locks: own }), newKey: () => `${prefix}-${++keys}` });
    const { client } = parts;
    const table = client.table("t");
    return {
      ...parts, table, kept,
      keys: () => table.snapshot.edits.map(({ key }) => key),
      kill() {
        store.set = store.delete = async () => {};
        own.end();
      },
    };
  };
}

test("two tabs keep their edits beside each other, and a third takes up both", async () => {
  const open = tabs();
  const [one, two] = [open(), open()];
  await settle();
  one.table.delete("1");
  two.table.patch("2", { x: 1 });
  one.table.add({ title: "new" }, {}, { show: { cellIdentifier: "C", payload: {} } });
  await settle();
  assert.deepEqual([one.keys(), two.keys()], [["tab1-1", "tab1-2"], ["tab2-1"]]);
  one.kill();
  two.kill();
  await settle();
  const three = open();
  await settle();
  assert.deepEqual(three.keys().sort(), ["tab1-1", "tab1-2", "tab2-1"]);
  // Sent though nobody looks at the table, one after the other, with its key.
  three.transport.only.reply({ body: snapshot("aa.1", { s: ["1"] }) });
  await settle();
  assert.equal(three.transport.open.find(({ method }) => method !== "GET").headers["Idempotency-Key"], three.keys()[0]);
});

test("what a living tab has is left to it", async () => {
  const open = tabs();
  const one = open();
  await settle();
  one.table.delete("1");
  await settle();
  const two = open();
  await settle();
  assert.deepEqual([one.keys(), two.keys()], [["tab1-1"], []]);
  // As soon as it is gone, the other has it.
  one.kill();
  await settle();
  assert.deepEqual(two.keys(), ["tab1-1"]);
});

test("a tab that came later and is gone is found at `wake`", async () => {
  const open = tabs();
  const one = open();
  await settle();
  const two = open();
  await settle();
  two.table.delete("1");
  await settle();
  two.kill();
  await settle();
  one.client.wake();
  await settle();
  assert.deepEqual(one.keys(), ["tab2-1"]);
});

test("what a tab takes up that was answered is believed by a reply to a later request: the service may have been set back", async () => {
  const open = tabs();
  const [one, two] = [open(), open()];
  await settle();
  for (const [{ table, transport }, cursor] of [[one, "aa.1"], [two, "aa.3"]]) {
    table.subscribe(() => {});
    await settle();
    transport.only.reply({ body: start(snapshot(cursor, { s: ["1"] })) });
    await settle();
  }
  const sent = ({ transport }) => transport.open.find(({ method }) => method !== "GET");
  one.table.delete("1");
  await settle();
  sent(one).reply({ body: { cursor: "aa.2", id: "1" } });
  await settle();
  one.kill();
  await settle();
  await two.clock.advance(300);
  assert.deepEqual(two.table.snapshot.edits.map(({ key, state }) => [key, state]), [["tab1-1", "acknowledged"]]);
  two.transport.only.reply({ body: { ...start(snapshot("bb.1", { s: ["1"] })), from: "aa.3", reset: "epoch" } });
  await settle();
  assert.equal(sent(two).headers["Idempotency-Key"], "tab1-1");
});

test("without locks, what a program keeps after another one has come is found by a third", async (t) => {
  // Later versions of Node have locks, too.
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: undefined, configurable: true });
  t.after(() => (navigator ? Object.defineProperty(globalThis, "navigator", navigator) : delete globalThis.navigator));
  const kept = new Map();
  let number = 0;
  const open = async () => {
    const name = `program${++number}`;
    let keys = 0;
    const table = scripted({ keepEdits: keptEdits(memory(kept)), newKey: () => `${name}-${++keys}` }).client.table("t");
    await settle();
    return { table, keys: () => table.snapshot.edits.map(({ key }) => key).sort() };
  };
  const one = await open();
  one.table.delete("1");
  await settle();
  const two = await open();
  one.table.delete("2");
  await settle();
  two.table.delete("3");
  await settle();
  assert.deepEqual([one.keys(), two.keys()], [["program1-1", "program1-2"], ["program1-1", "program2-1"]]);
  const three = await open();
  assert.deepEqual(three.keys(), ["program1-1", "program1-2", "program2-1"]);
});

test("a purge drops what its tab has and what others have left that are gone, and leaves to the living what is theirs", async () => {
  const open = tabs();
  const [one, two] = [open(), open()];
  await settle();
  const three = open();
  await settle();
  for (const { table } of [one, two, three]) table.delete("1");
  two.client.table("u").subscribe(() => {});
  await two.clock.advance(0);
  two.transport.open.find(({ path }) => path === "/v1/tables/u/changes").reply({ body: start(snapshot("aa.1", { s: ["1"] }), "u") });
  await two.clock.advance(2000);
  // Came after the second, which looks for it only now.
  three.kill();
  await settle();
  // One kept edit of each, and a snapshot.
  const kept = () => [...JSON.stringify([...two.kept]).matchAll(/"key":"(\w+-1)"|"cursor":"(aa.1)"/g)].map(([, key, cursor]) => key ?? cursor).sort();
  assert.deepEqual(kept(), ["aa.1", "tab1-1", "tab2-1", "tab3-1"]);
  await two.client.purge();
  await settle();
  assert.deepEqual([kept(), one.keys(), two.keys()], [["tab1-1"], ["tab1-1"], []]);
  one.kill();
  await settle();
  assert.deepEqual(two.keys(), ["tab1-1"]);
});
