// One table, live, as an app shows it; beside it a row, or its changes in time.

import { bindTable } from "/console/bind.js";
import { draw, titleOf, withheldHost } from "/console/cells.js";
import { dragRows } from "/console/dragging.js";
import { announce, clipped, counted, element, number } from "/console/dom.js";
import { addItem, deleteItem, editItem, editList, moveItem, runAction } from "/console/editing.js";
import { exportButtons } from "/console/export.js";
import { Filtered } from "/console/filtered.js";
import { allowPictures } from "/console/pictures.js";
import { bindSearch } from "/console/search.js";
import { rowPanel } from "/console/row.js";
import { skippedPanel } from "/console/skipped.js";
import { cells, clientFor, curl, firstRows, requestBehind, view } from "/console/service.js";
import { timelineOf, timelinePanel } from "/console/timeline.js";

const words = { connecting: "connecting…", cached: "cached", live: "live", retrying: "trying again…", paused: "paused", refused: "refused" };

/** Why there are no rows. */
function emptyWords({ state, connection, refusal, search }, text) {
  if (refusal) return "The service refuses this table.";
  if (state === "failed") return "Its source has never answered.";
  if (connection === "connecting" || state === "loading") return "Waiting for the first answer…";
  return search?.q || Object.keys(search?.filters ?? {}).length || text ? "Nothing was found." : "No rows.";
}

