// The client of one service. Its tables share requests, tokens, polls and the store. Its state is in the constructor's variables, which
// nobody else can reach and which the bundle gives short names; so it does to members whose names begin with `_`, which are private
// to these modules.

import { segmentOf } from "./edits.js";
import { makePolls } from "./polls.js";
import { attempt, makeEvents, makeRequests } from "./requests.js";
import { freeze } from "./stages.js";
import { makeTable, pausing } from "./table.js";

/** Things by their keys: in `_held` while they are of use, and later found again as long as the app has them. */
function makeShelf() {
  const held = new Map();
  const left = new Map();
  return {
    _held: held,
    _get: (key) => held.get(key) ?? left.get(key)?.deref(),
    _hold(key, thing) {
      held.set(key, thing);
      left.delete(key);
    },
    _release(key) {
      left.forEach((reference, other) => reference.deref() ?? left.delete(other));
      if (held.has(key)) left.set(key, new WeakRef(held.get(key)));
      held.delete(key);
    },
  };
}

/** So many tables without observers and edits stay in memory; others as long as the app has them. */
const mostResting = 16;
/** For how long the store is waited for, in ms: some browsers' neither answers nor fails at times. */
const storePatience = 2000;

export class Client {
  constructor(makeLine, address, {
    token, cells, store, caller = "", keepEdits, tabs, headers, pauseHidden, clock = globalThis, random = Math.random,
    fetch: ask = (...given) => fetch(...given), newKey,
  } = {}, finding) {
    const base = `${address}`.replace(/\/+$/, "");
    // No caller's name is the beginning of another one's keys.
    const prefix = `${base} ${encodeURI(caller)} `;
    // After the blank stand snapshots: `prefix` alone is the beginning of kept edits, too.
    const snapshots = `${prefix} `;
    const scope = snapshots + [cells].flat();
    const [shownTables, usedLines] = [makeShelf(), makeShelf()];
    const [tables, lines] = [shownTables._held, usedLines._held];
    /** What releases the tables that nobody observes, by their keys: the one that rests longest first. */
    const resting = new Map();
    const unsaved = new Set();
    const reasons = new Set();
    const events = makeEvents();
    let saving, isClosed, isPurged;
    let trouble = null;
    let savingTook = 0;
    let number = 0;

    /** Says why nothing gets through, where somebody can do something about it. */
    const troubled = (title) => {
      if (trouble?.problem.title === title) return;
      trouble = title ? freeze({ reason: "noToken", problem: { title } }) : null;
      tables.forEach((table) => table._publish("status"));
    };
    const requests = makeRequests({
      base, token, cells, headers, clock, ask, events, troubled, renewed: () => goOn(false, true),
    });
    const { _request: request, _now: now } = requests;

    // Stored state. If the store fails or hangs, the next start asks the service.

    const inTime = (action) => requests._inTime(storePatience, async () => action());

    const keyOf = ({ _key }) => `${scope} ${_key}`;

    const save = async () => {
      clock.clearTimeout(saving);
      saving = 0;
      const due = [...unsaved];
      unsaved.clear();
      const start = now();
      await Promise.all(due.map((table) => attempt(() => table._following._isPlain && store.set(keyOf(table), table._following._server, true))));
      savingTook = now() - start;
    };

    /** The edits of a table: the same object for all that show them. A view's name may be random, and gone with the page. */
    const lineOf = (segment) => {
      const line = usedLines._get(segment) ?? makeLine(shared, segment);
      usedLines._hold(segment, line);
      return line;
    };

    const keptLines = () => [...lines.values()].flatMap((line) => line._kept());

    const tableOf = (line, rows, view, screen) => {
      const { _segment: segment } = line;
      const key = [segment, view, rows, screen].join(" ");
      const isPlain = (screen ?? view) === undefined;
      const release = () => {
        if (line._edits.length && line._tables.size < 2) return;
        shownTables._release(key);
        line._tables.delete(table);
        if (!line._tables.size) usedLines._release(segment);
      };
      // The table of a screen or view leaves with its last observer, others once enough have come to rest after them, and comes
      // back with the next. The last one that shows edits stays for these.
      const turn = (isThere) => {
        resting.delete(key);
        if (isThere) {
          shownTables._hold(key, table);
          usedLines._hold(segment, line);
          // While it was gone it heard of no edit.
          const isBack = !line._tables.has(table) && table.snapshot.edits.length + line._edits.length;
          line._tables.add(table);
          if (isBack) table._publish("edits");
        } else if (isPlain) {
          resting.set(key, release);
          if (resting.size > mostResting) {
            const [[oldest, leave]] = resting;
            resting.delete(oldest);
            leave();
          }
        } else release();
      };
      const table = shownTables._get(key) ?? makeTable(shared, line, view, key, rows, turn);
      turn(true);
      if (isPlain && !table._isFollowed()) turn();
      return table;
    };

    /** The part of the client that tables and their edits use. */
    const shared = {
      _clock: clock, _now: now, _luck: random, _reasons: reasons, _newKey: newKey, _request: request,
      _finding: finding,
      // One tab's login is not another's: nothing is shared by those who don't say whose they are.
      _tabs: (token || headers) && !caller ? undefined : tabs,
      _isOpen: requests._isOpen,
      _isClosed: () => isClosed,
      _count: () => ++number,
      _trouble: () => trouble,
      /** Somebody has to look: at one row, as it is only to see how new the table is. */
      _open: (line) => tableOf(line, 1),
      _postpone: (following) => following._postpone(now(), random()),
      _restore: (table) => attempt(async () => table._restore(store && (await inTime(() => store.get(keyOf(table)))))),
      /**
       * Keeps the table as the server told it, a second after it changed; a large one seldom enough to cost little. None of
       * a view, which the service itself forgets.
       */
      _keep(table) {
        if (!store || isPurged || table.view !== undefined) return;
        unsaved.add(table);
        saving ||= clock.setTimeout(save, Math.max(1000, 20 * savingTook));
      },
      _keepEdits: () => attempt(() => !isClosed && keepEdits && inTime(() => keepEdits.save(keptLines))),
    };

    // The public interface.

    /** Events for a log, and the last failure. */
    this.events = events;

    const polls = Object.assign(shared, makePolls(shared, tables));

    /** The table `name`, of a family with `params`: the same object for the same name, parameters, view, rows and screen. */
    this.table = (name, { params = {}, view, rows, screen } = {}) => {
      const pairs = Object.entries(params).map((pair) => pair.map(encodeURIComponent).join("=")).sort();
      const segment = [segmentOf(name), ...pairs].join(";");
      return tableOf(lineOf(segment), rows, view, screen);
    };

    /** Tries again what was refused or waits for a person: of edits alone, or of tables too; with `isHanging` also what hangs. */
    const goOn = (isHanging, isOfEdits) => {
      if (!isOfEdits) tables.forEach((table) => table.reload());
      lines.forEach((line) => line._goOn(isHanging));
    };

    const { pause, resume } = pausing(reasons, () => tables.forEach((table) => table._turn()));
    this.pause = pause;
    this.resume = (reason) => {
      resume(reason);
      goOn();
    };

    /** Takes another token, or another way to get one: what waited for it goes on. */
    this.useToken = (given) => {
      requests._useToken(given);
      isPurged = false;
      if (given && !caller && shared._tabs) {
        polls._callOff();
        shared._tabs.close();
        shared._tabs = undefined;
        polls._plan();
      }
      goOn();
    };

    /** Asks and sends anew at once what waits or hangs: the page is seen again, the network is back. */
    this.wake = () => {
      polls._callOff();
      requests._forget();
      tables.forEach(({ _following }) => _following._wake());
      goOn(true);
      attempt(() => keepEdits?.look?.());
      polls._plan();
    };

    /**
     * Forgets what is kept of this service for this caller, and gives up edits that are not over, but for those of other tabs
     * that live. No more tables are kept until there is another token.
     */
    this.purge = async () => {
      isPurged = true;
      unsaved.clear();
      lines.forEach((line) => line._purge());
      await Promise.all([store?.delete(snapshots), keepEdits?.save(keptLines), keepEdits?.purge?.()]);
    };

    const page = globalThis.document;
    const seen = () => {
      const isHidden = page.visibilityState === "hidden";
      if (pauseHidden) this[isHidden ? "pause" : "resume"]("hidden");
      if (!isHidden) this.wake();
    };
    const listen = (how) => {
      globalThis[how]?.("online", this.wake);
      page?.[how]("visibilitychange", seen);
    };
    listen("addEventListener");

    attempt(() => keepEdits?.open(prefix, (kept) => {
      for (const what of [kept].flat()) attempt(() => lineOf(what.segment)._restore(what));
    }));

    attempt(() => shared._tabs?.open(scope, (pairs, wait, controller) =>
      request({ path: "changes", query: { after: pairs, wait }, controller })));

    /** Ends everything; what is to be kept is kept when the promise resolves. */
    this.close = async () => {
      isClosed = true;
      listen("removeEventListener");
      polls._close();
      lines.forEach((line) => line._close());
      await save();
      await Promise.all([keepEdits?.close?.(), shared._tabs?.close()]);
    };
  }
}
