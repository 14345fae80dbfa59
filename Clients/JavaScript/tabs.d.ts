import type { TabSharing } from "./tablecast.js";

/**
 * One poll for all tabs of one service and caller, for the option `tabs`: one of these for each client. `undefined`, which is
 * none, where there are no Web Locks (pages that came without HTTPS). A client with a token shares only where it says
 * by `caller` whose it is.
 */
export function sharedTabs(options?: { locks?: Pick<LockManager, "request">; Channel?: typeof BroadcastChannel }): TabSharing | undefined;
