/** Any JSON value, as the service sent it. Frozen. */
export type JSONValue = null | boolean | number | string | readonly JSONValue[] | { readonly [name: string]: JSONValue };

/** A cell model: what one kind of cell needs. `tablecast generate typescript` writes the types of a service's cells. */
export interface Cell {
  readonly cellIdentifier: string;
  readonly payload: { readonly [name: string]: JSONValue };
}

/** A problem document (RFC 9457). */
export interface Problem {
  readonly title: string;
  readonly status?: number;
  readonly detail?: string;
  readonly type?: string;
  readonly field?: string;
  /** The upstream's complaints about single members of the item, by name. */
  readonly fields?: { readonly [name: string]: readonly string[] };
}

/**
 * An obstacle that a person can remove: the login has expired (401), something between client and service refuses with a page
 * of its own, or the app's token provider threw or hangs. The first two hold up the table's edits until `resume()`, `wake()`
 * or `useToken()`.
 */
export interface Trouble {
  readonly reason: "signInNeeded" | "unreachable" | "noToken";
  readonly problem: Problem;
}

export type Row<C extends Cell = Cell> = C & {
  readonly id: string;
  readonly can: { readonly edit: boolean; readonly move: boolean; readonly select: boolean };
  readonly actions?: readonly { readonly id: string; readonly title: string; readonly style?: string }[] | null;
  readonly select?: JSONValue;
  readonly fallback?: Cell | null;
  /** The pending edit of this client for the row, if there is one. An `unknown` edit, too: it is not shown, but may have been done. */
  readonly pending?: { readonly op: EditOperation; readonly state: EditState };
};

export interface Section<C extends Cell = Cell> {
  readonly id: string;
  readonly header?: C | Cell | null;
  readonly footer?: C | Cell | null;
  /** The number of its rows before the window. Absent if there are none. */
  readonly skipped?: number;
  readonly rows: readonly Row<C>[];
}

/**
 * How current the shown rows are. `connecting`: there are none yet. `cached`: they are from an earlier time. `live`: they are
 * the service's. `retrying`: the last request failed, and another one follows. `paused`: the app has paused following.
 * `refused`: the service refuses the table.
 */
export type Connection = "connecting" | "cached" | "live" | "retrying" | "paused" | "refused";

/** The search that a table offers. `sort` is the chosen one. `prompt`, `sorts` and `filters` are absent if the table has none. */
export interface Find {
  readonly prompt?: string;
  readonly sort?: string;
  readonly sorts?: readonly { readonly id: string; readonly title: string }[];
  readonly filters?: readonly {
    readonly id: string;
    readonly title: string;
    /** `count`: the number of rows with this value, given the words and the other filters. */
    readonly values: readonly { readonly value: string; readonly title: string; readonly count: number; readonly selected: boolean }[];
    /** There are further values, which were not counted. */
    readonly more?: boolean;
  }[];
}

/** A search: words, the chosen values by the ids of filters, and the id of a sort. */
export interface Search {
  readonly q: string;
  readonly filters: { readonly [id: string]: readonly string[] };
  readonly sort: string | null;
}

/**
 * The shown state of a table. It is frozen. It stays the same object until something changes, and so do its sections and
 * rows.
 */
export interface Snapshot<C extends Cell = Cell> {
  /** The search that the table offers, after `find` was called. */
  readonly find?: Find;
  /** The last search. `isFound` is true once its rows are shown. Null if there is no search. */
  readonly search: (Search & { readonly isFound: boolean }) | null;
  readonly table: string;
  /** Null before the first snapshot. */
  readonly cursor: string | null;
  /** `loading`, `ready`, `empty`, `stale` or `failed`. Treat an unknown state as `ready`. */
  readonly state: string;
  readonly title?: string;
  /** The reason of `stale` or `failed`. */
  readonly problem?: { readonly title: string; readonly detail?: string; readonly since?: string };
  readonly animation?: { readonly insert: string; readonly delete: string; readonly reload: string };
  readonly sections: readonly Section<C>[];
  readonly counts?: { readonly sections: number; readonly rows: number; readonly omittedSections: number; readonly skippedItems: number };
  readonly truncated?: boolean;
  /** `from` is the first row, counted from 0. It is absent if it is 0. */
  readonly window?: { readonly from?: number; readonly rows: number | "all"; readonly of: number };
  readonly connection: Connection;
  /** The reason of `refused`. */
  readonly refusal: Problem | null;
  /** The obstacle, if a person can remove it; otherwise null. */
  readonly trouble: Trouble | null;
  /** Pending edits, and failed ones until they are retried or discarded, in order. */
  readonly edits: readonly Edit[];
}

export type EditOperation = "add" | "patch" | "delete" | "move" | "tap" | "action" | "refresh";
export type EditState = "local" | "sent" | "acknowledged" | "confirmed" | "refused" | "unknown";

