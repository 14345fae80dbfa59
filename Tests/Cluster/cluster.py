#!/usr/bin/env python3
"""Three replicas on PostgreSQL with a synchronous standby, behind nginx's round robin, while things are killed.

Strict clients in two languages change replicas at every poll; editors send each edit with an idempotency key until it is answered, and so do
those who tap in views; the upstream changes. Meanwhile replicas and the database are killed, the standby takes its place, the
lines between a replica and the database are cut or swallow what is sent, and the replica that asks the sources is stopped and
woken. No client is set back without a reason; at the end of each round no acknowledged edit or tap is lost or doubled, the
rows stand in the order in which their edits were acknowledged one after the other, all replicas say the same, and no version
had two contents.

Members of a family are among the tables: each is made by whichever replica is asked first, and shared by all.

With --short a round has one fault, each kind in turn, and nothing lasts longer than it has to. That leaves out: two faults
in one round, lines that are cut or silent for longer than the lease lasts, replicas that are away for longer than half a second,
rounds without a fault, and whatever takes clients and editors more than some seconds to come upon.

    cluster.py --service PATH/tablecast [--rounds 10] [--seed 1] [--short]
"""

import argparse
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "StrictClient"))

from environment import Database, Line, ask, free_port  # noqa: E402
from strict_client import Contents, Mirror, Violation, require  # noqa: E402

REPLICAS = 3
FAULTS = ["replica", "leader", "pause", "database", "fail-over", "cut", "silence", "nothing"]
# A changeset may be larger than its table. For anything else a client that was told of a version is set back.
EXPLAINED = {"large"}
MEMBERS = ["named;q=a", "named;q=b"]


