// One row: the item that it represents beside the cell that it became, where it stands and what may be done with it.

import { atMostEvery, clipped, element, json } from "/console/dom.js";
import { cells, curl, get, pathOf, requestBehind, view } from "/console/service.js";

export function rowPanel(panel, { segment, id, table, close }) {
  const bare = pathOf(segment, "rows", id);
  const row = `${bare}?view=${view}`;
  const item = pathOf(segment, "items", id);
  const placement = `${bare}/placement`;
  const content = element("div", {});
  let shown = null;
  let number = 0;

  panel.setAttribute("aria-label", `Row ${clipped(id, 80)}`);
  panel.append(element("p", { class: "buttons" }, element("h3", {}, `Row ${clipped(id, 80)}`),
    element("button", { type: "button", onclick: close, "aria-label": "Close the row" }, "✕")),
  content, ...(bare ? [requestBehind(curl(row), curl(item), curl(placement))] : []));
  const part = (title, ...children) => element("section", {}, element("h4", {}, title), children.flat());
  const settle = (promise) => promise.then((value) => ({ value }), (error) => ({ error }));

  const code = (text) => element("code", {}, clipped(String(text), 500));

  /** Why it stands in its section, in the configuration's words. */
  function reasonOf({ kind, expression, passed }) {
    const rule = expression === null ? ["it takes every item"] : [code(expression), " holds"];
    if (kind === "group") return element("p", {}, "The section of its group: the item's ", code(expression), " is the section's id.");
    if (kind === "only") return element("p", {}, "The table's only section: ", rule, ".");
    if (kind === "every") return element("p", {}, "One of all the sections that take the item: ", rule, ".");
    return [
      element("p", {}, "The first section that takes the item: ", rule, "."),
      passed.length > 0 && element("ul", {}, passed.map(({ section, expression }) =>
        element("li", {}, "not ", code(section), ": ", code(expression), " doesn't hold"))),
    ];
  }

  function placeOf({ section, at }, reason) {
    const found = table.snapshot.sections.find((one) => one.id === section);
    const title = found?.header?.payload?.title;
    const why = reason.error
      ? element("p", { class: "quiet" }, `Why there: ${[401, 403].includes(reason.error.status) ? "a token that may edit is told." : reason.error.message}`)
      : reasonOf(reason.value.rule);
    return part("Place", element("p", {}, "Section ", code(section), title ? ` “${clipped(String(title), 200)}”` : "", `, at ${at.join(", ")}`), why);
  }

  if (!bare) {
    const whole = element("div", {});
    const words = "No URL can name this row, as its id is of dots alone: what can be asked of a row can't be asked of it.";
    const changed = () => whole.replaceChildren(json(table.row(id), "The row"));
    content.append(element("p", { class: "problem", role: "alert" }, words), part("The row", whole));
    changed();
    return { changed };
  }

  const load = atMostEvery(500, async () => {
    const mine = ++number;
    const [found, object, reason, registry] = await Promise.all([
      settle(get(row)), settle(get(item)), settle(get(placement)), cells().catch(() => new Map()),
    ]);
    if (mine !== number) return;
    if (found.error) return content.replaceChildren(element("p", { class: "problem", role: "alert" }, found.error.message));
    const { value } = found;
    const { cellIdentifier, payload, can, select, actions, fallback } = value.row;
    const { schema, ...type } = registry.get(cellIdentifier) ?? {};
    content.replaceChildren(...[
      part("Represented item", object.error ? element("p", { class: "problem" }, object.error.message) : json(object.value, "Represented item")),
      part(`Payload of ${cellIdentifier}`, json(payload, "Payload")), placeOf(value, reason),
      part("Permissions", element("p", {}, ["edit", "move", "select"].map((name) =>
        element("span", { class: can?.[name] ? "yes" : "no" }, `${can?.[name] ? "✓" : "✕"} ${name} `)))),
      select && part("select", json(select, "select")),
      actions?.length && part("Actions", json(actions, "Actions")),
      fallback && part("Fallback", json(fallback, "Fallback")),
      part("Cell type", schema ? json({ ...type, schema }, "Cell type") : element("p", {}, "Not in the registry.")),
    ].filter(Boolean));
  });

  load();
  return {
    changed() {
      const now = table.row(id);
      if (now === shown) return;
      shown = now;
      load();
    },
    end() {
      load.end();
      number++;
    },
  };
}
