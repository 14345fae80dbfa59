import assert from "node:assert/strict";
import test from "node:test";
import { isMalformed, isSafeURL } from "../src/urls.js";

const safe = ["https://a.example/x", "http://a", "mailto:a@b.c", "tel:+49", "/path", "path/to", "?q=1", "#here", "HTTPS://A", "//host/x"];
const unsafe = [
  "javascript:alert(1)", "JaVaScRiPt:x", " javascript:x", "java\nscript:x", "java\tscript:x", "\u0001javascript:x", "data:text/html,x",
  "vbscript:x", "file:///etc/passwd", "blob:https://a/b", "intent://x", "\\\\host\\x",
];

for (const url of safe) test(`a link may lead to ${JSON.stringify(url)}`, () => assert.ok(isSafeURL(url)));
for (const url of unsafe) test(`no link may lead to ${JSON.stringify(url)}`, () => assert.ok(!isSafeURL(url)));

test("a cell with such an address is malformed, wherever it stands, and no other", () => {
  assert.ok(isMalformed({ payload: { url: "javascript:x" } }));
  assert.ok(isMalformed({ payload: { title: "x", profileUrl: "data:x" } }));
  assert.ok(isMalformed({ payload: {}, select: { type: "open", url: "javascript:x" } }));
  assert.ok(!isMalformed({ payload: { title: "javascript:x", url: "", link: null, imageName: "data:image/png;base64,x" }, select: "x" }));
});
