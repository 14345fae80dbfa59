import type { Cell, Edit, Find, JSONValue, Place, Row, Search, Snapshot, Table } from "./tablecast.js";

/**
 * The table's snapshot. The table is followed while the component is mounted. On a server and during hydration it is
 * `table.initialSnapshot`; the other hooks return no row, no edits and no search then.
 */
export function useTable<C extends Cell = Cell>(table: Table<C>): Snapshot<C>;

/** One row of the table. The component renders again only if the row changed. */
export function useRow<C extends Cell = Cell>(table: Table<C>, id: string): Row<C> | undefined;

/** The table's edit functions, and its pending and failed edits. */
export function useEdit<C extends Cell = Cell>(table: Table<C>): Pick<Table<C>, "add" | "patch" | "delete" | "move" | "tap" | "action" | "refresh"> & {
  readonly edits: readonly Edit[];
};

/** The edit functions of one row, without the row as an argument: `const { patch, edits } = useEdit(table, row.id)`. */
export function useEdit<C extends Cell = Cell>(table: Table<C>, row: string): {
  add(item: JSONValue, place?: Place, options?: { show?: Cell }): Edit;
  patch(patch: JSONValue, options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  delete(): Edit;
  move(place: Place): Edit;
  tap(options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  action(action: string, body?: JSONValue): Edit;
  refresh(): Edit;
  readonly edits: readonly Edit[];
};

/** The table's search, for a search field, chips and a menu. The table waits for the end of typing. */
export function useFind<C extends Cell = Cell>(table: Table<C>): {
  /** The search that the table offers. Undefined until it is known. */
  readonly find: Find | undefined;
  readonly search: (Search & { readonly isFound: boolean }) | null;
  setQuery(q: string): void;
  /** Selects or deselects a filter's value. */
  toggle(filter: string, value: string): void;
  setSort(sort: string | null): void;
  clear(): void;
};
