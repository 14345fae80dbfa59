// Where the items come from: for each source its last answers, the next fetch, the breaker and the upstream's words.

import { announce, bytesText, clipped, element, number } from "/console/dom.js";
import { curl, get, requestBehind } from "/console/service.js";

const interval = 2000;

const inSeconds = (time) => {
  const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? "–" : seconds <= 0 ? "now" : `in ${number(seconds)} s`;
};
const columns = ["at", "status", "ms", "bytes", "304", "retries", "pages"];

const isFailing = ({ state, breaker, problem }) => state === "failed" || state === "stale" || !!problem || (breaker && breaker !== "closed" && breaker.state !== "closed");
const hasAnswered = ({ last }) => (last ?? []).some(({ status }) => status >= 200 && status < 400);

function answers(source) {
  if (!source.last?.length) return element("p", { class: "quiet" }, "It was never asked.");
  const cells = ({ at, status, ms, bytes, notModified, retries, pages }) =>
    [at ? new Date(at).toLocaleTimeString() : "–", status ?? "–", ms ?? "–", bytes === undefined || bytes === null ? "–" : bytesText(bytes), notModified ? "✓" : "", retries || "", pages ?? ""];
  return element("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `Last answers of ${source.id}` },
    element("table", {}, element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, (source.last ?? []).map((answer) => element("tr", {}, cells(answer).map((text) => element("td", {}, String(text))))))));
}

function sourceNode(source, refresh) {
  const { id, state, every, next, breaker, problem } = source;
  const isOpen = breaker && breaker !== "closed" && breaker.state !== "closed";
  return element("article", { class: "source", "data-source": id },
    element("p", { class: "buttons" }, element("h3", {}, id), element("span", { class: `state ${state}` }, state ?? ""),
      element("button", { type: "button", onclick: () => refresh(id) }, "Refresh")),
    element("p", {}, `Every ${every ?? "–"}, next ${next ? inSeconds(next) : "–"}`,
      breaker && ` · breaker ${typeof breaker === "string" ? breaker : breaker.state}`, isOpen && element("b", {}, " (nothing is asked)")),
    problem && element("p", { class: "problem" }, clipped([problem.title, problem.detail].filter(Boolean).join(": "), 2000)),
    !hasAnswered(source) && source.last?.length > 0 && element("p", {}, element("b", {}, "It has not answered yet: "), "none of its last answers was of use."),
    answers(source));
}

export function showSources(main) {
  const list = element("div", {});
  const count = element("p", { class: "quiet" });
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  let timer = null;
  let isOver = false;

  async function refresh(id) {
    try {
      await get(`/v1/sources/${encodeURIComponent(id)}/refresh`, { method: "POST" });
      announce(`${id}: fetched`);
    } catch (error) {
      announce(`${id}: ${error.message}`);
    }
    load();
  }

  async function load() {
    clearTimeout(timer);
    try {
      if (document.visibilityState === "visible") {
        const { sources } = await get("/v1/sources");
        if (isOver) return;
        const focused = list.contains(document.activeElement) ? document.activeElement.closest("article")?.dataset.source : null;
        // What fails stands first, all of it, whatever else there is.
        const failing = sources.filter(isFailing);
        const well = sources.filter((source) => !isFailing(source));
        count.textContent = failing.length ? `${number(failing.length)} of ${number(sources.length)} fail.` : sources.length ? `All ${number(sources.length)} are well.` : "There are none.";
        list.replaceChildren(...[...failing, ...well].map((source) => sourceNode(source, refresh)));
        if (focused) list.querySelector(`[data-source="${CSS.escape(focused)}"] button`)?.focus();
      }
      problem.hidden = true;
    } catch (error) {
      problem.hidden = false;
      problem.textContent = [401, 403].includes(error.status) ? `An admin's token is needed: ${error.message}` : error.message;
    }
    if (!isOver) timer = setTimeout(load, interval);
  }

  main.append(element("a", { class: "back", href: "#/" }, "‹ Tables"), element("h2", {}, "Sources"), problem, count, list, requestBehind(curl("/v1/sources")));
  load();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
