// What the shared cases don't say: identity, freezing, tokens, cells, what is kept, observers.

import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isAsNewAs } from "../tablecast.js";
import { row, scripted, settle, snapshot, start } from "./scripted.mjs";

const changes = (from, to, ...stages) => ({ table: "t", from, to, stages });
const memory = (kept = new Map()) => ({
  kept,
  get: async (key) => structuredClone(kept.get(key)),
  set: async (key, value) => void kept.set(key, structuredClone(value)),
  delete: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).forEach((key) => kept.delete(key)),
});

async function following(options, name = "t") {
  const parts = scripted(options);
  const table = parts.client.table(name);
  const notes = [];
  const stop = table.subscribe((change) => notes.push(change));
  await parts.clock.advance(0);
  return { ...parts, table, notes, stop };
}

test("what didn't change is the same object; all is frozen", async () => {
  const { table, transport, clock, notes } = await following();
  transport.only.reply({ body: start(snapshot("aa.1", { a: ["1", "2"], b: ["3"] })) });
  await clock.advance(0);
  const [a, b] = table.snapshot.sections;
  assert.equal(table.snapshot, table.snapshot);
  transport.only.reply({ body: changes("aa.1", "aa.2", { rows: { insert: [{ at: [0, 0], row: row("0") }] } }) });
  await clock.advance(0);
  assert.equal(table.snapshot.sections[1], b);
  assert.equal(table.snapshot.sections[0].rows[1], a.rows[0]);
  const before = table.snapshot;
  transport.only.reply({ body: { ...start(snapshot("bb.1", { a: ["0", "1"], b: ["3"] })), from: "aa.2", reset: "epoch" } });
  await clock.advance(0);
  assert.equal(table.snapshot.sections[1], b);
  assert.equal(table.snapshot.sections[0].rows[1], before.sections[0].rows[1]);
  assert.deepEqual(notes.map(({ type }) => type), ["reset", "changes", "reset"]);
  const isFrozen = (value) => typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  assert.ok(isFrozen(table.snapshot));
});

test("the initial snapshot is the one that a server renders, whenever the table is made", async () => {
  const rendered = scripted().client.table("t").snapshot;
  const { client, transport, clock } = scripted();
  client.table("t").patch("1", { title: "edited" });
  client.pause();
  const table = client.table("t", { screen: "late" });
  assert.deepEqual([table.snapshot.connection, table.snapshot.edits.length], ["paused", 1]);
  assert.deepEqual(table.initialSnapshot, rendered);
  client.resume();
  table.subscribe(() => {});
  await clock.advance(0);
  for (const { method, reply } of transport.open) if (method === "GET") reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
  await clock.advance(0);
  assert.equal(table.snapshot.sections[0].rows.length, 1);
  assert.deepEqual(table.initialSnapshot, rendered);
  assert.ok(Object.isFrozen(table.initialSnapshot.sections));
});

test("a token is asked for once for all, and freshly once after a 401", async () => {
  const asked = [];
  let number = 0;
  const { transport, clock, client } = await following({ token: async ({ fresh }) => (asked.push(fresh), `token-${++number}`) });
  client.table("u").subscribe(() => {});
  await clock.advance(0);
  assert.equal(transport.open[0].headers.Authorization, "Bearer token-1");
  for (const request of transport.open) request.reply({ status: 401 });
  await clock.advance(0);
  const fresh = asked.filter(Boolean).length;
  assert.equal(fresh, 1);
  for (const request of transport.open) request.reply({ status: 401, body: { title: "Unauthorized", status: 401 } });
  await clock.advance(100_000);
  assert.equal(client.table("t").snapshot.refusal.title, "Unauthorized");
  assert.equal(transport.count, 4);
});

test("cells are said with every request", async () => {
  const { transport } = await following({ cells: ["Label", "Poll;v=2"] });
  assert.equal(transport.only.headers["Accept-Cells"], "Label, Poll;v=2");
});

test("a kept table is shown at once as cached, and followed from its cursor", async () => {
  const store = memory();
  const first = await following({ store, caller: "ann" });
  first.transport.only.reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
  await first.clock.advance(1500);
  await first.client.close();
  const second = await following({ store, caller: "ann" });
  assert.equal(second.table.snapshot.connection, "cached");
  assert.equal(second.transport.only.query.after, "aa.1");
  assert.equal(second.transport.only.query.wait, "0");
  second.transport.only.reply({ body: changes("aa.1", "aa.1") });
  await second.clock.advance(0);
  assert.equal(second.table.snapshot.connection, "live");
  const other = await following({ store, caller: "bob" });
  assert.equal(other.table.snapshot.connection, "connecting");
  await second.client.purge();
  assert.equal(store.kept.size, 0);
});

test("what a caller has forgotten is not another's whose name begins alike", async () => {
  const store = memory();
  const first = await following({ store, caller: "ann lee" });
  first.transport.only.reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
  await first.clock.advance(1500);
  await first.client.close();
  const second = await following({ store, caller: "ann" });
  await second.client.purge();
  assert.equal(store.kept.size, 1);
});

