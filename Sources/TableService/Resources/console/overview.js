// The service at a glance: its tables with a minute's changes, the health of its sources, and who reads.

import { history, known, tablesSeen } from "/console/catalog.js";
import { element, markCurrent, number } from "/console/dom.js";
import { curl, get, requestBehind, segmentOf, token } from "/console/service.js";

const interval = 5000;
const rank = { failed: 0, stale: 1, loading: 2 };

/** A minute's changes as a line, in words for who listens. */
export function sparkline(counts) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const sum = counts?.reduce((sum, count) => sum + count, 0) ?? 0;
  svg.setAttribute("viewBox", "0 0 120 24");
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", counts ? `${sum} changes in the last minute` : "not known yet");
  svg.setAttribute("preserveAspectRatio", "none");
  if (!counts) return svg;
  const most = Math.max(1, ...counts);
  const line = document.createElementNS(svg.namespaceURI, "polyline");
  line.setAttribute("points", counts.map((count, index) => `${(index * 120) / (counts.length - 1)},${22 - (count / most) * 20}`).join(" "));
  svg.append(line);
  return svg;
}

/** The numbers of a Prometheus text, by their names; those with labels are left out. */
const numbersOf = (text) => new Map([...text.matchAll(/^([a-z_]+) ([0-9.e+]+)$/gm)].map(([, name, value]) => [name, Number(value)]));

const failing = ({ state, breaker, problem }) => state === "failed" || state === "stale" || !!problem || (breaker && breaker !== "closed");

export function showOverview(main) {
  const figures = element("div", { class: "figures" });
  const troubles = element("ul", { class: "troubles" });
  const rows = element("tbody", {});
  const table = element("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Tables, with a minute's changes" },
    element("table", { class: "overview" }, element("thead", {}, element("tr", {}, ["Table", "State", "Rows", "The last minute", "Changes"].map((name) => element("th", { scope: "col" }, name)))), rows));
  const beginning = element("section", { class: "beginning", "aria-label": "How to begin", hidden: true },
    element("p", {}, "This service has no tables yet. Begin with the URL of a list: this writes a configuration for it, and serves it."),
    element("pre", {}, "tablecast init https://api.example.com/issues --output tables.yaml\ntablecast serve --config tables.yaml"));
  const nodes = new Map();
  let timer = null;
  let isOver = false;

  /** Before they were asked for, nobody knows whether there are any. */
  function drawTables(tables, areKnown = true) {
    beginning.hidden = !areKnown || tables.length > 0;
    table.hidden = areKnown && !tables.length;
    const ranked = [...tables].sort((a, b) => (rank[a.state] ?? 3) - (rank[b.state] ?? 3));
    const wanted = ranked.map((table) => {
      if (!nodes.has(table.id)) {
        const segment = table.url && segmentOf(table.url.slice("/v1/tables/".length));
        const title = table.parameters ? element("span", { dir: "auto" }) : element("a", { href: `#/t/${segment ?? ""}`, dir: "auto" });
        const cells = [element("th", { scope: "row" }, title), ...Array.from({ length: 4 }, () => element("td", {}))];
        nodes.set(table.id, { node: element("tr", { "data-table": table.id }, cells), title, cells });
      }
      const { node, title, cells } = nodes.get(table.id);
      title.textContent = table.title ?? table.id;
      const counts = table.parameters ? null : history.of(table.id);
      const sum = counts?.reduce((sum, count) => sum + count, 0);
      cells[1].replaceChildren(table.parameters ? "family" : element("span", { class: `state ${table.state}` }, table.state));
      cells[2].textContent = table.parameters ? `${number(table.members ?? 0)} open` : number(table.rows ?? 0);
      cells[3].replaceChildren(table.parameters ? "" : sparkline(counts));
      cells[4].textContent = table.parameters ? "" : counts ? number(sum) : "–";
      return node;
    });
    if (wanted.some((node, index) => node !== rows.children[index]) || wanted.length !== rows.children.length) {
      const focused = document.activeElement;
      rows.replaceChildren(...wanted);
      if (rows.contains(focused)) focused.focus();
    }
  }

  function figure(name, value, about) {
    return element("dl", {}, element("dt", {}, name), element("dd", {}, value, about && element("small", {}, ` ${about}`)));
  }

  async function load() {
    clearTimeout(timer);
    if (document.visibilityState === "visible") {
      const [sources, metrics] = await Promise.all([
        get("/v1/sources").then(({ sources }) => sources, (error) => error),
        fetch("/metrics", { headers: token() ? { Authorization: `Bearer ${token()}` } : {} }).then((reply) => (reply.ok ? reply.text() : "")).then(numbersOf, () => new Map()),
      ]);
      if (isOver) return;
      const bad = Array.isArray(sources) ? sources.filter(failing) : [];
      const clients = (metrics.get("tablecast_waiting_polls") ?? 0) + (metrics.get("tablecast_streams") ?? 0);
      figures.replaceChildren(
        figure("Tables", number(known.length), known.some(({ state }) => state === "failed") && `${known.filter(({ state }) => state === "failed").length} failed`),
        Array.isArray(sources) ? figure("Sources", number(sources.length), bad.length ? `${bad.length} failing` : sources.length && "all well") : figure("Sources", "–", "an admin's token is needed"),
        metrics.size ? figure("Clients waiting", number(clients), metrics.get("tablecast_waiting_callers") ? `${number(metrics.get("tablecast_waiting_callers"))} callers` : "") : figure("Clients waiting", "–"),
        metrics.size ? figure("Connections", number(metrics.get("tablecast_connections") ?? 0)) : "");
      troubles.hidden = !bad.length;
      const items = bad.map(({ id, state, problem }) => element("li", {}, element("a", { href: "#/sources" }, id), " ",
        element("span", { class: `state ${state}` }, state), problem ? ` – ${problem.title}` : ""));
      // What is read or focused stays, as long as it says the same.
      if (items.map(({ textContent }) => textContent).join("\n") !== [...troubles.children].map(({ textContent }) => textContent).join("\n")) troubles.replaceChildren(...items);
    }
    if (!isOver) timer = setTimeout(load, interval);
  }

  main.append(element("h2", {}, "Overview"), figures, element("section", { "aria-label": "Sources that fail" }, troubles),
    beginning, table, requestBehind(curl("/v1/tables"), curl("/v1/sources"), curl("/metrics")));
  markCurrent(main, false);
  drawTables(known, known.length > 0);
  tablesSeen.add(drawTables);
  load();
  return () => {
    isOver = true;
    clearTimeout(timer);
    tablesSeen.delete(drawTables);
  };
}
