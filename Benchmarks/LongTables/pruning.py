#!/usr/bin/env python3
"""pruning.py [ROWS] [--versions N]: what others feel when the store forgets a long table's old versions.

Every 64 versions those that nobody can ask for any more go, with the rows that only they had: by then 64 times as many as a
version changes. Twice: a local table, changed by batches of 1,000 edits, and an upstream's, by refreshes that change 0.1 %.
Another table is edited all the while. Latencies in ms: of its edits and of the long table's own, while versions went and while
none did."""
import argparse
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

parser = argparse.ArgumentParser()
parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
parser.add_argument("--versions", type=int, default=200)
parser.add_argument("--only", choices=["local", "upstream"])
options = parser.parse_args()
HISTORY = 64

HEAD = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 1000, mappingBytes: 8GB, tableBytes: 4GB}
cells:
  Item: {fields: {title: string, edition: integer}}
"""
LOCAL = """\
  %s:
    source: {local: {items: [{title: Item, edition: 0}]}}
    cell: Item
    payload: {title: "${title}", edition: "${edition}"}
    can: {edit: true}
"""
FETCHED = """\
sources:
  list: {url: "%s", every: 24h, timeout: 5m, stallTimeout: 1m, maxBytes: 500MB, maxItems: 1000000, retries: 0}
tables:
  long: {source: list, row: {id: "${id}"}, cell: Item, payload: {title: "${title}", edition: "${edition}"}}
"""


def request(connection, method, target, body=b""):
    began = time.perf_counter()
    connection.send(method, target, body)
    received = connection.receive()
    return (time.perf_counter() - began) * 1000, received


def version(port):
    cursor = json.loads(request(Connection(port), "GET", "/v1/tables/long?rows=1")[1])["cursor"]
    return int(cursor.split(".")[1].split("~")[0])


def measure(port, change):
    """Changes the long table again and again, while another one is edited."""
    stopping, others = threading.Event(), []

    def edit():
        connection, number = Connection(port), 0
        while not stopping.is_set():
            number += 1
            began = time.monotonic()
            elapsed, _ = request(connection, "PATCH", f"/v1/tables/fast/items/{number % 100 + 1}", b'{"edition":%d}' % number)
            others.append((began, elapsed))
            time.sleep(0.002)

    first = version(port)
    worker = threading.Thread(target=edit)
    worker.start()
    own, pruning = [], []
    try:
        for number in range(first + 1, first + 1 + options.versions):
            began = time.monotonic()
            elapsed = change(number)
            # Key frames are the first version and every 64th after it. What is forgotten goes with one, or just after it.
            isPruning = number > 2 * HISTORY and number % HISTORY in (1, 2, 3)
            own.append((isPruning, elapsed))
            if isPruning:
                pruning.append((began, time.monotonic()))
    finally:
        stopping.set()
        worker.join()

    def line(what, values):
        if values:
            print(f"| {what} | {len(values)} | {statistics.median(values):.1f} | {percentile(values, 0.99):.1f} | "
                  f"{max(values):.1f} |", flush=True)

    def isBeside(began, elapsed):
        return any(begin - elapsed / 1000 <= began <= end for begin, end in pruning)

    line("another table's edit, nothing goes", [e for b, e in others if not isBeside(b, e)])
    line("the same while versions go", [e for b, e in others if isBeside(b, e)])
    line("the long table's change, nothing goes", [e for isPruning, e in own if not isPruning])
    line("the same while versions go", [e for isPruning, e in own if isPruning])


def run(kind, folder):
    path = os.path.join(folder, f"{kind}.sqlite")
    upstream = Upstream(options.rows, 4) if kind == "upstream" else None
    tables = FETCHED % upstream.url if upstream else "tables:\n" + LOCAL % "long"
    configuration = HEAD % path + tables + LOCAL % "fast"
    if upstream:
        # So that the table is not in the store when it begins.
        process, _ = start(folder, HEAD % path + "tables:\n" + LOCAL % "fast")
    else:
        process, _ = start(folder, configuration)
    process.terminate()
    process.wait()
    fill(path, "fast", ({"title": f"Item {number}", "edition": 0} for number in range(2, 101)))
    if not upstream:
        fill(path, "long", ({"title": f"Item {number}", "edition": 0} for number in range(2, options.rows + 1)))
    process, port = start(folder, configuration, patience=600)
    try:
        connection = Connection(port)
        while json.loads(request(connection, "GET", "/v1/tables/long?rows=50")[1]).get("window", {"of": 0})["of"] < options.rows:
            time.sleep(0.1)

        def batch(number):
            edits = [{"op": "patch", "id": str((number * 1000 + edit) * 7919 % options.rows + 1), "patch": {"edition": number}}
                     for edit in range(1000)]
            return request(Connection(port), "POST", "/v1/tables/long/edits", json.dumps({"edits": edits}).encode())[0]

        def refresh(number):
            upstream.advance()
            return request(Connection(port), "POST", "/v1/tables/long/refresh")[0]

        print(f"\n{options.rows:,} rows, {kind}:\n\n| ms | times | median | 99 % | worst |\n| --- | --: | --: | --: | --: |",
              flush=True)
        measure(port, refresh if upstream else batch)
    finally:
        process.kill()
        process.wait()
        if upstream:
            upstream.stop()


build()
folder = tempfile.mkdtemp(prefix=".pruning-", dir=ROOT)
try:
    for kind in [options.only] if options.only else ["local", "upstream"]:
        run(kind, folder)
finally:
    shutil.rmtree(folder, ignore_errors=True)
