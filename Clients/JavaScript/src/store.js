// Snapshots kept in the browser's IndexedDB. A store is anything with `get(key)`, `set(key, value)` and
// `delete(prefix)`, which may return promises.

const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export function indexedDBStore(name = "tablecast") {
  let opened;
  const open = () => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    return answer(request);
  };
  const ask = async (act, mode) => answer(act((await (opened ??= open())).transaction("kept", mode).objectStore("kept")));
  return {
    get: (key) => ask((kept) => kept.get(key)),
    set: (key, value) => ask((kept) => kept.put(value, key), "readwrite"),
    delete: (prefix) => ask((kept) => kept.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`)), "readwrite"),
  };
}