test("what is kept is of one look at the table: its first window, its screen, and no view", async () => {
  const store = memory();
  const looks = [{}, { rows: 2 }, { rows: "1-2" }, { view: "v" }, { rows: 2, screen: "left" }];
  for (const look of looks) {
    const { client, transport, clock } = scripted({ store });
    const table = client.table("t", look);
    table.subscribe(() => {});
    await clock.advance(0);
    assert.equal(table.snapshot.cursor, null, JSON.stringify(look));
    transport.only.reply({ body: start(snapshot("aa.1", { a: ["1", "2"] }, look.rows && { window: { rows: 2, of: 3 } })) });
    await clock.advance(2000);
    await client.close();
  }
  assert.equal(store.kept.size, 4);
  for (const look of looks) {
    const { client, clock } = scripted({ store });
    const table = client.table("t", look);
    table.subscribe(() => {});
    await clock.advance(0);
    assert.deepEqual(table.snapshot.window, look.rows && { rows: 2, of: 3 });
    assert.equal(table.snapshot.connection, look.view ? "connecting" : "cached");
    await client.close();
  }
});

test("a window that was shown of a table without rows is no whole table at the next start", async () => {
  const store = memory();
  const first = await following({ store });
  first.transport.only.reply({ body: start(snapshot("aa.1", { a: ["1", "2", "3"] })) });
  await first.clock.advance(0);
  first.table.show("1-1");
  await first.clock.advance(0);
  const cut = { rows: { delete: [{ at: [0, 0], id: "1" }, { at: [0, 2], id: "3" }] }, window: { from: 1, rows: 1, of: 3 } };
  first.transport.only.reply({ body: changes("aa.1", "aa.1~w1-1", cut) });
  await first.clock.advance(1500);
  await first.client.close();
  const { table, transport, clock } = await following({ store });
  assert.equal(table.snapshot.window.from, 1);
  assert.deepEqual(transport.only.query, { after: "aa.1~w1-1", rows: "all", wait: "0" });
  transport.only.reply({ body: changes("aa.1~w1-1", "aa.1", { rows: { insert: [{ at: [0, 0], row: row("1") }, { at: [0, 2], row: row("3") }] }, window: null }) });
  await clock.advance(0);
  assert.deepEqual(table.snapshot.sections[0].rows.map(({ id }) => id), ["1", "2", "3"]);
  assert.equal(transport.only.query.wait, "20");
});

test("what comes after a purge is not kept, until there is another token", async () => {
  const store = memory();
  const { client, transport, clock } = await following({ store });
  transport.only.reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
  await clock.advance(1500);
  assert.equal(store.kept.size, 1);
  await client.purge();
  transport.only.reply({ body: changes("aa.1", "aa.2", { rows: { insert: [{ at: [0, 0], row: row("0") }] } }) });
  await clock.advance(2000);
  assert.equal(store.kept.size, 0);
  client.useToken("another");
  transport.only.reply({ body: changes("aa.2", "aa.3", { rows: { delete: [{ at: [0, 0], id: "0" }] } }) });
  await clock.advance(2000);
  assert.equal(store.kept.size, 1);
  await client.purge();
  transport.only.reply({ body: changes("aa.3", "aa.4", { rows: { insert: [{ at: [0, 0], row: row("0") }] } }) });
  await clock.advance(0);
  await client.close();
  assert.equal(store.kept.size, 0);
});

test("a table with a view or of a screen is forgotten with its last observer and its last edit, and the same as long as the app has it", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const { client, transport, clock } = scripted({ random: () => 0 });
  const look = async (options, isEdited) => {
    const table = client.table("t", options);
    const stop = table.subscribe(() => {});
    await clock.advance(0);
    transport.open.find(({ method }) => method === "GET").reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
    await clock.advance(0);
    const edit = isEdited && table.patch("1", {});
    stop();
    await clock.advance(6000);
    assert.equal(client.table("t", options), table);
    if (!edit) assert.equal(transport.open.length, 0);
    else {
      // It is still here for its edit.
      transport.open.find(({ method }) => method === "PATCH").reply({ body: { cursor: "aa.2", id: "1" } });
      await clock.advance(200);
      transport.only.reply({ body: changes("aa.1", "aa.2") });
      await clock.advance(0);
      assert.equal(edit.state, "confirmed");
      assert.equal(transport.open.length, 0);
    }
    const again = table.subscribe(() => {});
    await clock.advance(0);
    assert.ok(transport.only.query.after);
    again();
    await clock.advance(6000);
    return new WeakRef(table);
  };
  const left = [];
  for (const isEdited of [false, true]) {
    for (const options of [{ view: "v1" }, { screen: "left" }, { view: "v2", screen: "right" }]) left.push(await look({ ...options, rows: isEdited ? 5 : 6 }, isEdited));
  }
  const lasting = await look({});
  await settle();
  gc();
  assert.deepEqual(left.map((table) => table.deref()), left.map(() => undefined));
  assert.ok(lasting.deref());
  await client.close();
});

