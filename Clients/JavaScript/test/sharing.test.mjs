// Tabs that share one poll, on one clock: who asks, who is told, and what happens when the leader's login is not theirs.

import assert from "node:assert/strict";
import test from "node:test";
import { sharedTabs } from "../tabs.js";
import { FakeLocks } from "./fake-locks.mjs";
import { ids, row, ScriptedClock, ScriptedTransport, settle, snapshot, start } from "./scripted.mjs";
import { TablecastClient } from "../tablecast.js";

/** A BroadcastChannel whose messages come in turn, and that a test can cut. */
function channels() {
  const open = new Set();
  return (isAlive) => class {
    constructor(name) {
      this.name = name;
      open.add(this);
    }
    postMessage(data) {
      if (!isAlive()) return;
      const text = JSON.stringify(data);
      for (const other of open) {
        if (other !== this && other.name === this.name) setImmediate(() => other.isAlive() && other.onmessage?.({ data: JSON.parse(text) }));
      }
    }
    isAlive = isAlive;
    close() {
      open.delete(this);
    }
  };
}

function browser() {
  const locks = new FakeLocks();
  const clock = new ScriptedClock();
  const make = channels();
  return {
    clock,
    open(options = {}) {
      let isAlive = true;
      const own = locks.program();
      const transport = new ScriptedTransport();
      const client = new TablecastClient("http://service", {
        fetch: transport.fetch, clock, random: () => 1, tabs: sharedTabs({ locks: own, Channel: make(() => isAlive), clock }), ...options,
      });
      const table = client.table("t");
      const resets = [];
      table.subscribe(({ type }) => type === "reset" && resets.push(type));
      return { client, table, transport, resets, own, freeze: () => (isAlive = false), thaw: () => (isAlive = true), kill: () => ((isAlive = false), own.end()) };
    },
  };
}

const begin = async ({ clock }, tabs, cursor = "aa.1") => {
  await clock.advance(0);
  for (const { transport } of tabs) transport.open.find(({ query }) => query.wait === "0").reply({ body: start(snapshot(cursor, { s: ["1"] })) });
  await clock.advance(100);
};
const news = (from, to, id, pair = 0) => ({ body: { changes: [{ table: "t", pair, from, to, stages: [{ rows: { insert: [{ at: [0, 0], row: row(id) }] } }] }] } });
const polls = (tabs) => tabs.flatMap(({ transport }) => transport.open);

test("one waits for all, and all are told", async () => {
  const run = browser();
  const tabs = [run.open(), run.open(), run.open()];
  await begin(run, tabs);
  assert.deepEqual(polls(tabs).map(({ path, query }) => [path, query]), [["/v1/changes", { after: "t;;:aa.1", wait: "20" }]]);
  polls(tabs)[0].reply(news("aa.1", "aa.2", "2"));
  await run.clock.advance(100);
  for (const { table, resets } of tabs) {
    assert.deepEqual(ids(table.snapshot), { s: ["2", "1"] });
    assert.deepEqual(resets, ["reset"]);
  }
  assert.deepEqual(polls(tabs).map(({ query }) => query.after), ["t;;:aa.2"]);
});

test("a leader that is gone takes nothing with it", async () => {
  const run = browser();
  const tabs = [run.open(), run.open()];
  await begin(run, tabs);
  tabs[0].kill();
  await run.clock.advance(100);
  assert.deepEqual(tabs[1].transport.open.map(({ query }) => query.after), ["t;;:aa.1"]);
  tabs[1].transport.only.reply(news("aa.1", "aa.2", "2"));
  await run.clock.advance(100);
  assert.deepEqual(ids(tabs[1].table.snapshot), { s: ["2", "1"] });
  assert.deepEqual(tabs[1].resets, ["reset"]);
});

test("a leader that doesn't answer is followed by another within two seconds", async () => {
  const run = browser();
  const tabs = [run.open(), run.open()];
  await begin(run, tabs);
  tabs[0].freeze();
  await run.clock.advance(2000, () => tabs[1].transport.open.length > 0);
  assert.deepEqual(tabs[1].transport.open.map(({ query }) => query.after), ["t;;:aa.1"]);
  tabs[0].thaw();
  await run.clock.advance(3000);
  assert.equal(polls(tabs).length, 1, "one of them leads");
});

test("a cursor that stays behind is asked for apart, and a late one is told from what the leader knows", async () => {
  const run = browser();
  const tabs = [run.open(), run.open()];
  await run.clock.advance(0);
  tabs[0].transport.only.reply({ body: start(snapshot("aa.2", { s: ["2", "1"] })) });
  tabs[1].transport.only.reply({ body: start(snapshot("aa.1", { s: ["1"] })) });
  await run.clock.advance(100);
  const open = polls(tabs);
  assert.deepEqual(open.map(({ query }) => query.after).sort(), ["t;;:aa.1", "t;;:aa.2"]);
  open.find(({ query }) => query.after === "t;;:aa.1").reply(news("aa.1", "aa.2", "2"));
  await run.clock.advance(100);
  assert.deepEqual(ids(tabs[1].table.snapshot), { s: ["2", "1"] });
  const late = run.open();
  await run.clock.advance(0);
  late.transport.open.find(({ query }) => query.wait === "0").reply({ body: start(snapshot("aa.1", { s: ["1"] })) });
  await run.clock.advance(100);
  assert.deepEqual(ids(late.table.snapshot), { s: ["2", "1"] });
  assert.equal(late.transport.count, 1);
});

