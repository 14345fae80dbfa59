"""What the protocol says that a lens shows, worked out naively from the items: cells, then the view, then the search, then the window."""
import dataclasses
import unicodedata

FALLBACKS = {"Fold": "Wide", "Wide": "Label"}
FIELDS = {"Label": ["title"], "Wide": ["title", "size"], "Fold": ["title", "size", "isOpen"], "Title": ["title"]}
KINDS = {"label": "Label", "wide": "Wide", "fold": "Fold"}
FILTERS = {"state": {"open": "Open", "none": "Nothing", "gone": "Gone"}, "tag": {}}
SORTS = {"size": ("size", False, True), "title": ("title", True, True), "all": ("size", True, False)}
PROMPT = "Search all"


# Words.

ANYWHERE = ("CJK ", "HIRAGANA", "KATAKANA", "THAI", "LAO ", "KHMER", "MYANMAR")


def folded(text):
    """NFKD, case folding, NFKD, and no marks; a mark that is gone still joins its word."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    words, word = [], ""
    for character in text + " ":
        category = unicodedata.category(character)[0]
        if category in "LMN":
            word += "" if category == "M" else character
        elif word:
            words.append(word)
            word = ""
    return words


def begins_anywhere(character):
    name = unicodedata.name(character, "")
    return name.startswith(ANYWHERE)


def begins(word, term):
    if word.startswith(term):
        return True
    return begins_anywhere(term[0]) and term in word


def has_words(item, terms):
    texts = [as_text(item.get(name)) for name in ("title", "body")]
    texts += [as_text(tag) for tag in (item.get("tags") or [])]
    words = [word for text in texts if text is not None for word in folded(text)]
    return all(any(begins(word, term) for word in words) for term in terms)


# Values.

def as_text(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def values(item, filter):
    value = item.get("state" if filter == "state" else "tags")
    found = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(as_text(one) or "none" for one in found))


def key(value):
    """Booleans before numbers before texts; None where there is none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return (0, value)
    if isinstance(value, (int, float)):
        return (1, value)
    return (2, value.encode())


def in_order(items, sort):
    """Pairs of identity and item; equal keys in the order in which they come, no value last."""
    name, descending, _ = SORTS[sort]
    keyed = [(key(pair[1].get(name)), pair) for pair in items]
    # Python keeps equal ones in their order with `reverse`, too.
    some = sorted([entry for entry in keyed if entry[0] is not None], key=lambda entry: entry[0], reverse=descending)
    return [pair for _, pair in some] + [pair for found, pair in keyed if found is None]


# The lens.

@dataclasses.dataclass(frozen=True)
class Lens:
    view: str | None = None
    #: Names that a client can show; None: all.
    cells: tuple | None = None
    q: str | None = None
    filters: tuple = ()
    sort: str | None = None
    menus: bool = False
    #: `(from, rows)`; None: the whole table.
    window: tuple | None = None

    @property
    def finds(self):
        return self.q is not None or bool(self.filters) or self.sort is not None or self.menus

    @property
    def terms(self):
        return sorted(set(folded(self.q or "")))

    @property
    def search(self):
        """Two that are equal are one lens."""
        if not self.finds:
            return None
        return (tuple(self.terms), tuple(sorted({(name, value or "none") for name, value in self.filters})), self.sort)


def is_found(item, lens, but=None):
    if not has_words(item, lens.terms):
        return False
    for filter in FILTERS:
        chosen = [value or "none" for name, value in lens.filters if name == filter]
        if chosen and filter != but and not set(values(item, filter)) & set(chosen):
            return False
    return True


def found(plain, items, lens):
    """`(section's id, identities)`, of the plain table's sections as they are shown: `(id, identities)`."""
    # A search without anything leaves the sections that are empty.
    if not (lens.terms or lens.filters or lens.sort):
        return plain
    sections = [(name, [id for id in ids if is_found(items[id], lens)]) for name, ids in plain]
    if lens.sort:
        if not SORTS[lens.sort][2]:
            together = [id for _, ids in sections for id in ids]
            sections = [(lens.sort, together)]
        sections = [(name, [id for id, _ in in_order([(id, items[id]) for id in ids], lens.sort)]) for name, ids in sections]
    return [(name, ids) for name, ids in sections if ids]


def window(sections, lens):
    """`(id, all identities, first shown, behind the last shown)`."""
    if lens.window is None:
        return [(name, ids, 0, len(ids)) for name, ids in sections]
    first, count = lens.window
    end, start, cut = first + count, 0, []
    for name, ids in sections:
        if ids:
            low, high = max(first, start), min(end, start + len(ids))
            if low < high:
                cut.append((name, ids, low - start, high - start))
        elif first <= start <= end - 1:
            cut.append((name, ids, 0, 0))
        start += len(ids)
    return cut


def header(title, ids, items):
    sizes = [items[id].get("size") for id in ids]
    numbers = [size for size in sizes if isinstance(size, (int, float)) and not isinstance(size, bool)]
    return f"{title}: {len(ids)}, {sum(numbers):g}"


def cell(id, item, lens, toggled):
    kind = KINDS[item.get("kind", "label")]
    payload = {"title": item["title"]}
    if kind != "Label":
        payload["size"] = "=" + (as_text(item.get("size")) or "")
    if kind == "Fold":
        payload["isOpen"] = id in toggled
    if lens.cells is not None:
        while kind not in lens.cells and kind in FALLBACKS:
            kind = FALLBACKS[kind]
    return kind, {name: payload[name] for name in FIELDS[kind]}


