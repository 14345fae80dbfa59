// The store in IndexedDB, where that fails: at the commit, at its opening, and by a connection that the browser has closed.

import assert from "node:assert/strict";
import test from "node:test";
import { keptEdits } from "../kept.js";
import { indexedDBStore } from "../store.js";
import { FakeLocks } from "./fake-locks.mjs";
import { memory, scripted, settle, snapshot, start } from "./scripted.mjs";

/** IndexedDB in part: what is put counts at the end of its transaction. */
function browser() {
  const disk = new Map();
  const later = (action) => setImmediate(action);
  const state = { disk, opens: 0, isFull: false, room: Infinity, isLocked: false, connections: [] };
  const error = (name) => new DOMException(name, name);
  class Connection {
    isClosed = !!state.isShut;
    close() {
      this.isClosed = true;
    }
    transaction() {
      if (this.isClosed) throw error("InvalidStateError");
      const transaction = { error: null };
      // What is to be on the disk at its end: undefined is nothing.
      const changes = new Map();
      let open = 0;
      transaction.objectStore = () => {
        const run = (action) => {
          const request = {};
          open++;
          later(() => {
            request.result = action();
            request.onsuccess?.();
            later(() => {
              if (--open) return;
              const isWritten = [...changes.values()].some((value) => value !== undefined);
              const more = [...changes].reduce((sum, [key, value]) => sum + (value !== undefined) - disk.has(key), 0);
              if (isWritten && (state.isFull || disk.size + more > state.room)) {
                transaction.error = error("QuotaExceededError");
                transaction.onabort?.();
              } else {
                for (const [key, value] of changes) {
                  if (value === undefined) disk.delete(key);
                  else disk.set(key, value);
                }
                transaction.oncomplete?.();
              }
            });
          });
          return request;
        };
        return {
          get: (key) => run(() => structuredClone(changes.has(key) ? changes.get(key) : disk.get(key))),
          put: (value, key) => run(() => void changes.set(key, structuredClone(value))),
          delete: (keys) => run(() => [...disk.keys(), ...changes.keys()].forEach((key) => {
            if (keys.from === undefined ? key === keys : key >= keys.from && key <= keys.to) changes.set(key, undefined);
          })),
        };
      };
      return transaction;
    }
  }
  globalThis.IDBKeyRange = { bound: (from, to) => ({ from, to }) };
  globalThis.indexedDB = {
    open() {
      const request = {};
      state.opens++;
      later(() => {
        if (state.isLocked) {
          request.error = error("UnknownError");
          request.onerror();
        } else {
          request.result = new Connection();
          state.connections.push(request.result);
          request.onsuccess();
        }
      });
      return request;
    },
  };
  return state;
}

test("what is set is read again, and deleted by the beginning of its key", async () => {
  const { disk } = browser();
  const store = indexedDBStore();
  await store.set("a 1", { x: 1 });
  await store.set("b 1", 2);
  assert.deepEqual([await store.get("a 1"), await store.get("c")], [{ x: 1 }, undefined]);
  await store.delete("a ");
  assert.deepEqual([...disk.keys()], ["b 1"]);
});

test("what a full disk refuses at the commit was not set", { timeout: 5000 }, async () => {
  const state = browser();
  const store = indexedDBStore();
  state.isFull = true;
  await assert.rejects(store.set("a", 1), { name: "QuotaExceededError" });
  state.isFull = false;
  await store.set("a", 2);
  assert.equal(state.disk.get("a"), 2);
});

test("a database that could not be opened is opened by the next one who asks", { timeout: 5000 }, async () => {
  const state = browser();
  const store = indexedDBStore();
  state.isLocked = true;
  await assert.rejects(store.get("a"), { name: "UnknownError" });
  state.isLocked = false;
  await store.set("a", 1);
  assert.equal(await store.get("a"), 1);
});

test("a connection that the browser has closed is opened again, once", { timeout: 5000 }, async () => {
  const state = browser();
  const store = indexedDBStore();
  await store.set("a", 1);
  // With its event, and without.
  state.connections[0].isClosed = true;
  state.connections[0].onclose();
  assert.equal(await store.get("a"), 1);
  state.connections[1].isClosed = true;
  assert.equal(await store.get("a"), 1);
  assert.equal(state.opens, 3);
  // One that is closed at once is not tried for ever.
  state.isShut = true;
  state.connections[2].isClosed = true;
  await assert.rejects(store.get("a"), { name: "InvalidStateError" });
  assert.equal(state.opens, 4);
});

test("a connection that another release waits for is closed, and opened again by the next one who asks", { timeout: 5000 }, async () => {
  const state = browser();
  const store = indexedDBStore();
  await store.set("a", 1);
  state.connections[0].onversionchange();
  assert.ok(state.connections[0].isClosed);
  assert.equal(await store.get("a"), 1);
  assert.equal(state.opens, 2);
});

test("a store that never answers is waited for two seconds, by tables and by edits", async () => {
  const never = () => new Promise(() => {});
  const store = { get: never, set: never, delete: never };
  const { client, transport, clock } = scripted({ store, keepEdits: keptEdits(store, { locks: new FakeLocks().program() }) });
  const table = client.table("t");
  table.subscribe(() => {});
  await clock.advance(1900);
  assert.equal(transport.count, 0);
  await clock.advance(200);
  transport.only.reply({ body: start(snapshot("aa.1", { s: ["1"] })) });
  await clock.advance(0);
  table.delete("1");
  await clock.advance(2100);
  assert.ok(transport.open.some(({ method }) => method === "DELETE"));
});

