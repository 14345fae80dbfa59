import type { Cell, EditOperation, Events, Options, Table, TableOptions } from "./tablecast.js";

export { applyStage, isAsNewAs } from "./tablecast.js";
// Each by its name: `export type *` is newer than the compilers that apps have.
export type {
  Cell, Change, Connection, Edit, EditKeeper, EditOperation, EditState, Events, Find, JSONValue, LogEvent, Options, Place,
  Problem, Row, Search, Section, Snapshot, Store, Table, TableOptions, Trouble,
} from "./tablecast.js";

/** A table without edits. `finding` of `tablecast/find` adds the search. */
export type ShownTable<C extends Cell = Cell> = Omit<Table<C>, EditOperation | "find">;

/** The client of `tablecast` without edits, for pages that only show tables. */
export class TablecastClient {
  constructor(url: string | URL, options?: Omit<Options, "keepEdits">);
  readonly events: Events;
  table<C extends Cell = Cell>(name: string, options?: TableOptions): ShownTable<C>;
  wake(): void;
  pause(reason?: string): void;
  resume(reason?: string): void;
  useToken(token: Options["token"]): void;
  purge(): Promise<void>;
  close(): Promise<void>;
}
