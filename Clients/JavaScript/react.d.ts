import type { Cell, Edit, Find, JSONValue, Place, Row, Search, Snapshot, Table } from "./tablecast.js";

/** The table's snapshot, followed while the component is there. */
export function useTable<C extends Cell = Cell>(table: Table<C>): Snapshot<C>;

/** One row of the table: the component is drawn anew only where it changed. */
export function useRow<C extends Cell = Cell>(table: Table<C>, id: string): Row<C> | undefined;

/** The table's edits, and those that are under way or refused. */
export function useEdit<C extends Cell = Cell>(table: Table<C>): Pick<Table<C>, "add" | "patch" | "delete" | "move" | "tap" | "action" | "refresh"> & {
  readonly edits: readonly Edit[];
};

/** The edits of one row, which needs no naming then: `const { patch, edits } = useEdit(table, row.id)`. */
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

/** What is found of the table, for a search field, chips and a menu; what is typed is waited for by the table. */
export function useFind<C extends Cell = Cell>(table: Table<C>): {
  /** What the table offers; undefined until it has said so. */
  readonly find: Find | undefined;
  readonly search: (Search & { readonly isFound: boolean }) | null;
  setQuery(q: string): void;
  /** Chooses a filter's value, or no longer. */
  toggle(filter: string, value: string): void;
  setSort(sort: string | null): void;
  clear(): void;
};
