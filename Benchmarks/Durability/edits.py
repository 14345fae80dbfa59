#!/usr/bin/env python3
"""edits.py [--rounds N] [--edits N]: durable edits over HTTP beside raw SQLite with the same pragmas, in turn.

Editors wait for each acknowledgement before their next edit, over one keep-alive connection each. Latency is from
the moment an edit is sent until the long poll of somebody else has the changeset. Every figure is a median over
the rounds, and so are the ratios: disks differ from minute to minute, the two sides of one round do not."""
import argparse
import json
import os
import shutil
import sqlite3
import statistics
import tempfile
import threading
import time

from client import ROOT, Connection, build, percentile, start

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--edits", type=int, default=1500)
options = parser.parse_args()

ITEMS = 100
CONFIGURATION = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 1000}
cells:
  Task: {fields: {title: string, step: integer}}
tables:
  tasks:
    source: {local: {items: %s}}
    cell: Task
    payload: {title: "${title}", step: "${step}"}
    can: {edit: true}
"""


def patch(connection, row, step):
    connection.send("PATCH", f"/v1/tables/tasks/items/{row}", b'{"step":%d}' % step)
    return connection.receive()


def raw(path, edits):
    """The rate of commits of one item, one row and one version each, on one thread and nothing else."""
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                           "CREATE TABLE item (key INTEGER PRIMARY KEY, body BLOB);"
                           "CREATE TABLE row (key INTEGER PRIMARY KEY, record BLOB);"
                           "CREATE TABLE version (number INTEGER PRIMARY KEY, record BLOB)")
    body, record, version = b"x" * 32, b"x" * 130, b"x" * 60
    began = time.perf_counter()
    for number in range(edits):
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT OR REPLACE INTO item VALUES (?, ?)", (number % ITEMS, body))
        database.execute("INSERT INTO row VALUES (?, ?)", (number, record))
        database.execute("INSERT INTO version VALUES (?, ?)", (number, version))
        database.execute("COMMIT")
    return edits / (time.perf_counter() - began)


def served(port, edits, editors):
    """The rate of acknowledged edits with so many editors."""
    share = edits // editors
    connections = [Connection(port) for _ in range(editors)]

    def work(connection, number):
        for step in range(share):
            patch(connection, (number + step) % ITEMS + 1, step + number * share + 1000)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(connections, range(editors))]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return share * editors / (time.perf_counter() - began)


def latencies(port, edits):
    """Of single edits in milliseconds: until acknowledged, and until another client's long poll has them."""
    editor, waiter = Connection(port), Connection(port)
    waiter.send("GET", "/v1/tables/tasks")
    cursor = json.loads(waiter.receive())["cursor"]
    acknowledged, arrived = [], []
    for step in range(edits):
        waiter.send("GET", f"/v1/tables/tasks/changes?after={cursor}&wait=20")
        time.sleep(0.002)  # so that the poll waits; a poll that came late would be answered at once and count as fast
        began = time.perf_counter()
        editor.send("PATCH", f"/v1/tables/tasks/items/{step % ITEMS + 1}", b'{"step":%d}' % (step + 5_000_000))
        reply = waiter.receive()
        arrived.append((time.perf_counter() - began) * 1000)
        editor.receive()
        acknowledged.append((time.perf_counter() - began) * 1000)
        cursor = json.loads(reply)["to"]
    return acknowledged, arrived


build()
# Beside the sources: what is measured is a disk, and a temporary folder may be memory.
folder = tempfile.mkdtemp(prefix=".edits-", dir=ROOT)
editors, rates, ratios = [1, 16, 64], {}, {}
times = {"acknowledged": [], "at the waiter": []}
try:
    for number in range(options.rounds):
        base = raw(os.path.join(folder, f"raw-{number}.sqlite"), options.edits)
        rates.setdefault("raw", []).append(base)
        items = json.dumps([{"title": f"Item {index}", "step": 0} for index in range(ITEMS)])
        process, port = start(folder, CONFIGURATION % (os.path.join(folder, f"{number}.sqlite"), items))
        try:
            for count in editors:
                rate = served(port, options.edits, count)
                rates.setdefault(count, []).append(rate)
                ratios.setdefault(count, []).append(rate / base)
            acknowledged, arrived = latencies(port, options.edits // 5)
            times["acknowledged"] += acknowledged
            times["at the waiter"] += arrived
        finally:
            process.terminate()
            process.wait()
finally:
    shutil.rmtree(folder)

print("| durable edits over HTTP | per second | ÷ raw SQLite |\n| --- | ---: | ---: |")
print(f"| raw SQLite, one thread | {statistics.median(rates['raw']):.0f} | |")
for count in editors:
    print(f"| {count} editors | {statistics.median(rates[count]):.0f} | {statistics.median(ratios[count]):.2f} |")
print("\n| one edit, in ms | median | 95 % | 99 % |\n| --- | ---: | ---: | ---: |")
print(f"| raw SQLite commit | {1000 / statistics.median(rates['raw']):.2f} | | |")
for name, values in times.items():
    print(f"| {name} | {percentile(values, 0.5):.2f} | {percentile(values, 0.95):.2f} | {percentile(values, 0.99):.2f} |")
