// Edits under way, shown over the server's state: replayed in order whenever that changes, never restored values.

import { freeze, must } from "./stages.js";

/** Of each operation the method, the path below the table, `$` being the row, and what it is given. */
export const operations = {
  add: "POST items body place",
  patch: "PATCH items/$ row body",
  delete: "DELETE items/$ row",
  move: "POST items/$/move row place",
  tap: "POST rows/$/tap row",
  action: "POST rows/$/actions/ row action body",
  refresh: "POST refresh",
};

/** Whether its effect is shown. */
export const isShown = ({ state }) => ["local", "sent", "acknowledged"].includes(state);

/** A name as a segment of a path. Throws where there is none for it: dots alone, however they are written, lead elsewhere. */
export function segmentOf(name) {
  must(![".", ".."].includes(name), name);
  return encodeURIComponent(name);
}

/** The request that carries it out. */
export function requestOf({ op, row, place, body, action = "", key }, { _segment, view }) {
  const [method, path] = operations[op].split(" ");
  return {
    method, key,
    path: `tables/${_segment}/${path.replace("$", () => segmentOf(row))}${segmentOf(action)}`,
    query: { ...(op === "add" && place), view },
    body: { add: body ?? {}, move: place }[op] ?? body,
  };
}

/** The sections with the edits' effects, rows that an edit is about marked as `pending`; the given ones without any. */
export function overlay(given, edits) {
  let sections = given;
  const rowsOf = (index) => {
    if (sections === given) sections = [...given];
    if (sections[index] === given[index]) sections[index] = { ...given[index], rows: [...given[index].rows] };
    return sections[index].rows;
  };
  const find = (id) => {
    for (const [index, { rows }] of sections.entries()) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) return [index, at];
    }
    return [];
  };
  const put = (row, { section, at = Infinity, after, before } = {}) => {
    const named = sections.findIndex(({ id }) => id === section);
    const [index = named < 0 ? sections.length - 1 : named, to = at] = find(after ?? before);
    if (index >= 0) rowsOf(index).splice(to + (after === undefined ? 0 : 1), 0, row);
  };
  for (const edit of edits) {
    const { op, place, show, key, row, state } = edit;
    if (state === "refused") continue;
    const effect = isShown(edit) && op;
    /** The row marked: the same object while nothing about it changes. */
    const mark = (base) => {
      if (edit._base !== base || edit._marked.pending.state !== state) {
        edit._base = base;
        edit._marked = freeze({ ...(effect && show && op !== "add" ? show(base) : base), pending: { op, state } });
      }
      return edit._marked;
    };
    const [index, at] = find(row);
    if (at >= 0) {
      const base = sections[index].rows[at];
      const isGone = effect === "delete" || effect === "move";
      rowsOf(index).splice(at, 1, ...(isGone ? [] : [mark(base)]));
      if (effect === "move") put(mark(base), place);
    } else if (effect === "add" && show) {
      edit._placeholder ??= { can: { edit: false, move: false, select: false }, ...show, id: key };
      put(mark(edit._placeholder), place);
    }
  }
  return freeze(sections);
}
