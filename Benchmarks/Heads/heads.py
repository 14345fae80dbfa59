#!/usr/bin/env python3
"""heads.py [--rounds N] [--all] [--only NAME]: the processor time of the service for the worst heads that it takes, one
table row for each header field that it parses, and for the parts of the target. For each of them heads of the size that
the limit allows are filled with one pattern after the other; the slowest counts. Prints a table in Markdown."""
import argparse
import os
import shutil
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import build, start

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--requests", type=int, default=8, help="of one kind, one after the other")
parser.add_argument("--all", action="store_true", help="say the time of every pattern")
parser.add_argument("--only", metavar="NAME", help="measure the fields whose names contain this")
parser.add_argument("--beside", metavar="NAME", help="how much more a field takes than one of the same bytes that nobody reads")
options = parser.parse_args()

HEAD, TARGET, FIELDS = 32_767, 16_384, 100
LOCALES = ["en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pl-PL", "pt-BR", "sv-SE", "ja-JP", "ko-KR", "zh-Hant-TW"]
CONFIGURATION = """\
listen: 127.0.0.1:0
store: memory
locales: [%s]
hosts: [tables.example.com]
trustedProxies: [127.0.0.0/8]
limits: {requestsPerMinute: 100000000, editsPerMinute: 100000000, waitersPerCaller: 100}
cors: {origins: ["https://app.example.com"], writes: ["https://app.example.com"]}
auth:
  tokens:
    # SHA-256 of "t".
    - {name: t, sha256: "e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8", allow: [read, edit]}
sources:
  hooked: {url: "http://127.0.0.1:9/", every: 0s, webhook: {secret: secret}}
cells:
  Task: {fields: {title: string, isExpanded: boolean}, expands: isExpanded}
tables:
  tasks:
    source: {local: {items: [{title: A}]}}
    cell: Task
    payload: {title: "${title}", isExpanded: false}
    can: {edit: true}
  family:
    source: hooked
    row: {id: "${id}"}
    parameters: {q: {pattern: "[a-z]+", default: ""}}
    cell: Task
    payload: {title: "${title}", isExpanded: false}
"""

# What a value is filled with, over and over; none of it ends a line.
PATTERNS = [
    b"a", b"-", b",", b" ,", b"a,", b"a, ", b";", b"a;", b";,", b"=", b"a=b,", b"a=b;", b"a;q=1,", b"*,", b"\"", b"\\",
    b"\"a\",", b"\"\",", b"a1-", b"a-", b"a-b,", b"W/\"", b"W/\"\",", b"\"\\", b"a:", b":", b"/", b"a/", b"t=1,", b"v1=a,",
    b"for=1.2.3.4,", b"for=", b"1.2.3.4,", b"1.2.3.4, ", b"::1,", b"v=1;", b";v=1", b"a b ", b"0", b"9", b"\xff", b"\xc3\xa9",
    b"e\xcc\x81", b"\xf0\x9f\x91\xa9\xe2\x80\x8d", b"%41", b"~", b".", b"A", b"a\t", b"q=0,", b"close,", b"\" ",
]
# For fields whose beginning decides whether the rest is looked at.
STARTS = {
    "Authorization": [b"Bearer ", b"bearer  "],
    "Content-Type": [b"application/json;", b"application/json; charset=\""],
    "Prefer": [b"wait="],
    "Accept": [b"application/json;q=0.", b"*/*;"],
    "Accept-Language": [b"de;q=0.", b"a;q="],
    "Accept-Encoding": [b"gzip;q=0."],
    "Accept-Cells": [b"Task;"],
    "Forwarded": [b"for=\""],
    "If-None-Match": [b"\"a"],
    "If-Match": [b"\"a"],
    "Origin": [b"https://"],
    "Stripe-Signature": [b"t=1,"],
    "X-Hub-Signature-256": [b"sha256="],
}
TOKEN = (b"Authorization", b"Bearer t")
READ, EDIT = (b"GET", b"/v1/tables/tasks", []), (b"PATCH", b"/v1/tables/tasks/items/1", [TOKEN])
POLL = (b"GET", b"/v1/tables/tasks/changes", [])
PREFLIGHT = (
    b"OPTIONS",
    b"/v1/tables/tasks",
    [(b"Origin", b"https://app.example.com"), (b"Access-Control-Request-Method", b"PUT")],
)
HOOK = (b"POST", b"/v1/hooks/hooked", [])
SLACK = (b"POST", b"/v1/hooks/hooked", [(b"X-Slack-Signature", b"v0=" + b"0" * 64)])
SIGNED = (b"POST", b"/v1/hooks/hooked", [(b"X-Signature", b"sha256=" + b"0" * 64)])
TAP = (b"POST", b"/v1/tables/tasks/rows/1/tap?view=v", [])
STREAM = (b"GET", b"/v1/tables/tasks/stream", [(b"Accept", b"a/b")])

