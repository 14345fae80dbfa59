"""Identities of any kind, in everything that draws tables: each row and section is there, and is itself."""

import json
import subprocess
import unittest

from browser import ROOT, chromium, files, resize, until
from service import Service, Upstream
from test_bindings import REACT_MODULE
from test_console import ConsoleTestCase
from test_watch import WATCHERS

IDENTITIES = json.loads((ROOT / "Tests/ClientCases/identities.json").read_text())["identities"] + ["x" * 10_240]
# The service makes no rows of items whose identities no URL or log line can have.
REFUSED = [one for one in IDENTITIES if one in (".", "..") or len(one) > 1024 or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in one)]
SHOWN = [one for one in IDENTITIES if one not in REFUSED]

# A table that the test sets: of each section its id, and its rows.
TABLE = """
const row = (id) => ({ id, cellIdentifier: 'Label', payload: { title: 'row ' + id }, can: {} });
const table = {
  listeners: new Set(), snapshot: { table: 't', state: 'ready', connection: 'live', sections: [], edits: [] },
  subscribe(listener) { this.listeners.add(listener); return () => this.listeners.delete(listener); },
  row(id) { return this.snapshot.sections.flatMap(({ rows }) => rows).find((row) => row.id === id); },
  set(sections) {
    const old = new Map(this.snapshot.sections.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
    const frame = (id) => ({ cellIdentifier: 'H', payload: { title: id } });
    this.snapshot = { ...this.snapshot, sections: sections.map(([id, rows]) => ({ id, header: frame('header ' + id), footer: frame('footer ' + id), rows: rows.map((id) => old.get(id) ?? row(id)) })) };
    for (const listener of this.listeners) listener({ type: 'changes', after: this.snapshot });
  },
};
let seed = 11;
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
/** Sections of some of the identities, each with some as rows. */
function any(identities) {
  const shuffled = () => identities.map((id) => [random(100003), id]).sort(([a], [b]) => a - b).map(([, id]) => id);
  const rows = shuffled();
  return shuffled().slice(0, random(6)).map((id) => [id, rows.splice(0, random(8))]);
}
const expected = (sections) => sections.flatMap(([id, rows]) => ['header ' + id, ...rows.map((id) => 'row ' + id), 'footer ' + id]);
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
Object.assign(window, { table, any, expected, frame });
"""

BIND = f"""<!doctype html><meta charset=utf-8><div id=list></div><script type=module>
import {{ bindTable }} from '/js/bind.js';
{TABLE}
const title = (kind) => (section, node = document.createElement('h3')) => {{ node.textContent = section[kind].payload.title; return node; }};
bindTable(document.querySelector('#list'), table, {{
  create: () => document.createElement('div'), update: (node, row) => (node.textContent = row.payload.title),
  header: title('header'), footer: title('footer'), empty: () => Object.assign(document.createElement('p'), {{ textContent: 'nothing' }}),
}});
window.shown = () => [...document.querySelector('#list').children].map(({{ textContent }}) => textContent);
window.ready = true;
</script>"""

ELEMENT = f"""<!doctype html><meta charset=utf-8><tablecast-table id=one></tablecast-table><script type=module>
import '/js/element.js';
{TABLE}
const one = document.querySelector('#one');
one.client = {{ table: () => table }};
one.setAttribute('table', 't');
one.connectedCallback();
window.shown = () => [...one.children].map(({{ textContent }}) => textContent === 'Nothing here' ? 'nothing' : textContent);
window.ready = true;
</script>"""

REACT = f"""<!doctype html><meta charset=utf-8><div id=root></div>
<script type=importmap>{{"imports": {{"react": "/react.mjs"}}}}</script>
<script src=/nodejs/react/umd/react.development.js></script>
<script src=/nodejs/react-dom/umd/react-dom.development.js></script>
<script type=module>
import {{ useTable, useRow }} from '/js/react.js';
{TABLE}
const {{ createElement: make, Fragment }} = React;
const Row = ({{ id }}) => make('li', null, useRow(table, id)?.payload.title);
const List = () => make('ul', null, useTable(table).sections.map(({{ id, header, footer, rows }}) => make(Fragment, {{ key: id }},
  make('h3', null, header.payload.title), rows.map(({{ id }}) => make(Row, {{ key: id, id }})), make('h3', null, footer.payload.title))));
ReactDOM.createRoot(document.querySelector('#root')).render(make(List));
window.shown = () => [...document.querySelector('ul').children].map(({{ textContent }}) => textContent);
window.ready = true;
</script>"""


