import type { Cell, Table } from "./tablecast.js";

export interface SearchWords {
  readonly sort?: string;
  /** The name of the table's own order. */
  readonly order?: string;
  readonly clear?: string;
  readonly more?: string;
  readonly found?: (count: string) => string;
}

/**
 * Draws the search field, filters with counts and sort menu of `table` into `element`, and lets the table show the found
 * rows. `element` is hidden if the table offers no search. Parts: `search`, `sort`, `filter`, `chip`, `clear`, `found`.
 * Returns a function that ends this.
 */
export function bindSearch<C extends Cell = Cell>(
  element: HTMLElement,
  table: Pick<Table<C>, "snapshot" | "subscribe" | "find">,
  words?: SearchWords,
): () => void;
