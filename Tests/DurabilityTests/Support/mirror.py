"""A client's copy of a table, kept up to date by the stages of changesets, as the protocol defines them."""

import copy

from service import Failure, require

KEPT = ("state", "problem", "title", "animation", "counts")


class Mirror:
    def __init__(self, snapshot):
        self.cursor = snapshot["cursor"]
        self.sections = copy.deepcopy(snapshot["sections"])
        self.members = {name: snapshot[name] for name in KEPT if name in snapshot}

    def copy(self):
        other = copy.copy(self)
        other.sections = copy.deepcopy(self.sections)
        other.members = dict(self.members)
        return other

    def apply(self, reply):
        """Applies a poll's reply; returns the reason of a reset, or None where there were stages."""
        require(reply["from"] == self.cursor, f"A reply from {reply['from']} to a client at {self.cursor}")
        if "reset" in reply:
            self.__init__(reply["snapshot"])
            return reply["reset"]
        for stage in reply["stages"]:
            self._stage(stage)
        self.cursor = reply["to"]
        return None

    def same(self, snapshot):
        return self.sections == snapshot["sections"] and all(
            self.members.get(name) == snapshot.get(name) for name in KEPT)

    def _stage(self, stage):
        sections, rows = stage.get("sections", {}), stage.get("rows", {})
        old = self.sections
        leaving, moved_rows = {}, {}
        for entry in rows.get("delete", []):
            leaving.setdefault(entry["at"][0], set()).add(entry["at"][1])
            _identified(old[entry["at"][0]]["rows"][entry["at"][1]], entry)
        for entry in rows.get("move", []):
            section, row = entry["from"]
            leaving.setdefault(section, set()).add(row)
            moved_rows[entry["id"]] = _identified(old[section]["rows"][row], entry)
        for section, indexes in leaving.items():
            old[section]["rows"] = [row for at, row in enumerate(old[section]["rows"]) if at not in indexes]

        gone, arriving = set(), {}
        for entry in sections.get("delete", []):
            gone.add(entry["at"])
            _identified(old[entry["at"]], entry)
        for entry in sections.get("move", []):
            gone.add(entry["from"])
            arriving[entry["to"]] = _identified(old[entry["from"]], entry)
        for entry in sections.get("insert", []):
            arriving[entry["at"]] = entry["section"]
        new = [section for at, section in enumerate(old) if at not in gone]
        for at in sorted(arriving):
            new.insert(at, arriving[at])
        self.sections = new

        coming = [(entry["at"], entry["row"]) for entry in rows.get("insert", [])]
        coming += [(entry["to"], moved_rows[entry["id"]]) for entry in rows.get("move", [])]
        for (section, at), row in sorted(coming, key=lambda pair: pair[0]):
            require(at <= len(new[section]["rows"]), f"Row {row['id']} arrives past the end of its section")
            new[section]["rows"].insert(at, row)
        for entry in sections.get("update", []):
            _identified(new[entry["at"]], entry)
            for name in ("header", "footer"):
                new[entry["at"]].pop(name, None)
                if name in entry:
                    new[entry["at"]][name] = entry[name]
        for entry in rows.get("update", []):
            section, at = entry["at"]
            _identified(new[section]["rows"][at], entry["row"])
            new[section]["rows"][at] = entry["row"]
        identities = [row["id"] for section in new for row in section["rows"]]
        require(len(set(identities)) == len(identities), "After a stage, an identity stands in the table twice")
        for name in KEPT:
            if name in stage:
                self.members[name] = stage[name]
        if stage.get("state") in ("ready", "empty"):
            self.members.pop("problem", None)


def _identified(thing, entry):
    if thing["id"] != entry["id"]:
        raise Failure(f"A stage names {entry['id']} where {thing['id']} stands")
    return thing
