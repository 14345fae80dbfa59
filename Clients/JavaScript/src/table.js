// One table as an app sees it: the server's state with its own edits over it, and who observes it. Its state stands in
// variables that nobody else has.

import { isAsNewAs } from "./cursor.js";
import { isShown, operations, overlay } from "./edits.js";
import { Following } from "./following.js";
import { freeze, must, mustBeSound } from "./stages.js";

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

export function makeTable(client, segment, view, step) {
  const { _clock: clock, _plan: plan } = client;
  const following = new Following(step, view === undefined);
  const listeners = new Set();
  const reasons = new Set();
  let edits = [];
  const holds = new Set();
  let lingering, restoring, isRestored, sending;

  /** Shows what is now, and tells the observers: `type` is `changes`, `reset`, `status` or `edits`. */
  const publish = (type, more) => {
    const before = table.snapshot;
    const { _server: server, _refusal: refusal, _connection: connection } = following;
    const isPaused = !refusal && reasons.size + client._reasons.size;
    const after = Object.freeze({
      table: segment, cursor: null, state: "loading", ...server, sections: overlay(server?.sections ?? [], edits),
      connection: isPaused ? "paused" : connection, refusal, edits: Object.freeze(edits),
    });
    if (type === "status" && after.connection === before.connection && after.refusal === before.refusal) return;
    table.snapshot = after;
    const change = Object.freeze({ type, before, after, ...more });
    // An observer's mistake is said aloud, as a promise that nobody catches, and is nobody else's trouble.
    [...listeners].forEach(async (listener) => listener(change));
  };

  const follow = async () => {
    await (restoring ??= client._restore(table));
    isRestored = true;
    plan();
  };

  /** It was paused, or resumed. */
  const turn = () => {
    following._resume();
    publish("status");
    plan();
  };

  // Edits.

  const keep = () => client._keepEdits(table, edits.filter(isShown).map(({ _what, row }) => ({ ..._what, row })));

  const edited = () => {
    publish("edits");
    keep();
  };

  /** Edits that are over: nothing is to be done about them. */
  const finish = (finished, state) => {
    edits = edits.filter((edit) => !finished.includes(edit));
    for (const edit of finished) edit._settle(Object.assign(edit, { state }));
    if (finished.length) keep();
  };

  /** Edits that were answered, and aren't known to be shown yet. */
  const unconfirmed = () => edits.filter(({ state }) => state === "acknowledged");

  /** Confirms what the table is known to show: by its cursor, or by a snapshot, where request `number` was for one. */
  const confirm = (number, isSnapshot) => {
    const isSeen = ({ answer, _number }) => isAsNewAs(following._cursor, answer.cursor) || (isSnapshot && number > _number);
    finish(unconfirmed().filter(isSeen), "confirmed");
    const left = unconfirmed();
    if (left.length) following._hasty = true;
    // Asked after the answer and still not there: this cursor will never tell.
    if (left.some(({ _number }) => number > _number)) {
      following._lost = true;
      client._postpone(following);
    }
  };

  const take = (edit, outcome) => {
    Object.assign(edit, outcome);
    if (!edit.answer) edit._settle(edit);
    else {
      // Edits of a row that was only just added know it by the addition's key.
      for (const other of edits) if (other.row === edit.key) other.row = edit.answer.id;
      confirm();
    }
    edited();
    plan();
  };

  const send = async (edit) => {
    edit.state = "sent";
    publish("edits");
    const answered = client._carryOut(table, edit);
    // Until an addition is answered nobody knows which row it became: replies wait, so that it isn't shown twice.
    table._adding = edit.op === "add" && edit.show && answered;
    take(edit, await answered);
  };

  /** Puts an edit in the list, and in the line of those to be sent. */
  const enqueue = (what, show) => {
    const edit = {
      row: null, answer: null, ...what, show, _what: what,
      dismiss() {
        if (isShown(edit)) return;
        edits = edits.filter((other) => other !== edit);
        edited();
      },
      retry() {
        if (edit.state === "unknown") begin();
      },
    };
    const begin = () => {
      Object.assign(edit, { state: "local", problem: null, done: new Promise((resolve) => (edit._settle = resolve)) });
      follow();
      edited();
      sending = (sending ?? restoring).then(() => send(edit));
    };
    edits = [...edits, edit];
    begin();
    return edit;
  };

  const table = {
    view, _segment: segment, _following: following,

    /** The frozen snapshot of what is shown: the same object until something changes. */
    snapshot: null,

    row(id) {
      for (const { rows } of table.snapshot.sections) {
        const row = rows.find((row) => row.id === id);
        if (row) return row;
      }
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
          plan();
        }, 5000);
      };
    },

    ...pausing(reasons, turn),

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
    loadMore(count = step) {
      const { window } = table.snapshot;
      if (!(window?.of > window?.rows)) return false; // Nor where all are there: `rows` is a word then.
      const rows = Math.max(window.rows, +following._rows || 0) + count;
      following._rows = rows > 10_000 ? "all" : rows; // The widest window that can be asked for by number.
      plan();
      return true;
    },

    // For the client.

    _turn: turn,
    _publish: publish,

    /** Takes what was kept of it, and of its edits: by another release perhaps, or not as it was. */
    _restore(server, kept) {
      for (const what of [kept].flat()) if (operations[what?.op]?.split) enqueue(what);
      if (server && !following._server) {
        must(server.cursor.split);
        mustBeSound(server.sections);
        following._server = freeze(server);
        following._unsure = true;
        publish("status");
      }
    },

    _isActive: () =>
      isRestored && !following._refusal && !holds.size && !(reasons.size + client._reasons.size) &&
      (listeners.size || lingering || unconfirmed().length),

    _receive(reply, asked, number, elapsed, bytes) {
      const before = table.snapshot;
      const oddity = following._receive(reply, asked, elapsed);
      confirm(number, "reset" in reply);
      const { sections, cursor } = following._server;
      if (sections !== before.sections || cursor !== before.cursor || following._connection !== before.connection) {
        publish("reset" in reply ? "reset" : "changes", { reply, bytes });
        client._keep(table);
      }
      return oddity;
    },

    _refuse(problem) {
      following._refusal = freeze(problem);
      finish(unconfirmed(), "acknowledged");
      publish("status");
    },
  };

  for (const op in operations) {
    const [, , ...names] = operations[op].split(" ");
    table[op] = (...given) => {
      const what = { key: client._newKey(), op };
      names.forEach((name, index) => (what[name] = given[index]));
      return enqueue(op === "add" ? { row: what.key, ...what } : what, given[names.length]?.show);
    };
  }
  publish();
  return table;
}
