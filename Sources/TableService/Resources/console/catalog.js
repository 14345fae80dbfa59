// The tables and families of the service: their state, rows and rate of change; a family asks for its parameters.

import { announce, ask, clipped, counted, element, markCurrent, number } from "/console/dom.js";
import { curl, get, requestBehind, segmentOf } from "/console/service.js";

const interval = 5000;
/** How far back changes are counted, in ms. */
const minute = 60_000;

/** Versions by the second, from the cursors seen: a reader's measure, not the service's. */
class History {
  #seen = new Map();

  /** Remembers what all tables have come to. */
  add(tables, now = performance.now()) {
    const seen = new Map();
    for (const { id, cursor } of tables) {
      if (!cursor) continue;
      const [epoch, version] = cursor.split(/[.~]/);
      const old = this.#seen.get(id);
      const points = old?.epoch === epoch ? old.points.filter(({ at }, index, all) => now - at < minute || now - (all[index + 1]?.at ?? now) < minute) : [];
      seen.set(id, { epoch, points: [...points, { at: now, version: Number(version) }] });
    }
    this.#seen = seen;
  }

  /** Changes in each twelfth of the last minute, the last one last; null where nothing is known yet. */
  of(id, now = performance.now()) {
    const points = this.#seen.get(id)?.points ?? [];
    if (points.length < 2) return null;
    const counts = Array(12).fill(0);
    for (let index = 1; index < points.length; index++) {
      const slot = 11 - Math.floor((now - points[index].at) / (minute / 12));
      if (slot >= 0) counts[Math.min(11, slot)] += points[index].version - points[index - 1].version;
    }
    return counts;
  }
}

export const history = new History();
/** What hears of the tables whenever they were asked for. */
export const tablesSeen = new Set();
/** The tables as they were last told. */
export let known = [];

function parametersOf(family) {
  return element("div", {}, element("p", {}, "A family: one table for each choice of its parameters."),
    family.parameters.map(({ name, pattern, default: value }) =>
      element("label", {}, name,
        element("input", { name, pattern: pattern ?? false, value: value ?? "", required: value === undefined || value === null }),
        pattern && element("small", {}, `like ${pattern}`))));
}

/** How long ago it was, in the largest unit that says it. */
function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (!Number.isFinite(seconds)) return "";
  const [unit, length] = [["d", 86_400], ["h", 3600], ["min", 60]].find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / length)} ${unit} ago`;
}

/** The members that there are, as links; for admins. */
function membersOf(family) {
  const path = `/v1/families/${encodeURIComponent(family.id)}/members`;
  const list = element("ul", { class: "members" });
  const part = element("section", { "aria-label": "Open members" }, element("h3", {}, "Open now"), list, requestBehind(curl(path)));
  get(path).then(({ members }) => list.replaceChildren(...members.map(({ parameters, state, rows, fetched, polled, url }) =>
    element("li", {}, element("a", { href: `#/t/${url.slice("/v1/tables/".length)}` }, clipped(Object.values(parameters).join(", ") || family.id, 200)),
      element("small", {}, ` ${[state, counted(rows, "row"), fetched && `fetched ${ago(fetched)}`, !polled && "nobody reads it"].filter(Boolean).join(" · ")}`)))),
  ({ status, message }) => list.replaceChildren(element("li", { class: "quiet" }, status === 401 ? "An admin's token is needed." : message)));
  return part;
}

async function openMember(family) {
  const content = [parametersOf(family), family.members > 0 && membersOf(family)].filter(Boolean);
  const data = await ask(family.title ?? family.id, content, "Open");
  if (!data) return;
  const pairs = [...data].map(([name, value]) => `;${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  location.hash = `#/t/${encodeURIComponent(family.id)}${pairs.join("")}`;
}

export function showCatalog(panel) {
  const items = element("ul", {});
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const search = element("input", { type: "search", placeholder: "Search (/)", "aria-label": "Search tables", oninput: () => draw() });
  const entries = new Map();
  let tables = [];
  let marked = null;
  let timer = null;

  /** A table's node, which stays however often it is drawn: so does the focus, and a click is not lost. */
  function entry(table) {
    const isFamily = !!table.parameters;
    let kept = entries.get(table.id);
    if (kept?.isFamily !== isFamily) {
      const title = element("span", {});
      const about = element("small", {});
      const link = isFamily
        ? element("button", { type: "button", onclick: () => openMember(kept.table) }, title, about)
        : element("a", {}, title, about);
      kept = { isFamily, title, about, link, node: element("li", {}, link) };
      entries.set(table.id, kept);
    }
    kept.table = table;
    kept.title.textContent = table.title ?? table.id;
    if (isFamily) kept.about.textContent = `family · ${number(table.members ?? 0)} open`;
    else drawTable(table, kept);
    return kept.node;
  }

  function drawTable(table, { about, link }) {
    const changes = history.of(table.id)?.reduce((sum, count) => sum + count, 0);
    about.replaceChildren(element("span", { class: `state ${table.state}` }, table.state), ` · ${counted(table.rows, "row")}`,
      !changes ? "" : ` · ${number(changes)} changes/min`, table.fetched ? ` · ${`fetched ${ago(table.fetched)}`.replaceAll(" ", "\u00a0")}` : "");
    const segment = segmentOf(table.url.slice("/v1/tables/".length)) ?? "";
    link.setAttribute("href", `#/t/${segment}`);
    markCurrent(link, segment === marked);
  }

  function draw() {
    const text = search.value.trim().toLowerCase();
    const found = tables.filter(({ id, title = "" }) => `${id} ${title}`.toLowerCase().includes(text));
    const nodes = found.map(entry);
    if (nodes.length !== items.children.length || nodes.some((node, index) => node !== items.children[index])) {
      const focused = document.activeElement;
      items.replaceChildren(...nodes);
      if (items.contains(focused)) focused.focus();
    }
    if (text) announce(`${found.length} tables found`);
  }

  async function refresh() {
    clearTimeout(timer);
    try {
      if (document.visibilityState === "visible") {
        ({ tables } = await get("/v1/tables"));
        history.add(tables);
        known = tables;
        for (const listener of tablesSeen) listener(tables);
      }
      const there = new Set(tables.map(({ id }) => id));
      for (const id of entries.keys()) if (!there.has(id)) entries.delete(id);
      problem.hidden = true;
      draw();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error.status === 401 ? "The service wants a token." : error.message;
    }
    timer = setTimeout(refresh, interval);
  }

  panel.append(search, problem, items, requestBehind(curl("/v1/tables")));
  refresh();
  return {
    refresh,
    mark(segment) {
      marked = segment;
      draw();
    },
  };
}
