import type { Cell, EditOperation, Options, Table } from "./tablecast.js";

export { applyStage, indexedDBStore, isAsNewAs } from "./tablecast.js";
// Each by its name: `export type *` is newer than the compilers that apps have.
export type {
  Cell, Change, Connection, Edit, EditKeeper, EditOperation, EditState, JSONValue, Options, Place,
  Problem, Row, Section, Snapshot, Store, Table, Trouble,
} from "./tablecast.js";

/** A table that is shown and not edited. */
export type ShownTable<C extends Cell = Cell> = Omit<Table<C>, EditOperation>;

/** The client of `tablecast` without the edits, for pages that only show tables. */
export class TablecastClient {
  constructor(url: string | URL, options?: Omit<Options, "keepEdits">);
  table<C extends Cell = Cell>(name: string, options?: { params?: { [name: string]: string }; view?: string; rows?: number | "all" }): ShownTable<C>;
  wake(): void;
  pause(reason?: string): void;
  resume(reason?: string): void;
  useToken(token: Options["token"]): void;
  purge(): Promise<void>;
  close(): Promise<void>;
}
