// Optimistic edits: shown at once, replayed over what the server says, confirmed by cursor, taken back with the problem.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import { TablecastClient } from "../tablecast.js";
import { keptEdits } from "../kept.js";
import { ids, memory, row, scripted, snapshot, start } from "./scripted.mjs";

const changes = (from, to, ...stages) => ({ table: "t", from, to, stages });

async function following(options) {
  const { client, transport, clock } = scripted(options);
  const table = client.table("t");
  const seen = [];
  table.subscribe(({ type, after }) => seen.push([type, ids(after)]));
  await clock.advance(0);
  transport.only.reply({ body: start(snapshot("aa.1", { today: ["1", "2"], later: ["3"] })) });
  await clock.advance(0);
  const edit = () => transport.open.find(({ method }) => method !== "GET");
  const poll = () => transport.open.find(({ method }) => method === "GET");
  return { client, transport, clock, table, seen, edit, poll };
}

test("a deletion is shown at once, and confirmed by a cursor that is as new as the answer's", async () => {
  const { clock, table, edit, poll } = await following();
  const deletion = table.delete("1");
  assert.deepEqual(ids(table.snapshot), { today: ["2"], later: ["3"] });
  await clock.advance(0);
  assert.equal(edit().method, "DELETE");
  assert.equal(edit().path, "/v1/tables/t/items/1");
  assert.equal(edit().headers["Idempotency-Key"], "key-1");
  edit().reply({ body: { cursor: "aa.2", id: "1" } });
  await clock.advance(0);
  assert.equal(deletion.state, "acknowledged");
  // The poll that waits most likely brings it.
  assert.equal(poll().query.wait, "20");
  await clock.advance(100);
  assert.equal(poll().query.wait, "0");
  poll().reply({ body: changes("aa.1", "aa.3", { rows: { delete: [{ at: [0, 0], id: "1" }] } }) });
  await clock.advance(0);
  assert.equal((await deletion.done).state, "confirmed");
  assert.deepEqual(ids(table.snapshot), { today: ["2"], later: ["3"] });
  assert.deepEqual(table.snapshot.edits, []);
  assert.equal(poll().query.wait, "20");
});

test("a table behind caches is asked with wait=0 for its edit, and by its slot again when that is seen", async () => {
  const { client, transport, clock } = scripted();
  const table = client.table("t");
  table.subscribe(() => {});
  await clock.advance(0);
  transport.only.reply({ body: start(snapshot("aa.1", { today: ["1", "2"] }, { edges: true })) });
  await clock.advance(0);
  transport.only.reply({ body: { ...changes("aa.1", "aa.1"), slot: "7" } });
  await clock.advance(0);
  assert.deepEqual(transport.only.query, { after: "aa.1", slot: "7" });
  const deletion = table.delete("1");
  await clock.advance(0);
  transport.open.find(({ method }) => method === "DELETE").reply({ body: { cursor: "aa.2", id: "1" } });
  await clock.advance(100);
  assert.deepEqual(transport.only.query, { after: "aa.1", wait: "0" });
  transport.only.reply({ body: changes("aa.1", "aa.2", { rows: { delete: [{ at: [0, 0], id: "1" }] } }) });
  await clock.advance(0);
  assert.equal(deletion.state, "confirmed");
  assert.deepEqual(transport.only.query, { after: "aa.2", slot: "7" });
  // After a failure it is asked through the cache: many fail at once.
  transport.only.fail();
  await clock.advance(1000);
  assert.deepEqual(transport.only.query, { after: "aa.2", slot: "0" });
});

test("a row that goes beside one that isn't there stays, and one that is added there is not shown yet", async () => {
  const { clock, table, poll } = await following();
  for (const place of [{ after: "9" }, { before: "9" }, { section: "none" }, { after: "1" }]) {
    const move = table.move("1", place);
    assert.deepEqual(ids(table.snapshot), { today: ["1", "2"], later: ["3"] }, JSON.stringify(place));
    assert.equal(table.row("1").pending.op, "move");
    move.discard();
    const added = table.add({}, place.after === "1" ? { after: "9" } : place, { show: { cellIdentifier: "Label", payload: {} } });
    assert.deepEqual(ids(table.snapshot), { today: ["1", "2"], later: ["3"] }, JSON.stringify(place));
    assert.equal(table.row(added.key), undefined);
    added.discard();
  }
  table.move("1", { after: "9" });
  const { key } = table.add({}, { after: "9" }, { show: { cellIdentifier: "Label", payload: {} } });
  await clock.advance(0);
  // The row is there now.
  poll().reply({ body: changes("aa.1", "aa.2", { rows: { insert: [{ at: [1, 1], row: row("9") }] } }) });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot), { today: ["2"], later: ["3", "9", key, "1"] });
});

