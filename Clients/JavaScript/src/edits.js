// Edits under way, shown over the server's state: replayed in order whenever that changes, never restored values.

import { freeze } from "./stages.js";

/** Method and path below the table of each operation; `$` is the row. */
const requests = {
  add: ["POST", "/items"],
  patch: ["PATCH", "/items/$"],
  delete: ["DELETE", "/items/$"],
  move: ["POST", "/items/$/move"],
  tap: ["POST", "/rows/$/tap"],
  action: ["POST", "/rows/$/actions/"],
  refresh: ["POST", "/refresh"],
};
const shownStates = ["local", "sent", "acknowledged"];

/**
 * One edit: `local` until it is sent, `sent`, `acknowledged` by its answer, `confirmed` once the table shows it; or
 * `refused` with the `problem`, or `unknown`, where nobody can say whether it was carried out.
 */
export class Edit {
  row = null;
  state = "local";
  problem = null;
  /** The service's answer, as it came. */
  answer = null;

  /** `what`: key, op, row, place, body, action; `show` is how it looks until the service has spoken. */
  constructor(table, what, show) {
    Object.assign(this, what, { table, what, show });
    this.expect();
  }

  expect() {
    /** Resolves with this edit when it is confirmed, refused or unknown; never rejects. */
    this.done = new Promise((resolve) => (this.settle = resolve));
  }

  get isShown() {
    return shownStates.includes(this.state);
  }

  /** Takes a refused or unknown edit from the table's list. */
  dismiss() {
    this.table.dismiss(this);
  }

  /** Sends an unknown edit once more, under its old key. */
  retry() {
    this.table.retry(this);
  }

  get request() {
    const { op, place, body, action = "", table: { view } } = this;
    const [method, path] = requests[op];
    return {
      method,
      path: path.replace("$", () => encodeURIComponent(this.row)) + encodeURIComponent(action),
      query: op === "add" ? { ...place, view } : { view },
      body: op === "move" ? place : op === "add" ? (body ?? {}) : body,
    };
  }
}

/**
 * The sections with the edits' effects, rows that an edit is about marked as `pending`. `marked` keeps those rows
 * between calls, so that they stay the same objects while nothing about them changes.
 */
export function overlay(given, edits, marked) {
  const sections = [...given];
  const copied = new Set();
  const rowsOf = (index) => {
    if (!copied.has(index)) sections[index] = { ...sections[index], rows: [...sections[index].rows] };
    copied.add(index);
    return sections[index].rows;
  };
  const find = (id) => {
    for (let index = 0; index < sections.length; index++) {
      const row = sections[index].rows.findIndex((row) => row.id === id);
      if (row >= 0) return [index, row];
    }
  };
  const take = (id) => {
    const at = find(id);
    return at && rowsOf(at[0]).splice(at[1], 1)[0];
  };
  const put = (row, { section, at = Infinity, after, before } = {}) => {
    let index = sections.findIndex(({ id }) => id === section);
    if (index < 0) index = sections.length - 1;
    const neighbour = find(after ?? before);
    if (neighbour) [index, at] = [neighbour[0], neighbour[1] + (after === undefined ? 0 : 1)];
    if (index >= 0) rowsOf(index).splice(at, 0, row);
  };
  const used = new Set();
  const mark = (base, { key, op, state, isShown, show }) => {
    used.add(key);
    const before = marked.get(key);
    if (before?.base === base && before.state === state) return before.row;
    const shown = isShown && show && op !== "add" ? show(base) : base;
    const row = freeze({ ...shown, pending: { op, state } });
    marked.set(key, { base, state, row });
    return row;
  };
  for (const edit of edits) {
    const { op, isShown, place, show, key, row } = edit;
    if (op === "refresh" || edit.state === "refused") continue;
    const id = op === "add" ? edit.answer?.id : row;
    if (isShown && op === "add" && show && !find(id)) {
      edit.placeholder ??= { can: { edit: false, move: false, select: false }, ...show, id: key };
      put(mark(edit.placeholder, edit), place);
    } else if (isShown && op === "delete") take(id);
    else {
      const moved = isShown && op === "move" && take(id);
      if (moved) put(moved, place);
      const at = find(id);
      if (at) rowsOf(at[0])[at[1]] = mark(sections[at[0]].rows[at[1]], edit);
    }
  }
  for (const key of marked.keys()) if (!used.has(key)) marked.delete(key);
  if (!copied.size) return given;
  for (const section of sections) Object.freeze(section.rows) && Object.freeze(section);
  return Object.freeze(sections);
}
