import type { Cell, Table } from "./tablecast.js";

export interface SearchWords {
  readonly sort?: string;
  /** The order that the table has by itself. */
  readonly order?: string;
  readonly clear?: string;
  readonly more?: string;
  readonly found?: (count: string) => string;
}

/**
 * Draws into `element` the search field, filters with their counts and sort menu that `table` offers, and has the table show
 * what is found; hidden where it offers nothing. Parts: `search`, `sort`, `filter`, `chip`, `clear`, `found`. Returns the
 * function that ends it.
 */
export function bindSearch<C extends Cell = Cell>(
  element: HTMLElement,
  table: Pick<Table<C>, "snapshot" | "subscribe" | "find">,
  words?: SearchWords,
): () => void;
