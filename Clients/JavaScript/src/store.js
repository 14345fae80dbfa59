// Snapshots kept in the browser's IndexedDB. A store is anything with `get(key)`, `set(key, value)` and
// `delete(prefix)`, which may return promises.

const request = (asked) =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

export function indexedDBStore(name = "tablecast") {
  let database;
  const objects = async (mode) => {
    database ??= (() => {
      const opening = indexedDB.open(name, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
      return request(opening);
    })();
    return (await database).transaction("kept", mode).objectStore("kept");
  };
  return {
    get: async (key) => request((await objects("readonly")).get(key)),
    set: async (key, value) => request((await objects("readwrite")).put(value, key)),
    delete: async (prefix) => request((await objects("readwrite")).delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`))),
  };
}
