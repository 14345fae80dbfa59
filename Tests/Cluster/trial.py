#!/usr/bin/env python3
"""What three replicas on PostgreSQL promise to whoever reads behind an answered edit, seen from outside.

One local source, `notes`, is shown by the table that keeps its items, by a second table, by members of a family and by a table
that looks it up, each in two languages. Six editors each count one item up, through any of them and any replica; readers ask
any replica for any of them. Each round has one kind of trouble, or none:

    quiet       nothing happens to the replicas
    conditions  the editors share two items and edit with If-Match
    ends        replicas are ended by SIGTERM and started again
    pauses      replicas are stopped for some seconds and woken
    slow        the database answers a replica late
    cuts        a replica has no database for some seconds
    promotion   the primary dies, and an asynchronous standby takes its place
    reloads     one process instead, whose configuration takes tables of the edited items away and brings them back
    upstream    two replicas of their own, with an upstream's list that is edited through them, in two languages and three tables
    rollouts    the same with three, to which one configuration after the other is given as fast as they take it, and more members
    renames     one process instead, whose configuration gives the source another name, edited through callers' own tables

What is counted is in `Checks`. Those that `--known KIND.CHECK,…` names are counted and don't fail the trial.

    trial.py --service PATH/tablecast [--rounds 8] [--seed 1] [--seconds 3] [--kinds quiet,ends] [--known promotion.cursor]
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

from environment import Database, Line, free_port  # noqa: E402
from strict_client import ask  # noqa: E402

REPLICAS = 3
KINDS = ["quiet", "conditions", "ends", "pauses", "slow", "cuts", "promotion", "reloads", "renames", "upstream", "rollouts"]
OWNERS = "abcdef"
LANGUAGES = ["en", "de"]
EDITABLE = ["all", "grouped"]
TABLES = EDITABLE + [f"by;owner={owner}" for owner in OWNERS[:2]] + ["joined"]


class Checks:
    """How often each promise was put to the test, and how often it was broken."""

    WORDS = {
        "condition": "edits with If-Match whose answer of 200 another one's has undone",
        "snapshot": "snapshots and rows begun after an answered edit that lack it",
        "object": "objects of rows begun after an answered edit that lack it",
        "order": "versions with an older item than the version before them",
        "chain": "polls that were set back: reset ahead, or to an epoch that was left",
        "cursor": "answered cursors whose version lacks the edit",
        "word": "answers that are no answer: neither a success nor an error with Retry-After",
        "ready": "times that /readyz was 200 where the replica could not look",
    }

    def __init__(self):
        self.lock, self.counts, self.examples = threading.Lock(), {}, []

    def count(self, name, isKept, *words):
        with self.lock:
            kept = self.counts.setdefault(name, [0, 0])
            kept[1] += 1
            if not isKept:
                kept[0] += 1
                if kept[0] <= 3:
                    self.examples.append(f"{name}: {' '.join(map(str, words))}")

    def take(self):
        with self.lock:
            taken, self.counts, self.examples = (self.counts, self.examples), {}, []
        return taken


def configuration(store, tables, count=6):
    items = ", ".join(f"{{owner: {OWNERS[n] if n < 6 else 'x'}, n: 0}}" for n in range(count))
    show = 'cell: Note, payload: {n: "${n}", language: "${$locale}"}'
    known = {
        "all": f"  all: {{source: notes, {show}}}",
        "grouped": f"  grouped: {{source: notes, {show}, sections: {{groupBy: owner}}}}",
        "by": f"  by: {{source: notes, {show}, parameters: {{owner: {{}}}}, "
              "sections: [{id: main, where: owner == $params.owner}]}",
        "joined": '  joined: {source: {local: {items: [{who: a}, {who: b}, {who: c}]}}, '
                  'lookups: {note: {source: notes, key: owner, on: who}}, '
                  'cell: Note, payload: {n: "${$note.n}", language: "${$locale}"}}',
    }
    return f"""
