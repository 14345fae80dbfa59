// Searching, filtering and sorting a table that is followed: as one types, in one table that stays bound to its list.

/** How long somebody who types is waited for, in ms; what a search may have. */
const typing = 150;
const mostScalars = 200;
const mostFilters = 32;

/**
 * Gives `table` its `find(q, filters, sort)`: from then on it shows what is found. `filters` are the values
 * that are chosen, by the filters' ids: `{ state: "open", label: ["bug", "docs"] }`. Without any of them it is
 * the whole table with its menus; `find(null)` is the table as it was before.
 */
export function finding(table, clock = globalThis) {
  let last = null;
  let timer;
  table.find = (q = "", filters = {}, sort = null) => {
    clock.clearTimeout(timer);
    if (q === null) {
      last = null;
      table.lookFor();
      return;
    }
    // No half characters: no URL has them.
    const text = [...`${q}`.replace(/\p{Surrogate}/gu, "\ufffd")].slice(0, mostScalars).join("");
    const chosen = Object.fromEntries(Object.entries(filters ?? {})
      .map(([id, values]) => [id, Object.freeze([...new Set([values ?? []].flat().map(String))])])
      .filter(([, values]) => values.length));
    const filter = Object.entries(chosen).flatMap(([id, values]) => values.map((value) => `${id}:${value}`)).slice(0, mostFilters);
    const told = { q: text, filters: Object.freeze(chosen), sort: sort || null };
    const isAny = text || filter.length || sort;
    const asked = isAny ? { q: text || undefined, filter: filter.length ? filter : undefined, sort: sort || undefined } : { find: 1 };
    const go = () => table.lookFor(asked, told);
    // Only who goes on typing is waited for.
    const isTyping = last && last.q !== text && table.snapshot.cursor;
    last = told;
    if (!isTyping) return go();
    table.lookFor(null, told);
    timer = clock.setTimeout(go, typing);
  };
}
