#!/usr/bin/env python3
"""reads.py [ROWS] [--seconds N] [--rounds N]: how long GETs of a table of 100 rows take beside a long one, and what of that is the
machine's doing.

A client asks over one connection, once a millisecond and then without a pause: alone; while the long table is refreshed again
and again; while nothing but as many plain loops run as there are cores. By turns, several times. Where nginx is installed, the same
bytes are asked for from it too: what it waits beside the long table, with which it has nothing to do, is the machine's.

Whoever asks once a millisecond is a process of its own and a real-time one, so that what it waits for a core itself isn't taken for
the service's; where it may not be one (it takes root), it asks the kernel for short slices (`sched_setattr`, Linux 6.12)."""
import argparse
import ctypes
import json
import multiprocessing
import os
import platform
import shutil
import socket
import statistics
import struct
import subprocess
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
    """Of 0.1 ms, for this thread, where the kernel has such a thing."""
    number = {"x86_64": 314, "aarch64": 274}.get(platform.machine())
    attributes = struct.pack("<IIQiIQQQII", 56, 0, 0, 0, 0, 100_000, 0, 0, 0, 0)
    if number is not None:
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)


def go_first():
    """Has this process run before others that want the processor, where it may."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        take_short_slices()


def spin():
    while True:
        pass


def go_last():
    """As any other process."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def start_nginx(folder, body):
    """With these bytes in a file that it keeps open; the process and its port, or None twice."""
    if not shutil.which("nginx"):
        return None, None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with open(os.path.join(folder, "fast.json"), "wb") as file:
        file.write(body)
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file.write(f"""user root; worker_processes auto; daemon off; pid {folder}/pid; error_log /dev/null;
events {{}}
http {{ access_log off; keepalive_requests 1000000000; default_type application/json; open_file_cache max=100; {temporary}
  server {{ listen 127.0.0.1:{port}; location = /v1/tables/fast {{ alias {folder}/fast.json; }} }} }}
""")
    nginx = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return nginx, port
        except OSError:
            time.sleep(0.02)
    raise SystemExit("nginx did not start")


def ask(port, seconds, pause):
    """Latencies in ms."""
    connection, times, end = Connection(port), [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        connection.send("GET", "/v1/tables/fast")
        connection.receive()
        times.append((time.perf_counter() - began) * 1000)
        if pause:
            time.sleep(pause)
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
refreshing, refreshes, nginx = multiprocessing.Event(), multiprocessing.Value("i", 0), None


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
    connection.send("GET", "/v1/tables/fast")
    nginx, nginx_port = start_nginx(folder, connection.receive())
    # Who is asked, beside what, with which pause in between, in seconds.
    ways = [(who, beside, pause) for pause in (0.001, 0) for who in ("the service", "nginx")
            for beside in ("alone", "beside the long one", "beside plain loops")
            if (who == "the service" or nginx and pause) and (pause or beside != "beside plain loops")]
    times = {way: [] for way in ways}
    for _ in range(options.rounds):
        for who, beside, pause in ways:
            loops = []
            if beside == "beside the long one":
                refreshing.set()
            elif beside == "beside plain loops":
                loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count())]
                for loop in loops:
                    loop.start()
            if pause:
                go_first()
            times[who, beside, pause] += ask(port if who == "the service" else nginx_port, options.seconds, pause)
            go_last()
            refreshing.clear()
            for loop in loops:
                loop.kill()
                loop.join()
            time.sleep(1 + options.rows / 500_000)  # what was under way is over
    print(f"GETs of 100 rows, in ms; the long one has {options.rows:,} rows and was refreshed {refreshes.value} times.\n")
    print("| asked | | requests | median | 90 % | 99 % | 99.9 % | worst |\n| --- | --- | --: | --: | --: | --: | --: | --: |")
    for (who, beside, pause), values in times.items():
        figures = [statistics.median(values), *(percentile(values, share) for share in (0.9, 0.99, 0.999)), max(values)]
        print(f"| {who}, {'once a millisecond' if pause else 'without a pause'} | {beside} | {len(values):,} | "
              + " | ".join(f"{figure:.2f}" for figure in figures) + " |")
finally:
    process.kill()
    process.wait()
    if nginx:
        nginx.terminate()
        nginx.wait()
    upstream.stop()
    shutil.rmtree(folder, ignore_errors=True)
