#!/usr/bin/env python3
"""Clients at one edge cost the origin one request a change and one a period.

Starts the service, and nginx or Varnish with the configuration of deploy/edges before it; many clients poll by slots
through the edge, each strict: it refuses a changeset that does not begin where it stands. Then items are edited.

    edges.py --edge nginx|varnish|none --service PATH/tablecast [--clients 200] [--edits 5] [--seconds 45]

With `none` the clients ask the service itself: what of the delays is the trial's own, whose clients are all one process.
"""

import argparse
import asyncio
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
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = """
listen: 127.0.0.1:{port}
store: memory
cells: {{Label: {{nib: Label, fields: {{title: string}}}}}}
tables:
  todo:
    edges: true
    source: {{local: {{items: [{{title: first}}]}}}}
    cell: Label
    payload: {{title: "${{title}}"}}
"""


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


def start_nginx(folder, origin, port):
    text = (ROOT / "deploy/edges/nginx.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{origin}").replace("listen 8090", f"listen 127.0.0.1:{port}")
    text = text.replace("/var/cache/nginx/tablecast", f"{folder}/cache")
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
    text = (ROOT / "deploy/edges/default.vcl").read_text().replace('"8080"', f'"{origin}"')
    (folder / "edge.vcl").write_text(text)
    os.chmod(folder, 0o755)
    # A waiting client has a thread while it waits for another one's reply to begin.
    return subprocess.Popen(
        ["varnishd", "-F", "-n", str(folder / "varnish"), "-a", f"127.0.0.1:{port}", "-f", str(folder / "edge.vcl"),
         "-s", "malloc,64m", "-p", "thread_pool_max=1000"],
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


def edit(port, title):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/tables/todo/items", json.dumps({"title": title}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return version(json.load(reply)["cursor"]), time.time()


async def trial(arguments, origin, edge):
    rng = random.Random(arguments.seed)
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
    behind = len({c.cursor for c in clients})
    assert not failures, failures[:3]
    assert len(done) == len(tasks), "clients that did not end"
    assert behind <= 2, "clients at different versions"
    assert spent <= allowed or arguments.edge == "none", "too many requests at the origin"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edge", choices=["nginx", "varnish", "none"], required=True)
    parser.add_argument("--service", required=True)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-edge-"))
    origin, edge = free_port(), free_port()
    (folder / "tablecast.yaml").write_text(CONFIGURATION.format(port=origin))
    processes = [subprocess.Popen([arguments.service, "serve", "--config", str(folder / "tablecast.yaml")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
    try:
        wait_until_open(origin)
        if arguments.edge == "none":
            edge = origin
        else:
            processes.append((start_nginx if arguments.edge == "nginx" else start_varnish)(folder, origin, edge))
            wait_until_open(edge)
        asyncio.run(trial(arguments, origin, edge))
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


main()
