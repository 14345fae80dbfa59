#!/usr/bin/env python3
"""Clients that each see two tables otherwise, by views, cells, searches and windows, and go from any lens to any other, while the tables
are edited: every answer holds to what a naive reading of the items says (oracle.py), to the fewest operations.

  trial.py SERVICE [--seed N] [--seconds N] [--history N]

Polls, polls of several tables, streams and snapshots; nothing waits longer than it takes."""
import argparse
import http.client
import json
import os
import pathlib
import random
import re
import sys
import time
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "StrictClient"))
import oracle  # noqa: E402
from oracle import Lens  # noqa: E402
from strict_client import Mirror, Violation, require  # noqa: E402
from tables import CONFIGURATION, QUERIES, STATES, TITLES, Service, headers, members, parameters, query  # noqa: E402


class Client:
    """What somebody holds: a mirror, and the lens by which it was asked for."""

    def __init__(self, table, lens, mirror, toggles):
        self.table, self.lens, self.mirror, self.toggles = table, lens, mirror, toggles


class Trial:
    def __init__(self, service, seed, history):
        self.service, self.random, self.history = service, random.Random(seed), history
        self.items, self.taps = {}, {}
        self.held = []
        self.counts = {"changesets": 0, "empty": 0, "pairs": 0, "streams": 0, "snapshots": 0, "edits": 0, "taps": 0}
        self.resets = {}

    def must(self, statuses, method, path, body=None, fields=None):
        status, found, content = self.service.ask(method, path, body, fields)
        require(status in statuses, method, path, body, "gave", status, content)
        return content

    # What changes.

    def item(self):
        pick = self.random
        item = {"title": " ".join(pick.choice(TITLES) for _ in range(pick.randint(1, 3))), "group": pick.choice(["a", "b", "c", "last"])}
        for name, choices in (("state", STATES), ("size", [0, 1, 2, 3, 10, -1, 2.5, None]), ("kind", ["label", "wide", "fold"]),
                              ("body", TITLES), ("tags", [[], ["t1"], ["t1", "t2", "t1"], ["t3", None], None])):
            if pick.random() < 0.8:
                item[name] = pick.choice(choices)
        return item

    def edit(self):
        self.counts["edits"] += 1
        ids = list(self.items)
        kind = self.random.choice(["add", "add", "patch", "patch", "delete", "move", "batch"])
        table = self.random.choice(["groups", "groups", "fixed"])
        if kind == "add" or not ids:
            item = self.item()
            before = f"?before={self.random.choice(ids)}" if ids and self.random.random() < 0.6 else ""
            made = self.must([201], "POST", f"/v1/tables/groups/items{before}", item)
            if before:
                # It takes the neighbour's group.
                item["group"] = self.items[before[8:]]["group"]
            self.items[made["id"]] = item
        elif kind == "patch":
            id, patch = self.random.choice(ids), self.item()
            self.must([200], "PATCH", f"/v1/tables/{table}/items/{id}", patch)
            self.items[id] = {name: value for name, value in (self.items[id] | patch).items() if value is not None}
        elif kind == "delete":
            id = self.random.choice(ids)
            self.must([200], "DELETE", f"/v1/tables/{table}/items/{id}")
            del self.items[id]
        elif kind == "move":
            id, other = self.random.choice(ids), self.random.choice(ids)
            if id != other:
                self.must([200], "POST", f"/v1/tables/groups/items/{id}/move", {"after": other})
                self.items[id]["group"] = self.items[other]["group"]
        else:
            edits, patched = [], {}
            for id in self.random.sample(ids, min(len(ids), 5)):
                patch = {"title": self.random.choice(TITLES), "state": self.random.choice(STATES)}
                patched[id] = patch
                edits.append({"op": "patch", "id": id, "patch": patch})
            self.must([200], "POST", f"/v1/tables/{table}/edits", {"edits": edits})
            for id, patch in patched.items():
                self.items[id] = {name: value for name, value in (self.items[id] | patch).items() if value is not None}
        if self.items and self.random.random() < 0.1:
            id = self.random.choice(list(self.items))
            shown = self.must([200], "GET", f"/v1/tables/groups/items/{id}")
            own = {name: value for name, value in self.items[id].items() if value is not None}
            require({name: value for name, value in shown.items() if value is not None} == own, "item", id, shown, "is", own)

    def tap(self):
        folds = [id for id, item in self.items.items() if item.get("kind") == "fold"]
        if not folds:
            return
        view, id, table = self.random.choice(["v", "w"]), self.random.choice(folds), self.random.choice(["groups", "fixed"])
        self.must([200], "POST", f"/v1/tables/{table}/rows/{id}/tap?view={view}")
        toggles = self.taps.setdefault((table, view), set())
        toggles ^= {id}
        self.counts["taps"] += 1

    # What is asked.

    def lens(self):
        pick = self.random
        filters = []
        for _ in range(pick.choice([0, 0, 0, 1, 2])):
            name = pick.choice(["state", "tag"])
            value = pick.choice([oracle.as_text(state) or "" for state in STATES] + ["odd", "x" * 190] if name == "state" else ["t1", "t2", "t3", "none", "t9"])
            filters.append((name, value))
        return Lens(
            view=pick.choice([None, None, "v", "w", "untapped"]),
            cells=pick.choice([None, None, None, ("Label", "Title"), ("Wide",), ("Label", "Wide", "Title", "Other"), ("Other",)]),
            q=pick.choice(QUERIES) if pick.random() < 0.5 else None,
            filters=tuple(filters),
            sort=pick.choice([None, None, *oracle.SORTS]),
            menus=pick.random() < 0.1,
            window=pick.choice([None, None, (0, 1), (0, 2), (0, 5), (0, 40), (0, 3), (1, 3), (3, 1), (2, 8), (5, 36), (60, 11)]))

    def expected(self, table, lens):
        """The present plain table's sections, and what is toggled."""
        snapshot = self.must([200], "GET", f"/v1/tables/{table}")
        plain = [(section["id"], [row["id"] for row in section["rows"]]) for section in snapshot["sections"]]
        require(table != "groups" or sorted(id for _, ids in plain for id in ids) == sorted(self.items), "rows are missing")
        toggled = self.taps.get((table, lens.view), set()) if lens.view else set()
        return plain, toggled

    def verify(self, table, lens, snapshot):
        plain, toggled = self.expected(table, lens)
        wrong = oracle.check(snapshot, plain, self.items, lens, toggled)
        require(wrong is None, table, lens, wrong)
        require(re.fullmatch(r"[A-Za-z0-9._~-]{1,200}", snapshot["cursor"]), "a cursor:", snapshot["cursor"])

    def fresh(self, table, lens):
        path = f"/v1/tables/{table}?{query(lens)}"
        status, fields, snapshot = self.service.ask("GET", path, None, headers(lens))
        require(status == 200, path, status, snapshot)
        self.verify(table, lens, snapshot)
        self.counts["snapshots"] += 1
        if self.random.random() < 0.1:
            self.look_again(table, lens, path, fields, snapshot)
        return snapshot

    def look_again(self, table, lens, path, fields, snapshot):
        """The other ways in which the same is read."""
        require(fields["etag"] == f'"{snapshot["cursor"]}"', fields)
        same = {"If-None-Match": fields["etag"]} | headers(lens)
        for method in ("GET", "HEAD"):
            status, other, content = self.service.ask(method, path, None, same)
            require((status, other["etag"], content) == (304, fields["etag"], None), method, path, status)
        status, other, content = self.service.ask("HEAD", path, None, headers(lens))
        require(status == 200 and content is None, "HEAD", path, status)
        require(all(other[name] == fields[name] for name in ("etag", "vary", "cache-control", "content-length")), other, fields)
        if not snapshot["sections"] or lens.window:
            return
        number = self.random.randrange(len(snapshot["sections"]))
        section = snapshot["sections"][number]
        if not section["rows"]:
            return
        place = self.random.randrange(len(section["rows"]))
        pairs = [f"{name}={quote(value, safe='')}" for name, value in parameters(lens) if name != "rows"]
        path = f"/v1/tables/{table}/rows?" + "&".join([f"at={number},{place}", *pairs])
        row = self.must([200], "GET", path, None, headers(lens))
        require((row["row"], row["at"], row["section"]) == (section["rows"][place], [number, place], section["id"]), path, row)

    def hold(self, table, lens, mirror):
        self.held.append(Client(table, lens, mirror, set(self.taps.get((table, lens.view), set()))))
        if len(self.held) > 60:
            self.held.pop(self.random.randrange(30))

    def take(self, client, lens, change):
        """Goes on from what a client holds by an answer to its new lens."""
        snapshot = self.fresh(client.table, lens)
        if "reset" in change:
            require(change["from"] == client.mirror.cursor, "a reset from elsewhere", change["from"])
            mirror = Mirror(change["snapshot"])
            reason = change["reset"]
            self.resets[reason] = self.resets.get(reason, 0) + 1
            allowed = {"large", "expired"} if self.history < 50 else {"large"}
            if client.lens.cells != lens.cells or client.lens.view != lens.view or "~g" in client.mirror.cursor or ".g" in client.mirror.cursor:
                allowed.add("lens")
            require(reason in allowed, "reset", reason, "from", client.lens, client.mirror.cursor, "to", lens)
        else:
            mirror = Mirror.__new__(Mirror)
            mirror.__dict__ = json.loads(json.dumps(client.mirror.__dict__))
            before = client.mirror.sections
            mirror.apply(change)
            counted = oracle.told(change["stages"])
            least = oracle.fewest(before, mirror.sections)
            require(counted == least, counted, "not", least, "in", json.dumps(change, ensure_ascii=False))
            self.counts["changesets" if change["stages"] else "empty"] += 1
        try:
            mirror.check(snapshot)
        except Violation as violation:
            raise Violation(f"from {client.lens} at {client.mirror.cursor} to {lens}: {violation}\n{json.dumps(change, ensure_ascii=False)}")
        self.hold(client.table, lens, mirror)

    def poll(self):
        if len(self.held) < 20 or self.random.random() < 0.1:
            table, lens = self.random.choice(["groups", "fixed"]), self.lens()
            return self.hold(table, lens, Mirror(self.fresh(table, lens)))
        client = self.random.choice(self.held)
        lens = self.lens() if self.random.random() < 0.7 else client.lens
        # The same client, with another search or window.
        if self.random.random() < 0.6:
            lens = Lens(client.lens.view, client.lens.cells, lens.q, lens.filters, lens.sort, lens.menus, lens.window)
        change = self.must([200], "GET", f"/v1/tables/{client.table}/changes?after={client.mirror.cursor}&wait=0&{query(lens)}",
                           None, headers(lens))
        self.take(client, lens, change)

    def pairs(self):
        """Several at once, each through a lens of its own."""
        if len(self.held) < 20:
            return
        cells = self.random.choice(self.held).lens.cells
        asked = []
        for client in self.random.sample(self.held, 8):
            lens = self.lens() if self.random.random() < 0.5 else client.lens
            lens = Lens(lens.view, cells, lens.q, lens.filters, lens.sort, lens.menus, lens.window)
            asked.append((client, lens))
        path = "&".join(f"after={client.table}{members(lens)}:{client.mirror.cursor}" for client, lens in asked)
        reply = self.must([200], "GET", f"/v1/changes?{path}&wait=0", None, headers(asked[0][1]))
        # A table and a lens stand once.
        seen, twice = set(), set()
        for number, (client, lens) in enumerate(asked):
            name = (client.table, lens.view, lens.window, lens.search)
            if name in seen:
                twice.add(number)
            seen.add(name)
        entries = {entry["pair"]: entry for entry in reply["changes"]}
        require(len(entries) == len(reply["changes"]), "a pair twice", reply)
        for number, (client, lens) in enumerate(asked):
            entry = entries.get(number)
            if number in twice:
                require(entry and entry.get("problem", {}).get("status") == 400, "a lens that stands twice:", lens, entry)
                continue
            if entry is None:
                # It stands where it stood.
                snapshot = self.fresh(client.table, lens)
                client.mirror.check(snapshot)
                continue
            require("problem" not in entry, lens, entry)
            require(entry["table"] == client.table, "another table", entry)
            self.take(client, lens, entry)
            self.counts["pairs"] += 1

    def stream(self):
        if len(self.held) < 20:
            return
        client = self.random.choice(self.held)
        lens = self.lens() if self.random.random() < 0.6 else client.lens
        lens = Lens(client.lens.view, client.lens.cells, lens.q, lens.filters, lens.sort, lens.menus, lens.window)
        if (lens.search, lens.window) == (client.lens.search, client.lens.window):
            return
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=20)
        connection.request("GET", f"/v1/tables/{client.table}/stream?{query(lens)}", headers=headers(lens) | {"Last-Event-ID": client.mirror.cursor})
        reply = connection.getresponse()
        require(reply.status == 200, reply.status, reply.read(400) if reply.status != 200 else "")
        version, events = int(self.fresh(client.table, lens)["cursor"].split("~")[0].split(".")[1]), [{}]
        while line := reply.fp.readline().decode().rstrip("\n"):
            # Chunks' sizes stand between the lines.
            name, _, value = line.partition(": ")
            if name in ("event", "id", "data"):
                events[-1][name] = value
            if len(events[-1]) == 3:
                change = json.loads(events[-1]["data"])
                require(events[-1]["event"] == "changes" and events[-1]["id"] == change["to"], events)
                # An edit of the other table may follow yet.
                if int(change["to"].split("~")[0].split(".")[1]) >= version:
                    break
                events.append({})
        connection.close()
        if len(events) == 1:
            self.take(client, lens, change)
        self.counts["streams"] += 1

    def step(self):
        chance = self.random.random()
        if chance < 0.25:
            self.edit()
        elif chance < 0.32:
            self.tap()
        elif chance < 0.8:
            self.poll()
        elif chance < 0.95:
            self.pairs()
        else:
            self.stream()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("service")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--history", type=int)
    options = parser.parse_args()
    end, seed = time.monotonic() + options.seconds, options.seed
    while time.monotonic() < end:
        history = options.history or (400 if seed % 2 else 6)
        service = Service(os.path.abspath(options.service), CONFIGURATION % history)
        trial = Trial(service, seed, history)
        steps = 0
        try:
            for _ in range(12):
                trial.edit()
            while time.monotonic() < end and steps < 600:
                trial.step()
                steps += 1
        except Violation as violation:
            sys.exit(f"trial.py: seed {seed}, history {history}, step {steps}: {violation}")
        finally:
            service.stop()
        print(f"seed {seed}, history {history}: {steps} steps, {trial.counts}, resets {trial.resets}", flush=True)
        seed += 1


main()
