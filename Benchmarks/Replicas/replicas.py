#!/usr/bin/env python3
"""What replicas on PostgreSQL do: edits a second, how soon who waits at one hears of an edit at another, how many can wait,
and what the database does for one version. Starts a PostgreSQL (Debian's) and the replicas, in a folder of their own.

    replicas.py --service PATH/tablecast [--waiters 30000] [--only latency|edits|waiters]
"""

import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

CONFIGURATION = """
store: {{postgres: "host={folder}/postgres user=tests dbname=postgres"}}
limits: {{connections: {connections}, waiters: {connections}}}
cells: {{Label: {{nib: Label, fields: {{title: string}}}}}}
tables:
  todo: {{source: {{local: {{items: [{items}]}}}}, cell: Label, payload: {{title: "${{title}}"}}}}
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def milliseconds(values):
    return f"p50 {quantile(values, 0.5) * 1e3:.1f} ms, p99 {quantile(values, 0.99) * 1e3:.1f} ms, most {max(values) * 1e3:.1f} ms"


class Database:
    def __init__(self, folder):
        self.folder = folder / "postgres"
        self.folder.mkdir()
        newest = max(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda path: int(path.name))
        self.binaries = newest / "bin"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "--auth=trust", "--username=tests", f"--pgdata={self.folder}/data")
        settings = "-c shared_preload_libraries=pg_stat_statements -c max_connections=100"
        self.run("sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh", str(self.binaries / "pg_ctl"), "-w", "-D",
                 f"{self.folder}/data", "-o", f"-k {self.folder} -h '' {settings}", "-l", f"{self.folder}/log", "start")
        self.ask("CREATE EXTENSION pg_stat_statements")

    def run(self, *words):
        program = self.binaries / words[0]
        words = [str(program) if program.exists() else words[0], *words[1:]]
        if os.geteuid() == 0:
            words = ["runuser", "-u", "postgres", "--", *words]
        ended = subprocess.run(words, cwd="/", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert ended.returncode == 0, f"{words}: {ended.stderr[-2000:]}"
        return ended.stdout.strip()

    def ask(self, statement):
        return self.run("psql", "-XAt", "-h", str(self.folder), "-U", "tests", "-c", statement, "postgres")

    def work(self):
        """Statements, rows that they were about, bytes of the log of changes, and seconds spent, all so far."""
        return [float(value) for value in self.ask(
            "SELECT sum(calls), sum(rows), pg_current_wal_lsn() - '0/0', sum(total_exec_time) / 1000"
            " FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'").split("|")]

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")


class Replicas:
    def __init__(self, service, folder, count, connections=1024):
        items = ", ".join(f"{{title: item {number}}}" for number in range(100))
        (folder / "tablecast.yaml").write_text(
            CONFIGURATION.format(folder=folder, items=items, connections=connections))
        self.ports = [free_port() for _ in range(count)]
        self.processes = [
            subprocess.Popen([service, "serve", "--config", str(folder / "tablecast.yaml"), "--listen", f"127.0.0.1:{port}"],
                             stdout=subprocess.DEVNULL, stderr=open(folder / "log", "a"))
            for port in self.ports
        ]
        for port in self.ports:
            deadline = time.time() + 60
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
                    break
                except OSError:
                    assert time.time() < deadline, "replicas that are not ready after a minute"
                    time.sleep(0.1)
        snapshot = json.load(urllib.request.urlopen(f"http://127.0.0.1:{self.ports[0]}/v1/tables/todo"))
        self.rows = [row["id"] for section in snapshot["sections"] for row in section["rows"]]

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        return reply.status, json.loads(reply.read())

    def patch(self, row, title):
        status, answer = self.ask("PATCH", f"/v1/tables/todo/items/{row}", {"title": title})
        assert status == 200, answer
        return answer["cursor"]


def latency(replicas, database, edits):
    """One edits at the first replica, one waits at the last: from the edit's answer, and from its sending."""
    editor, waiter = Client(replicas.ports[0]), Client(replicas.ports[-1])
    cursor = waiter.ask("GET", "/v1/tables/todo")[1]["cursor"]
    heard, waiting = {}, threading.Event()

    def wait():
        nonlocal cursor
        while len(heard) < edits:
            waiting.set()
            changes = waiter.ask("GET", f"/v1/tables/todo/changes?after={cursor}&wait=20")[1]
            cursor = changes["to"]
            heard[cursor] = time.perf_counter()

    thread = threading.Thread(target=wait)
    thread.start()
    waiting.wait()
    sent, answered = {}, {}
    before = database.work()
    for number in range(edits):
        time.sleep(0.02 + random.random() * 0.02)
        begun = time.perf_counter()
        made = editor.patch(replicas.rows[number % 100], f"{number}")
        sent[made], answered[made] = begun, time.perf_counter()
        while made not in heard:
            time.sleep(0.0005)
    after = database.work()
    thread.join()
    done = [after[index] - before[index] for index in range(4)]
    print(f"{len(replicas.ports)} replicas: from an edit's answer to who waits at another one: "
          f"{milliseconds([max(0, heard[key] - answered[key]) for key in answered])}")
    print(f"  from its sending: {milliseconds([heard[key] - sent[key] for key in sent])}; until it is acknowledged: "
          f"{milliseconds([answered[key] - sent[key] for key in sent])}")
    print(f"  PostgreSQL for a version: {done[0] / edits:.1f} statements, {done[1] / edits:.1f} rows, "
          f"{done[2] / edits:,.0f} bytes of WAL, {done[3] / edits * 1e3:.2f} ms")