class Upstream(http.server.BaseHTTPRequestHandler):
    items = [{"id": number, "title": "0"} for number in range(5)]

    def do_GET(self):
        # Of a member it is asked by name.
        name = self.path.rpartition("/")[2]
        body = json.dumps([{**item, "title": item["title"] + name} for item in self.items]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Cluster:
    def __init__(self, service, folder, is_short):
        self.service, self.folder, self.is_short = service, folder, is_short
        self.database = Database(folder / "postgres")
        self.lines = [Line(self.database.servers) for _ in range(REPLICAS)]
        self.upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
        threading.Thread(target=self.upstream.serve_forever, daemon=True).start()
        (folder / "tablecast.yaml").write_text(
            f"""
store: {{postgres: "${{env.DATABASE_URL}}"}}
history: 256
limits: {{waitersPerAddress: 4096, connectionsPerAddress: 4096}}
locales: [en-US, de-DE]
cells:
  Label: {{nib: Label, fields: {{title: string, language: string}}}}
  Note: {{nib: Note, fields: {{title: string, isOpen: boolean, language: string}}, expands: isOpen}}
sources:
  list: {{url: "http://127.0.0.1:{self.upstream.server_port}/", every: 300ms, retries: 0}}
  named: {{url: "http://127.0.0.1:{self.upstream.server_port}/${{$params.q}}", every: 300ms, retries: 0}}
tables:
  up: {{source: list, row: {{id: "${{id}}"}}, cell: Label, payload: {{title: "${{title}}", language: "${{$locale}}"}}}}
  named:
    source: named
    parameters: {{q: {{}}}}
    row: {{id: "${{id}}"}}
    cell: Label
    payload: {{title: "${{title}}", language: "${{$locale}}"}}
  todo: {{source: {{local: {{}}}}, cell: Label, payload: {{title: "${{title}}", language: "${{$locale}}"}}}}
  notes:
    source: {{local: {{items: [{{title: A}}, {{title: B}}, {{title: C}}]}}}}
    cell: Note
    payload: {{title: "${{title}}", isOpen: false, language: "${{$locale}}"}}
"""
        )
        self.ports = [free_port() for _ in range(REPLICAS)]
        self.front = free_port()
        self.processes = [None] * REPLICAS
        self.nginx = None
        for index in range(REPLICAS):
            self.start(index)
        servers = "".join(f"server 127.0.0.1:{port} max_fails=0;" for port in self.ports)
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/nginx.pid; worker_processes 1; events {{ worker_connections 1024; }}\n"
            f"http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;\n"
            f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n"
            f"upstream replicas {{ {servers} }}\n"
            f"server {{ listen 127.0.0.1:{self.front}; location / {{ proxy_pass http://replicas;\n"
            "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host $host;\n"
            "proxy_next_upstream error timeout; proxy_connect_timeout 1s; proxy_read_timeout 12s; } } }\n"
        )
        os.chmod(folder, 0o755)
        self.nginx = subprocess.Popen(["nginx", "-e", f"{folder}/nginx.log", "-c", f"{folder}/nginx.conf"])
        try:
            self.wait_until_ready()
        except AssertionError:
            self.end()
            raise

    def start(self, index):
        log = open(self.folder / f"replica{index}.log", "a")
        self.processes[index] = subprocess.Popen(
            [self.service, "serve", "--config", str(self.folder / "tablecast.yaml"),
             "--listen", f"127.0.0.1:{self.ports[index]}"], stdout=log, stderr=log,
            env={**os.environ, "DATABASE_URL": self.lines[index].address})

    def wait_until_ready(self):
        deadline = time.time() + 60
        while time.time() < deadline:
            if all((ask(port, "GET", "/readyz") or (0,))[0] == 200 for port in self.ports):
                return
            time.sleep(0.1)
        raise AssertionError("replicas that are not ready after a minute")

    def leader(self):
        for index, port in enumerate(self.ports):
            reply = ask(port, "GET", "/metrics", timeout=2)
            if reply and b"\ntablecast_replica_leading 1" in reply[1]:
                return index
        return None

    def fault(self, kind, rng):
        if kind in ("replica", "leader"):
            index = self.leader() if kind == "leader" else None
            index = rng.randrange(REPLICAS) if index is None else index
            self.processes[index].kill()
            self.processes[index].wait()
            time.sleep(rng.random() * (0.5 if self.is_short else 2))
            self.start(index)
        elif kind == "pause":
            index = self.leader()
            if index is not None:
                self.processes[index].send_signal(signal.SIGSTOP)
                # Longer than a lease lasts.
                time.sleep(5 if self.is_short else 6)
                self.processes[index].send_signal(signal.SIGCONT)
        elif kind == "database":
            self.database.primary.kill()
            time.sleep((0.3 if self.is_short else 1) + rng.random())
            self.database.primary.start()
        elif kind == "fail-over":
            self.database.fail_over()
        elif kind in ("cut", "silence"):
            line = self.lines[rng.randrange(REPLICAS)]
            if kind == "cut":
                line.cut()
            else:
                line.state = "silent"
            time.sleep(1 + rng.random() * (1 if self.is_short else 5))
            line.state = "open"

    def end(self):
        if self.nginx:
            self.nginx.terminate()
        for process in filter(None, self.processes):
            process.send_signal(signal.SIGCONT)
            process.kill()
        self.database.stop()


def flat(snapshot):
    return [row for section in snapshot["sections"] for row in section["rows"]]


def follow(cluster, table, language, contents, stop, counts, failures):
    mirror = None
    while not stop.is_set():
        path = f"/v1/tables/{table}"
        if mirror is not None:
            path += f"/changes?after={mirror.cursor}&wait={1 if cluster.is_short else 3}"
        reply = ask(cluster.front, "GET", path, headers={"Accept-Language": language})
        if reply is None or reply[0] >= 500:
            time.sleep(0.1)
            continue
        body = json.loads(reply[1])
        try:
            require(reply[0] == 200, reply)
            if mirror is None or "reset" in body:
                if mirror is not None:
                    reason = body["reset"]
                    counts["resets"][reason] = counts["resets"].get(reason, 0) + 1
                    require(reason in EXPLAINED, f"a reset from {mirror.cursor} to {body['to']}: {reason}")
                mirror = Mirror(body.get("snapshot", body))
            else:
                mirror.apply(body)
            contents.check(f"{table} {language}", mirror.cursor, mirror.rows, "a client")
            require(all(row["payload"]["language"].startswith(language) for row in mirror.rows), "another language")
            counts["polls"] += 1
        except (Violation, KeyError) as error:
            failures.append(f"{table} {language}: {error!r} {json.dumps(body)[:400]}")
            mirror = None


