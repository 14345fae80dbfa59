// <tablecast-table src="https://service" table="departures" rows="50" find>: a live table for pages without a framework.
// Rows are drawn as text; `render(row, node)` on the element draws them otherwise.

import { bindTable } from "./bind.js";
import { bindSearch } from "./search.js";
import { TablecastClient } from "./tablecast.js";
import { isMalformed, isSafeURL } from "./urls.js";

export { isMalformed, isSafeURL };

const clients = new Map();
let screens = 0;

const english = {
  loading: "Loading…", empty: "Nothing here", failed: "It could not be loaded", refused: "It can't be shown", found: "Nothing was found",
  stale: "This may be old", retrying: "Trying to reach the service…", malformed: "…", actions: "Actions", delete: "Delete",
};

function clientOf(href) {
  if (!clients.has(href)) clients.set(href, new TablecastClient(href));
  return clients.get(href);
}

const textOf = ({ payload }) => String(payload.title ?? payload.name ?? payload.text ?? payload.label ?? JSON.stringify(payload));

const make = (name, attributes = {}) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

export class TablecastTable extends HTMLElement {
  static get observedAttributes() {
    return ["src", "table", "view", "rows", "find", "caller", "editable"];
  }

  #render = (row, node) => (node.textContent = textOf(row));
  #client = null;
  #token = null;
  #words = english;
  #end = null;
  /** The element's own client, which has the token, and the tables that it has shown: kept for as long as they have edits. */
  #own = null;
  /** The parent of the rows' nodes, while the element follows a table. */
  #list = null;
  #screen = `element ${++screens}`;
  #isPlanned = false;
  /** In the page, with the properties that were set before the element was known. */
  #isReady = false;

  /** A client of your own, with a store or kept edits, instead of the one that `src` names. */
  get client() {
    return this.#client;
  }

  set client(client) {
    if (client === this.#client) return;
    this.#client = client;
    this.#again();
  }

  /** A bearer token, or who gives one; `caller` names whose it is. */
  get token() {
    return this.#token;
  }

  set token(token) {
    if (token === this.#token) return;
    this.#token = token;
    // The same person's next token goes on with what there is. Out of the page, it may be another's.
    if (this.#own && token && this.#isReady) this.#own.client.useToken(token);
    else {
      this.#close();
      this.#again();
    }
  }

  /** Your words instead of the English ones. */
  get words() {
    return this.#words;
  }

  set words(words) {
    this.#words = { ...english, ...words };
    this.#again();
  }

  /** Draws a row into its node; a subclass may have it as a method. */
  get render() {
    return this.#render;
  }

  set render(render) {
    this.#render = render;
    // The nodes stay, with focus and scroll position: a framework may set another function whenever it renders.
    for (const node of this.#list?.querySelectorAll(":scope > [data-row]") ?? []) {
      const row = this.table.row(node.dataset.row);
      if (row) this.#fill(node, row);
    }
  }

  connectedCallback() {
    // A framework may set a property before the element is known.
    for (const name of ["client", "token", "words", "render"]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#isReady = true;
    this.#begin();
  }

  disconnectedCallback() {
    this.#isReady = false;
    this.#stop();
    this.#leave();
  }

  attributeChangedCallback(name, before, after) {
    if (before !== after) this.#again();
  }

  /** Once all is set that is set now. */
  #again() {
    if (this.#isPlanned || !this.#end) return void (this.#isReady && this.#begin());
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (!this.#end) return;
      this.#stop();
      if (this.#isReady) this.#begin();
    });
  }

  #stop() {
    this.#end?.();
    this.#end = this.#list = null;
  }

  #close() {
    this.#own?.client.close();
    this.#own = null;
  }

  /** Closes the own client once the edits are over, unless the element has come back: it may only have been moved. */
  async #leave() {
    const own = this.#own;
    let edits, edit;
    do {
      await edit?.done;
      if (!own || own !== this.#own || this.#isReady) return;
      edits = own.tables.flatMap(({ snapshot }) => snapshot.edits);
      edit = edits.find(({ problem }) => !problem);
    } while (edit);
    // Refused edits wait for the person.
    if (!edits.length) this.#close();
  }

  #begin() {
    const name = this.getAttribute("table");
    if (!name || this.#end) return;
    const [id, ...pairs] = name.split(";");
    const rows = this.getAttribute("rows");
    const view = this.getAttribute("view") ?? undefined;
    const { href } = new URL(this.getAttribute("src") || "/", document.baseURI);
    const caller = this.getAttribute("caller") ?? undefined;
    const owner = this.#token && !this.#client && `${href} ${caller}`;
    if (this.#own?.owner !== owner) this.#close();
    if (owner) this.#own ??= { owner, client: new TablecastClient(href, { token: this.#token, caller }), tables: [] };
    const table = (this.#client ?? this.#own?.client ?? clientOf(href)).table(id, {
      params: Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])),
      view,
      rows: rows === null ? undefined : rows > 0 ? Number(rows) : rows,
      screen: this.#screen,
    });
    this.table = table;
    if (owner) this.#own.tables = [...this.#own.tables.filter(({ snapshot }) => snapshot.edits.length), table];
    const ends = [];
    let list = this;
    if (this.hasAttribute("find")) {
      const search = make("div", { part: "finding" });
      list = make("div", { part: "list" });
      this.append(search, list);
      this.removeAttribute("role");
      const { found, ...words } = this.#words;
      ends.push(bindSearch(search, table, { ...words, ...(typeof found === "function" && { found }) }), () => (search.remove(), list.remove()));
    }
    list.setAttribute("role", "list");
    const title = (part) => (section, node = make("div", { role: "presentation", part, dir: "auto" })) => {
      node.textContent = textOf(section[part]);
      return node;
    };
    ends.push(bindTable(list, table, {
      create: (row) => {
        const node = make("div", { role: "listitem", part: `row ${row.cellIdentifier.replace(/\s+/g, "-")}`, tabindex: "-1", "data-row": row.id });
        node.append(make("div", { part: "content", dir: "auto" }));
        return node;
      },
      update: (node, row) => this.#fill(node, row),
      header: title("header"),
      footer: title("footer"),
      empty: (snapshot) => this.#placeholder(snapshot),
      drawn: () => this.#keepReachable(list),
    }));
    const say = ({ type, after }) => {
      this.setAttribute("connection", after.connection);
      this.setAttribute("state", after.refusal ? "refused" : after.state);
      this.setAttribute("aria-busy", String(after.connection === "connecting" || after.state === "loading"));
      if (type !== "edits") this.dispatchEvent(new CustomEvent("change", { detail: after }));
    };
    ends.push(table.subscribe(say));
    const handlers = { click: (event) => this.#clicked(event), keydown: (event) => this.#pressed(event, list), focusin: (event) => this.#focused(event, list) };
    for (const [type, handler] of Object.entries(handlers)) list.addEventListener(type, handler);
    ends.push(() => {
      for (const [type, handler] of Object.entries(handlers)) list.removeEventListener(type, handler);
    });
    this.#list = list;
    this.#end = () => ends.reverse().forEach((end) => end());
  }

