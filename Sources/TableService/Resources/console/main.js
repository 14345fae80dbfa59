// The page: where it is, by the part of its address behind `#`, and what it shows there.

import { showAudit } from "/console/audit.js";
import { showCatalog } from "/console/catalog.js";
import { ask, clipped, element, markCurrent } from "/console/dom.js";
import { segmentOf, setToken, token } from "/console/service.js";
import { showOverview } from "/console/overview.js";
import { showSources } from "/console/sources.js";
import { showTable } from "/console/table.js";

const main = document.querySelector("#main");
let end = () => {};

/** `#/t/SEGMENT`, `#/t/SEGMENT/time`, `#/t/SEGMENT/row/ID`, `#/sources`, `#/audit`, `#/`; whoever wrote it: null where it is none. */
function place() {
  const [kind, text, panel, ...rest] = location.hash.slice(2).split("/");
  if (["sources", "audit"].includes(kind)) return { kind };
  if (kind !== "t" || !text) return { kind: "home" };
  const segment = segmentOf(text);
  if (!segment) return null;
  if (panel !== "row") return { kind, segment, panel: ["time", "skipped"].includes(panel) ? panel : undefined };
  try {
    const row = decodeURIComponent(rest.join("/"));
    return row ? { kind, segment, panel, row } : { kind, segment };
  } catch {
    return null;
  }
}

let shown = null;

function show() {
  const { kind, segment, panel, row } = place() ?? { kind: "nowhere" };
  document.body.dataset.place = kind;
  for (const link of document.querySelectorAll("header nav a")) {
    markCurrent(link, link.hash === (["sources", "audit"].includes(kind) ? `#/${kind}` : "#/"));
  }
  catalog.mark(segment);
  // Another panel of the same table is the table's own affair.
  if (shown?.segment === segment && kind === "t") return shown.open(panel, row);
  end();
  main.replaceChildren();
  shown = null;
  end = () => {};
  if (kind === "t") {
    shown = showTable(main, segment);
    end = shown.end;
    shown.open(panel, row);
  } else if (kind === "sources") end = showSources(main);
  else if (kind === "audit") end = showAudit(main);
  else if (kind === "nowhere") {
    main.append(element("p", { class: "problem", role: "alert" }, `No table or row can be at ${clipped(location.hash, 200)}.`));
  } else end = showOverview(main);
  if (kind !== "home") main.focus({ preventScroll: true });
}

const catalog = showCatalog(document.querySelector("#catalog"));

document.querySelector("#token").addEventListener("click", async () => {
  const field = element("label", {}, "Bearer token, kept for this session only",
    element("input", { name: "token", type: "password", autocomplete: "off", value: token() ?? "" }));
  const data = await ask("Token", field, "Use it");
  if (!data) return;
  setToken(data.get("token").trim());
  end();
  shown = null;
  main.replaceChildren();
  catalog.refresh();
  show();
});

document.querySelector("#skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  if (place()?.kind === "t" && innerWidth < 900) location.hash = "#/";
  document.querySelector("#catalog input").focus();
});

addEventListener("hashchange", show);
show();
