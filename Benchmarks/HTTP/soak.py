#!/usr/bin/env python3
"""soak.py [SECONDS] [--skip-build]: the service under load for so long (300 s): requests, long polls, streams, taps of
views, publishes, clients that go in the midst of everything. Fails where memory or descriptors at the end are not
what they were after 30 s."""
import argparse
import json
import random
import socket
import struct
import subprocess
import sys
import threading
import time

import servers
from servers import FEED, LARGE, OURS, SMALL

parser = argparse.ArgumentParser()
parser.add_argument("seconds", type=int, nargs="?", default=300)
parser.add_argument("--skip-build", action="store_true")
options = parser.parse_args()
servers.skip_build = options.skip_build
all_cores = ",".join(map(str, servers.CORES))
ours = servers.start_service(servers.build(servers.root, "tablecast"), cores=all_cores)
end = time.monotonic() + options.seconds
counts = {}


def count(what):
    counts[what] = counts.get(what, 0) + 1


def connect():
    connection = socket.create_connection(("127.0.0.1", OURS), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def get(connection, path, *fields):
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *fields, "", ""]
    connection.sendall("\r\n".join(lines).encode())


def abort(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def come_and_go(seed):
    """Opens something, and leaves it in one of several ways; some three hundred connections are open at a time."""
    choice = random.Random(seed)
    connections = []
    while time.monotonic() < end:
        try:
            connection = connect()
            kind = choice.randrange(7)
            if kind == 0:
                get(connection, SMALL)
                connection.recv(65536)
            elif kind == 1:
                get(connection, LARGE, "Accept-Encoding: gzip")
            elif kind == 2:
                get(connection, LARGE)
                get(connection, LARGE)
            elif kind == 3:
                get(connection, f"{FEED}/changes?wait={choice.randrange(1, 9)}&after={servers.cursor()}")
            elif kind == 4:
                get(connection, f"{FEED}/changes?view=v{choice.randrange(10**6)}&after={servers.cursor()}")
            elif kind == 5:
                get(connection, FEED + "/stream")
            else:
                connection.sendall(b"POST " + FEED.encode() + b"/items HTTP/1.1\r\nHost: localhost\r\nContent-Le")
            count("opened")
            connections.append(connection)
            if len(connections) > 100:
                leaving = connections.pop(choice.randrange(len(connections)))
                if choice.random() < 0.5:
                    abort(leaving)
                    count("aborted")
                else:
                    leaving.close()
                    count("closed")
        except OSError:
            count("failed")
        time.sleep(0.005)
    for connection in connections:
        connection.close()


def publish():
    connection = connect()
    number = 0
    while time.monotonic() < end:
        number += 1
        body = json.dumps({"title": f"{number} " + "x" * random.randrange(900)}).encode()
        head = f"PATCH {FEED}/items/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200"), "a publish failed"
        count("published")
        time.sleep(0.05)
    connection.close()


threads = [threading.Thread(target=come_and_go, args=(seed,), daemon=True) for seed in range(3)]
threads.append(threading.Thread(target=publish, daemon=True))
wrk = subprocess.Popen(["wrk", "-t1", "-c16", f"-d{options.seconds}s", f"http://127.0.0.1:{OURS}{SMALL}"],
                       stdout=subprocess.DEVNULL)
idle = servers.descriptors(ours)
for thread in threads:
    thread.start()
samples = []
began = time.monotonic()
print("| after | resident | descriptors |\n| --- | --- | --- |", flush=True)
while time.monotonic() < end - 5:
    time.sleep(min(30, options.seconds / 10))
    samples.append((servers.resident(ours), servers.descriptors(ours)))
    print(f"| {time.monotonic() - began:.0f} s | {samples[-1][0] / 2**20:.1f} MB | {samples[-1][1]} |", flush=True)
for thread in threads:
    thread.join()
wrk.wait()
time.sleep(3)
left = servers.descriptors(ours) - idle
print(f"| 3 s after the last client | {servers.resident(ours) / 2**20:.1f} MB | {servers.descriptors(ours)} |\n")
print(", ".join(f"{number:,} {what}" for what, number in sorted(counts.items())))
growth = samples[-1][0] / samples[0][0]
print(f"memory at the end ÷ after the first sample: {growth:.3f}; descriptors left: {left}")
sys.exit(growth > 1.1 or left > 0 or counts.get("published", 0) == 0)
