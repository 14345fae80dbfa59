// A form for an item, made of what is known of its members: of the service's own list of fields where it has one, else
// of items that are there, else of the cells that they become. The JSON below it is what is sent.

import { element } from "/console/dom.js";
import { get, pathOf } from "/console/service.js";

const kindOf = (value) => (value === null || value === undefined ? "string" : Array.isArray(value) || typeof value === "object" ? "json" : typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value);

/** A member's JSON Schema, as the service tells it of items, as `{ kind, isOptional }`. */
function readSchema({ type, anyOf = [], enum: values }) {
  const types = [type ?? []].flat();
  let kind = types.find((type) => type !== "null");
  if (anyOf.some(({ format }) => format === "date")) kind = "date";
  if (values?.every((value) => value === null || typeof value === "string")) kind = "string";
  if (!["string", "integer", "number", "boolean", "date"].includes(kind)) kind = "json";
  return { isOptional: types.includes("null") || !!values?.includes(null), kind };
}

/** Members of an item as `[{ name, kind, isOptional }]`; empty where nothing is known. */
export async function fieldsFor(table, segment, registry) {
  const { tables = [] } = await get("/v1/tables").catch(() => ({}));
  const schema = tables.find(({ url }) => url === `/v1/tables/${segment.split(";")[0]}`)?.itemSchema;
  if (schema?.properties) return Object.entries(schema.properties).map(([name, member]) => ({ name, ...readSchema(member) }));
  const ids = table.snapshot.sections.flatMap(({ rows }) => rows).slice(0, 3).map(({ id }) => pathOf(segment, "items", id)).filter(Boolean);
  const items = (await Promise.all(ids.map((path) => get(path).catch(() => null)))).filter((item) => item && typeof item === "object");
  const fields = new Map();
  for (const item of items) {
    for (const [name, value] of Object.entries(item)) {
      if (name !== "id" && (!fields.has(name) || fields.get(name).kind === "string")) fields.set(name, { name, kind: kindOf(value), isOptional: true });
    }
  }
  if (fields.size) return [...fields.values()];
  const [cell] = registry.values();
  return Object.entries(cell?.schema?.properties ?? {}).map(([name, { type }]) => ({
    name, kind: ["string", "integer", "number", "boolean"].includes(type) ? type : "json", isOptional: !cell.schema.required?.includes(name),
  }));
}

/** What a field says: `{ value }`, `{}` where it is left out, or `{ wrong }`. */
export function readField({ name, kind, isOptional }, text, isChecked) {
  if (kind === "boolean") return { value: isChecked };
  if (text === "" && isOptional) return {};
  if (kind === "integer") return /^-?\d{1,15}$/.test(text.trim()) ? { value: Number(text) } : { wrong: `${name}: a whole number` };
  if (kind === "number") return text.trim() !== "" && Number.isFinite(Number(text)) ? { value: Number(text) } : { wrong: `${name}: a number` };
  if (kind === "date") return /^\d{4}-\d\d-\d\d/.test(text) ? { value: text } : { wrong: `${name}: a date, such as 2026-11-24` };
  if (kind !== "json") return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { wrong: `${name}: JSON` };
  }
}

/** Fields for the members of an item, and the JSON that they write; `textarea` stays what is sent. */
export function itemForm(fields, item) {
  const area = element("textarea", { name: "item", rows: 10, spellcheck: false, value: JSON.stringify(item, null, 2) });
  const details = element("details", { open: !fields.length }, element("summary", {}, "As JSON"), element("label", {}, "The item, as JSON", area));
  const wrong = new Map();
  const inputs = fields.slice(0, 40).map((field) => {
    const { name, kind, isOptional } = field;
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    const text = value === undefined || value === null ? "" : kind === "json" ? JSON.stringify(value) : String(value);
    const isLong = kind === "json" || text.length > 80;
    const input = element(isLong ? "textarea" : "input", {
      ...(isLong ? { rows: 3, spellcheck: kind !== "json" } : { type: { boolean: "checkbox", date: "date", integer: "number", number: "number", url: "url" }[kind] ?? "text" }),
      ...(kind === "boolean" ? { checked: value === true } : { value: text }), ...(kind === "number" && { step: "any" }), dir: "auto", "data-field": name, "aria-required": String(!isOptional),
      oninput() {
        let item;
        try {
          item = JSON.parse(area.value);
        } catch {
          return;
        }
        const read = readField(field, input.value, input.checked);
        if (read.wrong) wrong.set(name, read.wrong);
        else wrong.delete(name);
        input.setAttribute("aria-invalid", String(!!read.wrong));
        if ("value" in read) item[name] = read.value;
        else if (!read.wrong) delete item[name];
        area.value = JSON.stringify(item, null, 2);
      },
    });
    return element("label", kind === "boolean" ? { class: "check" } : {}, kind === "boolean" ? [input, ` ${name}`] : [`${name}${isOptional ? "" : " *"}`, input]);
  });
  return { node: element("div", { class: "form" }, inputs, details), wrong: () => [...wrong.values()][0] ?? null };
}
