"""`watch.mjs` prints what `tablecast watch --json` prints, line for line."""

import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import unittest

from browser import ROOT
from service import Service

BINARY = os.environ.get("TABLECAST", str(ROOT / ".build/debug/tablecast"))
WATCHERS = [[BINARY, "watch"], ["node", str(ROOT / "Clients/JavaScript/bin/watch.mjs")]]


class Watcher:
  """One of them, and its lines as they come."""

  def __init__(self, command, service, arguments):
    self.process = subprocess.Popen([*command, service.url, *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    self.lines = []
    self.coming = queue.Queue()
    threading.Thread(target=self.read, daemon=True).start()

  def read(self):
    for line in self.process.stdout:
      self.coming.put(line)
    self.coming.put(None)

  def await_line(self, holds):
    while True:
      line = self.coming.get(timeout=60)
      assert line is not None, f"it ended after {self.lines[-1:]}"
      self.lines.append(line)
      if holds(json.loads(line)):
        return

  def end(self):
    self.process.terminate()
    self.process.wait(30)
    self.process.stdout.close()


class Watch(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.service = Service()
    cls.addClassCleanup(cls.service.stop)

  def watch(self, *arguments):
    watchers = [Watcher(command, self.service, arguments) for command in WATCHERS]
    for watcher in watchers:
      self.addCleanup(watcher.end)
      watcher.await_line(lambda state: state["connection"] == "live")
    return watchers

  @staticmethod
  def titles(state):
    return [row["payload"]["title"] for section in state["sections"] for row in section["rows"]]

  def test_the_lines_are_the_same(self):
    for arguments in (["todo"], ["todo", "--rows", "2"], ["todo", "--cells", "SectionTitle"]):
      with self.subTest(arguments=arguments):
        watchers = self.watch(*arguments)
        first = self.service.ask("/v1/tables/todo")["sections"][0]["rows"][0]["id"]
        for number in range(5):
          title = f"title {number} <é> \u2028 \"\\ 😀"
          self.service.ask(f"/v1/tables/todo/items/{first}", "PATCH", {"title": title})
          for watcher in watchers:
            watcher.await_line(lambda state: title in self.titles(state))
        swift, javascript = [watcher.lines for watcher in watchers]
        self.assertEqual(swift, javascript)
        self.assertGreaterEqual(len(swift), 6)

  def test_what_is_found_is_shown_with_its_menus(self):
    # JavaScript's: Swift's has a test of its own.
    watcher = Watcher(WATCHERS[1], self.service, ["library", "--find", "q=swi&filter=state:open&sort=newest"])
    self.addCleanup(watcher.end)
    watcher.await_line(lambda state: state["connection"] == "live")
    state = json.loads(watcher.lines[-1])
    self.assertEqual(self.titles(state), ["Swift by day", "Swift by night"])
    find = state["find"]
    self.assertEqual((find["prompt"], find["sort"]), ("Search books", "newest"))
    self.assertEqual([(value["value"], value["count"], value["selected"]) for value in find["filters"][0]["values"]],
                     [("open", 2, True), ("closed", 0, False)])
    first = state["sections"][0]["rows"][0]["id"]
    self.service.ask(f"/v1/tables/library/items/{first}", "PATCH", {"state": "closed"})
    watcher.await_line(lambda state: self.titles(state) == ["Swift by night"])
    self.service.ask(f"/v1/tables/library/items/{first}", "PATCH", {"state": "open"})

  def test_both_read_a_search_as_a_query(self):
    for command in WATCHERS:
      watcher = Watcher(command, self.service, ["library", "--find", "q=swift+night"])
      self.addCleanup(watcher.end)
      watcher.await_line(lambda state: self.titles(state) == ["Swift by night"])

  def test_a_table_that_is_refused_ends_them(self):
    results = [subprocess.run([*command, self.service.url, "none", "--json"], stdout=subprocess.PIPE, text=True, timeout=60) for command in WATCHERS]
    self.assertEqual([result.returncode for result in results], [1, 1])
    self.assertEqual(results[0].stdout, results[1].stdout)
    self.assertEqual(json.loads(results[0].stdout)["connection"], "refused")

  def test_one_s_store_is_not_shown_to_another(self):
    with tempfile.TemporaryDirectory() as folder:
      def connections(*arguments):
        watcher = Watcher(WATCHERS[1], self.service, ["todo", "--store", folder, *arguments])
        watcher.await_line(lambda state: state["connection"] == "live")
        watcher.end()
        return [json.loads(line)["connection"] for line in watcher.lines]

      self.assertEqual(connections("--token", "ann's"), ["live"])
      self.assertEqual(connections("--token", "ann's"), ["cached", "live"])
      self.assertEqual(connections("--token", "bob's"), ["live"])
      self.assertEqual(connections(), ["live"])
      for kept in pathlib.Path(folder).iterdir():
        self.assertNotIn("ann's", kept.read_text())


if __name__ == "__main__":
  unittest.main()