for (const [name, options, search] of [["a window", { rows: "10-12" }], ["a window of the first rows", { rows: 3 }], ["a search", {}, "x"]]) {
  test(`in ${name} a place by number is told by the row beside it: the service counts in the whole table`, async () => {
    const { client, transport, clock } = scripted();
    const table = client.table("t", options);
    table.subscribe(() => {});
    if (search) table.find(search);
    await clock.advance(0);
    const window = { 3: { rows: 3, of: 20 }, "10-12": { from: 10, rows: 3, of: 20 } }[options.rows];
    transport.only.reply({ body: start(snapshot("aa.1", { today: ["1", "2", "3"], later: ["4"], none: [] }, window && { window })) });
    await clock.advance(0);
    const body = async (edit) => {
      const { before, after } = { before: table.snapshot, after: edit() };
      const shown = ids(table.snapshot);
      await clock.advance(0);
      const request = transport.open.find(({ method }) => method !== "GET");
      after.discard();
      await clock.advance(0);
      assert.deepEqual(ids(table.snapshot), ids(before));
      return [request.method === "PUT" ? request.query : request.body, shown];
    };
    const move = (...given) => body(() => table.move(...given));
    const add = (place) => body(() => table.add({}, place, { show: { cellIdentifier: "Label", payload: {} } }));
    assert.deepEqual(await move("1", { section: "today", at: 1 }), [{ before: "3" }, { today: ["2", "1", "3"], later: ["4"], none: [] }]);
    assert.deepEqual(await move("1", { section: "today", at: 2 }), [{ after: "3" }, { today: ["2", "3", "1"], later: ["4"], none: [] }]);
    assert.deepEqual(await move("4", { section: "today", at: 0 }), [{ before: "1" }, { today: ["4", "1", "2", "3"], later: [], none: [] }]);
    assert.deepEqual(await move("4", { section: "none", at: 0 }), [{ section: "none" }, { today: ["1", "2", "3"], later: [], none: ["4"] }]);
    assert.deepEqual(await move("4", { section: "today" }), [{ section: "today" }, { today: ["1", "2", "3", "4"], later: [], none: [] }]);
    assert.deepEqual((await add({ section: "later", at: 0 }))[0], { before: "4" });
    assert.deepEqual((await add({ section: "later", at: 9 }))[0], { after: "4" });
    assert.deepEqual((await add())[0], {});
  });
}

for (const [name, omittedSections, place, shown, more, options = {}] of [
  ["of one section is shown there", 1, undefined, true],
  ["of one section is shown there, if it is named", 1, { section: "main" }, true],
  ["with a window is shown", 1, undefined, true, { window: { rows: 10, of: 0 } }, { rows: 10 }],
  ["in another section is not shown yet", 1, { section: "later" }, false],
  ["beside a row is not shown yet", 1, { after: "9" }, false],
  ["of groups is not shown yet: an item's section is not known", 0, undefined, false],
  ["of several sections is not shown yet", 2, undefined, false],
]) {
  test(`the first row of an empty table ${name}`, async () => {
    const { client, transport, clock } = scripted();
    const table = client.table("t", options);
    table.subscribe(() => {});
    await clock.advance(0);
    const counts = { sections: 0, rows: 0, omittedSections, skippedItems: 0 };
    transport.only.reply({ body: start(snapshot("aa.1", {}, { state: "empty", counts, ...more })) });
    await clock.advance(0);
    const { sections } = table.snapshot;
    const edit = table.add({ title: "x" }, place, { show: { cellIdentifier: "Label", payload: { title: "x" } } });
    assert.deepEqual(ids(table.snapshot), shown ? { main: [edit.key] } : {});
    assert.equal(table.snapshot.state, shown ? "ready" : "empty");
    assert.equal(table.row(edit.key)?.payload.title, shown ? "x" : undefined);
    const next = table.add({}, place, { show: { cellIdentifier: "Label", payload: {} } });
    assert.deepEqual(ids(table.snapshot), shown ? { main: [edit.key, next.key] } : {});
    for (const one of [edit, next]) one.discard();
    assert.deepEqual([table.snapshot.sections === sections, table.snapshot.state], [true, "empty"]);
    await client.close();
  });
}

