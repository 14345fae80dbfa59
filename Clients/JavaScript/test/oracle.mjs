// A table view that throws on what UIKit throws on, and on what the protocol forbids: another reading of the stages than
// the client's, to hold it against.

import assert from "node:assert/strict";

const list = (stage, kind, name) => stage[kind]?.[name] ?? [];

/** Checks one stage against the sections before it, and returns the sections after it. */
export function perform(sections, stage) {
  const leaving = new Set(); // Rows and sections by their old coordinates.
  const arriving = new Set();
  const once = (set, name) => {
    assert.ok(!set.has(name), `${name} twice in ${JSON.stringify(stage)}`);
    set.add(name);
  };
  const touched = { before: new Set(), after: new Set() };
  for (const { at, id } of list(stage, "sections", "delete")) {
    once(leaving, `section ${id}`);
    assert.equal(sections[at]?.id, id);
    touched.before.add(at);
  }
  for (const { from, to, id } of list(stage, "sections", "move")) {
    once(leaving, `section ${id}`);
    once(arriving, `section ${id}`);
    assert.equal(sections[from]?.id, id);
    touched.before.add(from);
    touched.after.add(to);
  }
  for (const { at, section } of list(stage, "sections", "insert")) {
    once(arriving, `section ${section.id}`);
    touched.after.add(at);
  }
  for (const { at, id } of [...list(stage, "rows", "delete"), ...list(stage, "rows", "move").map(({ from, id }) => ({ at: from, id }))]) {
    once(leaving, `row ${id}`);
    assert.equal(sections[at[0]]?.rows[at[1]]?.id, id, `row at ${at}`);
    assert.ok(!touched.before.has(at[0]), `row ${id} leaves a section that the stage takes away or moves`);
  }
  for (const { at, id } of [
    ...list(stage, "rows", "insert").map(({ at, row }) => ({ at, id: row.id })),
    ...list(stage, "rows", "move").map(({ to, id }) => ({ at: to, id })),
  ]) {
    once(arriving, `row ${id}`);
    assert.ok(!touched.after.has(at[0]), `row ${id} enters a section that the stage brings or moves`);
  }
  // Counted one by one: what leaves from the end, what arrives from the start.
  const byPath = (a, b) => a[0] - b[0] || a[1] - b[1];
  const table = structuredClone(sections);
  const moved = new Map();
  const rowsOut = [...list(stage, "rows", "delete").map(({ at }) => at), ...list(stage, "rows", "move").map(({ from }) => from)];
  for (const [section, row] of rowsOut.sort(byPath).reverse()) {
    const [taken] = table[section].rows.splice(row, 1);
    moved.set(taken.id, taken);
  }
  const sectionsOut = [...list(stage, "sections", "delete").map(({ at }) => at), ...list(stage, "sections", "move").map(({ from }) => from)];
  const movedSections = new Map();
  for (const index of sectionsOut.sort((a, b) => b - a)) {
    const [taken] = table.splice(index, 1);
    movedSections.set(taken.id, taken);
  }
  const sectionsIn = [
    ...list(stage, "sections", "insert").map(({ at, section }) => [at, structuredClone(section)]),
    ...list(stage, "sections", "move").map(({ to, id }) => [to, movedSections.get(id)]),
  ];
  for (const [index, section] of sectionsIn.sort(([a], [b]) => a - b)) {
    assert.ok(index <= table.length, `a section at ${index} of ${table.length}`);
    table.splice(index, 0, section);
  }
  const rowsIn = [
    ...list(stage, "rows", "insert").map(({ at, row }) => [at, row]),
    ...list(stage, "rows", "move").map(({ to, id }) => [to, moved.get(id)]),
  ];
  for (const [[section, index], row] of rowsIn.sort(([a], [b]) => byPath(a, b))) {
    assert.ok(index <= table[section].rows.length, `a row at ${section},${index}`);
    table[section].rows.splice(index, 0, row);
  }
  for (const { at, id, header, footer } of list(stage, "sections", "update")) {
    assert.equal(table[at]?.id, id);
    Object.assign(table[at], { header, footer });
  }
  for (const { at, row, reload } of list(stage, "rows", "update")) {
    const before = table[at[0]]?.rows[at[1]];
    assert.equal(before?.id, row.id);
    assert.equal(reload, before.cellIdentifier !== row.cellIdentifier, `reload of ${row.id}`);
    table[at[0]].rows[at[1]] = row;
  }
  const ids = table.flatMap(({ rows }) => rows.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "a row stands twice");
  assert.equal(new Set(table.map(({ id }) => id)).size, table.length, "a section stands twice");
  return table;
}