/**
 * One edit, as it was given: later changes of the item, place or cell by the app have no effect. An item that JSON can't
 * express (a `bigint`, a cycle, a `toJSON` that throws) is `refused` at once. An edit is shown while it is `local`, `sent` or
 * `acknowledged`, and `confirmed` once the table contains it.
 */
export interface Edit {
  /**
   * The edit's key. It is also the id of an added row: for good if the table accepts it, otherwise until the service has
   * given another.
   */
  readonly key: string;
  readonly op: EditOperation;
  /** The edited row. For an addition it is the edit's key until the service has given the row's id. */
  readonly row: string | null;
  /** The view on which the edit was made. Other views of the table list it, too. */
  readonly view?: string | undefined;
  readonly state: EditState;
  readonly problem: Problem | null;
  /** The service's answer. A tap's answer has `row`, `object` and `select`. */
  readonly answer: { readonly cursor: string; readonly id?: string; readonly [name: string]: JSONValue | undefined } | null;
  /**
   * Resolves when the edit is confirmed, refused or unknown, when the service refuses to show the table (`acknowledged`), or
   * when the client is closed. The snapshot agrees with the edit then. Never rejects. After `retry` there is a new promise.
   */
  readonly done: Promise<Edit>;
  /** Drops the edit. If it was sent already, the service may have done it. A confirmed edit is not affected. */
  discard(): void;
  /** Sends a refused or unknown edit once more. An unknown edit keeps its key. Does nothing if the edit is no JSON. */
  retry(): void;
}

export interface Place {
  section?: string;
  /** For a row that moves, this counts after its removal. */
  at?: number;
  after?: string;
  before?: string;
}

export interface Change<C extends Cell = Cell> {
  /** `changes`: stages. `reset`: a snapshot. `status`: the connection. `edits`: edits of this client. */
  readonly type: "changes" | "reset" | "status" | "edits";
  readonly before: Snapshot<C>;
  readonly after: Snapshot<C>;
  /** The service's reply, for `changes` and `reset`. `bytes` is the number of characters of its body. */
  readonly reply?: JSONValue;
  readonly bytes?: number;
}