test("the server's state goes on under an edit: it is replayed, not restored", async () => {
  const { clock, table, poll } = await following();
  table.move("1", { section: "later", at: 0 });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot), { today: ["2"], later: ["1", "3"] });
  poll().reply({ body: changes("aa.1", "aa.2", { rows: { insert: [{ at: [1, 0], row: row("9") }] } }) });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot), { today: ["2"], later: ["1", "9", "3"] });
});

test("a refused edit is taken back with its problem, and stays listed until it is discarded", async () => {
  const { clock, table, edit } = await following();
  const before = table.row("1");
  const patch = table.patch("1", { title: "new" }, { show: (row) => ({ ...row, payload: { title: "new" } }) });
  assert.deepEqual(table.row("1").payload, { title: "new" });
  assert.deepEqual(table.row("1").pending, { op: "patch", state: "sent" });
  await clock.advance(0);
  edit().reply({ status: 422, body: { title: "Unprocessable", status: 422, field: "title", fields: { title: ["short"] } } });
  await clock.advance(0);
  assert.equal(patch.state, "refused");
  assert.equal(patch.problem.field, "title");
  assert.deepEqual(patch.problem.fields, { title: ["short"] });
  assert.equal(table.row("1"), before);
  assert.equal(table.snapshot.edits.length, 1);
  patch.discard();
  assert.deepEqual(table.snapshot.edits, []);
});

test("a `show` that fails shows nothing, is said aloud once, and changes no edit's fate", async (t) => {
  const errors = t.mock.method(console, "error", () => {}).mock;
  const { clock, table, edit, poll } = await following();
  const before = table.row("1");
  let isBroken = true;
  const show = (row) => {
    if (isBroken) throw Error("a mistake");
    return { ...row, payload: { title: row.payload.title + "!" } };
  };
  const first = table.patch("1", { title: "a" }, { show });
  assert.deepEqual(table.row("1"), { ...before, pending: { op: "patch", state: "sent" } });
  const second = table.patch("2", { title: "b" }, { show: () => {} });
  assert.deepEqual(table.row("2").payload, { title: "2" });
  poll().reply({ body: changes("aa.1", "aa.2", { rows: { update: [{ at: [0, 0], row: row("1", "other"), reload: false }] } }) });
  await clock.advance(0);
  assert.deepEqual(table.row("1").payload, { title: "other" });
  assert.deepEqual(errors.calls.map(({ arguments: [error] }) => error.message), ["a mistake"]);
  isBroken = false;
  edit().reply({ body: { cursor: "aa.3", id: "1" } });
  await clock.advance(0);
  assert.deepEqual(table.row("1").payload, { title: "other!" });
  assert.deepEqual([first.state, second.state], ["acknowledged", "sent"]);
  isBroken = true;
  poll().reply({ body: changes("aa.2", "aa.3", { rows: { update: [{ at: [0, 0], row: row("1", "a"), reload: false }] } }) });
  await clock.advance(0);
  assert.deepEqual([first.state, errors.callCount()], ["confirmed", 1]);
});

test("a `show` that fails while its edit is still to be sent has it sent all the same", async (t) => {
  t.mock.method(console, "error", () => {});
  const { clock, table, edit } = await following();
  const patch = table.patch("1", {}, { show: (row) => (row.pending ? row : { ...row, payload: { title: "new" } }) });
  const next = table.patch("1", {}, {
    show(row) {
      if (patch.state !== "sent") throw Error("a mistake");
      return row;
    },
  });
  await clock.advance(0);
  edit().reply({ body: { cursor: "aa.2", id: "1" } });
  await clock.advance(0);
  assert.equal(next.state, "sent");
  assert.equal(edit().method, "PATCH");
});

