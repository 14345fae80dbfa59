// One table as an app sees it: the server's state with its own edits over it, and who observes it. Its state stands in
// variables that nobody else has.

import { Following, rangeOf } from "./following.js";
import { freeze, Identities, must } from "./stages.js";

/** `pause` and `resume` by a set of reasons; `changed` hears when something was paused or resumed. */
export const pausing = (reasons, changed) => ({
  pause(reason = "app") {
    reasons.add(reason);
    changed();
  },
  resume(reason = "app") {
    if (reasons.delete(reason)) changed();
  },
});

/** `key` names it among all of the client and in the store; `turned` is told whether somebody uses it. */
export function makeTable(client, line, view, key, step, turned) {
  const { _clock: clock, _plan: plan } = client;
  const { _segment: segment } = line;
  const following = new Following(step, view === undefined);
  const listeners = new Set();
  const reasons = new Set();
  const marks = new WeakMap();
  const holds = new Set();
  let lingering, restoring, isRestored, shownSearch;
  /** The app's search, and the search that was last requested. */
  let [search, sought] = [null, null];
  /** Rows that edits are seen on, by their identities: null where an edit has taken one away. */
  let edited = new Map();

  /** Shows what is now, and tells the observers: `type` is `changes`, `reset`, `status` or `edits`. */
  const publish = (type, more) => {
    const before = table.snapshot;
    const { _server: server, _refusal: refusal, _connection: connection } = following;
    const { _edits: edits } = line;
    const isPaused = !refusal && reasons.size + client._reasons.size;
    const isBare = server?.counts?.omittedSections === 1 && !server.window?.of && following._isPlain;
    const sections = line._overlay(view, server?.sections ?? [], marks, following._identities._rows, (edited = new Map()), isBare);
    const after = Object.freeze({
      table: segment, cursor: null, state: "loading", ...server, sections, ...(server?.state === "empty" && sections.length && { state: "ready" }),
      connection: isPaused ? "paused" : connection, refusal, trouble: line._trouble ?? client._trouble(),
      edits: Object.freeze(edits), search: search ? Object.freeze({ ...search, isFound: sought === search && following._isFound }) : null,
    });
    if (type === "status" && ["connection", "refusal", "trouble"].every((name) => after[name] === before[name]) &&
      after.search?.isFound === before.search?.isFound && search === shownSearch) return;
    shownSearch = search;
    table.snapshot = after;
    const change = Object.freeze({ type, before, after, ...more });
    // An observer's mistake is said aloud, as a promise that nobody catches, and is nobody else's trouble.
    [...listeners].forEach(async (listener) => listener(change));
  };

  const follow = async () => {
    turned(true);
    await (restoring ??= client._restore(table));
    isRestored = true;
    plan();
  };

  /** Called after a pause or resume. */
  const turn = () => {
    following._resume();
    publish("status");
    plan();
  };

  const table = {
    view, _key: key, _line: line, _segment: segment, _following: following,

    /** The numbers of the last request that was answered, and of the last one that brought a snapshot. */
    _latest: 0, _newest: 0,

    /** The frozen snapshot of what is shown: the same object until something changes. */
    snapshot: null,

    /** What a server renders, whatever this client knows already. */
    initialSnapshot: freeze({
      table: segment, cursor: null, state: "loading", sections: [], connection: "connecting", refusal: null, trouble: null, edits: [], search: null,
    }),

    /** O(1). */
    row: (id) => (edited.has(id) ? edited.get(id) : following._identities._rows.get(id)) ?? undefined,

    /**
     * Looks for something else at once: `asked` is how requests say it (nothing for the plain table, null where it is
     * not to be asked for yet), `told` how snapshots do. For `finding`.
     */
    lookFor(asked, told = null) {
      search = told;
      if (asked !== null) {
        sought = told;
        following._lookFor(asked);
        // A search that was refused says nothing of the next one.
        following._refusal = null;
        following._retryAt = following._floor;
      }
      publish("status");
      plan();
    },

    /** Follows the table until the function that it returns is called (the last one's end counts, after 5 s). */
    subscribe(listener) {
      const own = (change) => listener(change);
      listeners.add(own);
      clock.clearTimeout(lingering);
      lingering = 0;
      follow();
      return () => {
        if (!listeners.delete(own) || listeners.size) return;
        lingering = clock.setTimeout(() => {
          lingering = 0;
          table._forget();
          plan();
        }, 5000);
      };
    },

    ...pausing(reasons, turn),

    /** Asks again for a table that was refused. */
    reload() {
      if (!following._refusal) return;
      following._refusal = null;
      turn();
    },

    /**
     * Keeps the server's changes away, for a drag or a menu, until the function that it returns is called: then
     * everything since comes as one changeset.
     */
    hold() {
      const own = {};
      holds.add(own);
      plan();
      return () => {
        if (!holds.delete(own)) return;
        following._hasty = true;
        plan();
      };
    },

    /** Asks for further rows of a table that was asked for with `rows`; false where it has no more. */
    loadMore(count = +step) {
      const { window } = table.snapshot;
      const { from = 0, rows: shown, of } = window ?? {};
      if (!(of > from + shown)) return false; // Nor where all are there: `rows` is a word then.
      const [first, last] = `${following._rows}`.split("-"); // Includes rows that are already asked for.
      const rows = Math.max(shown, +(last ? last - first + 1 : first) || 0) + (count || shown);
      // The widest window that can be asked for by number.
      following._rows = rows > 10_000 && !from ? "all" : rangeOf({ from, rows: Math.min(rows, 10_000) });
      plan();
      return true;
    },

    /** Moves the window: `rows` as a table is asked for with them, `"100-149"` or a number. */
    show(rows) {
      following._rows = rows;
      plan();
    },

    // For the client.

    _turn: turn,
    _publish: publish,
    _follow: follow,

    /** Takes what was kept of it: by another release perhaps, or not as it was. */
    _restore(server) {
      if (server && !following._server) {
        must(server.cursor.split);
        following._identities = new Identities(server.sections);
        following._server = freeze(server);
        following._unsure = true;
        // A window that `show` had moved: this table is the whole one, which is to be asked for.
        following._rows ??= server.window && "all";
        publish("status");
      }
    },

    _isFollowed: () => listeners.size || lingering,

    /** Is done with while it has no observers. */
    _forget: () => !lingering && !listeners.size && turned(false),

    _isActive: () =>
      isRestored && !following._refusal && !holds.size && !(reasons.size + client._reasons.size) &&
      (table._isFollowed() || line._needs(table)),

    /** Its table and lens, but the cells, as a poll of several has them before the cursor. */
    _lens() {
      const { _search: search, _cursorRows: rows } = following;
      const members = Object.entries({ view, rows: rows ?? undefined, ...search }).flatMap(([name, values]) =>
        [values ?? []].flat().map((value) => `${name}=${encodeURIComponent(value)}`));
      return segment + (members.length ? `;;${members.join(";")}` : "");
    },

    _receive(reply, asked, number, elapsed, bytes) {
      const before = table.snapshot;
      // A cache that takes all for one.
      must(`${(reply.snapshot ?? reply).table};`.startsWith(`${decodeURIComponent(segment.split(";")[0])};`));
      const oddity = following._receive(reply, asked, elapsed);
      table._latest = number;
      if ("reset" in reply) table._newest = number;
      const { sections, cursor, find } = following._server;
      if (sections !== before.sections || cursor !== before.cursor || find !== before.find || following._connection !== before.connection) {
        publish("reset" in reply ? "reset" : "changes", { reply, bytes });
        client._keep(table);
      }
      line._told(table);
      return oddity;
    },

    /** Of several that were asked for, this one has no news. */
    _unmoved(number, wait) {
      following._unmoved(wait);
      table._latest = number;
      line._told(table);
    },

    _refuse(problem) {
      following._refusal = freeze(problem);
      // A login that is over says nothing of the table.
      if (problem.status !== 401) line._refused();
      publish("status");
    },
  };

  line._join(table);
  client._finding?.(table, clock);
  publish();
  return table;
}
