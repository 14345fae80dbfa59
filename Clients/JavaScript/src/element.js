// <tablecast-table src="https://service" table="departures" rows="50">: a live table for pages without a framework.
// Rows are drawn as text; `render(row, node)` on the element draws them otherwise.

import { bindTable } from "./bind.js";
import { TablecastClient } from "./tablecast.js";

const clients = new Map();

function clientOf(src) {
  const { href } = new URL(src || "/", document.baseURI);
  if (!clients.has(href)) clients.set(href, new TablecastClient(href));
  return clients.get(href);
}

const textOf = ({ payload }) => String(payload.title ?? payload.name ?? JSON.stringify(payload));

export class TablecastTable extends HTMLElement {
  static get observedAttributes() {
    return ["src", "table", "view", "rows"];
  }

  /** Draws a row into its node. */
  render = (row, node) => (node.textContent = textOf(row));
  /** A client of your own, with a token or a store, instead of the one that `src` names. */
  client = null;
  #end = null;

  connectedCallback() {
    const name = this.getAttribute("table");
    if (!name || this.#end) return;
    const [id, ...pairs] = name.split(";");
    const rows = this.getAttribute("rows");
    const table = (this.client ?? clientOf(this.getAttribute("src"))).table(id, {
      params: Object.fromEntries(pairs.map((pair) => pair.split("="))),
      view: this.getAttribute("view") ?? undefined,
      rows: rows === null ? undefined : rows > 0 ? Number(rows) : rows,
    });
    this.table = table;
    this.setAttribute("role", "list");
    const node = (role, part) => {
      const made = document.createElement("div");
      made.setAttribute("role", role);
      made.setAttribute("part", part);
      return made;
    };
    const title = (part) => (section, made = node("presentation", part)) => {
      made.textContent = textOf(section[part]);
      return made;
    };
    const end = bindTable(this, table, {
      create: (row) => Object.assign(node("listitem", `row ${row.cellIdentifier}`), { tabIndex: -1 }),
      update: (made, row) => this.render(row, made),
      header: title("header"),
      footer: title("footer"),
      empty: ({ state }) => Object.assign(node("listitem", "empty"), { textContent: state === "loading" ? "…" : "–" }),
    });
    const say = ({ type, after }) => {
      this.setAttribute("connection", after.connection);
      if (type !== "edits") this.dispatchEvent(new CustomEvent("change", { detail: after }));
    };
    const stop = table.subscribe(say);
    this.#end = () => (stop(), end());
  }

  disconnectedCallback() {
    this.#end?.();
    this.#end = null;
  }

  attributeChangedCallback() {
    if (!this.#end) return;
    this.disconnectedCallback();
    this.connectedCallback();
  }
}

if (!customElements.get("tablecast-table")) customElements.define("tablecast-table", TablecastTable);
