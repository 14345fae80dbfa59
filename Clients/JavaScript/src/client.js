// One client of one service: what all its tables share: requests, tokens, waiting, and what is kept. Its state stands in
// the constructor's variables: nobody else's, and short names for whoever carries them over the wire. Members whose
// names begin with `_` are between these modules; the bundle shortens them.

import { isFinal, problemOf, segmentOf } from "./edits.js";
import { tooQuick } from "./following.js";
import { freeze } from "./stages.js";
import { makeTable, pausing } from "./table.js";

/** How long a token may be waited for, and how often a new one has everything tried again, in ms. */
const tokenPatience = 30_000;
const betweenTokens = 60_000;

/** What an action that may fail gives: nothing, where it does. */
const attempt = async (action) => {
  try {
    return await action();
  } catch {}
};

/** `Retry-After`, in seconds or as a date, as ms from now, an hour at most; 0 where it says nothing. */
const msOf = (retryAfter) =>
  Math.min(3_600_000, Math.max(0, retryAfter * 1000 || Date.parse(retryAfter) - Date.now() || 0));

export class Client {
  constructor(makeLine, address, {
    token, cells, store, caller = "", keepEdits, headers, pauseHidden, clock = globalThis, random = Math.random,
    fetch: ask = (...given) => fetch(...given),
    newKey = () => globalThis.crypto?.randomUUID?.() ?? `${Math.random()}-${Math.random()}`,
  } = {}) {
    const now = () => clock.performance.now();
    const base = `${address}`.replace(/\/+$/, "");
    const prefix = `${base} ${caller} `;
    const tables = new Map();
    const lines = new Map();
    const channels = new Map();
    const unsaved = new Set();
    const reasons = new Set();
    let tokens = {};
    let timer, saving, isPlanned, isClosed, isOpen, bearer;
    let renewed = -Infinity;
    let trouble = null;
    let number = 0;
    const date = () => (clock.Date ?? Date).now();

    // Requests.

    /** Says why nothing gets through, where somebody can do something about it. */
    const setTrouble = (title) => {
      if (trouble?.problem.title === title) return;
      trouble = title ? freeze({ reason: "noToken", problem: { title } }) : null;
      tables.forEach((table) => table._publish("status"));
    };

    /** The caller's token: asked for once for all who want it at this moment, and given up where it never comes. */
    const tokenOf = async (fresh) => {
      if (typeof token !== "function") return token;
      const mine = tokens;
      let dog;
      try {
        const given = await (mine[fresh] ??= Promise.race([
          (async () => token({ fresh }))(),
          new Promise((_, reject) => {
            dog = clock.setTimeout(() => reject(`no answer for ${tokenPatience / 1000} s`), tokenPatience);
          }),
        ]).finally(() => delete mine[fresh]));
        if (mine === tokens) setTrouble();
        return given;
      } catch (error) {
        if (mine === tokens) setTrouble(`The token provider failed: ${error?.message ?? error}`);
        throw error;
      } finally {
        clock.clearTimeout(dog);
      }
    };

    /** The answer's status, JSON, patience asked for and size; `{ status: 0 }` where there is none. */
    const request = async ({ method = "GET", path, query = {}, body, key, _isPut, controller = new AbortController() }) => {
      const search = Object.entries(query).flatMap(([name, values]) =>
        [values ?? []].flat().map((value) => `&${name}=${encodeURIComponent(value)}`)).join("");
      const send = async (fresh) => {
        const given = await tokenOf(fresh);
        // Another one: what waited for it is tried again.
        const isNew = bearer && given !== bearer && now() - renewed > betweenTokens;
        bearer = given;
        if (isNew) {
          renewed = now();
          goOn();
        }
        return ask(`${base}/v1/${path}${search.replace("&", "?")}`, {
          method, signal: controller.signal, cache: query.slot === undefined ? "no-store" : "default",
          body: JSON.stringify(body),
          // Redirected, a POST would become a GET, and its answer one to an edit.
          redirect: key && "error",
          headers: {
            Accept: "application/json",
            ...(cells && { "Accept-Cells": [cells].flat().join(", ") }),
            ...(bearer && { Authorization: `Bearer ${bearer}` }),
            ...(body !== undefined && { "Content-Type": "application/json" }),
            ...(key && { "Idempotency-Key": key }),
            ...(_isPut && { "If-None-Match": "*" }),
            ...headers,
          },
        });
      };
      // It is given up ten seconds after its wait; 55 s are the longest that there is.
      let dog;
      const late = (resolve) => (dog = clock.setTimeout(resolve, ((query.wait ?? 55) + 10) * 1000));
      const outcome = await Promise.race([new Promise(late), attempt(async () => {
        let response = await send(false);
        if (response.status === 401 && typeof token === "function") response = await send(true);
        const text = await response.text();
        // Only JSON can be the service's answer. Of anything else the status alone counts.
        const body = await attempt(() => JSON.parse(text));
        return {
          status: response.status, retryAfter: msOf(response.headers.get("Retry-After")), bytes: text.length, body,
          _isProblem: !!body && /^application\/problem\+json/i.test(response.headers.get("Content-Type")),
        };
      })]);
      clock.clearTimeout(dog);
      const isOff = controller.signal.aborted;
      controller.abort();
      const reply = outcome ?? { status: 0 };
      // A cancelled request proves nothing. Any other one tells whether the service itself has answered.
      if (!isOff) isOpen = !!(reply._isProblem || ["cursor", "to", "changes"].some((name) => reply.body?.[name]));
      return reply;
    };

    // Following.

    /** Looks what is to be asked, once all that happens now has happened. */
    const plan = () => {
      if (!isPlanned) queueMicrotask(act);
      isPlanned = true;
    };

    const callOff = (channel, name) => {
      channels.delete(name);
      channel.abort();
    };

    /** When the next poll may be: five a second, of which twenty can be saved up, whatever a service answers. */
    let due = -Infinity;

    const act = () => {
      isPlanned = false;
      if (isClosed) return;
      // What is to be asked for together, and when the next table is due.
      const groups = {};
      let next = Infinity;
      const answered = [...channels.values()].flatMap(({ signal, _tables }) => (signal.aborted ? _tables : []));
      for (const [key, table] of tables) {
        const { _following: following } = table;
        if (!table._isActive() || answered.includes(table)) continue;
        if (following._retryAt > now()) {
          next = Math.min(next, following._retryAt);
          continue;
        }
        const group = (part) => (groups[JSON.stringify([table.view, following._hasty, following._asksAlone ? key : part])] ??= []);
        let part = 0;
        while (group(part).length === 64) part++; // More are not to be asked for together.
        group(part).push(key);
      }
      // A channel's name says all that it asks for: one that is still wanted goes on.
      const wanted = new Map(Object.entries(groups).map(([group, keys]) => [group + keys, keys.map((key) => tables.get(key))]));
      channels.forEach((channel, name) => {
        if (!wanted.delete(name) && !channel.signal.aborted) callOff(channel, name);
      });
      wanted.forEach((members, name) => {
        if (due > now()) next = Math.min(next, due);
        else {
          due = Math.max(due, now() - 3800) + 200;
          poll(name, members);
        }
      });
      clock.clearTimeout(timer);
      if (next < Infinity) timer = clock.setTimeout(plan, next - now());
    };

    const poll = async (name, members) => {
      // Called off, it is a channel no more; one that is still there and over has been answered.
      const channel = Object.assign(new AbortController(), { _tables: members });
      channels.set(name, channel);
      const mine = ++number;
      const start = now();
      const asked = members.map(({ _following }) => _following._ask());
      const several = members.length > 1;
      const [{ after, ...query }] = asked;
      const { status, body, retryAfter, bytes } = await request({
        path: several ? "changes" : `tables/${members[0]._segment}/changes`, controller: channel,
        query: {
          after: several ? members.map((table, index) => `${table._segment}:${asked[index].after}`) : after,
          view: members[0].view, ...query,
        },
      });
      await Promise.all(members.map(({ _line }) => _line._adding()));
      if (channels.get(name) !== channel) return;
      channels.delete(name);
      const elapsed = now() - start;
      const luck = random();
      const newsOf = ({ _following }) =>
        several ? [body?.changes].flat().find((change) => change?.table === _following._server.table) : body;
      const isEarly = query.wait && elapsed < tooQuick && !members.some(newsOf);
      members.forEach((table, index) => {
        const { _following: following } = table;
        const { after, slot } = asked[index];
        const news = newsOf(table);
        const problem = several && news?.problem;
        const code = problem ? problem.status : status;
        if (isFinal(code)) {
          if (several && (!problem || code === 401)) following._alone = true;
          else if (code === 400 && slot !== undefined) following._slot = following._edges = null;
          else if (code === 400 && after) following._lost = true;
          else table._refuse(problemOf(code, problem || body));
          return;
        }
        let oddity = "early";
        if (code === 200) {
          try {
            if (news) oddity = table._receive(news, asked[index], mine, elapsed, bytes);
            else if (several && body.changes && !isEarly) oddity = following._unmoved();
          } catch {} // It doesn't fit: as little use as one that came too early.
        }
        if (oddity === "again") following._postpone(now(), luck);
        if (oddity === "early") following._fail(now(), luck, retryAfter);
        table._publish("status");
      });
      plan();
    };

    // What is kept. A store that fails is as if nothing had been kept: the next start asks the service.

    const keyOf = ({ _segment }) => `${prefix}${[cells].flat()} ${_segment}`;

    const save = async () => {
      clock.clearTimeout(saving);
      saving = 0;
      const due = [...unsaved];
      unsaved.clear();
      await Promise.all(due.map((table) => attempt(() => store.set(keyOf(table), table._following._server))));
    };

    /** The edits of a table and view: the same object for all that show them. */
    const lineOf = (segment, view) => {
      const key = JSON.stringify([segment, view]);
      if (!lines.has(key)) lines.set(key, makeLine(shared, segment, view));
      return lines.get(key);
    };

    const tableOf = (line, rows) => {
      const key = JSON.stringify([line._segment, line._view, rows]);
      if (!tables.has(key)) tables.set(key, makeTable(shared, line, rows));
      return tables.get(key);
    };

    /** What tables and their edits need of their client. */
    const shared = {
      _clock: clock, _date: date, _luck: random, _reasons: reasons, _plan: plan, _newKey: newKey,
      _request: request,
      _probe: (segment, controller) => request({ path: `tables/${segment}`, query: { rows: 1 }, controller }),
      _isOpen: () => isOpen,
      _isClosed: () => isClosed,
      _count: () => ++number,
      _trouble: () => trouble,
      /** Somebody has to look: at one row, as it is only to see how new the table is. */
      _open: (line) => tableOf(line, 1),
      _postpone: (following) => following._postpone(now(), random()),
      _restore: (table) => attempt(async () => table._restore(await store?.get(keyOf(table)))),
      /** Keeps the table as the server told it, a second after it changed. */
      _keep(table) {
        if (!store) return;
        unsaved.add(table);
        saving ||= clock.setTimeout(save, 1000);
      },
      _keepEdits: () => attempt(() => keepEdits?.save(() => [...lines.values()].flatMap((line) => line._kept()))),
    };

    // What apps use.

    /** The table `name`, of a family with `params`: the same object for the same name, parameters, view and rows. */
    this.table = (name, { params = {}, view, rows } = {}) => {
      const pairs = Object.entries(params).map((pair) => pair.map(encodeURIComponent).join("=")).sort();
      const segment = [segmentOf(name), ...pairs].join(";");
      return tableOf(lineOf(segment, view), rows);
    };

    /** What was refused, or waits for somebody to do something, is tried again; what hangs, too, where that is said. */
    const goOn = (isHanging, isAll) => {
      if (isAll) tables.forEach((table) => table.reload());
      lines.forEach((line) => line._goOn(isHanging));
    };

    const { pause, resume } = pausing(reasons, () => tables.forEach((table) => table._turn()));
    this.pause = pause;
    this.resume = (reason) => {
      resume(reason);
      goOn(false, true);
    };

    /** Takes another token, or another way to get one: what waited for it goes on. */
    this.useToken = (given) => {
      token = given;
      tokens = {};
      setTrouble();
      goOn(false, true);
    };

    /** Asks and sends anew at once what waits or hangs: the page is seen again, the network is back. */
    this.wake = () => {
      channels.forEach(callOff);
      tokens = {};
      tables.forEach(({ _following }) => _following._wake());
      goOn(true, true);
      attempt(() => keepEdits?.look?.());
      plan();
    };

    /** Forgets what is kept of this service for this caller, and gives up edits that are not over. */
    this.purge = async () => {
      unsaved.clear();
      lines.forEach((line) => line._purge());
      await Promise.all([store?.delete(prefix), keepEdits?.save(() => [])]);
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
      for (const what of [kept].flat()) attempt(() => lineOf(what.segment, what.view)._restore(what));
    }));

    /** Ends everything; what is to be kept is kept when the promise resolves. */
    this.close = async () => {
      isClosed = true;
      listen("removeEventListener");
      clock.clearTimeout(timer);
      channels.forEach(callOff);
      lines.forEach((line) => line._close());
      await save();
      await keepEdits?.close?.();
    };
  }
}
