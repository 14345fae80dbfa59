// What is published: made of the sources, small, and with all that its types and its package name.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundle, modules, served } from "../bundle.mjs";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const hasEsbuild = (() => {
  try {
    return execFileSync("esbuild", ["--version"]) && true;
  } catch {
    return false;
  }
})();

for (const name of modules) {
  test(`${name} is what its sources make`, { skip: !hasEsbuild && "esbuild is not there" }, () => {
    assert.equal(read(name), bundle(name), "run `node bundle.mjs`");
  });
}

for (const name of served) {
  test(`the service has ${name} as it is published`, () => {
    assert.equal(read(`../../Sources/TableService/Resources/client/${name}`), read(name), "run `node bundle.mjs`");
  });
}

for (const [name, limit] of Object.entries({ "core.js": 7600, "tablecast.js": 11_900, "kept.js": 1000, "find.js": 600, "store.js": 650, "tabs.js": 2100, "bind.js": 3750, "search.js": 1500, "react.js": 1000, "element.js": 3800 })) {
  test(`${name} has at most ${limit} bytes as gzip -9 packs it`, () => {
    const size = gzipSync(read(name), { level: 9 }).length;
    assert.ok(size <= limit, `${size} bytes`);
  });
}

test("docs/clients.md tells the sizes that there are", () => {
  const told = [...read("../../docs/clients.md").matchAll(/^\| `tablecast(?:\/(\w+))?` \| ([\d,]+) \|/gm)].map(([, name = "tablecast", size]) => [`${name}.js`, Number(size.replaceAll(",", ""))]);
  assert.deepEqual(told.map(([name]) => name).sort(), [...modules].sort());
  for (const [name, size] of told) {
    const real = gzipSync(read(name), { level: 9 }).length;
    assert.ok(Math.abs(real - size) <= 60, `${name}: ${real}, not ${size}`);
  }
});

const hasCompiler = (() => {
  try {
    return execFileSync("tsc", ["--version"]) && true;
  } catch {
    return false;
  }
})();

test("the types are what an app needs, by TypeScript's own compiler", { skip: !hasCompiler && "tsc is not there" }, () => {
  const consumer = fileURLToPath(new URL("consumer.ts", import.meta.url));
  const options = "--strict --exactOptionalPropertyTypes --noEmit --target es2022 --module node16 --moduleResolution node16 --lib es2022,dom,dom.iterable";
  try {
    execFileSync("tsc", [...options.split(" "), consumer], { encoding: "utf8" });
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
});

test("what package.json exports is there, with types", () => {
  const { exports, bin } = JSON.parse(read("package.json"));
  for (const { types, default: file } of Object.values(exports)) {
    for (const name of [types, file]) assert.ok(existsSync(new URL(`../${name}`, import.meta.url)), name);
  }
  assert.ok(existsSync(new URL(`../${Object.values(bin)[0]}`, import.meta.url)));
});

test("the example imports what the package exports, and its import map has the same files", () => {
  const example = "../../Examples/web/";
  const { imports } = JSON.parse(read(`${example}index.html`).match(/<script type="importmap">(.*?)<\/script>/s)[1]);
  const names = [...read(`${example}app.js`).matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(imports).sort(), names.sort());
  for (const name of names) {
    const page = new URL(`../${example}`, import.meta.url);
    assert.equal(new URL(imports[name], page).href, import.meta.resolve(name));
  }
});

test("the modules depend on nothing but each other, and React", () => {
  for (const name of modules) {
    for (const [, from] of read(name).matchAll(/from ?"([^"]+)"/g)) {
      assert.ok(from === "react" || modules.includes(from.slice(2)), `${name} imports ${from}`);
    }
  }
});