test("an item that is no JSON is refused at once, never sent, and holds up no other edit", async () => {
  const store = memory();
  const { client, clock, table, edit } = await following({ keepEdits: keptEdits(store) });
  const circular = {};
  circular.self = circular;
  const hostile = { toJSON() { throw Error("a mistake"); } };
  const bad = [table.add({ n: 1n }), table.patch("1", circular), table.action("1", "finish", hostile), table.move("1", { at: 1n })];
  assert.deepEqual(bad.map(({ state }) => state), Array(4).fill("refused"));
  assert.match(bad[0].problem.title, /^Not JSON: .*BigInt/);
  assert.match(bad[1].problem.title, /^Not JSON: .*circular/);
  assert.equal(bad[2].problem.title, "Not JSON: a mistake");
  for (const one of bad) assert.equal(await one.done, one);
  assert.deepEqual(table.snapshot.edits, bad);
  assert.equal(table.snapshot.trouble, null);
  bad.forEach((one) => one.retry());
  const good = table.patch("1", { title: "new" }, { show: circular });
  await clock.advance(0);
  assert.deepEqual([edit().method, edit().body], ["PATCH", { title: "new" }]);
  assert.equal(good.state, "sent");
  await client.close();
  // Nor does the next program send them.
  const next = scripted({ keepEdits: keptEdits(store) });
  await next.clock.advance(0);
  const again = next.client.table("t");
  again.snapshot.edits[0].retry();
  await next.clock.advance(0);
  assert.deepEqual(again.snapshot.edits.map(({ key }) => key), [...bad, good].map(({ key }) => key));
  assert.deepEqual(again.snapshot.edits.map(({ state }) => state), [...Array(4).fill("refused"), "local"]);
  assert.deepEqual(again.snapshot.edits[0].problem, bad[0].problem);
});

test("an edit is what it was at the call, whatever the app does with it later", async () => {
  const { clock, table, edit } = await following();
  const item = { title: "one", tags: ["a"] };
  const place = { section: "today", at: 0 };
  const cell = { cellIdentifier: "Label", payload: { title: "one" } };
  const first = table.patch("2", {});
  const second = table.add(item, place, { show: cell });
  item.tags.push("b");
  item.title = "two";
  place.section = "later";
  cell.payload.title = "two";
  await clock.advance(0);
  edit().reply({ body: { cursor: "aa.2", id: "2" } });
  await clock.advance(0);
  assert.equal(table.row(second.key).payload.title, "one");
  assert.deepEqual(edit().body, { title: "one", tags: ["a"] });
  assert.deepEqual(edit().query, { section: "today", at: "0" });
  first.discard();
});

test("an addition is never shown twice, whichever comes first, the answer or the row", async () => {
  for (const answerFirst of [true, false]) {
    const { clock, table, seen, edit, poll } = await following();
    table.add({ title: "x" }, { section: "today", at: 0 }, { show: { cellIdentifier: "Label", payload: { title: "x" } } });
    assert.deepEqual(ids(table.snapshot).today, ["key-1", "1", "2"]);
    await clock.advance(0);
    // The table names its rows itself.
    assert.equal(edit().path, "/v1/tables/t/items/key-1");
    edit().reply({ status: 405, body: { title: "Method Not Allowed", status: 405 } });
    await clock.advance(0);
    const [adding, polling] = [edit(), poll()];
    assert.equal(adding.method, "POST");
    assert.deepEqual(adding.query, { section: "today", at: "0" });
    const arrival = { body: changes("aa.1", "aa.2", { rows: { insert: [{ at: [0, 0], row: row("7") }] } }) };
    const answer = { status: 201, body: { cursor: "aa.2", id: "7" } };
    if (!answerFirst) polling.reply(arrival);
    await clock.advance(0);
    adding.reply(answer);
    await clock.advance(0);
    if (answerFirst) poll().reply(arrival);
    await clock.advance(0);
    assert.deepEqual(ids(table.snapshot).today, ["7", "1", "2"]);
    for (const [, { today }] of seen) assert.ok(today.length <= 3, JSON.stringify(today));
    assert.deepEqual(table.snapshot.edits, []);
  }
});

