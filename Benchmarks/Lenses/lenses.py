#!/usr/bin/env python3
"""lenses.py [--rows N,N…] [--only WORD] [--rounds N] [--service PATH] [--before PATH]: what clients cost that each see a table otherwise.

Each figure is the service's processor time for one version, in milliseconds: 20 items all over the table change, then each client
polls from the version before. What the change itself costs, with nobody asking, is taken off; what a request costs is in it, a
poll of the plain table says how much that is. `--before` names another build of the service, measured turn by turn with this one.

- *tapped*: views in each of which three rows are open, of the whole table.
- *sets*: clients that each can show other cells (`Accept-Cells`), of the whole table or of 50 rows; the rows are of ten kinds, which each
  have a fallback, so that each set is drawn otherwise.
- *searches*: clients that each look for something else, the whole of what is found or 50 rows; *keystroke* is the first answer to a
  search that nobody has made yet, by which somebody goes on typing.
- *old cursors*: 1,000 clients that come back from 63 versions at once; changesets that are computed for them.
- *tables at once*: a poll of several tables by one of 200 clients alike, from its request until it is answered, as one of the tables
  has changed; beside it, a poll of one; in microseconds.
- *compressed*: the first snapshot in a coding: what it takes beyond the same snapshot without one.
- *groups*: 1,000 additions, each into a new section, to a table of 4,000 sections; in one batch.
- *an edit*: one edit of a table of so many sections of one row each.
- *many tables*: tables of five items in one configuration: until all are there, and a reload that changes one title; the threads that
  there are then."""
import argparse
import itertools
import json
import os
import random
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Durability"))
sys.path.insert(0, os.path.join(HERE, "../LongTables"))
import client  # noqa: E402
from client import Connection, build, start  # noqa: E402
from fill import fill  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--rows", default="1000,10000,100000")
parser.add_argument("--only", default="", help="measure what has this in its name")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--service", metavar="PATH", help="the build to measure; without it this tree is built")
parser.add_argument("--before", metavar="PATH", help="another build, for comparison")
options = parser.parse_args()

KINDS, CHANGES, TABLES = 10, 20, 50
WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "juniper", "kelp", "larch",
         "maple", "nettle", "oasis", "prairie", "quarry", "ridge", "saddle", "tundra"]

CONFIGURATION = """\
listen: 127.0.0.1:0
store: {path: %s}
limits: {connectionsPerAddress: 4000, mappingBytes: 8GB, tableBytes: 4GB, requestsPerMinute: 100000000, editsPerMinute: 100000000}
views: {max: 20000}
cells:
""" + "".join(f"  Plain{kind}: {{fields: {{title: string, step: integer}}}}\n"
              f"  Fold{kind}: {{fields: {{title: string, step: integer, isOpen: boolean}}, expands: isOpen, fallback: Plain{kind}}}\n"
              for kind in range(KINDS)) + """\
representations:
""" + "".join(f"  k{kind}: {{cell: Fold{kind}, payload: {{title: \"${{title}}\", step: \"${{step}}\", isOpen: false}}}}\n"
              for kind in range(KINDS)) + """\
tables:
  long:
    source: {local: {items: [{title: First, step: 0, kind: k0}]}}
    row: {type: "${kind}"}
    can: {edit: true}
    find:
      search: [title]
      filters: {kind: {title: Kind, by: kind}}
      sorts: {title: {title: By title, by: title}}
""" + "".join(f"  small{number}: {{source: {{local: {{items: [{{title: First, step: 0, kind: k0}}]}}}}, row: {{type: \"${{kind}}\"}}, can: {{edit: true}}}}\n"
              for number in range(TABLES))

GROUPS = """\
listen: 127.0.0.1:0
store: memory
limits: {tableBytes: 4GB, requestsPerMinute: 100000000, editsPerMinute: 100000000}
cells: {Plain: {fields: {title: string}}}
tables:
  groups:
    source: {local: {items: [{title: First, group: first}]}}
    cell: Plain
    payload: {title: "${title}"}
    sections: {groupBy: group}
    can: {edit: true}
"""