test("of the members of a family the last 16 without observers stay in memory, and those with observers or edits", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const { client, transport, clock } = scripted({ random: () => 0 });
  const member = (owner) => client.table("t", { params: { owner } });
  const look = async (owner) => {
    const table = member(owner);
    const stop = table.subscribe(() => {});
    await clock.advance(0);
    transport.open.find(({ path }) => path.includes(`owner=${owner}/`)).reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
    await clock.advance(0);
    return [new WeakRef(table), stop];
  };
  const [seen] = await look("seen");
  const edited = new WeakRef(member("edited"));
  member("edited").patch("1", {});
  const named = new WeakRef(member("named"));
  const left = [];
  for (let owner = 0; owner < 20; owner++) {
    const [table, stop] = await look(owner);
    stop();
    await clock.advance(6000);
    left.push(table);
  }
  await settle();
  gc();
  const isLeft = (table) => table.deref() !== undefined;
  assert.deepEqual(left.map(isLeft), [...Array(4).fill(false), ...Array(16).fill(true)]);
  assert.deepEqual([seen, edited, named].map(isLeft), [true, true, false]);
  assert.equal(member("19"), left[19].deref());
  // One that the app has is the same, and follows again.
  const held = left[4].deref();
  await settle();
  for (let owner = 20; owner < 40; owner++) member(owner);
  assert.equal(member("4"), held);
  held.subscribe(() => {});
  await clock.advance(0);
  assert.ok(transport.open.some(({ path, query }) => path.includes("owner=4/") || `${query.after}`.includes("owner=4")));
  await client.close();
});

test("tables whose login was over ask for each alone only until there is another one", async () => {
  const { client, transport, clock } = scripted({ token: "old" });
  const tables = ["t", "u"].map((name) => client.table(name));
  tables.forEach((table) => table.subscribe(() => {}));
  await clock.advance(0);
  for (const name of ["t", "u"]) transport.open.find(({ path }) => path.includes(`/${name}/`)).reply({ body: start(snapshot("aa.1", {}), name) });
  await clock.advance(0);
  const over = { status: 401, body: { title: "Unauthorized", status: 401 } };
  assert.equal(transport.only.path, "/v1/changes");
  transport.only.reply(over);
  await clock.advance(0);
  for (const request of transport.open) request.reply(over);
  await clock.advance(0);
  assert.deepEqual(tables.map(({ snapshot }) => snapshot.connection), ["refused", "refused"]);
  client.useToken("new");
  await clock.advance(0);
  assert.equal(transport.only.path, "/v1/changes");
  await client.close();
});

test("a store that fails is as if nothing had been kept", async () => {
  const broken = () => Promise.reject(new Error("full"));
  const { transport, clock, table } = await following({ store: { get: broken, set: broken, delete: broken } });
  transport.only.reply({ body: start(snapshot("aa.1", { a: ["1"] })) });
  await clock.advance(5000);
  assert.equal(table.snapshot.connection, "live");
});

test("of two cursors of one epoch, one is as new if neither number is smaller", () => {
  const cases = [
    ["aa.2", "aa.1", true], ["aa.1", "aa.2", false], ["aa.10", "aa.9", true], ["bb.2", "aa.1", false],
    ["aa.2.1", "aa.2", true], ["aa.2", "aa.2.1", false], ["aa.3.1", "aa.2.2", false], ["aa.2.3~w50", "aa.2.3", true],
    ["aa.2~w50", "aa.2~x", true], [undefined, "aa.1", false],
  ];
  for (const [cursor, other, expected] of cases) assert.equal(isAsNewAs(cursor, other), expected, `${cursor} ${other}`);
});

test("a reply that says to be longer than 256 MB is not read, and is a failure", async () => {
  const events = [];
  let isRead = false;
  const endless = new ReadableStream({ pull: () => { isRead = true; } }, { highWaterMark: 0 });
  const headers = { "Content-Length": `${2 ** 28 + 1}`, "Content-Type": "application/json" };
  const { client, clock, table } = await following({ fetch: async () => new Response(endless, { headers }) });
  client.events.subscribe((event) => events.push(event));
  await clock.advance(1500);
  assert.equal(table.snapshot.connection, "retrying");
  assert.equal(events[0].problem.title, "unfit: length");
  assert.equal(isRead, false);
});

test("an answer of a platform without streams is read whole", async () => {
  const reply = JSON.stringify(start(snapshot("aa.1", { a: ["1"] })));
  const { table } = await following({ fetch: async () => ({ status: 200, headers: new Headers(), text: async () => reply }) });
  assert.equal(table.snapshot.cursor, "aa.1");
});

test("the watchdog counts for edits and for replies that stop halfway", async () => {
  const half = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"table":')) });
  const { clock, table } = await following({ fetch: async () => new Response(half) });
  await clock.advance(10_500);
  assert.equal(table.snapshot.connection, "retrying");
});
