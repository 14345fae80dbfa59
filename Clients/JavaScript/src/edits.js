// Edits: the requests that carry them out, what their answers say, and how they are shown over the server's state:
// replayed in order whenever that changes, never restored values.

import { isCursor } from "./cursor.js";
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

/** The section of a table without `sections` in its configuration. */
const only = "main";

/** Whether its effect is shown. */
export const isShown = ({ state }) => ["local", "sent", "acknowledged"].includes(state);

/** A name as a segment of a path. Throws where there is none for it: dots alone, however they are written, lead elsewhere. */
export function segmentOf(name) {
  must(![".", ".."].includes(name), name);
  return encodeURIComponent(name);
}

/** The request that carries it out: an addition is put under its key, unless its table names rows itself. */
export function requestOf({ op, view, row, place, body, action = "", key, _posted, _attempt }, { _segment }) {
  const isPut = op === "add" && !_posted;
  const [method, path] = (isPut ? "PUT items/$" : operations[op]).split(" ");
  const name = key + (_attempt ? `-${_attempt}` : "");
  return {
    method, _isPut: isPut, _row: key, key: name, _headers: { "Idempotency-Key": name, ...(isPut && { "If-None-Match": "*" }) },
    path: `tables/${_segment}/${path.replace("$", () => segmentOf(isPut ? key : row))}${segmentOf(action)}`,
    query: { ...(op === "add" && place), view: op === "refresh" ? undefined : view },
    body: { add: body ?? {}, move: place }[op] ?? body,
  };
}

/** A problem as the service told it, else what the status says. Without `fields`: these are of the body of an edit. */
export function problemOf(status, body) {
  if (typeof body?.title !== "string") return { title: `HTTP status ${status}`, status };
  const { fields, ...problem } = body;
  return problem;
}

/** The words about an edit's members, those that are texts: `{ fields }`, or nothing where there are none. */
function fieldsOf(body) {
  const entries = Object.entries(body?.fields ?? {})
    .map(([name, words]) => [name, [words].flat().filter((text) => text === `${text}`)])
    .filter(([, words]) => words.length);
  return entries.length && { fields: Object.fromEntries(entries) };
}

/** Whether a status is the last word on a request, where the service itself says it: made again, it would be answered the same. */
export const isFinal = (status) => status >= 400 && status < 500 && ![408, 425, 429].includes(status);

/**
 * The meaning of a reply to an edit: the edit's new state; `trouble`, by which it waits; or nothing, where it is to be
 * sent again. Only the service's own words are an answer: all else was said by something on the way.
 */
export function judge({ status, body, _isProblem }, { _row, _isPut }) {
  if (status < 300 && isCursor(body?.cursor) && !body.table && !body.sections && (!_isPut || body.id === _row)) {
    return { state: "acknowledged", answer: body };
  }
  const said = _isProblem && body;
  const problem = freeze({ ...problemOf(status, said), ...fieldsOf(said) });
  if (status === 401) return { _trouble: freeze({ reason: "signInNeeded", problem }) };
  if (isFinal(status)) {
    if (!_isProblem) return { _trouble: freeze({ reason: "unreachable", problem }) };
    if (_isPut && status === 405) return { _posted: true };
    if (_isPut && status === 412) return { state: "acknowledged", answer: { id: _row } };
  } else if (!_isProblem || status < 500 || status === 503) return {};
  return { state: status === 504 ? "unknown" : "refused", problem };
}

/**
 * A place told by the row beside it, where its number counts in what is shown and that is cut: the service counts in the
 * plain, whole table. `moving` is the row that goes there: the number counts without it.
 */
export function placed(place, moving, sections) {
  const { section, at } = place ?? {};
  const rows = sections.find(({ id }) => id === section)?.rows.filter(({ id }) => id !== moving);
  if (!rows || at === undefined) return place;
  const [before, after] = [rows[at], rows.at(-1)];
  return before ? { before: before.id } : after ? { after: after.id } : { section };
}

/** The row as an edit shows it: as the service has it where `show` fails, which is said aloud once. */
function shownOf(edit, row) {
  try {
    return freeze({ ...(edit._show(row) ?? row) });
  } catch (error) {
    edit._said ||= !console.error(error);
    return row;
  }
}

/**
 * The sections with the edits' effects, rows that an edit is about marked as `pending`; the given ones without any.
 * `marks` has the rows that were marked before, by their edits; `rows` those of the given sections by their ids. What
 * edits made of rows, null where one is taken away, is put into `edited`. `isBare`: the table has one section, left out as it
 * has no rows. O(rows touched by edits + a copy of the lists).
 */
export function overlay(given, edits, marks, rows, edited, isBare) {
  let sections = given;
  const rowsOf = (index) => {
    if (sections === given) sections = [...given];
    if (sections[index] === given[index]) sections[index] = { ...given[index], rows: [...given[index].rows] };
    return sections[index].rows;
  };
  const find = (id) => {
    const row = edited.has(id) ? edited.get(id) : rows.get(id);
    for (let index = 0; row && index < sections.length; index++) {
      const at = sections[index].rows.indexOf(row);
      if (at >= 0) return [index, at];
    }
    return [];
  };
  /** Puts a row at a place, or there where the place is not shown; nowhere where that is nothing. */
  const put = (row, { section, at = Infinity, after, before } = {}, origin = []) => {
    if (isBare && !sections.length && [undefined, only].includes(section ?? after ?? before)) sections = [{ id: only, header: null, footer: null, rows: [] }];
    const named = section === undefined ? sections.length - 1 : sections.findIndex(({ id }) => id === section);
    const place = (after ?? before) === undefined ? [named, at] : find(after ?? before);
    const [index, to] = place[0] >= 0 ? [place[0], place[1] + (after === undefined ? 0 : 1)] : origin;
    if (index >= 0) {
      rowsOf(index).splice(to, 0, row);
      edited.set(row.id, row);
    }
  };
  for (const edit of edits) {
    const { op, place, _show: show, key, row, state } = edit;
    if (state === "refused") continue;
    const effect = isShown(edit) && op;
    /** The row marked: the same object while nothing about it changes. */
    const mark = (base) => {
      const old = marks.get(edit);
      if (old?._base === base && old._row.pending.state === state) return old._row;
      const marked = freeze({ ...(effect && show && op !== "add" ? shownOf(edit, base) : base), pending: { op, state } });
      marks.set(edit, { _base: base, _row: marked });
      return marked;
    };
    const [index, at] = find(row);
    if (at >= 0) {
      const base = sections[index].rows[at];
      const isGone = effect === "delete" || effect === "move";
      const marked = isGone ? null : mark(base);
      rowsOf(index).splice(at, 1, ...(marked ? [marked] : []));
      edited.set(row, marked);
      if (effect === "move") put(mark(base), place, [index, at]);
    } else if (effect === "add" && show) {
      edit._placeholder ??= { can: { edit: false, move: false, select: false }, ...show, id: key };
      put(mark(edit._placeholder), place);
    }
  }
  if (sections === given) return given;
  for (const section of sections) Object.freeze(Object.freeze(section).rows);
  return Object.freeze(sections);
}