test("the leader's login says nothing of another's, and clients that don't say whose they are share nothing", async () => {
  const run = browser();
  const tabs = [run.open({ token: "a", caller: "ann" }), run.open({ token: "b", caller: "ann" }), run.open({ token: "c" })];
  await begin(run, tabs);
  assert.deepEqual(polls(tabs).map(({ path }) => path), ["/v1/changes", "/v1/tables/t/changes"]);
  tabs[0].transport.only.reply({ status: 401, body: { title: "Expired" } });
  await run.clock.advance(100);
  assert.equal(tabs[1].table.snapshot.connection, "live");
  assert.equal(tabs[1].transport.open[0].headers.Authorization, "Bearer b");
});

test("a client that is given a token later shares nothing from then on, unless it says whose it is", async () => {
  for (const caller of [undefined, "ann"]) {
    const run = browser();
    const tabs = [run.open({ caller }), run.open({ caller })];
    await begin(run, tabs);
    assert.equal(polls(tabs).length, 1);
    tabs[0].client.useToken("a");
    await run.clock.advance(200);
    const open = tabs.map(({ transport }) => transport.open.map(({ path, headers }) => [path, headers.Authorization]));
    if (caller) assert.equal(polls(tabs).length, 1);
    else assert.deepEqual(open, [[["/v1/tables/t/changes", "Bearer a"]], [["/v1/changes", undefined]]]);
    for (const { table } of tabs) assert.equal(table.snapshot.connection, "live");
    tabs[0].transport.open[0].reply(caller ? news("aa.1", "aa.2", "2") : { body: news("aa.1", "aa.2", "2").body.changes[0] });
    await run.clock.advance(200);
    assert.deepEqual(tabs.map(({ table }) => ids(table.snapshot).s.length), caller ? [2, 2] : [2, 1]);
    for (const { client } of tabs) await client.close();
  }
});

test("the leader keeps 4 MB of answers at most, but for the last ones", async () => {
  const run = browser();
  const tabs = [run.open()];
  await begin(run, tabs);
  const row3 = (id) => row(id, "x".repeat(3_000_000));
  for (const [from, to, id] of [["aa.1", "aa.2", "2"], ["aa.2", "aa.3", "3"]]) {
    polls(tabs)[0].reply({ body: { changes: [{ table: "t", pair: 0, from, to, stages: [{ rows: { insert: [{ at: [0, 0], row: row3(id) }] } }] }] } });
    await run.clock.advance(100);
  }
  for (const [cursor, expected] of [["aa.2", ["t;;:aa.3"]], ["aa.1", ["t;;:aa.1", "t;;:aa.3"]]]) {
    const late = run.open();
    await run.clock.advance(0);
    late.transport.open.find(({ query }) => query.wait === "0").reply({ body: start(snapshot(cursor, { s: ["1"] })) });
    await run.clock.advance(100);
    assert.deepEqual(polls([...tabs, late]).map(({ query }) => query.after).sort(), expected);
    await late.client.close();
  }
});

test("a service that answers at once with nothing is not asked at full speed", async () => {
  const run = browser();
  const tabs = [run.open(), run.open(), run.open()];
  await begin(run, tabs);
  let count = 0;
  for (const { transport } of tabs) {
    transport.onrequest = (request) => {
      count++;
      setImmediate(() => request.reply({ body: request.path === "/v1/changes" ? { changes: [] } : { table: "t", from: request.query.after, to: request.query.after, stages: [] } }));
    };
  }
  polls(tabs)[0].reply({ body: { changes: [] } });
  await run.clock.advance(20_000);
  assert.ok(count < 60, `${count} requests`);
});

test("a poll that ends quietly leaves who has only just asked waiting, and nobody for ever", async () => {
  const run = browser();
  const tabs = [run.open()];
  await begin(run, tabs);
  await run.clock.advance(19_000);
  const late = run.open();
  tabs.push(late);
  await begin(run, [late]);
  await run.clock.advance(500);
  polls(tabs).find(({ path }) => path === "/v1/changes").reply({ body: { changes: [] } });
  await run.clock.advance(100);
  assert.equal(late.table.snapshot.connection, "live");
  assert.equal(tabs[0].table.snapshot.connection, "live");
  assert.equal(polls(tabs).length, 1);
  await settle();
});

test("what a closed tab has waited for is asked for with pauses, where it fails", async () => {
  const run = browser();
  const [leader, other] = [run.open(), run.open()];
  await begin(run, [leader]);
  await begin(run, [other], "bb.1");
  other.kill();
  let count = 0;
  for (let step = 0; step < 300; step++) {
    for (const poll of polls([leader])) {
      count += 1;
      poll.reply({ status: 503, body: { status: 503, title: "Unavailable" } });
    }
    await run.clock.advance(50);
  }
  assert.ok(count > 3 && count < 16, `${count} polls in 15 s`);
  await leader.client.close();
});
