// A store in a folder: a file a key, written whole and then renamed, so that a reader never sees half of one.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export function folderStore(folder) {
  const path = (key) => join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`);
  const read = async (file) => {
    try {
      return JSON.parse(await readFile(file, "utf8"));
    } catch {
      return undefined; // None there, or not ours: as if nothing had been kept.
    }
  };
  return {
    async get(key) {
      const kept = await read(path(key));
      return kept?.key === key ? kept.value : undefined;
    },
    async set(key, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = `${path(key)}.${process.pid}`;
      await writeFile(temporary, JSON.stringify({ key, value }), { mode: 0o600 });
      await rename(temporary, path(key));
    },
    async delete(prefix) {
      for (const name of await readdir(folder).catch(() => [])) {
        const file = join(folder, name);
        if ((await read(file))?.key?.startsWith(prefix)) await rm(file, { force: true });
      }
    },
  };
}
