// javascript-reference.mjs FILE.d.ts…: prints the reference of the JavaScript client as Markdown: each exported declaration with its
// comment, its signature, and its members with theirs. It uses the compiler's own parser (Debian's node-typescript).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const ts = createRequire(import.meta.url)("/usr/share/nodejs/typescript/lib/typescript.js");

const comment = (node) =>
  (node.jsDoc ?? []).map((doc) => (typeof doc.comment === "string" ? doc.comment : ts.getTextOfJSDocComment(doc.comment) ?? "")).join(" ").replace(/\s+/g, " ").trim();

const membersOf = (node) => node.members ?? node.type?.members ?? [];

/** The declaration's text, without the comments of its members, which stand below it. */
function signature(node, source) {
  let text = "", position = node.getStart(source);
  for (const doc of membersOf(node).flatMap((member) => member.jsDoc ?? [])) {
    text += source.text.slice(position, doc.pos).replace(/[ \t]+$/, "");
    position = doc.end + source.text.slice(doc.end).match(/^[ \t]*\n?/)[0].length;
  }
  return text + source.text.slice(position, node.end);
}

const nameOf = (node, source) =>
  node.name?.getText(source) ?? node.declarationList?.declarations.map((each) => each.name.getText(source)).join(", ") ??
  (ts.isConstructorDeclaration(node) ? "constructor" : undefined);

const isExported = (node) => node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);

for (const file of process.argv.slice(2)) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const module = basename(file, ".d.ts");
  console.log(`## ${module === "tablecast" ? "tablecast" : `tablecast/${module}`}\n`);
  // Overloads stand under one heading.
  let last;
  for (const node of source.statements.filter(isExported)) {
    const name = nameOf(node, source);
    if (name === undefined) continue;
    if (name !== last) console.log(`### ${name}\n`);
    last = name;
    if (comment(node)) console.log(`${comment(node)}\n`);
    console.log("```ts\n" + signature(node, source) + "\n```\n");
    const members = membersOf(node).filter(comment);
    for (const member of members) console.log(`- \`${nameOf(member, source)}\`: ${comment(member)}`);
    if (members.length > 0) console.log();
  }
}
