// Searching as one types: what is asked for when, what is dropped, and what is shown meanwhile.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ids, scripted, snapshot, start } from "./scripted.mjs";

const menus = (more) => ({ prompt: "Search", sorts: [{ id: "newest", title: "Newest" }], filters: [], ...more });

async function showing(options) {
  const run = scripted();
  const table = run.client.table("t", options);
  const shown = [];
  table.subscribe(({ after }) => shown.push(after));
  await run.clock.advance(0);
  run.transport.only.reply({ body: start(snapshot("aa.1", { s: ["1", "2", "3"] })) });
  await run.clock.advance(0);
  return { ...run, table, shown };
}

test("what is typed quickly is asked for once, and the long poll is called off", async () => {
  const { table, transport, clock } = await showing();
  table.find("s");
  await clock.advance(0);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0", q: "s" });
  table.find("sw");
  await clock.advance(100);
  table.find("swi");
  assert.deepEqual(table.snapshot.search, { q: "swi", filters: {}, sort: null, isFound: false });
  await clock.advance(149);
  assert.equal(transport.only.query.q, "s");
  await clock.advance(1);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0", q: "swi" });
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.1~x", stages: [{ rows: { delete: [{ at: [0, 0], id: "1" }] }, find: menus() }] } });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot), { s: ["2", "3"] });
  assert.equal(table.snapshot.find.prompt, "Search");
  assert.equal(table.snapshot.search.isFound, true);
  assert.deepEqual(transport.only.query, { after: "aa.1~x", wait: "20", q: "swi" });
});

test("two screens whose searches are one to the service: the second of them is followed alone, and nothing is asked in a loop", async () => {
  const { client, transport, clock } = scripted();
  // As the service does: texts that fold alike are one lens, which a request for several tables may have once.
  const lens = (pair) => decodeURIComponent(pair).replace(/:[^:]*$/, "").toLowerCase().trim();
  const problem = { title: "Bad Request", status: 400, detail: "The table stands twice." };
  let count = 0;
  transport.onrequest = (request) => {
    count++;
    const { after, wait } = request.query;
    const pairs = [after].flat();
    if (request.path === "/v1/changes") {
      const twice = pairs.flatMap((pair, index) => (pairs.slice(0, index).some((other) => lens(other) === lens(pair)) ? [{ table: "t", pair: index, problem }] : []));
      if (twice.length) setImmediate(() => request.reply({ body: { changes: twice } }));
    } else if (!after) setImmediate(() => request.reply({ body: start(snapshot("aa.1", { s: ["1"] })) }));
    else if (wait === "0") setImmediate(() => request.reply({ body: { table: "t", from: after, to: "aa.1~x", stages: [] } }));
  };
  const tables = ["swift", "Swift "].map((q, index) => {
    const table = client.table("t", { screen: index });
    table.subscribe(() => {});
    table.find(q);
    return table;
  });
  await clock.advance(25_000);
  assert.ok(count < 8, `${count} requests`);
  assert.deepEqual(tables.map(({ snapshot: { connection, search } }) => [connection, search.isFound]), [["live", true], ["live", true]]);
  assert.deepEqual(transport.open.map(({ path, query }) => [path, query.q, query.wait]), [["/v1/tables/t/changes", "swift", "20"], ["/v1/tables/t/changes", "Swift ", "20"]]);
  await client.close();
});

test("filters and sorts are asked for at once, each value once, none that is empty", async () => {
  const { table, transport, clock } = await showing();
  table.find("", { state: ["open", "closed", "open"], label: "bug", none: [] }, "newest");
  await clock.advance(0);
  assert.deepEqual(transport.only.query, {
    after: "aa.1", wait: "0", filter: ["state:open", "state:closed", "label:bug"], sort: "newest",
  });
  table.find("", { state: "open" }, "newest");
  await clock.advance(0);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0", filter: "state:open", sort: "newest" });
});

test("an overtaken reply is not shown", async () => {
  const { table, transport, clock } = await showing();
  table.find("a");
  await clock.advance(0);
  const overtaken = transport.only;
  table.find("b", { state: "open" });
  await clock.advance(150);
  overtaken.reply({ body: { table: "t", from: "aa.1", to: "aa.1~a", stages: [] } });
  await clock.advance(0);
  assert.equal(table.snapshot.cursor, "aa.1");
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.1~b", stages: [] } });
  await clock.advance(0);
  assert.equal(table.snapshot.cursor, "aa.1~b");
});

