import type { Cell, Row, Section, Snapshot, Table } from "./tablecast.js";

export interface Binding<C extends Cell = Cell, N extends HTMLElement = HTMLElement> {
  /** Makes the node of a row. `update` is called for it right after. */
  create(row: Row<C>): N;
  /** Fills the node of a row: after `create`, and after each change of the row. */
  update?(node: N, row: Row<C>, before?: Row<C>): void;
  /** Makes a section's header, or fills the given one again. Returns nothing if there is to be no header. */
  header?(section: Section<C>, node?: HTMLElement): HTMLElement | null | undefined;
  footer?(section: Section<C>, node?: HTMLElement): HTMLElement | null | undefined;
  /** Makes the node that is shown while there are no rows. */
  empty?(snapshot: Snapshot<C>): HTMLElement | null | undefined;
  /** Is called each time the nodes were brought up to date: after changes, and after scrolling in a long list. */
  drawn?(): void;
}

/**
 * Keeps the children of `element` in step with the table, one node for each row near the visible ones, and for the one with
 * the focus. Nodes move with their rows, so focus, scroll position and selections stay. Changes are animated unless the user prefers less motion. Returns a
 * function that ends this.
 */
export function bindTable<C extends Cell = Cell, N extends HTMLElement = HTMLElement>(
  element: HTMLElement,
  table: Pick<Table<C>, "snapshot" | "subscribe">,
  binding: Binding<C, N>,
): () => void;
