import type { EditKeeper, Store } from "./tablecast.js";

/**
 * Keeps edits in `store`, for the option `keepEdits`; make one for each client. Tabs may share a store: each writes to a
 * place of its own, and takes over the edits of tabs that are gone. `locks` replaces the browser's Web Locks. Without any
 * locks, all other writers to the store count as gone; edits are then written again after a second, and `close()` waits for
 * that.
 */
export function keptEdits(store: Store, options?: { locks?: Pick<LockManager, "request"> }): EditKeeper;
