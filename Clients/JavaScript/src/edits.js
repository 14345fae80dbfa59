// Edits under way, shown over the server's state: replayed in order whenever that changes, never restored values.

import { freeze } from "./stages.js";

/**
 * One edit: `local` until it is sent, `sent`, `acknowledged` by its answer, `confirmed` once the table shows it; or
 * `refused` with the `problem`, or `unknown`, where nobody can say whether it was carried out.
 */
export class Edit {
  state = "local";
  problem = null;
  /** The service's answer, as it came. */
  answer = null;

  constructor(table, { key, op, row = null, place, body, action, show }) {
    Object.assign(this, { key, op, row, place, body, action, show });
    this.table = table;
    /** Resolves with this edit when it is confirmed, refused or unknown; never rejects. */
    this.done = new Promise((resolve) => (this.settle = () => resolve(this)));
  }

  get isShown() {
    return this.state === "local" || this.state === "sent" || this.state === "acknowledged";
  }

  get isMarked() {
    return this.isShown || this.state === "unknown";
  }

  /** Takes a refused or unknown edit from the table's list. */
  dismiss() {
    this.table.dismiss(this);
  }

  /** Sends an unknown edit once more, under its old key. */
  retry() {
    this.table.retry(this);
  }

  /** What is kept of it where edits outlive the program. */
  get kept() {
    const { key, op, row, place, body, action } = this;
    return { key, op, row, place, body, action };
  }

  /** Method, path below the table, query and body of the request. */
  get request() {
    const row = this.row === null ? "" : encodeURIComponent(this.row);
    const { view } = this.table;
    switch (this.op) {
      case "add": return { method: "POST", path: "/items", query: { ...this.place, view }, body: this.body ?? {} };
      case "patch": return { method: "PATCH", path: `/items/${row}`, query: { view }, body: this.body };
      case "delete": return { method: "DELETE", path: `/items/${row}`, query: { view } };
      case "move": return { method: "POST", path: `/items/${row}/move`, query: { view }, body: this.place };
      case "tap": return { method: "POST", path: `/rows/${row}/tap`, query: { view } };
      case "refresh": return { method: "POST", path: "/refresh", query: { view } };
      case "action": {
        const path = `/rows/${row}/actions/${encodeURIComponent(this.action)}`;
        return { method: "POST", path, query: { view }, body: this.body };
      }
    }
  }
}

/** A copy of sections in which rows move, come and go. */
class Draft {
  touched = new Set();

  constructor(sections) {
    this.sections = [...sections];
  }

  at(id) {
    for (let section = 0; section < this.sections.length; section++) {
      const row = this.sections[section].rows.findIndex((row) => row.id === id);
      if (row >= 0) return [section, row];
    }
    return null;
  }

  rows(section) {
    if (!this.touched.has(section)) {
      this.touched.add(section);
      this.sections[section] = { ...this.sections[section], rows: [...this.sections[section].rows] };
    }
    return this.sections[section].rows;
  }

  take(id) {
    const at = this.at(id);
    return at && this.rows(at[0]).splice(at[1], 1)[0];
  }

  put(row, { section, at, after, before } = {}) {
    const neighbour = this.at(after ?? before);
    if (neighbour) return this.rows(neighbour[0]).splice(neighbour[1] + (after === undefined ? 0 : 1), 0, row);
    const index = this.sections.findIndex(({ id }) => id === section);
    const target = index < 0 ? this.sections.length - 1 : index;
    if (target >= 0) this.rows(target).splice(at ?? Infinity, 0, row);
  }
}

/**
 * The sections with the edits' effects, rows that an edit is about marked as `pending`. `marked` keeps those rows
 * between calls, so that they stay the same objects while nothing about them changes.
 */
export function overlay(sections, edits, marked) {
  const active = edits.filter((edit) => edit.isMarked && edit.op !== "refresh");
  if (!active.length) return marked.clear() ?? sections;
  const draft = new Draft(sections);
  const used = new Set();
  const mark = (base, edit) => {
    const name = edit.key;
    used.add(name);
    const before = marked.get(name);
    if (before?.base === base && before.state === edit.state) return before.row;
    const shown = edit.isShown && edit.show && edit.op !== "add" ? edit.show(base) : base;
    const row = freeze({ ...shown, pending: { op: edit.op, state: edit.state } });
    marked.set(name, { base, state: edit.state, row });
    return row;
  };
  for (const edit of active) {
    const id = edit.op === "add" ? edit.answer?.id : edit.row;
    if (edit.op === "add") {
      if (edit.show && edit.isShown && !draft.at(id)) {
        edit.placeholder ??= freeze({ can: { edit: false, move: false, select: false }, ...edit.show, id: edit.key });
        draft.put(mark(edit.placeholder, edit), edit.place);
        continue;
      }
    } else if (edit.op === "delete" && edit.isShown) {
      draft.take(id);
      continue;
    } else if (edit.op === "move" && edit.isShown) {
      const row = draft.take(id);
      if (row) draft.put(row, edit.place);
    }
    const at = draft.at(id);
    if (at) draft.rows(at[0])[at[1]] = mark(draft.sections[at[0]].rows[at[1]], edit);
  }
  for (const name of marked.keys()) if (!used.has(name)) marked.delete(name);
  for (const section of draft.sections) Object.freeze(section.rows) && Object.freeze(section);
  return Object.freeze(draft.sections);
}
