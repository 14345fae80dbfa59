// Snapshots kept in the browser's IndexedDB. A store is anything with `get(key)`, `set(key, value)` and
// `delete(prefix)`, which may return promises: what was set is kept when its promise resolves. Of a snapshot `set` is told
// so: it may be dropped when there is no room.

/** So many snapshots are kept: those that were written last. */
const most = 100;

export function indexedDBStore(name = "tablecast") {
  let opened;
  const forget = () => (opened = undefined);

  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    request.onsuccess = () => {
      request.result.onclose = forget;
      // Another release's, which waits for it, or the person deletes what is stored.
      request.result.onversionchange = () => {
        request.result.close();
        forget();
      };
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

  /** Keeps those of the snapshots whose keys `change` leaves. The keys stand under "", the last written one last. */
  const list = (kept, change) => {
    const request = kept.get("");
    request.onsuccess = () => {
      const { result = [] } = request;
      const keys = change(result);
      result.forEach((key) => keys.includes(key) || kept.delete(key));
      if (keys.length || result.length) kept.put(keys, "");
    };
    return request;
  };

  const put = (key, value, isSnapshot) => ask("readwrite", (kept) => {
    if (isSnapshot) list(kept, (keys) => [...keys.filter((other) => other !== key), key].slice(-most));
    return kept.put(value, key);
  });

  return {
    get: (key) => ask("readonly", (kept) => kept.get(key)),
    async set(key, value, isSnapshot) {
      try {
        await put(key, value, isSnapshot);
      } catch (error) {
        if (isSnapshot || error?.name !== "QuotaExceededError") throw error;
        // Edits come first: snapshots can be asked for again.
        await ask("readwrite", (kept) => list(kept, () => []));
        await put(key, value);
      }
    },
    delete: (prefix) => ask("readwrite", (kept) => {
      list(kept, (keys) => keys.filter((key) => !key.startsWith(prefix)));
      return kept.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
    }),
  };
}
