/** Any JSON value, as it stands on the wire; frozen. */
export type JSONValue = null | boolean | number | string | readonly JSONValue[] | { readonly [name: string]: JSONValue };

/** A cell model: what one kind of cell needs. `tablecast generate typescript` writes the types of a service's cells. */
export interface Cell {
  readonly cellIdentifier: string;
  readonly payload: { readonly [name: string]: JSONValue };
}

/** A problem as RFC 9457 has it. */
export interface Problem {
  readonly title: string;
  readonly status?: number;
  readonly detail?: string;
  readonly type?: string;
  readonly field?: string;
  /** What an upstream said of single members of the item, by their names. */
  readonly fields?: { readonly [name: string]: readonly string[] };
}

/**
 * What keeps edits, or everything, from getting through, where somebody can do something about it: the login is over
 * (401); something on the way refuses with a page of its own; the app's token provider threw or hangs. The first two
 * hold up the table's edits until `resume()`, `wake()` or `useToken()`.
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
  /** Where an edit of this client is under way for it. */
  readonly pending?: { readonly op: EditOperation; readonly state: EditState };
};

export interface Section<C extends Cell = Cell> {
  readonly id: string;
  readonly header?: C | Cell | null;
  readonly footer?: C | Cell | null;
  /** How many of its rows stand before the window; absent where none do. */
  readonly skipped?: number;
  readonly rows: readonly Row<C>[];
}

/**
 * How what is shown stands to the service: nothing yet; shown from an earlier time; as the service has it; the last
 * request failed and another follows; not followed for a reason of the app's; refused for good.
 */
export type Connection = "connecting" | "cached" | "live" | "retrying" | "paused" | "refused";

/** What a table offers to be found by. `sort` is the chosen one; `prompt`, `sorts`, `filters` are absent where there are none. */
export interface Find {
  readonly prompt?: string;
  readonly sort?: string;
  readonly sorts?: readonly { readonly id: string; readonly title: string }[];
  readonly filters?: readonly {
    readonly id: string;
    readonly title: string;
    /** `count`: the rows that would be found with it, given the words and the other filters. */
    readonly values: readonly { readonly value: string; readonly title: string; readonly count: number; readonly selected: boolean }[];
    /** It has further values, which were not counted. */
    readonly more?: boolean;
  }[];
}

/** What is looked for: words, chosen values by the filters' ids, the id of a sort. */
export interface Search {
  readonly q: string;
  readonly filters: { readonly [id: string]: readonly string[] };
  readonly sort: string | null;
}

/** What is shown: frozen, and the same object until something changes, as are its sections and rows. */
export interface Snapshot<C extends Cell = Cell> {
  /** What search fields and menus are drawn from, while the table is asked to `find`. */
  readonly find?: Find;
  /** What was last asked to be found; `isFound` once it is what is shown. Null where nothing was. */
  readonly search: (Search & { readonly isFound: boolean }) | null;
  readonly table: string;
  /** Null before the first snapshot. */
  readonly cursor: string | null;
  /** `loading`, `ready`, `empty`, `stale`, `failed`; take one that you don't know as `ready`. */
  readonly state: string;
  readonly title?: string;
  /** Why the table is `stale` or `failed`. */
  readonly problem?: { readonly title: string; readonly detail?: string; readonly since?: string };
  readonly animation?: { readonly insert: string; readonly delete: string; readonly reload: string };
  readonly sections: readonly Section<C>[];
  readonly counts?: { readonly sections: number; readonly rows: number; readonly omittedSections: number; readonly skippedItems: number };
  readonly truncated?: boolean;
  /** `from`, the first row counted from 0, is absent where it is 0. */
  readonly window?: { readonly from?: number; readonly rows: number | "all"; readonly of: number };
  readonly connection: Connection;
  /** Why the table is refused. */
  readonly refusal: Problem | null;
  /** What keeps edits or everything from getting through; null where nothing does that a person could change. */
  readonly trouble: Trouble | null;
  /** Edits that are under way, and those that ended badly until they are retried or discarded, in order. */
  readonly edits: readonly Edit[];
}

