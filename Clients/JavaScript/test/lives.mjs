// Random lives of an app, on a given clock: it is offline for hours and days, is killed, has a second tab and a second
// device beside it, its login ends, it is in a hotel, a proxy errs, and the service is restarted from a backup. At
// the end every edit was done exactly once, or stands in front of the person with its reason.
// `node lives.mjs [LIVES] [FIRST SEED]` runs some and prints the seeds of those that went wrong.

import { fileURLToPath } from "node:url";
import { TablecastClient } from "../tablecast.js";
import { keptEdits } from "../kept.js";
import { seeded } from "./fake-service.mjs";
import { FakeLocks } from "./fake-locks.mjs";
import { memory, row, ScriptedClock } from "./scripted.mjs";

const hour = 3_600_000;
const baseOf = (key) => key.split("-")[0];
const problem = (status, title) => ({ status, type: "application/problem+json", body: { title, status } });

/** A table in memory with all that edits need: keys for a day, identities, cursors, backups. */
export class Service {
  epochs = 1;
  version = 1;
  // What a backup has: rows, keys with their answers, and how often each edit was done.
  state = { rows: ["a", "b", "c"], keys: {}, done: {} };
  names = 0;
  waiting = new Set();

  constructor(clock, takesIdentities) {
    Object.assign(this, { clock, takesIdentities });
  }

  get cursor() {
    return `${String(this.epochs).padStart(12, "0")}.${this.version}`;
  }

  changed() {
    this.version++;
    for (const wake of [...this.waiting]) wake();
  }

  setBack(state) {
    this.state = structuredClone(state);
    this.epochs++;
    this.version = 0;
    this.changed();
  }

  snapshot = () => ({ table: "t", cursor: this.cursor, state: "ready", sections: [{ id: "s", rows: this.state.rows.map((id) => row(id)) }] });

  poll({ after }) {
    const to = this.cursor;
    return { body: { table: "t", from: after ?? null, to, ...(after === to ? { stages: [] } : { reset: "start", snapshot: this.snapshot() }) } };
  }

  edit(method, path, key, body) {
    const { rows, keys, done } = this.state;
    const known = keys[key];
    if (known && this.clock.Date.now() - known.at < 24 * hour && known.name === `${method} ${path}`) return known.answer;
    const answer = (() => {
      const id = decodeURIComponent(path.split("/")[5] ?? "");
      if (method === "PUT" && !this.takesIdentities) return problem(405, "Method Not Allowed");
      if (method === "PUT" && rows.includes(id)) return problem(412, "Precondition Failed");
      if (body?.title === "bad") return problem(422, "Unprocessable");
      if (!["PUT", "POST"].includes(method) && !rows.includes(id)) return problem(404, "Not Found");
      const own = { PUT: id, POST: `n${++this.names}` }[method] ?? id;
      if (method === "DELETE") rows.splice(rows.indexOf(id), 1);
      else if (!rows.includes(own)) rows.push(own);
      done[baseOf(key)] = (done[baseOf(key)] ?? 0) + 1;
      this.changed();
      return { status: 200, body: { cursor: this.cursor, id: own } };
    })();
    if (![405].includes(answer.status)) keys[key] = { at: this.clock.Date.now(), name: `${method} ${path}`, answer };
    return answer;
  }
}

