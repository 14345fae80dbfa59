#!/usr/bin/env python3
"""hostile.py [--rounds N] [--clients N] [--skip-build]: what fast clients feel of slow and hostile ones on the same
server. Measures the 99th percentile of the latency alone and while the others hang on, in turn; the ratio is the
median over the rounds. Prints a table in Markdown."""
import argparse
import random
import resource
import socket
import statistics
import struct
import subprocess
import sys
import time

import servers
from servers import FEED, LARGE, OURS, SMALL

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seconds", type=int, default=4)
parser.add_argument("--clients", type=int, default=5000)
parser.add_argument("--skip-build", action="store_true")
parser.add_argument("--be-hostile", metavar="CURSOR", help="be the clients, until killed")
options = parser.parse_args()
HOST = b"Host: localhost\r\n"
HEAD = b"GET " + SMALL.encode() + b" HTTP/1.1\r\n" + HOST
BODY = b"POST " + FEED.encode() + b"/items HTTP/1.1\r\n" + HOST + b"Content-Length: 4000\r\n\r\n"
READ = (b"GET " + LARGE.encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n") * 20

# What a kind of client sends at first, and what it drips from then on, a byte at a time.
KINDS = {
    "says nothing": (b"", b""),
    "never ends its head": (HEAD + b"X: ", b"x"),
    "never ends its body": (BODY, b" "),
    "never ends a chunk": (BODY.replace(b"Content-Length: 4000", b"Transfer-Encoding: chunked") + b"1;", b"x"),
    "asks and never reads": (READ, b""),
    "asks and reads a byte at a time": (READ, None),
    "breaks off": (HEAD + b"X: y", ConnectionResetError),
    "talks nonsense": (bytes(range(256)), b"\xff"),
    "floods with requests that are refused": (b"GET /%2e%2e/ HTTP/1.1\r\n" + HOST + b"\r\n", b"x"),
    "waits for changes": (b"GET " + FEED.encode() + b"/changes?wait=55&after=%s HTTP/1.1\r\n" + HOST + b"\r\n", b""),
}


class Client:
    def __init__(self, kind):
        self.first, self.drip = KINDS[kind]
        self.open()

    def open(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", OURS))
        self.has_begun = False

    def act(self):
        """A turn every few seconds. A client whose connection was ended comes again."""
        try:
            if not self.has_begun:
                self.socket.send(self.first.replace(b"%s", options.be_hostile.encode()))
                self.has_begun = True
            elif self.drip is ConnectionResetError:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise ConnectionResetError
            elif self.drip is None:
                self.socket.recv(1)
            else:
                self.socket.send(self.drip)
                if self.drip and not self.socket.recv(1, socket.MSG_PEEK):
                    raise ConnectionResetError
        except BlockingIOError:
            pass
        except OSError:
            self.socket.close()
            self.open()


def be_hostile():
    """Everyone has a turn every five seconds: a thousand small nuisances a second for 5,000."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    kinds = list(KINDS)
    clients = []
    for index in range(options.clients):
        clients.append(Client(kinds[index % len(kinds)]))
        if index % 100 == 99:
            time.sleep(0.01)
    for client in clients:
        client.act()
    print("ready", flush=True)
    random.shuffle(clients)
    while True:
        for index, client in enumerate(clients):
            client.act()
            if index % 10 == 9:
                time.sleep(5 * 10 / len(clients))


if options.be_hostile:
    be_hostile()
servers.skip_build = options.skip_build
ours = servers.start_service(servers.build(servers.root, "tablecast"))
rounds = []
held = []
for _ in range(options.rounds):
    alone = servers.wrk(OURS, SMALL, seconds=options.seconds)
    before = servers.resident(ours), servers.descriptors(ours)
    others = subprocess.Popen(["taskset", "-c", servers.LOAD_CORE, sys.executable, __file__, "--clients",
                               str(options.clients), "--be-hostile", servers.cursor()], stdout=subprocess.PIPE)
    servers.children.append(others)
    others.stdout.readline()
    time.sleep(1)
    held.append((servers.resident(ours) - before[0], servers.descriptors(ours) - before[1]))
    rounds.append((alone, servers.wrk(OURS, SMALL, seconds=options.seconds)))
    servers.children.remove(others)
    others.kill()
    others.wait()
    time.sleep(2)
p99 = [statistics.median(r[i][1] for r in rounds) for i in (0, 1)]
rate = [statistics.median(r[i][0] for r in rounds) for i in (0, 1)]
print("| what | alone | beside slow and hostile clients | ratio | to reach |\n| --- | --- | --- | --- | --- |")
print(f"| p99 of fast clients, 64 connections | {p99[0]:.2f} ms | {p99[1]:.2f} ms with {held[0][1]:,} others | "
      f"{statistics.median(r[1][1] / r[0][1] for r in rounds):.2f} | at most 2 |")
print(f"| their requests/s | {rate[0]:,.0f} | {rate[1]:,.0f} | "
      f"{statistics.median(r[1][0] / r[0][0] for r in rounds):.2f} | |")
print(f"| memory of the server for each of the others | | {held[0][0] / max(held[0][1], 1) / 1024:,.1f} KB | | |")
time.sleep(1)
print(f"| left when they have gone | | {servers.descriptors(ours) - before[1]} descriptors | | 0 |")
