// The changes of a table since the page was opened: what each brought, and the table before and after it.

import { bytesText, clipped, element, json } from "/console/dom.js";
import { curl, requestBehind, view } from "/console/service.js";

const most = 200;
const timelines = new WeakMap();

/** The last changes of a table, newest first; the snapshots before and after share their rows. */
class Timeline {
  changes = [];
  listeners = new Set();
  #number = 0;

  add({ reply, bytes, before, after }) {
    if (!reply) return;
    this.changes = [{ number: ++this.#number, at: new Date(), reply, bytes, before, after }, ...this.changes].slice(0, most);
    for (const listener of this.listeners) listener();
  }
}

export function timelineOf(table) {
  if (!timelines.has(table)) timelines.set(table, new Timeline());
  return timelines.get(table);
}

/** `3 rows inserted, 1 moved` */
function countsOf({ reset, stages }) {
  if (reset) return `snapshot (${reset})`;
  const counts = new Map();
  for (const stage of stages) {
    for (const kind of ["sections", "rows"]) {
      for (const [operation, list] of Object.entries(stage[kind] ?? {})) {
        const name = `${kind === "rows" ? "" : "section "}${operation}`;
        counts.set(name, (counts.get(name) ?? 0) + list.length);
      }
    }
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ") || "nothing visible";
}

const outline = ({ cursor, state, sections }) => element("div", { class: "outline", tabIndex: 0, role: "region", "aria-label": `The table at ${cursor}` },
  element("p", {}, element("code", {}, cursor ?? "–"), ` ${state}`),
  sections.map(({ id, rows }) => element("div", {}, element("b", {}, clipped(String(id), 80)),
    element("ol", {}, rows.slice(0, 100).map((row) => element("li", {}, clipped(String(row.payload.title ?? row.id), 80)))),
    rows.length > 100 && element("p", {}, `and ${rows.length - 100} more`))));

export function timelinePanel(panel, timeline, segment) {
  const list = element("ol", { class: "changes", reversed: true });
  const detail = element("div", {});
  let chosen = null;
  let frame = null;

  function choose(change) {
    chosen = change.number;
    const { reply, before, after } = change;
    detail.replaceChildren(
      element("div", { class: "pair" }, element("section", {}, element("h4", {}, "Before"), outline(before)),
        element("section", {}, element("h4", {}, "After"), outline(after))),
      element("h4", {}, reply.stages ? "Stages" : "Snapshot"), json(reply.stages ?? { reset: reply.reset, cursor: reply.to }, "Stages"),
      requestBehind(curl(`/v1/tables/${segment}/changes?${reply.from ? `after=${reply.from}&` : ""}wait=0&view=${view}`)));
    for (const { dataset, firstChild } of list.children) firstChild.setAttribute("aria-pressed", String(Number(dataset.number) === chosen));
  }

  const entry = (change) =>
    element("li", { "data-number": change.number }, element("button", { type: "button", "aria-pressed": "false", onclick: () => choose(change) },
      element("time", { dateTime: change.at.toISOString() }, change.at.toLocaleTimeString()), ` ${countsOf(change.reply)} · ${bytesText(change.bytes)}`));

  /** Puts what is new on top, takes what is too old away, once a frame. */
  function draw() {
    frame = null;
    const newest = Number(list.firstChild?.dataset.number ?? 0);
    const fresh = timeline.changes.filter(({ number }) => number > newest);
    list.prepend(...fresh.map(entry));
    while (list.childElementCount > timeline.changes.length) list.lastChild.remove();
  }
  const schedule = () => (frame ??= requestAnimationFrame(draw));

  panel.setAttribute("aria-label", "Changes in time");
  panel.append(element("h3", {}, "Changes since the page was opened"), list, detail);
  draw();
  timeline.listeners.add(schedule);
  return {
    end() {
      timeline.listeners.delete(schedule);
      cancelAnimationFrame(frame);
    },
  };
}
