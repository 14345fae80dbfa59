#!/usr/bin/env python3
"""long.py [ROWS ...]: what a long table costs, by its rows, over HTTP as clients see it; and what a fast table feels of a
slow one beside it. Says of each figure by how much it grows while the rows grow a thousandfold.

The upstream is a process of its own, which has every answer ready. A refresh changes 0.1 % of the items, all over the
list, and one among the first 50."""
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import ROOT, Connection, build, percentile, start  # noqa: E402
from fill import fill  # noqa: E402
from upstream import Upstream  # noqa: E402

SIZES = [int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000, 1_000_000]
VERSIONS = 8
# After so many refreshes, what they take for a while has been taken once.
SETTLED = 3

HEAD = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 1000, mappingBytes: 8GB, tableBytes: 4GB}
cells:
  Item: {fields: {title: string, edition: integer}}
"""
LONG = """\
sources:
  list: {url: "%s", every: 24h, timeout: 5m, stallTimeout: 1m, maxBytes: 500MB, maxItems: 1000000, retries: 0}
tables:
  long:
    source: list
    row: {id: "${id}"}
    cell: Item
    payload: {title: "${title}", edition: "${edition}"}
    can: {edit: true, move: true}
    edits:
      patch: {url: "%s", method: PATCH}
      delete: {url: "%s", method: DELETE}
      insert: {url: "%s", method: POST, body: "${$edit}"}
      move: {url: "%s", method: PUT}
"""
LOCAL = """\
  %s:
    source: {local: {items: [{title: Item, edition: 0}]}}
    cell: Item
    payload: {title: "${title}", edition: "${edition}"}
    can: {edit: true}
"""


def long(upstream):
    return LONG % ((upstream.url,) * 5)


def get(connection, target):
    connection.send("GET", target)
    return connection.receive()


def timed(body):
    began = time.perf_counter()
    result = body()
    return (time.perf_counter() - began) * 1000, result


def median(times, body):
    return statistics.median(timed(body)[0] for _ in range(times))


def memory(process):
    """Resident, in MB."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def ready(port, table, rows, patience=600):
    """Polls until the table has its rows; returns a connection and the snapshot."""
    connection, end = Connection(port), time.monotonic() + patience
    while True:
        snapshot = json.loads(get(connection, f"/v1/tables/{table}?rows=50"))
        # `counts` count what the window shows.
        if snapshot.get("window", {"of": 0})["of"] >= rows:
            return connection, snapshot
        if time.monotonic() > end:
            raise SystemExit(f"{table} has not got its {rows} rows within {patience} s: {snapshot['state']}, "
                             f"{snapshot['counts']}, {snapshot.get('window')}, {snapshot.get('problem')}")
        time.sleep(0.002)


def refreshed(connection):
    connection.send("POST", "/v1/tables/long/refresh")
    connection.receive()


