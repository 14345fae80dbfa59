#!/usr/bin/env python3
"""The core of a client, as short as it can be: replies.jsonl says what it is sent and what it has to show (docs/conformance.md)."""
import json
import pathlib


def apply(table, reply):
    """The table that a poll's reply makes of the one that there is; None where there is none yet."""
    if "snapshot" in reply:
        return reply["snapshot"]
    assert table and reply["from"] == table["cursor"], "a reply that leads on from another version"
    sections = table["sections"]
    for stage in reply["stages"]:
        def ops(kind, name):
            return stage.get(kind, {}).get(name, [])
        # What leaves is given in coordinates before the stage, from behind; what arrives in those after it.
        rows = {m["id"]: sections[m["from"][0]]["rows"][m["from"][1]] for m in ops("rows", "move")}
        for s, r in sorted([d["at"] for d in ops("rows", "delete")] + [m["from"] for m in ops("rows", "move")])[::-1]:
            del sections[s]["rows"][r]
        moved = {m["id"]: sections[m["from"]] for m in ops("sections", "move")}
        for s in sorted([d["at"] for d in ops("sections", "delete")] + [m["from"] for m in ops("sections", "move")])[::-1]:
            del sections[s]
        come = [(i["at"], i["section"]) for i in ops("sections", "insert")]
        for s, section in sorted(come + [(m["to"], moved[m["id"]]) for m in ops("sections", "move")], key=lambda c: c[0]):
            sections.insert(s, section)
        come = [(i["at"], i["row"]) for i in ops("rows", "insert")]
        for (s, r), row in sorted(come + [(m["to"], rows[m["id"]]) for m in ops("rows", "move")], key=lambda c: c[0]):
            sections[s]["rows"].insert(r, row)
        for u in ops("sections", "update"):
            sections[u["at"]].update({name: u[name] for name in u if name in ("header", "footer", "skipped")})
        for u in ops("rows", "update"):
            sections[u["at"][0]]["rows"][u["at"][1]] = u["row"]
        table.update({name: stage[name] for name in stage if name not in ("sections", "rows")})
    table["cursor"] = reply["to"]
    return table


def shown(table):
    def row(r):
        return {name: r[name] for name in ("id", "cellIdentifier", "payload")}
    sections = [{"id": s["id"], "header": (s.get("header") or {}).get("payload"), "rows": [row(r) for r in s["rows"]]}
                for s in table["sections"]]
    return {**{name: table[name] for name in ("cursor", "state", "title")}, "sections": sections}


if __name__ == "__main__":
    cases = [json.loads(line) for line in pathlib.Path(__file__).with_name("replies.jsonl").read_text().splitlines()]
    for case in cases:
        table = None
        for number, step in enumerate(case["steps"]):
            table = apply(table, step["sent"])
            assert shown(table) == step["shown"], f"{case['name']}, step {number}: {shown(table)}"
    print(f"{len(cases)} cases, {sum(len(case['steps']) for case in cases)} replies: shown as they have to be")
