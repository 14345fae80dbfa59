// What an app writes: compiled by a test with `--strict`, never run. Lines that must not compile say so.

import { applyStage, indexedDBStore, isAsNewAs, TablecastClient } from "tablecast";
import type { Cell, Change, Edit, Problem, Row, Section, Snapshot, Store, Table } from "tablecast";
import { bindTable } from "tablecast/bind";
import { TablecastClient as Follower } from "tablecast/core";
import { finding } from "tablecast/find";
import { keptEdits } from "tablecast/kept";
import { sharedTabs } from "tablecast/tabs";
import { TablecastTable } from "tablecast/element";
import { bindSearch } from "tablecast/search";
import { useEdit, useFind, useRow, useTable } from "tablecast/react";

type Label = { readonly cellIdentifier: "Label"; readonly payload: { readonly title: string } };
type Poll = { readonly cellIdentifier: "Poll"; readonly payload: { readonly title: string; readonly votes: number } };
type AppCell = Label | Poll;

const client = new TablecastClient(new URL("https://service.example"), {
  token: async ({ fresh }) => (fresh ? "new" : undefined),
  cells: ["Label", "Poll;v=2"],
  store: indexedDBStore(),
  caller: "ann",
  keepEdits: keptEdits(indexedDBStore()),
  pauseHidden: true,
  tabs: sharedTabs(),
});
const table: Table<AppCell> = client.table<AppCell>("issues", { params: { owner: "apple" }, view: "v", rows: 50 });

const stop: () => void = table.subscribe(({ type, before, after, bytes }: Change<AppCell>) => {
  const isReset: boolean = type === "reset";
  const counts: number | undefined = after.counts?.rows;
  const sections: readonly Section<AppCell>[] = before.sections;
  for (const row of after.sections.flatMap(({ rows }) => rows)) {
    // The cell's kind tells its payload apart.
    const text: string = row.cellIdentifier === "Poll" ? `${row.payload.votes}` : row.payload.title;
    const state: string | undefined = row.pending?.state;
    console.log(text, state, isReset, counts, sections, bytes);
  }
  // @ts-expect-error: snapshots are frozen.
  after.sections = [];
  // @ts-expect-error: there is no such connection.
  console.log(after.connection === "connected");
});

async function edit(row: Row<AppCell>): Promise<void> {
  const moved: Edit = await table.move(row.id, { section: "later", at: 0 }).done;
  const problem: Problem | null = moved.problem;
  if (moved.state === "unknown") moved.retry();
  else if (problem) moved.discard();
  table.patch(row.id, { title: null }, { show: (shown) => ({ ...shown }) });
  table.add({ title: "New" }, { after: row.id }, { show: { cellIdentifier: "Label", payload: { title: "New" } } });
  table.action(row.id, "archive", [1, "two"]);
  const release: () => void = table.hold();
  release();
  // @ts-expect-error: a row is named by its id.
  table.delete(row);
  // @ts-expect-error: JSON has no functions.
  table.patch(row.id, { title: () => "" });
}

const kept = new Map<string, unknown>();
const memory: Store = {
  get: (key) => kept.get(key),
  set: async (key, value) => void kept.set(key, value),
  delete: (prefix) => kept.delete(prefix),
};
new TablecastClient("http://127.0.0.1:8080", { store: memory, fetch, clock: globalThis });

const end: () => void = bindTable(document.body, table, {
  create: (row) => Object.assign(document.createElement("li"), { id: row.id }),
  update: (node, row, before) => (node.value = row.cellIdentifier.length + (before?.payload.title.length ?? 0)),
  header: (section, node = document.createElement("h3")) => ((node.textContent = section.id), node),
  empty: ({ state }) => (state === "loading" ? null : document.createElement("p")),
  drawn: () => console.log(document.body.childElementCount),
});

function Component(): string {
  const snapshot: Snapshot<AppCell> = useTable(table);
  const row: Row<AppCell> | undefined = useRow(table, "1");
  const one = useEdit(table, "1");
  const all = useEdit(table);
  const edits: readonly Edit[] = [one.patch({ done: true }), all.patch("1", { done: true }), ...one.edits];
  // @ts-expect-error: without a row it is to be named.
  all.delete();
  return `${snapshot.title} ${row?.id} ${edits.length}`;
}

table.find("swi", { state: "open", label: ["bug"] }, "newest");
table.find(null);
const began: Snapshot<AppCell> = table.initialSnapshot;
const found: number | undefined = table.snapshot.find?.filters?.[0]?.values[0]?.count;
const isFound: boolean | undefined = table.snapshot.search?.isFound;
// @ts-expect-error: a filter's value is a text.
table.find("", { state: 1 });
const unlisten: () => void = client.events.subscribe(({ path, status, problem }) => console.log(path, status, problem?.title));
const last: string | undefined = client.events.lastError?.problem?.title;
client.table("issues", { rows: "0-49", screen: "left" });
const plain = new Follower("http://127.0.0.1:8080").table("t");
finding(plain);
plain.find("x");
export { found, isFound, last, unlisten };

const fields: readonly string[] | undefined = table.snapshot.edits[0]?.problem?.fields?.["name"];
const reason: string | undefined = table.snapshot.trouble?.reason;
table.reload();
client.useToken("another");
// @ts-expect-error: a table of the core has no edits.
new Follower("http://127.0.0.1:8080").table("t").delete("1");
export { fields, reason };

const { find, search, setQuery, toggle, setSort } = useFind(table);
setQuery("swi");
toggle("state", find?.filters?.[0]?.values[0]?.value ?? "open");
setSort(search?.sort ?? null);
const endSearch: () => void = bindSearch(document.body, table, { found: (count) => `${count} books` });
export { endSearch };

const element: TablecastTable = document.createElement("tablecast-table");
element.token = async () => "token";
element.words = { empty: "Nichts da" };
element.addEventListener("select", ({ detail, preventDefault }) => (preventDefault(), console.log(detail.id)));
element.client = client;
element.render = (row, node) => (node.textContent = row.id);

const sections: readonly Section<Cell>[] = applyStage([], { rows: {} });
const isNewer: boolean = isAsNewAs("aa.2", "aa.1");
export { began, Component, edit, end, isNewer, sections, stop };

class Titles extends TablecastTable {
  override render(row: Row, node: HTMLElement): void {
    node.textContent = row.id;
  }
}
customElements.define("titles-table", Titles);
