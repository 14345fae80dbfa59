#!/usr/bin/env python3
"""check-prose.py: the style of the pages, as far as a program can see it. A sentence begins with its subject, not with a clause that a
reader has to resolve first ("What waits …", "Whoever asks …"), and has at most 45 words. `make prose`; takes a moment."""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ("README.md", "CHANGELOG.md", "UPGRADING.md", "CONTRIBUTING.md"))]
RIDDLE = re.compile(r"(What|Whatever|Who|Whoever|Whom|Whose)\b")
LONGEST = 45


def sentences(text):
    """Each with its line: of paragraphs and list items, without code, tables and links' targets."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^```.*?^```", blank, text, flags=re.S | re.M)
    text = re.sub(r"^(\||#|<!--|    ).*$", blank, text, flags=re.M)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    for block in re.finditer(r"(?:(?!\n[ \t]*\n|\n[ \t]*(?:[-*]|\d+\.) ).)+", text, re.S):
        start = 0
        for part in re.split(r"(?<=[.!?])(?:\*\*)?\s+(?=[\"“(*\[]*[A-Z0-9`])", block[0]):
            place = block.start() + block[0].index(part, start)
            start = block[0].index(part, start) + len(part)
            words = part.strip().lstrip("-*0123456789. \"“([")
            if words:
                yield text.count("\n", 0, place + len(part) - len(part.lstrip())) + 1, " ".join(words.split())


def main():
    found = 0
    for page in PAGES:
        for line, sentence in sentences(page.read_text()):
            fault = None
            if RIDDLE.match(sentence) and not sentence.rstrip(')"*').endswith(("?", ":")):
                fault = "begins with a clause, not with its subject"
            elif len(sentence.split()) > LONGEST:
                fault = f"has {len(sentence.split())} words; {LONGEST} are enough"
            if fault:
                found += 1
                print(f"{page.relative_to(ROOT)}:{line}: {fault}: {sentence[:200]}")
    if found:
        sys.exit(f"{found} sentences to put plainly")


main()
