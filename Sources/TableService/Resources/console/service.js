// The service that this page is of: requests with the session's token, the clients that follow, and each request as a
// line for a terminal.

import { TablecastClient } from "/v1/client.js";
import { sharedTabs } from "/console/tabs.js";
import { element } from "/console/dom.js";

const tokenKey = "tablecast-token";
/** The views of this page are its own. */
export const view = `console-${Math.random().toString(36).slice(2, 12)}`;
/** Rows that a table is first asked for. */
export const firstRows = 200;

export const token = () => sessionStorage.getItem(tokenKey) ?? undefined;

/** Keeps the token for this session of the browser, and no longer. */
export function setToken(value) {
  if (value) sessionStorage.setItem(tokenKey, value);
  else sessionStorage.removeItem(tokenKey);
  for (const client of clients.values()) client.close();
  clients.clear();
}

const clients = new Map();

/** The client that can show these cells; all, where none are named. */
export function clientFor(cells) {
  const key = cells?.join() ?? "";
  if (!clients.has(key)) clients.set(key, new TablecastClient(location.origin, {
    // Tabs without a token are one caller's: they share a poll.
    ...(token() ? { token } : { tabs: sharedTabs() }), cells, pauseHidden: true,
  }));
  return clients.get(key);
}

/** A problem that the service answered with. */
export class ServiceProblem extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? `HTTP ${status}`);
    Object.assign(this, { status, field: body?.field, title: body?.title });
  }
}

/** A JSON answer; throws `ServiceProblem`. */
export async function get(path, { method = "GET", headers } = {}) {
  const authorization = token() ? { Authorization: `Bearer ${token()}` } : {};
  const response = await fetch(path, { method, headers: { Accept: "application/json", ...authorization, ...headers } });
  const body = await response.json().catch(() => null);
  if (!response.ok || body === null) throw new ServiceProblem(response.status, body);
  return body;
}

let registry = null;

/** The cell types by their identifiers. */
export async function cells() {
  registry ??= get("/v1/cells").then(({ cells }) => new Map(cells.map((cell) => [cell.cellIdentifier, cell])));
  registry.catch(() => (registry = null));
  return registry;
}

/** A name as a segment of a path; null where no URL has one for it: dots alone, however they are written, lead elsewhere. */
const segment = (name) => (/^\.{0,2}$/.test(name) ? null : encodeURIComponent(name));

/** The path of a row below its table's, or of its item; null where no URL names it. */
export const pathOf = (table, kind, id) => {
  const row = segment(id);
  return row && `/v1/tables/${table}/${kind}/${row}`;
};

/** A table's segment as this page writes it, whoever has written it before; null where it is none. */
export function segmentOf(text) {
  try {
    const [name, ...pairs] = text.split(";");
    const parts = pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
    if (pairs.some((pair) => !pair.includes("="))) return null;
    const first = segment(decodeURIComponent(name));
    return first && [first, ...parts.map((part) => part.map((one) => encodeURIComponent(decodeURIComponent(one))).join("="))].join(";");
  } catch {
    return null; // A `%` that is no escape, or half a character.
  }
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line that asks the same in a terminal. A token is named, not shown. */
export function curl(path, { method = "GET", body, headers = {} } = {}) {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  if (token()) parts.push("-H", '"Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return [...parts, quoted(location.origin + path)].join(" ");
}

/** The request behind a panel, to be opened and copied. */
export function requestBehind(...lines) {
  const text = lines.join("\n");
  const copy = element("button", {
    type: "button",
    async onclick() {
      await navigator.clipboard?.writeText(text);
      copy.textContent = "Copied";
    },
  }, "Copy");
  return element("details", { class: "request" }, element("summary", {}, "The request behind it"),
    element("pre", { tabIndex: 0, role: "region", "aria-label": "curl" }, text), copy);
}
