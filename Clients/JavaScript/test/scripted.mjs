// A transport and a clock that tests move by hand.

import assert from "node:assert/strict";
import { TablecastClient } from "../tablecast.js";

/** Lets everything that is ready to run, run. */
export async function settle() {
  for (let round = 0; round < 4; round++) await new Promise((resolve) => setImmediate(resolve));
}

export class ScriptedClock {
  #now = 0;
  #timers = new Map();
  #last = 0;

  performance = { now: () => this.#now };
  Date = { now: () => 1_700_000_000_000 + this.#now };
  setTimeout = (action, ms) => {
    this.#timers.set(++this.#last, { at: this.#now + Math.max(0, ms), action });
    return this.#last;
  };
  clearTimeout = (timer) => this.#timers.delete(timer);

  /** Moves on by `ms` as a device that sleeps: what was due meanwhile comes afterwards. */
  async sleep(ms) {
    this.#now += ms;
    await this.advance(0);
  }

  /** Moves on by `ms`, timer by timer; stops early where `until` holds. */
  async advance(ms, until = () => false) {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      if (until()) return;
      const [timer, next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (!next) break;
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, next.at);
      next.action();
    }
    this.#now = end;
    await settle();
  }
}

/** Requests as they come; each is answered by the test. Those that were called off are gone from `open`. */
export class ScriptedTransport {
  open = [];
  count = 0;

  fetch = (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      this.count++;
      const { pathname, searchParams } = new URL(url);
      const query = {};
      for (const [name, value] of searchParams) query[name] = name in query ? [query[name], value].flat() : value;
      const request = { method, path: pathname, query, headers, body: body && JSON.parse(body) };
      const end = (action) => (value) => {
        this.open = this.open.filter((other) => other !== request);
        action(value);
      };
      request.fail = end(() => reject(new TypeError("the connection broke")));
      request.reply = end(({ status = 200, headers = {}, body = "" }) => {
        const text = typeof body === "string" ? body : JSON.stringify(body);
        // As the service names its refusals.
        const type = status >= 400 && body.title ? { "Content-Type": "application/problem+json" } : {};
        resolve(new Response([204, 304].includes(status) ? null : text, { status, headers: { ...type, ...headers } }));
      });
      if (signal.aborted) return void reject(new DOMException("aborted", "AbortError"));
      signal.addEventListener("abort", end(() => reject(new DOMException("aborted", "AbortError"))));
      this.open.push(request);
      this.onrequest?.(request);
    });

  /** The one open request. */
  get only() {
    assert.equal(this.open.length, 1, `open: ${this.open.map(({ path, query }) => path + JSON.stringify(query))}`);
    return this.open[0];
  }
}

/** A client whose network, time and luck are the test's. */
export function scripted(options = {}) {
  const transport = new ScriptedTransport();
  const clock = new ScriptedClock();
  let keys = 0;
  const client = new TablecastClient("http://service", {
    fetch: transport.fetch, clock, random: () => 1, newKey: () => `key-${++keys}`, ...options,
  });
  return { client, transport, clock };
}

export const row = (id, title = id) => ({
  id, cellIdentifier: "Label", payload: { title }, can: { edit: true, move: true, select: true },
});
/** A snapshot `t` of one section for each list of row ids. */
export const snapshot = (cursor, lists, more = {}) => ({
  table: "t", cursor, state: "ready", title: "T",
  sections: Object.entries(lists).map(([id, rows]) => ({ id, header: null, footer: null, rows: rows.map((id) => row(id)) })),
  counts: { sections: Object.keys(lists).length, rows: Object.values(lists).flat().length }, ...more,
});
export const start = (snapshot, table = "t") => ({ table, from: null, to: snapshot.cursor, reset: "start", snapshot: { ...snapshot, table } });
export const ids = (table) => Object.fromEntries(table.sections.map(({ id, rows }) => [id, rows.map(({ id }) => id)]));

/** A store in memory. */
export function memory(kept = new Map()) {
  return {
    kept,
    get: async (key) => structuredClone(kept.get(key)),
    set: async (key, value) => void kept.set(key, structuredClone(value)),
    delete: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).forEach((key) => kept.delete(key)),
  };
}
