"""A client that tries to be the first at each slot, with every request field that a reply depends on.

Each attack has a table of its own, and all run at the same time: the attacker's request comes first, then `HONEST`
clients ask for the same slot, half of them with cells that they can show. Through an edge that holds, the origin is asked
once for each kind of honest client, whoever was first, and each client gets what the origin itself would say to it.
"""

import asyncio
import json
import pathlib
import re
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HONEST = 12
# The attacker's mark: no reply to anybody else may have it.
MARK = "mark-of-the-first"
PLAIN = {"Accept": "application/json"}
KINDS = [PLAIN, {**PLAIN, "Accept-Cells": "Label"}]
# How messages are framed and routed is between neighbours: each of these has attacks of its own below.
FRAMING = {"content-length", "transfer-encoding", "connection", "host"}

CELLS = "Fancy: {nib: Fancy, fields: {title: string}, fallback: Label}"
TABLE = """
  first{number}:
    edges: true
    source: {{local: {{items: [{{title: first}}]}}}}
    cell: Fancy
    payload: {{title: "${{title}}"}}
"""


def known_fields():
    """The names of all fields that the service's sources know."""
    names = set()
    for file in (ROOT / "Sources").rglob("*.swift"):
        names.update(re.findall(r'HeaderName\((?:token|known): "([^"]+)"\)', file.read_text()))
    assert {"Accept", "Accept-Cells", "Prefer", "X-Request-ID"} <= names, "the sources name their fields otherwise now"
    return sorted(name for name in names if name.lower() not in FRAMING)


def attacks():
    """Of each attack the name, and what becomes of an honest request: its method, target and lines of fields."""

    def add(*lines):
        return lambda method, target, fields: (method, target, fields + list(lines))

    def replace(*lines):
        names = {name.lower() for name, _ in lines}
        return lambda method, target, fields: (method, target, [f for f in fields if f[0].lower() not in names] + list(lines))

    def aim(change, method="GET"):
        return lambda _, target, fields: (method, change(target), fields)

    yield "nothing odd", add()
    for name in known_fields() + ["Range", "If-Range", "If-Modified-Since", "TE", "Expect", "Upgrade", "Pragma"]:
        yield f"{name}: odd", replace((name, MARK))
        yield f"{name} twice", add((name, MARK), (name, f"{MARK}-2"))
    for value in ["text/html", "application/json;q=0", "*/*;q=0", "image/*, text/*", ";;;,", "x" * 6000]:
        yield f"Accept: {value[:30]}", replace(("Accept", value))
        yield f"a second Accept: {value[:30]}", add(("Accept", value))
    for value in ["Fancy", "Label", "Label;;;=", ",", ";v=2", "Label;v=1", "A, " * 600, "x" * 6000, "#https://app.example.com#de-DE"]:
        yield f"Accept-Cells: {value[:30]}", replace(("Accept-Cells", value))
        yield f"a second Accept-Cells: {value[:30]}", add(("Accept-Cells", value))
    for value in ["de-DE", "*;q=0", "fr;q=x, ,,", "a1-" * 2000]:
        yield f"Accept-Language: {value[:30]}", replace(("Accept-Language", value))
        yield f"a second Accept-Language: {value[:30]}", add(("Accept-Language", "en"), ("Accept-Language", value))
    for value in ["gzip", "br", "identity;q=0", "*;q=0", "gzip;q=0, identity;q=0", "x" * 3000]:
        yield f"Accept-Encoding: {value[:30]}", replace(("Accept-Encoding", value))
    for value in ["https://app.example.com", "https://else.example", "null", "https://app.example.com, https://else.example"]:
        yield f"Origin: {value}", replace(("Origin", value))
        yield f"a second Origin: {value}", add(("Origin", "https://app.example.com"), ("Origin", value))
    for name, value in [
        ("Authorization", "Bearer x"), ("Cookie", "session=1"), ("Range", "bytes=0-0"), ("Range", "bytes=9-1"), ("If-None-Match", "*"),
        ("If-Match", '"none"'), ("Prefer", "wait=0"), ("Prefer", "return=minimal"), ("Cache-Control", "no-cache"),
        ("Cache-Control", "no-store"), ("Cache-Control", "only-if-cached"), ("Pragma", "no-cache"), ("Expect", "100-continue"),
        ("Last-Event-ID", "x"), ("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9"), ("Connection", "close"),
        ("Connection", "Accept, Accept-Cells"), ("X-HTTP-Method-Override", "DELETE"), ("Content-Type", "text/html"),
        ("Sec-Fetch-Site", "cross-site"), ("Upgrade", "websocket"), ("Content-Length", "1"), ("Host", "attacker.example"),
    ]:
        yield f"{name}: {value}", replace((name, value))
    yield "HEAD", aim(lambda target: target, "HEAD")
    yield "OPTIONS", aim(lambda target: target, "OPTIONS")
    yield "PURGE", aim(lambda target: target, "PURGE")
    yield "the query in another order", aim(lambda target: re.sub(r"\?(after=[^&]+)&(slot=.+)", r"?\2&\1", target))
    for more in ["&slot=0", "&after=x", "&SLOT=0", "&Slot", "&wait=0", "&view=me", "&rows=0", "&rows=1&rows=2", "&x=1", "&", "#x", "&%73lot=0"]:
        yield f"a target with {more}", aim(lambda target, more=more: target + more)
    for change in ["/v1/tables/x/../{}", "/v1//tables/{}", "/v1/./tables/{}", "/v1/tables/{};a=b", "/v1/tables/{}%3Ba=b", "/v1/tables/{}/."]:
        yield f"the path {change}", aim(lambda target, change=change: re.sub(
            r"^/v1/tables/(first\d+)", lambda found: change.format(found[1]), target))
    yield "a path in percents", aim(lambda target: target.replace("first", "%66irst"))
    yield "the absolute form", aim(lambda target: f"http://127.0.0.1{target}")


