#!/usr/bin/env python3
"""views.py [--views N] [--taps N]: what views over one table cost, in memory and in the time until a waiting poll
has an edit, with none and with that many that have rows toggled."""
import argparse
import json
import shutil
import tempfile
import time

from client import Connection, build, percentile, start

parser = argparse.ArgumentParser()
parser.add_argument("--views", type=int, default=100_000)
parser.add_argument("--taps", type=int, default=4, help="toggled rows of each view")
options = parser.parse_args()

ROWS = 200
CONFIGURATION = """\
listen: 127.0.0.1:0
store: memory
cells:
  Task: {fields: {title: string, isExpanded: boolean}, expands: isExpanded}
tables:
  tasks:
    source: {local: {items: %s}}
    cell: Task
    payload: {title: "${title}", isExpanded: false}
    can: {edit: true}
"""


def resident(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024


def latency(port, view="", edits=300):
    """The median time in milliseconds from an edit to the poll of another client."""
    editor, waiter = Connection(port), Connection(port)
    waiter.send("GET", f"/v1/tables/tasks?{view}")
    cursor, times = json.loads(waiter.receive())["cursor"], []
    for step in range(edits):
        waiter.send("GET", f"/v1/tables/tasks/changes?after={cursor}&wait=20&{view}")
        time.sleep(0.002)  # so that the poll waits
        began = time.perf_counter()
        editor.send("PATCH", f"/v1/tables/tasks/items/{step % ROWS + 1}", b'{"title":"%x"}' % time.time_ns())
        reply = waiter.receive()
        times.append((time.perf_counter() - began) * 1000)
        editor.receive()
        cursor = json.loads(reply)["to"]
    return percentile(times, 0.5)


def tap(port, views):
    """Toggles rows in each of the views, pipelined."""
    connection = Connection(port)
    for first in range(0, len(views), 50):
        requests = [(view, row) for view in views[first:first + 50] for row in range(1, options.taps + 1)]
        for view, row in requests:
            connection.send("POST", f"/v1/tables/tasks/rows/{row}/tap?view={view}")
        for _ in requests:
            connection.receive()


build()
folder = tempfile.mkdtemp(prefix="views-")
items = json.dumps([{"title": f"Item {index}"} for index in range(ROWS)])
process, port = start(folder, CONFIGURATION % items)
try:
    tap(port, [f"warm-{number}" for number in range(100)])
    without = latency(port)
    before = resident(process)
    tap(port, [f"{number:x}" for number in range(options.views)])
    after = resident(process)
    crowded = latency(port)
    own = latency(port, "view=5")
finally:
    process.terminate()
    process.wait()
    shutil.rmtree(folder)

print(f"| {options.views} views, {options.taps} toggled rows each | |\n| --- | ---: |")
print(f"| resident bytes a view | {(after - before) / options.views:.0f} |")
print(f"| edit to a waiting poll, without views | {without:.2f} ms |")
print(f"| with them | {crowded:.2f} ms |")
print(f"| to a waiting poll of one of them | {own:.2f} ms |")
