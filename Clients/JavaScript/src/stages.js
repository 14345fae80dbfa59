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

/** More operations on one list than this have it made anew; fewer move what is behind them. */
const few = 32;

/**
 * The list without what stands at the keys of `leaving`, and with what `arriving` has, by its index afterwards: itself
 * where they are few.
 */
function exchange(list, leaving, arriving) {
  let result = list;
  if (leaving.size + arriving.size <= few) {
    const ascending = (map) => [...map].sort(([a], [b]) => a - b);
    for (const [index] of ascending(leaving).reverse()) result.splice(index, 1);
    for (const [index, one] of ascending(arriving)) {
      must(index <= result.length);
      result.splice(index, 0, one);
    }
  } else {
    const kept = list.filter((_, index) => !leaving.has(index));
    let next = 0;
    result = Array.from({ length: kept.length + arriving.size }, (_, index) => arriving.get(index) ?? kept[next++]);
    must(next === kept.length);
  }
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
  for (const { at, id } of gone) take(at, id, true);
  for (const { from, to, id } of move) give(to, take(from, id));
  for (const { at, row, section } of insert) give(at, freeze(row ?? section), true);
  return update;
}

/**
 * The sections after one stage. Throws where it doesn't fit. Costs what changes, and a copy of the lists around it.
 * `identities` are those of the table before, and after it.
 */
export function applyStage(sections, stage, identities) {
  const none = new Map();
  // Rows by their index, in maps by their section's.
  const [leaving, arriving, updated] = [new Map(), new Map(), new Map()];
  const [sectionsOut, sectionsIn] = [new Map(), new Map()];
  // Sections and rows that are gone, and those that are new.
  const [goneSections, newSections, goneRows, newRows] = [[], [], [], []];
  const named = (list, index, id) => {
    must(list?.[index]?.id === id, id);
    return list[index];
  };
  const rowUpdates = carry(stage.rows, ([section, index], id, isGone) => {
    if (isGone) goneRows.push({ id });
    return put(within(leaving, section), index, named(sections[section]?.rows, index, id));
  }, ([section, index], row, isNew) => {
    if (isNew) newRows.push(row);
    put(within(arriving, section), index, row);
  });
  const sectionUpdates = carry(stage.sections, (index, id, isGone) => {
    must(!leaving.has(index));
    const section = put(sectionsOut, index, named(sections, index, id));
    if (isGone) {
      goneSections.push(section);
      goneRows.push(...section.rows);
    }
    return section;
  }, (index, section, isNew) => {
    if (isNew) {
      newSections.push(section);
      newRows.push(...section.rows);
    }
    put(sectionsIn, index, section);
  });
  identities?._exchange(goneSections, newSections, goneRows, newRows);

  let result = [...sections];
  // Sections that change, with a copy of their rows: one for all that happens to them. Of a frozen list this one is the
  // quickest, and a row that leaves makes room for the one that arrives.
  const changed = new Set();
  const change = (index, out = none, into = none) => {
    let section = result[index];
    if (!changed.has(section)) changed.add((section = result[index] = { ...section, rows: [...section.rows] }));
    section.rows = exchange(section.rows, out, into);
    return section;
  };
  leaving.forEach((rows, index) => change(index, rows));
  result = exchange(result, sectionsOut, sectionsIn);
  arriving.forEach((rows, index) => change(index, none, rows));
  for (const { at, id, header, footer, skipped } of sectionUpdates) {
    named(result, at, id);
    const section = Object.assign(change(at), freeze({ header, footer }), skipped && { skipped });
    if (skipped === 0) delete section.skipped; // The service leaves out 0, too.
  }
  for (const { at: [section, index], row } of rowUpdates) {
    named(result[section]?.rows, index, row.id);
    within(updated, section).set(index, freeze(row));
    identities?._update(row);
  }
  updated.forEach((rows, index) => {
    const { rows: list } = change(index);
    rows.forEach((row, at) => (list[at] = row));
  });
  changed.forEach((section) => Object.freeze(Object.freeze(section).rows));
  return Object.freeze(result);
}

/** The rows and sections of a table by their ids: built once from a snapshot, then updated by its changes. */
export class Identities {
  _sections = new Map();
  _rows = new Map();
  #before = [];

  /** Throws where an identity stands twice, or something is no section or row. O(rows). */
  constructor(sections) {
    this._exchange([], sections, [], sections.flatMap(({ rows }) => rows));
    this._keep();
  }

  #set(map, id, value) {
    this.#before.push([map, id, map.get(id)]);
    if (value) map.set(id, value);
    else map.delete(id);
  }

  _exchange(goneSections, newSections, goneRows, newRows) {
    for (const [map, gone, fresh] of [[this._sections, goneSections, newSections], [this._rows, goneRows, newRows]]) {
      for (const { id } of gone) this.#set(map, id);
      for (const one of fresh) {
        must(one.id === `${one.id}` && !map.has(one.id) && (one.rows ?? one.cellIdentifier), "id");
        this.#set(map, one.id, one);
      }
    }
  }

  _update(row) {
    this.#set(this._rows, row.id, row);
  }

  /** Commits the changes since the last call. */
  _keep() {
    this.#before = [];
  }

  /** Rolls back the changes since the last `_keep`. */
  _undo() {
    for (const [map, id, value] of this.#before.reverse()) {
      if (value) map.set(id, value);
      else map.delete(id);
    }
    this._keep();
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