class Bindings(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.driver = chromium()
    cls.addClassCleanup(cls.driver.quit)
    cls.base = cls.enterClassContext(files({"/bind": BIND, "/element": ELEMENT, "/react": REACT, "/react.mjs": REACT_MODULE}))

  def test_all_that_draw_a_table_draw_any_identities(self):
    for page in ("bind", "element", "react"):
      with self.subTest(page=page):
        self.driver.get(f"{self.base}/{page}")
        until(self.driver, "window.ready")
        wrong = self.driver.execute_async_script("""
          const [identities, done] = arguments;
          (async () => {
            for (let round = 0; round < 60; round++) {
              const sections = round === 0 ? [['main', identities]] : any(identities);
              table.set(sections); await frame();
              const wanted = expected(sections);
              if (!wanted.length && location.pathname !== '/react') wanted.push('nothing');
              if (JSON.stringify(shown()) !== JSON.stringify(wanted)) return [round, shown(), wanted];
            }
            return null;
          })().then(done, (error) => done(String(error.stack)));""", IDENTITIES)
        self.assertIsNone(wrong)


class Names(Upstream):
  # Each in a section of its own, which is named like another one.
  names = [{"id": identity, "group": IDENTITIES[number - 1], "title": f"title {number}"} for number, identity in enumerate(IDENTITIES)]
  empty = [{"id": "empty", "group": "main", "title": "one"}, {"id": "header main", "group": "main", "title": "two"},
           {"id": "footer main", "group": "main", "title": "three"}]


TABLES = """
  names:
    source: {{url: "{upstream}/names", every: 0s}}
    row: {{id: "${{id}}"}}
    sections: {{groupBy: group, header: {{cell: SectionTitle, payload: {{title: "header ${{$key}}"}}}}}}
  empty:
    source: {{url: "{upstream}/empty", every: 0s}}
    row: {{id: "${{id}}"}}
    sections: {{groupBy: group, header: {{cell: SectionTitle, payload: {{title: "header ${{$key}}"}}}}}}
"""


class Console(ConsoleTestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.service = Service(TABLES, Names())
    cls.addClassCleanup(cls.service.stop)

  def rows(self):
    return self.driver.execute_script("return [...document.querySelectorAll('[data-row]:not([inert])')].map(({ dataset }) => dataset.row)")

  def go(self, place):
    self.driver.execute_script("location.hash = arguments[0]", place)

  def side(self):
    return self.driver.execute_script("return document.querySelector('.side').textContent")

  def main(self):
    return self.driver.execute_script("return document.querySelector('#main').textContent")

  def test_rows_named_as_the_page_s_own_parts_are_there(self):
    self.open("t/empty", "document.querySelectorAll('[data-row]').length === 3")
    self.assertEqual(self.rows(), ["empty", "header main", "footer main"])
    self.assertEqual(self.texts(), ["one", "two", "three"])
    headers = "return [...document.querySelectorAll('.rows .header')].map((one) => one.innerText)"
    self.assertEqual(self.driver.execute_script(headers), ["header main"])

  def test_a_row_of_any_name_is_drawn_and_opened(self):
    resize(self.driver, 1400, 16_000)
    self.open("t/names", f"document.querySelectorAll('[data-row]').length === {len(SHOWN)}")
    self.assertEqual(self.rows(), SHOWN)
    self.assertEqual(self.service.ask("/v1/tables/names/skipped")["skippedItems"], len(REFUSED))
    for identity in SHOWN:
      with self.subTest(identity=identity[:40]):
        title = f"title {IDENTITIES.index(identity)}"
        node = self.driver.execute_script(
          "return [...document.querySelectorAll('[data-row]')].find(({ dataset }) => dataset.row === arguments[0])", identity)
        self.driver.execute_script("arguments[0].click()", node)
        until(self.driver, lambda driver: "Represented item" in self.side() and f'"{title}"' in self.side(), identity, seconds=10)
        until(self.driver, lambda driver: node.get_attribute("aria-selected") == "true")

  def test_a_row_of_dots_is_not_asked_for(self):
    for place in ("t/todo/row/..", "t/todo/row/.", "t/todo/row/%2e%2E"):
      with self.subTest(place=place):
        self.open(place, "document.querySelector('.side').textContent.includes('No URL can name this row')")
        paths = self.driver.execute_script("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")
        below = {path for path in paths if path.startswith("/v1/") and path not in ("/v1/tables", "/v1/cells", "/v1/client.js")}
        self.assertEqual(below, {"/v1/tables/todo/changes"})

  def test_addresses_that_name_nothing_say_so(self):
    self.open("t/todo", "document.querySelectorAll('[data-row]').length === 3")
    asked = self.driver.execute_script("return performance.getEntriesByType('resource').length")
    for place in ("t/%E0%A4%A", "t/%", "t/..", "t/.", "t/%2e%2e", "t/.%2E", "t/..;", "t/todo/row/%E0%A4%A", "t/todo/row/%", "t/todo;a", "t/%ED%A0%80"):
      with self.subTest(place=place):
        self.go(f"#/{place}")
        until(self.driver, lambda driver: "No table or row can be at" in self.main(), place, seconds=5)
        # And the page goes on.
        self.go("#/t/todo")
        until(self.driver, "document.querySelectorAll('[data-row]').length === 3")
    later = self.driver.execute_script("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")[asked:]
    self.assertEqual({path for path in later if not path.startswith("/v1/tables/todo")}, {"/v1/tables"} & set(later))
    errors = [line for line in self.driver.get_log("browser") if "Uncaught" in line["message"]]
    self.assertEqual(errors, [])

  def test_addresses_of_another_spelling_are_the_same_places(self):
    for place, condition in {
      "t/%74odo": "document.querySelectorAll('[data-row]').length === 3",
      "t/todo/row": "document.querySelector('.side').hidden",
      "t/todo/row/": "document.querySelector('.side').hidden",
      "t/todo/nothing": "document.querySelector('.side').hidden",
      "t/search;q=two": "document.querySelectorAll('[data-row]').length === 1",
      "t/search;%71=tw%6F": "document.querySelectorAll('[data-row]').length === 1",
    }.items():
      with self.subTest(place=place):
        self.open(place, condition)

  def test_a_table_s_address_asks_no_other_path(self):
    self.open()
    before = self.driver.execute_script("return performance.getEntriesByType('resource').length")
    for place in ("t/..%2f..%2fmetrics", "t/..\\..\\metrics", "t/todo?x", "t/todo%3Fx", "t/todo%23x", "t/..;a=b"):
      with self.subTest(place=place):
        self.go(f"#/{place}")
        until(self.driver, lambda driver: "404" in self.main() or "Not Found" in self.main() or "refused" in self.main() or "No table or row" in self.main(), place, seconds=10)
    paths = self.driver.execute_script("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")[before:]
    outside = [path for path in paths if not path.startswith(("/v1/tables", "/v1/cells"))]
    self.assertEqual(outside, [])

  def test_a_patch_has_members_of_any_name(self):
    self.open()
    patch = self.driver.execute_async_script("""
      const done = arguments[0];
      import('/console/editing.js').then(({ mergePatch }) => done([
        JSON.stringify(mergePatch(JSON.parse('{"constructor": 1, "a": 1}'), JSON.parse('{"a": 1}'))),
        JSON.stringify(mergePatch(JSON.parse('{}'), JSON.parse('{"__proto__": {"b": 1}, "toString": 2}'))),
        JSON.stringify(mergePatch(JSON.parse('{"__proto__": {"b": 1, "c": 1}}'), JSON.parse('{"__proto__": {"b": 2}}'))),
      ]));""")
    self.assertEqual(patch, ['{"constructor":null}', '{"__proto__":{"b":1},"toString":2}', '{"__proto__":{"c":null,"b":2}}'])


class Watch(unittest.TestCase):
  def test_watchers_print_any_identities(self):
    service = Service(TABLES, Names())
    self.addCleanup(service.stop)
    lines = []
    for command in WATCHERS:
      printed = subprocess.run([*command, service.url, "names", "--seconds", "5", "--json"],
                               stdout=subprocess.PIPE, text=True, timeout=60).stdout.rstrip("\n").split("\n")
      state = json.loads(printed[-1])
      self.assertEqual([row["id"] for section in state["sections"] for row in section["rows"]], SHOWN)
      lines.append(printed[-1])
    self.assertEqual(lines[0], lines[1])
    for command in WATCHERS:
      refused = subprocess.run([*command, service.url, "..", "--seconds", "5", "--json"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
      self.assertIn(refused.returncode, (1, 64))
      self.assertRegex(refused.stdout, "^unfit: \\.\\.|No URL can have a name of dots alone")


if __name__ == "__main__":
  unittest.main()
