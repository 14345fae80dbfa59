// Whatever a service calls its tables, sections and rows: they are shown, told apart, and named in requests as they are, or
// not at all.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { seeded } from "./fake-service.mjs";
import { perform } from "./oracle.mjs";
import { ids, row, scripted, start } from "./scripted.mjs";

const { identities } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/identities.json", import.meta.url)));
identities.push("x".repeat(10_240), "\u00e9".repeat(10_240));
/** URLs are resolved: there is none that names these. */
const dots = [".", ".."];

const section = (id, rows) => ({ id, header: { cellIdentifier: "H", payload: { title: id } }, footer: null, rows: rows.map((id) => row(id)) });
const snapshot = (cursor, sections) => ({ table: "t", cursor, state: "ready", sections });
const shown = ({ sections }) => sections.map(({ id, rows }) => [id, rows.map(({ id }) => id)]);

async function showing(sections) {
  const run = scripted();
  const table = run.client.table("t");
  table.subscribe(() => {});
  await run.clock.advance(0);
  run.transport.only.reply({ body: start(snapshot("aa.1", sections)) });
  await run.clock.advance(0);
  return { ...run, table, edit: () => run.transport.open.find(({ method }) => method !== "GET") };
}

for (let seed = 1; seed <= 20; seed++) {
  test(`sections and rows of any names come, go and change, seed ${seed}`, async () => {
    const random = seeded(seed);
    const shuffled = () => [...identities].map((id) => [random(), id]).sort(([a], [b]) => a - b).map(([, id]) => id);
    const some = () => shuffled().slice(0, 1 + Math.floor(random() * 12));
    let rows = shuffled();
    let sections = some().map((id) => section(id, rows.splice(0, Math.floor(random() * 9))));
    const { table, transport, clock } = await showing(sections);
    for (let version = 1; version < 30; version++) {
      assert.deepEqual(shown(table.snapshot), shown({ sections }));
      const [from, to] = [`aa.${version}`, `aa.${version + 1}`];
      if (random() < 0.2) {
        rows = shuffled();
        sections = some().map((id) => section(id, rows.splice(0, Math.floor(random() * 9))));
        transport.only.reply({ body: { table: "t", from, to, reset: "large", snapshot: snapshot(to, sections) } });
      } else {
        const at = Math.floor(random() * sections.length);
        const there = new Set(sections.flatMap(({ rows }) => rows.map(({ id }) => id)));
        const [fresh] = shuffled().filter((id) => !there.has(id));
        const gone = sections[at].rows.slice(0, 1).map(({ id }) => ({ at: [at, 0], id }));
        const stage = { rows: { delete: gone, insert: [{ at: [at, sections[at].rows.length - gone.length], row: row(fresh) }] } };
        const { header, footer, id } = sections[at];
        stage.sections = { update: [{ at, id, header: { ...header, payload: { title: `${version}` } }, footer }] };
        sections = perform(sections, stage);
        transport.only.reply({ body: { table: "t", from, to, stages: [stage] } });
      }
      // A reset after a reset is asked for later.
      await clock.advance(60_000, () => transport.open.length);
    }
  });
}

test("an edit is of the row that it names", async () => {
  const { table, transport, clock, edit } = await showing([section("main", identities)]);
  const paths = {
    patch: (id) => `/v1/tables/t/items/${id}`,
    delete: (id) => `/v1/tables/t/items/${id}`,
    move: (id) => `/v1/tables/t/items/${id}/move`,
    tap: (id) => `/v1/tables/t/rows/${id}/tap`,
    action: (id) => `/v1/tables/t/rows/${id}/actions/go`,
  };
  for (const id of identities) {
    assert.equal(table.row(id).id, id);
    for (const [op, path] of Object.entries(paths)) {
      const done = table[op](id, op === "action" ? "go" : op === "move" ? { after: id } : {});
      await clock.advance(0);
      if (dots.includes(id)) {
        assert.equal(edit(), undefined, `${op} of ${id} was sent`);
        assert.equal(done.state, "refused");
        assert.deepEqual(done.problem, { title: "Has no URL" });
      } else {
        assert.equal(edit().path, path(encodeURIComponent(id).replaceAll("'", "%27")).replaceAll("%27", "'"));
        assert.equal(edit().path.split("/").map(decodeURIComponent)[5], id);
        edit().reply({ status: 404, body: { title: "Not Found", status: 404 } });
        await clock.advance(0);
      }
      done.discard();
    }
    const action = table.action("main", id);
    await clock.advance(0);
    if (dots.includes(id)) assert.equal(action.state, "refused");
    else {
      assert.equal(edit().path.split("/").map(decodeURIComponent)[7], id);
      edit().reply({ status: 404, body: { title: "Not Found", status: 404 } });
    }
    const added = table.add({}, { before: id, section: id });
    await clock.advance(0);
    assert.deepEqual(edit().query, { before: id, section: id });
    edit().reply({ status: 404, body: { title: "Not Found", status: 404 } });
    await clock.advance(0);
    for (const one of [action, added]) one.discard();
  }
  assert.deepEqual(ids(table.snapshot).main, identities);
});

test("half a character is refused, and holds up no other edit", async () => {
  const { table, clock, edit } = await showing([section("main", ["1"])]);
  const bad = [table.patch("\ud800", {}), table.add({}, { after: "\udc00" })];
  const good = table.patch("1", {});
  await clock.advance(0);
  assert.deepEqual(bad.map(({ state }) => state), ["refused", "refused"]);
  assert.equal(edit().path, "/v1/tables/t/items/1");
  edit().reply({ body: { cursor: "aa.1", id: "1" } });
  await clock.advance(0);
  assert.equal(good.state, "confirmed");
});

test("a table of any name is asked for by that name, with any parameters", async () => {
  for (const name of identities) {
    const { client, transport, clock } = scripted();
    assert.throws(() => client.table(dots[0]), /unfit: \./);
    if (dots.includes(name)) {
      assert.throws(() => client.table(name, { params: { a: "b" } }), /unfit/);
      continue;
    }
    client.table(name, { params: JSON.parse(`{${JSON.stringify(name)}: "..", "z": ${JSON.stringify(name)}}`) }).subscribe(() => {});
    await clock.advance(0);
    const [, , , segment, last, ...more] = transport.only.path.split("/");
    assert.deepEqual([last, more], ["changes", []]);
    const [first, ...pairs] = segment.split(";").map((part) => part.split("=").map(decodeURIComponent));
    assert.deepEqual(first, [name]);
    assert.deepEqual(new Map(pairs), new Map([[name, ".."], ["z", name]]));
  }
});

test("what is kept of a table is another's never", async () => {
  const kept = new Map();
  const store = { get: async (key) => kept.get(key), set: async (key, value) => kept.set(key, value), delete: async () => {} };
  for (const name of identities.filter((name) => !dots.includes(name))) {
    for (const round of [1, 2]) {
      const { client, transport, clock } = scripted({ store });
      const table = client.table(name);
      table.subscribe(() => {});
      await clock.advance(0);
      assert.equal(table.snapshot.cursor, round === 1 ? null : "aa.1", name);
      if (round === 1) transport.only.reply({ body: start({ ...snapshot("aa.1", [section(name, [name])]), table: name }, name) });
      else assert.deepEqual(shown(table.snapshot), [[name, [name]]]);
      await clock.advance(2000);
      await client.close();
    }
  }
});

