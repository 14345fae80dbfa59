// Snapshots kept in the browser's IndexedDB. A store is anything with `get(key)`, `set(key, value)` and
// `delete(prefix)`, which may return promises: what was set is kept when its promise resolves.

export function indexedDBStore(name = "tablecast") {
  let opened;
  const forget = () => (opened = undefined);

  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    request.onsuccess = () => {
      request.result.onclose = forget;
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });

  const ask = async (mode, act, isAgain) => {
    try {
      const transaction = (await (opened ??= open())).transaction("kept", mode);
      const request = act(transaction.objectStore("kept"));
      // A request's success is not the end: a full disk is found out at the commit.
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = transaction.onerror = () => reject(transaction.error ?? request.error);
      });
      return request.result;
    } catch (error) {
      // A database may be opened later, and browsers close connections: iOS that of a page in the background.
      forget();
      if (isAgain || error?.name !== "InvalidStateError") throw error;
      return ask(mode, act, true);
    }
  };

  return {
    get: (key) => ask("readonly", (kept) => kept.get(key)),
    set: (key, value) => ask("readwrite", (kept) => kept.put(value, key)),
    delete: (prefix) => ask("readwrite", (kept) => kept.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`))),
  };
}
