"""Edits made up at random, over rows that are known to have been there."""


# Identities that the editors choose; few, so that they choose the same ones.
CHOSEN = [f"chosen-{number}" for number in range(12)]


class Editor:
    """Chooses edits; one for each connection, with a generator of its own."""

    def __init__(self, name, random, known, size=40):
        self.name, self.random, self.known, self.size = name, random, known, size
        self.count = 0

    def next(self):
        self.count += 1
        if self.random.random() < 0.1:
            return {"op": "batch", "edits": [_of_batch(self._one()) for _ in range(self.random.randint(2, 4))]}
        return self._one()

    def _one(self):
        random, rows = self.random, list(self.known)
        self.count += 1
        if len(rows) < self.size * random.uniform(0.5, 1.5):
            title = f"{self.name}.{self.count} " + "x" * random.choice([0, 20, 200])
            item = {"title": title, "n": self.count}
            if random.random() < 0.3:
                edit = {"op": "put", "id": random.choice(CHOSEN), "item": item, "new": random.random() < 0.5}
                return edit | self._place(rows, index=3)
            edit = {"op": "add", "item": item}
            if random.random() < 0.6:
                return edit | self._place(rows, index=3)
            item["section"] = random.choice(["today", "later"])
            return edit
        row = random.choice(rows)
        choice = random.random()
        if choice < 0.4:
            return {"op": "patch", "id": row, "patch": {"n": random.randrange(1 << 40)}}
        if choice < 0.7:
            return {"op": "move", "id": row} | self._place(rows, index=8)
        return {"op": "delete", "id": row}

    def _place(self, rows, index):
        kind = self.random.choice(["before", "after", "section"]) if rows else "section"
        if kind != "section":
            return {kind: self.random.choice(rows)}
        return {"section": self.random.choice(["today", "later"]), "at": self.random.randrange(index)}


def _of_batch(edit):
    """An item under a chosen identity is an `add` with it there; a condition would be the whole batch's."""
    if edit["op"] != "put":
        return edit
    return {name: value for name, value in edit.items() if name != "new"} | {"op": "add"}
