import type { EditKeeper, Store } from "./tablecast.js";

/**
 * Keeps edits in `store`, for the option `keepEdits`; one for each client. Tabs may share a store: each writes a place of
 * its own, and what a tab that is gone has left, another takes up. `locks`: instead of the browser's Web Locks; without
 * any, others that have written to the store count as gone.
 */
export function keptEdits(store: Store, options?: { locks?: Pick<LockManager, "request"> }): EditKeeper;