class Recorder:
    """Between the edge and the origin, on a thread of its own: counts the requests that pass, by their table."""

    def __init__(self, port):
        self.port, self.counts = port, {}

    def start(self, origin):
        self.origin = origin
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()

    async def serve(self):
        async with await asyncio.start_server(self.pass_on, "127.0.0.1", self.port) as server:
            await server.serve_forever()

    async def pass_on(self, reader, writer):
        try:
            upstream, downstream = await asyncio.open_connection("127.0.0.1", self.origin)
            await self.copy_both(reader, writer, upstream, downstream)
        except OSError:
            writer.close()

    async def copy_both(self, reader, writer, upstream, downstream):

        async def copy(source, sink, note):
            try:
                while data := await source.read(65536):
                    note(data)
                    sink.write(data)
                    await sink.drain()
            except ConnectionError:
                pass
            sink.close()

        await asyncio.gather(copy(reader, downstream, self.note), copy(upstream, writer, lambda data: None))

    def note(self, data):
        for table in re.findall(rb"^[A-Z]+ \S*?(?:f|%66)irst(\d+)\b\S* HTTP/1\.1\r$", data, re.M):
            self.counts[int(table)] = self.counts.get(int(table), 0) + 1


async def exchange(port, method, target, fields):
    """The reply's status, fields and content; (0, …) where the connection ends without one."""
    lines = fields if any(name.lower() == "host" for name, _ in fields) else [("Host", "127.0.0.1")] + fields
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        body = "x" if ("Content-Length", "1") in fields else ""
        writer.write(f"{method} {target} HTTP/1.1\r\n{head}\r\n{body}".encode())
        said = {"status": 0}
        while said["status"] in (0, 100):
            first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
            said = {name.lower(): value for name, value in (line.split(": ", 1) for line in rest if ": " in line)}
            said["status"] = int(first.split()[1])
        if method == "HEAD" or said["status"] in (204, 304):
            content = b""
        elif "content-length" in said:
            content = await reader.readexactly(int(said["content-length"]))
        else:
            content = b""
            while size := int((await reader.readline()).strip(), 16):
                content += (await reader.readexactly(size + 2))[:-2]
        return said, content
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return {"status": 0}, b""
    finally:
        writer.close()


def ask(port, path, fields=PLAIN, body=None):
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", content, {**fields, "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def comparable(said, content):
    """What must be the same through the edge: all but the slot that is asked for next, and what neighbours say."""
    shown = ["status", "content-type", "cache-control", "access-control-allow-origin", "content-language"]
    try:
        body = json.loads(content)
        body.pop("slot", None)
    except ValueError:
        body = content
    return {name: said.get(name) for name in shown}, body


async def one(origin, edge, recorder, number, name, attack, kind):
    """Returns what went wrong, in words."""
    table = f"first{number}"
    cursors = [(await asyncio.to_thread(ask, origin, f"/v1/tables/{table}", fields))["cursor"] for fields in KINDS]
    slot = (await asyncio.to_thread(ask, origin, f"/v1/tables/{table}/changes?after={cursors[0]}&slot=0"))["slot"]
    targets = [f"/v1/tables/{table}/changes?after={cursor}&slot={slot}" for cursor in cursors]
    requests = [("GET", target, list(fields.items())) for target, fields in zip(targets, KINDS)]
    recorder.counts[number] = 0
    first = asyncio.create_task(exchange(edge, *attack(*requests[kind])))
    await asyncio.sleep(0.5)
    honest = [asyncio.create_task(exchange(edge, *requests[index % 2])) for index in range(HONEST)]
    await asyncio.sleep(3)
    waiting = recorder.counts[number]
    ended = [await task for task in honest if task.done()]
    await asyncio.to_thread(ask, origin, f"/v1/tables/{table}/items", PLAIN, {"title": "second"})
    replies = await asyncio.gather(*honest)
    # Those who ask for it afterwards get what is kept, whoever it was kept for.
    late = [await exchange(edge, *request) for request in requests]
    direct = [comparable(*await exchange(origin, *request)) for request in requests]
    first.cancel()
    wrong = []
    if waiting > 2 + 3:
        wrong.append(f"{waiting} requests at the origin")
    if ended:
        wrong.append(f"{len(ended)} answered before the table changed: {ended[0]}")
    for index, (said, content) in list(enumerate(replies)) + list(enumerate(late)):
        if comparable(said, content) != direct[index % 2]:
            wrong.append(f"one got {said} {content[:300]} instead of {direct[index % 2]}")
            break
        if MARK in str(said):
            wrong.append(f"the first one's words reach others: {said}")
            break
    return [f"{name} ({'with' if kind else 'without'} Accept-Cells): {words}" for words in wrong]


def cases():
    """All attacks, on each kind of honest requests; each has a table of its own."""
    return [(name, attack, kind) for name, attack in attacks() for kind in range(len(KINDS))]


def tables():
    """Their tables, as YAML."""
    return "".join(TABLE.format(number=number) for number in range(len(cases())))


async def trial(origin, edge, recorder):
    """Tries all cases, some at a time, within a slot."""
    all, wrong, size = cases(), [], 40
    for start in range(0, len(all), size):
        if time.time() % 20 > 10:
            await asyncio.sleep(20.1 - time.time() % 20)
        some = enumerate(all[start:start + size], start)
        found = await asyncio.gather(*[one(origin, edge, recorder, number, *case) for number, case in some])
        wrong += [words for each in found for words in each]
    print(f"{len(all)} clients that were first: {len(wrong)} got something, or kept others from sharing")
    for words in wrong:
        print("  " + words)
    return wrong
