// Hooks for React 18 and later. They stand on `useSyncExternalStore`: what they return is the same object until
// something changes, so that a row is drawn anew only where it changed. On a server, and while React takes over its HTML,
// they return the table's initial snapshot: it may have got rows by then, and the HTML hasn't.

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";

const useStore = (table, get, getInitial) =>
  useSyncExternalStore(useCallback((listener) => table.subscribe(listener), [table]), get, getInitial);

const noRow = () => undefined;
const noEdits = Object.freeze([]);
const noSearch = Object.freeze({ find: undefined, search: null });

/** The table's snapshot, followed while the component is there. */
export const useTable = (table) => useStore(table, () => table.snapshot, () => table.initialSnapshot);

/** One row of the table, `undefined` where it isn't there. */
export const useRow = (table, id) => useStore(table, () => table.row(id), noRow);

/** The table's edits as functions that stay the same, and those under way for `row` (all, where none is named). */
export function useEdit(table, row) {
  const functions = useMemo(() => {
    const all = { add: table.add, refresh: table.refresh };
    for (const name in all) all[name] = (...given) => table[name](...given);
    for (const name of ["patch", "delete", "move", "tap", "action"]) {
      all[name] = (...given) => table[name](...(row === undefined ? [] : [row]), ...given);
    }
    return all;
  }, [table, row]);
  // The list is another one only when an edit came, went or got another state.
  const get = useMemo(() => {
    let edits = [];
    let name = "";
    return () => {
      const own = table.snapshot.edits.filter((edit) => row === undefined || edit.row === row);
      const now = own.map(({ key, state }) => `${key} ${state}`).join();
      if (now !== name) [edits, name] = [own, now];
      return edits;
    };
  }, [table, row]);
  return { ...functions, edits: useStore(table, get, () => noEdits) };
}

/** The search's result, and functions that change the search: `{ find, search, setQuery, toggle, setSort, clear }`. */
export function useFind(table) {
  const get = useMemo(() => {
    let kept = null;
    return () => {
      const { find, search } = table.snapshot;
      if (kept?.find !== find || kept?.search !== search) kept = { find, search };
      return kept;
    };
  }, [table]);
  const functions = useMemo(() => {
    const now = () => table.snapshot.search ?? { q: "", filters: {}, sort: null };
    return {
      setQuery: (q) => table.find(q, now().filters, now().sort),
      toggle(id, value) {
        const { q, filters, sort } = now();
        const values = filters[id] ?? [];
        table.find(q, { ...filters, [id]: values.includes(value) ? values.filter((other) => other !== value) : [...values, value] }, sort);
      },
      setSort: (sort) => table.find(now().q, now().filters, sort),
      clear: () => table.find(),
    };
  }, [table]);
  const { find, search } = useStore(table, get, () => noSearch);
  // Menus are asked for by whoever shows them.
  useEffect(() => {
    if (!table.snapshot.search) table.find();
  }, [table]);
  return { find, search, ...functions };
}
