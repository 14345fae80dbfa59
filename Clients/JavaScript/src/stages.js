// Stages applied as the protocol says: what leaves by the old coordinates, what arrives by the new ones, then updates.
// Nothing given is changed; rows and sections that a stage doesn't touch are the same objects after it.

/** A stage that doesn't fit the table it is applied to, or that holds an operation unknown here: by what it names. */
export class Unfit extends Error {}

const operations = new Set(["delete", "insert", "move", "update"]);

function known(lists = {}) {
  for (const name in lists) must(operations.has(name), name);
  return lists;
}

function must(fits, what) {
  if (!fits) throw new Unfit(what);
}

/** Freezes a JSON value, all of it. */
export function freeze(value) {
  if (value && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

/** Takes elements out at old indexes, and puts others in at new ones: `arriving` is a map from index to element. */
function exchange(list, leaving, arriving) {
  const kept = list.filter((_, index) => !leaving.has(index));
  const result = [];
  let next = 0;
  for (let index = 0; index < kept.length + arriving.size; index++) {
    result.push(arriving.has(index) ? arriving.get(index) : kept[next++]);
  }
  must(next === kept.length, "a gap");
  return result;
}

function put(map, key, value) {
  must(!map.has(key), `two at ${key}`);
  map.set(key, value);
}

/** The sections after one stage. O(sections + rows of the sections touched). Throws `Unfit`. */
export function applyStage(sections, stage) {
  const [ofSections, ofRows] = [known(stage.sections), known(stage.rows)];
  const rowsOut = new Map();
  const rowsIn = new Map();
  const within = (map, section) => map.get(section) ?? map.set(section, new Map()).get(section);
  const takeRow = ([section, index], id) => {
    const row = sections[section]?.rows[index];
    must(row?.id === id, id);
    put(within(rowsOut, section), index, row);
    return row;
  };
  for (const { at, id } of ofRows.delete ?? []) takeRow(at, id);
  for (const { from, to, id } of ofRows.move ?? []) put(within(rowsIn, to[0]), to[1], takeRow(from, id));
  for (const { at, row } of ofRows.insert ?? []) put(within(rowsIn, at[0]), at[1], freeze(row));

  const sectionsOut = new Map();
  const sectionsIn = new Map();
  const takeSection = (index, id) => {
    must(sections[index]?.id === id && !rowsOut.has(index), id);
    put(sectionsOut, index, true);
    return sections[index];
  };
  for (const { at, id } of ofSections.delete ?? []) takeSection(at, id);
  for (const { from, to, id } of ofSections.move ?? []) put(sectionsIn, to, takeSection(from, id));
  for (const { at, section } of ofSections.insert ?? []) put(sectionsIn, at, freeze(section));

  const without = sections.map((section, index) => {
    const out = rowsOut.get(index);
    return out ? { ...section, rows: exchange(section.rows, out, new Map()) } : section;
  });
  const result = exchange(without, sectionsOut, sectionsIn);

  const change = (index, members) => {
    must(result[index], index);
    result[index] = { ...result[index], ...members };
  };
  for (const [index, rows] of rowsIn) {
    change(index, { rows: exchange(result[index]?.rows ?? [], new Map(), rows) });
  }
  for (const { at, id, header, footer } of ofSections.update ?? []) {
    must(result[at]?.id === id, id);
    change(at, { header: freeze(header), footer: freeze(footer) });
  }
  const copied = new Set();
  for (const { at: [section, index], row } of ofRows.update ?? []) {
    must(result[section]?.rows[index]?.id === row.id, row.id);
    if (!copied.has(section)) change(section, { rows: [...result[section].rows] });
    copied.add(section);
    result[section].rows[index] = freeze(row);
  }
  for (const section of result) Object.freeze(section.rows) && Object.freeze(section);
  return Object.freeze(result);
}

/** The sections of a new snapshot, with the objects of the old one wherever nothing changed. */
export function reuse(old, fresh) {
  const same = (a, b) => a && JSON.stringify(a) === JSON.stringify(b);
  const rows = new Map(old.flatMap((section) => section.rows.map((row) => [row.id, row])));
  const sections = new Map(old.map((section) => [section.id, section]));
  return freeze(fresh.map((section) => {
    const before = sections.get(section.id);
    if (same(before, section)) return before;
    return { ...section, rows: section.rows.map((row) => (same(rows.get(row.id), row) ? rows.get(row.id) : row)) };
  }));
}
