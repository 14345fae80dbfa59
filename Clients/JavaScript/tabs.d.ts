import type { TabSharing } from "./tablecast.js";

/**
 * Shares one poll among all tabs with the same service and caller, for the option `tabs`; make one for each client.
 * `undefined` (no sharing) if the browser has no Web Locks, as for pages without HTTPS. A client with a token shares only if
 * it has a `caller`.
 */
export function sharedTabs(options?: { locks?: Pick<LockManager, "request">; Channel?: typeof BroadcastChannel }): TabSharing | undefined;