test("an addition whose answer doesn't come holds up its own table alone, and that for 3 s", async () => {
  const { client, clock, transport, table, edit } = await following();
  const other = client.table("u");
  other.subscribe(() => {});
  await clock.advance(0);
  transport.open.find(({ path }) => path.includes("/u/")).reply({ body: start(snapshot("bb.1", { s: ["1"] }), "u") });
  await clock.advance(0);
  table.add({}, { section: "today", at: 0 }, { show: { cellIdentifier: "Label", payload: {} } });
  await clock.advance(0);
  edit().reply({ status: 405, body: { title: "Method Not Allowed", status: 405 } });
  await clock.advance(1000);
  assert.equal(edit().method, "POST");
  const arrival = (id) => ({ rows: { insert: [{ at: [0, 0], row: row(id) }] } });
  transport.open.find(({ path }) => path === "/v1/changes").reply({ body: { changes: [changes("aa.1", "aa.2", arrival("7")), { ...changes("bb.1", "bb.2", arrival("2")), table: "u" }] } });
  await clock.advance(100);
  assert.deepEqual(ids(other.snapshot), { s: ["2", "1"] });
  assert.deepEqual(ids(table.snapshot).today, ["key-1", "1", "2"]);
  const next = transport.open.find(({ path }) => path === "/v1/changes" || path.includes("/u/"));
  assert.equal([next.query.after].flat().join().split(".").at(-1), "2");
  await clock.advance(1800);
  assert.deepEqual(ids(table.snapshot).today, ["key-1", "1", "2"]);
  await clock.advance(200);
  assert.deepEqual(ids(table.snapshot).today, ["key-1", "7", "1", "2"]);
  // What comes now is shown at once, and the answer tells the rows apart.
  const poll = transport.open.find(({ path }) => path === "/v1/changes");
  assert.deepEqual(poll.query.after, ["t:aa.2", "u:bb.2"]);
  poll.reply({ body: { changes: [changes("aa.2", "aa.3", arrival("8"))] } });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot).today, ["key-1", "8", "7", "1", "2"]);
  edit().reply({ status: 201, body: { cursor: "aa.2", id: "7" } });
  await clock.advance(0);
  assert.deepEqual(ids(table.snapshot).today, ["8", "7", "1", "2"]);
  await client.close();
});

test("edits of a table go one after the other, and follow a row that was only just added", async () => {
  const { clock, table, transport, edit } = await following();
  table.add({}, undefined, { show: { cellIdentifier: "Label", payload: {} } });
  table.patch("key-1", { done: true });
  await clock.advance(0);
  assert.equal(transport.open.filter(({ method }) => method !== "GET").length, 1);
  // The service gives the row its identity here.
  assert.equal(edit().method, "PUT");
  edit().reply({ status: 405, body: { title: "Method Not Allowed", status: 405 } });
  await clock.advance(0);
  assert.equal(edit().method, "POST");
  edit().reply({ status: 201, body: { cursor: "aa.2", id: "42" } });
  await clock.advance(0);
  assert.equal(edit().path, "/v1/tables/t/items/42");
});

test("a broken connection repeats the edit under its key; a 504 does not", async () => {
  const { clock, table, transport, edit } = await following();
  const probe = () => transport.open.find(({ path }) => path === "/v1/tables/t");
  const patch = table.patch("1", {});
  await clock.advance(0);
  edit().fail();
  await clock.advance(1000);
  // First it is asked whether the service is there again.
  assert.equal(edit(), undefined);
  probe().reply({ body: snapshot("aa.1", { today: ["1"] }) });
  await clock.advance(0);
  assert.equal(edit().headers["Idempotency-Key"], "key-1");
  edit().reply({ status: 503, headers: { "Retry-After": "9" } });
  await clock.advance(8900);
  assert.equal(edit() ?? probe(), undefined);
  await clock.advance(200);
  probe().reply({ body: snapshot("aa.1", { today: ["1"] }) });
  await clock.advance(0);
  edit().reply({ status: 504, body: { title: "Gateway Timeout", status: 504 } });
  await clock.advance(60_000);
  assert.equal(edit(), undefined);
  assert.equal(patch.state, "unknown");
  assert.equal(table.row("1").pending.state, "unknown");
  patch.retry();
  await clock.advance(0);
  probe().reply({ body: snapshot("aa.1", { today: ["1"] }) });
  await clock.advance(0);
  assert.equal(edit().headers["Idempotency-Key"], "key-1");
});

