// Edits as an app makes them: shown at once, marked while they are under way, taken back with the problem.

import { announce, ask, clipped, element } from "/console/dom.js";
import { fieldsFor, itemForm } from "/console/forms.js";
import { get, pathOf } from "/console/service.js";

const readJSON = (text) => {
  const value = JSON.parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new SyntaxError("an item is an object: {…}");
  return value;
};

const check = (form) => {
  try {
    readJSON(form.elements.namedItem("item").value);
    return null;
  } catch (error) {
    return error.message;
  }
};

/** What makes `before` into `after`, as a JSON merge patch (RFC 7396). */
export function mergePatch(before, after) {
  // Without a prototype: any text may name a member.
  const patch = Object.create(null);
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (JSON.stringify(value) === JSON.stringify(old)) continue;
    patch[name] = isObject(value) && isObject(old) ? mergePatch(old, value) : value;
  }
  return patch;
}

/** What new items begin with: of each field what is no answer yet. */
const blank = (fields) => Object.fromEntries(fields.filter(({ isOptional, kind }) => !isOptional || kind === "boolean")
  .map(({ name, kind }) => [name, { boolean: false, integer: 0, number: 0, json: null }[kind] ?? ""]));

export async function addItem(table, segment, registry, place, item) {
  const fields = await fieldsFor(table, segment, registry);
  const form = itemForm(fields, item ?? blank(fields));
  const data = await ask("Add an item", form.node, "Add", (whole) => form.wrong() ?? check(whole));
  if (!data) return;
  const given = readJSON(data.get("item"));
  const title = String(given.title ?? given.name ?? "New");
  await outcome(table.add(given, place, { show: { cellIdentifier: "…", payload: { title } } }));
}

export async function editItem(table, segment, row, changed) {
  let item;
  const path = pathOf(segment, "items", row.id);
  if (!path) return announce("No URL can name this row, as its id is of dots alone.");
  try {
    item = await get(path);
  } catch (error) {
    return announce(error.message);
  }
  const known = Object.fromEntries((await fieldsFor(table, segment, new Map())).map((field) => [field.name, field]));
  const fields = Object.entries(item).filter(([name]) => name !== "id").map(([name, value]) =>
    known[name] ?? { name, kind: typeof value === "number" ? "number" : typeof value === "boolean" || typeof value === "string" ? typeof value : "json", isOptional: true });
  const form = itemForm(fields, changed ?? item);
  const data = await ask(`Edit ${clipped(row.id, 80)}`, form.node, "Save", (whole) => form.wrong() ?? check(whole));
  if (!data) return;
  const after = readJSON(data.get("item"));
  await outcome(table.patch(row.id, mergePatch(item, after)));
}

/** A deletion can't be taken back: it is asked for. */
export async function deleteItem(table, row) {
  const name = row.payload.title ?? row.payload.name ?? row.id;
  const isSure = await ask("Delete?", element("p", { dir: "auto" }, clipped(String(name), 200)), "Delete");
  if (isSure) await outcome(table.delete(row.id));
}

export const moveItem = (table, row, place) => outcome(table.move(row.id, place));

export async function runAction(table, row, { id, title, style }) {
  const isSure = style !== "destructive" || (await ask(title, element("p", {}, `${title}: ${row.id}?`), title));
  if (isSure) await outcome(table.action(row.id, id));
}

async function outcome(edit) {
  const { state, op, problem } = await edit.done;
  announce(state === "confirmed" ? `${op}: done` : `${op}: ${state}, ${problem?.detail ?? problem?.title}`);
}

/** The edits that are under way, refused or unknown, each with what can be done about it. */
export function editList(table) {
  const list = element("ul", { class: "edits", "aria-label": "Edits" });
  const draw = ({ edits }) => {
    const visible = edits.filter(({ state, op }) => !["tap", "refresh"].includes(op) || ["refused", "unknown"].includes(state));
    list.hidden = !visible.length;
    list.replaceChildren(...visible.map((edit) => {
      const { op, row, state, problem } = edit;
      const words = problem && [problem.field, problem.detail ?? problem.title].filter(Boolean).join(": ");
      return element("li", { class: state }, element("span", {}, `${op} ${op === "add" ? "" : (row ?? "")} `, element("b", {}, state), words && ` – ${words}`),
        problem && element("button", { type: "button", onclick: () => edit.retry() }, "Send again"),
        problem && element("button", { type: "button", onclick: () => edit.discard() }, "Dismiss"));
    }));
  };
  draw(table.snapshot);
  return { list, draw };
}