test("`find()` brings the menus, `find(null)` leads back and takes them away", async () => {
  const { table, transport, clock } = await showing();
  table.find();
  await clock.advance(0);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0", find: "1" });
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.1", stages: [{ find: menus() }] } });
  await clock.advance(0);
  assert.equal(table.snapshot.find.prompt, "Search");
  table.find(null);
  await clock.advance(0);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0" });
  transport.only.reply({ body: { table: "t", from: "aa.1", to: "aa.1", stages: [] } });
  await clock.advance(0);
  assert.equal(table.snapshot.find, undefined);
  assert.equal(table.snapshot.search, null);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "20" });
});

test("a search that the table refuses ends with the next one", async () => {
  const { table, transport, clock } = await showing();
  table.find("", {}, "nope");
  await clock.advance(0);
  const refuse = () => transport.only.reply({ status: 400, body: { title: "No sort", detail: "Known are: newest" } });
  refuse();
  await clock.advance(0);
  refuse();
  await clock.advance(0);
  assert.equal(table.snapshot.refusal.title, "No sort");
  table.find("x");
  await clock.advance(150);
  assert.equal(table.snapshot.refusal, null);
  assert.equal(transport.only.query.q, "x");
});

test("a search is at most 200 characters, whole ones, and never thrown over", async () => {
  const { table, transport, clock } = await showing();
  table.find("\ud800" + "😀".repeat(300));
  await clock.advance(0);
  assert.equal(transport.only.query.q, "\ufffd" + "😀".repeat(199));
});

test("a found table is not kept for the next start", async () => {
  const kept = new Map();
  const run = scripted({ store: { get: async (key) => kept.get(key), set: async (key, value) => kept.set(key, value) } });
  const table = run.client.table("t");
  table.find("x");
  table.subscribe(() => {});
  await run.clock.advance(0);
  run.transport.only.reply({ body: start(snapshot("aa.1~x", { s: ["1"] }, { find: menus() })) });
  await run.clock.advance(2000);
  assert.equal(kept.size, 0);
});

test("searched tables and views wait in one request, each as a pair of its own", async () => {
  const run = scripted();
  const tables = [run.client.table("a"), run.client.table("b", { view: "v" }), run.client.table("c", { rows: 50 }), run.client.table("c", { rows: 50, screen: 2 })];
  tables[2].find("swi ft;:", { state: ["open"] });
  for (const table of tables) table.subscribe(() => {});
  await run.clock.advance(0);
  for (const request of run.transport.open) {
    const name = request.path.split("/")[3];
    const window = name === "c" ? { window: { rows: 50, of: 90 } } : {};
    request.reply({ body: start({ ...snapshot(`aa.1${request.query.q ? "~q" : ""}`, { s: ["1"] }, window), table: name }, name) });
  }
  await run.clock.advance(0);
  assert.deepEqual(run.transport.only.query, {
    after: ["a:aa.1", "b;;view=v:aa.1", "c;;rows=50;q=swi%20ft%3B%3A;filter=state%3Aopen:aa.1~q", "c;;rows=50:aa.1"], wait: "20",
  });
  const update = (id, title) => ({ rows: { update: [{ at: [0, 0], row: { id, cellIdentifier: "L", payload: { title } }, reload: true }] } });
  run.transport.only.reply({ body: { changes: [
    { table: "c", pair: 3, from: "aa.1", to: "aa.2", stages: [update("1", "plain")] },
    { table: "c", pair: 2, from: "aa.1~q", to: "aa.2~q", stages: [update("1", "found")] },
  ] } });
  await run.clock.advance(0);
  assert.deepEqual(tables.map((table) => table.row("1").payload.title), ["1", "1", "found", "plain"]);
});

// The cases that Swift's client runs, too.
const { cases } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/finding.json", import.meta.url)));
for (const { name, steps } of cases) {
  test(name, async () => {
    const { client, transport, clock } = scripted();
    const table = client.table("t");
    const open = () => transport.open.map(({ query }) => query);
    for (const step of steps) {
      const at = JSON.stringify(step);
      if (step.observe) table.subscribe(() => {});
      if (step.find) table.find(step.find.q, step.find.filters, step.find.sort);
      if (step.find === null) table.find(null);
      if (step.advance) await clock.advance(step.advance * 1000);
      await clock.advance(0);
      if (step.request) assert.deepEqual(open(), [step.request], at);
      if (step.none) assert.deepEqual(open(), [], at);
      if (step.reply) transport.only.reply(step.reply);
      await clock.advance(0);
      if (step.rows) assert.deepEqual(ids(table.snapshot), step.rows, at);
      if ("found" in step) assert.equal(table.snapshot.search?.isFound, step.found, at);
      if (step.prompt !== undefined) assert.equal(table.snapshot.find?.prompt ?? null, step.prompt, at);
      if (step.connection) assert.equal(table.snapshot.connection, step.connection, at);
    }
    await client.close();
  });
}