export interface Table<C extends Cell = Cell> {
  readonly snapshot: Snapshot<C>;
  /** Always `loading`, `connecting`, without rows and edits: what a server renders, and React hydrates. */
  readonly initialSnapshot: Snapshot<C>;
  /** A row by its id. O(1). */
  row(id: string): Row<C> | undefined;
  /** Follows the table until the returned function is called. Following ends 5 s after the last such call. */
  subscribe(listener: (change: Change<C>) => void): () => void;
  /**
   * Shows the found rows from now on. The client waits 150 ms after the last letter, and cancels older requests. Each search
   * leads to the next by stages. Without words, filters and sort the whole table is shown, with `snapshot.find`. `find(null)`
   * leads back to the plain table.
   */
  find(q?: string | null, filters?: { readonly [id: string]: string | readonly string[] }, sort?: string | null): void;
  /** Loads further rows of a table with `rows`. Returns false if there are no more. */
  loadMore(count?: number): boolean;
  /** Moves the window: to the first rows, or to a range, counted from 0, both ends included. */
  show(rows: number | `${number}-${number}` | "all"): void;
  /** Holds the service's changes back, for example during a drag, until the returned function is called. */
  hold(): () => void;
  pause(reason?: string): void;
  resume(reason?: string): void;
  /** Asks once more for a table that was refused. */
  reload(): void;
  /** `show`: the cell that is shown until the service's row arrives. Without it nothing is shown. */
  add(item: JSONValue, place?: Place, options?: { show?: Cell }): Edit;
  /**
   * `show`: makes the row that is shown meanwhile. Without it the row is only marked as pending, and so it is if `show`
   * throws: the client writes the error to the console once.
   */
  patch(row: string, patch: JSONValue, options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  delete(row: string): Edit;
  move(row: string, place: Place): Edit;
  tap(row: string, options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  action(row: string, action: string, body?: JSONValue): Edit;
  refresh(): Edit;
}

/**
 * A store for snapshots and cursors. The promise of `set` resolves once the value would outlive the program. `isSnapshot` says
 * that the value may be dropped, as the service has it. `delete` removes all keys that begin with `prefix`.
 */
export interface Store {
  get(key: string): unknown | Promise<unknown>;
  set(key: string, value: unknown, isSnapshot?: boolean): Promise<void>;
  delete(prefix: string): unknown;
}

/** Keeps the edits of one client: `keptEdits`, or an implementation of your own. */
export interface EditKeeper {
  /** Starts. Calls `take`, now or later, with edits of programs that have ended. */
  open(scope: string, take: (edits: unknown) => void): Promise<void>;
  /** Stores the values of `current` in place of the earlier ones. Resolves when they would outlive the program. */
  save(current: () => readonly unknown[]): Promise<unknown>;
  /** Looks for further edits. Called when the page becomes visible. */
  look?(): Promise<unknown>;
  /** Drops the edits of programs that have ended. Called by the client's `purge()`, after `save` with none. */
  purge?(): Promise<unknown>;
  close?(): Promise<void>;
}

/** Shares one poll among the tabs of a browser: `sharedTabs()`, or an implementation of your own. */
export interface TabSharing {
  /** Starts. `request` sends the service the pairs that were given to `ask`. */
  open(scope: string, request: (pairs: readonly string[], wait: number, controller: AbortController) => Promise<unknown>): void;
  ask(pairs: readonly string[], wait: number, controller: AbortController): Promise<unknown>;
  close(): void;
}

export interface Options {
  /** Shares one poll among all tabs: `sharedTabs()` of `tablecast/tabs`. */
  tabs?: TabSharing | undefined;
  /**
   * A bearer token, or a function that gives one. It is called for each request, and once after a 401 with `fresh`. The
   * client waits for it for up to 30 s.
   */
  token?: string | ((why: { fresh: boolean }) => string | undefined | Promise<string | undefined>);
  /** The cells that the page can show, for `Accept-Cells`. By default all. */
  cells?: string | readonly string[];
  /** Keeps the last snapshots of tables without a `view`: `indexedDBStore()`, or an implementation of your own. */
  store?: Store;
  /** The owner of stored snapshots and edits, so that they are never shown to another person. Needed with tokens and a store. */
  caller?: string;
  /** Keeps edits until they are over. The next program shows and sends them. `keptEdits(store)` of `tablecast/kept`. */
  keepEdits?: EditKeeper;
  /** Additional headers of every request. */
  headers?: { readonly [name: string]: string };
  /** Stops following while the page is hidden. */
  pauseHidden?: boolean;
  fetch?: typeof fetch;
  /** The clock. By default that of `globalThis`. */
  clock?: { performance: { now(): number }; setTimeout(action: () => void, ms: number): unknown; clearTimeout(timer: unknown): void; Date?: { now(): number } };
  /** The randomness of delays, from 0 to 1. */
  random?: () => number;
  newKey?: () => string;
}

/** A request that has ended, failed (`problem`) or was cancelled. It never contains a token. */
export interface LogEvent {
  readonly type: "request" | "cancelled";
  readonly method: string;
  readonly path: string;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly ms: number;
  readonly bytes?: number;
  /** An edit's key. */
  readonly key?: string;
  readonly problem?: Problem;
}

export interface Events {
  /** The last failure, or null. */
  readonly lastError: LogEvent | null;
  /** Calls `listener` for every request of the client, until the returned function is called. */
  subscribe(listener: (event: LogEvent) => void): () => void;
}

export interface TableOptions {
  params?: { [name: string]: string };
  /** The name of the client's own state over the table: its expanded rows. */
  view?: string;
  /** The first window. */
  rows?: number | `${number}-${number}` | "all";
  /** The screen that the window and search belong to. Two screens of one table have their own. */
  screen?: string | number;
}

export class TablecastClient {
  constructor(url: string | URL, options?: Options);
  readonly events: Events;
  /** The table `name`, or a family's member with `params`. Returns the same object for the same name and options. */
  table<C extends Cell = Cell>(name: string, options?: TableOptions): Table<C>;
  /** Sends new requests at once. The client does this itself when the network returns and when the page becomes visible. */
  wake(): void;
  pause(reason?: string): void;
  /** Continues following. Also tries refused tables again, and edits that wait because of `trouble`. */
  resume(reason?: string): void;
  /** Sets another token, or another function that gives one. Edits and tables that waited for it continue. */
  useToken(token: Options["token"]): void;
  /**
   * Deletes the stored snapshots of this service for this caller, and drops edits that are not over: its own, and those that
   * closed tabs have left. The edits of other open tabs stay theirs, so call it in each of them at logout. The client stores
   * no more snapshots until `useToken()`.
   */
  purge(): Promise<void>;
  /** Ends everything. Later edits are neither sent nor kept. */
  close(): Promise<void>;
}

/** A store in the browser's IndexedDB. */
export function indexedDBStore(name?: string): Store;

/**
 * The sections after one stage. Sections and rows that it did not touch stay the same objects. Throws if the stage does not
 * fit.
 */
export function applyStage<C extends Cell = Cell>(sections: readonly Section<C>[], stage: JSONValue): readonly Section<C>[];

/** Whether `cursor` is as new as `other`: of the same epoch, with no smaller number. */
export function isAsNewAs(cursor: string, other: string): boolean;
