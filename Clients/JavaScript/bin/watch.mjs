#!/usr/bin/env node
// Follows a table and prints a line of JSON for each state that it would show: what `tablecast watch … --json` prints.

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { TablecastClient } from "../tablecast.js";
import { folderStore } from "./folder-store.mjs";

const usage = `usage: watch.mjs URL TABLE [--param k=v]… [--view V] [--rows N|F-T] [--cells A,B]
                [--find 'q=TEXT&filter=ID:VALUE&sort=ID'] [--token T] [--store DIR] [--seconds N] --json`;

/** `50`, `100-149` or `all`, as the client takes them. */
function readRows(text) {
  if (text === undefined || text === "all") return text;
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const count = last === undefined ? Number(first) : last - first + 1;
  if (!(count >= 1 && count <= 10_000)) throw new Error(`--rows ${text}: 1 to 10000, FIRST-LAST with 10000 rows at most, or all`);
  return last > count - 1 ? `${Number(first)}-${Number(last)}` : count;
}

/** `q=swi&filter=state:open&sort=newest`, as the arguments of `find`; percent-encoded, as in a URL. */
function readFind(text) {
  if (text === undefined) return undefined;
  let [q, sort] = ["", null];
  const filters = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [id, ...rest] = value.split(":");
    if (name === "q") q = value;
    else if (name === "sort") sort = value;
    else if (name === "filter" && rest.length) (filters[id] ??= []).push(rest.join(":") || "none");
    else throw new Error(`--find ${text}: it is q=TEXT, filter=ID:VALUE and sort=ID, with & between them`);
  }
  return [q, filters, sort];
}

function readArguments() {
  const text = { type: "string" };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      param: { type: "string", multiple: true, default: [] },
      view: text, rows: text, cells: text, find: text, token: text, store: text, seconds: text, json: { type: "boolean" },
    },
  });
  const [url, table, ...rest] = positionals;
  if (!URL.canParse(url ?? "") || !table || rest.length) throw new Error("a URL and a table are to be given");
  const params = Object.fromEntries(values.param.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new Error(`--param ${pair}: it is name=value`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  }));
  const rows = readRows(values.rows);
  const find = readFind(values.find);
  const seconds = values.seconds === undefined ? Infinity : Number(values.seconds);
  if (!(seconds >= 0)) throw new Error(`--seconds ${values.seconds}: a number of seconds`);
  return { ...values, url, table, params, rows, find, seconds };
}

let given, client, table;
try {
  given = readArguments();
  client = new TablecastClient(given.url, {
    token: given.token,
    cells: given.cells?.split(",").map((cell) => cell.trim()),
    store: given.store && folderStore(given.store),
    // The owner of the stored tables; the token itself is not stored.
    caller: given.token && createHash("sha256").update(given.token).digest("hex"),
  });
  // Throws for a name that no URL has.
  table = client.table(given.table, given);
  if (given.find) table.find(...given.find);
} catch (error) {
  process.stderr.write(`${error.message}\n${usage}\n`);
  process.exit(64);
}

let printed = "";

async function end(status) {
  stop();
  await client.close();
  process.exitCode = status;
  // Flush the output, then end, even if a connection is still open.
  process.stdout.write("", () => process.exit());
}

function print({ after }) {
  const { table, cursor, state, connection, sections, window = null, find, refusal } = after;
  if (connection === "connecting") return;
  const problem = refusal && {
    title: refusal.title, status: refusal.status ?? 0, detail: refusal.detail ?? "", field: refusal.field ?? refusal.at?.toString(),
  };
  const line = JSON.stringify({ table, cursor, state, connection, sections, window, ...(find && { find }), ...(problem && { problem }) });
  if (line === printed) return;
  printed = line;
  process.stdout.write(`${line}\n`);
  if (connection === "refused") end(1);
}

const stop = table.subscribe(print);
if (given.seconds !== Infinity) setTimeout(() => end(0), given.seconds * 1000);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end(0));
// The reader of the output has gone.
process.stdout.on("error", () => process.exit(0));