def tap(cluster, view, rng, stop, contents, counts, failures):
    """A client's own view, in which it taps and looks, each time at another replica."""
    taps, mirror, opened = 0, None, {}

    def until_answered(method, path, headers=None):
        begun = time.time()
        while True:
            reply = ask(cluster.front, method, path, headers={"Accept-Language": "en", **(headers or {})})
            if reply is not None and reply[0] == 200:
                return json.loads(reply[1])
            counts["again"] += 1
            require(reply is None or reply[0] >= 500, f"{method} {path}: {reply}")
            require(time.time() - begun < 60, f"{method} {path} was not answered for a minute")
            time.sleep(0.1)

    while not stop.is_set():
        try:
            if mirror is None:
                mirror = Mirror(until_answered("GET", f"/v1/tables/notes?view={view}"))
                opened = {row["id"]: row["payload"]["isOpen"] for row in mirror.rows}
            row = rng.choice(mirror.rows)["id"]
            answer = until_answered("POST", f"/v1/tables/notes/rows/{row}/tap?view={view}",
                                    {"Idempotency-Key": f"{view}-{taps}"})
            taps += 1
            counts["taps"] += 1
            opened[row] = not opened[row]
            said, begun = answer["cursor"].split("~")[0].split("."), time.time()
            while True:
                body = until_answered("GET", f"/v1/tables/notes/changes?after={mirror.cursor}&wait=5&view={view}")
                require("reset" not in body, f"a reset from {mirror.cursor}: {body.get('reset')}")
                mirror.apply(body)
                seen = mirror.cursor.split("~")[0].split(".")
                # A replica that is cut off from the database for longer than that goes on with what it knows.
                # Before the first tap a cursor tells of none.
                if seen[2:] == ([str(taps - 1)] if taps > 1 else []) and time.time() - begun < 60:
                    continue
                require(said[0] == seen[0] and seen[2:] == said[2:] == [str(taps)], f"tap {taps}: {said}, then {seen}")
                break
            shown = {row["id"]: row["payload"]["isOpen"] for row in mirror.rows}
            require(shown == opened, f"after {taps} taps {shown}, not {opened}")
            contents.check("notes", mirror.cursor, mirror.rows, "a view")
        except Violation as error:
            failures.append(f"view {view}: {error}")
            return
        time.sleep(rng.random() * 0.2)


def edit(cluster, name, rng, stop, done, counts, failures):
    number = 0
    while not stop.is_set():
        title = f"{name}.{number}"
        number += 1
        begun = time.time()
        while True:
            if number % 2:
                reply = ask(cluster.front, "POST", "/v1/tables/todo/items", {"title": title}, {"Idempotency-Key": title})
            else:
                # Under an identity of its own: refused where it is there, it is done.
                reply = ask(cluster.front, "PUT", f"/v1/tables/todo/items/{title}", {"title": title}, {"If-None-Match": "*"})
            if reply is not None and (reply[0] == 201 or reply[0] == 412 and number % 2 == 0):
                done[title] = json.loads(reply[1])["id"] if number % 2 else title
                break
            if reply is not None and reply[0] < 500 and reply[0] != 429:
                failures.append(f"edit {title}: {reply}")
                break
            counts["again"] += 1
            # Nobody knows whether it was carried out: it is sent until it is answered.
            if time.time() - begun > 60:
                failures.append(f"edit {title} was not answered for a minute")
                return
            time.sleep(0.1)
        time.sleep(rng.random() * 0.05)