def fetched(rows, folder):
    """A table of an upstream's items."""
    figures = {}
    upstream = Upstream(rows, VERSIONS + 1)
    path = os.path.join(folder, f"{rows}.sqlite")
    configuration = HEAD % path + long(upstream)
    began = time.perf_counter()
    process, port = start(folder, configuration)
    try:
        connection, snapshot = ready(port, "long", rows)
        figures["first snapshot, from the start of the process"] = (time.perf_counter() - began) * 1000
        figures["snapshot, rows=50"] = median(200, lambda: get(connection, "/v1/tables/long?rows=50"))
        figures["poll that has nothing, rows=50"] = median(
            200, lambda: get(connection, f"/v1/tables/long/changes?after={snapshot['cursor']}&wait=0"))
        figures["resident with the first version (MB)"] = memory(process)
        cursors, refreshes, snapshots = [snapshot["cursor"]], [], []
        for number in range(VERSIONS):
            if number == SETTLED:
                before = memory(process)
            upstream.advance()
            refreshes.append(timed(lambda: refreshed(connection))[0])
            elapsed, body = timed(lambda: get(connection, "/v1/tables/long?rows=50"))
            snapshots.append(elapsed)
            cursors.append(json.loads(body)["cursor"])
        figures["refresh with 0.1 % changed"] = statistics.median(refreshes)
        figures["snapshot of a new version, rows=50"] = statistics.median(snapshots)
        held = (memory(process) - before) / (VERSIONS - SETTLED)
        figures["each version that is held besides (MB)"] = max(held, 0)
        changesets = [timed(lambda: get(connection, f"/v1/tables/long/changes?after={cursor}&wait=0"))
                      for cursor in cursors[:-1]]
        assert all(json.loads(body)["stages"] for _, body in changesets), "the window has changed"
        figures["changeset from each version held, rows=50"] = statistics.median(time for time, _ in changesets)
        forwarded = {
            "edit of an upstream's item": lambda at, number: (
                "PATCH", f"/{at}", b'{"title":"edit %d"}' % number),
            "a deletion": lambda at, number: ("DELETE", f"/{at}", b""),
            "an addition": lambda at, number: ("POST", "", b'{"id":%d,"title":"new","edition":0}' % (rows + number)),
            "a move by half the table": lambda at, number: (
                "POST", f"/{at}/move", b'{"before":"%d"}' % ((at + rows // 2) % rows)),
        }
        for what, request in forwarded.items():
            edits = []
            for number in range(5):
                # The refresh that follows an edit, and takes it back, is over.
                time.sleep(0.2 + rows / 200_000)
                method, target, body = request(number * 7919 % rows, number)
                began = time.perf_counter()
                connection.send(method, "/v1/tables/long/items" + target, body)
                connection.receive()
                edits.append((time.perf_counter() - began) * 1000)
            figures[f"{what}, until it is shown"] = statistics.median(edits)
        process.kill()
        process.wait()
        upstream.hold()
        began = time.perf_counter()
        process, port = start(folder, configuration)
        ready(port, "long", rows)
        figures["restart after kill -9 without the upstream, until the first snapshot"] = (time.perf_counter() - began) * 1000
    finally:
        process.kill()
        process.wait()
        upstream.stop()
    return figures


def local(rows, folder):
    """A table of items that the service owns."""
    path = os.path.join(folder, f"local-{rows}.sqlite")
    configuration = HEAD % path + "tables:\n" + LOCAL % "own"
    process, port = owner(path, configuration, "own", rows, folder)
    figures = {}
    try:
        connection, _ = ready(port, "own", rows)
        step = iter(range(1, 1_000_000))

        def place():
            """Another item each time, all over the list, and a number that it has not had."""
            number = next(step)
            return number * 7919 % rows + 1, number

        def edit():
            connection.send("PATCH", "/v1/tables/own/items/%d" % (at := place())[0], b'{"edition":%d}' % at[1])
            connection.receive()

        def batch():
            edits = [{"op": "patch", "id": str(item), "patch": {"edition": number}}
                     for item, number in (place() for _ in range(1000))]
            connection.send("POST", "/v1/tables/own/edits", json.dumps({"edits": edits}).encode())
            connection.receive()

        edit()
        figures["edit of a local table"] = median(100, edit)
        figures["a batch of 1,000 edits"] = median(5, batch)
        process.kill()
        process.wait()
        began = time.perf_counter()
        process, port = start(folder, configuration, patience=600)
        ready(port, "own", rows)
        figures["restart of a local table after kill -9, until the first snapshot"] = (time.perf_counter() - began) * 1000
        return figures
    finally:
        process.kill()
        process.wait()


def owner(path, configuration, table, rows, folder):
    """The service with a local table of so many items."""
    process, _ = start(folder, configuration)
    process.terminate()
    process.wait()
    fill(path, table, ({"title": f"Item {number}", "edition": 0} for number in range(2, rows + 1)))
    return start(folder, configuration, patience=600)


def beside(rows, folder):
    """Latencies of a fast table, alone and while a slow one beside it is refreshed again and again."""
    upstream = Upstream(rows, 4)
    path = os.path.join(folder, "beside.sqlite")
    configuration = HEAD % path + long(upstream) + LOCAL % "fast"
    process, port = owner(path, configuration, "fast", 100, folder)
    stopping = threading.Event()
    busy = threading.Event()
    refreshes = 0
    try:
        ready(port, "long", rows)
        editor, waiter, reader = Connection(port), Connection(port), Connection(port)

        def refresh():
            nonlocal refreshes
            while not stopping.is_set():
                if not busy.wait(0.05):
                    continue
                upstream.advance()
                # A new one: the service closes those that say nothing for a while.
                refreshed(Connection(port))
                refreshes += 1

        worker = threading.Thread(target=refresh)
        worker.start()
        times = {(what, how): [] for what in ["GET", "edit to waiter"] for how in ["alone", "beside"]}
        number = 0
        cursor = json.loads(get(waiter, "/v1/tables/fast"))["cursor"]
        for _ in range(5):
            for how in ["alone", "beside"]:
                (busy.set if how == "beside" else busy.clear)()
                if how == "alone":
                    time.sleep(1 + rows / 200_000)  # what was under way is over
                end = time.monotonic() + 4
                while time.monotonic() < end:
                    number += 1
                    times["GET", how].append(timed(lambda: get(reader, "/v1/tables/fast"))[0])
                    waiter.send("GET", f"/v1/tables/fast/changes?after={cursor}&wait=20")
                    time.sleep(0.002)  # so that the poll waits
                    began = time.perf_counter()
                    editor.send("PATCH", f"/v1/tables/fast/items/{number % 100 + 1}", b'{"edition":%d}' % number)
                    cursor = json.loads(waiter.receive())["to"]
                    times["edit to waiter", how].append((time.perf_counter() - began) * 1000)
                    editor.receive()
        print(f"\nA table of 100 rows beside one of {rows:,}, which was refreshed {refreshes} times meanwhile; milliseconds.\n")
        print("| what | alone, median | p99 | beside, median | p99 | p99, times |\n| --- | --: | --: | --: | --: | --: |")
        for what in ["GET", "edit to waiter"]:
            alone, other = times[what, "alone"], times[what, "beside"]
            (a, b), (c, d) = ((statistics.median(t), percentile(t, 0.99)) for t in (alone, other))
            print(f"| {what} | {a:.2f} | {b:.2f} | {c:.2f} | {d:.2f} | {d / b:.1f} |")
    finally:
        stopping.set()
        process.kill()
        process.wait()
        upstream.stop()


def loading(rows, folder):
    """The worst that an edit of another table takes while a long one is fetched, mapped and stored for the first time."""
    upstream = Upstream(rows, 1)
    process, port = start(folder, HEAD % os.path.join(folder, "loading.sqlite") + long(upstream) + LOCAL % "fast")
    try:
        editor, reader, times = Connection(port), Connection(port), []
        while json.loads(get(reader, "/v1/tables/long?rows=50")).get("window", {"of": 0})["of"] < rows:
            began = time.perf_counter()
            editor.send("PATCH", "/v1/tables/fast/items/1", b'{"edition":%d}' % (len(times) + 1))
            editor.receive()
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(0.002)
        print(f"\nEdits of another table while {rows:,} rows came for the first time: {len(times)}, median "
              f"{statistics.median(times):.1f} ms, the worst {max(times):,.0f} ms.")
    finally:
        process.kill()
        process.wait()
        upstream.stop()


build()
folder = tempfile.mkdtemp(prefix=".long-", dir=ROOT)
try:
    columns = []
    for rows in SIZES:
        figures = fetched(rows, folder)
        figures.update(local(rows, folder))
        columns.append(figures)
    print("Milliseconds where nothing else is said.\n")
    print("| what | " + " | ".join(f"{rows:,}" for rows in SIZES) + " | growth |")
    print("| --- |" + " --: |" * (len(SIZES) + 1))
    growing = []
    for what in columns[0]:
        values = [column[what] for column in columns]
        growth = values[-1] / max(values[0], 0.01)
        if growth > 4:
            growing.append(what)
        print(f"| {what} | " + " | ".join(f"{value:,.2f}" for value in values) + f" | × {growth:,.1f} |")
    print(f"\nWith the rows grow: {'; '.join(growing) or 'none'}.")
    beside(SIZES[-1], folder)
    loading(SIZES[-1], folder)
finally:
    shutil.rmtree(folder, ignore_errors=True)
