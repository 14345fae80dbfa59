#!/usr/bin/env python3
"""reads.py [ROWS] [--seconds N] [--rounds N]: how long GETs of a table of 100 rows take beside a long one, and what of that is the
machine's doing.

A client that has only this to do asks once a millisecond, over one connection: alone; while the long table is refreshed again
and again; while nothing but as many plain loops run as there are cores. By turns, several times. The client is a process of its
own and a real-time one, so that what it waits for a core itself isn't taken for the service's; where it may not be one (it takes
root), it asks the kernel for short slices (`sched_setattr`, Linux 6.12)."""
import argparse
import ctypes
import json
import multiprocessing
import os
import platform
import shutil
import statistics
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import ROOT, Connection, build, percentile, start  # noqa: E402
from fill import fill  # noqa: E402
from upstream import Upstream  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--rounds", type=int, default=4)
options = parser.parse_args()

CONFIGURATION = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 1000, mappingBytes: 8GB, tableBytes: 4GB}
cells:
  Item: {fields: {title: string, edition: integer}}
sources:
  list: {url: "%s", every: 24h, timeout: 5m, stallTimeout: 1m, maxBytes: 500MB, maxItems: 1000000, retries: 0}
tables:
  long: {source: list, row: {id: "${id}"}, cell: Item, payload: {title: "${title}", edition: "${edition}"}}
  fast:
    source: {local: {items: [{title: Item, edition: 0}]}}
    cell: Item
    payload: {title: "${title}", edition: "${edition}"}
"""


def take_short_slices():
    """Of 0.1 ms, for this thread. False where the kernel has no such thing."""
    number = {"x86_64": 314, "aarch64": 274}.get(platform.machine())
    attributes = struct.pack("<IIQiIQQQII", 56, 0, 0, 0, 0, 100_000, 0, 0, 0, 0)
    return number is not None and ctypes.CDLL(None).syscall(number, 0, attributes, 0) == 0


def go_first():
    """Has this process run before others that want the processor. False where it may not."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        return True
    except PermissionError:
        return take_short_slices()


def spin():
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    while True:
        pass


def ask(port, seconds):
    """Latencies in ms."""
    connection, times, end = Connection(port), [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        connection.send("GET", "/v1/tables/fast")
        connection.receive()
        times.append((time.perf_counter() - began) * 1000)
        time.sleep(0.001)
    return times


build()
folder = tempfile.mkdtemp(prefix=".reads-", dir=ROOT)
upstream = Upstream(options.rows, 4)
configuration = CONFIGURATION % (os.path.join(folder, "store.sqlite"), upstream.url)
process, _ = start(folder, configuration)
process.terminate()
process.wait()
fill(os.path.join(folder, "store.sqlite"), "fast", ({"title": f"Item {n}", "edition": 0} for n in range(2, 101)))
process, port = start(folder, configuration, patience=600)
refreshing, refreshes = multiprocessing.Event(), multiprocessing.Value("i", 0)


def refresh():
    while refreshing.wait():
        upstream.advance()
        connection = Connection(port)
        connection.send("POST", "/v1/tables/long/refresh")
        connection.receive()
        refreshes.value += 1


try:
    connection = Connection(port)
    connection.send("GET", "/v1/tables/long?rows=50")
    while json.loads(connection.receive()).get("window", {"of": 0})["of"] < options.rows:
        time.sleep(0.1)
        connection.send("GET", "/v1/tables/long?rows=50")
    # A process of its own, started before this one goes first.
    multiprocessing.Process(target=refresh, daemon=True).start()
    is_first = go_first()
    times = {"alone": [], "beside the long one": [], "beside plain loops": []}
    for _ in range(options.rounds):
        for how in times:
            loops = []
            if how == "beside the long one":
                refreshing.set()
            elif how == "beside plain loops":
                loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count())]
                for loop in loops:
                    loop.start()
            times[how] += ask(port, options.seconds)
            refreshing.clear()
            for loop in loops:
                loop.kill()
                loop.join()
            time.sleep(1 + options.rows / 500_000)  # what was under way is over
    print(f"GETs of 100 rows, in ms, a request a millisecond{'' if is_first else ', the client like any other process'}; "
          f"the long one has {options.rows:,} rows and was refreshed {refreshes.value} times.\n")
    print("| | median | 90 % | 99 % | 99.9 % | worst |\n| --- | --: | --: | --: | --: | --: |")
    for how, values in times.items():
        figures = [statistics.median(values), *(percentile(values, share) for share in (0.9, 0.99, 0.999)), max(values)]
        print(f"| {how} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |")
finally:
    process.kill()
    process.wait()
    upstream.stop()
    shutil.rmtree(folder, ignore_errors=True)
