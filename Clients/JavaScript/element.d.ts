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
 * part `row`, headers `header`, what stands there without rows `empty` and `loading`, `refused`, `failed`, `found` …; the
 * attributes `connection` and `state` say how things stand. A row's actions are in its menu, deletion too with `editable`.
 * With `rows` further ones are loaded by scroll. Events: `change` (the snapshot), `select` (the row; unless it is prevented, a
 * view's row is tapped and a link followed) and `action` (`{row, action}`; `action` null for a deletion).
 */
export class TablecastTable extends HTMLElement {
  client: TablecastClient | null;
  token: Options["token"] | null;
  words: ElementWords;
  readonly table: Table;
  render: (row: Row, node: HTMLElement) => void;
  addEventListener(type: "change", listener: (event: CustomEvent<Snapshot>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "select", listener: (event: CustomEvent<Row>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "action", listener: (event: CustomEvent<{ row: Row; action: string | null }>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** Whether a link may lead there: http(s), mailto, tel, or a path. */
export function isSafeURL(text: unknown): boolean;
/** Whether a row has an address, by its members' names, that no link may lead to: its cell is malformed. */
export function isMalformed(row: Pick<Row, "payload" | "select">): boolean;

declare global {
  interface HTMLElementTagNameMap {
    "tablecast-table": TablecastTable;
  }
}