  /** Why there are no rows: each reason is told apart. */
  #placeholder({ state, connection, refusal, problem, search, trouble }) {
    const kind = refusal ? "refused" : state === "failed" ? "failed" : trouble ? "retrying"
      : connection === "retrying" && state === "loading" ? "retrying"
      : state === "loading" || connection === "connecting" ? "loading"
      : search?.q || Object.keys(search?.filters ?? {}).length ? "found" : "empty";
    const node = make("div", { role: "listitem", part: `empty ${kind}`, "data-kind": kind });
    if (kind === "refused" || kind === "failed") node.setAttribute("aria-live", "polite");
    node.append(make("div", { part: "content", dir: "auto" }));
    const reason = refusal ?? problem ?? trouble?.problem;
    const detail = ["refused", "failed", "retrying"].includes(kind) ? reason?.detail ?? reason?.title : undefined;
    node.firstChild.textContent = [typeof this.#words[kind] === "function" ? english[kind] : this.#words[kind], detail].filter(Boolean).join(": ");
    return node;
  }

  #fill(node, row) {
    const content = node.firstChild;
    const isWrong = isMalformed(row);
    const shown = isWrong && row.fallback && !isMalformed(row.fallback) ? { ...row, ...row.fallback } : row;
    node.toggleAttribute("data-malformed", isWrong);
    node.toggleAttribute("data-pending", !!row.pending);
    if (isWrong && shown === row) content.textContent = this.#words.malformed;
    else this.render(shown, content);
    const actions = this.#actionsOf(row);
    let button = node.querySelector(":scope > [part=menu-button]");
    if (actions.length && !button) {
      button = make("button", { type: "button", part: "menu-button", "aria-haspopup": "menu", "aria-expanded": "false", tabindex: "-1" });
      button.textContent = "⋯";
      node.append(button);
    } else if (!actions.length) button?.remove();
    button?.setAttribute("aria-label", `${this.#words.actions}: ${content.textContent.slice(0, 80)}`);
  }

  #actionsOf(row) {
    const actions = [...(row.actions ?? [])];
    if (this.hasAttribute("editable") && row.can?.edit && !row.pending) actions.push({ id: null, title: this.#words.delete, style: "destructive" });
    return actions;
  }

  /** The row that a node is in: an app may have put elements with `data-row` of its own into it. */
  #rowOf(target) {
    let node = target;
    while (node && node.parentElement !== this.#list) node = node.parentElement;
    return node?.matches("[data-row]") ? node : null;
  }

  /** The row is chosen: apps hear `select`; unless they prevent it, a view's row is tapped, and a link is followed. */
  #select(id) {
    const row = this.table.row(id);
    if (!row || row.can?.select === false) return;
    const isFree = this.dispatchEvent(new CustomEvent("select", { detail: row, cancelable: true, bubbles: true }));
    if (!isFree) return;
    if (this.hasAttribute("view")) this.table.tap(id);
    const url = row.select?.url;
    if (isSafeURL(url)) location.assign(url);
  }

  #act(id, action) {
    const row = this.table.row(id);
    if (!row) return;
    if (!this.dispatchEvent(new CustomEvent("action", { detail: { row, action }, cancelable: true, bubbles: true }))) return;
    if (action === null) this.table.delete(id);
    else this.table.action(id, action);
  }

  #openMenu(node, button) {
    const row = this.table.row(node.dataset.row);
    if (!row) return;
    const menu = make("div", { role: "menu", part: "menu" });
    const items = this.#actionsOf(row).map(({ id, title, style }) => {
      const item = make("button", { type: "button", role: "menuitem", part: `menu-item ${style ?? ""}`.trim(), tabindex: "-1", dir: "auto" });
      item.textContent = title ?? id;
      item.addEventListener("click", (event) => {
        event.stopPropagation();
        close(true);
        this.#act(row.id, id);
      });
      return item;
    });
    let isOpen = true;
    const close = (isBack) => {
      if (!isOpen) return;
      isOpen = false; // Its focus goes with it, which is told, too.
      button.setAttribute("aria-expanded", "false");
      if (isBack) button.focus();
      menu.remove();
    };
    menu.append(...items);
    menu.addEventListener("keydown", (event) => {
      const at = items.indexOf(menu.getRootNode().activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
      if (to !== undefined) items[(to + items.length) % items.length].focus();
      else if (event.key === "Escape" || event.key === "Tab") close(event.key === "Escape");
      else return;
      event.stopPropagation();
      if (event.key !== "Tab") event.preventDefault();
    });
    menu.addEventListener("focusout", ({ relatedTarget }) => menu.contains(relatedTarget) || close(false));
    button.setAttribute("aria-expanded", "true");
    node.append(menu);
    items[0]?.focus();
  }

  #clicked(event) {
    const node = this.#rowOf(event.target);
    if (!node || event.target.closest("[role=menu]")) return;
    const button = event.target.closest("[part=menu-button]");
    if (button) {
      if (button.getAttribute("aria-expanded") === "false") this.#openMenu(node, button);
    } else if (!event.target.closest("a, button, input, select, textarea")) this.#select(node.dataset.row);
  }

  #pressed(event, list) {
    // A key that is held acts once: on the row, and on its menu.
    if (event.repeat && ["Enter", " ", "Delete"].includes(event.key) && event.target.matches("[data-row], [part^=menu]")) {
      return event.preventDefault();
    }
    const node = this.#rowOf(event.target);
    if (!node || event.target !== node) {
      if (event.key === "Escape") node?.focus();
      return;
    }
    const rows = [...list.querySelectorAll(":scope > [data-row]:not([inert])")];
    const at = rows.indexOf(node);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    const button = node.querySelector("[part=menu-button]");
    const isForward = getComputedStyle(node).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (to !== undefined) rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
    else if (event.key === "Enter" || event.key === " ") this.#select(node.dataset.row);
    else if (button && (event.key === isForward || event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) this.#openMenu(node, button);
    else if (event.key === "Delete" && this.hasAttribute("editable") && this.table.row(node.dataset.row)?.can?.edit) this.#act(node.dataset.row, null);
    else return;
    event.preventDefault();
  }

  #focused(event, list) {
    const node = this.#rowOf(event.target);
    if (!node) return;
    for (const other of list.querySelectorAll(':scope > [data-row][tabindex="0"]')) other.tabIndex = -1;
    node.tabIndex = 0;
  }

  /** One row is reached by Tab, the others by arrows from there. */
  #keepReachable(list) {
    if (list.querySelector(':scope > [data-row][tabindex="0"]:not([inert])')) return;
    const first = list.querySelector(":scope > [data-row]:not([inert])");
    if (first) first.tabIndex = 0;
  }
}

if (!customElements.get("tablecast-table")) customElements.define("tablecast-table", TablecastTable);
