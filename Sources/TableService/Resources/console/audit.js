// Who did what: the newest edits that the service has recorded, for admins.

import { clipped, element } from "/console/dom.js";
import { curl, get, requestBehind } from "/console/service.js";

const interval = 5000;
const columns = ["time", "caller", "op", "table", "row", "outcome", "status", "address", "request"];

const text = (name, value) =>
  value === null || value === undefined ? "–" : name === "time" ? new Date(value).toLocaleString() : clipped(String(value), 80);

function row(entry) {
  return element("tr", { class: entry.outcome === "done" ? "" : "refused" },
    columns.map((name) => element("td", { title: name === "caller" && entry.issuer ? entry.issuer : undefined }, text(name, entry[name]))));
}

export function showAudit(main) {
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const body = element("tbody", {});
  let timer = null;
  let isOver = false;
  let shown = "";

  async function load() {
    clearTimeout(timer);
    try {
      if (document.visibilityState === "visible") {
        const { entries } = await get("/v1/audit?rows=200");
        if (isOver) return;
        const key = entries.map(({ request, time }) => `${time} ${request}`).join();
        if (key !== shown) body.replaceChildren(...entries.map(row));
        shown = key;
      }
      problem.hidden = true;
    } catch (error) {
      problem.hidden = false;
      problem.textContent = [401, 403].includes(error.status) ? `An admin's token is needed: ${error.message}` : error.message;
    }
    if (!isOver) timer = setTimeout(load, interval);
  }

  main.append(element("a", { class: "back", href: "#/" }, "‹ Tables"), element("h2", {}, "Edits"), problem,
    element("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Recorded edits" },
      element("table", {}, element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name)))), body)),
    requestBehind(curl("/v1/audit")));
  load();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
