// The cases of replies.jsonl, which every client runs: what it is sent, and what it shows then.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { scripted } from "./scripted.mjs";

const lines = readFileSync(new URL("../../../Tests/ClientCases/replies.jsonl", import.meta.url), "utf8");
const cases = lines.trim().split("\n").map((line) => JSON.parse(line));

const shown = ({ cursor, state, title, sections }) => ({
  cursor,
  state,
  title,
  sections: sections.map(({ id, header, rows }) => ({
    id,
    header: header?.payload ?? null,
    rows: rows.map(({ id, cellIdentifier, payload }) => ({ id, cellIdentifier, payload })),
  })),
});

for (const [number, { name, steps }] of cases.entries()) {
  test(`${number} ${name}`, async () => {
    const { client, transport, clock } = scripted();
    const table = client.table(steps[0].sent.table);
    table.subscribe(() => {});
    for (const [place, step] of steps.entries()) {
      await clock.advance(60_000, () => transport.open.length > 0);
      transport.only.reply({ body: step.sent });
      await clock.advance(0);
      assert.deepEqual(shown(table.snapshot), step.shown, `step ${place}`);
    }
    await client.close();
  });
}