# Each field, and the request that has it looked at.
NAMED = [
    ("Host", READ), ("Connection", READ), ("Transfer-Encoding", EDIT), ("Content-Length", EDIT), ("Expect", EDIT),
    ("Content-Encoding", EDIT), ("Content-Type", EDIT), ("Accept", READ), ("Accept-Encoding", READ),
    ("Accept-Language", READ), ("Accept-Cells", READ), ("Prefer", POLL), ("If-None-Match", READ), ("If-Match", READ),
    ("If-Match", EDIT), ("If-Match", TAP), ("Idempotency-Key", EDIT), ("Idempotency-Key", TAP), ("Last-Event-ID", STREAM),
    ("Authorization", READ), ("Authorization", EDIT), ("Origin", READ), ("Origin", EDIT), ("Sec-Fetch-Site", EDIT),
    ("Access-Control-Request-Method", PREFLIGHT), ("Access-Control-Request-Headers", PREFLIGHT),
    ("Forwarded", READ), ("X-Forwarded-For", READ), ("X-Request-ID", READ), ("X-Hub-Signature-256", HOOK),
    ("X-Signature", HOOK), ("Stripe-Signature", HOOK), ("X-Slack-Request-Timestamp", SLACK), ("X-Timestamp", SIGNED),
    ("Cookie", READ), ("Range", READ), ("a name that nobody reads", READ),
]
# Parts of a target: what stands before, and what the rest is filled with.
TARGETS = [
    ("path", b"GET", [b"/", b"/v1/tables/", b"/v1/tables/tasks/rows/"],
     [b"/", b"a/", b"a", b"%41", b"%C3%A9", b"%F0%9F%91%A9%E2%80%8D", b";", b";q=a", b";a=b", b";a", b"%3B", b"%3Bq%3Da",
      b":", b".", b"%2F", b"e%CC%81"]),
    ("path of an edit", b"PATCH", [b"/v1/tables/tasks/items/", b"/v1/tables/family;q=a;"],
     [b"a", b"%C3%A9", b"%41", b";q=a", b";", b"a=b;", b"q=%C3%A9;"]),
    ("query", b"GET",
     [b"/v1/tables?", b"/v1/tables/tasks?view=", b"/v1/tables/tasks?rows=", b"/v1/tables/tasks/changes?wait=",
      b"/v1/tables/tasks/changes?after=", b"/v1/tables/tasks/rows?at=", b"/v1/tables/tasks/changes?slot=", b"/v1/client.js?v=",
      b"/?", b"/v1/tables/tasks/changes?wait=0&slot="],
     [b"a", b"a&", b"&", b"=", b"=&", b"a=b&", b"+", b"+&", b"%41", b"%41&", b"%C3%A9", b"%FF", b"0", b"9", b".", b"1,", b",",
      b"view=&", b"rows=1&", b"e%CC%81", b"wait=1&"]),
    ("`after` of many tables", b"GET", [b"/v1/changes?wait=0&", b"/v1/changes?wait=0&after=tasks", b"/v1/changes?wait=0&after=family"],
     [b"after=&", b"after=a:&", b"after=a:b&", b"after=tasks:&", b":", b";", b";q=a", b";a", b"%3Bq=a", b"a", b"%25C3%25A9", b"after=%C3%A9:&"]),
    ("query of an edit", b"POST", [b"/v1/tables/tasks/items?section=", b"/v1/tables/tasks/items?at=", b"/v1/tables/tasks/items?after="],
     [b"a", b"9", b"0", b"%C3%A9", b"%41", b"&", b"a&"]),
]


def head(method, target, fields):
    body = b"{}" if method in (b"POST", b"PATCH") else b""
    fields = [(b"Host", b"localhost")] * (not any(name == b"Host" for name, _ in fields)) + fields
    if body and not any(name in (b"Transfer-Encoding", b"Content-Length") for name, _ in fields):
        fields = fields + [(b"Content-Length", b"%d" % len(body))]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
    return method + b" " + target + b" HTTP/1.1\r\n" + lines + b"\r\n", body


