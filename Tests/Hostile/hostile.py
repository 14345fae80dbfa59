#!/usr/bin/env python3
"""A load of 200 hostile clients beside 64 good ones: what do the good ones notice, and what stays in memory?

    hostile.py BINARY [SECONDS=300] [--alone SECONDS=60] [--seed N] [--noise MS=100] [--hostile N=200] [--only KIND,…]

Starts an upstream of its own and `BINARY serve` on loopback with the default limits. 64 good clients follow a
table by long polls, and each edits it now and then: first alone, then with the hostile clients beside them,
measured in the same way. Two figures count, each with its 99th percentile:

  edit      from sending a PATCH to having its whole answer
  delivery  from sending a PATCH to when each of the 64 has read the changeset that shows it

Ends with 0 if both 99th percentiles are at most twice those alone plus the noise bound, if every good request was
answered as it should be, if the service is alive, and if its memory does not grow: less than `GROWTH_IN_ALL` over
what it was before, and less than `GROWTH_LATE` in the second half, when all that has a bound is full. Else 1, and
the last lines say why. The hostile clients and the upstream run in processes of their own, so that the good ones'
clock does not measure them; what they do is drawn from `--seed`.
"""
import argparse, asyncio, collections, hashlib, json, multiprocessing, os, random, re, signal, subprocess, sys, tempfile, time

GOOD = 64                     # good clients
EDIT_EVERY = 32.0             # seconds between two edits of one of them, so that there are two a second in all
TOKEN = "the-good-ones-token"
GROWTH_IN_ALL = 384 << 20     # bytes of resident memory: room for what has a bound
GROWTH_LATE = 48 << 20        # from the middle of the load to its end

# --- the upstream: `q` says how bad it is ------------------------------------------------------------------------

LIST = json.dumps([{"id": n, "title": f"Item {n}", "text": "x" * 200} for n in range(2000)]).encode()


