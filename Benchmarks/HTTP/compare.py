#!/usr/bin/env python3
"""compare.py [--rounds N] [--seconds S] [--only ROW,…]: the service beside nginx, nchan, h2o and Hummingbird, in one
run, in turn.

Every figure is a median over the rounds; a ratio is the median of the rounds' ratios, so that what disturbs the
machine for a while disturbs both sides. Needs nginx, libnginx-mod-nchan, h2o and wrk. Prints a table in Markdown."""
import argparse
import os
import platform
import re
import statistics
import subprocess
import time

import servers
from servers import BIRD, FEED, H2O, LARGE, NGINX, OURS, SENDS, SMALL, fetch

ROWS = ["get", "304", "gzip", "churn", "burst", "fanout", "memory"]
parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seconds", type=int, default=2)
parser.add_argument("--polls", type=int, default=10000)
parser.add_argument("--connections", type=int, default=15000)
parser.add_argument("--only", default=",".join(ROWS), help="of " + ", ".join(ROWS))
parser.add_argument("--no-hummingbird", dest="hummingbird", action="store_false", help="its build takes minutes")
parser.add_argument("--skip-build", action="store_true", help="use what is built already")
options = parser.parse_args()
rows = options.only.split(",")
servers.skip_build = options.skip_build
load = servers.build(servers.here, "http-load")
ours = servers.start_service(servers.build(servers.root, "tablecast"))
small, large = fetch(OURS, SMALL).read(), fetch(OURS, LARGE).read()
fetch(OURS, LARGE, Accept_Encoding="gzip").read()
nginx = servers.start_nginx(small, large)
if {"get", "304", "gzip"} & set(rows):
    bird, h2o = servers.start_hummingbird() if options.hummingbird else None, servers.start_h2o()
source = 1


def run(*arguments):
    command = ["taskset", "-c", servers.LOAD_CORE, load, *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode:
        raise SystemExit(f"http-load {' '.join(map(str, arguments))}: {output.stdout}{output.stderr}")
    return [float(word) for word in output.stdout.split()]


def requests(child, port, path, *headers):
    """Requests a second; and of the server's processor time, microseconds a request: that depends less on what else runs."""
    began = servers.processor_seconds(child)
    rate = servers.wrk(port, path, *headers, seconds=options.seconds)[0]
    return rate, (servers.processor_seconds(child) - began) / (rate * options.seconds) * 1e6


def churn(child, port, path, concurrency):
    """Milliseconds for all of them, and of the server's processor time, microseconds a connection."""
    global source
    source = source % 250 + 2
    began = servers.processor_seconds(child)
    elapsed = run("churn", port, options.connections, concurrency, path, source)[0]
    return elapsed, (servers.processor_seconds(child) - began) / options.connections * 1e6


def fanout(*arguments):
    # The first of a server's rounds has the memory still to be got.
    return statistics.median(run("fanout", arguments[0], options.polls, 3, *arguments[1:])[1:])


POLL = FEED + "/changes?wait=55&after=%s"
OUR_FANOUT = lambda: fanout(OURS, POLL, "PATCH", FEED + "/items/1", 690, servers.cursor())
NCHAN_FANOUT = lambda: fanout(NGINX, "/wait", "POST", "/publish", len_of_changeset)
len_of_changeset = 1000


def held(child, port, path):
    """Resident bytes for each waiting poll, and processor time while they wait, in percent of a core."""
    before = servers.resident(child)
    holder = subprocess.Popen([load, "hold", str(port), str(options.polls), "60", path],
                              stdout=subprocess.PIPE, text=True)
    holder.stdout.readline()
    time.sleep(2)
    bytes_each = (servers.resident(child) - before) / options.polls
    began = servers.processor_seconds(child)
    time.sleep(15)
    percent = (servers.processor_seconds(child) - began) / 15 * 100
    holder.terminate()
    holder.wait()
    time.sleep(1)
    return bytes_each, percent


def row(key, name, unit, measures, target):
    """`measures` by name, ours first; prints medians and the ratios of ours to each of the others. Where a measure has
    several figures, `name`, `unit` and `target` are lists, and each figure has a row."""
    if key not in rows:
        return
    rounds = [{key: measure() for key, measure in measures.items()} for _ in range(options.rounds)]
    if isinstance(name, str):
        print_row(name, unit, rounds, target)
        return
    for index in range(len(name)):
        print_row(name[index], unit[index], [{key: r[key][index] for key in r} for r in rounds], target[index])


def print_row(name, unit, rounds, target):
    figures = {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}
    medians = ", ".join(f"{key} {figure:,.{0 if figure >= 100 else 1}f}" for key, figure in figures.items())
    ratios = ", ".join(f"{statistics.median(r['ours'] / r[peer] for r in rounds):.2f} × {peer}"
                       for peer in list(rounds[0])[1:])
    print(f"| {name} | {medians} {unit} | {ratios} | {target} |", flush=True)


cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} × {cpu[1] if cpu else platform.machine()}, "
      f"{options.rounds} rounds in turn, medians; "
      f"{'servers and load on all cores' if servers.SHARED else 'servers on one core, the load on another'}\n")
