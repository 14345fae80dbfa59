"""What one client takes of what all share: turns, memory, names, keys."""
import contextlib, json, random, socket, statistics, struct, threading, time

from trial import EDITOR, NotHeld, Wire, attack, holds, request

MANY = {"source": {"local": {"items": [{"title": f"Item number {n} of many"} for n in range(10_000)]}}, "can": {"edit": True},
        "find": {"search": ["title"]}}
# Of many cells a client can show any.
CELLS = {f"C{n}": {"fields": {"title": "string"}, "fallback": "Label"} for n in range(8)} | {
    "Label": {"fields": {"title": "string"}}, "Note": {"fields": {"title": "string", "open": "boolean"}, "expands": "open", "fallback": "Label"}}
KINDS = {"$default": {"cell": "Label", "payload": {"title": "${title ?? ''}"}}} | {f"k{n}": {"cell": f"C{n}", "payload": {"title": "${title}"}} for n in range(8)}
SHARED = {"limits": {"connectionsPerAddress": 1500}, "tables": {"many": MANY, "todo": {"source": {"local": {"items": [{"title": "A"}]}}, "can": {"edit": True}}}}


def news(service):
    """Seconds until a good client that waits hears of an edit."""
    cursor = service.ask("GET", "/v1/tables/many?rows=10", seconds=60).json()["cursor"]
    with service.wire(60) as wire:
        wire.send(request("GET", f"/v1/tables/many/changes?after={cursor}&wait=55&rows=10"))
        time.sleep(0.1)
        before = time.monotonic()
        service.ask("POST", "/v1/tables/many/items?section=main&at=0", [EDITOR], {"title": "new"}, seconds=60)
        answer = wire.answer()
        holds(answer and answer.status == 200 and answer.json()["stages"], "the news did not come:", answer and answer.status)
        return time.monotonic() - before


def news_beside(trial, target):
    """200 connections of one address ask for what `target()` names, again and again: another address hears of edits all the same."""
    wires, ended = [Wire(trial.service.port, 60, address="127.0.0.9") for _ in range(200)], threading.Event()

    def ask_again(own):
        with contextlib.suppress(OSError):
            while not ended.is_set():
                for wire in own:
                    wire.send(request("GET", target(), ["Accept-Encoding: gzip"]))
                for wire in own:
                    wire.answer()
    threads = [threading.Thread(target=ask_again, args=(wires[n::4],), daemon=True) for n in range(4)]
    try:
        for thread in threads:
            thread.start()
        time.sleep(1)
        waits = [news(trial.service) for _ in range(5)]
        said = " ".join(f"{wait:.2f}" for wait in waits)
        print(f"          news after {said} s")
        holds(statistics.median(waits) < 0.7, "news come after", said, "seconds")
    finally:
        ended.set()
        for wire in wires:
            wire.close()
        for thread in threads:
            thread.join(30)


@attack("200 connections of one address, each of which asks for another window of 10,000 rows, compressed, again and again",
        "another address hears of edits as soon as ever: replies are made in turns", configuration=SHARED, quick=False)
def dear_replies_of_one_client(trial):
    news_beside(trial, lambda: f"/v1/tables/many?rows={random.randint(9_000, 9_999)}")


@attack("200 connections of one address, each of which polls with another search of 10,000 rows, again and again",
        "another address hears of edits as soon as ever: searches are made in turns", configuration=SHARED, quick=False)
def searches_of_one_client(trial):
    cursor = trial.service.ask("GET", "/v1/tables/many?rows=10", seconds=60).json()["cursor"].split("~")[0]
    news_beside(trial, lambda: f"/v1/tables/many/changes?after={cursor}&wait=0&rows=1&q=item+{random.randint(0, 9_999)}+n")


@attack("1,500 requests for replies that take long, each of a client that resets its connection at once", "nothing of what others ask for waits for those",
        configuration=SHARED)
def replies_that_nobody_waits_for(trial):
    for _ in range(1500):
        with Wire(trial.service.port, 5, address="127.0.0.9") as wire:
            wire.send(request("GET", f"/v1/tables/many?rows={random.randint(5_000, 9_999)}", ["Accept-Encoding: gzip"]))
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    before = time.monotonic()
    trial.service.ask("GET", "/healthz", seconds=60)     # what is accepted before is another matter
    listening = time.monotonic() - before
    trial.service.ask("GET", f"/v1/tables/many?rows={random.randint(20, 999)}", seconds=60)
    took = time.monotonic() - before - listening
    holds(took < 1.5, f"a good client waits for {took:.1f} s afterwards")


LENSES = {"cells": CELLS, "representations": KINDS, "tables": {
    "kinds": {"source": {"local": {"items": [{"title": f"Item {n}", "kind": f"k{n % 8}"} for n in range(10_000)]}}, "row": {"type": "${kind}"}},
    "notes": {"source": {"local": {"items": [{"title": f"Item {n}"} for n in range(10_000)]}}, "cell": "Note", "payload": {"title": "${title}", "open": False}},
    "todo": {"source": {"local": {"items": [{"title": "A"}]}}}}}