test("an edit that the service put off with Retry-After is not sent sooner because the page is seen again", async () => {
  const { client, clock, table, edit, transport } = await following();
  table.patch("1", {});
  await clock.advance(0);
  edit().reply({ status: 503, headers: { "Retry-After": "20" }, body: { title: "Service Unavailable", status: 503 } });
  await clock.advance(10_000);
  client.wake();
  await clock.advance(9900);
  assert.equal(edit(), undefined);
  await clock.advance(200);
  assert.equal(edit().headers["Idempotency-Key"], "key-1");
  // Without it, a wake sends at once.
  edit().fail();
  await clock.advance(10);
  client.wake();
  await clock.advance(0);
  const probe = transport.open.find(({ path }) => path === "/v1/tables/t");
  assert.ok(probe);
});

test("an answer of another epoch is confirmed by a snapshot that was asked for after it", async () => {
  const { clock, table, edit, poll } = await following();
  const patch = table.patch("1", {});
  await clock.advance(0);
  edit().reply({ body: { cursor: "bb.5", id: "1" } });
  await clock.advance(100);
  poll().reply({ body: changes("aa.1", "aa.1") });
  await clock.advance(1000);
  assert.equal(poll().query.after, undefined);
  poll().reply({ body: start(snapshot("cc.1", { today: ["1"] })) });
  await clock.advance(0);
  // The service was set back perhaps: it is asked once more, and believed.
  assert.equal(patch.state, "sent");
  assert.equal(edit().headers["Idempotency-Key"], "key-1");
  edit().reply({ body: { cursor: "bb.5", id: "1" } });
  await clock.advance(0);
  await clock.advance(1000);
  poll().reply({ body: changes("cc.1", "cc.1") });
  await clock.advance(4000);
  poll().reply({ body: start(snapshot("cc.1", { today: ["1"] })) });
  await clock.advance(0);
  assert.equal(patch.state, "confirmed");
});

test("an edit is confirmed though a view and its taps stand in the cursor", async () => {
  const { clock, table, edit, poll } = await following();
  const tap = table.tap("1", { show: (row) => ({ ...row, payload: { ...row.payload, isExpanded: true } }) });
  assert.equal(table.row("1").payload.isExpanded, true);
  await clock.advance(0);
  edit().reply({ body: { cursor: "aa.1.1", id: "1", select: null } });
  await clock.advance(0);
  poll().reply({ body: changes("aa.1", "aa.1.2", { rows: { update: [{ at: [0, 0], row: row("1", "open"), reload: false }] } }) });
  await clock.advance(0);
  assert.equal(tap.state, "confirmed");
  assert.equal(table.row("1").payload.title, "open");
});

test("an edit outlives its observers", async () => {
  const { clock, client, edit, poll } = await following();
  const other = client.table("u");
  const refresh = other.refresh();
  await clock.advance(0);
  edit().reply({ body: { cursor: "dd.1", state: "ready" } });
  await clock.advance(0);
  assert.equal(refresh.state, "acknowledged");
  poll();
});

test("edits that are kept are sent by the next program", async () => {
  const store = memory();
  const first = await following({ store, keepEdits: keptEdits(store) });
  first.table.delete("1");
  await first.clock.advance(0);
  await first.client.close();
  const { client, transport, clock } = scripted({ store, keepEdits: keptEdits(store), newKey: () => "other" });
  await clock.advance(0);
  transport.only.reply({ body: snapshot("aa.1", { today: ["1"] }) });
  await clock.advance(0);
  assert.deepEqual(client.table("t").snapshot.edits.map(({ op, row }) => [op, row]), [["delete", "1"]]);
  const again = transport.open.find(({ method }) => method === "DELETE");
  assert.equal(again.headers["Idempotency-Key"], "key-1");
});

test("an edit of a closed client ends where it is, and is neither sent nor kept", { timeout: 5000 }, async () => {
  const store = memory();
  const { client, clock, table, transport } = await following({ keepEdits: keptEdits(store) });
  await client.close();
  const [before, requests] = [JSON.stringify([...store.kept]), transport.count];
  const edits = [table.delete("1"), table.add({}), table.refresh()];
  for (const edit of edits) assert.equal((await edit.done).state, "local");
  edits[0].discard();
  assert.equal((await edits[0].done).state, "refused");
  await clock.advance(60_000);
  assert.deepEqual([JSON.stringify([...store.kept]), transport.count], [before, requests]);
});