store: {store}
history: 256
locales: [en-US, de-DE]
cells: {{Note: {{nib: Note, fields: {{n: integer, language: string}}}}}}
sources: {{notes: {{local: {{items: [{items}]}}}}}}
tables:
""" + "\n".join(known[table] for table in tables) + "\n"


def await_ready(port, name):
    deadline = time.time() + 60
    while (ask(port, "GET", "/readyz") or (0,))[0] != 200:
        assert time.time() < deadline, f"{name} is not ready after a minute"
        time.sleep(0.05)


class Replicas:
    """The processes, each with a line of its own to the database."""

    def __init__(self, service, folder):
        self.service, self.folder = service, folder
        self.database = Database(folder / "postgres", synchronous=False)
        self.lines = [Line(self.database.servers) for _ in range(REPLICAS)]
        (folder / "tablecast.yaml").write_text(configuration('{postgres: "${env.DATABASE_URL}"}',
                                                             ["all", "grouped", "by", "joined"]))
        self.ports, self.processes = [free_port() for _ in range(REPLICAS)], [None] * REPLICAS
        for index in range(REPLICAS):
            self.start(index)
        for index in range(REPLICAS):
            self.wait_until_ready(index)

    def start(self, index):
        log = open(self.folder / f"replica{index}.log", "a")
        self.processes[index] = subprocess.Popen(
            [self.service, "serve", "--config", str(self.folder / "tablecast.yaml"),
             "--listen", f"127.0.0.1:{self.ports[index]}"], stdout=log, stderr=log,
            env={**os.environ, "DATABASE_URL": self.lines[index].address})

    def wait_until_ready(self, index):
        await_ready(self.ports[index], f"replica {index} in {self.folder}")

    def trouble(self, kind, rng, seconds, work):
        """What happens to them for so many seconds, and then no more."""
        end = time.time() + seconds
        index = rng.randrange(REPLICAS)
        if kind == "ends":
            while time.time() < end:
                self.processes[index].send_signal(signal.SIGTERM)
                self.processes[index].wait()
                self.start(index)
                self.wait_until_ready(index)
                index = (index + 1) % REPLICAS
        elif kind == "pauses":
            while time.time() < end:
                self.processes[index].send_signal(signal.SIGSTOP)
                time.sleep(1 + rng.random())
                self.processes[index].send_signal(signal.SIGCONT)
                time.sleep(0.5)
                index = (index + 1) % REPLICAS
        elif kind == "slow":
            self.lines[index].delay = 0.7
            time.sleep(seconds)
            self.lines[index].delay = 0
        elif kind == "cuts":
            # Without the database a replica goes on with what it knows, and is not ready.
            work.cut.add(self.ports[index])
            self.lines[index].cut()
            # Until the replica has noticed.
            time.sleep(0.5)
            until = time.time() + max(seconds - 1, 1)
            while time.time() < until:
                reply = ask(self.ports[index], "GET", "/readyz")
                work.checks.count("ready", reply is not None and reply[0] == 503, reply)
                time.sleep(0.1)
            self.lines[index].state = "open"
            work.cut.clear()
            time.sleep(1)
        elif kind == "promotion":
            # What the standby lacks at that moment is lost, though it was acknowledged.
            self.database.standby.ask("ALTER SYSTEM SET primary_conninfo = ''")
            self.database.standby.ask("SELECT pg_reload_conf()")
            time.sleep(1)
            for line in self.lines:
                line.cut()
            self.database.primary.kill()
            return "lost"
        else:
            time.sleep(seconds)

    def end(self):
        for process in filter(None, self.processes):
            process.send_signal(signal.SIGCONT)
            process.kill()
        self.database.stop()


class Round:
    """Editors and readers, and what they know."""

    def __init__(self, ports, tables, items, checks, rng):
        self.ports, self.tables, self.items, self.checks = ports, tables, items, checks
        self.seed = rng.random()
        # What was acknowledged, by item: nobody reads less from then on.
        self.acknowledged, self.lock = {}, threading.Lock()
        # By table, language and epoch: what each version shows of each item.
        self.versions, self.stop, self.run = {}, threading.Event(), f"{rng.getrandbits(40):x}"
        # The replicas without the database.
        self.cut = set()
        # Whether all tables are always there.
        self.hasAll = True
        # Whether what was acknowledged may be lost, as by an asynchronous promotion.
        self.forgets = False

    def ask(self, port, method, path, language, body=None, headers=None):
        reply = ask(port, method, path, body, {"Accept-Language": language, **(headers or {})}, timeout=15)
        if reply is not None:
            said = reply[0] < 500 and reply[0] != 429 or reply[0] in (503, 429) and "retry-after" in reply[1]
            self.checks.count("word", said, method, path, reply)
        return reply

    def edit(self, rng, port, table, language, item, body, headers=None):
        """Sends an edit until it is answered, at one replica after the other. Its status and its JSON."""
        key = f"{self.run}-{rng.getrandbits(60):x}"
        path, deadline = f"/v1/tables/{table}/items/{item}", time.time() + 60
        while time.time() < deadline:
            reply = self.ask(port, "PATCH", path, language, body, {"Idempotency-Key": key, **(headers or {})})
            if reply is not None and reply[0] < 500 and reply[0] != 429:
                return reply
            time.sleep(0.05)
            port = rng.choice(self.ports)
        raise AssertionError(f"{path} was not answered for a minute: {reply}")

    # Editors and readers, each a thread

    def count_up(self, item, rng):
        reply = self.ask(self.ports[0], "GET", f"/v1/tables/{self.tables[0]}/items/{item}", "en")
        number = reply[2]["n"] if reply[0] == 200 else 0
        while not self.stop.is_set():
            number += 1
            table = rng.choice([table for table in self.tables if table in EDITABLE])
            language = rng.choice(LANGUAGES)
            reply = self.edit(rng, rng.choice(self.ports), table, language, item, {"n": number})
            if reply[0] == 200:
                with self.lock:
                    self.acknowledged[item] = number
                self.note_answer(table, language, reply[2]["cursor"], item, number)
            elif reply[0] != 404:
                self.checks.count("word", False, "an edit", reply)
            time.sleep(rng.random() * 0.02)

    def note_answer(self, table, language, cursor, item, number):
        epoch, version = cursor.split("~")[0].split(".")[:2]
        with self.lock:
            self.versions.setdefault((table, language, epoch), {}).setdefault(int(version), []).append((item, number, True))

    def note(self, table, language, cursor, rows):
        epoch, version = cursor.split("~")[0].split(".")[:2]
        shown = [(item, number, False) for item, number in rows.items()]
        with self.lock:
            self.versions.setdefault((table, language, epoch), {}).setdefault(int(version), []).extend(shown)

    def known(self):
        with self.lock:
            return dict(self.acknowledged)

    def items_of(self, table, rows):
        """By item of `notes`, what rows of a table show of it."""
        return {row["id"]: int(row["payload"]["n"]) for row in rows}

    def expected(self, table, known):
        if table.startswith("by;"):
            item = str(OWNERS.index(table[-1]) + 1)
            return {item: known[item]} if item in known else {}
        if table == "joined":
            return {item: number for item, number in known.items() if int(item) <= 3}
        return known

    def read(self, rng):
        """Asks any replica for something, and holds it against what was acknowledged before."""
        while not self.stop.is_set():
            port, table, language = rng.choice(self.ports), rng.choice(self.tables), rng.choice(LANGUAGES)
            known = self.expected(table, self.known())
            if not known:
                time.sleep(0.01)
                continue
            kind, item = rng.choice(["snapshot", "row", "item", "start"]), rng.choice(list(known))
            path = {"snapshot": "", "row": f"/rows/{item}", "item": f"/items/{item}", "start": "/changes?wait=1"}[kind]
            mayBeOld = port in self.cut
            reply = self.ask(port, "GET", f"/v1/tables/{table}{path}", language)
            if mayBeOld or port in self.cut:
                continue
            if reply is None or reply[0] in (503, 429) or reply[0] == 404 and (self.forgets or not self.hasAll):
                time.sleep(0.02)
                continue
            where = f"{table}{path} {language} at {self.ports.index(port)}"
            if kind == "item" and table != "joined":
                found = reply[2].get("n") if reply[0] == 200 else None
                self.checks.count("object", self.forgets or found is not None and found >= known[item],
                                  where, f"has {found}, not {known[item]}")
            elif kind == "row":
                found = int(reply[2]["row"]["payload"]["n"]) if reply[0] == 200 else None
                self.checks.count("snapshot", self.forgets or found is not None and found >= known[item],
                                  where, f"has {found}, not {known[item]}", reply[2].get("cursor"))
            elif kind in ("snapshot", "start"):
                body = reply[2].get("snapshot", reply[2])
                rows = self.items_of(table, [row for section in body["sections"] for row in section["rows"]])
                late = {item: (rows.get(item), number) for item, number in known.items() if rows.get(item, -1) < number}
                self.checks.count("snapshot", self.forgets or not late, where, "lacks", late, body["cursor"])
                self.note(table, language, body["cursor"], rows)
            time.sleep(rng.random() * 0.01)

    def follow(self, table, language, rng):
        """Polls from one replica to the other, as a client behind a load balancer."""
        cursor, left = None, set()
        while not self.stop.is_set():
            path = f"/v1/tables/{table}" + (f"/changes?after={cursor}&wait=1" if cursor else "")
            port = rng.choice(self.ports)
            reply = self.ask(port, "GET", path, language)
            if reply is None or reply[0] != 200:
                time.sleep(0.05)
                continue
            body, before = reply[2], cursor
            cursor = body.get("to", body.get("cursor"))
            if before is None:
                continue
            epoch = cursor.split(".")[0]
            if epoch != before.split(".")[0]:
                left.add(before.split(".")[0])
            reason = body.get("reset")
            kept = reason not in ("ahead", "epoch") or reason == "epoch" and self.forgets and epoch not in left
            self.checks.count("chain", kept, f"{table} {language} from {before} to {cursor}: {reason}, replica {self.ports.index(port)} at {time.time():.3f}")

    def condition(self, item, rng, counts):
        """Counts an item up by what it has read, on the condition that nobody else has."""
        while not self.stop.is_set():
            port, table, language = rng.choice(self.ports), rng.choice(EDITABLE), rng.choice(LANGUAGES)
            reply = self.ask(port, "GET", f"/v1/tables/{table}/rows/{item}", language)
            if reply is None or reply[0] != 200:
                continue
            number, cursor = int(reply[2]["row"]["payload"]["n"]), reply[2]["cursor"]
            port = rng.choice(self.ports)
            reply = self.edit(rng, port, table, language, item, {"n": number + 1}, {"If-Match": f'"{cursor}"'})
            if reply[0] == 200:
                with self.lock:
                    counts[item] += 1

    def answered(self, item, rng):
        """Edits the other table, and sees whether what follows the answered cursor brings the edit that should be in it."""
        number = 0
        while not self.stop.is_set():
            number += 1
            port, language = rng.choice(self.ports), rng.choice(LANGUAGES)
            reply = self.edit(rng, port, "grouped", language, item, {"n": number})
            if reply[0] != 200:
                continue
            after = self.ask(port, "GET", f"/v1/tables/grouped/changes?after={reply[2]['cursor']}&wait=0", language)
            if after is None or after[0] != 200 or "reset" in after[2]:
                continue
            brought = [row["row"]["payload"]["n"] for stage in after[2]["stages"]
                       for rows in stage.get("rows", {}).values() for row in rows if row.get("id", row.get("row", {}).get("id")) == item
                       and "row" in row]
            self.checks.count("cursor", number not in brought, f"grouped {language} {reply[2]['cursor']}: {number} follows")

    # The whole

    def begin(self, threads):
        self.threads = []
        for number, (body, arguments) in enumerate(threads):
            rng = random.Random(f"{self.seed}.{number}")
            self.threads.append(threading.Thread(target=self.guarded, args=(body, *arguments, rng)))
            self.threads[-1].start()

    def guarded(self, body, *arguments):
        try:
            body(*arguments)
        except Exception as error:  # Whatever it is, the trial says so.
            self.checks.count("word", False, f"{body.__name__}: {error!r}")
            raise

    def finish(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        for (table, language, epoch), versions in self.versions.items():
            newest = {}
            for version, shown in sorted(versions.items()):
                for item, number, isAnswer in shown:
                    if isAnswer:
                        # The version that was answered, as far as somebody has read it, and what came before it.
                        read = [other for name, other, wasAnswer in shown if name == item and not wasAnswer]
                        if read:
                            self.checks.count("cursor", min(read) >= number, f"{table} {language} {epoch}.{version}:",
                                              f"item {item} is {min(read)}, not {number}")
                    elif not self.forgets:
                        self.checks.count("order", number >= newest.get(item, (0, 0))[0], f"{table} {language}",
                                          f"{epoch}.{version}: item {item} is {number}, was", newest.get(item))
                for item, number, isAnswer in shown:
                    if number > newest.get(item, (0, 0))[0]:
                        newest[item] = (number, version)


def on_replicas(kind, replicas, rng, seconds, checks):
    work = Round(replicas.ports, TABLES, "123456", checks, rng)
    if kind == "conditions":
        before = {item: ask(replicas.ports[0], "GET", f"/v1/tables/all/items/{item}")[2]["n"] for item in "12"}
        counts = dict.fromkeys("12", 0)
        work.begin([(lambda item, rng: work.condition(item, rng, counts), (item,)) for item in "121212"])
        time.sleep(seconds)
        work.finish()
        for item, count in counts.items():
            after = ask(replicas.ports[0], "GET", f"/v1/tables/all/items/{item}")[2]["n"] - before[item]
            for number in range(count):
                checks.count("condition", number < after, f"{count} of 200 for item {item}, which has counted {after}")
        return
    work.forgets = kind == "promotion"
    followed = [(table, language) for table in ("all", "grouped", "by;owner=a") for language in LANGUAGES]
    work.begin([(work.count_up, (item,)) for item in "123456"] + [(work.read, ())] * 6
               + [(work.follow, pair) for pair in followed])
    time.sleep(0.5)
    if replicas.trouble(kind, rng, seconds, work) == "lost":
        database = replicas.database
        database.standby.run("pg_ctl", "-D", f"{database.standby.folder}/data", "-w", "promote")
        database.primary, database.standby = database.standby, database.primary
        # Of two hosts the one that answers and may not be written is passed over; one that is not there is not.
        database.standby.stop()
        database.standby.copy(database.primary)
        for index in rng.sample(range(REPLICAS), REPLICAS):
            # One after the other: the last one still has what was lost.
            replicas.lines[index].state = "open"
            time.sleep(seconds / REPLICAS)
        time.sleep(2)
    work.finish()


def reloading(service, folder, configurations, work, jobs, seconds):
    """Has the jobs done at a process that is given the next of its configurations again and again."""
    [port], path = work.ports, folder / "tablecast.yaml"
    path.write_text(configurations[1])
    log = open(folder / "service.log", "a")
    process = subprocess.Popen([service, "serve", "--config", str(path), "--listen", f"127.0.0.1:{port}"],
                               stdout=log, stderr=log, cwd=folder)
    try:
        await_ready(port, folder)
        work.begin(jobs)
        end = time.time() + seconds
        for number in range(1 << 30):
            if time.time() > end:
                break
            path.write_text(configurations[number % len(configurations)])
            process.send_signal(signal.SIGHUP)
            deadline = time.time() + 20
            while (folder / "service.log").read_text().count("read again") <= number:
                assert time.time() < deadline, f"not reloaded: {folder}"
                time.sleep(0.01)
        work.finish()
    finally:
        process.kill()


def on_one(service, folder, rng, seconds, checks):
    """A process whose configuration changes while it is edited: tables go, and come back."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    port = free_port()
    # Whichever keeps the items goes, then comes back to find another one keeping them.
    tables = [["grouped", "by"], ["all", "grouped", "by"], ["all", "by"], ["all", "grouped", "by"]]
    configurations = [configuration("{path: store.sqlite}", names, count=1000) for names in tables]
    work = Round([port], ["all", "grouped", "by;owner=a"], "12", checks, rng)
    work.hasAll = False
    jobs = [(work.count_up, (item,)) for item in "12"] + [(work.read, ())] * 2 + [(work.answered, ("3",))] * 1
    reloading(service, folder, configurations, work, jobs, seconds)