export type EditOperation = "add" | "patch" | "delete" | "move" | "tap" | "action" | "refresh";
export type EditState = "local" | "sent" | "acknowledged" | "confirmed" | "refused" | "unknown";

/** One edit. Shown while it is `local`, `sent` or `acknowledged`; `confirmed` once the table has it. */
export interface Edit {
  /** Names it; also the id of an added row: for good where the table takes it, else until the service has given one. */
  readonly key: string;
  readonly op: EditOperation;
  /** The row that it is about; of an addition its key, until the service has given the row's id. */
  readonly row: string | null;
  readonly state: EditState;
  readonly problem: Problem | null;
  /** The service's answer: of a tap, with `row`, `object` and `select`. */
  readonly answer: { readonly cursor: string; readonly id?: string; readonly [name: string]: JSONValue | undefined } | null;
  /**
   * Resolves when it is confirmed, refused or unknown; `acknowledged` where the service refuses to show the table; as it
   * is where the client is closed. By then the snapshot agrees with it. Never rejects; after `retry` it is another one.
   */
  readonly done: Promise<Edit>;
  /** Forgets it; one that was under way may have been done, and one that is done is not forgotten. */
  discard(): void;
  /** Sends a refused or an unknown edit once more, the latter under its key. */
  retry(): void;
}

export interface Place {
  section?: string;
  /** Counted after the removal, for a row that moves. */
  at?: number;
  after?: string;
  before?: string;
}

export interface Change<C extends Cell = Cell> {
  /** `changes` by stages, `reset` by a snapshot, `status` of the connection, `edits` of this client. */
  readonly type: "changes" | "reset" | "status" | "edits";
  readonly before: Snapshot<C>;
  readonly after: Snapshot<C>;
  /** The service's reply, for `changes` and `reset`, and the characters of its body. */
  readonly reply?: JSONValue;
  readonly bytes?: number;
}