test("edits that were kept stand before those that were made while the store was read, by the time when they were made", async () => {
  const store = memory();
  const first = await following({ keepEdits: keptEdits(store) });
  for (const title of ["one", "two"]) first.table.patch("1", { title });
  await first.clock.advance(0);
  await first.client.close();
  let open;
  const keeper = keptEdits({ ...store, get: async (key) => (await new Promise((resolve) => (open = resolve)), store.get(key)) });
  let keys = 0;
  const { client, transport, clock } = scripted({ keepEdits: keeper, newKey: () => `new-${++keys}` });
  await clock.advance(1000);
  const table = client.table("t");
  for (const title of ["three", "four"]) table.patch("1", { title });
  for (let read = 0; read < 5; read++) {
    open?.();
    await clock.advance(0);
  }
  assert.deepEqual(table.snapshot.edits.map(({ key }) => key), ["key-1", "key-2", "new-1", "new-2"]);
  transport.open.find(({ path }) => path === "/v1/tables/t").reply({ body: snapshot("aa.1", { today: ["1"] }) });
  await clock.advance(0);
  const sent = [];
  for (let edit; (edit = transport.open.find(({ method }) => method === "PATCH")); await clock.advance(0)) {
    sent.push(edit.body.title);
    edit.reply({ body: { cursor: "aa.2", id: "1" } });
  }
  assert.deepEqual(sent, ["one", "two", "three", "four"]);
});

for (const [name, server, edits] of [
  ["a table whose section has no rows", { cursor: "0123456789ab.9", sections: [{ id: "a" }] }],
  ["a table without sections", { cursor: "0123456789ab.9" }],
  ["a cursor that is none", { cursor: 9, sections: [] }],
  ["another thing than a table", 5],
  ["edits of an operation that isn't known", null, [{ op: "fly", key: "k", row: "1" }, { op: "constructor" }, {}, null]],
  ["another thing than edits", null, "abc"],
]) {
  test(`kept by another release, or damaged: ${name}`, async () => {
    // The list of places, what stood in one of them, or a table.
    const get = (key) => (/ edits$/.test(key) ? ["gone"] : / edits /.test(key) ? edits : server);
    const store = { get, set: async () => {}, delete() {} };
    const { table, transport, clock } = await following({ store, keepEdits: keptEdits(store) });
    assert.equal(table.snapshot.connection, "live");
    assert.equal(table.snapshot.edits.length, 0);
    table.delete("1");
    await clock.advance(0);
    assert.ok(transport.open.some(({ method }) => method === "DELETE"));
  });
}

