"""Writes the examples of docs/expressions.md as seeds of the target Expressions, and its words as a dictionary."""
import pathlib
import re
import sys

seeds, dictionary = map(pathlib.Path, sys.argv[1:])
page = (pathlib.Path(__file__).parent.parent / "docs" / "expressions.md").read_text()
code = [text.replace("\\|", "|") for text in re.findall(r"`([^`\n]+)`", page)]
seeds.mkdir(parents=True, exist_ok=True)
for number, text in enumerate(code):
    (seeds / f"{number:03}").write_text(text)
    (seeds / f"{number:03}-in-text").write_text("a ${" + text + "} b")
(seeds / "with-item").write_bytes(b"list | map(name) | sort | join\0" + b'{"list":[{"name":"b"},{"name":"a"}]}')
words = {word for text in code for word in re.findall(r"[$A-Za-z]+|[^\sA-Za-z0-9]+", text)}
quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in sorted(words) if word.isascii())
dictionary.write_text("".join(f'"{word}"\n' for word in quoted))