export interface Table<C extends Cell = Cell> {
  readonly snapshot: Snapshot<C>;
  /** By a `Map`: O(1). */
  row(id: string): Row<C> | undefined;
  /** Follows the table until the function that it returns is called; 5 s after the last one following ends. */
  subscribe(listener: (change: Change<C>) => void): () => void;
  /**
   * Shows what is found from then on: typing is waited for (150 ms), overtaken requests are dropped, and each search comes
   * by stages from the last. Without words, filters and sort: the whole table, with its menus. `find(null)`: the plain table.
   */
  find(q?: string | null, filters?: { readonly [id: string]: string | readonly string[] }, sort?: string | null): void;
  /** Asks for further rows of a table that was asked for with `rows`; false where there are no more. */
  loadMore(count?: number): boolean;
  /** Moves the window: to the first rows, or to those from one to another, counted from 0, both included. */
  show(rows: number | `${number}-${number}` | "all"): void;
  /** Keeps the service's changes away during a drag, until the function that it returns is called. */
  hold(): () => void;
  pause(reason?: string): void;
  resume(reason?: string): void;
  /** Asks again for a table that was refused. */
  reload(): void;
  /** `show`: the cell of the row that is shown until the service's comes. Without it nothing is. */
  add(item: JSONValue, place?: Place, options?: { show?: Cell }): Edit;
  /** `show`: the row as it will look; without it the row is only marked as pending. */
  patch(row: string, patch: JSONValue, options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  delete(row: string): Edit;
  move(row: string, place: Place): Edit;
  tap(row: string, options?: { show?: (row: Row<C>) => Row<C> }): Edit;
  action(row: string, action: string, body?: JSONValue): Edit;
  refresh(): Edit;
}

/** Where snapshots and cursors are kept. `delete` takes all keys that begin so. */
export interface Store {
  get(key: string): unknown | Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(prefix: string): unknown;
}

/** What keeps the edits of one client: `keptEdits`, or your own. */
export interface EditKeeper {
  /** Begins; `take` is given edits that were kept by programs that are gone, now or later. */
  open(scope: string, take: (edits: unknown) => void): Promise<void>;
  /** Keeps all that `current` gives, instead of what it gave before. Resolves when that would outlive the program. */
  save(current: () => readonly unknown[]): Promise<unknown>;
  /** Looks for further ones: the page is seen again. */
  look?(): Promise<unknown>;
  close?(): Promise<void>;
}

/** What shares one poll among the tabs of a browser: `sharedTabs()`, or your own. */
export interface TabSharing {
  /** Begins: `request` asks the service for what `ask` was asked for. */
  open(scope: string, request: (pairs: readonly string[], wait: number, controller: AbortController) => Promise<unknown>): void;
  ask(pairs: readonly string[], wait: number, controller: AbortController): Promise<unknown>;
  close(): void;
}

export interface Options {
  /** One poll for all tabs: `sharedTabs()` of `tablecast/tabs`. */
  tabs?: TabSharing | undefined;
  /** A bearer token, or who gives one: asked for each request, with `fresh` once after a 401; given up after 30 s. */
  token?: string | ((why: { fresh: boolean }) => string | undefined | Promise<string | undefined>);
  /** What can be shown, for `Accept-Cells`; all, where it isn't given. */
  cells?: string | readonly string[];
  /** Keeps the last snapshots: `indexedDBStore()`, or your own. */
  store?: Store;
  /** Whose they are: one person's are never shown to another. To be given wherever there are tokens and a store. */
  caller?: string;
  /** Keeps edits until they are over, to be shown and sent by the next program: `keptEdits(store)` of `tablecast/kept`. */
  keepEdits?: EditKeeper;
  /** Further headers of every request. */
  headers?: { readonly [name: string]: string };
  /** Follow nothing while the page is hidden. */
  pauseHidden?: boolean;
  fetch?: typeof fetch;
  /** The time: what `globalThis` has of these, where it isn't given. */
  clock?: { performance: { now(): number }; setTimeout(action: () => void, ms: number): unknown; clearTimeout(timer: unknown): void; Date?: { now(): number } };
  /** The luck of delays, 0 to 1. */
  random?: () => number;
  newKey?: () => string;
}

/** What an app tells a log: a request that has ended, failed (`problem`) or was called off; never a token. */
export interface LogEvent {
  readonly type: "request" | "cancelled";
  readonly method: string;
  readonly path: string;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly ms: number;
  readonly bytes?: number;
  /** An edit's key. */
  readonly key?: string;
  readonly problem?: Problem;
}

export interface Events {
  /** The last failure; null where there was none. */
  readonly lastError: LogEvent | null;
  /** Hears of every request of the client, until the function that it returns is called. */
  subscribe(listener: (event: LogEvent) => void): () => void;
}

export interface TableOptions {
  params?: { [name: string]: string };
  /** The client's own state over the table: which rows are expanded. */
  view?: string;
  /** The window to begin with. */
  rows?: number | `${number}-${number}` | "all";
  /** Whose window and search it is: two screens of one table have their own. */
  screen?: string | number;
}

export class TablecastClient {
  constructor(url: string | URL, options?: Options);
  readonly events: Events;
  /** The table `name`, of a family with `params`: the same object for the same name and options. */
  table<C extends Cell = Cell>(name: string, options?: TableOptions): Table<C>;
  /** Asks anew at once. Happens by itself when the network is back and when the page is seen again. */
  wake(): void;
  pause(reason?: string): void;
  /** Also tries again what was refused, and edits that wait because of `trouble`. */
  resume(reason?: string): void;
  /** Takes another token, or another way to get one: what waited for it goes on. */
  useToken(token: Options["token"]): void;
  /** Forgets what is kept of this service for this caller, and gives up edits that are not over: at a logout. */
  purge(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** A store in the browser's IndexedDB. */
export function indexedDBStore(name?: string): Store;

/** The sections after one stage; what it didn't touch is the same objects. Throws where the stage doesn't fit. */
export function applyStage<C extends Cell = Cell>(sections: readonly Section<C>[], stage: JSONValue): readonly Section<C>[];

/** Whether `cursor` is of the same epoch as `other`, and neither of its numbers is smaller. */
export function isAsNewAs(cursor: string, other: string): boolean;