def menus(plain, items, lens):
    everything = [items[id] for _, ids in plain for id in ids]
    told = []
    for filter, configured in FILTERS.items():
        counts = {}
        for item in everything:
            if is_found(item, lens, but=filter):
                for value in values(item, filter):
                    counts[value] = counts.get(value, 0) + 1
        chosen = {value or "none" for name, value in lens.filters if name == filter}
        others = sorted(set(counts) | chosen - set(configured), key=lambda value: (-counts.get(value, 0), value.encode()))
        all = list(configured.items()) + [(value, value) for value in others if value not in configured]
        listed = [(value, title) for place, (value, title) in enumerate(all) if place < 100 or value in chosen]
        entry = {"id": filter, "title": filter.capitalize(),
                 "values": [{"value": value, "title": title, "count": counts.get(value, 0), "selected": value in chosen}
                            for value, title in listed]}
        if len(listed) < len(all):
            entry["more"] = True
        told.append(entry)
    made = {"prompt": PROMPT, "sorts": [{"id": name, "title": name.capitalize()} for name in SORTS], "filters": told}
    if lens.sort:
        made["sort"] = lens.sort
    return made


def check(snapshot, plain, items, lens, toggled):
    """Words that say where a snapshot differs from what it should be, else None; `plain` has the plain table's sections, as pairs
    of `id` and identities, in their order."""
    shown = window(found(plain, items, lens), lens)
    told = snapshot["sections"]
    if [section["id"] for section in told] != [name for name, _, _, _ in shown]:
        return f"sections {[section['id'] for section in told]}, not {[name for name, _, _, _ in shown]}"
    for section, (name, ids, low, high) in zip(told, shown):
        if [row["id"] for row in section["rows"]] != ids[low:high]:
            return f"in {name} {[row['id'] for row in section['rows']]}, not {ids[low:high]}"
        if section.get("skipped", 0) != low or ("skipped" in section and not low):
            return f"in {name} skipped {section.get('skipped')}, not {low}"
        for row in section["rows"]:
            kind, payload = cell(row["id"], items[row["id"]], lens, toggled)
            if (row["cellIdentifier"], row["payload"]) != (kind, payload):
                return f"row {row['id']}: {row['cellIdentifier']} {row['payload']}, not {kind} {payload}"
        is_flat = lens.sort is not None and not SORTS[lens.sort][2]
        title = None if is_flat else header(name, ids, items)
        if (section.get("header") or {}).get("payload", {}).get("title") != title:
            return f"header of {name}: {section.get('header')}, not {title}"
    rows = sum(high - low for _, _, low, high in shown)
    if (snapshot["counts"]["rows"], snapshot["counts"]["sections"]) != (rows, len(shown)):
        return f"counts {snapshot['counts']}, not {rows} rows in {len(shown)}"
    if [(section["footer"] or {}).get("payload", {}).get("title") for section in told] != [
            None if lens.sort and not SORTS[lens.sort][2] else "|".join(items[id]["title"] for id in ids) for _, ids, _, _ in shown]:
        return f"footers {[section['footer'] for section in told]}"
    of = sum(len(ids) for _, ids in found(plain, items, lens))
    expected = None
    if lens.window:
        expected = {"rows": lens.window[1], "of": of} | ({"from": lens.window[0]} if lens.window[0] else {})
    if snapshot.get("window") != expected:
        return f"window {snapshot.get('window')}, not {expected}"
    expected = menus(plain, items, lens) if lens.finds else None
    if snapshot.get("find") != expected:
        return f"find\n{snapshot.get('find')}, not\n{expected}"
    return None


def fewest(old, new):
    """By kind, the fewest operations that lead from one list of sections to another one, each as mirrors have them."""
    before = {section["id"]: (place, section) for place, section in enumerate(old)}
    after = {section["id"]: section for section in new}
    kept = [section for section in new if section["id"] in before]
    sections = {
        "delete": sum(name not in after for name in before),
        "insert": sum(name not in before for name in after),
        "move": len(kept) - rise([before[section["id"]][0] for section in kept]),
        "update": sum(any(before[s["id"]][1][name] != s[name] for name in ("header", "footer", "skipped")) for s in kept),
    }

    def places(list):
        return {row["id"]: (section["id"], place, row) for section in list for place, row in enumerate(section["rows"])}

    was, now = places(old), places(new)
    rows = {"delete": 0, "insert": 0, "move": 0, "update": 0}
    for id, (section, _, _) in was.items():
        if section in after and not (id in now and now[id][0] in before):
            rows["delete"] += 1
    for id, (section, _, row) in now.items():
        if section not in before:
            continue
        if id not in was or was[id][0] not in after:
            rows["insert"] += 1
            continue
        rows["update"] += was[id][2] != row
        rows["move"] += was[id][0] != section
    for section in kept:
        rows["move"] += (lambda own: len(own) - rise(own))(
            [was[row["id"]][1] for row in section["rows"] if row["id"] in was and was[row["id"]][0] == section["id"]])
    return {"sections": {k: n for k, n in sections.items() if n}, "rows": {k: n for k, n in rows.items() if n}}


def told(stages):
    counts = {"sections": {}, "rows": {}}
    for stage in stages:
        for part in counts:
            for kind, operations in stage.get(part, {}).items():
                counts[part][kind] = counts[part].get(kind, 0) + len(operations)
    return counts


def rise(numbers):
    """How many can stay where they are."""
    ends = []
    for number in numbers:
        place = next((place for place, end in enumerate(ends) if end >= number), len(ends))
        ends[place:place + 1] = [number]
    return len(ends)