def check(cluster, contents, done, failures):
    deadline = time.time() + 30
    tables = ("up", "todo", *MEMBERS)
    while True:
        said = [[ask(port, "GET", f"/v1/tables/{table}") for port in cluster.ports] for table in tables]
        same = all(None not in replies and len(set(replies)) == 1 and replies[0][0] == 200 for replies in said)
        if same and all(
            {row["payload"]["title"] for row in flat(json.loads(replies[0][1]))}
            == {item["title"] + table.partition("=")[2] for item in Upstream.items}
            for table, replies in zip(tables, said) if table != "todo"
        ):
            break
        if time.time() > deadline:
            failures.append(f"the replicas do not come to the same: {[[len(r[1]) if r else r for r in t] for t in said]}")
            return
        time.sleep(0.2)
    for table, replies in zip(tables, said):
        for index, reply in enumerate(replies):
            snapshot = json.loads(reply[1])
            contents.check(f"{table} en", snapshot["cursor"], flat(snapshot), f"replica {index}")
    rows = flat(json.loads(said[1][0][1]))
    found = {}
    for row in rows:
        title = row["payload"]["title"]
        if title in found:
            failures.append(f"edit {title} was carried out twice")
        found[title] = row["id"]
    for title, row in done.items():
        if found.get(title) != row:
            failures.append(f"edit {title} was acknowledged as {row}, and is {found.get(title)}")
    # An editor's edits come one after the other, each sent when the one before was acknowledged: so they stand.
    order = {}
    for row in rows:
        name, number = row["payload"]["title"].rsplit(".", 1)
        if int(number) < order.get(name, -1):
            failures.append(f"{row['payload']['title']} stands before an earlier one")
        order[name] = int(number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--service", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-cluster-"))
    os.chmod(folder, 0o755)
    cluster, contents, done, failures = Cluster(arguments.service, folder, arguments.short), Contents(), {}, []
    counts = {"polls": 0, "resets": {}, "again": 0, "taps": 0}
    try:
        for number in range(arguments.rounds):
            rng = random.Random(f"{arguments.seed}.{number}")
            stop = threading.Event()
            threads = [
                threading.Thread(target=follow, args=(cluster, table, language, contents, stop, counts, failures))
                for table, language in (("up", "en"), ("todo", "en"), ("up", "de"), ("todo", "de"), ("todo", "en"), ("todo", "de"),
                                        (MEMBERS[0], "en"), (MEMBERS[1], "de"), (MEMBERS[number % 2], "en"))
            ] + [
                threading.Thread(target=edit, args=(cluster, f"{number}-{name}", random.Random(f"{rng.random()}"), stop,
                                                    done, counts, failures))
                for name in "abc"
            ] + [
                threading.Thread(target=tap, args=(cluster, f"{arguments.seed}-{number}-{name}",
                                                   random.Random(f"{rng.random()}"), stop, contents, counts, failures))
                for name in "de"
            ]
            for thread in threads:
                thread.start()
            if arguments.short:
                kinds = [FAULTS[(arguments.seed + number) % (len(FAULTS) - 1)]]
            else:
                kinds = [rng.choice(FAULTS) for _ in range(2)]
            for kind in kinds:
                Upstream.items = [{"id": id, "title": str(rng.random())} for id in rng.sample(range(9), 5)]
                time.sleep(0.5 + rng.random() * (0.5 if arguments.short else 2))
                cluster.fault(kind, rng)
            time.sleep(1 + rng.random() * (0.5 if arguments.short else 2))
            stop.set()
            for thread in threads:
                thread.join()
            check(cluster, contents, done, failures)
            failures += contents.broken
            print(f"round {number}: {', '.join(kinds)}; {len(done)} edits, {counts['again']} sent again, "
                  f"{counts['taps']} taps, {counts['polls']} polls, resets {counts['resets'] or 'none'}, {len(contents.known)} versions seen", flush=True)
            if failures:
                print("seed", arguments.seed, *failures[:8], f"logs in {folder}", sep="\n")
                sys.exit(1)
    finally:
        cluster.end()
    shutil.rmtree(folder, ignore_errors=True)


main()