class Upstream(http.server.BaseHTTPRequestHandler):
    """A list of six items, each of which counts."""

    protocol_version, lock, numbers = "HTTP/1.1", threading.Lock(), [0] * 6

    def do_GET(self):
        with self.lock:
            self.say([{"id": index + 1, "n": number, "kind": "a"} for index, number in enumerate(self.numbers)])

    def do_PATCH(self):
        edit = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        index = int(self.path.split("/")[-1]) - 1
        with self.lock:
            self.numbers[index] = edit["n"]
        self.say({"id": index + 1, "n": edit["n"], "kind": "a"})

    def say(self, value):
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def on_upstream(service, folder, database, rng, seconds, checks, replicas=2, kinds="a", rolls_out=False):
    """Edits of an upstream's items are read at once at every replica, in each language and through each table that shows them."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    name = folder.name.replace("-", "_").lower()
    database.primary.ask(f"CREATE DATABASE {name}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    # Replicas break fetches off that an edit makes old.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/items"
    show = 'source: items, row: {id: "${id}"}, cell: Note, payload: {n: "${n}", language: "${$locale}"}'
    edits = f'edits: {{patch: {{url: "{address}/${{$id}}", body: "${{$edit}}"}}}}'

    def configure(index, generation):
        path = folder / f"{index}.yaml"
        path.write_text(f"""