export function showTable(main, segment) {
  const [first, ...pairs] = segment.split(";");
  const name = decodeURIComponent(first);
  const params = Object.fromEntries(pairs.map((pair) => pair.split("=").map(decodeURIComponent)));
  let registry = new Map();
  let accepted = null;
  let table;
  let stop = () => {};
  let side = null;

  const title = element("h2", {});
  const status = element("p", { class: "status" });
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const list = element("div", { role: "grid", class: "rows", "aria-label": "Rows" });
  const scroller = element("div", { class: "scroller" }, list);
  const pictures = element("button", { type: "button", hidden: true });
  const oldClient = element("details", { class: "old" }, element("summary", {}, "As an old client"));
  const edits = element("div", {});
  const aside = element("section", { class: "side", hidden: true, "aria-label": "Details" });
  const behind = element("div", {});
  const tab = (text, path) => element("a", { href: `#/t/${segment}${path}` }, text);
  const tabs = element("nav", { class: "tabs", "aria-label": "Panels" }, tab("Rows", ""), tab("Time", "/time"), tab("Left out", "/skipped"));
  const add = element("button", { type: "button", onclick: () => addItem(table, segment, registry) }, "Add…");
  const toolbar = element("p", { class: "toolbar" }, add,
    element("button", { type: "button", onclick: () => table.refresh() }, "Refresh"),
    element("label", { class: "check" }, element("input", { type: "checkbox", onchange: ({ target }) => showColumns(target.checked) }), " Columns"),
    exportButtons(segment, () => table.snapshot.search), pictures);
  const search = element("div", { class: "search" });
  const filter = element("input", { type: "search", class: "filter", placeholder: "Filter the rows that are here", "aria-label": "Filter the rows that are here", dir: "auto", hidden: true });

  main.append(element("a", { class: "back", href: "#/" }, "‹ Tables"), title, status, problem, tabs, toolbar, search, filter, oldClient, edits,
    element("div", { class: "panes" }, scroller, aside), behind);

  // Columns: the members of the payloads, those of the first rows.

  let columns = null;
  const titles = element("div", { role: "row", class: "row titles", hidden: true });
  list.before(titles);

  function showColumns(isWanted) {
    const names = new Set();
    if (isWanted) for (const { rows } of table.snapshot.sections) for (const { payload } of rows.slice(0, 50)) Object.keys(payload).forEach((name) => names.add(name));
    columns = isWanted ? ["id", ...names].slice(0, 9) : null;
    titles.hidden = !columns;
    titles.replaceChildren(element("span", { class: "cell columns" }, (columns ?? []).map((name) => element("span", { role: "columnheader" }, clipped(name, 40)))));
    list.style.setProperty("--columns", columns?.length ?? 1);
    titles.style.setProperty("--columns", columns?.length ?? 1);
    connect();
  }

  const drawColumns = ({ id, payload }) => columns.map((name) => {
    const value = name === "id" ? id : payload[name];
    return element("span", { dir: "auto", title: clipped(String(value ?? ""), 300) }, clipped(value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value), 120));
  });

  // Rows.

  function fill(node, row, before) {
    const canMove = row.can?.move && !row.pending;
    const buttons = element("span", { role: "gridcell", class: "buttons" },
      row.pending && element("small", { class: "pending" }, `${row.pending.op} ${row.pending.state}`),
      (row.actions ?? []).map((action) => element("button", { type: "button", tabIndex: -1, onclick: () => runAction(table, row, action) }, clipped(action.title ?? action.id, 60))),
      row.can?.edit && element("button", { type: "button", tabIndex: -1, "aria-label": `Edit ${clipped(row.id, 60)}`, onclick: () => editItem(table, segment, row) }, "Edit"),
      row.can?.edit && element("button", { type: "button", tabIndex: -1, "aria-label": `Delete ${clipped(row.id, 60)}`, onclick: () => deleteItem(table, row) }, "✕"),
      canMove && element("span", { class: "handle", "data-handle": "", title: "Drag to move, or Alt and an arrow" }, "⠿"));
    node.replaceChildren(element("span", { role: "gridcell", class: columns ? "cell columns" : "cell" }, columns ? drawColumns(row) : draw(row, registry)), buttons);
    if (row.id === selected) node.setAttribute("aria-selected", "true");
    node.classList.toggle("pends", Boolean(row.pending));
    if (before && !before.pending && !row.pending) mark(node);
  }

  function mark(node) {
    node.classList.remove("changed");
    requestAnimationFrame(() => node.classList.add("changed"));
  }

  /** Rows that a change has brought and that were not drawn yet: not those that the page opens with or is scrolled to. */
  const arrived = new Set();
  function note({ type, before, after, reply }) {
    if (type !== "changes" || ["from", "rows"].some((end) => before.window?.[end] !== after.window?.[end])) return;
    if (arrived.size > 1000) arrived.clear();
    for (const { rows } of reply?.stages ?? []) for (const { row } of rows?.insert ?? []) arrived.add(row.id);
  }

  const binding = {
    create(row) {
      const node = element("div", { role: "row", class: "row", tabIndex: -1, "data-row": row.id });
      node.addEventListener("animationend", () => node.classList.remove("changed"));
      node.addEventListener("click", (event) => {
        if (!event.target.closest("button, .handle")) select(node.dataset.row);
      });
      if (arrived.delete(row.id)) mark(node);
      queueMicrotask(keepReachable); // By then it stands there.
      return node;
    },
    update: fill,
    header(section, node = element("div", { role: "row", class: "header" })) {
      const text = section.header && titleOf(section.header.payload);
      node.replaceChildren(element("span", { role: "gridcell" }, clipped(text ?? section.id, 300)));
      return node;
    },
    empty: (snapshot) => element("div", { role: "row", class: "empty" }, element("span", { role: "gridcell" }, emptyWords(snapshot, filter.value))),
  };

  const rowOf = (id) => table.row(id);
  /** Opens the row's panel; an expandable row is tapped, as in an app. */
  function select(id) {
    const row = rowOf(id);
    const expands = row && registry.get(row.cellIdentifier)?.expands;
    if (expands && row.can?.select !== false) {
      table.tap(id, { show: (row) => ({ ...row, payload: { ...row.payload, [expands]: !row.payload[expands] } }) });
    }
    location.hash = `#/t/${segment}/row/${encodeURIComponent(id)}`;
  }

  function onKey(event) {
    const node = event.target.closest("[data-row]");
    if (!node || event.target.matches("button, input")) return;
    const next = (step) => {
      let other = node;
      do other = step > 0 ? other.nextElementSibling : other.previousElementSibling;
      while (other && !("row" in other.dataset));
      return other;
    };
    const row = rowOf(node.dataset.row);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const other = step && next(step);
    if (step && event.altKey) {
      if (row?.can?.move && other) moveItem(table, row, step > 0 ? { after: other.dataset.row } : { before: other.dataset.row });
    } else if (step) other?.focus();
    else if (event.key === "Enter" || event.key === " ") select(node.dataset.row);
    else if (event.key === "e" && row?.can?.edit) editItem(table, segment, row);
    else if (event.key === "Delete" && row?.can?.edit) deleteItem(table, row);
    else return;
    event.preventDefault();
  }
  list.addEventListener("keydown", onKey);

  let selected = null;
  /** Marks the row whose panel is open, whenever its node comes. */
  function markSelected() {
    const node = selected === null ? null : [...list.querySelectorAll("[data-row]")].find(({ dataset }) => dataset.row === selected);
    for (const other of list.querySelectorAll("[aria-selected]")) if (other !== node) other.removeAttribute("aria-selected");
    node?.setAttribute("aria-selected", "true");
  }

  /** One row can be reached by Tab, the others by arrows from there. */
  function keepReachable() {
    if (list.querySelector('[tabindex="0"]')) return;
    const first = list.querySelector("[data-row]");
    if (first) first.tabIndex = 0;
  }
  list.addEventListener("focusin", (event) => {
    const node = event.target.closest("[data-row]");
    if (!node) return;
    list.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    node.tabIndex = 0;
  });

  // What stands around them.

  /** The first host whose pictures are withheld, among the rows that are likely seen. */
  function hostOf({ sections }) {
    for (const { rows } of sections.slice(0, 20)) {
      for (const row of rows.slice(0, 50)) {
        const host = withheldHost(row);
        if (host) return host;
      }
    }
  }

  function describe(snapshot) {
    const { state, connection, counts, window, cursor, problem: reason, refusal, title: text } = snapshot;
    title.textContent = text ?? name;
    document.querySelector("#connection").textContent = words[connection] ?? connection;
    document.querySelector("#connection").dataset.connection = connection;
    const rows = window && window.of > window.rows ? `${number(window.rows)} of ${number(window.of)} rows` : counted(counts?.rows ?? 0, "row");
    const parts = [`${rows} in ${counted(counts?.sections ?? 0, "section")}`];
    if (counts?.omittedSections) parts.push(`${counted(counts.omittedSections, "empty section")} left out`);
    tabs.lastChild.textContent = counts?.skippedItems ? `Left out (${number(counts.skippedItems)})` : "Left out";
    if (snapshot.truncated) parts.push("truncated: the source has more");
    status.replaceChildren(element("span", { class: `state ${state}` }, state), ` ${parts.join(" · ")} `, element("code", {}, cursor ?? ""));
    const shown = refusal ?? reason;
    problem.hidden = !shown;
    problem.textContent = shown ? [shown.title, shown.detail].filter(Boolean).join(": ") : "";
    // Where the table can't be searched, what is here can be looked through.
    filter.hidden = !(cursor && !snapshot.find && (counts?.rows ?? 0) > 5);
    // A table none of whose rows can be edited takes none either, as far as can be told.
    const rowsHere = snapshot.sections.flatMap(({ rows }) => rows.slice(0, 20));
    add.hidden = !cursor || (rowsHere.length > 0 && !rowsHere.some(({ can }) => can?.edit));
    list.setAttribute("aria-rowcount", window?.of ?? counts?.rows ?? -1);
    const host = hostOf(snapshot);
    pictures.hidden = !host;
    pictures.textContent = host ? `Show pictures from ${host}` : "";
    pictures.onclick = () => (allowPictures(host), connect());
  }

  function connect() {
    stop();
    table = clientFor(accepted).table(name, { params, view, rows: firstRows });
    const timeline = timelineOf(table);
    const { list: editNodes, draw: drawEdits } = editList(table);
    edits.replaceChildren(editNodes);
    let wasConnection = null;
    let frame = null;
    /** All around the rows, which are drawn by then: once a frame, however many changes it brought. */
    const draw = () => {
      frame = null;
      const after = table.snapshot;
      describe(after);
      drawEdits(after);
      if (after.connection !== wasConnection) announce(`${after.title ?? name}: ${words[after.connection]}`);
      wasConnection = after.connection;
      keepReachable();
      markSelected();
      side?.changed?.(after);
    };
    const unsubscribe = table.subscribe((change) => {
      if (change.type === "reset" || change.type === "changes") timeline.add(change);
      note(change);
      frame ??= requestAnimationFrame(draw);
    });
    const filtered = new Filtered(table, filter.value);
    filter.oninput = () => filtered.look(filter.value);
    const unbind = bindTable(list, filtered, binding);
    const unsearch = bindSearch(search, table, { found: (count) => `${count} rows found` });
    const undrag = dragRows(list, table, (id, place) => moveItem(table, rowOf(id), place));
    draw();
    const headers = accepted ? { "Accept-Cells": accepted.join(", ") } : {};
    const { cursor } = table.snapshot;
    behind.replaceChildren(requestBehind(curl(`/v1/tables/${segment}?rows=${firstRows}&view=${view}`, { headers }),
      curl(`/v1/tables/${segment}/changes?after=${cursor ?? "CURSOR"}&wait=20&view=${view}`, { headers })));
    stop = () => {
      cancelAnimationFrame(frame);
      unsubscribe();
      unbind();
      unsearch();
      undrag();
    };
  }

  /** Which cells this client says that it can show. */
  function offerCells() {
    const boxes = [...registry.keys()].map((identifier) =>
      element("label", {}, element("input", { type: "checkbox", checked: true, value: identifier, onchange: choose }), identifier));
    function choose() {
      const chosen = boxes.map((box) => box.firstChild).filter(({ checked }) => checked);
      accepted = chosen.length === boxes.length ? null : chosen.map(({ value }) => value);
      connect();
    }
    oldClient.append(element("p", {}, "The cells that it says it can show; all others come as their fallbacks."), ...boxes);
  }

  function open(panel, row) {
    side?.end?.();
    side = null;
    for (const link of tabs.children) {
      if (link.hash === `#/t/${segment}${["time", "skipped"].includes(panel) ? `/${panel}` : ""}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    aside.hidden = !panel;
    aside.replaceChildren();
    main.dataset.panel = panel ?? "";
    if (panel === "time") side = timelinePanel(aside, timelineOf(table), segment);
    if (panel === "skipped") side = skippedPanel(aside, { segment, table });
    side?.changed?.(table.snapshot);
    if (panel === "row") side = rowPanel(aside, { segment, id: row, table, close: () => (location.hash = `#/t/${segment}`) });
    selected = panel === "row" ? row : null;
    markSelected();
  }

  cells().then((found) => {
    registry = found;
    offerCells();
    if (stop) connect();
  }, () => {});
  connect();
  return {
    segment,
    open,
    end() {
      side?.end?.();
      stop();
      stop = null;
      document.querySelector("#connection").textContent = "";
    },
  };
}
