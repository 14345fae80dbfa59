// Stages applied as the protocol says: what leaves by the old coordinates, what arrives by the new ones, then updates.
// Nothing given is changed; rows and sections that a stage doesn't touch are the same objects after it.

/** Throws where something doesn't fit, or isn't known here. */
export function must(fits, what) {
  if (!fits) throw Error(`unfit: ${what}`);
}

/** Freezes a JSON value, all of it. */
export function freeze(value) {
  if (!Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** The list without what stands at the keys of `leaving`, and with what `arriving` has, by its index afterwards. */
function exchange(list, leaving, arriving) {
  const kept = list.filter((_, index) => !leaving.has(index));
  let next = 0;
  const result = Array.from({ length: kept.length + arriving.size }, (_, index) => arriving.get(index) ?? kept[next++]);
  must(next === kept.length, next);
  return result;
}

function put(map, key, value) {
  must(!map.has(key), key);
  map.set(key, value);
  return value;
}

const within = (map, key) => map.get(key) ?? put(map, key, new Map());

/** Has what a list of operations names taken by its old coordinates and given by its new ones. Returns the updates. */
function carry({ delete: gone = [], move = [], insert = [], update = [], ...unknown } = {}, take, give) {
  for (const name in unknown) must(false, name);
  for (const { at, id } of gone) take(at, id);
  for (const { from, to, id } of move) give(to, take(from, id));
  for (const { at, row, section } of insert) give(at, row ?? section);
  return update;
}

/** The sections after one stage. O(sections + rows of the sections touched). Throws where it doesn't fit. */
export function applyStage(sections, stage) {
  const none = new Map();
  // Rows by their index, in maps by their section's.
  const [leaving, arriving, updated] = [new Map(), new Map(), new Map()];
  const [sectionsOut, sectionsIn] = [new Map(), new Map()];
  const named = (list, index, id) => {
    must(list?.[index]?.id === id, id);
    return list[index];
  };
  const rowUpdates = carry(stage.rows,
    ([section, index], id) => put(within(leaving, section), index, named(sections[section]?.rows, index, id)),
    ([section, index], row) => put(within(arriving, section), index, row));
  const sectionUpdates = carry(stage.sections, (index, id) => {
    must(!leaving.has(index), id);
    return put(sectionsOut, index, named(sections, index, id));
  }, (index, section) => put(sectionsIn, index, section));

  let result = [...sections];
  const change = (index, members) => (result[index] = { ...result[index], ...members });
  const exchangeRows = (index, out, into) => change(index, { rows: exchange(result[index].rows, out, into) });
  leaving.forEach((rows, index) => exchangeRows(index, rows, none));
  result = exchange(result, sectionsOut, sectionsIn);
  arriving.forEach((rows, index) => {
    must(result[index], index);
    exchangeRows(index, none, rows);
  });
  for (const { at, id, header, footer, skipped } of sectionUpdates) {
    const { rows, skipped: before, ...rest } = named(result, at, id);
    const rowsBefore = skipped ?? before; // 0 is left out, as the service does.
    result[at] = { ...rest, header, footer, ...(rowsBefore && { skipped: rowsBefore }), rows };
  }
  for (const { at: [section, index], row } of rowUpdates) {
    named(result[section]?.rows, index, row.id);
    within(updated, section).set(index, row);
  }
  updated.forEach((rows, index) => exchangeRows(index, rows, rows));
  return freeze(result);
}

/** Throws where an identity stands twice in a table, or something is no section or row. O(rows). */
export function mustBeSound(sections) {
  for (const list of [sections, sections.flatMap(({ rows }) => rows)]) {
    const ids = new Set(list.map(({ id }) => id === `${id}` && id));
    must(ids.size === list.length && !ids.has(false), "id");
  }
}

/** The sections of a new snapshot, with the objects of the old one wherever nothing changed. */
export function reuse(old, fresh) {
  const either = (before, now) => (JSON.stringify(before) === JSON.stringify(now) ? before : now);
  const rows = new Map(old.flatMap((section) => section.rows.map((row) => [row.id, row])));
  const sections = new Map(old.map((section) => [section.id, section]));
  return freeze(fresh.map((section) =>
    either(sections.get(section.id), { ...section, rows: section.rows.map((row) => either(rows.get(row.id), row)) })));
}