generation: {generation}
store: {{postgres: "host=127.0.0.1 port={database.primary.port} user=tests dbname={name}"}}
locales: [en-US, de-DE]
cells: {{Note: {{nib: Note, fields: {{n: integer, language: string}}}}}}
sources: {{items: {{url: "{address}", every: 1h}}}}
tables:
  list: {{title: "{generation}", {show}, {edits}}}
  other: {{{show}}}
  some:
    {{{show}, parameters: {{kind: {{}}}}, sections: [{{id: main, where: kind == 'a' || kind == $params.kind}}], {edits}}}
""")
        return path

    ports, logs = [free_port() for _ in range(replicas)], [folder / f"{index}.log" for index in range(replicas)]
    processes = []
    for index, port in enumerate(ports):
        log = open(logs[index], "a")
        processes.append(subprocess.Popen([service, "serve", "--config", str(configure(index, 1)), "--listen",
                                           f"127.0.0.1:{port}"], stdout=log, stderr=log))
    tables = ["list", "other"] + [f"some;kind={kind}" for kind in kinds]
    work = Round(ports, tables, "123456", checks, rng)

    def count_up(item, rng):
        number = int(ask(ports[0], "GET", f"/v1/tables/list/items/{item}")[2]["n"])
        while not work.stop.is_set():
            number += 1
            port, language = rng.choice(ports), rng.choice(LANGUAGES)
            edited = rng.choice([table for table in tables if table != "other"]) if rolls_out else "list"
            reply = work.edit(rng, port, edited, language, item, {"n": number})
            checks.count("word", reply[0] == 200, "an edit", reply)
            for _ in range(2):
                table, reader, other = rng.choice(tables), rng.choice(ports), rng.choice(LANGUAGES)
                read = work.ask(reader, "GET", f"/v1/tables/{table}/rows/{item}", other)
                if read is None or read[0] != 200:
                    continue
                found = int(read[2]["row"]["payload"]["n"])
                checks.count("snapshot", found >= number, f"{table} {other} at {ports.index(reader)} has {found}, not "
                             f"{number}, which was answered at {ports.index(port)} in {language} through {edited}")
            with work.lock:
                work.acknowledged[item] = number
            time.sleep(rng.random() * 0.02)

    def read(rng):
        while not work.stop.is_set():
            item, table, reader, known = rng.choice("123456"), rng.choice(tables), rng.choice(ports), work.known()
            read = work.ask(reader, "GET", f"/v1/tables/{table}/rows/{item}", rng.choice(LANGUAGES))
            if read is not None and read[0] == 200:
                found = int(read[2]["row"]["payload"]["n"])
                checks.count("snapshot", found >= known.get(item, 0),
                             f"{table} at {ports.index(reader)} has {found}, not {known.get(item)}")

    def roll_out():
        for generation in range(2, 1 << 30):
            for index, process in enumerate(processes):
                if work.stop.is_set():
                    return
                configure(index, generation)
                process.send_signal(signal.SIGHUP)
                deadline = time.time() + 30
                while logs[index].read_text().count("read again") < generation - 1 and not work.stop.is_set():
                    assert time.time() < deadline, f"not reloaded: {logs[index]}"
                    time.sleep(0.01)

    try:
        for port in ports:
            await_ready(port, folder)
            for table in tables:
                while "stale" in str((ask(port, "GET", f"/v1/tables/{table}") or ("stale",))[-1]):
                    time.sleep(0.05)
        jobs = [(count_up, (item,)) for item in ("123456" if rolls_out else "12")]
        work.begin(jobs + [(read, ())] * (6 if rolls_out else 0))
        if rolls_out:
            threading.Timer(seconds, work.stop.set).start()
            roll_out()
        else:
            time.sleep(seconds)
        work.finish()
    finally:
        for process in processes:
            process.kill()
        server.shutdown()


def renamed(name):
    """The items of `notes`, or of whatever the source is called now: all of them, and each caller's own to edit."""
    items = ", ".join(f"{{owner: {OWNERS[n] if n < 6 else 'x'}, n: 0}}" for n in range(3000))
    return f"""
store: {{path: store.sqlite}}
auth: {{jwt: {{issuer: "https://id.example.com", audience: tablecast, jwks: keys.json, allow: {{anonymous: {{read: true, edit: true}}}}}}}}
cells: {{Note: {{nib: Note, fields: {{n: integer}}}}}}
sources: {{{name}: {{local: {{items: [{items}]}}}}}}
tables:
  all: {{source: {name}, cell: Note, payload: {{n: "${{n}}"}}}}
  mine:
    source: {name}
    cell: Note
    payload: {{n: "${{n}}"}}
    sections: [{{id: mine, where: "owner == $caller.headers['X-User']"}}]
    can: {{edit: true}}
"""


