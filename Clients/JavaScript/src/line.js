// The edits of one table, whatever view they were made on, in line: sent one after the other, shown by all that show the
// table, and kept until they are over. What was not done stays, with its reason, until the person retries or discards it.

import { isAsNewAs } from "./cursor.js";
import { isShown, judge, operations, overlay, placed, requestOf } from "./edits.js";
import { pauseAfter } from "./following.js";
import { freeze } from "./stages.js";

/** For how long after it was first sent an edit is sent again, in ms: a service knows keys for 24 hours. */
const keysLast = 82_800_000;
/** How long after it was sent, in ms, an addition's answer is waited for before the table shows what comes. */
const longestHold = 3000;
/** How long after an edit's answer, in ms, the poll that waits may bring what it did, before another one asks for it. */
const grace = 100;

/** A value as JSON has it at this moment: what the app does with it later is not sent. `failed` is told why it has none. */
function copied(value, failed) {
  try {
    return value && JSON.parse(JSON.stringify(value));
  } catch (error) {
    return failed(error);
  }
}

const freshKey = () => globalThis.crypto?.randomUUID?.() ?? `${Math.random()}-${Math.random()}`;

/** Whether an edit that was answered is known to be there: by the cursor, or by a snapshot that was asked for later. */
function sees({ view, _following: { _cursor }, _latest, _newest }, { answer: { cursor }, view: own, _number, _since }) {
  const [epoch, version, ...taps] = cursor?.split(".") ?? [];
  const isSameEpoch = !cursor || epoch === _cursor?.split(".")[0];
  // The taps of one view say nothing of another.
  const wanted = [epoch, version, ...(view === own ? taps : [])].join(".");
  return (cursor && !(_latest < _since) && isAsNewAs(_cursor, wanted)) || (_newest > _number && (isSameEpoch || "otherwise"));
}

