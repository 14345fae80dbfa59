"""A client of the wire protocol that forgives nothing: what a list view would refuse, or the protocol forbids, is a
`Violation`. For the trials that drive the service from Python."""

import hashlib
import http.client
import json
import threading
import time


class Violation(Exception):
    """What came is not what the protocol allows."""


def require(condition, *words):
    if not condition:
        raise Violation(" ".join(str(word) for word in words))


def ask(port, method, path, body=None, headers=None, timeout=60):
    """Status, header fields (names in lower case) and JSON of one request; None where nobody answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        fields = dict(headers or {})
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        connection.request(method, path, None if body is None else json.dumps(body).encode(), fields)
        reply = connection.getresponse()
        content = reply.read()
        found = {name.lower(): value for name, value in reply.getheaders()}
        return reply.status, found, json.loads(content) if content else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Contents:
    """What each version was said to be, by whomever: there are never two contents under one cursor."""

    def __init__(self):
        self.known, self.lock, self.broken = {}, threading.Lock(), []

    def check(self, table, cursor, content, said_by):
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
        with self.lock:
            if self.known.setdefault((table, cursor), digest) != digest:
                self.broken.append(f"{table} at {cursor} has two contents ({said_by})")


class Mirror:
    """A table as a client has it: made by a snapshot, kept by changesets."""

    ATTRIBUTES = ["state", "problem", "title", "animation", "counts", "truncated", "window", "find"]

    def __init__(self, snapshot):
        require(isinstance(snapshot.get("cursor"), str), "a snapshot without `cursor`", snapshot)
        self.cursor = snapshot["cursor"]
        self.sections = [self._section(section) for section in snapshot["sections"]]
        self.attributes = {name: snapshot.get(name) for name in self.ATTRIBUTES}
        self._check_wholeness()

    @staticmethod
    def _section(section):
        require(section.get("skipped", 1) > 0, "`skipped` where none is", section)
        return {"id": section["id"], "header": section.get("header"), "footer": section.get("footer"),
                "skipped": section.get("skipped", 0), "rows": list(section["rows"])}

    @property
    def state(self):
        return self.attributes["state"]

    @property
    def rows(self):
        return [row for section in self.sections for row in section["rows"]]

    @property
    def ids(self):
        return [row["id"] for row in self.rows]

    @property
    def content(self):
        return [self.sections, self.attributes]

    def row(self, id):
        return next((row for row in self.rows if row["id"] == id), None)

    def titles(self, field="title"):
        return [row["payload"].get(field) for row in self.rows]

    def apply(self, changes):
        """One change object with stages."""
        require(changes["from"] == self.cursor, "from", changes["from"], "at", self.cursor)
        stages = changes["stages"]
        require(len(stages) <= 3, len(stages), "stages")
        require(not stages or changes["to"] != self.cursor, "stages under one cursor", changes)
        before = json.dumps(self.content, sort_keys=True)
        for number, stage in enumerate(stages):
            for name in self.ATTRIBUTES:
                if name in stage:
                    require(number == len(stages) - 1, name, "before the last stage")
                    self.attributes[name] = stage[name]
            self._perform(stage)
            self._check_wholeness()
        require(not stages or json.dumps(self.content, sort_keys=True) != before, "stages that change nothing", changes)
        self.cursor = changes["to"]

    def check(self, snapshot):
        """Refuses to differ from a fresh snapshot of the same cursor."""
        fresh = Mirror(snapshot)
        require(fresh.cursor == self.cursor, "at", self.cursor, "the snapshot at", fresh.cursor)
        require(fresh.content == self.content, "\n", self.content, "\nis not\n", fresh.content)

    def _check_wholeness(self):
        ids = self.ids
        require(len(set(ids)) == len(ids), "a row stands twice", ids)
        names = [section["id"] for section in self.sections]
        require(len(set(names)) == len(names), "a section stands twice", names)

    def _perform(self, stage):
        """A batch as `performBatchUpdates` takes it: what leaves in coordinates before it, what arrives after it."""
        old = self.sections
        sections, rows = stage.get("sections", {}), stage.get("rows", {})
        for kind in (sections, rows):
            require(all(kind.values()), "an empty list", stage)
        leaving, arriving = set(), {}
        for place, operations in (("at", sections.get("delete", [])), ("from", sections.get("move", []))):
            for operation in operations:
                index = operation[place]
                require(0 <= index < len(old) and old[index]["id"] == operation["id"] and index not in leaving,
                        "section", index, "can't leave")
                leaving.add(index)
        for operation in sections.get("insert", []):
            require(operation["at"] not in arriving, "two sections at", operation["at"])
            arriving[operation["at"]] = self._section(operation["section"])
        for operation in sections.get("move", []):
            require(operation["to"] not in arriving, "two sections at", operation["to"])
            arriving[operation["to"]] = old[operation["from"]]
        rows_leaving, rows_arriving = {}, {}
        for place, operations in (("at", rows.get("delete", [])), ("from", rows.get("move", []))):
            for operation in operations:
                section, row = operation[place]
                require(0 <= section < len(old) and section not in leaving and 0 <= row < len(old[section]["rows"])
                        and old[section]["rows"][row]["id"] == operation["id"]
                        and row not in rows_leaving.setdefault(section, set()), "row", operation, "can't leave")
                rows_leaving[section].add(row)
        for operation in rows.get("insert", []):
            path = tuple(operation["at"])
            require(path not in rows_arriving, "two rows at", path)
            rows_arriving[path] = operation["row"]
        for operation in rows.get("move", []):
            path, (section, row) = tuple(operation["to"]), operation["from"]
            require(path not in rows_arriving, "two rows at", path)
            rows_arriving[path] = old[section]["rows"][row]

        new = []
        for index, section in enumerate(old):
            if index not in leaving:
                gone = rows_leaving.get(index, set())
                kept = [row for number, row in enumerate(section["rows"]) if number not in gone]
                new.append({**section, "rows": kept})
        for place in sorted(arriving):
            require(0 <= place <= len(new), "a section at", place)
            new.insert(place, arriving[place])
        for section, row in sorted(rows_arriving):
            require(0 <= section < len(new) and section not in arriving and 0 <= row <= len(new[section]["rows"]),
                    "a row at", [section, row])
            new[section]["rows"].insert(row, rows_arriving[section, row])
        for operation in rows.get("update", []):
            section, row = operation["at"]
            require(0 <= section < len(new) and 0 <= row < len(new[section]["rows"]), "an update of no row", operation)
            before, after = new[section]["rows"][row], operation["row"]
            require(before["id"] == after["id"] and before != after, "an update of another row, or of nothing", operation)
            require(operation["reload"] == (before["cellIdentifier"] != after["cellIdentifier"]), "`reload`", operation)
            new[section]["rows"][row] = after
        for operation in sections.get("update", []):
            section = new[operation["at"]]
            require(section["id"] == operation["id"], "an update of another section", operation)
            now = {name: operation.get(name) for name in ("header", "footer")}
            require("skipped" not in operation or operation["skipped"] != section["skipped"], "`skipped` unchanged", operation)
            now["skipped"] = operation.get("skipped", section["skipped"])
            require(any(section[name] != now[name] for name in now), "an update of nothing", operation)
            new[operation["at"]] = {**section, **now}
        self.sections = new


class Follower(threading.Thread):
    """Follows a table by long polls until it is stopped, also while the service is away."""

    def __init__(self, port, table, headers=None, contents=None, wait=5):
        super().__init__(daemon=True)
        self.port, self.table, self.headers, self.wait = port, table, headers or {}, wait
        self.contents = contents or Contents()
        self.mirror, self.polls, self.changesets, self.resets, self.failures = None, 0, 0, [], []
        # Of rows, since it was last asked for.
        self.fewest = None
        self.stopped, self.changed = threading.Event(), threading.Condition()

    @property
    def name_of_lens(self):
        return f"{self.table} {self.headers}"

    def run(self):
        while not self.stopped.is_set():
            try:
                self.poll()
            except Violation as violation:
                with self.changed:
                    self.failures.append(f"{self.name_of_lens}: {violation}")
                    self.mirror = None

    def poll(self):
        path = f"/v1/tables/{self.table}/changes?wait={self.wait}"
        reply = ask(self.port, "GET", path + (f"&after={self.mirror.cursor}" if self.mirror else ""), None, self.headers)
        if reply is None or reply[0] in (429, 502, 503):
            return time.sleep(0.05)
        status, _, changes = reply
        require(status == 200, status, changes)
        with self.changed:
            self._take(changes)
            self.changed.notify_all()

    def _take(self, changes):
        mirror = self.mirror
        if "reset" in changes:
            require(changes.get("from") == (mirror.cursor if mirror else None), "a reset from elsewhere", changes)
            if mirror:
                self.resets.append(changes["reset"])
            mirror = Mirror(changes["snapshot"])
            require(mirror.cursor == changes["to"], "the snapshot is not at `to`", changes)
        else:
            mirror.apply(changes)
            self.changesets += bool(changes["stages"])
        self.contents.check(self.name_of_lens, mirror.cursor, mirror.content, "a follower")
        self.polls += 1
        self.fewest = len(mirror.rows) if self.fewest is None else min(self.fewest, len(mirror.rows))
        self.mirror = mirror

    def until(self, what, condition, seconds=30):
        """Waits until the mirror is so; returns it."""
        with self.changed:
            def met():
                return self.failures or (self.mirror is not None and condition(self.mirror))
            if not self.changed.wait_for(met, seconds):
                shown = self.mirror and (self.mirror.state, self.mirror.rows[:5], self.mirror.attributes["problem"])
                raise Violation(f"{self.name_of_lens}: not in time: {what}; it is {shown}")
            require(not self.failures, *self.failures)
            return self.mirror

    def stop(self):
        self.stopped.set()

    def settle(self, seconds=30):
        """Waits until it stands where the service does, and is the same."""
        deadline = time.time() + seconds
        while True:
            reply = ask(self.port, "GET", f"/v1/tables/{self.table}", None, self.headers)
            with self.changed:
                if reply and reply[0] == 200 and self.mirror and self.mirror.cursor == reply[2]["cursor"]:
                    self.contents.check(self.name_of_lens, reply[2]["cursor"], Mirror(reply[2]).content, "a snapshot")
                    return self.mirror.check(reply[2])
            require(time.time() < deadline, self.name_of_lens, "does not come to where the service is")
            time.sleep(0.05)
