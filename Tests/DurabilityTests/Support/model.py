"""The sequential model of a local table: what the edits, one after the other, make of it.

A table is a tuple of sections, (name, rows), empty ones left out; a row is (identity, title, n)."""

ORDER = ["today", "later"]


class Impossible(Exception):
    """The model can't carry the edit out; `status` is what the service should have answered."""

    def __init__(self, status):
        self.status = status


class Model:
    def __init__(self, sections=None):
        self.sections = {name: list((sections or {}).get(name, [])) for name in ORDER}

    @classmethod
    def of(cls, snapshot):
        return cls({section["id"]: [
            (row["id"], row["payload"]["title"], row["payload"]["n"]) for row in section["rows"]
        ] for section in snapshot["sections"]})

    def copy(self):
        return Model(self.sections)

    def state(self):
        return tuple((name, tuple(rows)) for name, rows in self.sections.items() if rows)

    def difference(self, other):
        """For a failure's message: by section, the rows of this one and the other's, without the titles' padding."""
        return {name: ([(i, t.strip("x"), n) for i, t, n in rows], [(i, t.strip("x"), n) for i, t, n in other.sections[name]])
                for name, rows in self.sections.items() if rows != other.sections[name]}

    def apply(self, edit, identities):
        """Carries out an edit, a batch all or nothing. `identities` are what the service answered: an added row
        gets its identity from there."""
        if edit["op"] != "batch":
            return self._apply(edit, identities[0] if identities else None)
        saved = {name: list(rows) for name, rows in self.sections.items()}
        try:
            for index, part in enumerate(edit["edits"]):
                self._apply(part, identities[index] if identities else None)
        except Impossible:
            self.sections = saved
            raise

    def _apply(self, edit, identity):
        operation = edit["op"]
        if operation in ("add", "put") and "id" in edit:
            self._put(edit)
            return
        if operation == "add":
            item = edit["item"]
            row = (identity, item.get("title", "New"), item.get("n", 0))
            section, at = self._place(edit, None, item.get("section", "today"))
            self.sections[section].insert(at, row)
            return
        section, at = self._find(edit["id"], 404)
        row = self.sections[section][at]
        if operation == "patch":
            patch = edit["patch"]
            self.sections[section][at] = (row[0], patch.get("title", row[1]), patch.get("n", row[2]))
        elif operation == "delete":
            del self.sections[section][at]
        else:
            to, index = self._place(edit, row, section)
            del self.sections[section][at]
            self.sections[to].insert(index, row)

    def _put(self, edit):
        """An item under an identity that the client has chosen: added, or in the place of the one that has it."""
        item = edit["item"]
        row = (edit["id"], item.get("title", "New"), item.get("n", 0))
        try:
            section, at = self._find(edit["id"], 404)
        except Impossible:
            section, at = self._place(edit, None, item.get("section", "today"))
            self.sections[section].insert(at, row)
            return
        if edit.get("new"):
            raise Impossible(412)
        to, index = self._place(edit, self.sections[section][at], section)
        del self.sections[section][at]
        self.sections[to].insert(index, row)

    def _place(self, edit, moving, default):
        """The section and the index there, counted without the row that moves."""
        for name in ("before", "after"):
            if name in edit:
                neighbor = edit[name]
                if moving and neighbor == moving[0]:
                    raise Impossible(422)
                section, _ = self._find(neighbor, 422)
                others = [row for row in self.sections[section] if row != moving]
                at = [row[0] for row in others].index(neighbor)
                return section, at + (name == "after")
        section = edit.get("section", default)
        count = len([row for row in self.sections[section] if row != moving])
        at = edit.get("at", count)
        if at > count:
            raise Impossible(422)
        return section, at

    def _find(self, identity, otherwise):
        for section, rows in self.sections.items():
            for at, row in enumerate(rows):
                if row[0] == identity:
                    return section, at
        raise Impossible(otherwise)


def send(client, edit, key=None, condition=None):
    """Sends an edit; the status and the reply."""
    headers = {}
    if key:
        headers["Idempotency-Key"] = key
    if condition:
        headers["If-Match"] = f'"{condition}"'
    place = {name: edit[name] for name in ("section", "at", "before", "after") if name in edit}
    match edit["op"]:
        case "add":
            query = "&".join(f"{name}={value}" for name, value in place.items())
            return client.request("POST", "/items" + ("?" + query if query else ""), edit["item"], headers)
        case "put":
            query = "&".join(f"{name}={value}" for name, value in place.items())
            if edit["new"]:
                headers["If-None-Match"] = "*"
            return client.request("PUT", f"/items/{edit['id']}?{query}", edit["item"], headers)
        case "patch":
            return client.request("PATCH", f"/items/{edit['id']}", edit["patch"], headers)
        case "delete":
            return client.request("DELETE", f"/items/{edit['id']}", None, headers)
        case "move":
            return client.request("POST", f"/items/{edit['id']}/move", place, headers)
        case "batch":
            return client.request("POST", "/edits", {"edits": edit["edits"]}, headers)


def identities(reply):
    return reply["ids"] if "ids" in reply else [reply["id"]]
