// Tasks in a list that is live: search, add, edit, move, undo, and all of it offline. Shows what the client does by
// itself; there is no state here but what stands in fields.

import { indexedDBStore, TablecastClient } from "tablecast";
import { bindTable } from "tablecast/bind";
import { keptEdits } from "tablecast/kept";
import { bindSearch } from "tablecast/search";
import { sharedTabs } from "tablecast/tabs";

const service = new URLSearchParams(location.search).get("service") ?? "http://127.0.0.1:8080";
const store = indexedDBStore("tasks");
const client = new TablecastClient(service, { store, keepEdits: keptEdits(store), tabs: sharedTabs(), caller: "this browser" });
const tasks = client.table("tasks", { rows: 100 });
Object.assign(window, { client, tasks });

const $ = (selector) => document.querySelector(selector);
const make = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};

// What was done can be undone: by the edit that leads back.

const toast = $("#toast");
let undo = null;
let timer;

function offerUndo(text, back) {
  undo = back;
  toast.firstElementChild.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.hidden = true), 8000);
}

toast.lastElementChild.addEventListener("click", () => {
  toast.hidden = true;
  undo?.();
  undo = null;
});

// Rows.

/** How the row looks until the service's comes. */
const looking = (payload) => ({ show: (row) => ({ ...row, payload: { ...row.payload, ...payload } }) });

function change(id, patch) {
  const { payload } = tasks.row(id);
  const before = Object.fromEntries(Object.keys(patch).map((name) => [name, payload[name]]));
  tasks.patch(id, patch, looking(patch));
  offerUndo("done" in patch ? (patch.done ? "Done." : "Not done.") : "Changed.", () => tasks.row(id) && tasks.patch(id, before, looking(before)));
}

/** Where a row stands, so that it can be put back: behind the one before it, or in its section's first place. */
function placeOf(id) {
  for (const { id: section, rows } of tasks.snapshot.sections) {
    const at = rows.findIndex((row) => row.id === id);
    if (at > 0) return { section, after: rows[at - 1].id };
    if (at === 0) return rows.length > 1 ? { section, before: rows[1].id } : { section };
  }
  return {};
}

/** A service takes a place beside a row without its section. */
const placed = ({ section, ...beside }) => (beside.after || beside.before ? beside : { section, at: 0 });

function add({ title, done = false, due = null, section }, place = {}) {
  return tasks.add({ title, done, due, section }, place, { show: { cellIdentifier: "TaskCell", payload: { title, done, due } } });
}

function remove(id) {
  const { payload } = tasks.row(id);
  const { section, ...place } = placeOf(id);
  tasks.delete(id);
  offerUndo(`“${payload.title.slice(0, 40)}” deleted.`, () => add({ ...payload, section }, place));
}

function move(id, place) {
  const before = placeOf(id);
  tasks.move(id, place);
  offerUndo("Moved.", () => tasks.move(id, placed(before)));
}

/** One line up or down, into the section beside it where there is no other line. */
function step(id, by) {
  const { sections } = tasks.snapshot;
  const index = sections.findIndex(({ rows }) => rows.some((row) => row.id === id));
  const rows = sections[index].rows;
  const at = rows.findIndex((row) => row.id === id);
  if (rows[at + by]) return move(id, by > 0 ? { after: rows[at + 1].id } : { before: rows[at - 1].id });
  const other = sections[index + by];
  if (other) move(id, { section: other.id, at: by > 0 ? 0 : other.rows.length });
}

const nodeOf = (event) => event.target.closest("[data-id]");

bindTable($("#tasks"), tasks, {
  create: () => {
    const node = make("div", { className: "task" },
      make("input", { type: "checkbox" }), make("input", { className: "text", dir: "auto", maxLength: 200 }),
      make("button", { type: "button", textContent: "↑" }), make("button", { type: "button", textContent: "↓" }), make("button", { type: "button", textContent: "✕" }));
    node.setAttribute("role", "listitem");
    return node;
  },
  update(node, { id, payload, pending }) {
    const [box, field, up, down, cross] = node.children;
    node.dataset.id = id;
    node.toggleAttribute("data-done", payload.done);
    node.toggleAttribute("data-pending", !!pending);
    box.checked = payload.done;
    box.setAttribute("aria-label", `Done: ${payload.title}`);
    // What is half written stays.
    if (field !== document.activeElement) field.value = payload.title;
    field.setAttribute("aria-label", "Title");
    up.setAttribute("aria-label", `Move up: ${payload.title}`);
    down.setAttribute("aria-label", `Move down: ${payload.title}`);
    cross.setAttribute("aria-label", `Delete: ${payload.title}`);
  },
  header(section, node = make("h2", { className: "title" })) {
    node.textContent = `${section.header.payload.title} (${section.header.payload.count})`;
    return node;
  },
  empty({ state, connection, search }) {
    const text = connection === "connecting" || state === "loading" ? "Loading…" : search?.q ? "Nothing was found." : "All done.";
    return make("p", { className: "empty", textContent: text });
  },
});

const list = $("#tasks");
list.addEventListener("change", (event) => {
  const { id } = nodeOf(event).dataset;
  if (event.target.type === "checkbox") change(id, { done: event.target.checked });
  else if (event.target.value.trim()) change(id, { title: event.target.value.trim() });
});
list.addEventListener("click", (event) => {
  const label = event.target.closest("button")?.getAttribute("aria-label") ?? "";
  if (!label) return;
  const { id } = nodeOf(event).dataset;
  if (label.startsWith("Delete")) remove(id);
  else step(id, label.startsWith("Move up") ? -1 : 1);
});
list.addEventListener("keydown", (event) => {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by && event.altKey) {
    event.preventDefault();
    step(nodeOf(event).dataset.id, by);
  } else if (event.key === "Enter") event.target.blur();
});

bindSearch($("#search"), tasks);

$("#new").addEventListener("submit", (event) => {
  event.preventDefault();
  const { title, section } = Object.fromEntries(new FormData(event.target));
  if (!title.trim()) return;
  add({ title: title.trim(), section }, { section });
  event.target.elements.title.value = "";
});

// How things stand: what is under way, what waits for the network, what was refused.

const words = { connecting: "Loading…", cached: "From before", live: "", retrying: "Offline: changes are kept", paused: "Paused", refused: "Not available" };

function say({ after: { connection, edits, trouble, refusal } }) {
  const waiting = edits.filter(({ state }) => state === "local" || state === "sent").length;
  $("#connection").textContent = [refusal?.title ?? trouble?.problem.title ?? words[connection], waiting && `${waiting} not sent yet`].filter(Boolean).join(" · ");
  const stopped = edits.filter(({ state }) => state === "refused" || state === "unknown");
  $("#waiting").replaceChildren(...stopped.map((edit) => {
    const text = `${edit.op}: ${edit.problem?.detail ?? edit.problem?.title ?? edit.state}`;
    return make("li", {}, make("span", { textContent: text }), make("button", { type: "button", textContent: "Try again", onclick: () => edit.retry() }), make("button", { type: "button", textContent: "Forget it", onclick: () => edit.discard() }));
  }));
}

tasks.subscribe(say);
say({ after: tasks.snapshot });
