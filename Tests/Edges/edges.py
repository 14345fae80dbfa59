#!/usr/bin/env python3
"""Clients at one edge cost the origin one request a change and one a period.

Starts the service, and nginx or Varnish with the configuration of deploy/edges before it; many clients poll by slots
through the edge, each strict: it refuses a changeset that does not begin where it stands. Then items are edited. Before
that, replies through the edge are compared with the origin's own, for pages and languages by turns; and all clients wait
for a change that is answered by a reset, which no cache may keep. Before all that, somebody tries to be the first at each
slot with every field that a reply depends on (first.py): that keeps nobody else from sharing, nor gives them another's reply.

    edges.py --edge nginx|varnish|none --service PATH/tablecast [--clients 200] [--edits 5] [--seconds 45] [--first-only]

With `none` the clients ask the service itself: what of the delays is the trial's own, whose clients are all one process.
"""

import argparse
import asyncio
import contextlib
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import first

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = """
listen: 127.0.0.1:{port}
store: memory
cors: {{origins: ["https://app.example.com", "https://admin.example.com"]}}
locales: [en-US, de-DE, fr-FR]
cells: {{Label: {{nib: Label, fields: {{title: string}}}}, {cells}}}
tables:
  greeting:
    edges: true
    source: {{local: {{}}}}
    cell: Label
    payload: {{title: "${{title}} ${{$locale}}"}}
  all:
    edges: true
    source: {{local: {{items: [{items}]}}}}
    row: {{id: "${{key}}"}}
    cell: Label
    payload: {{title: "${{title}}"}}
  todo:
    edges: true
    source: {{local: {{items: [{{title: first}}]}}}}
    cell: Label
    payload: {{title: "${{title}}"}}
{tables}
"""


PAGES = [None, "https://app.example.com", "https://admin.example.com", "https://else.example"]
# As people's browsers say it; the first is what the other trials say.
LANGUAGES = [
    None, "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "en-US,en;q=0.9,de;q=0.8", "fr-CA,de;q=0.5", "es, it;q=0.9, DE-at;q=0.5",
    "it", "*, de;q=0.1", "dent,fr", "de",
]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_open(port):
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on {port}")


def with_examples(text):
    """The configuration's examples made effective, with a second origin."""
    text = re.sub(r"^  # (~\*|if |elseif |else )", r"  \1", text, flags=re.M)
    assert text.count("https://app\\.example") == 1
    return text.replace("https://app\\.example", "https://(?:app|admin)\\.example")


def start_nginx(folder, origin, port):
    text = (ROOT / "deploy/edges/nginx.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{origin}").replace("listen 8090", f"listen 127.0.0.1:{port}")
    text = text.replace("/var/cache/nginx/tablecast", f"{folder}/cache").replace("127.0.0.1:8091", f"127.0.0.1:{free_port()}")
    text = with_examples(text)
    (folder / "edge.conf").write_text(text)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 2;\n"
        "worker_rlimit_nofile 8192; events { worker_connections 4096; }\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n"
        f"include {folder}/edge.conf; }}\n"
    )
    os.chmod(folder, 0o755)
    return subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])


def start_varnish(folder, origin, port):
    text = with_examples((ROOT / "deploy/edges/default.vcl").read_text().replace('"8080"', f'"{origin}"'))
    (folder / "edge.vcl").write_text(text)
    os.chmod(folder, 0o755)
    parameters = re.findall(r"-p|\w+=\w+", text[text.index("start varnishd with"):text.index("backend origin")])
    # A waiting client has a thread while it waits for another one's reply to begin.
    return subprocess.Popen(
        ["varnishd", "-F", "-n", str(folder / "varnish"), "-a", f"127.0.0.1:{port}", "-f", str(folder / "edge.vcl"),
         "-s", "malloc,64m", "-p", "thread_pool_max=1000", *parameters],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )


class Client:
    """Follows a table through the edge; `seen` is when each version came."""

    def __init__(self, port, rng):
        self.port, self.rng = port, rng
        self.seen, self.requests, self.resets = {}, 0, 0
        self.reader = self.writer = None

    async def get(self, target):
        self.requests += 1
        for attempt in range(2):
            try:
                if self.writer is None:
                    self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
                self.writer.write(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
                break
            except (asyncio.IncompleteReadError, ConnectionError):
                self.writer = None
                if attempt:
                    raise
        if " chunked" in head:
            body = b""
            while size := int((await self.reader.readline()).strip(), 16):
                body += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        else:
            body = await self.reader.readexactly(int(re.search(r"content-length: (\d+)", head)[1]))
        if " 200 " not in head.split("\r\n")[0]:
            raise RuntimeError(head.split("\r\n")[0] + " " + body.decode())
        return json.loads(body)

    async def follow(self, deadline):
        await asyncio.sleep(self.rng.random() * 3)
        self.cursor, slot = (await self.get("/v1/tables/todo"))["cursor"], 0
        while time.time() < deadline:
            changes = await self.get(f"/v1/tables/todo/changes?after={self.cursor}&slot={slot}")
            slot = changes["slot"]
            if "reset" in changes:
                self.resets += 1
                self.cursor = changes["snapshot"]["cursor"]
                continue
            if changes["from"] != self.cursor:
                raise RuntimeError(f"a changeset from {changes['from']} for {self.cursor}")
            if bool(changes["stages"]) != (changes["to"] != self.cursor):
                raise RuntimeError(f"stages and cursors that disagree: {changes}")
            self.cursor = changes["to"]
            if changes["stages"]:
                self.seen[version(self.cursor)] = time.time()


def version(cursor):
    return int(re.match(r"[0-9a-f]+\.(\d+)", cursor)[1])


def origin_requests(port):
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    return int(re.search(r"^tablecast_requests_total (\d+)", text, re.M)[1])


def get(port, path, fields={}):
    """The body, and the fields that depend on who asks."""
    with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=fields)) as reply:
        said = {name: reply.headers[name] for name in ("Access-Control-Allow-Origin", "Content-Language", "Cache-Control")}
        return json.load(reply), said


