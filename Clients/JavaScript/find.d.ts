import type { Cell, Table } from "./tablecast.js";
import type { ShownTable } from "./core.js";

/** Adds `find` to a table of `tablecast/core`. Tables of `tablecast` have it already. */
export function finding<C extends Cell>(table: ShownTable<C>): asserts table is ShownTable<C> & Pick<Table<C>, "find">;