test("edits of a tab that is gone stay where they are while the disk is full", { timeout: 5000 }, async () => {
  const state = browser();
  const scope = "s ";
  const edit = { key: "k", op: "delete", row: "1" };
  state.disk.set(`${scope}edits`, ["gone"]);
  state.disk.set(`${scope}edits gone`, [edit]);
  state.isFull = true;
  const taken = [];
  await keptEdits(indexedDBStore(), { locks: new FakeLocks().program() }).open(scope, (edits) => taken.push(...edits)).catch(() => {});
  assert.deepEqual(state.disk.get(`${scope}edits gone`), [edit]);
  assert.deepEqual(taken.splice(0), [edit]);
  state.isFull = false;
  await keptEdits(indexedDBStore(), { locks: new FakeLocks().program() }).open(scope, (edits) => taken.push(...edits));
  assert.deepEqual(taken, [edit]);
  assert.equal(state.disk.has(`${scope}edits gone`), false);
});

test("edits of a tab whose store failed at its start are found by the next one", async () => {
  const kept = new Map();
  const locks = new FakeLocks();
  const open = (store) => {
    const own = locks.program();
    const run = scripted({ keepEdits: keptEdits(store, { locks: own }) });
    return { ...run, table: run.client.table("t"), own };
  };
  const whole = memory(kept);
  let isBroken = true;
  const one = open({ ...whole, get: async (key) => (isBroken ? Promise.reject(new Error("not now")) : whole.get(key)) });
  await settle();
  isBroken = false;
  one.table.delete("1");
  await settle();
  one.own.end();
  await settle();
  const two = open(memory(kept));
  await settle();
  assert.deepEqual(two.table.snapshot.edits.map(({ op, row }) => [op, row]), [["delete", "1"]]);
});

test("edits of a tab that is gone are shown and sent while the disk is full, and not once more when it has room", { timeout: 5000 }, async () => {
  const state = browser();
  const base = "http://service  edits";
  state.disk.set(base, ["gone"]);
  state.disk.set(`${base} gone`, [{ key: "k", op: "delete", segment: "t", row: "1" }]);
  state.isFull = true;
  const { client, transport, clock } = scripted({ keepEdits: keptEdits(indexedDBStore(), { locks: new FakeLocks().program() }) });
  const table = client.table("t");
  const wait = async () => {
    for (let round = 0; round < 10; round++) await clock.advance(0);
  };
  table.subscribe(() => {});
  await wait();
  for (const { path, reply } of transport.open) reply({ body: path.endsWith("/changes") ? start(snapshot("aa.1", { s: ["1"] })) : snapshot("aa.1", { s: ["1"] }) });
  await wait();
  assert.deepEqual(table.snapshot.edits.map(({ key }) => key), ["k"]);
  transport.open.find(({ method }) => method === "DELETE").reply({ body: { cursor: "aa.2", id: "1" } });
  await wait();
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.2", stages: [{ rows: { delete: [{ at: [0, 0], id: "1" }] } }] } });
  await wait();
  assert.equal(table.snapshot.edits.length, 0);
  assert.ok(state.disk.has(`${base} gone`));
  state.isFull = false;
  client.wake();
  await wait();
  assert.equal(table.snapshot.edits.length, 0);
  assert.ok(!state.disk.has(`${base} gone`));
});

test("the last hundred snapshots are kept, and none whose beginning was deleted", { timeout: 5000 }, async () => {
  const { disk } = browser();
  const store = indexedDBStore();
  await store.set("edits", 1);
  for (let number = 0; number < 105; number++) {
    await store.set(`a ${number}`, number, true);
    if (number === 100) await store.set("a 3", 3, true);
  }
  const kept = () => [...disk.keys()].filter((key) => key.startsWith("a ")).map((key) => Number(key.slice(2))).sort((one, other) => one - other);
  assert.deepEqual(kept(), [3, ...Array.from({ length: 99 }, (_, index) => index + 6)]);
  await store.delete("a ");
  assert.deepEqual([kept(), JSON.stringify([...disk])], [[], '[["edits",1],["",[]]]']);
});

test("on a full disk snapshots make room for edits", { timeout: 5000 }, async () => {
  const state = browser();
  const store = indexedDBStore();
  const { client, transport, clock } = scripted({ store, keepEdits: keptEdits(store, { locks: new FakeLocks().program() }) });
  const wait = async (ms) => {
    for (let round = 0; round < 10; round++) await clock.advance(ms);
  };
  const table = client.table("t");
  table.subscribe(() => {});
  await wait(0);
  transport.only.reply({ body: start(snapshot("aa.1", { s: ["1"] })) });
  await wait(200);
  const kept = () => JSON.stringify([...state.disk]);
  assert.match(kept(), /"cursor":"aa.1"/);
  state.room = state.disk.size;
  table.delete("1");
  await wait(0);
  assert.match(kept(), /"key":"key-1"/);
  assert.doesNotMatch(kept(), /"cursor":"aa.1"/);
});
