"""`tablecast watch` in a terminal: what a user sees, and what keys do."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import pyte

from service import Service
from test_watch import BINARY


class Terminal:
  """A program in a terminal of so many rows and columns."""

  def __init__(self, arguments, rows=24, columns=80):
    self.screen = pyte.Screen(columns, rows)
    self.stream = pyte.ByteStream(self.screen)
    self.controller, follower = pty.openpty()
    self.size(rows, columns)
    self.settings = termios.tcgetattr(follower)
    self.follower = follower
    self.modes = b""
    self.process = subprocess.Popen(
      [BINARY, "watch", *arguments], stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

  def size(self, rows, columns):
    fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

  def resize(self, rows, columns):
    self.screen.resize(rows, columns)
    self.size(rows, columns)

  def read(self, seconds):
    if select.select([self.controller], [], [], seconds)[0]:
      data = os.read(self.controller, 65536)
      self.modes += data
      self.stream.feed(data)

  @property
  def lines(self):
    return [line.rstrip() for line in self.screen.display]

  def styled(self, line, name):
    """Whether a line's first character is drawn so: `reverse`, `bold`."""
    return getattr(self.screen.buffer[line][0], name)

  def line(self, text):
    """Where a line with the text stands; None where none does."""
    return next((number for number, line in enumerate(self.lines) if text in line), None)

  def wait(self, holds, what):
    deadline = time.monotonic() + 60
    while not holds(self):
      assert time.monotonic() < deadline, f"{what} never came; the screen has {self.lines}"
      self.read(0.2)

  def press(self, keys):
    os.write(self.controller, keys)

  def chosen(self):
    return next((self.lines[number] for number in range(self.screen.lines) if self.styled(number, "reverse")), None)

  def end(self):
    if self.process.poll() is None:
      self.process.kill()
      self.process.wait(30)
    os.close(self.controller)
    os.close(self.follower)


class WatchInATerminal(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.service = Service()
    cls.addClassCleanup(cls.service.stop)

  def watch(self, table, rows=24, columns=80):
    terminal = Terminal([self.service.url, table], rows, columns)
    self.addCleanup(terminal.end)
    terminal.wait(lambda it: "live" in it.lines[0], "the table")
    return terminal

  def test_arrows_choose_and_space_opens(self):
    terminal = self.watch("stories")
    self.assertEqual(terminal.lines[0], "Stories · ready · live")
    self.assertIsNone(terminal.chosen())
    terminal.press(b"\x1b[B")
    terminal.wait(lambda it: "one" in (it.chosen() or ""), "the first row, chosen")
    # As terminals say it in their other mode; and what means nothing here does nothing.
    terminal.press(b"\x1bOB\x1b[C\x1b[1;5D\x1b[5~x")
    terminal.wait(lambda it: "▸ two" in (it.chosen() or ""), "the second row, closed")
    terminal.press(b" ")
    terminal.wait(lambda it: it.line("What stands behind it.") is not None, "what is behind it")
    self.assertIn("▾ two", terminal.chosen())
    terminal.press(b" ")
    terminal.wait(lambda it: it.line("What stands behind it.") is None, "the closed row")
    terminal.press(b"\x1b[A")
    terminal.wait(lambda it: "one" in (it.chosen() or ""), "the row above")

  def test_changes_come_and_are_marked(self):
    terminal = self.watch("todo")
    row = self.service.ask("/v1/tables/todo/items", "POST", {"title": "Feed the cat", "section": "today"})
    terminal.wait(lambda it: it.line("● Feed the cat") is not None, "the new row, marked")
    self.service.ask(f"/v1/tables/todo/items/{row['id']}", "PATCH", {"title": "\x1b[2JWipe\r\n\u202edlrow"})
    terminal.wait(lambda it: it.line("Wipe") is not None, "the changed row")
    self.assertIn("●  [2JWipe  dlrow", terminal.lines[terminal.line("Wipe")])
    self.service.ask(f"/v1/tables/todo/items/{row['id']}", "DELETE")
    terminal.wait(lambda it: it.line("Wipe") is None, "the row's end")

  def test_r_has_the_sources_fetched(self):
    terminal = self.watch("odd")
    terminal.wait(lambda it: it.line("  one") is not None, "the row")
    row = self.service.upstream.odd[0]
    self.addCleanup(row.update, title=row["title"])
    row["title"] = "another title"
    # By itself it is never fetched again.
    terminal.press(b"r")
    terminal.wait(lambda it: it.line("● another title") is not None, "what the source has now")

  def test_a_narrow_terminal_is_never_overrun(self):
    row = self.service.ask("/v1/tables/todo/items", "POST",
                           {"title": "漢字かな交じり文 👩‍👩‍👧 é" + "e\u0301" * 40, "section": "wide"})["id"]
    self.addCleanup(self.service.ask, f"/v1/tables/todo/items/{row}", "DELETE")
    for columns in (24, 11, 3):
      terminal = self.watch_narrow(columns)
      # A line that ran over would push the state from the first line.
      self.assertTrue(terminal.lines[0].startswith("To do"[:columns - 1]), terminal.lines)
      self.assertEqual([line for line in terminal.lines if line][1][:2], "to", terminal.lines)

  def watch_narrow(self, columns):
    terminal = Terminal([self.service.url, "todo"], 14, columns)
    self.addCleanup(terminal.end)
    terminal.wait(lambda it: len([line for line in it.lines if line]) > 6, "the table")
    return terminal

  def test_a_short_terminal_keeps_the_chosen_row(self):
    terminal = self.watch("stories", rows=4)
    terminal.press(b"j" * 9)
    terminal.wait(lambda it: "four" in (it.chosen() or ""), "the last row")
    self.assertIn("Stories", terminal.lines[0])
    terminal.press(b"k" * 9)
    terminal.wait(lambda it: "one" in (it.chosen() or ""), "the first row")
    self.assertIn("Stories", terminal.lines[0])

  def test_another_size_is_drawn_at_once(self):
    terminal = self.watch("stories", rows=10, columns=60)
    terminal.resize(4, 12)
    terminal.wait(lambda it: it.lines[0] == "Stories · r…" and "".join(it.lines[1:]) != "", "the smaller screen")
    terminal.resize(10, 60)
    terminal.wait(lambda it: it.lines[0] == "Stories · ready · live", "the larger screen")

  def test_a_stored_state_is_drawn_on_the_other_screen(self):
    with tempfile.TemporaryDirectory() as folder:
      for _ in range(2):
        terminal = Terminal([self.service.url, "todo", "--view", "kept", "--store", folder])
        self.addCleanup(terminal.end)
        terminal.wait(lambda it: "live" in it.lines[0], "the table")
        self.assertTrue(terminal.modes.startswith(b"\x1b[?1049h"), terminal.modes[:80])
        terminal.press(b"q")
        terminal.wait(lambda it: it.process.poll() is not None, "the end")

  def test_q_leaves_the_terminal_as_it_was(self):
    for leave in (lambda it: it.press(b"q"), lambda it: it.press(b"\x03"),
                  lambda it: it.process.send_signal(signal.SIGTERM)):
      terminal = self.watch("todo")
      self.assertNotEqual(termios.tcgetattr(terminal.follower)[3], terminal.settings[3])
      leave(terminal)
      terminal.wait(lambda it: it.process.poll() is not None, "the end")
      terminal.read(1)
      self.assertEqual(terminal.process.returncode, 0)
      self.assertEqual(termios.tcgetattr(terminal.follower), terminal.settings)
      self.assertTrue(terminal.modes.endswith(b"\x1b[?25h\x1b[?1049l"))


if __name__ == "__main__":
  unittest.main()
