// Joins and minifies src/ into the modules that are published: `node bundle.mjs`, with Debian's esbuild. A test holds
// the results against the sources.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/** The published modules, each of the file of the same name in src/. */
export const modules = ["tablecast.js", "core.js", "kept.js", "find.js", "store.js", "tabs.js", "bind.js", "search.js", "react.js", "element.js"];

/** Modules that stand on their own and are also a part of `tablecast.js`, which is one file. */
const parts = ["find.js", "store.js"];

/** Modules that the service serves, for its own page and others. */
export const served = ["tablecast.js", "bind.js", "search.js", "tabs.js"];
const resources = new URL("../../Sources/TableService/Resources/client/", import.meta.url);

/** The module's text. Members that begin with `_` are between our own modules: they get short names. */
export function bundle(name) {
  const source = fileURLToPath(new URL(`src/${name}`, import.meta.url));
  const external = ["react", ...modules.filter((other) => other !== name && !parts.includes(other)).map((other) => `./${other}`)].map((one) => `--external:${one}`);
  const text = execFileSync("esbuild", [source, "--bundle", "--minify", "--format=esm", "--target=es2022", "--mangle-props=^_", ...external], { encoding: "utf8" });
  return `// Tablecast ${version}\n${text}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of modules) writeFileSync(new URL(name, import.meta.url), bundle(name));
  for (const name of served) writeFileSync(new URL(name, resources), bundle(name));
}
