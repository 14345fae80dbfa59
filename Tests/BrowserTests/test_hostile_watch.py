"""Both watchers behind what misbehaves: they show only what the service had, and end by its own words alone.

Every third deed, as each takes two programs; TABLECAST_DEEDS=all for all of them.
"""

import json
import os
import subprocess
import threading
import time
import unittest

from misbehaving import DEEDS, Misbehaving
from service import Service
from test_watch import WATCHERS

# These take as long as a poll is waited for.
SLOW = ["dead", "slow", "endless"]
# Done to those that were shown the table before.
LATER = ["401 page", "403", "404 page", "200 {}", "302 portal", "200 a problem inside", "another table, as if asked", "an old reply", "reset", "cut"]


class Watcher:
  """One of them behind a proxy of its own, with a deed."""

  def __init__(self, command, service, name, is_late):
    self.name = f"{name}, {command[0].rpartition('/')[2]}, {'later' if is_late else 'from the start'}"
    self.deed = DEEDS.get(name, refused)
    self.proxy = Misbehaving(service.port)
    self.proxy.deed = None if is_late else self.deed
    self.lines = []
    self.process = subprocess.Popen([*command, self.proxy.url, "todo", "--json"], stdout=subprocess.PIPE, text=True)
    self.reader = threading.Thread(target=self.read, daemon=True)
    self.reader.start()

  def read(self):
    for line in self.process.stdout:
      self.lines.append(json.loads(line))

  def misbehave(self):
    self.asked = self.proxy.requests
    self.proxy.deed = self.deed
    self.proxy.drop()

  def behave(self):
    self.proxy.deed = None
    self.proxy.drop()

  def shows(self, cursor):
    return bool(self.lines) and (self.lines[-1]["connection"], self.lines[-1]["cursor"]) == ("live", cursor)

  def stop(self):
    if self.process.stdout.closed:
      return
    self.process.terminate()
    self.process.wait(30)
    self.reader.join(30)
    self.process.stdout.close()
    self.proxy.stop()


def refused(proxy, client, request):
  """What the service says of a table that it doesn't have."""
  client.sendall(proxy.ask(request.replace(b"/tables/todo/", b"/tables/none/")))


class HostileWatch(unittest.TestCase):
  def setUp(self):
    self.service = Service()
    self.addCleanup(self.service.stop)
    self.truth = {}

  def change(self):
    """Another version of the table; its cursor."""
    row = self.service.ask("/v1/tables/todo")["sections"][0]["rows"][0]["id"]
    self.service.ask(f"/v1/tables/todo/items/{row}", "PATCH", {"title": f"title {len(self.truth)}"})
    return self.look()

  def look(self):
    table = self.service.ask("/v1/tables/todo")
    self.truth[table["cursor"]] = table
    return table["cursor"]

  def start(self, names, is_late):
    watchers = [Watcher(command, self.service, name, is_late) for name in names for command in WATCHERS]
    for watcher in watchers:
      self.addCleanup(watcher.stop)
    return watchers

  def wait(self, watchers, what, holds):
    end = time.monotonic() + 120
    left = watchers
    while left := [watcher for watcher in left if not holds(watcher)]:
      for watcher in left:
        self.assertIsNone(watcher.process.poll(), f"{watcher.name}: ended with {watcher.lines[-1:]}")
        self.assertLess(time.monotonic(), end, f"{watcher.name}: {what}, after {watcher.lines[-1:]}")
      time.sleep(0.05)

  def check(self, watcher):
    for line in watcher.lines:
      self.assertIn(line["connection"], ("live", "retrying"), watcher.name)
      if line["cursor"] is None:
        self.assertEqual((line["connection"], line["sections"], line["state"]), ("retrying", [], "loading"), watcher.name)
      else:
        truth = self.truth.get(line["cursor"])
        self.assertIsNotNone(truth, f"{watcher.name}: {line['cursor']} never was")
        self.assertEqual({name: line[name] for name in ("table", "state", "sections")},
                         {name: truth[name] for name in ("table", "state", "sections")}, watcher.name)
    versions = [int(line["cursor"].split(".")[1]) for line in watcher.lines if line["cursor"]]
    self.assertEqual(versions, sorted(versions), f"{watcher.name} went back")

  def test_from_the_start(self):
    names = [name for name in DEEDS if name not in [*SLOW, "an old reply"]]
    if os.environ.get("TABLECAST_DEEDS") != "all":
      names = names[::3]
    for first in range(0, len(names), 22):
      self.look()
      watchers = self.start(names[first:first + 22], is_late=False)
      self.wait(watchers, "never asked", lambda watcher: watcher.proxy.requests and watcher.lines)
      cursor = self.change()
      for watcher in watchers:
        watcher.behave()
      self.wait(watchers, "not live", lambda watcher: watcher.shows(cursor))
      for watcher in watchers:
        self.check(watcher)
        watcher.stop()

  def test_later(self):
    cursor = self.look()
    watchers = self.start(LATER, is_late=True)
    self.wait(watchers, "not live", lambda watcher: watcher.shows(cursor))
    for watcher in watchers:
      watcher.misbehave()
    cursor = self.change()
    # Two failures at least.
    self.wait(watchers, "not asked", lambda watcher: watcher.proxy.requests >= watcher.asked + 2)
    for watcher in watchers:
      watcher.behave()
    self.wait(watchers, "not live again", lambda watcher: watcher.shows(cursor))
    for watcher in watchers:
      self.check(watcher)

  def test_the_service_s_own_words_end_them(self):
    for watcher in self.start(["the service's words"], is_late=False):
      self.assertEqual(watcher.process.wait(60), 1, watcher.name)
      watcher.reader.join(30)
      self.assertEqual([(line["connection"], line["problem"]["status"]) for line in watcher.lines if "problem" in line], [("refused", 404)])


if __name__ == "__main__":
  unittest.main()
