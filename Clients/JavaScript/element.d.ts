import type { Row, Table, TablecastClient } from "./tablecast.js";

/**
 * `<tablecast-table src="https://service" table="departures" view="…" rows="50">`. Rows have the part `row`, headers
 * `header`; the attribute `connection` says how things stand, and `change` events carry the snapshot as `detail`.
 */
export class TablecastTable extends HTMLElement {
  client: TablecastClient | null;
  readonly table: Table;
  render: (row: Row, node: HTMLElement) => void;
}
