// The items that got no row, with their reasons, and those that no section takes: as many as the service keeps.

import { atMostEvery, clipped, element, number } from "/console/dom.js";
import { curl, get, requestBehind } from "/console/service.js";

export function skippedPanel(panel, { segment, table }) {
  const path = `/v1/tables/${segment}/skipped`;
  const content = element("div", {});
  let shown = null;
  let asked = 0;

  function item({ index, source, id, type, field, reason }) {
    const about = [`item ${index} of ${clipped(source, 80)}`, id !== undefined && `id ${clipped(id, 80)}`, type && `type ${clipped(type, 80)}`, field && `field ${clipped(field, 80)}`];
    return element("li", {}, element("span", {}, clipped(reason, 2000)), element("small", {}, about.filter(Boolean).join(" · ")));
  }

  const load = atMostEvery(1000, async () => {
    const mine = ++asked;
    let nodes;
    try {
      const { skippedItems, items, unplacedItems, unplaced } = await get(path);
      nodes = [
        element("p", {}, skippedItems ? `${number(skippedItems)} items that a section takes have no row${skippedItems > items.length ? `; the first ${items.length}` : ""}:` : "Every item that a section takes has its row."),
        element("ol", { class: "skipped" }, items.map(item)),
        unplacedItems > 0 && element("p", {}, `${number(unplacedItems)} items are in no section${unplacedItems > unplaced.length ? `; the first ${unplaced.length}` : ""}:`),
        unplacedItems > 0 && element("ol", { class: "skipped unplaced" }, unplaced.map(item)),
      ];
    } catch (error) {
      const text = [401, 403].includes(error.status) ? `A token that may edit is needed: ${error.message}` : error.message;
      nodes = [element("p", { class: "problem", role: "alert" }, text)];
    }
    if (mine === asked) content.replaceChildren(...nodes.filter(Boolean));
  });

  panel.setAttribute("aria-label", "Items without a row");
  panel.append(element("h3", {}, "Items without a row"), content, requestBehind(curl(path)));
  return {
    /** Asked anew where the table's cursor has moved on. */
    changed({ cursor }) {
      if (cursor === shown) return;
      shown = cursor;
      load();
    },
    end() {
      load.end();
      asked++;
    },
  };
}