async def upstream_client(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = head.split(" ", 2)[1]
            kind = re.search(r"q=(?:x-)?([a-z]*)", target)
            kind = kind.group(1) if kind else ""
            body = b'[{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]'
            if target.startswith("/list"):
                body = LIST
            elif kind == "huge":
                body = b"[" + b"{}," * 700_000 + b"{}]"
            elif kind == "deep":
                body = b"[" * 100_000
            elif kind == "damaged":
                body = b'[{"id": 1, "title": "\xff\xfe"}, {"id": 1e999}'
            elif kind == "slow":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
                for _ in range(100):
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.5)
                break
            elif kind == "short":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[")
                await writer.drain()
                break
            elif kind == "loop":
                await asyncio.sleep(0.01)
                writer.write(b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % target.encode())
                continue
            status = b"500 Oh" if kind == "error" else b"200 OK"
            writer.write(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


def upstream(pipe):
    async def run():
        server = await asyncio.start_server(upstream_client, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(run())


def configuration(port, arguments):
    expandable = {"cell": "Expandable", "payload": {"title": "${title}", "text": "${text ?? ''}", "open": False}}
    return {
        "listen": "127.0.0.1:0",
        "store": {"path": "hostile.sqlite"},
        "locales": ["en-US", "de-DE"],
        "auth": {"tokens": [{"name": "good", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(),
                             "allow": ["read", "edit"], "tables": ["*t*o*d*o*"]}]},
        "cells": {"Label": {"fields": {"title": "string"}},
                  "Expandable": {"fields": {"title": "string", "text": "string", "open": "boolean"}, "expands": "open",
                                 "fallback": "Label"}},
        "representations": {"$default": expandable},
        "sources": {"list": {"url": f"http://127.0.0.1:{port}/list", "every": "5s",
                             "webhook": {"secret": "not a guess away"}},
                    "family": {"url": f"http://127.0.0.1:{port}/family", "query": {"q": "${$params.q}"}, "retries": 0,
                               "timeout": "5s", "maxItems": arguments.max_items}},
        "tables": {
            "todo": {"source": {"local": {"items": [{"title": f"Do {n}"} for n in range(GOOD)]}}},
            "big": {"source": "list", "row": {"id": "${id}"}, "edges": True,
                    "edits": {"patch": {"url": f"http://127.0.0.1:{port}/edit/${{$id}}", "body": "${$edit}"}}},
            "family": {"source": "family", "row": {"id": "${id}"},
                       "instances": {"max": 100},               # so that what has a bound is full before the middle
                       "parameters": {"q": {"pattern": "([A-Za-z0-9]+[-_.]?)+", "default": "a"}}}}}


# --- HTTP, as much as is needed ----------------------------------------------------------------------------------

class Connection:
    """One kept connection; a request at a time."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def request(self, method, target, body=None, fields=()):
        head = [f"{method} {target} HTTP/1.1", "Host: localhost", *fields]
        data = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            head += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        for attempt in (1, 2):
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
                fresh = True
            else:
                fresh = False
            try:
                self.writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + data)
                lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                length = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:")), 0)
                answer = await self.reader.readexactly(length)
                if any(line.lower() == "connection: close" for line in lines):
                    self.close()
                return int(lines[0].split()[1]), answer
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if fresh or attempt == 2:   # an idle connection may have been closed: that is no fault
                    raise

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None


# --- the good ones -----------------------------------------------------------------------------------------------

class Figures:
    def __init__(self):
        self.edit, self.delivery, self.faults = [], [], []


class Good:
    def __init__(self, number, port, figures, seed):
        self.number, self.port, self.random = number, port, random.Random(f"{seed} good {number}")
        self.box = figures      # a list with one Figures, exchanged between the phases

    @property
    def figures(self):
        return self.box[0]

    async def follow(self):
        connection, cursor = Connection(self.port), None
        while True:
            try:
                target = "/v1/tables/todo/changes" + (f"?after={cursor}&wait=20" if cursor else "")
                status, answer = await connection.request("GET", target)
                arrived = time.monotonic()
                if status != 200:
                    self.figures.faults.append(f"poll: {status} {answer[:200]!r}")
                    await asyncio.sleep(1)
                    continue
                reply = json.loads(answer)
                if cursor and "reset" in reply:
                    self.figures.faults.append(f"poll: reset {reply['reset']}")
                cursor = reply["to"]
                for stage in reply.get("stages", []):
                    for update in stage.get("rows", {}).get("update", []):
                        title = update["row"]["payload"]["title"]
                        if title.startswith("sent "):
                            self.figures.delivery.append(arrived - float(title[5:]))
            except (OSError, asyncio.IncompleteReadError) as error:
                self.figures.faults.append(f"poll: {error!r}")
                await asyncio.sleep(1)

    async def edit(self, row):
        connection = Connection(self.port)
        await asyncio.sleep(self.random.uniform(0, EDIT_EVERY))
        while True:
            connection.close()
            sent = time.monotonic()
            try:
                status, answer = await connection.request("PATCH", f"/v1/tables/todo/items/{row}", {"title": f"sent {sent:.6f}"},
                                                          [f"Authorization: Bearer {TOKEN}"])
                self.figures.edit.append(time.monotonic() - sent)
                if status != 200:
                    self.figures.faults.append(f"edit: {status} {answer[:200]!r}")
            except (OSError, asyncio.IncompleteReadError) as error:
                self.figures.faults.append(f"edit: {error!r}")
            await asyncio.sleep(self.random.uniform(0.5, 1.5) * EDIT_EVERY)


# --- the hostile ones --------------------------------------------------------------------------------------------
# Each is a coroutine that does one act and is called again and again; what it draws, it draws from its own generator.

WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Hostile:
    def __init__(self, number, port, seed, counts):
        self.number, self.port, self.random, self.counts = number, port, random.Random(f"{seed} hostile {number}"), counts
        self.writers = []

    def word(self, length):
        return "".join(self.random.choices(WORD, k=length))

    async def connect(self, limit=1 << 16):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=limit)
        self.writers.append(writer)
        return reader, writer

    def end(self, abrupt=False):
        for writer in self.writers:
            writer.transport.abort() if abrupt else writer.close()
        self.writers = []

    async def send(self, data, seconds=5.0, keep=200):
        """Sends it on a connection of its own and counts the status of the first answer."""
        reader, writer = await self.connect()
        writer.write(data)
        try:
            answer = await asyncio.wait_for(reader.read(keep), seconds)
            self.counts[answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1.") else "closed" if not answer else "odd"] += 1
            await asyncio.wait_for(reader.read(1 << 16), 0.05)
        except asyncio.TimeoutError:
            self.counts["waits"] += 1
        self.end(self.random.random() < 0.3)

    def get(self, target, *fields):
        return "\r\n".join([f"GET {target} HTTP/1.1", "Host: localhost", *fields, "", ""]).encode("latin-1", "replace")

    def post(self, target, body, *fields, method="POST"):
        return ("\r\n".join([f"{method} {target} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                             f"Content-Length: {len(body)}", *fields, "", ""]).encode("latin-1", "replace") + body)

    async def slow_head(self):
        """A head that comes byte by byte, until the service has had enough."""
        reader, writer = await self.connect()
        for byte in self.get("/v1/tables/todo", "X-Slow: " + "x" * 200):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(self.random.uniform(0.1, 0.6))
            if reader.at_eof():
                break
        self.end()

    async def slow_body(self):
        """A body that never comes to its end."""
        reader, writer = await self.connect()
        writer.write(self.post("/v1/tables/todo/items", b"", f"Authorization: Bearer {self.word(20)}").replace(
            b"Content-Length: 0", b"Content-Length: 500000" if self.random.random() < 0.5 else b"Transfer-Encoding: chunked"))
        for _ in range(60):
            writer.write(b"1\r\n \r\n")
            await writer.drain()
            await asyncio.sleep(self.random.uniform(0.1, 0.6))
            if reader.at_eof():
                break
        self.end()

    async def never_reads(self):
        """Asks for much and reads nothing."""
        reader, writer = await self.connect(limit=1024)
        writer.transport.pause_reading()
        if self.random.random() < 0.5:
            writer.write(self.get("/v1/tables/big", f"Accept-Language: de;q=0.{self.random.randrange(10)}") * 50)
        else:
            writer.write(self.get(f"/v1/tables/big/stream?view={self.word(12)}"))
        await asyncio.sleep(self.random.uniform(2, 15))
        self.end(abrupt=True)

    async def huge(self):
        """Heads, targets and bodies over every bound, and JSON that is too deep, too wide, too long."""
        token = f"Authorization: Bearer {self.word(20)}"
        acts = [
            lambda: self.get("/v1/tables/todo?x=" + "a" * 40_000),
            lambda: self.get("/v1/tables/todo", *(f"X-{n}: {'y' * 400}" for n in range(200))),
            lambda: self.post("/v1/tables/todo/items", b'{"title":"' + b"z" * (2 << 20) + b'"}', token),
            lambda: self.post("/v1/tables/todo/items", b"[" * 50_000 + b"]" * 50_000, token),
            lambda: self.post("/v1/tables/todo/edits", json.dumps({"edits": [{"op": "add", "item": {}}] * 20_000}).encode(), token),
            lambda: self.post("/v1/tables/todo/items/1", json.dumps({f"m{n}": n for n in range(20_000)}).encode(), token, method="PATCH"),
            lambda: self.get("/v1/tables/big", "Accept-Cells: " + ", ".join(self.word(20) for _ in range(300))),
            lambda: self.get("/v1/changes?" + "&".join(f"after=family;q={self.word(6)}:" for _ in range(64)) + "&wait=0"),
        ]
        await self.send(self.random.choice(acts)())
        await asyncio.sleep(self.random.uniform(0.5, 2))

    async def many(self):
        """Connections that come and go, and requests in heaps."""
        if self.random.random() < 0.5:
            for _ in range(10):
                await self.connect()
            await asyncio.sleep(self.random.uniform(0, 1))
        else:
            reader, writer = await self.connect()
            writer.write(self.get("/healthz") * 40)
            await asyncio.sleep(self.random.uniform(0, 0.2))
        self.end(abrupt=True)
        await asyncio.sleep(self.random.uniform(0.5, 2))

    async def malformed(self):
        """What is no HTTP, or two requests in one, or damaged somewhere."""
        r = self.random
        good = bytearray(self.post(f"/v1/tables/todo/items", b'{"title": "x"}', f"Authorization: Bearer {self.word(8)}"))
        for _ in range(r.randrange(1, 6)):
            good[r.randrange(len(good))] = r.randrange(256)
        acts = [bytes(good), r.randbytes(r.randrange(1, 2000)), bytes(good[:r.randrange(len(good))]),
                b"POST /v1/tables/todo/items HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
                b"POST /v1/tables/todo/items HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                b"GET /v1/tables/todo HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                b"GET /v1/tables/%2e%2e/%00/rows?at=99999999999999999999,1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"GET /v1/tables/todo HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-\r\nExpect: 100-continue\r\n folded: x\r\n\r\n"]
        await self.send(r.choice(acts), seconds=3)
        await asyncio.sleep(r.uniform(0.2, 1))

    async def patterned(self):
        """What patterns, globs and searches might take long over."""
        r = self.random
        acts = [self.get(f"/v1/tables/family;q={'a' * r.randrange(20, 250)}!"),
                self.get(f"/v1/tables/{'todo' * r.randrange(1, 60)}x", f"Authorization: Bearer {TOKEN}"),
                self.get("/v1/tables/todo", "If-None-Match: " + ", ".join(f'"{n:012x}.1"' for n in range(400))),
                self.post(f"/v1/tables/big/rows/{r.randrange(2000)}/tap?view={self.word(8)}", b"",
                          "If-Match: " + ", ".join(f'"{n:012x}.1"' for n in range(300))),
                self.get("/v1/tables/todo", "Accept: " + ", ".join(["*/*;q=0.1"] * 500)),
                self.get("/v1/tables/todo", "Accept-Encoding: " + ", ".join(["gzip;q=0.001"] * 500)),
                self.get("/v1/tables/todo", "Accept-Language: " + ", ".join(f"de-{n}-x;q=0.{n % 10}" for n in range(500)))]
        await self.send(r.choice(acts))
        await asyncio.sleep(r.uniform(0.3, 1.5))

    async def invented(self):
        """Cursors, views, windows, languages, cells, keys and slots that nobody gave out."""
        r = self.random
        acts = [lambda: self.get(f"/v1/tables/big/changes?after={r.getrandbits(48):012x}.{r.randrange(100)}&wait=0"),
                lambda: self.get(f"/v1/tables/big?rows={r.randrange(1, 10_000)}"),
                lambda: self.get(f"/v1/tables/big/changes?rows={r.randrange(1, 300)}&wait=0"),
                lambda: self.get(f"/v1/tables/todo/changes?after={'0' * 12}.1.{self.word(60)}~{self.word(60)}&wait=0"),
                lambda: self.post(f"/v1/tables/big/rows/{r.randrange(2000)}/tap?view={self.word(16)}", b""),
                lambda: self.get(f"/v1/tables/big?view={self.word(32)}&rows=5", f"Accept-Cells: {self.word(9)};v={r.randrange(99)}, Label"),
                lambda: self.get(f"/v1/tables/big/changes?slot={r.randrange(1 << 40)}"),
                lambda: self.get("/v1/tables", f"X-Request-ID: {self.word(100)}", f"Accept-Language: {self.word(3)}-{self.word(2)}"),
                lambda: self.post("/v1/tables/todo/items", b"{}", f"Idempotency-Key: {self.word(50)}", f"Authorization: Bearer {self.word(30)}")]
        await self.send(r.choice(acts)())
        await asyncio.sleep(r.uniform(0.3, 1.5))

    async def families(self):
        """Members that nobody needs, over an upstream that is as bad as can be."""
        kind = self.random.choice(["huge", "deep", "damaged", "slow", "short", "loop", "error", "fine"])
        await self.send(self.get(f"/v1/tables/family;q=x-{kind}{self.random.randrange(10_000)}"), seconds=8)
        await asyncio.sleep(self.random.uniform(1, 4))

    async def without_right(self):
        """Edits, hooks and secrets that are others'."""
        r = self.random
        acts = [self.post("/v1/tables/todo/items", b"{}"), self.post("/v1/tables/todo/refresh", b""),
                self.post("/v1/tables/big/items/1", b"{}", f"Authorization: Bearer {self.word(20)}", method="PATCH"),
                self.post("/v1/tables/todo/items/1", b"", "Origin: https://evil.example", f"Authorization: Basic {self.word(20)}", method="DELETE"),
                self.post("/v1/hooks/list", b'{"a":1}', "X-Hub-Signature-256: sha256=" + "0" * 64),
                self.get("/v1/sources", "Authorization: Bearer " + self.word(400))]
        await self.send(r.choice(acts))
        await asyncio.sleep(r.uniform(0.3, 1.5))

    async def waits(self):
        """Polls that wait, in all lenses, and leave before the answer."""
        await self.send(self.get(f"/v1/tables/todo/changes?wait=55&after=&view={self.word(10)}&rows={self.random.randrange(1, 64)}"
                                 .replace("after=&", "")), seconds=self.random.uniform(1, 5))
        reader, writer = await self.connect()
        writer.write(self.get(f"/v1/tables/todo/stream?rows={self.random.randrange(1, 64)}"))
        await asyncio.sleep(self.random.uniform(1, 10))
        self.end(abrupt=self.random.random() < 0.5)

    KINDS = [slow_head, slow_body, never_reads, huge, many, malformed, patterned, invented, families, without_right, waits]

    async def run(self):
        act = self.KINDS[self.number % len(self.KINDS)]
        await asyncio.sleep(self.random.uniform(0, 3))
        while True:
            try:
                await act(self)
                self.counts[act.__name__] += 1
            except (OSError, asyncio.IncompleteReadError):
                self.counts["refused or reset"] += 1
                self.end(abrupt=True)
                await asyncio.sleep(0.5)


def hostile(port, seed, number, seconds, only, pipe):
    if only:
        Hostile.KINDS = [getattr(Hostile, name) for name in only.split(",")]
    counts = collections.Counter()

    async def run():
        tasks = [asyncio.create_task(Hostile(n, port, seed, counts).run()) for n in range(number)]
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=5)
        for task in tasks:
            if task.done() and not task.cancelled():
                counts["programming errors"] += 1
                print("hostile client:", repr(task.exception()), flush=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(run())
    pipe.send(dict(counts))
    os._exit(0)     # with whatever is still open: the kernel closes it


# --- the whole ---------------------------------------------------------------------------------------------------

def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else float("inf")


def told(name, figures):
    for kind in ("edit", "delivery"):
        values = getattr(figures, kind)
        if values:
            print(f"{name:8} {kind:9} n={len(values):6}  p50={percentile(values, .5) * 1e3:7.1f}  p90={percentile(values, .9) * 1e3:7.1f}  "
                  f"p99={percentile(values, .99) * 1e3:7.1f}  max={max(values) * 1e3:7.1f} ms", flush=True)
    print(f"{name:8} faults: {len(figures.faults)}", *figures.faults[:5], sep="\n  " if figures.faults else " ", flush=True)


async def measure(arguments, port, pid):
    box, why = [Figures()], []
    status, answer = await Connection(port).request("GET", "/v1/tables/todo")
    rows = [row["id"] for section in json.loads(answer)["sections"] for row in section["rows"]]
    good = [Good(n, port, box, arguments.seed) for n in range(GOOD)]
    tasks = [asyncio.create_task(client.follow()) for client in good] + [asyncio.create_task(client.edit(row)) for client, row in zip(good, rows)]
    await asyncio.sleep(5)

    box[0] = alone = Figures()
    print(f"alone for {arguments.alone} s; load {os.getloadavg()[0]:.1f}", flush=True)
    await asyncio.sleep(arguments.alone)
    start = resident(pid)
    told("alone", alone)

    box[0] = beside = Figures()
    print(f"{arguments.hostile} hostile clients for {arguments.seconds} s; load {os.getloadavg()[0]:.1f}", flush=True)
    near, far = multiprocessing.Pipe()
    attack = multiprocessing.Process(target=hostile, args=(port, arguments.seed, arguments.hostile, arguments.seconds, arguments.only, far), daemon=True)
    attack.start()
    samples, steps = [], 10
    for _ in range(steps):
        await asyncio.sleep(arguments.seconds / steps)
        samples.append(resident(pid))
        print(f"  {len(samples) * arguments.seconds // steps:4} s: {samples[-1] >> 20} MB, load {os.getloadavg()[0]:.1f}, "
              f"{len(beside.edit)} edits, p99 so far {percentile(beside.edit, .99) * 1e3:.0f} ms", flush=True)
    box[0] = Figures()
    while not near.poll():
        await asyncio.sleep(0.1)
    counts = near.recv()
    attack.join(10)
    told("beside", beside)
    await asyncio.sleep(10)
    end = resident(pid)
    for task in tasks:
        task.cancel()
    print("hostile clients:", ", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
    print(f"memory: {start >> 20} MB before, {max(samples) >> 20} MB at most, {samples[-1] >> 20} MB at the end, {end >> 20} MB 10 s after")

    for kind in ("edit", "delivery"):
        before, now = percentile(getattr(alone, kind), .99) * 1e3, percentile(getattr(beside, kind), .99) * 1e3
        if not now <= 2 * before + arguments.noise:
            why.append(f"the 99th percentile of {kind} is {now:.0f} ms, alone {before:.0f}: more than twice and {arguments.noise} ms")
    for figures in (alone, beside):     # a few may be under way when a phase begins or ends
        if len(figures.delivery) < GOOD * (len(figures.edit) - 8):
            why.append(f"of {len(figures.edit)} edits to {GOOD} clients only {len(figures.delivery)} were seen")
    if beside.faults or alone.faults:
        why.append(f"{len(alone.faults)} + {len(beside.faults)} good requests were not answered as they should be")
    if end > start + GROWTH_IN_ALL:
        why.append(f"memory grew by {(end - start) >> 20} MB")
    if max(samples[-1], end) > samples[len(samples) // 2 - 1] + GROWTH_LATE:
        why.append(f"memory still grew in the second half, by {(max(samples[-1], end) - samples[len(samples) // 2 - 1]) >> 20} MB")
    if counts.get("programming errors"):
        why.append("a hostile client of this script broke")
    return why


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("seconds", type=int, nargs="?", default=300)
    parser.add_argument("--alone", type=int, default=60)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--noise", type=float, default=100, help="milliseconds")
    parser.add_argument("--hostile", type=int, default=200)
    parser.add_argument("--max-items", type=int, default=2000,
                        help="of the family's source; with the service's default, 100000, a member of 100,000 times {} keeps some 50 MB")
    parser.add_argument("--only", help="kinds of hostile clients, with commas between: to find out which one it is")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.binary)
    near, far = multiprocessing.Pipe()
    source = multiprocessing.Process(target=upstream, args=(far,), daemon=True)
    source.start()
    with tempfile.TemporaryDirectory(prefix="tablecast-hostile-") as folder:
        with open(f"{folder}/tablecast.yaml", "w") as file:
            json.dump(configuration(near.recv(), arguments), file)          # JSON is YAML
        with open(f"{folder}/log", "wb") as log:
            service = subprocess.Popen([binary, "serve", "--config", "tablecast.yaml", "--log-level", "info"],
                                       cwd=folder, stdout=log, stderr=log)
        try:
            port = None
            for _ in range(300):
                with open(f"{folder}/log", errors="replace") as log:
                    found = re.search(r"127\.0\.0\.1:([1-9][0-9]*)\",\"connections", log.read())
                if found:
                    port = int(found.group(1))
                    break
                if service.poll() is not None:
                    break
                time.sleep(0.1)
            if port is None:
                sys.exit("the service did not start:\n" + open(f"{folder}/log").read()[-2000:])
            why = asyncio.run(measure(arguments, port, service.pid))
            if service.poll() is not None:
                why.append(f"the service ended with {service.returncode}")
            service.terminate()
            try:
                if service.wait(10):
                    why.append(f"the service ended with {service.returncode} when it was told to end")
            except subprocess.TimeoutExpired:
                why.append("the service did not end within 10 s")
        finally:
            if service.poll() is None:
                service.kill()
            service.wait()
            source.terminate()
            with open(f"{folder}/log", errors="replace") as log:
                if "Fatal error" in (text := log.read()):
                    print(text[-3000:])
    for line in why:
        print("NOT HELD:", line)
    print("held" if not why else f"{len(why)} not held")
    sys.exit(1 if why else 0)


if __name__ == "__main__":
    main()
