#!/usr/bin/env python3
"""draw.py: writes the pictures of docs/changesets.md beside itself."""
import pathlib

HERE = pathlib.Path(__file__).parent
COLOURS = {"plain": ("#f4f5f7", "#8a929e"), "delete": ("#fde2e1", "#c9372c"), "insert": ("#dcfff1", "#1f845a"),
           "move": ("#e9f2ff", "#0c66e4"), "update": ("#fff7d6", "#946f00"), "head": ("#dfe3ea", "#44546f")}
STYLE = ("text{font:14px system-ui,sans-serif;fill:#172b4d}.s{font-size:12px;fill:#44546f}.b{font-weight:600}"
         ".m{font:12px ui-monospace,monospace;fill:#44546f}")


def text(x, y, words, kind="", anchor="start"):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def cell(x, y, words, kind="plain", width=150, mark=""):
    fill, stroke = COLOURS[kind]
    dash = ' stroke-dasharray="5 3"' if kind == "delete" else ""
    return (f'<rect x="{x}" y="{y}" width="{width}" height="28" rx="5" fill="{fill}" stroke="{stroke}"{dash}/>'
            + text(x + 10, y + 19, words, "b" if kind == "head" else "")
            + (text(x + width - 8, y + 19, mark, "m", "end") if mark else ""))


def column(x, y, rows, width=150):
    return "".join(cell(x, y + 34 * place, words, kind, width, mark) for place, (words, kind, mark) in enumerate(rows))


def arrow(x1, y1, x2, y2, colour="#0c66e4"):
    return (f'<path d="M{x1} {y1} C{(x1 + x2) / 2} {y1} {(x1 + x2) / 2} {y2} {x2 - 6} {y2}" fill="none" stroke="{colour}" '
            f'stroke-width="1.6" marker-end="url(#a)"/>')


def picture(name, width, height, title, *parts):
    (HERE / name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{title}"><title>{title}</title><style>{STYLE}</style><defs><marker id="a" viewBox="0 0 8 8" refX="6" refY="4" '
        f'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#0c66e4"/></marker></defs>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>' + "".join(parts) + "</svg>\n")


def column_of(x, heading, rows, width=150):
    return text(x, 24, heading, "b") + column(x, 36, rows, width)


picture("changeset.svg", 720, 250, "Two versions of a table, and the changeset between them",
    column_of(20, "version 41", [("Today", "head", ""), ("Milk", "delete", "[0,0]"), ("Bread", "move", "[0,1]"), ("Tea", "plain", "[0,2]"),
                                 ("Later", "head", ""), ("Lamp", "update", "[1,0]")]),
    column_of(285, "version 44", [("Today", "head", ""), ("Tea", "plain", "[0,0]"), ("Jam", "insert", "[0,1]"), ("Later", "head", ""),
                                  ("Bread", "move", "[1,0]"), ("Lamp, red", "update", "[1,1]")]),
    arrow(172, 118, 283, 186),
    text(500, 24, "the changeset 41 → 44", "b"),
    cell(500, 36, "delete", "delete", 200, "[0,0]"), cell(500, 70, "insert Jam", "insert", 200, "[0,1]"),
    cell(500, 104, "move Bread", "move", 200, "[0,1]→[1,0]"), cell(500, 138, "update Lamp", "update", 200, "[1,1]"),
    text(500, 190, "Tea has another place, and", "s"), text(500, 206, "nothing is said of it: it got there", "s"),
    text(500, 222, "since others came and went.", "s"))

picture("stages.svg", 720, 235, "The steps of applying a stage",
    column_of(20, "before", [("A", "delete", "0"), ("B", "plain", "1"), ("C", "move", "2"), ("D", "plain", "3")], 130),
    column_of(200, "1. take out", [("B", "plain", ""), ("D", "plain", "")], 130),
    column_of(380, "2. put in", [("C", "move", "0"), ("B", "plain", "1"), ("E", "insert", "2"), ("D", "plain", "3")], 130),
    column_of(560, "3. update", [("C", "plain", "0"), ("B", "plain", "1"), ("E", "plain", "2"), ("D, new", "update", "3")], 130),
    text(20, 196, "Deletes and the places moved from", "s"), text(20, 212, "count before the stage: 0 and 2.", "s"),
    text(380, 196, "Inserts, the places moved to, and updates", "s"), text(380, 212, "count after the stage: 0, 2 and 3.", "s"))

picture("moves.svg", 720, 260, "The fewest moves",
    column_of(20, "before", [("A", "plain", ""), ("B", "plain", ""), ("C", "plain", ""), ("D", "plain", ""), ("E", "move", "")], 110),
    column_of(250, "after", [("E", "move", ""), ("A", "plain", ""), ("B", "plain", ""), ("C", "plain", ""), ("D", "plain", "")], 110),
    arrow(132, 186, 248, 50),
    text(420, 50, "All five rows have another index.", ""), text(420, 76, "A, B, C and D kept their order:", ""),
    text(420, 102, "they are the longest such row of rows.", ""), text(420, 128, "So E moves, once, and four others", ""),
    text(420, 154, "make room by themselves.", ""), text(420, 194, "A list that compares index by index", "s"),
    text(420, 210, "would redraw five cells.", "s"))

picture("polls.svg", 720, 250, "A client that polls slowly gets one changeset over several versions",
    text(20, 30, "service", "b"), text(20, 150, "client", "b"),
    *(cell(110 + 120 * index, 12, f"version {41 + index}", "head", 100) for index in range(5)),
    '<path d="M110 60H700" stroke="#8a929e"/>', '<path d="M110 145H700" stroke="#8a929e"/>',
    arrow(130, 145, 170, 62), text(112, 170, "after=41", "m"), arrow(170, 60, 250, 143), text(200, 170, "41 → 42", "m"),
    text(300, 170, "(asleep)", "s"), arrow(560, 145, 600, 62), text(530, 170, "after=42", "m"), arrow(610, 60, 670, 143),
    text(630, 170, "42 → 45", "m"), text(110, 210, "Three versions came meanwhile. The answer is the difference between 42 and 45, not", "s"),
    text(110, 226, "three changesets one after the other: a row that came and went is not in it.", "s"))
