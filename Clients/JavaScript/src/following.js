// The state machine that follows one table: its state, and the next request. Without I/O or clock: times are given in ms.

import { isAsNewAs, isCursor } from "./cursor.js";
import { applyStage, freeze, Identities, must, reuse } from "./stages.js";

/** A poll that is answered sooner than this, in ms, with nothing, didn't wait. */
export const tooQuick = 1000;
/** Full jitter, up to 1, 2, 4 … 32 s. */
export const pauseAfter = (failures, luck) => luck * Math.min(32_000, 1000 * 2 ** failures);
/** Members of a table that stand in a changeset's last stage where they changed, null where gone. */
const attributes = "state problem title animation counts truncated window find".split(" ");

/** A window as a request says it: how many rows from the first one on, or from which one to which. */
export const rangeOf = ({ from, rows } = {}) => (from ? `${from}-${from + rows - 1}` : rows);

export class Following {
  /** The table as the server told it last: a frozen snapshot; null before the first. */
  _server = null;
  /** Its rows and sections by their identities. */
  _identities = new Identities([]);
  /** The problem after which nothing is asked any more. */
  _refusal = null;
  /** The table on the screen may be old: it was stored, or the client was paused, and no answer has come since. */
  _unsure = false;
  /** In trouble from a failure until the next answer. */
  _trouble = false;
  _failures = 0;
  _retryAt = 0;
  /** Until when the server asked us to stay away. */
  _floor = 0;
  /** The next poll doesn't wait: after a failure, a pause, a hold, or to see an edit. */
  _hasty = true;
  /** The next poll is to show an edit: the service itself is asked, as a cache may have an older answer for this slot. */
  _direct = false;
  /** Our cursor is of no use: the next request asks for a snapshot. */
  _lost = false;
  /** Never in a poll shared with others, once such a poll or its part in one was refused. */
  _alone = false;
  /** The slot to ask for, where the table is polled through caches; null where it isn't. */
  _slot = null;
  _resetBefore = false;
  _quickBefore = false;
  /** The rows that the cursor stands for; null before the first answer, as those that are wanted never are. */
  _cursorRows = null;

  /** The search in the form of a request, and its key; the key of the cursor's search. */
  _search = undefined;
  _searchKey = "";
  _cursorSearch = "";

  constructor(rows, edges) {
    /** The rows that are wanted. */
    this._rows = rows;
    /** Whether polls through caches are possible: not with a view. */
    this._edges = edges;
  }

  get _cursor() {
    return this._server?.cursor;
  }

  get _asksAlone() {
    return this._lost || this._alone || this._slot !== null || this._rows !== this._cursorRows || !this._isFound;
  }

  /** Whether what is shown is what is looked for. */
  get _isFound() {
    return this._searchKey === this._cursorSearch;
  }

  /** Whether what is shown is the whole table, with its menus or without. */
  get _isPlain() {
    return this._isFound && (!this._search || this._search.find);
  }

  _lookFor(search) {
    this._search = search;
    this._searchKey = search ? JSON.stringify(search) : "";
  }

  /** The next request. */
  _ask() {
    const after = this._lost ? undefined : this._cursor;
    const rows = after && this._rows === this._cursorRows ? undefined : this._rows;
    const isSame = after && !rows && this._isFound;
    const { _search, _searchKey } = this;
    if (this._slot !== null && isSame && !_search && !this._direct) return { after, slot: this._slot };
    return { after, rows, wait: this._hasty || !isSame ? 0 : 20, _search, _searchKey };
  }

  /**
   * Takes the reply to what was asked, after so many ms. Returns what is odd about it: `early` where it came sooner
   * than one that says so little may, `again` for a reset after a reset; throws, with the table as it was, where it
   * isn't the answer to what was asked.
   */
  _receive(reply, { after, rows, slot, wait, _search, _searchKey = "" }, elapsed) {
    this._lost = true; // Until it is seen to fit.
    const { snapshot, stages, to } = reply;
    must(isCursor(to) && (reply.from ?? undefined) === after, to);
    const reset = "reset" in reply;
    if (!after && to !== this._cursor && isAsNewAs(this._cursor, to)) {
      // Something repeats what it was told once. A service that has gone back says so, asked with the cursor that we have.
      this._lost = false;
      throw to;
    }
    let next = { ...this._server, cursor: to };
    if (reset) {
      must(snapshot.cursor === to);
      next = { ...snapshot, sections: reuse(this._server?.sections ?? [], snapshot.sections) };
      this._identities = new Identities(next.sections);
    } else {
      try {
        for (const stage of stages) {
          next.sections = applyStage(next.sections, stage, this._identities);
          for (const name of attributes) {
            if (name in stage) next[name] = stage[name];
            if (stage[name] === null) delete next[name];
          }
        }
        this._identities._keep();
      } catch (error) {
        this._identities._undo();
        throw error;
      }
    }
    if (!_search) delete next.find;
    // The protocol: an unknown state counts as ready.
    if (!/^(loading|empty|stale|failed)$/.test(next.state)) next.state = "ready";
    this._cursorSearch = _searchKey;
    this._server = freeze(next);
    const empty = !reset && !stages.length;
    const quick = empty && (wait || slot) && elapsed < tooQuick;
    // A slot may just be over when it is asked for: only the second quick answer is one too many.
    const oddity = quick && (slot === undefined || this._quickBefore) ? "early" : reset && after && this._resetBefore && "again";
    this._quickBefore = quick;
    if ("slot" in reply) this._slot = reply.slot;
    else if (reset) this._slot = this._server.edges && this._edges ? 0 : null;
    this._cursorRows = rows ?? (reset ? rangeOf(this._server.window) : (this._cursorRows ?? undefined));
    this._resetBefore = reset && after;
    this._lost = this._unsure = this._trouble = this._hasty = this._direct = false;
    if (after && !reset && !quick && (!empty || wait || slot)) this._failures = 0;
    return oddity;
  }

  /** Nothing more is said of a table whose poll shared with others brought others' news alone. Only a poll that has
   * waited shows that waiting ones get through. */
  _unmoved(wait) {
    if (wait) this._failures = 0;
    this._unsure = this._trouble = this._hasty = false;
  }

  /** A failure at `now`, with some `luck` between 0 and 1; not to be tried before `retryAfter`. */
  _fail(now, luck, retryAfter) {
    this._trouble = this._hasty = true;
    if (this._slot !== null) this._slot = 0;
    this._postpone(now, luck, retryAfter);
  }

  /** Keeps it from being asked for again at once, which is no trouble by itself. */
  _postpone(now, luck, retryAfter = 0) {
    this._floor = now + retryAfter;
    this._retryAt = Math.max(this._floor, now + pauseAfter(this._failures++, luck));
  }

  /** The page is seen again, or the network is back: ask now, unless the server asked for more patience. */
  _wake() {
    this._hasty = true;
    this._alone = false;
    this._retryAt = this._floor;
  }

  /** The table was paused for a while. */
  _resume() {
    this._hasty = this._unsure = true;
    this._alone = false;
  }

  get _connection() {
    if (this._refusal) return "refused";
    if (this._trouble) return "retrying";
    if (!this._server) return "connecting";
    return this._unsure ? "cached" : "live";
  }
}
