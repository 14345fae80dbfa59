import type { SearchWords } from "./search.js";
import type { Options, Row, Snapshot, Table, TablecastClient } from "./tablecast.js";

export interface ElementWords extends Omit<SearchWords, "found"> {
  readonly loading?: string;
  readonly empty?: string;
  readonly failed?: string;
  readonly refused?: string;
  readonly found?: string | ((count: string) => string);
  readonly retrying?: string;
  readonly malformed?: string;
  readonly actions?: string;
  readonly delete?: string;
}

/**
 * `<tablecast-table src="https://service" table="departures" view="…" rows="50" find editable caller="ann">`. Rows have the
 * part `row`, headers `header`, and messages in place of rows `empty`, `loading`, `refused`, `failed`, `found` … The
 * attributes `connection` and `state` have the snapshot's values. A row's menu has its actions, and with `editable` its
 * deletion. With `rows` the element loads further rows as the user scrolls. Events: `change` (the snapshot), `select` (the
 * row; unless prevented, the element taps the row in a view, and follows a link) and `action` (`{row, action}`; `action` is
 * null for a deletion).
 */
export class TablecastTable extends HTMLElement {
  client: TablecastClient | null;
  /**
   * Gives the element a client of its own. It stays while `src` and `caller` do: edits go on when the element moves, and
   * to their end after it has left the page. Without a token, or with another one out of the page, they end.
   */
  token: Options["token"] | null;
  words: ElementWords;
  readonly table: Table;
  /** Draws a row into its node. May be set at any time, and be a method of a subclass. */
  render(row: Row, node: HTMLElement): void;
  addEventListener(type: "change", listener: (event: CustomEvent<Snapshot>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "select", listener: (event: CustomEvent<Row>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "action", listener: (event: CustomEvent<{ row: Row; action: string | null }>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** Whether a link may have this address: http(s), mailto, tel, or a path. */
export function isSafeURL(text: unknown): boolean;
/** Whether a member that is named like an address has one that no link may have. Such a row is malformed. */
export function isMalformed(row: Pick<Row, "payload" | "select">): boolean;

declare global {
  interface HTMLElementTagNameMap {
    "tablecast-table": TablecastTable;
  }
}