def post(port, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def edit(port, title):
    return version(post(port, "/v1/tables/todo/items", {"title": title})["cursor"]), time.time()


def compare(origin, edge, rng):
    """Whoever polls through the edge gets what the origin would say to them, whoever asked before."""
    # A browser asks first whether it may send `Accept-Cells`, and is not to wait for the table to change.
    cursor = get(origin, "/v1/tables/greeting")[0]["cursor"]
    slot = get(origin, f"/v1/tables/greeting/changes?after={cursor}&slot=0")[0]["slot"]
    before = origin_requests(origin)
    for page in filter(None, PAGES):
        preflight = urllib.request.Request(
            f"http://127.0.0.1:{edge}/v1/tables/greeting/changes?after={cursor}&slot={slot}", method="OPTIONS",
            headers={"Origin": page, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "accept-cells"},
        )
        with urllib.request.urlopen(preflight) as reply:
            granted = reply.headers["Access-Control-Allow-Origin"]
            assert granted == (page if page in PAGES[:3] else None), f"{page} is granted {granted}"
    assert origin_requests(origin) - before - 1 == 3, "a preflight waited for the table"

    german = get(origin, "/v1/tables/greeting", {"Accept-Language": "de"})[0]["cursor"]
    post(origin, "/v1/tables/greeting/items", {"title": "hello"})
    askers = [(page, language, after) for page in PAGES for language in LANGUAGES for after in (cursor, german)] * 2
    rng.shuffle(askers)
    kept, asked = set(), 0
    for page, language, after in askers:
        fields = {"Origin": page, "Accept-Language": language}
        fields = {name: value for name, value in fields.items() if value}
        path = f"/v1/tables/greeting/changes?after={after}&slot=0"
        before = origin_requests(origin)
        through = get(edge, path, fields)
        cost = origin_requests(origin) - before - 1
        direct = get(origin, path, fields)
        # The next slot is another one after a while.
        through[0].pop("slot"), direct[0].pop("slot")
        assert through == direct, f"{fields}: through the edge {through}, at the origin {direct}"
        if direct[1]["Cache-Control"] != "no-store":
            kept.add((direct[1]["Access-Control-Allow-Origin"], direct[1]["Content-Language"]))
            asked += cost
        snapshot, own = get(edge, "/v1/tables/greeting", fields)[1], get(origin, "/v1/tables/greeting", fields)[1]
        assert snapshot["Content-Language"] == own["Content-Language"], f"{fields}: the snapshot's language"
    print(f"compared: {len(askers)} replies; {asked} requests for the {len(kept)} different ones that are kept")
    assert len(kept) == 6 and (asked == len(kept) or origin == edge), "a reply was asked for more than once, or never"


async def reset(arguments, origin, edge, rng):
    """All rows change: the reply is a reset, which is not kept. Returns when the clients had it, in seconds."""
    snapshot = get(origin, "/v1/tables/all")[0]
    # Not in the last seconds of a slot.
    await asyncio.sleep(20 - time.time() % 20 if time.time() % 20 > 10 else 0)
    path = f"/v1/tables/all/changes?after={snapshot['cursor']}&slot="
    path += str(get(edge, path + "0")[0]["slot"])

    async def wait():
        reply = await Client(edge, rng).get(path)
        return reply.get("reset"), time.time()

    tasks = [asyncio.create_task(wait()) for _ in range(arguments.clients)]
    await asyncio.sleep(3)
    edits = [
        {"op": "patch", "id": row["id"], "patch": {"title": f"changed {rng.random()}"}}
        for section in snapshot["sections"] for row in section["rows"]
    ]
    await asyncio.to_thread(post, origin, "/v1/tables/all/edits", {"edits": edits})
    edited = time.time()
    replies = await asyncio.gather(*tasks)
    assert {kind for kind, _ in replies} == {"large"}, f"not resets: {replies}"
    return sorted(when - edited for _, when in replies)


async def trial(arguments, origin, edge):
    rng = random.Random(arguments.seed)
    await asyncio.to_thread(compare, origin, edge, rng)
    resets = await reset(arguments, origin, edge, rng)
    begun = time.time()
    clients = [Client(edge, rng) for _ in range(arguments.clients)]
    tasks = [asyncio.create_task(client.follow(begun + arguments.seconds)) for client in clients]
    await asyncio.sleep(5)
    before, began = origin_requests(origin), time.time()
    edits = []
    for number in range(arguments.edits):
        await asyncio.sleep(1 + rng.random() * 4)
        edits.append(await asyncio.to_thread(edit, origin, f"edit {number}"))
    # Periods without a change, then one more, which ends all polls.
    await asyncio.sleep(max(begun + arguments.seconds - time.time(), 0))
    edits.append(await asyncio.to_thread(edit, origin, "the last"))
    spent, lasted = origin_requests(origin) - before - len(edits) - 1, time.time() - began
    done, _ = await asyncio.wait(tasks, timeout=30)
    failures = [task.exception() for task in done if task.exception()]
    delays = sorted(c.seen[v] - t for v, t in edits[:-1] for c in clients if v in c.seen)
    missed = sum(v not in c.seen for v, _ in edits[:-1] for c in clients)
    # One when the change is fetched and one that learns of it; one a period.
    allowed = 2 * (len(edits) + lasted / 20 + 1)
    print(
        f"{arguments.edge}: {len(clients)} clients, {len(edits)} changes, {lasted:.0f} s: {spent} requests at the origin"
        f" (at most {allowed:.0f}), {sum(c.requests for c in clients)} at the edge;"
        f" to clients p50 {1000 * delays[len(delays) // 2]:.0f} ms, p99 {1000 * delays[len(delays) * 99 // 100]:.0f} ms,"
        f" most {1000 * delays[-1]:.0f} ms; {missed} versions came together with the next"
    )
    print(f"a reset to clients p50 {1000 * resets[len(resets) // 2]:.0f} ms, most {1000 * resets[-1]:.0f} ms")
    behind = len({c.cursor for c in clients})
    assert not failures, failures[:3]
    assert len(done) == len(tasks), "clients that did not end"
    assert behind <= 2, "clients at different versions"
    # They are told all at the same time, as of any other change, not one after the other.
    assert resets[-1] <= 2 * delays[-1] + 1, "resets come late"
    assert spent <= allowed or arguments.edge == "none", "too many requests at the origin"


class LongHeads(http.server.BaseHTTPRequestHandler):
    """Answers as a poll of many tables is answered: with a `Link` as long as the request's target."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Link", f"<{self.path}>")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def check_heads(start):
    """The edge passes a poll of 64 tables on, and its reply; the origin's figures are not for the public."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LongHeads)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-edge-"))
    port = free_port()
    edge = start(folder, server.server_port, port)
    try:
        wait_until_open(port)
        for length in [100, 9_000, 16_000]:
            target = "/v1/changes?after=" + "x" * length
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{target}", timeout=10) as reply:
                assert reply.headers["Link"] == f"<{target}>", f"the reply to a target of {length} bytes"
        for path in ["/metrics", "/metrics?x", "/%6Detrics", "/m%65trics?"]:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10).close()
                raise AssertionError(f"{path} is open")
            except urllib.error.HTTPError as error:
                assert error.code in (403, 404), f"{path}: {error.code}"
    finally:
        edge.terminate()
        edge.wait()
        server.shutdown()
        server.server_close()
        shutil.rmtree(folder, ignore_errors=True)
    print("long heads are passed on, the origin's figures are not")


