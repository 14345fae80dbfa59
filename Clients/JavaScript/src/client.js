// One client of one service: what all its tables share: requests, tokens, waiting, and what is kept. Its state stands in
// the constructor's variables: nobody else's, and short names for whoever carries them over the wire.

import { pauseAfter, tooQuick } from "./following.js";
import { freeze } from "./stages.js";
import { Table } from "./table.js";

const mostInOnePoll = 64;
/** How long after the end of its wait a request is given up, in ms. */
const watchdog = 10_000;
const editTimeout = 60_000;
/** The longest time, in s, for which a server can send us away. */
const longestRetryAfter = 3600;

/** Whether a status says nothing of the request itself, so that it may be made again. */
const isPassing = (status) => !status || status < 400 || status >= 500 || [408, 425, 429].includes(status);
const isProblem = (body) => typeof body?.title === "string";
const problemOf = (status, body) => (isProblem(body) ? body : { type: "about:blank", title: `HTTP status ${status}`, status });

const secondsOf = (retryAfter) => {
  const seconds = /^\d+$/.test(retryAfter) ? +retryAfter : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Math.min(longestRetryAfter, Math.max(0, seconds || 0));
};

export class TablecastClient {
  constructor(address, options = {}) {
    const { token, cells, store, caller = "", keepEdits, headers, pauseHidden } = options;
    // Called as methods of theirs: browsers insist on it.
    const clock = options.clock ?? globalThis;
    const now = () => clock.performance.now();
    const setTimeout = (action, ms) => clock.setTimeout(action, ms);
    const clearTimeout = (timer) => clock.clearTimeout(timer);
    const { random = Math.random, newKey = () => (random() + Math.random()).toString(36).slice(2) + now().toString(36).slice(-9) } = options;
    const base = String(address).replace(/\/+$/, "");
    const prefix = `${base} ${caller} `;
    const tables = new Map();
    const channels = new Map();
    const saving = new Map();
    const sleepers = new Set();
    const reasons = new Set();
    const tokens = {};
    let timer, isPlanned, isClosed;
    let number = 0;

    // Requests.

    /** The caller's token: asked for once for all who want it at this moment. */
    const tokenOf = (fresh) =>
      typeof token === "function"
        ? (tokens[fresh] ??= Promise.resolve(token({ fresh })).finally(() => delete tokens[fresh]))
        : token;

    const request = async (method, path, { query = {}, body, key, limit = editTimeout, controller = new AbortController() }) => {
      const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
      const search = new URLSearchParams(pairs.filter(([, value]) => value !== undefined)).toString();
      const attempt = async (fresh) => {
        const bearer = await tokenOf(fresh);
        return (options.fetch ?? fetch)(base + path + (search && `?${search}`), {
          method, signal: controller.signal, cache: query.slot === undefined ? "no-store" : "default",
          body: body && JSON.stringify(body),
          headers: {
            Accept: "application/json",
            ...(cells && { "Accept-Cells": [cells].flat().join(", ") }),
            ...(bearer && { Authorization: `Bearer ${bearer}` }),
            ...(body && { "Content-Type": "application/json" }),
            ...(key && { "Idempotency-Key": key }),
            ...headers,
          },
        });
      };
      const carryOut = async () => {
        let response = await attempt(false);
        if (response.status === 401 && typeof token === "function") response = await attempt(true);
        const text = await response.text();
        let json;
        try {
          json = JSON.parse(text);
        } catch {} // What isn't JSON is no answer of the service's; its status says what to do.
        const retryAfter = secondsOf(response.headers.get("Retry-After")) * 1000;
        return { status: response.status, body: json, retryAfter, bytes: text.length };
      };
      let dog;
      try {
        return await Promise.race([carryOut(), new Promise((_, reject) => (dog = setTimeout(reject, limit)))]);
      } catch {
        return { status: 0 };
      } finally {
        clearTimeout(dog);
        controller.abort();
      }
    };

    // Following.

    /** Looks what is to be asked, once all that happens now has happened. */
    const plan = () => {
      if (isPlanned || isClosed) return;
      isPlanned = true;
      queueMicrotask(() => {
        isPlanned = false;
        if (!isClosed) act();
      });
    };

    const callOff = (key, channel) => {
      channel.isOff = true;
      channel.controller.abort();
      channels.delete(key);
    };

    /** What each table is to be asked for in, by the channels' names, and when the next one is due. */
    const wantedChannels = () => {
      const wanted = new Map();
      const answered = [...channels.values()].filter(({ isAnswered }) => isAnswered).flatMap(({ tables }) => tables);
      let next = Infinity;
      for (const table of reasons.size ? [] : tables.values()) {
        const { following, segment, step, view } = table;
        if (!table.isActive || answered.includes(table)) continue;
        if (following.retryAt > now()) {
          next = Math.min(next, following.retryAt);
          continue;
        }
        let part = 0;
        const name = () => JSON.stringify([view, following.hasty, ...(following.asksAlone ? [segment, step] : [part])]);
        while (wanted.get(name())?.length === mostInOnePoll) part++;
        wanted.set(name(), [...(wanted.get(name()) ?? []), table]);
      }
      return { wanted, next };
    };

    /** So many polls may follow each other at once, and five a second from then on, whatever a service answers. */
    let allowance = 20;
    let counted = 0;
    const mayPoll = () => {
      allowance = Math.min(20, allowance + (now() - counted) / 200);
      counted = now();
      return allowance >= 1 && allowance--;
    };

    const act = () => {
      let { wanted, next } = wantedChannels();
      for (const [name, channel] of channels) {
        const members = wanted.get(name) ?? [];
        if (members.length === channel.tables.length && members.every((table) => channel.tables.includes(table))) wanted.delete(name);
        else if (!channel.isAnswered) callOff(name, channel);
      }
      for (const [name, members] of wanted) {
        if (mayPoll()) poll(name, members);
        else next = Math.min(next, now() + 200);
      }
      clearTimeout(timer);
      if (next < Infinity) timer = setTimeout(plan, next - now());
    };

    const poll = async (name, tables) => {
      const channel = { tables, controller: new AbortController() };
      channels.set(name, channel);
      number++;
      const start = now();
      const asked = tables.map(({ following }) => ({ ...following.ask(), number }));
      const [{ after, rows, slot, wait }] = asked;
      const [{ segment, view }] = tables;
      const several = tables.length > 1;
      const outcome = await request("GET", several ? "/v1/changes" : `/v1/tables/${segment}/changes`, {
        query: { after: several ? tables.map((table, index) => `${table.segment}:${asked[index].after}`) : after, rows, view, slot, wait },
        limit: (wait ?? 55) * 1000 + watchdog, controller: channel.controller,
      });
      channel.isAnswered = true;
      await Promise.all(tables.map((table) => table.adding));
      if (channel.isOff) return;
      channels.delete(name);
      receive(tables, asked, outcome, now() - start);
      plan();
    };

    const receive = (tables, asked, { status, body, retryAfter, bytes }, elapsed) => {
      const luck = random();
      const several = tables.length > 1;
      const changes = several && status === 200 ? [body?.changes].flat() : [body];
      const newsOf = (table) => changes.find((change) => !several || change?.table === table.following.server.table);
      const isEarly = asked[0].wait && elapsed < tooQuick && !tables.some(newsOf);
      tables.forEach((table, index) => {
        const { following } = table;
        const { after, slot } = asked[index];
        const news = newsOf(table);
        const code = several && news?.problem ? news.problem.status : status;
        const isRefused = code >= 400 && !isPassing(code);
        let oddity = "early";
        if (isRefused && several && (code !== news?.problem?.status || code === 401)) following.alone = true;
        else if (isRefused && code === 400 && slot !== undefined) following.slot = following.edges = null;
        else if (isRefused && code === 400 && after) following.lost = true;
        else if (isRefused) return table.refuse(problemOf(code, several ? news.problem : body));
        else if (code === 200 && news) {
          try {
            oddity = table.receive(news, asked[index], elapsed, bytes);
          } catch {} // It doesn't fit: as little use as one that came too early.
        } else if (code === 200 && body?.changes && several && !isEarly) oddity = following.unmoved();
        if (isRefused) return;
        if (oddity === "again") postpone(table);
        if (oddity === "early") following.fail(now(), luck, retryAfter);
        table.publishStatus();
      });
    };

    /** Keeps a table from asking again at once, without calling it trouble. */
    const postpone = ({ following }) => {
      const { trouble, hasty } = following;
      Object.assign(following, { retryAt: following.fail(now(), random()), trouble, hasty });
    };

    // Edits.

    /** Sends an edit until it is answered, always under its own key. */
    const carryOut = async ({ segment }, edit) => {
      for (let failures = 0; ; failures++) {
        const { method, path, ...parts } = edit.request;
        const reply = await request(method, `/v1/tables/${segment}${path}`, { ...parts, key: edit.key });
        const { status, body: answer } = reply;
        if (status >= 200 && status < 300 && typeof answer?.cursor === "string") {
          return { state: "acknowledged", answer: freeze(answer), number: ++number };
        }
        const problem = freeze(problemOf(status, answer));
        if (status === 504) return { state: "unknown", problem };
        const isJudged = status >= 500 && status !== 503 && isProblem(answer);
        if (isJudged || !isPassing(status)) return { state: "refused", problem };
        await new Promise((resolve) => {
          const waken = () => {
            clearTimeout(timer);
            sleepers.delete(waken);
            if (!isClosed) resolve();
          };
          const timer = setTimeout(waken, Math.max(reply.retryAfter ?? 0, pauseAfter(failures, random())));
          sleepers.add(waken);
        });
      }
    };

    // What is kept.

    const keyOf = ({ segment }, kind) => `${prefix}${[cells].flat()} ${segment}${kind}`;

    const save = async (table) => {
      clearTimeout(saving.get(table));
      saving.delete(table);
      try {
        await store.set(keyOf(table, ""), table.following.server);
      } catch {} // Without room for it, the next start asks the service.
    };

    /** What tables need of their client. */
    const shared = {
      reasons, plan, postpone, carryOut, newKey, setTimeout, clearTimeout,
      async restore(table) {
        try {
          table.restore(await store?.get(keyOf(table, "")), keepEdits && (await store.get(keyOf(table, " edits"))));
        } catch {} // A store that can't be read holds nothing.
      },
      /** Keeps the table as the server told it, a second after it changed. */
      keep(table) {
        if (store && !saving.has(table)) saving.set(table, setTimeout(() => save(table), 1000));
      },
      async keepEdits(table, edits) {
        try {
          if (keepEdits) await store.set(keyOf(table, " edits"), edits);
        } catch {} // As above: they are sent all the same.
      },
    };

    // What apps use.

    /** The table `name`, of a family with `params`: the same object for the same name, parameters, view and rows. */
    this.table = (name, { params = {}, view, rows } = {}) => {
      const pairs = Object.entries(params).map((pair) => pair.map(encodeURIComponent).join("=")).sort();
      const segment = [encodeURIComponent(name), ...pairs].join(";");
      const key = JSON.stringify([segment, view, rows]);
      if (!tables.has(key)) tables.set(key, new Table(shared, segment, view, rows));
      return tables.get(key);
    };

    const announce = () => {
      for (const table of tables.values()) table.publishStatus();
      plan();
    };
    this.pause = (reason = "app") => {
      reasons.add(reason);
      announce();
    };
    this.resume = (reason = "app") => {
      if (!reasons.delete(reason)) return;
      for (const { following } of tables.values()) following.hasty = following.unsure = true;
      announce();
    };

    const end = () => {
      channels.forEach((channel, name) => callOff(name, channel));
      sleepers.forEach((waken) => waken());
    };

    /** Asks anew at once: the page is seen again, the network is back. */
    this.wake = () => {
      end();
      for (const { following } of tables.values()) following.wake();
      plan();
    };

    /** Forgets what is kept of this service for this caller. */
    this.purge = async () => {
      saving.forEach(clearTimeout);
      saving.clear();
      await store?.delete(prefix);
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

    /** Ends everything; what is to be kept is kept when the promise resolves. */
    this.close = async () => {
      isClosed = true;
      listen("removeEventListener");
      clearTimeout(timer);
      end();
      await Promise.all([...saving.keys()].map(save));
    };
  }
}
