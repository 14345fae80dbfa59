#!/usr/bin/env python3
"""restart.py [ROWS] [--times N]: from the start of the process, after `kill -9`, until a local table's first snapshot is there,
and until its first edit is answered; beside that, how long SQLite takes to go through all rows and items of the file."""
import argparse
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import ROOT, Connection, build, start  # noqa: E402
from fill import fill  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
parser.add_argument("--times", type=int, default=3)
options = parser.parse_args()

CONFIGURATION = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 1000, mappingBytes: 8GB, tableBytes: 4GB}
cells:
  Item: {fields: {title: string, edition: integer}}
tables:
  own:
    source: {local: {items: [{title: Item, edition: 0}]}}
    cell: Item
    payload: {title: "${title}", edition: "${edition}"}
    can: {edit: true}
"""


def request(port, method, target, body=b""):
    connection = Connection(port)
    connection.send(method, target, body)
    return connection.receive()


def restart(folder, path):
    """Seconds until the first snapshot that has all rows, and from then on until an edit is answered."""
    began = time.perf_counter()
    process, port = start(folder, CONFIGURATION % path, patience=600)
    try:
        while json.loads(request(port, "GET", "/v1/tables/own?rows=50")).get("window", {"of": 0})["of"] < options.rows:
            time.sleep(0.01)
        shown = time.perf_counter() - began
        request(port, "PATCH", "/v1/tables/own/items/1", b'{"edition":%d}' % time.time_ns())
        return shown, time.perf_counter() - began - shown
    finally:
        process.kill()
        process.wait()


def read(path):
    """Seconds of going through all that there is."""
    began, database = time.perf_counter(), sqlite3.connect(path)
    for table, column in [("row", "record"), ("item", "body"), ("row_object", "body"), ("version", "record")]:
        database.execute(f"SELECT total(length({column})) FROM {table}").fetchone()
    database.close()
    return time.perf_counter() - began


build()
folder = tempfile.mkdtemp(prefix=".restart-", dir=ROOT)
try:
    path = os.path.join(folder, "own.sqlite")
    process, _ = start(folder, CONFIGURATION % path)
    process.terminate()
    process.wait()
    fill(path, "own", ({"title": f"Item {number}", "edition": 0} for number in range(2, options.rows + 1)))
    print(f"{options.rows:,} rows, in seconds; the first time all of them are new.\n")
    print("| | until the first snapshot | then until an edit | SQLite alone | times that |\n| --- | --: | --: | --: | --: |")
    for number in range(options.times + 1):
        shown, edited = restart(folder, path)
        alone = read(path)
        print(f"| {number} | {shown:.2f} | {edited:.2f} | {alone:.2f} | {shown / alone:.1f} |", flush=True)
finally:
    shutil.rmtree(folder, ignore_errors=True)
