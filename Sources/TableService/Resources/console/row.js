// One row: the item that it represents beside the cell that it became, where it stands and what may be done with it.

import { clipped, element, json } from "/console/dom.js";
import { cells, curl, get, requestBehind, view } from "/console/service.js";

export function rowPanel(panel, { segment, id, table, close }) {
  const path = `/v1/tables/${segment}`;
  const row = `${path}/rows/${encodeURIComponent(id)}?view=${view}`;
  const item = `${path}/items/${encodeURIComponent(id)}`;
  const content = element("div", {});
  let shown = null;
  let number = 0;

  panel.setAttribute("aria-label", `Row ${clipped(id, 80)}`);
  panel.append(element("p", { class: "buttons" }, element("h3", {}, `Row ${clipped(id, 80)}`),
    element("button", { type: "button", onclick: close, "aria-label": "Close the row" }, "✕")),
  content, requestBehind(curl(row), curl(item)));

  const part = (title, ...children) => element("section", {}, element("h4", {}, title), ...children);
  const settle = (promise) => promise.then((value) => ({ value }), (error) => ({ error }));

  /** Why it stands in this section, as far as the table tells. */
  function placeOf({ section, at }) {
    const found = table.snapshot.sections.find((one) => one.id === section);
    const title = found?.header?.payload?.title;
    return part("Place", element("p", {}, `Section `, element("code", {}, clipped(String(section), 200)), title ? ` “${clipped(String(title), 200)}”` : "",
      `, at ${at.join(", ")}: the first section of the table that takes the item, in its order there.`));
  }

  async function load() {
    const mine = ++number;
    const [found, object, registry] = await Promise.all([settle(get(row)), settle(get(item)), cells().catch(() => new Map())]);
    if (mine !== number) return;
    if (found.error) return content.replaceChildren(element("p", { class: "problem", role: "alert" }, found.error.message));
    const { value } = found;
    const { cellIdentifier, payload, can, select, actions, fallback } = value.row;
    const { schema, ...type } = registry.get(cellIdentifier) ?? {};
    content.replaceChildren(...[
      part("Represented item", object.error ? element("p", { class: "problem" }, object.error.message) : json(object.value, "Represented item")),
      part(`Payload of ${cellIdentifier}`, json(payload, "Payload")), placeOf(value),
      part("Permissions", element("p", {}, ["edit", "move", "select"].map((name) =>
        element("span", { class: can?.[name] ? "yes" : "no" }, `${can?.[name] ? "✓" : "✕"} ${name} `)))),
      select && part("select", json(select, "select")),
      actions?.length && part("Actions", json(actions, "Actions")),
      fallback && part("Fallback", json(fallback, "Fallback")),
      part("Cell type", schema ? json({ ...type, schema }, "Cell type") : element("p", {}, "Not in the registry.")),
    ].filter(Boolean));
  }

  load();
  return {
    changed() {
      const now = table.row(id);
      if (now === shown) return;
      shown = now;
      load();
    },
    end: () => number++,
  };
}