print("| what | measured | ratio | to reach |\n| --- | --- | --- | --- |", flush=True)
if "memory" in rows:  # First of all: later the processes have memory to use again.
    figures = {"ours": held(ours, OURS, POLL % servers.cursor()), "nchan": held(nginx, NGINX, "/wait")}
    print(f"| resident memory for each of {options.polls} waiting polls | "
          f"{', '.join(f'{k} {v[0]:,.0f}' for k, v in figures.items())} bytes "
          f"| {figures['ours'][0] / max(figures['nchan'][0], 1):.2f} × nchan | at most 1,024 bytes |")
    print(f"| processor time while they wait and nothing happens | "
          f"{', '.join(f'{k} {v[1]:.2f}' for k, v in figures.items())} % of a core | | under 0.2 % |", flush=True)

def request_row(key, name, measures, target):
    if options.hummingbird:
        measures["hummingbird"] = lambda: requests(bird, BIRD, *BIRDS[key])
    row(key, [name, "the server's part of that"], ["requests/s", "µs a request"], measures, [target, ""])


BIRDS = {"get": ["/0"], "304": ["/0", 'If-None-Match: "0"'], "gzip": ["/1"]}
request_row("get", f"GET of a snapshot of {len(small):,} bytes, keep-alive, 64 connections", {
    "ours": lambda: requests(ours, OURS, SMALL), "file": lambda: requests(nginx, NGINX, "/file"),
    "cached file": lambda: requests(nginx, NGINX, "/cached"), "memory": lambda: requests(nginx, NGINX, "/memory"),
    "h2o": lambda: requests(h2o, H2O, "/small.json")},
    "at least 1.4 × nginx from a file, 0.9 × from memory, 2 × Hummingbird")
match = [f"If-None-Match: {fetch(port, path).headers['ETag']}"
         for port, path in ((OURS, SMALL), (NGINX, "/cached"), *([(H2O, "/small.json")] if "304" in rows else []))]
request_row("304", "the same answered 304", {
    "ours": lambda: requests(ours, OURS, SMALL, match[0]), "nginx": lambda: requests(nginx, NGINX, "/cached", match[1]),
    "h2o": lambda: requests(h2o, H2O, "/small.json", match[2])}, "at least 1 ×")
request_row("gzip", f"GET of a snapshot of {len(large):,} bytes, gzip", {
    "ours": lambda: requests(ours, OURS, LARGE, "Accept-Encoding: gzip"),
    "nginx": lambda: requests(nginx, NGINX, "/large", "Accept-Encoding: gzip"),
    "h2o": lambda: requests(h2o, H2O, "/large.json", "Accept-Encoding: gzip")}, "at least 1 ×")
for key, concurrency, name in (("churn", 64, "64 at a time"), ("burst", options.connections, "all open at once")):
    if key in rows:
        churn(ours, OURS, SMALL, concurrency)
        time.sleep(1)
        before = servers.resident(ours), servers.descriptors(ours)
    # Opening and closing is the client's work before all: the time is mostly its own, whoever serves.
    row(key, [f"{options.connections:,} connections, a request each, {name}", "the server's part of that"],
        ["ms", "µs a connection"], {
            "ours": lambda: churn(ours, OURS, SMALL, concurrency),
            "nginx": lambda: churn(nginx, NGINX, "/cached", concurrency)},
        ["at most 1 ×", ""])
    if key in rows:
        time.sleep(1)
        print(f"| left behind by {options.rounds} times that | {servers.descriptors(ours) - before[1]} descriptors, "
              f"{(servers.resident(ours) - before[0]) / 1024:,.0f} KB | | nothing |", flush=True)
if "fanout" in rows:
    after = servers.cursor()
    OUR_FANOUT()
    len_of_changeset = int(fetch(OURS, POLL % after).headers["Content-Length"])
    servers.start_bare_sends(len_of_changeset)
row("fanout", f"{options.polls:,} long polls, {len_of_changeset:,} bytes to all, until the last has them", "ms", {
    "ours": OUR_FANOUT, "nchan": NCHAN_FANOUT, "bare sends": lambda: fanout(SENDS, "/", "POST", "/", len_of_changeset)},
    "at most 0.5 × nchan")