def throughput(replicas, database, seconds, editors=24):
    """Editors on all replicas, each with a connection of its own, none waiting for another."""
    counts, times, lock = [0, 0], [], threading.Lock()
    stop = time.perf_counter() + seconds

    def edit(index):
        client, mine, rng = Client(replicas.ports[index % len(replicas.ports)]), [], random.Random(index)
        while (begun := time.perf_counter()) < stop:
            title = {"title": f"{index} {len(mine)}"}
            # Who lost too often is told to come again.
            while (reply := client.ask("PATCH", f"/v1/tables/todo/items/{rng.choice(replicas.rows)}", title))[0] == 503:
                with lock:
                    counts[1] += 1
            assert reply[0] == 200, reply
            mine.append(time.perf_counter() - begun)
        with lock:
            counts[0] += len(mine)
            times.extend(mine)

    before = database.work()
    threads = [threading.Thread(target=edit, args=(index,)) for index in range(editors)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [b - a for a, b in zip(before, database.work())]
    conflicts = 0
    for port in replicas.ports:
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        conflicts += int(next(line for line in text.split("\n") if line.startswith("tablecast_replica_conflicts_total ")).split()[1])
    print(f"{len(replicas.ports)} replicas, {editors} editors: {counts[0] / seconds:,.0f} edits a second, {milliseconds(times)}; "
          f"{conflicts / counts[0]:.2f} laid out anew an edit, {counts[1]} answered 503; {done[0] / counts[0]:.1f} statements, "
          f"{done[2] / counts[0]:,.0f} bytes of WAL an edit")


def wait_for_all(number, ports, cursor, count, report, go):
    """A process of its own, as descriptors are counted for each: `count` polls, and when each was answered."""
    poll, sockets = select.epoll(), {}
    request = f"GET /v1/tables/todo/changes?after={cursor}&wait=55 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    for index in range(count):
        client = socket.socket()
        # An address has some 28,000 ports.
        client.bind((f"127.0.0.{2 + number}", 0))
        client.connect(("127.0.0.1", ports[index % len(ports)]))
        client.send(request)
        sockets[client.fileno()] = client
        poll.register(client.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
    early = len(poll.poll(0.5, count))
    report.send(early)
    made = go.recv()
    heard, last = [], time.perf_counter()
    while len(heard) < count and time.perf_counter() - last < 20:
        for handle, _ in poll.poll(1, 4096):
            reply = sockets[handle].recv(65536)
            last = time.perf_counter()
            if b" 200 " in reply[:20] and made.encode() in reply:
                heard.append(last)
    report.send(heard)


def waiters(replicas, count, each=10_000):
    """So many wait, over all replicas; then one edits. Whoever waits is on the machine that sends."""
    cursor = Client(replicas.ports[0]).ask("GET", "/v1/tables/todo")[1]["cursor"]

    def resident():
        return sum(int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * resource.getpagesize()
                   for process in replicas.processes)

    before, begun, crowds = resident(), time.perf_counter(), []
    for number in range((count + each - 1) // each):
        report, reports = multiprocessing.Pipe()
        go, gone = multiprocessing.Pipe()
        share = min(each, count - number * each)
        process = multiprocessing.Process(
            target=wait_for_all, args=(number, replicas.ports, cursor, share, reports, gone))
        process.start()
        crowds.append((report, go, process))
    early = sum(report.recv() for report, _, _ in crowds)
    came, taken = time.perf_counter() - begun, resident() - before
    sent = time.perf_counter()
    made = Client(replicas.ports[0]).patch(replicas.rows[0], "for all")
    answered = time.perf_counter()
    for _, go, _ in crowds:
        go.send(made)
    heard = [moment - answered for report, _, _ in crowds for moment in report.recv()]
    for _, _, process in crowds:
        process.join()
    print(f"{count:,} waiters at {len(replicas.ports)} replicas, there in {came:.1f} s, {taken / count:,.0f} bytes of the replicas "
          f"for each; {early} were answered before; {len(heard):,} had the edit, {milliseconds(heard)} after its answer, which "
          f"took {(answered - sent) * 1e3:.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--service", required=True)
    parser.add_argument("--waiters", type=int, default=30_000)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--only", choices=["latency", "edits", "waiters"])
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-replicas-"))
    os.chmod(folder, 0o755)
    database = Database(folder)
    try:
        for number in (1, 2, 3):
            replicas = Replicas(arguments.service, folder, number)
            if arguments.only in (None, "latency"):
                latency(replicas, database, arguments.edits)
            if arguments.only in (None, "edits"):
                throughput(replicas, database, arguments.seconds)
            replicas.stop()
        if arguments.only in (None, "waiters"):
            replicas = Replicas(arguments.service, folder, 3, connections=arguments.waiters // 3 + 2048)
            waiters(replicas, arguments.waiters)
            replicas.stop()
    finally:
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