@attack("one row of 10,000, by its id and by its place, through sets of cells and in tapped views; taps", "each takes what one row takes", configuration=LENSES)
def one_row_through_lenses(trial):
    def cost(ask, count=20):
        before = trial.service.processor()
        for number in range(count):
            status = ask(number).status
            holds(status == 200, "was answered", status)
        return (trial.service.processor() - before) / count
    service = trial.service
    cells = lambda number: "Accept-Cells: " + ", ".join(f"C{bit}" for bit in range(8) if (number + 1) >> bit & 1)
    service.ask("GET", "/v1/tables/kinds/rows/7")
    for what, ask in [("a row's place with other cells", lambda n: service.ask("GET", f"/v1/tables/kinds/rows?at=0,{n * 400}", [cells(n)])),
                      ("a row with other cells", lambda n: service.ask("GET", f"/v1/tables/kinds/rows/{1 + n * 400}", [cells(n + 50)])),
                      ("a tap", lambda n: service.ask("POST", f"/v1/tables/notes/rows/{1 + n * 400}/tap?view=v{n % 3}")),
                      ("a row of a tapped view", lambda n: service.ask("GET", f"/v1/tables/notes/rows/{1 + n * 400}?view=v{n % 3}"))]:
        spent = cost(ask)
        holds(spent < 0.015, what, f"takes {spent * 1e3:.0f} ms")
    tapped = service.ask("GET", "/v1/tables/notes/rows/1?view=v0").json()["row"]
    holds(tapped["payload"]["open"] is True, "a tapped row is not shown so")
    fallen = service.ask("GET", "/v1/tables/kinds/rows/1", ["Accept-Cells: C5"]).json()["row"]
    holds(fallen["cellIdentifier"] == "Label", "a row whose cell can't be shown is shown all the same")


@attack("28 sets of cells, for each of which 8,000 rows of 2 KB are drawn otherwise", "some sets are kept, and no more", quick=False, alone=True)
def sets_of_cells(trial):
    trial.upstream.items = 8_000
    changes = LENSES | {"sources": {"large": {"url": f"http://127.0.0.1:{trial.upstream.port}/list", "every": "0s"}},
                        "representations": KINDS | {f"k{n}": {"cell": f"C{n}", "payload": {"title": "${title}" + "x" * 2_000}} for n in range(8)},
                        "tables": LENSES["tables"] | {"large": {"source": "large", "row": {"id": "${id}", "type": "k${id % 8}"}}}}
    try:
        service = trial.start(changes)
        while service.ask("GET", "/v1/tables/large?rows=1", seconds=60).json()["state"] != "ready":
            time.sleep(0.1)
        before = None
        for number in range(1, 29):
            with service.wire(60) as wire:
                wire.send(request("HEAD", "/v1/tables/large", ["Accept-Cells: " + ", ".join(f"C{bit}" for bit in range(8) if number >> bit & 1)]))
                holds(wire.answer("HEAD").status == 200, "no answer")
            before = before or service.resident()
        grown = service.resident() - before
        print(f"          {grown >> 20} MB more")
        holds(grown < 300 << 20, "memory grew by", grown >> 20, "MB")
    finally:
        trial.upstream.items = 20


@attack("names that only look like a table's or a family's (U+212A for K), keys and queries that only look alike",
        "404 for such names, and no member is called so for others; two keys are two, two queries are two",
        configuration={"tables": {"KPI": {"source": "family", "row": {"id": "${id}"}, "parameters": {"q": {"pattern": "[a-z0-9]{1,9}", "default": "a"}}},
                                  "Kinds": {"source": {"local": {}}}, "todo": {"source": {"local": {"items": [{"title": "A"}]}}}}})
def names_that_look_alike(trial):
    service = trial.service
    for name in ["%E2%84%AAPI;q=z", "%E2%84%AAPI", "%E2%84%AAinds"]:
        holds(service.ask("GET", "/v1/tables/" + name).status == 404, name, "is a table")
    holds(service.ask("GET", "/v1/tables/KPI;q=z").json()["table"] == "KPI;q=z", "a member is called otherwise")
    told = service.ask("GET", "/v1/changes?wait=0&after=%E2%84%AAPI%3Bq=z:&after=KPI%3Bq=z:").json()["changes"]
    holds([entry["table"] for entry in told if "problem" not in entry] == ["KPI;q=z"], "a poll of several tables is told", [entry["table"] for entry in told])

    def add(key, query=""):
        return service.ask("POST", "/v1/tables/todo/items" + query, [EDITOR, "Idempotency-Key: " + key.encode().decode("latin-1")], {"title": "x"})
    ids = [add(key).json()["id"] for key in ["K1", "\u212a1", "\u00e9", "e\u0301"]]
    holds(len(set(ids)) == 4, "keys that look alike are one:", ids)
    holds(add("two", "?section=main&at=0").status == 201, "an item is not added")
    holds(add("two", "?section=main%26at%3D0").status == 422, "another query is answered as the one before")