def on_renames(service, folder, rng, seconds, checks):
    """A process whose configuration gives the source another name while callers edit through tables of their own."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    port = free_port()
    (folder / "keys.json").write_text('{"keys": []}')
    configurations = [renamed(name) for name in ("notes", "lists")]
    work = Round([port], ["all", "mine"], "123456", checks, rng)

    def count_up(item, rng):
        user = {"X-User": OWNERS[int(item) - 1]}
        number = 0
        while not work.stop.is_set():
            number += 1
            reply = work.edit(rng, port, "mine", "en", item, {"n": number}, user)
            checks.count("word", reply[0] == 200, "an edit", reply)
            for table in ("mine", "all"):
                kind = rng.choice(["items", "rows"])
                read = work.ask(port, "GET", f"/v1/tables/{table}/{kind}/{item}", "en", headers=user)
                while read is not None and read[0] in (503, 429):
                    time.sleep(0.02)
                    read = work.ask(port, "GET", f"/v1/tables/{table}/{kind}/{item}", "en", headers=user)
                found = read[2]["n"] if kind == "items" else read[2]["row"]["payload"]["n"]
                checks.count("object" if kind == "items" else "snapshot", read[0] == 200 and int(found) == number,
                             f"{table}/{kind}/{item} has {found}, not {number}")

    reloading(service, folder, configurations, work, [(count_up, (item,)) for item in "123456"], seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--service", required=True)
    parser.add_argument("--rounds", type=int, default=len(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--known", default="")
    arguments = parser.parse_args()
    kinds, known = arguments.kinds.split(","), set(filter(None, arguments.known.split(",")))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-trial-"))
    os.chmod(folder, 0o755)
    service = str(pathlib.Path(arguments.service).resolve())
    replicas = Replicas(service, folder) if not set(kinds) <= {"reloads", "renames"} else None
    checks, isBroken = Checks(), False
    try:
        for number in range(arguments.rounds):
            kind, rng, begun = kinds[number % len(kinds)], random.Random(f"{arguments.seed}.{number}"), time.time()
            if kind == "reloads":
                on_one(service, folder, rng, arguments.seconds, checks)
            elif kind == "upstream":
                on_upstream(service, folder, replicas.database, rng, arguments.seconds, checks)
            elif kind == "rollouts":
                on_upstream(service, folder, replicas.database, rng, arguments.seconds, checks, 3, "abcdefgh", True)
            elif kind == "renames":
                on_renames(service, folder, rng, arguments.seconds, checks)
            else:
                on_replicas(kind, replicas, rng, arguments.seconds, checks)
            counts, examples = checks.take()
            said = ", ".join(f"{name} {broken} of {all}" for name, (broken, all) in sorted(counts.items()))
            print(f"{kind}: {said} in {time.time() - begun:.0f} s", flush=True)
            for example in examples:
                print(f"  {example[:400]}", flush=True)
            isBroken = isBroken or any(broken for name, (broken, _) in counts.items()
                                        if f"{kind}.{name}" not in known)
    finally:
        if replicas:
            replicas.end()
    if isBroken:
        print("broken:", *(f"{name}: {words}" for name, words in Checks.WORDS.items()), sep="\n  ")
        print(f"seed {arguments.seed}, logs in {folder}")
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
