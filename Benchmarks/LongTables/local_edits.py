#!/usr/bin/env python3
"""local_edits.py [--rows N,N…] [--edits N] [--skip-build]: what one edit of a local table costs, by the table's length.

The table has two sections with conditions and headers that count, and somebody polls it all the while, with a window and
without. Each figure is the processor's time for one edit in milliseconds (layout, commit, changesets for both who poll), so
that what else runs on the machine counts as little as it can; in brackets the median until it is acknowledged. The store
lies in memory: what is measured is not the disk. What grows with the rows is not as it should be."""
import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import Connection, build, start  # noqa: E402
from fill import fill  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--rows", default="1000,20000,100000,1000000")
parser.add_argument("--edits", type=int, default=100)
parser.add_argument("--skip-build", action="store_true")
options = parser.parse_args()

CONFIGURATION = """\
listen: 127.0.0.1:0
store: {path: %s}
cells:
  Task: {fields: {title: string, step: integer}}
  Head: {fields: {title: string}}
tables:
  tasks:
    source: {local: {items: [{title: First, step: 0, done: false}]}}
    cell: Task
    payload: {title: "${title}", step: "${step}"}
    sections:
      - {id: open, where: "!done", header: {cell: Head, payload: {title: "Open (${$count})"}}}
      - {id: done, where: done, header: {cell: Head, payload: {title: "Done (${$count})"}}}
    can: {edit: true, move: true}
"""
TICK = 1000 / os.sysconf("SC_CLK_TCK")


def processor(process):
    """Milliseconds that the service has used; in steps of ten, so only sums of many edits say something."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def measure(rows, folder):
    path = os.path.join(folder, f"{rows}.sqlite")
    process, _ = start(folder, CONFIGURATION % path)
    process.terminate()
    process.wait()
    fill(path, "tasks", ({"title": f"Task {number}", "step": 0, "done": number % 4 == 0}
                         for number in range(2, rows + 1)))
    began = time.perf_counter()
    process, port = start(folder, CONFIGURATION % path)
    started = (time.perf_counter() - began) * 1000
    chance = random.Random(1)
    figures = {"start": (started, started)}
    try:
        # What was filled in behind the service's back is laid out behind the first snapshot.
        connection, of = Connection(port), 0
        while of < rows:
            connection.send("GET", "/v1/tables/tasks?rows=1")
            of = json.loads(connection.receive())["window"]["of"]
        pollers, cursors = [], []
        for window in ["", "?rows=50"]:
            # Just before it is used: the table may be a while in coming, and who says nothing is not waited for.
            pollers.append(Connection(port))
            pollers[-1].send("GET", f"/v1/tables/tasks{window}")
            cursors.append(json.loads(pollers[-1].receive())["cursor"])
        editor = Connection(port)

        def edit(method, target, body):
            editor.send(method, f"/v1/tables/tasks/items{target}", json.dumps(body).encode() if body else b"")
            began = time.perf_counter()
            editor.receive()
            taken = (time.perf_counter() - began) * 1000
            for number, poller in enumerate(pollers):
                poller.send("GET", f"/v1/tables/tasks/changes?after={cursors[number]}&wait=0")
                reply = json.loads(poller.receive())
                if "snapshot" in reply:
                    raise SystemExit("an edit should not be a snapshot")
                cursors[number] = reply["to"]
            return taken

        free = list(range(2, rows))
        chance.shuffle(free)
        kinds = {
            "patch": lambda: ("PATCH", f"/{chance.choice(free)}", {"step": chance.randrange(10**9)}),
            "change section": lambda: ("PATCH", f"/{(number := chance.choice(free))}", {"done": number % 4 != 0}),
            "move": lambda: ("POST", f"/{free.pop()}/move", {"section": "open", "at": chance.randrange(rows // 4)}),
            "delete": lambda: ("DELETE", f"/{free.pop()}", None),
            # Local items are 100,000 at most; those that are more already stay.
            "add": lambda: ("POST", "?section=open&at=1", {"title": "New", "done": False, "step": 1}),
        }
        for name, kind in kinds.items():
            if name == "add" and rows > 100_000:
                continue
            count = min(options.edits, max(5, 3_000_000 // rows)) if options.skip_build else options.edits
            edit(*kind())
            before = processor(process)
            times = [edit(*kind()) for _ in range(count)]
            figures[name] = ((processor(process) - before) / count, statistics.median(times))
    finally:
        process.kill()
        process.wait()
        os.remove(path)
    return figures


if not options.skip_build:
    build()
folder = tempfile.mkdtemp(prefix="tablecast-rows-", dir="/dev/shm")
rows = [int(number) for number in options.rows.split(",")]
try:
    found = {count: measure(count, folder) for count in rows}
finally:
    shutil.rmtree(folder)

print("| one edit of a local table, in ms | " + " | ".join(f"{count:,} rows" for count in rows) + " |")
print("| --- |" + " ---: |" * len(rows))
for name in ["start", "patch", "change section", "move", "delete", "add"]:
    cells = [found[count].get(name) for count in rows]
    print(f"| {name} | " + " | ".join(f"{cell[0]:.2f} ({cell[1]:.2f})" if cell else "" for cell in cells) + " |")