def title(number):
    # Sixty folded bytes.
    return " ".join(WORDS[number // 20 ** place % 20] for place in range(9))[:52] + f" {number:07d}"


class Service:
    """A build of the service, on a table of so many rows."""

    def __init__(self, path, rows):
        self.folder = tempfile.mkdtemp()
        client.EXECUTABLE = path
        store = os.path.join(self.folder, "store.sqlite")
        process, _ = start(self.folder, CONFIGURATION % store)
        process.terminate()
        process.wait()
        fill(store, "long", ({"title": title(number), "step": 0, "kind": f"k{number % KINDS}"}
                             for number in range(2, rows + 1)))
        self.rows, self.step, self.random = rows, 0, random.Random(1)
        self.process, port = start(self.folder, CONFIGURATION % store, patience=600)
        self.port, self.connection = port, Connection(port)
        while json.loads(self.get("/v1/tables/long?rows=1"))["window"]["of"] < rows:
            time.sleep(0.05)

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)

    def reached(self):
        """With a connection that has not waited for others to be measured."""
        self.connection = Connection(self.port)
        return self

    def send(self, method, target, headers="", body=b""):
        head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.connection.socket.sendall(head.encode() + b"\r\n" + body)
        return self.connection.receive()

    def get(self, target, headers=""):
        return self.send("GET", target, headers)

    def time(self):
        """Of the processor, of all threads and of those that have ended, in milliseconds (clock_getcpuclockid)."""
        return time.clock_gettime(~self.process.pid << 3 | 2) * 1000

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def change(self, count=CHANGES, among=None):
        self.step += 1
        places = self.random.sample(range(1, (among or self.rows) + 1), min(count, among or self.rows))
        edits = [{"op": "patch", "id": str(place), "patch": {"step": self.step}} for place in places]
        self.send("POST", "/v1/tables/long/edits", body=json.dumps({"edits": edits}).encode())

    def versions(self, clients, count=CHANGES, among=None):
        """Milliseconds for one version: `clients` are pairs of a query, and header fields. The median of all rounds."""
        def cursor(body):
            found = re.search(rb'"(?:cursor|to)":"([^"]+)"', body[:400])
            return found.group(1).decode()

        cursors = [cursor(self.get(f"/v1/tables/long?{query}", headers)) for query, headers in clients]
        times, resets = [], 0
        for _ in range(options.rounds):
            alone = self.time()
            self.change(count, among)
            time.sleep(0.05)
            begun = self.time()
            for place, (query, headers) in enumerate(clients):
                body = self.get(f"/v1/tables/long/changes?after={cursors[place]}&wait=0&{query}", headers)
                resets += b'"reset"' in body[:400]
                cursors[place] = cursor(body)
            time.sleep(0.02)
            times.append(self.time() - begun)
            del alone
        return statistics.median(times), f"{resets} resets" if resets else ""


def tapped(service, count):
    clients = []
    for number in range(count):
        for place in range(3):
            row = (number * 7919 + place * 104_729) % service.rows + 1
            service.send("POST", f"/v1/tables/long/rows/{row}/tap?view=v{number}")
        clients.append((f"view=v{number}", ""))
    return clients


def sets(count, query=""):
    """So many, each of other cells; the plain ones are in all of them."""
    chosen = itertools.islice(
        (combination for size in range(KINDS) for combination in itertools.combinations(range(KINDS), size)), count)
    names = ", ".join(f"Plain{kind}" for kind in range(KINDS))
    return [(query, f"Accept-Cells: {names}" + "".join(f", Fold{kind}" for kind in kinds) + "\r\n") for kinds in chosen]


def searches(count, query):
    words = [f"q={first[:3]}+{second[:4]}" for first in WORDS for second in WORDS if first != second]
    return [(f"{word}&{query}", "") for word in words[:count]]


def keystroke(service):
    times = []
    for word in ["amb", "birc", "ced", "fjo", "gro", "hea"]:
        for end in range(1, len(word) + 1):
            begun = service.time()
            service.get(f"/v1/tables/long?q={word[:end]}&rows=50&find=1")
            times.append(service.time() - begun)
    return statistics.median(times), f"worst {max(times):.1f}"


def old_cursors(service):
    cursors = []
    for _ in range(63):
        cursors.append(json.loads(service.get("/v1/tables/long?rows=1"))["cursor"].split("~")[0])
        service.change()

    def computed():
        text = service.get("/metrics").decode()
        return sum(float(line.split()[-1]) for line in text.splitlines()
                   if line.startswith("tablecast_table_changesets_total{") and "long" in line)

    before, begun = computed(), service.time()
    for number in range(1000):
        service.get(f"/v1/tables/long/changes?after={cursors[number % 63]}&wait=0")
    return service.time() - begun, f"{computed() - before:.0f} changesets"


def tables_at_once(service, count):
    """Microseconds of a client's poll that begins to wait, is woken by a change of one table, and asks again."""
    clients, rounds = 200, 5
    connections = [Connection(service.port) for _ in range(clients)]
    small = max(count, 1)
    cursors = [json.loads(service.get(f"/v1/tables/small{number}"))["cursor"] for number in range(small)]
    begun = used = 0
    for turn in range(rounds + 1):
        if count == 0:
            target = f"/v1/tables/small0/changes?after={cursors[0]}&wait=60"
        else:
            target = "/v1/changes?" + "&".join(f"after=small{number}:{cursors[number]}" for number in range(count)) + "&wait=60"
        begun = service.time()
        for connection in connections:
            connection.send("GET", target)
        time.sleep(0.3)
        place = turn % small
        service.step += 1
        service.send("PATCH", f"/v1/tables/small{place}/items/1", body=b'{"step":%d}' % service.step)
        for connection in connections:
            body = json.loads(connection.receive())
        change = body if count == 0 else body["changes"][0]
        cursors[place] = change["to"]
        if turn > 0:
            used += service.time() - begun
    for connection in connections:
        connection.socket.close()
    return used / rounds / clients * 1000, "µs"


def groups(path):
    folder = tempfile.mkdtemp()
    client.EXECUTABLE = path
    process, port = start(folder, GROUPS)
    try:
        connection = Connection(port)

        def batch(first, last):
            edits = [{"op": "add", "section": f"g{number}", "at": 0, "item": {"title": "A"}} for number in range(first, last)]
            begun, used = time.perf_counter(), time.clock_gettime(~process.pid << 3 | 2)
            connection.send("POST", "/v1/tables/groups/edits", json.dumps({"edits": edits}).encode())
            connection.receive()
            used = time.clock_gettime(~process.pid << 3 | 2) - used
            return used * 1000, f"{(time.perf_counter() - begun) * 1000:.0f} by the clock"

        for first in range(0, 4000, 1000):
            batch(first, first + 1000)
        return batch(4000, 5000)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def edits(path, sections):
    """Milliseconds of the processor for each of several kinds of edit."""
    folder = tempfile.mkdtemp()
    client.EXECUTABLE = path
    process, port = start(folder, GROUPS)
    try:
        connection = Connection(port)

        def send(method, target, body):
            connection.send(method, target, json.dumps(body).encode())
            return connection.receive()

        def clock():
            return time.clock_gettime(~process.pid << 3 | 2) * 1000

        for first in range(0, sections, 500):
            send("POST", "/v1/tables/groups/edits", {"edits": [
                {"op": "add", "item": {"title": "A", "group": f"g{number}"}}
                for number in range(first, min(sections, first + 500))]})
        rounds, figures = 50, []
        for name, edit in [
                ("patch", lambda n: send("PATCH", f"/v1/tables/groups/items/{2 + n % sections}", {"title": f"B{n}"})),
                ("add", lambda n: send("POST", f"/v1/tables/groups/items?section=g{n % sections}", {"title": "C"})),
                ("new section", lambda n: send("POST", f"/v1/tables/groups/items?section=n{n}", {"title": "D"}))]:
            begun = clock()
            for number in range(rounds):
                edit(number)
            figures.append((name, (clock() - begun) / rounds))
        return figures[0][1], ", ".join(f"{name} {value:.2f}" for name, value in figures[1:])
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def compressed(service, coding):
    """Milliseconds of the processor."""
    def taken(headers):
        service.change()
        time.sleep(0.1)
        begun = service.time()
        body = service.get("/v1/tables/long", headers)
        return service.time() - begun, len(body)

    rounds = [(taken(f"Accept-Encoding: {coding}\r\n"), taken("")) for _ in range(3)]
    size = rounds[0][1][1]
    return (statistics.median(coded[0] - plain[0] for coded, plain in rounds),
            f"{size / 1e6:.1f} MB to {rounds[0][0][1] / 1e6:.1f}")


def many_tables(path, count):
    folder = tempfile.mkdtemp()
    client.EXECUTABLE = path

    def configuration(title):
        items = ", ".join(f"{{title: a{number}}}" for number in range(5))
        return ("listen: 127.0.0.1:0\nstore: memory\ncells: {Label: {fields: {title: string}}}\ntables:\n" + "".join(
            f"  t{number}: {{title: {title if number == 7 else 'T'}, source: {{local: {{items: [{items}]}}}}, cell: Label, "
            f"payload: {{title: \"${{title}}\"}}}}\n" for number in range(count)))

    process, port = start(folder, configuration("A"), patience=600)
    try:
        connection = Connection(port)

        def get(target):
            connection.send("GET", target)
            return json.loads(connection.receive())

        def clock():
            return time.clock_gettime(~process.pid << 3 | 2) * 1000

        while get(f"/v1/tables/t{count - 1}")["state"] != "ready":
            time.sleep(0.05)
        begun = clock()
        with open(os.path.join(folder, "tablecast.yaml"), "w") as file:
            file.write(configuration("B"))
        asked = time.perf_counter()
        process.send_signal(signal.SIGHUP)
        while get("/v1/tables/t7")["title"] != "B":
            time.sleep(0.01)
        waited = time.perf_counter() - asked
        time.sleep(1)
        threads = len(os.listdir(f"/proc/{process.pid}/task"))
        return begun, f"reload {clock() - begun:.0f}, {waited * 1000:.0f} by the clock, {threads} threads"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def main():
    if options.service:
        client.EXECUTABLE = options.service
    else:
        build()
    builds = ([("before", options.before)] if options.before else []) + [("now", client.EXECUTABLE)]
    print("| | rows | " + " | ".join(name for name, _ in builds) + " |")
    print("| --- | ---: | " + " | ".join("---:" for _ in builds) + " |", flush=True)

    def say(name, rows, results):
        cells = [f"{value:.2f} {note}".strip() for value, note in results]
        print(f"| {name} | {rows:,} | " + " | ".join(cells) + " |", flush=True)

    for rows in [int(text) for text in options.rows.split(",")]:
        services = [Service(path, rows) for _, path in builds]
        try:
            def row(name, body):
                if options.only in name:
                    say(name, rows, [body(service.reached()) for service in services])

            row("plain, one", lambda service: service.versions([("", "")]))
            row("tapped, one", lambda service: service.versions(tapped(service, 1)))
            if rows >= 100_000:
                row("tapped, 100", lambda service: service.versions(tapped(service, 100)))
            row("sets, one, whole", lambda service: service.versions(sets(1)))
            for count in (31, 36):
                row(f"sets, {count}, whole", lambda service: service.versions(sets(count)))
            row("sets, 1,000, rows=50", lambda service: service.versions(sets(1000, "rows=50"), among=service.rows))
            row("sets, 1,000, rows=50, of which 5 change",
                lambda service: service.versions(sets(1000, "rows=50"), count=5, among=50))
            row("searches, 100, rows=50", lambda service: service.versions(searches(100, "rows=50")))
            row("searches, 100, whole", lambda service: service.versions(searches(100, "")))
            row("keystroke", keystroke)
            row("old cursors", old_cursors)
            for count in (0, 1, 10, 50):
                row(f"tables at once, {count or 'a poll of one'}", lambda service: tables_at_once(service, count))
            for coding in ("gzip", "zstd"):
                row(f"compressed, {coding}", lambda service: compressed(service, coding))
            row("resident (MB)", lambda service: (service.resident(), ""))
        finally:
            for service in services:
                service.stop()
    if options.only in "groups":
        say("groups", 4000, [groups(path) for _, path in builds])
    for sections in (40, 4000):
        if options.only in "an edit":
            say("an edit", sections, [edits(path, sections) for _, path in builds])
    for count in (1000, 4000, 10_000):
        if options.only in "many tables":
            say("many tables", count, [many_tables(path, count) for _, path in builds])


main()
