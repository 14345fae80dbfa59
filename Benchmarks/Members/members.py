#!/usr/bin/env python3
"""members.py [--rows N] [--members N ...] [--rounds N] [--callers]: what the members of a family cost that differ in their `where`
alone. One list is served by an upstream of this process; each member shows the rows of one owner, and is followed by a
poll. Between two refreshes 20 items change, each of another owner. Prints a table in Markdown: requests that the upstream
got for a refresh, processor time of the service for a refresh, and resident memory for each member beyond the first. With
--callers the owners are users, each with a token of an issuer, and the rows are told by its `sub`."""
import argparse
import http.server
import json
import os
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
from client import Connection, build, start

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=20_000)
parser.add_argument("--members", type=int, nargs="+", default=[1, 100, 10_000])
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--callers", action="store_true")
options = parser.parse_args()

OWNERS, CHANGES = 10_000, 20
CONFIGURATION = """\
listen: 127.0.0.1:0
store: memory
limits: {connections: 20000, connectionsPerAddress: 20000, membersBytes: 4GB}
sources:
  list: {url: "http://127.0.0.1:%d/", every: 0s}
tables:
  mine:
    source: list
    row: {id: "${id}"}
    parameters: {owner: {pattern: "[0-9]{1,6}"}}
    instances: {max: 20000, maxBytes: 4GB, freezeAfter: 1h, dropAfter: 2h}
    cell: TableViewCellWithLabel
    payload: {title: "${title} (${edition})"}
    sections: [{id: mine, where: owner == $params.owner}]
"""

if options.callers:
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Identity"))
    from users import Key

    KEY = Key("k")
    CONFIGURATION = CONFIGURATION.replace("    parameters: {owner: {pattern: \"[0-9]{1,6}\"}}\n", "").replace("$params.owner", "$caller.claims.sub")
    CONFIGURATION = CONFIGURATION.replace("sources:", "auth: {jwt: {issuer: \"https://id.example.com\", audience: t, jwks: keys.json, allow: {admin: true}}}\nsources:")


def ask(connection, method, target, owner):
    """As the owner, in the path or by its token."""
    if not options.callers:
        return connection.send(method, target.replace("%s", f";owner={owner}"))
    token = TOKENS.get(owner) or TOKENS.setdefault(owner, KEY.token(
        {"iss": "https://id.example.com", "aud": "t", "sub": str(owner), "exp": int(time.time()) + 86400}))
    target = target.replace("%s", "")
    connection.socket.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())


TOKENS = {}


class Upstream(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.items = 0, [
            {"id": number, "title": f"Item number {number} of a long list", "owner": str(number % OWNERS), "edition": 0}
            for number in range(options.rows)]
        self.encode()

    def encode(self):
        self.body = json.dumps(self.items).encode()

    def change(self, owners):
        """Items of owners that are among those given."""
        for index in range(CHANGES):
            self.items[owners[index % len(owners)]]["edition"] += 1
        self.encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests += 1
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *arguments):
        pass


def processor_time(process):
    """Seconds of all threads of a process."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))


def measure(members):
    upstream = Upstream()
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp()
    if options.callers:
        os.chdir(folder)
        with open("keys.json", "w") as file:
            json.dump({"keys": [KEY.jwk]}, file)
    process, port = start(folder, CONFIGURATION % upstream.server_address[1])
    try:
        connection = Connection(port)

        def snapshot(owner):
            ask(connection, "GET", "/v1/tables/mine%s", owner)
            return json.loads(connection.receive())

        cursors = {0: snapshot(0)["cursor"]}
        alone = resident(process.pid)
        for owner in range(1, members):
            cursors[owner] = snapshot(owner)["cursor"]
        each = (resident(process.pid) - alone) / max(members - 1, 1)
        fetched = upstream.requests
        touched = [owner * members // CHANGES for owner in range(CHANGES)] if members >= CHANGES else list(range(members))
        times, requests = [], []
        for _ in range(options.rounds):
            upstream.change(touched)
            time.sleep(0.2)
            before, begun = processor_time(process.pid), upstream.requests
            ask(connection, "POST", "/v1/sources/list/refresh", 0)
            connection.receive()
            for owner in touched:
                ask(connection, "GET", f"/v1/tables/mine%s/changes?after={cursors[owner]}&wait=5", owner)
                reply = json.loads(connection.receive())
                if reply["from"] == reply["to"]:
                    raise SystemExit(f"owner {owner} was not told of its change")
                cursors[owner] = reply["to"]
            time.sleep(0.2)
            times.append(processor_time(process.pid) - before)
            requests.append(upstream.requests - begun)
        return fetched, max(requests), sorted(times)[len(times) // 2], each
    finally:
        process.terminate()
        process.wait()
        upstream.shutdown()
        shutil.rmtree(folder)


build()
print(f"{options.rows} rows, {CHANGES} changed items a refresh, median of {options.rounds}\n")
print("| members | requests until all are there | requests a refresh | processor time a refresh | memory a member |")
print("| ---: | ---: | ---: | ---: | ---: |")
for members in options.members:
    fetched, requests, seconds, each = measure(members)
    print(f"| {members:,} | {fetched} | {requests} | {seconds * 1000:.0f} ms | "
          f"{'–' if members == 1 else f'{each / 1024:.1f} KB'} |", flush=True)
