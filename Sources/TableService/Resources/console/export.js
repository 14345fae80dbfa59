// A table as a file: all of its rows, as the service has them now.

import { announce, element } from "/console/dom.js";
import { get } from "/console/service.js";

/** A text of a CSV field. What a spreadsheet would take for a formula is kept a text. */
export function csvField(value) {
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV (RFC 4180): section, row, cell, then the payloads' members in the order in which they come. */
export function csvOf({ sections }) {
  const names = new Set();
  for (const { rows } of sections) for (const { payload } of rows) for (const name of Object.keys(payload)) names.add(name);
  const columns = [...names];
  const lines = [["section", "id", "cellIdentifier", ...columns]];
  for (const { id: section, rows } of sections) {
    for (const { id, cellIdentifier, payload } of rows) lines.push([section, id, cellIdentifier, ...columns.map((name) => payload[name])]);
  }
  return `${lines.map((line) => line.map(csvField).join(",")).join("\r\n")}\r\n`;
}

function save(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A search as a query: what is exported is what is found. */
function queryOf(search) {
  const pairs = search ? [["q", search.q], ["sort", search.sort], ...Object.entries(search.filters).flatMap(([id, values]) => values.map((value) => ["filter", `${id}:${value}`]))] : [];
  const query = new URLSearchParams(pairs.filter(([, value]) => value)).toString();
  return query && `?${query}`;
}

/** What saves the table: as it is searched for now, as CSV or JSON. */
export function exportButtons(segment, search) {
  const name = decodeURIComponent(segment.split(";")[0]).replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "table";
  const exporting = async (kind) => {
    try {
      const snapshot = await get(`/v1/tables/${segment}${queryOf(search())}`);
      if (kind === "csv") save(`\ufeff${csvOf(snapshot)}`, "text/csv;charset=utf-8", `${name}.csv`);
      else save(JSON.stringify(snapshot, null, 2), "application/json", `${name}.json`);
      announce(`${name}.${kind} saved`);
    } catch (error) {
      announce(`Not saved: ${error.message}`);
    }
  };
  return ["csv", "json"].map((kind) => element("button", { type: "button", onclick: () => exporting(kind) }, `Export ${kind.toUpperCase()}`));
}
