import type { Cell, Row, Section, Snapshot, Table } from "./tablecast.js";

export interface Binding<C extends Cell = Cell, N extends HTMLElement = HTMLElement> {
  /** Makes a row's node. `update` fills it at once. */
  create(row: Row<C>): N;
  /** Fills a row's node: after `create`, and whenever the row has changed. */
  update?(node: N, row: Row<C>, before?: Row<C>): void;
  /** Makes a section's header, or refills the node that it had; nothing where there is none to be. */
  header?(section: Section<C>, node?: HTMLElement): HTMLElement | null | undefined;
  footer?(section: Section<C>, node?: HTMLElement): HTMLElement | null | undefined;
  /** What stands there while there are no rows. */
  empty?(snapshot: Snapshot<C>): HTMLElement | null | undefined;
}

/**
 * Keeps the children of `element` as the table is, one node a row: moved, never made anew. Focus, the scroll position
 * and selections stay; changes are animated unless the user asked for less motion. Returns the function that ends it.
 */
export function bindTable<C extends Cell = Cell, N extends HTMLElement = HTMLElement>(
  element: HTMLElement,
  table: Pick<Table<C>, "snapshot" | "subscribe">,
  binding: Binding<C, N>,
): () => void;
