// What one changeset to a list of 100,000 rows costs in the JavaScript client, from its JSON's being read until observers
// have the state: beside a plain copy of the array, which any client makes that hands out immutable states.
// `node changesets.mjs [ROWS] [ROUNDS]`

import { TablecastClient } from "../../Clients/JavaScript/core.js";

const [rowCount = 100_000, rounds = 60] = process.argv.slice(2).map(Number);
const row = (id, title = id) => ({ id, cellIdentifier: "Label", payload: { title }, can: { edit: true, move: true, select: true } });

/** A service in this process: it answers a poll when it is told what with. */
let waiting;
const fetch = () => new Promise((resolve) => (waiting = (body) => resolve({ status: 200, headers: new Headers(), text: async () => JSON.stringify(body) })));
const asked = async () => {
  while (!waiting) await new Promise((resolve) => setImmediate(resolve));
  const answer = waiting;
  waiting = undefined;
  return answer;
};

// The client makes five requests a second at most: its clock leaps a second between two of them.
let leapt = 0;
const clock = { performance: { now: () => performance.now() + leapt }, setTimeout: (action, ms) => setTimeout(action, Math.min(ms, 1000)), clearTimeout };
const client = new TablecastClient("http://service", { fetch, clock });
const table = client.table("t");
let shown = () => {};
table.subscribe(() => shown(performance.now()));

const rows = Array.from({ length: rowCount }, (_, index) => row(`r${index}`));
(await asked())({
  table: "t", from: null, to: "aa.1", reset: "start",
  snapshot: { table: "t", cursor: "aa.1", state: "ready", sections: [{ id: "s", header: null, footer: null, rows }] },
});

const list = () => table.snapshot.sections[0].rows;
const middle = Math.floor(rowCount / 2);
const late = Math.floor(rowCount * 0.9);
const kinds = {
  update: (round) => ({ rows: { update: [{ at: [0, middle], row: row(list()[middle].id, `${round}`), reload: false }] } }),
  insert: (round) => ({ rows: { insert: [{ at: [0, 10], row: row(`n${round}`) }] } }),
  delete: () => ({ rows: { delete: [{ at: [0, 10], id: list()[10].id }] } }),
  move: () => ({ rows: { move: [{ from: [0, late], to: [0, 5], id: list()[late].id }] } }),
};

let version = 1;
async function measure(stageOf) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const answer = await asked();
    leapt += 1000;
    const body = { table: "t", from: `aa.${version}`, to: `aa.${++version}`, stages: [stageOf(round)] };
    const seen = new Promise((resolve) => (shown = resolve));
    const began = performance.now();
    answer(body);
    times.push((await seen) - began);
    shown = () => {};
  }
  return times;
}

const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1];
const copies = () => Array.from({ length: rounds }, () => {
  const source = list();
  const began = performance.now();
  Object.freeze([...source]);
  return performance.now() - began;
});

await asked().then((answer) => (waiting = answer));
await measure(kinds.update); // The engine gets warm.
const copy = median([...copies(), ...copies()]);
console.log(`${rowCount} rows, node ${process.version}: a plain copy of the array, frozen: ${copy.toFixed(3)} ms\n`);
console.log("| a changeset of one | median ms | quickest ms | median / copy |\n| --- | --- | --- | --- |");
for (const [name, stageOf] of Object.entries(kinds)) {
  const times = await measure(stageOf);
  console.log(`| ${name} | ${median(times).toFixed(2)} | ${Math.min(...times).toFixed(2)} | ${(median(times) / copy).toFixed(1)} |`);
}
await client.close();
process.exit();