def filled(pattern, length, start=b""):
    return (start + pattern * (length // len(pattern) + 1))[:length]


def whole(value, pattern):
    """Without a part of a pattern at the end: half an escape is refused before anything is looked at."""
    return value[: len(value) - (len(value) - value.index(pattern)) % len(pattern)] if pattern in value else value


def cases():
    for name, (method, target, fields) in NAMED:
        field = name.encode() if " " not in name else b"X-Nobody"
        others = [(other, value) for other, value in fields if other != field]
        room = HEAD - len(head(method, target, others + [(field, b"")])[0])
        values = [filled(pattern, room, start) for start in [b""] + STARTS.get(name, []) for pattern in PATTERNS]
        what = f"`{name}`" if " " not in name else name
        where = f"`{method.decode()} {target.decode()}`"
        for value in values:
            yield what, where, value, head(method, target, others + [(field, value)])
        # As many lines as there may be.
        count = FIELDS - len(others) - 3
        for pattern in PATTERNS:
            value = filled(pattern, room // count - len(field) - 4)
            yield what, where, value + b" | ...", head(method, target, others + [(field, value)] * count)
    for what, method, starts, patterns in TARGETS:
        for start in starts:
            for pattern in patterns:
                target = whole(filled(pattern, TARGET, start), pattern)
                fields = [TOKEN] if method != b"GET" else []
                yield what, f"`{method.decode()} {start.decode()}…`", target, head(method, target, fields)


class Service:
    def __init__(self, process, port):
        self.process, self.port = process, port
        self.socket = None

    def used(self):
        """Nanoseconds of processor time, of all threads (clock_getcpuclockid)."""
        return time.clock_gettime_ns(~self.process.pid << 3 | 2)

    def ask(self, bytes):
        """One request; its status. The connection is made anew where the service has ended it."""
        for _ in range(2):
            try:
                if self.socket is None:
                    self.socket = socket.create_connection(("127.0.0.1", self.port))
                    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.socket.sendall(bytes)
                reply = self.socket.recv(1 << 20)
                if reply:
                    return self.rest(reply)
            except ConnectionError:
                pass
            self.socket = None
        raise SystemExit("the service does not answer")

    def rest(self, reply):
        while b"\r\n\r\n" not in reply:
            reply += self.socket.recv(1 << 20)
        fields, body = reply.split(b"\r\n\r\n", 1)
        lines = fields.lower().split(b"\r\n")
        length = next((int(line[16:]) for line in lines if line.startswith(b"content-length:")), 0)
        while len(body) < length:
            more = self.socket.recv(1 << 20)
            if not more:
                break
            body += more
        if b"connection: close" in lines:
            self.socket.close()
            self.socket = None
        return int(fields[9:12])


build()
folder = tempfile.mkdtemp(prefix="heads-")
process, port = start(folder, CONFIGURATION % ", ".join(LOCALES))
service = Service(process, port)
try:
    for _ in range(200):
        service.ask(head(*READ)[0])

    def microseconds(bytes, rounds):
        times = []
        for _ in range(rounds):
            before = service.used()
            for _ in range(options.requests):
                status = service.ask(bytes)
            times.append((service.used() - before) / options.requests / 1000)
        return min(times), status

    def beside(name, value):
        """The median of what requests with a field take beyond those with one that nobody reads, by turns; the bytes of each
        request are new, for the service remembers what it has read of a head."""
        number = 0

        def used(field):
            nonlocal number
            before = service.used()
            for _ in range(400):
                number += 1
                service.ask(head(*READ[:2], [(field, b"%s%09d" % (value, number))])[0])
            return (service.used() - before) / 400_000

        differences = [used(name) - used(b"X-Nobody") for _ in range(2 * options.rounds + 1)]
        return sorted(differences)[options.rounds]

    if options.beside:
        print("| filled with | µs beyond a field that nobody reads |\n| --- | ---: |")
        for pattern in [b" ,", b"a,", b"a1-", b"en;q=0.5,", b"de-DE,"]:
            print(f"| `{pattern.decode()}` | {beside(options.beside.encode(), filled(pattern, 31_000)):.0f} |", flush=True)
        raise SystemExit(0)

    worst = {}
    for what, where, value, (bytes, body) in cases():
        if options.only and options.only.lower() not in what.lower():
            continue
        assert len(bytes) <= HEAD, (what, len(bytes))
        # First a look; what may be the worst is measured again.
        found, status = microseconds(bytes + body, 1)
        if options.all:
            print(f"{found:9.1f} µs {status} {what} {where} {value[:40]!r}", file=sys.stderr)
        if found > 0.8 * worst.get(what, (0,))[0]:
            found, status = microseconds(bytes + body, options.rounds)
            if found > worst.get(what, (0,))[0]:
                worst[what] = (found, where, status, value)
finally:
    process.terminate()
    process.wait()
    shutil.rmtree(folder)

print("| field | asked | worst value | status | µs of processor time |\n| --- | --- | --- | ---: | ---: |")
for what, (time, where, status, value) in worst.items():
    text = value[:24].decode("latin-1").replace("|", "\\|").replace("\xff", "ÿ")
    print(f"| {what} | {where} | `{text!s}…` | {status} | {time:.0f} |")