test("what a redirected edit is answered with is no answer to it", { timeout: 60_000 }, async (t) => {
  let arrive;
  const moved = new Promise((resolve) => (arrive = resolve));
  const server = createServer(({ method, url }, response) => {
    if (method !== "GET" && url.startsWith("/v1/")) {
      response.writeHead(302, { Location: "/elsewhere" }).end();
      arrive();
    } else {
      const table = url.startsWith("/v1/") ? start(snapshot("aa.1", { today: ["1"] })) : { id: "9", cursor: "aa.1" };
      if (!url.includes("wait=20")) response.end(JSON.stringify(table));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new TablecastClient(`http://127.0.0.1:${server.address().port}`);
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const added = client.table("t").add({ title: "new" });
  await moved;
  // It is sent again, and again, until it is answered.
  for (const states = new Set(); !states.has("local"); states.add(added.state)) {
    assert.ok(["sent", "local"].includes(added.state), added.state);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
});

/** The rows of `t` that a poll of a view is answered with. */
const told = { body: start(snapshot("aa.1", { today: ["1", "2"] })) };

test("the edits of a table are one line, whatever views they were made on: the next program's views have other names", async () => {
  const store = memory();
  const first = scripted({ store, keepEdits: keptEdits(store) });
  first.client.table("t", { view: "a" }).patch("1", { n: 1 });
  await first.clock.advance(0);
  await first.client.close();
  const { client, transport, clock } = scripted({ store, keepEdits: keptEdits(store), newKey: () => "other" });
  const table = client.table("t", { view: "b" });
  table.subscribe(() => {});
  await clock.advance(0);
  for (const request of transport.open) request.reply(told);
  await clock.advance(0);
  assert.deepEqual(table.snapshot.edits.map(({ key, view }) => [key, view]), [["key-1", "a"]]);
  assert.equal(table.row("1").pending.op, "patch");
  const next = table.patch("1", { n: 2 });
  await clock.advance(0);
  const sent = () => transport.open.filter(({ method }) => method === "PATCH");
  assert.deepEqual(sent().map(({ query, body }) => [query.view, body.n]), [["a", 1]]);
  const problem = { title: "Forbidden", status: 403 };
  sent()[0].reply({ status: 403, body: problem });
  await clock.advance(0);
  assert.deepEqual(sent().map(({ query, body }) => [query.view, body.n]), [["b", 2]]);
  const [kept] = table.snapshot.edits;
  assert.deepEqual([kept.state, kept.problem.title], ["refused", "Forbidden"]);
  kept.discard();
  assert.deepEqual(table.snapshot.edits, [next]);
  await client.close();
});

test("a tap is seen on its view alone, and over when other views have its version", async () => {
  const { client, transport, clock } = scripted();
  const [one, other] = ["a", "b"].map((view) => client.table("t", { view }));
  for (const table of [one, other]) {
    table.subscribe(() => {});
    await clock.advance(0);
    transport.open.find(({ query }) => query.view === table.view).reply(told);
    await clock.advance(0);
  }
  const tap = one.tap("1", { show: (row) => ({ ...row, payload: { isExpanded: true } }) });
  assert.deepEqual([one, other].map((table) => table.row("1").payload.isExpanded), [true, undefined]);
  assert.deepEqual(other.snapshot.edits, [tap]);
  await clock.advance(0);
  transport.open.find(({ path }) => path.endsWith("/tap")).reply({ body: { cursor: "aa.1.1", id: "1", select: null } });
  await clock.advance(200);
  assert.equal(tap.state, "acknowledged");
  const polls = transport.open.filter(({ query }) => query.wait === "0");
  assert.deepEqual(polls.map(({ query }) => query.view), ["a"], "the other view has all that it can have");
  polls[0].reply({ body: changes("aa.1", "aa.1.1") });
  await clock.advance(0);
  assert.equal(tap.state, "confirmed");
  await client.close();
});

test("of several views that nobody observes one stays for the edits, and the others hear of them when they come back", async () => {
  const { client, transport, clock } = scripted();
  const [one, other] = ["a", "b"].map((view) => client.table("t", { view }));
  const stops = [one, other].map((table) => table.subscribe(() => {}));
  await clock.advance(0);
  for (const request of transport.open) request.reply(told);
  await clock.advance(0);
  const edit = one.delete("1");
  stops.forEach((stop) => stop());
  await clock.advance(6000);
  transport.open.find(({ method }) => method === "DELETE").reply({ status: 403, body: { title: "Forbidden", status: 403 } });
  await clock.advance(0);
  const states = () => [one, other].map(({ snapshot }) => ids(snapshot).today.length);
  assert.deepEqual(states().sort(), [1, 2], "one of them was told");
  for (const table of [one, other]) table.subscribe(() => {});
  assert.deepEqual([...states(), edit.state], [2, 2, "refused"]);
  await client.close();
});

test("an answered edit is not sent again once its key may be forgotten, though the epoch is another one", async () => {
  for (const [hours, count] of [[1, 2], [24, 1]]) {
    const { client, clock, table, transport, edit } = await following();
    const sent = [];
    transport.onrequest = (request) => request.method === "PATCH" && sent.push(request);
    const patch = table.patch("1", {});
    await clock.advance(0);
    edit().reply({ body: { cursor: "bb.7", id: "1" } });
    await clock.advance(0);
    for (const request of transport.open) request.fail();
    await clock.sleep(hours * 3_600_000);
    for (let round = 0; round < 5 && patch.state === "acknowledged"; round++) {
      for (const request of transport.open) request.reply({ body: start(snapshot("aa.1", { today: ["1"] })) });
      await clock.advance(30_000, () => transport.open.length > 0);
    }
    assert.equal(sent.length, count, `${hours} h`);
    if (count === 1) assert.equal(patch.state, "unknown");
    await client.close();
  }
});