/** One life. Returns what went wrong, in words. */
export async function live(seed) {
  const random = seeded(seed);
  const chance = (share) => random() < share;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const clock = new ScriptedClock();
  const service = new Service(clock, chance(0.7));
  const kept = new Map();
  const locks = new FakeLocks();
  const made = new Map();
  /** Edits that were over when the service was set back to a time before them. */
  const excused = new Set();
  let network = "fine";
  let valid = "token-1";
  let token = valid;
  let backup = structuredClone(service.state);
  let programs = [];

  const respond = ({ status = 200, type = "application/json", body }) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "Content-Type": type } });
  const page = (status) => respond({ status, type: "text/html", body: "<html>Welcome</html>" });

  const begin = () => {
    const program = { isDead: false, locks: locks.program(), store: memory(kept) };
    const fetch = async (url, { method, headers, body, signal }) => {
      if (program.isDead) return new Promise(() => {});
      const { pathname, searchParams } = new URL(url);
      const query = Object.fromEntries(searchParams);
      const mishap = network === "proxy" ? pick(["502", "504", "200", "before", "after", "hang", "none", "none"]) : network;
      const called = new Promise((_, reject) => signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))));
      called.catch(() => {});
      if (signal.aborted) throw new DOMException("aborted", "AbortError");
      if (mishap === "offline" || mishap === "before") throw new TypeError("no network");
      if (mishap === "hotel") return page(pick([200, 403, 404, 511]));
      if (["502", "504", "200"].includes(mishap)) return mishap === "200" ? respond({ body: {} }) : page(+mishap);
      if (headers.Authorization !== `Bearer ${valid}`) return respond(problem(401, "Unauthorized"));
      let answer;
      if (method !== "GET") answer = service.edit(method, pathname, headers["Idempotency-Key"], body && JSON.parse(body));
      else if (pathname.endsWith("/changes")) {
        if (query.after === service.cursor && query.wait !== "0") {
          await Promise.race([called, new Promise((wake) => {
            const over = () => (service.waiting.delete(over), wake());
            service.waiting.add(over);
            clock.setTimeout(over, query.wait * 1000);
          })]);
        }
        answer = service.poll(query);
      } else answer = { body: service.snapshot() };
      if (mishap === "hang") return called;
      if (mishap === "after" || program.isDead) throw new TypeError("the connection broke");
      return respond(answer);
    };
    program.client = new TablecastClient("http://service", {
      fetch, clock, random, token: () => token, keepEdits: keptEdits(program.store, { locks: program.locks }),
      newKey: () => `k${made.size}x`,
    });
    program.table = program.client.table("t");
    if (chance(0.8)) program.table.subscribe(() => {});
    programs.push(program);
    return program;
  };

  const kill = (program) => {
    program.isDead = true;
    program.store.set = program.store.delete = async () => {};
    program.locks.end();
    programs = programs.filter((other) => other !== program);
  };

  /** The edits that stand in front of somebody, or are kept for a program to come. */
  const listed = () => new Map(programs.flatMap(({ table }) => table.snapshot.edits.map((edit) => [edit.key, edit])));

  const edit = ({ table }) => {
    const rows = table.snapshot.sections.flatMap(({ rows }) => rows.map(({ id }) => id));
    const added = [...made.keys()].filter((key) => table.snapshot.edits.some((one) => one.key === key && one.op === "add"));
    const target = chance(0.4) && added.length ? pick(added) : pick(rows);
    const kind = target === undefined ? "add" : pick(["add", "add", "patch", "patch", "delete"]);
    const one = {
      add: () => table.add({ title: chance(0.1) ? "bad" : "new" }, {}, { show: { cellIdentifier: "C", payload: {} } }),
      patch: () => table.patch(target, { title: chance(0.1) ? "bad" : "other" }),
      delete: () => table.delete(target),
    }[kind]();
    made.set(one.key, kind);
  };

  begin();
  await clock.advance(1000);
  for (let step = 0; step < 30; step++) {
    const program = pick(programs) ?? begin();
    const what = random();
    if (what < 0.4) edit(program);
    else if (what < 0.55) network = pick(["fine", "fine", "offline", "hotel", "proxy", "proxy"]);
    else if (what < 0.62) {
      // The device sleeps for hours or days: no timer runs.
      await clock.sleep(random() * pick([1, 10, 60]) * hour);
      if (chance(0.7)) program.client.wake();
    } else if (what < 0.7) {
      kill(program);
      await clock.advance(0);
      if (chance(0.8) || !programs.length) begin();
    } else if (what < 0.75) {
      if (programs.length < 3) begin();
    } else if (what < 0.8) service.edit("POST", "/v1/tables/t/items", `device${step}`, {});
    else if (what < 0.83 && service.state.rows.length) service.edit("DELETE", `/v1/tables/t/items/${pick(service.state.rows)}`, `device${step}`);
    else if (what < 0.87) valid = `token-${step + 2}`;
    else if (what < 0.92) {
      token = valid;
      if (chance(0.5)) program.client.resume();
    } else if (what < 0.95) backup = structuredClone(service.state);
    else if (what < 0.97) {
      const open = listed();
      for (const key of made.keys()) if (!open.has(key) && !backup.done[key]) excused.add(key);
      service.setBack(backup);
    } else {
      const [bad] = [...listed().values()].filter(({ state }) => state === "refused");
      bad?.retry();
    }
    await clock.advance(random() * pick([100, 2000, 60_000]));
  }

  // All is well again, and somebody looks.
  network = "fine";
  token = valid;
  if (!programs.length) begin();
  for (const { client, table } of programs) {
    table.subscribe(() => {});
    client.wake();
    client.resume();
  }
  await clock.advance(300_000);
  for (const { client } of programs) client.wake();
  await clock.advance(300_000);

  const wrong = [];
  const open = listed();
  for (const [key, kind] of made) {
    const done = service.state.done[key] ?? 0;
    const edit = open.get(key);
    const stands = edit && `${edit.state}, ${JSON.stringify(edit.problem)}`;
    if (done > 1) wrong.push(`${kind} ${key} was done ${done} times`);
    else if (!edit && done !== 1 && !excused.has(key)) wrong.push(`${kind} ${key} has disappeared`);
    else if (edit && !["refused", "unknown"].includes(edit.state) && !waitsForAnother(edit, open)) wrong.push(`${kind} ${key} is still ${stands}`);
    else if (edit?.state === "refused" && done && !excused.has(key)) wrong.push(`${kind} ${key} was done, and is ${stands}`);
    else if (edit?.state === "refused" && !edit.problem?.detail && edit.problem?.title?.startsWith("HTTP")) wrong.push(`${kind} ${key} is ${stands}`);
    else if (["refused", "unknown"].includes(edit?.state) && !edit.problem?.title) wrong.push(`${kind} ${key} has no reason`);
  }
  const counts = { edits: made.size, done: 0, refused: 0, unknown: 0, waiting: 0, excused: excused.size };
  for (const key of made.keys()) {
    const state = open.get(key)?.state;
    if (!state) counts.done++;
    else counts[state in counts ? state : "waiting"]++;
  }
  for (const { client } of programs) await client.close();
  return { wrong, counts };
}

/** It is about a row whose addition stands in front of the person: until they decide, it waits. */
function waitsForAnother({ row, state }, open) {
  const add = open.get(row);
  return state === "local" && add?.op === "add" && ["refused", "unknown"].includes(add.state);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [lives = 1000, first = Math.floor(Math.random() * 1e9)] = process.argv.slice(2).map(Number);
  const all = {};
  let failed = 0;
  console.log(`${lives} lives, seeds from ${first}`);
  for (let seed = first; seed < first + lives; seed++) {
    const { wrong, counts } = await live(seed);
    for (const name in counts) all[name] = (all[name] ?? 0) + counts[name];
    if (wrong.length && ++failed <= 20) console.log(`seed ${seed}: ${wrong.join("; ")}`);
  }
  console.log(JSON.stringify(all), `${failed} lives went wrong`);
  process.exit(failed ? 1 : 0);
}
