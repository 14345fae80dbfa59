// A small service with one table that changes at random, over real sockets: snapshot, long poll, resets. It remembers
// every version, so that whatever a client shows can be held against what the service had.

import { createServer } from "node:http";
import { perform } from "./oracle.mjs";
import { row } from "./scripted.mjs";

/** A generator of 32-bit numbers from a seed (mulberry32). */
export function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class FakeService {
  epoch = "e0";
  number = 1;
  sections = [{ id: "a", header: null, footer: null, rows: [row("1"), row("2")] }];
  /** All that was ever true, by cursor. */
  versions = new Map();
  requests = 0;
  #waiting = new Set();
  #changes = [];
  #last = 2;

  constructor(random, speed) {
    this.random = random;
    this.speed = speed;
    this.#remember();
    this.server = createServer((request, response) => this.#answer(new URL(request.url, "http://x"), response));
  }

  get cursor() {
    return `${this.epoch}.${this.number}`;
  }

  listen() {
    return new Promise((resolve) => this.server.listen(0, "127.0.0.1", () => resolve(this.server.address().port)));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  #remember() {
    this.versions.set(this.cursor, this.sections);
  }

  /** One random change, as a legal stage or as another epoch. */
  change() {
    const pick = (count) => Math.floor(this.random() * count);
    const from = this.cursor;
    const fresh = () => row(String(++this.#last));
    const stage = {};
    if (this.random() < 0.03) {
      this.epoch = `e${this.#last++}`;
      this.number = 0;
      this.sections = [{ id: "a", header: null, footer: null, rows: [fresh()] }];
    } else if (this.random() < 0.2) {
      if (this.sections.length > 1 && this.random() < 0.5) {
        const at = pick(this.sections.length);
        stage.sections = { delete: [{ at, id: this.sections[at].id }] };
      } else {
        const section = { id: `s${++this.#last}`, header: null, footer: null, rows: [fresh(), fresh()] };
        stage.sections = { insert: [{ at: pick(this.sections.length + 1), section }] };
      }
    } else {
      const s = pick(this.sections.length);
      const { rows } = this.sections[s];
      const r = pick(rows.length);
      const id = rows[r]?.id;
      const t = pick(this.sections.length);
      const kind = rows.length ? pick(4) : 0;
      if (kind === 0) stage.rows = { insert: [{ at: [s, pick(rows.length + 1)], row: fresh() }] };
      if (kind === 1) stage.rows = { delete: [{ at: [s, r], id }] };
      if (kind === 2) stage.rows = { update: [{ at: [s, r], row: row(id, `title ${++this.#last}`), reload: false }] };
      if (kind === 3) {
        const count = this.sections[t].rows.length - (s === t ? 1 : 0);
        stage.rows = { move: [{ from: [s, r], to: [t, pick(count + 1)], id }] };
      }
    }
    this.number++;
    if (stage.sections || stage.rows) this.sections = perform(this.sections, stage);
    this.#remember();
    this.#changes.push({ from, to: this.cursor, stage });
    for (const wake of [...this.#waiting]) wake();
  }

  #snapshot() {
    return { table: "t", cursor: this.cursor, state: "ready", sections: this.sections };
  }

  #answer({ searchParams }, response) {
    this.requests++;
    const after = searchParams.get("after");
    const send = () => {
      this.#waiting.delete(send);
      clearTimeout(timer);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(this.#reply(after)));
    };
    const timer = setTimeout(send, (Number(searchParams.get("wait") ?? 20) * 1000) / this.speed);
    response.on("close", () => {
      clearTimeout(timer);
      this.#waiting.delete(send);
    });
    if (after !== this.cursor) send();
    else this.#waiting.add(send);
  }

  #reply(after) {
    const to = this.cursor;
    const reply = { table: "t", from: after, to };
    if (after === to) return { ...reply, stages: [] };
    const first = this.#changes.findIndex(({ from }) => from === after);
    const since = this.#changes.slice(first);
    // Up to three changes as three stages; more would be no changeset of the protocol's.
    const sameEpoch = after?.split(".")[0] === this.epoch;
    if (first < 0 || since.length > 3 || !sameEpoch) {
      return { ...reply, reset: after === null ? "start" : sameEpoch ? "large" : "epoch", snapshot: this.#snapshot() };
    }
    return { ...reply, stages: since.map(({ stage }) => stage) };
  }
}
