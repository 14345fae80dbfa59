// The cases of editing.json, which every client runs: whatever is on the way, what a person has done is there, or in
// front of them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { keptEdits } from "../kept.js";
import { ids, memory, row, ScriptedClock, scripted, ScriptedTransport } from "./scripted.mjs";

const { cases } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/editing.json", import.meta.url)));
const cell = { cellIdentifier: "C", payload: {} };

class Run {
  clock = new ScriptedClock();
  kept = new Map();
  keys = 0;
  edits = {};
  seen = {};
  held = {};
  service = { cursor: "", rows: [] };
  isOffline = false;

  constructor() {
    this.start();
  }

  start() {
    // Each run of the program has a store of its own to the same data: that of one that was killed leads nowhere.
    this.store = memory(this.kept);
    this.transport = new ScriptedTransport();
    this.transport.onrequest = (request) => this.take(request);
    ({ client: this.client } = scripted({
      clock: this.clock, fetch: this.transport.fetch, keepEdits: keptEdits(this.store), newKey: () => `key-${++this.keys}`,
    }));
    this.table = this.client.table("t");
  }

  /** As the service would, or the network. */
  take(request) {
    const { method, query } = request;
    if (this.isOffline) return void queueMicrotask(request.fail);
    if (method !== "GET") return;
    const { cursor, rows } = this.service;
    const whole = { table: "t", cursor, state: "ready", sections: [{ id: "s", rows: rows.map((id) => row(id)) }] };
    const { after, wait, rows: window } = query;
    if (window && wait === undefined) return void queueMicrotask(() => request.reply({ body: whole }));
    const stages = after === cursor ? { stages: [] } : { reset: "start", snapshot: whole };
    const reply = () => request.reply({ body: { table: "t", from: after ?? null, to: cursor, ...stages } });
    if (after === cursor && wait !== "0") this.clock.setTimeout(reply, wait * 1000);
    else queueMicrotask(reply);
  }

  serve(state) {
    this.service = this.named(state);
    for (const request of this.transport.open) this.take(request);
  }

  named(value) {
    let text = JSON.stringify(value);
    for (const [name, { key }] of Object.entries(this.edits)) text = text.replaceAll(`$${name}`, key);
    return JSON.parse(text);
  }

  get open() {
    return this.transport.open.filter(({ method }) => method !== "GET");
  }

  /** The edit as it is listed now: after a restart another object than the one that was made. */
  edit(name) {
    return this.table.snapshot.edits.find(({ key }) => key === this.edits[name].key) ?? this.edits[name];
  }

  async step(step, at) {
    const { clock, client, table } = this;
    if (step.service && !step.sent) {
      this.serve(step.service);
      await clock.advance(2000);
    } else if (step.observe) table.subscribe(() => {});
    else if (step.edit) {
      const { edit, as, row, body, place, show } = this.named(step);
      const given = { add: [body, place, { show: show && cell }], patch: [row, body], delete: [row], move: [row, place], tap: [row], refresh: [] };
      this.edits[as] = table[edit](...given[edit]);
    } else if (step.sent) {
      const { method, path, query = {}, headers = {}, body } = this.named(step.sent);
      const former = this.held[step.after];
      const found = () => this.open.find((open) =>
        open !== former && open.method === method && open.path === path &&
        assert.deepEqual(open.query, query) === undefined &&
        Object.entries(headers).every(([name, value]) => open.headers[name] === value));
      await clock.advance(step.within * 1000, found);
      const request = found();
      assert.ok(request, `${at}: open are ${JSON.stringify(this.transport.open)}`);
      assert.equal(this.open.length, 1, at);
      if (body !== undefined) assert.deepEqual(request.body, body, at);
      const key = request.headers["Idempotency-Key"];
      this.seen[step.key] ??= key;
      assert.equal(key, this.seen[step.key], at);
      assert.equal(Object.values(this.seen).filter((other) => other === key).length, 1, at);
      if (step.reply) request.reply(this.named(step.reply));
      if (step.service) {
        // By the time of the answer the service has the edit.
        this.serve(step.service);
        await clock.advance(2000);
      }
      else if (step.fail) request.fail();
      else if (step.held) this.held[step.held] = request;
    } else if (step.answer) this.held[step.answer].reply(this.named(step.reply));
    else if (step.none !== undefined) {
      await clock.advance(0);
      await clock.advance(step.none * 1000, () => this.open.length > 0);
      assert.deepEqual(this.open, [], at);
    } else if (step.advance) await clock.advance(step.advance * 1000);
    else if ("offline" in step) {
      this.isOffline = step.offline;
      if (step.offline) for (const request of this.transport.open) request.fail();
    } else if (step.wake) {
      await clock.advance(1000);
      client.wake();
    } else if (step.resume) client.resume();
    else if (step.token) client.useToken("another");
    else if (step.retry) this.edit(step.retry).retry();
    else if (step.discard) this.edit(step.discard).discard();
    else if (step.kill) {
      this.transport.fetch = () => new Promise(() => {});
      this.transport.onrequest = null;
      for (const request of this.transport.open) request.fail();
      // What is killed neither keeps nor sends any more.
      this.store.set = this.store.delete = async () => {};
      this.start();
    } else if (step.state) {
      const { state, problem, done } = this.edit(step.state);
      assert.equal(state, step.is, at);
      if (state === "confirmed") assert.equal((await done).state, state);
      if (step.title) assert.equal(problem.title, step.title, at);
      if (step.fields) assert.deepEqual(problem.fields, step.fields, at);
    } else if (step.listed) {
      assert.deepEqual(table.snapshot.edits.map(({ key }) => key), step.listed.map((name) => this.edits[name].key), at);
    } else if ("trouble" in step) assert.equal(table.snapshot.trouble?.reason ?? null, step.trouble, at);
    else if (step.shows) assert.deepEqual(Object.values(ids(table.snapshot)).flat(), this.named(step.shows), at);
    else assert.fail(`a step that this runner doesn't know: ${at}`);
    await clock.advance(0);
  }
}

for (const { name, steps } of cases) {
  test(name, async () => {
    const run = new Run();
    await run.clock.advance(0);
    for (const [index, step] of steps.entries()) await run.step(step, `step ${index} ${JSON.stringify(step)}`);
    await run.client.close();
  });
}
