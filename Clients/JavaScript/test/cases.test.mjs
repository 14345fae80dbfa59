// The cases of following.json, which every client runs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ids, scripted } from "./scripted.mjs";

const { cases } = JSON.parse(readFileSync(new URL("../../../Tests/ClientCases/following.json", import.meta.url)));
const sorted = (query) => JSON.stringify(Object.entries(query).map(([k, v]) => [k, [v].flat().sort()]).sort());

for (const { name, steps } of cases) {
  test(name, async () => {
    const { client, transport, clock } = scripted();
    const tables = {};
    const stops = {};
    const releases = {};
    for (const step of steps) {
      const at = JSON.stringify(step);
      if (step.observe) {
        const { params, view, rows } = step;
        tables[step.observe] = client.table(step.observe, { params, view, rows });
        stops[step.observe] = tables[step.observe].subscribe(() => {});
      }
      if (step.leave) stops[step.leave]();
      if (step.pause) client.pause(step.pause);
      if (step.resume) client.resume(step.resume);
      if (step.wake) client.wake();
      if (step.hold) releases[step.hold] = tables[step.hold].hold();
      if (step.release) releases[step.release]();
      if (step.more) tables[step.more].loadMore(step.rows);
      if (step.advance) await clock.advance(step.advance * 1000);
      await clock.advance(0);
      if (step.request) {
        const { path, query } = step.request;
        const found = () => transport.open.find((open) => open.path === path && sorted(open.query) === sorted(query));
        await clock.advance((step.within ?? 0) * 1000, found);
        assert.ok(found(), `${at}: open are ${JSON.stringify(transport.open)}`);
        if (step.reply) found().reply(step.reply);
        else if (step.fail) found().fail();
      }
      if (step.answerAll) {
        const answer = (request) => clock.setTimeout(() => request.reply(step.answerAll), 50);
        const answered = new Set();
        const end = clock.performance.now() + step.for * 1000;
        while (clock.performance.now() < end) {
          for (const request of transport.open) if (!answered.has(request)) answered.add(request) && answer(request);
          await clock.advance(50);
        }
      }
      if (step.none !== undefined) {
        await clock.advance(step.none * 1000, () => transport.open.length > 0);
        assert.deepEqual(transport.open, [], at);
      }
      await clock.advance(0);
      if (step.shown) {
        const { snapshot } = tables[step.shown];
        for (const member of ["connection", "cursor", "state"]) {
          if (member in step) assert.equal(snapshot[member], step[member], at);
        }
        if (step.rows) assert.deepEqual(ids(snapshot), step.rows, at);
        for (const [id, skipped] of Object.entries(step.skipped ?? {})) {
          const section = snapshot.sections.find((section) => section.id === id);
          assert.equal(section.skipped ?? 0, skipped, at);
          assert.notEqual(section.skipped, 0, at);
        }
        if (step.window) assert.deepEqual(snapshot.window, step.window, at);
        if (step.problem) assert.equal(snapshot.refusal.title, step.problem, at);
      }
      if (step.requests) assert.ok(transport.count <= step.requests, `${at}: ${transport.count} requests`);
    }
    await client.close();
  });
}