export function makeLine(client, segment) {
  const { _clock: clock, _newKey: newKey = freshKey } = client;
  const date = () => (clock.Date ?? Date).now();
  const tables = new Set();
  let flight, timer, late, isPosting;
  let failures = 0;
  /** Until when the server asked us to stay away. */
  let floor = 0;

  const unconfirmed = () => line._edits.filter(({ state }) => state === "acknowledged");

  const edited = () => {
    tables.forEach((table) => table._publish("edits"));
    return client._keepEdits();
  };

  /** Edits that are over leave the list. */
  const leave = (gone, members) => {
    line._edits = line._edits.filter((edit) => !gone.includes(edit));
    for (const edit of gone) edit._settle(Object.assign(edit, members));
    if (gone.length) edited();
    tables.forEach((table) => table._forget());
  };

  /** An edit that ended without effect stays in the list. */
  const end = (edit, state, problem) => edit._settle(Object.assign(edit, { state, problem: freeze(problem) }));

  const callOff = () => {
    flight?._controller.abort();
    flight?._land();
    if (flight?._edit.state === "sent") flight._edit.state = "local";
    flight = null;
  };

  /** The additions, not answered yet, whose rows it names. */
  const dependsOn = ({ row, place }, add) =>
    add.op === "add" && !add.answer && [row, place?.after, place?.before].includes(add.key);

  /** Sends on after so many ms. */
  const sendIn = (ms) => {
    clock.clearTimeout(timer);
    timer = ms > 0 && clock.setTimeout(() => {
      timer = 0;
      next();
    }, ms);
  };

  const next = () => {
    if (flight || line._trouble || timer || client._isClosed()) return;
    const edit = line._edits.find((edit) =>
      edit.state === "local" && !line._edits.some((add) => add !== edit && dependsOn(edit, add)));
    if (!edit) return;
    if (date() - edit._sentAt > keysLast) {
      end(edit, "unknown", { title: "Not answered for 23 hours: it may have been done" });
      edited();
      next();
    } else send(edit);
  };

  const send = async (edit) => {
    const mine = (flight = { _edit: edit, _controller: new AbortController() });
    mine._landed = new Promise((resolve) => (mine._land = resolve));
    edit._posted ||= edit.op === "add" && isPosting;
    const isFirst = !edit._sentAt;
    let outcome;
    try {
      const request = requestOf(edit, line);
      // Nothing is known to get through: first it is asked whether the service is there, so that no edit counts as sent
      // that never left.
      let reply = client._isOpen() ? null : await client._request({ path: `tables/${segment}`, query: { rows: 1 }, controller: mine._controller });
      if (flight !== mine) return;
      if (!reply || client._isOpen()) {
        edit.state = "sent";
        edit._sentAt ??= date();
        await edited();
        if (flight !== mine) return;
        if (edit._posted) {
          const hold = clock.setTimeout(mine._land, longestHold);
          mine._landed.then(() => clock.clearTimeout(hold));
        }
        // A request's controller is used up by it.
        mine._controller = new AbortController();
        reply = await client._request({ ...request, controller: mine._controller });
        if (flight !== mine) return;
      }
      outcome = { ...judge(reply, request), retryAfter: reply.retryAfter };
    } catch {
      outcome = { state: "refused", problem: { title: "Has no URL" } };
    }
    flight = null;
    mine._land();
    const { state, problem, answer, retryAfter, _trouble, _posted } = outcome;
    if (state || _trouble || _posted) failures = 0;
    line._trouble = _trouble ?? null;
    if (answer) {
      Object.assign(edit, { state, answer: freeze(answer), _number: client._count() });
      // Edits of a row that was only just added know it by the addition's key.
      if (edit.op === "add" && typeof answer.id === "string") {
        edit.row = answer.id;
        const rename = (row) => (row === edit.key ? answer.id : row);
        for (const other of line._edits) {
          other.row = rename(other.row);
          if (other.place?.after || other.place?.before) {
            other.place = { ...other.place, after: rename(other.place.after), before: rename(other.place.before) };
          }
        }
      }
      client._refund();
      line._look();
      line._confirm();
    } else if (state) end(edit, state, problem);
    else {
      edit.state = "local";
      if (isFirst && (_posted || _trouble?.reason === "signInNeeded")) edit._sentAt = undefined; // Nothing was done.
      if (_posted) isPosting = true;
      else if (!_trouble) {
        floor = client._now() + (retryAfter ?? 0);
        sendIn(Math.max(floor - client._now(), pauseAfter(failures++, client._luck())));
      }
    }
    edited();
    client._plan();
    next();
  };

  const line = {
    _segment: segment, _edits: [], _tables: tables,
    /** Why nothing is sent until somebody does something about it. */
    _trouble: null,

    /** Gives a table its edits. */
    _join(table) {
      for (const op in operations) {
        const [, , ...names] = operations[op].split(" ");
        table[op] = (...given) => {
          const what = { key: newKey(), op, view: table.view };
          names.forEach((name, index) => (what[name] = given[index]));
          table._follow();
          const { window, sections } = table.snapshot;
          if (!table._following._isPlain || window?.from || window?.of > window?.rows) what.place = placed(what.place, what.row, sections);
          return line._enqueue(op === "add" ? { row: what.key, ...what } : what, given[names.length]?.show);
        };
      }
    },

    /** A tap is seen on its view alone. */
    _overlay: (view, sections, ...given) =>
      overlay(sections, line._edits.filter((edit) => edit.op !== "tap" || edit.view === view), ...given),

    /** Replies wait for it, 3 s at most: until an addition is answered nobody knows which row it became, and it would be shown twice. */
    _adding: () => flight?._edit._posted && flight._edit._show && flight._landed,

    /** Puts an edit in line; `kept` has how far an earlier program came with it, and when it was made: before later ones that wait. */
    _enqueue(what, show, kept = {}) {
      if (line._edits.some(({ key }) => key === what.key)) return;
      what = copied(what, (error) => {
        kept = { ...kept, state: "refused", problem: freeze({ title: `Not JSON: ${error?.message ?? error}` }) };
        return { ...what, row: `${what.row}`, body: undefined, place: undefined, unfit: true };
      });
      if (typeof show !== "function") show = copied(show, console.error);
      const edit = {
        row: null, answer: null, problem: null, ...what, _what: what, state: "local", _at: date(), ...kept, _show: show,
        discard() {
          if (edit.answer || !line._edits.includes(edit)) return;
          if (flight?._edit === edit) {
            if (edit.state === "sent") Object.assign(edit, { state: "unknown" });
            callOff();
          }
          if (edit.state === "local") end(edit, "refused", { title: "Discarded" });
          for (const other of line._edits) {
            if (other !== edit && other.state === "local" && dependsOn(other, edit)) end(other, "refused", { title: "Its row was never added" });
          }
          leave([edit]);
          next();
        },
        retry() {
          if (isShown(edit) || edit.unfit || !line._edits.includes(edit)) return;
          // Asked again under its key, the service would answer a refused one as before.
          if (edit.state === "refused") edit._attempt = (edit._attempt ?? 0) + 1;
          Object.assign(edit, { state: "local", problem: null, _sentAt: undefined });
          begin();
        },
      };
      const begin = () => {
        edit.done = new Promise((resolve) => (edit._settle = resolve));
        if (client._isClosed()) edit._settle(edit);
        edited();
        next();
      };
      const later = line._edits.findIndex(({ state, _sentAt, _at }) => state === "local" && !_sentAt && _at > (kept._at ?? Infinity));
      const to = later < 0 ? line._edits.length : later;
      // A later one for which the service is only being looked for: it waits again.
      if (!flight?._edit._sentAt && line._edits.indexOf(flight?._edit) >= to) callOff();
      line._edits = [...line._edits.slice(0, to), edit, ...line._edits.slice(to)];
      begin();
      if (!isShown(edit)) edit._settle(edit);
      if (edit.answer) {
        line._look();
        line._confirm();
      }
      return edit;
    },

    /** The stored form of the edits. */
    _kept: () =>
      line._edits.map(({ _what, key, row, place, state, problem, answer, _show, _at, _sentAt, _attempt, _posted }) => ({
        segment, ..._what, key, ...(place && { place }), row, problem, answer,
        ...(state === "unknown" && { state }), ...(typeof _show === "object" && { show: _show }),
        at: _at, sentAt: _sentAt, attempt: _attempt, posted: _posted,
      })),

    /** Takes an edit that was kept: by another release perhaps, or not as it was. */
    _restore({ segment, problem, answer, state, show, at, sentAt, attempt, posted, ...what }) {
      if (!operations[what.op]?.split) return;
      const end = answer ? "acknowledged" : (state ?? (problem ? "refused" : "local"));
      // A state shown earlier proves nothing: the service may have been restored from a backup meanwhile.
      const now = client._count();
      line._enqueue(what, show, {
        problem: freeze(problem ?? null), answer: freeze(answer ?? null), state: end, _at: at ?? 0, _sentAt: sentAt, _attempt: attempt, _posted: posted, _number: now, _since: now,
      });
    },

    /** Sees to it that somebody looks whether what was answered is there. */
    _look: () => ([...tables][0] ?? client._open(line))._follow(),

    _needs: (table) => unconfirmed().length && line._watchers().includes(table),

    /** The tables that must show an edit before it is confirmed. */
    _watchers() {
      const all = [...tables].filter(({ _following }) => !_following._refusal);
      const followed = all.filter((table) => table._isFollowed());
      return followed.length ? followed : all.slice(0, 1);
    },

    /** Confirms what all that show the table have seen. */
    _confirm(isLate) {
      const watchers = line._watchers();
      const seen = unconfirmed().filter((edit) => watchers.length && watchers.every((table) => sees(table, edit)));
      // Another epoch than the answer's: the service was set back perhaps. One that has the edit answers as before, as long
      // as it knows the key. Later a repeat might be done a second time: then nobody can say whether it still has the edit.
      const epochOf = ({ answer }) => answer.cursor?.split(".")[0];
      const again = seen.filter((edit) =>
        edit._repeated !== epochOf(edit) && watchers.some((table) => sees(table, edit) === "otherwise"));
      for (const edit of again) {
        const epoch = epochOf(edit);
        edit.answer = null;
        if (date() - edit._sentAt > keysLast) end(edit, "unknown", { title: "The service was set back: it may be lost" });
        else Object.assign(edit, { _repeated: epoch, state: "local" });
      }
      leave(seen.filter((edit) => !again.includes(edit)), { state: "confirmed" });
      const blind = watchers.filter((table) => unconfirmed().some((edit) => !sees(table, edit)));
      if (isLate) for (const { _following } of blind) _following._hasty = _following._direct = true;
      // The poll that waits most likely brings it: only where it doesn't, another one asks.
      else if (blind.length) {
        late ??= clock.setTimeout(() => {
          late = undefined;
          line._confirm(true);
          client._plan();
        }, grace);
      }
      if (again.length) edited();
      next();
    },

    /** The service has told how the table stands. */
    _told(table) {
      line._confirm();
      // Asked after the answer and still not there: this cursor will never tell.
      if (line._needs(table) && unconfirmed().some((edit) => table._latest > edit._number && !sees(table, edit))) {
        table._following._lost = true;
        client._postpone(table._following);
      }
    },

    /** The service refuses the table: nobody will ever see what it has answered. */
    _refused: () => line._watchers().length || leave(unconfirmed()),

    /** Somebody has done something about what kept edits from being sent; what is under way may hang, too. */
    _goOn(isHanging) {
      if (isHanging) callOff();
      sendIn(floor - client._now());
      if (line._trouble) {
        line._trouble = null;
        edited();
      }
      next();
    },

    /** The person who made them is gone. */
    _purge() {
      callOff();
      leave(line._edits, { state: "unknown" });
    },

    /** The client ends: nobody hears more of them from it. */
    _close() {
      callOff();
      clock.clearTimeout(timer);
      clock.clearTimeout(late);
      line._edits.forEach((edit) => edit._settle(edit));
    },
  };
  return line;
}
