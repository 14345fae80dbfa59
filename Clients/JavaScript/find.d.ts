import type { Cell, Table } from "./tablecast.js";
import type { ShownTable } from "./core.js";

/** Gives a table of `tablecast/core` its `find`, which those of `tablecast` have. */
export function finding<C extends Cell>(table: ShownTable<C>): asserts table is ShownTable<C> & Pick<Table<C>, "find">;