@contextlib.contextmanager
def services(arguments, recorder=None):
    """The service and the edge before it: the ports of both. A recorder stands between them."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-edge-"))
    origin, edge = free_port(), free_port()
    (folder / "tablecast.yaml").write_text(CONFIGURATION.format(
        port=origin, cells=first.CELLS, tables=first.tables() if recorder else "",
        items=", ".join(f"{{key: {key}, title: item {key}}}" for key in range(40)),
    ))
    processes = [subprocess.Popen([arguments.service, "serve", "--config", str(folder / "tablecast.yaml")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
    try:
        wait_until_open(origin)
        if recorder:
            recorder.start(origin)
        if arguments.edge == "none":
            edge = origin
        else:
            start = start_nginx if arguments.edge == "nginx" else start_varnish
            processes.append(start(folder, recorder.port if recorder else origin, edge))
            wait_until_open(edge)
        yield origin, edge
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edge", choices=["nginx", "varnish", "none"], required=True)
    parser.add_argument("--service", required=True)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-only", action="store_true")
    arguments = parser.parse_args()
    if arguments.edge != "none":
        check_heads(start_nginx if arguments.edge == "nginx" else start_varnish)
        recorder = first.Recorder(free_port())
        with services(arguments, recorder) as (origin, edge):
            wrong = asyncio.run(first.trial(origin, edge, recorder))
            assert not wrong, f"{len(wrong)} clients that were first did harm"
    if not arguments.first_only:
        with services(arguments) as (origin, edge):
            asyncio.run(trial(arguments, origin, edge))


main()
