"""Tokens that are revoked, or whose patterns change, under those who wait."""
import json, threading, time

from trial import EDITOR, READER, TOKENS, ask, attack, holds, request, token
from .issue29 import Edge

OPEN = [token("editor", ["read", "edit"]), token("reader", ["read"])]
CLOSED = {"auth": {"reading": "tokens", "tokens": OPEN}}


def waiting(service, fields):
    """A poll, a stream, a poll of several tables, and one for a table that is another kind, all of one caller."""
    # Whoever waits before the upstream has answered is told of that.
    end = time.monotonic() + 20
    while service.ask("GET", "/v1/tables/notes", fields).json()["state"] != "ready" and time.monotonic() < end:
        time.sleep(0.02)
    wires = {"poll": service.poll(50, fields)}
    cursor = service.cursor("todo", fields)
    for name, target in [("stream", f"/v1/tables/todo/stream?after={cursor}"), ("polls", f"/v1/changes?after=todo:{cursor}&wait=50"),
                         ("view", f"/v1/tables/notes/changes?after={service.cursor('notes', fields)}&wait=50&view=v")]:
        wires[name] = service.wire(20)
        wires[name].send(request("GET", target, fields))
    return wires


def ended(wires, refused=(401, 403, 404)):
    for name, wire in wires.items():
        if name == "stream":
            text = wire.quiet(1.5)
            holds(b"HTTP/1.1 200" in text, "the stream did not begin", text[:60])
            holds(wire.socket.fileno() >= 0 and not wire.send(b"x") or wire.quiet(0.2) == b"", "the stream goes on")
            # It has come to its end: the last chunk, or the connection's end.
            holds(b"\r\n0\r\n" in text or text.endswith(b"0\r\n\r\n") or b"event: problem" in text, "the stream is not ended", text[-80:])
        else:
            answer = wire.answer()
            holds(answer is not None, name, "was not answered")
            said = answer.json().get("changes", [{}])[0].get("problem", {}).get("status") if name == "polls" and answer.status == 200 else answer.status
            holds(said in refused, name, "was answered", answer.status, answer.body[:200])
        wire.close()


@attack("polls, streams and polls of several tables whose token is revoked by a reload", "all end at once with 401, others go on; an edit with it is refused",
        configuration=CLOSED)
def revoked_tokens(trial):
    service = trial.service
    wires, others = waiting(service, [READER]), waiting(service, [EDITOR])
    time.sleep(0.3)
    before = time.monotonic()
    try:
        service.reload(trial.configuration({"auth": {"reading": "tokens", "tokens": OPEN[:1]}}))
        ended(wires)
        holds(time.monotonic() - before < 12, "it took", time.monotonic() - before, "s")
        holds(service.ask("GET", "/v1/tables/todo", [READER]).status == 401, "the token still reads")
        holds(service.ask("POST", "/v1/tables/todo/items", [EDITOR], {"title": "y"}).status == 201, "the editor's token is gone")
        answer = others["poll"].answer()
        holds(answer and answer.status == 200, "who has a token that holds was answered", answer and answer.status)
    finally:
        for wire in others.values():
            wire.close()
        service.reload(trial.configuration(CLOSED))


@attack("polls whose token's patterns no longer name the table, and back", "they end with 403 or 404; another table of the token goes on", configuration=CLOSED)
def tokens_whose_patterns_change(trial):
    service = trial.service
    wires = waiting(service, [READER])
    view = wires.pop("view")            # of `notes`
    time.sleep(0.3)
    try:
        service.reload(trial.configuration({"auth": {"reading": "tokens", "tokens": [OPEN[0], token("reader", ["read"], ["n*s", "*up*"])]}}))
        ended(wires)
        holds(service.ask("GET", "/v1/tables/todo", [READER]).status in (403, 404), "the table is read")
        holds(service.ask("GET", "/v1/tables/notes", [READER]).status == 200, "the other table is not read")
        service.ask("POST", "/v1/tables/notes/rows/1/tap?view=v", [EDITOR])
        answer = view.answer()
        holds(answer and answer.status == 200, "the poll of the other table was answered", answer and answer.status)
    finally:
        view.close()
        service.reload(trial.configuration(CLOSED))


@attack("200 polls and edits without end while the configuration is read again twenty times, each time with other tokens",
        "no reload fails, nobody is answered by a table that he may not read, no edit is lost or doubled", configuration=CLOSED, quick=False)
def reloads_under_load(trial):
    service, faults, over, made = trial.service, [], threading.Event(), []

    def reader(name):
        allowed = f"Authorization: Bearer {TOKENS[name]}"
        while not over.is_set():
            try:
                cursor = service.ask("GET", "/v1/tables/todo", [allowed])
                if cursor.status == 200:
                    answer = service.ask("GET", f"/v1/tables/todo/changes?after={cursor.json()['cursor']}&wait=1", [allowed])
                    if answer.status not in (200, 401):
                        faults.append(f"a poll was answered {answer.status}")
                elif cursor.status != 401:
                    faults.append(f"a read was answered {cursor.status}")
            except OSError as error:
                faults.append(repr(error))

    def editor():
        number = 0
        while not over.is_set():
            answer = service.ask("POST", "/v1/tables/todo/items", [EDITOR, f"Idempotency-Key: r{number}"], {"title": f"during {number}"})
            if answer.status == 201:
                made.append(number)
            else:
                faults.append(f"an edit was answered {answer.status}")
            number += 1
            time.sleep(0.02)
    threads = [threading.Thread(target=reader, args=(["reader", "editor"][n % 2],), daemon=True) for n in range(50)] + [threading.Thread(target=editor, daemon=True)]
    for thread in threads:
        thread.start()
    try:
        for number in range(20):
            service.reload(trial.configuration({"auth": {"reading": "tokens", "tokens": OPEN[:1 + number % 2]}}))
    finally:
        over.set()
        for thread in threads:
            thread.join(30)
        service.reload(trial.configuration(CLOSED))
    holds(not faults, len(faults), "faults:", *faults[:4])
    titles = [row["payload"]["title"] for row in service.rows("todo", [EDITOR])]
    holds(all(titles.count(f"during {n}") == 1 for n in made), "an edit was lost or doubled")


@attack("snapshots and polls by slots of an editor, of a reader and of nobody, with each other's cursors and tags, through nginx at the edge",
        "nobody is given what another caller may do, and each goes on from its own cursor without a reset", needs=("nginx",))
def permissions_through_an_edge(trial):
    callers = {"editor": ([EDITOR], True), "reader": ([READER], False), "nobody": ([], False)}
    edge = Edge(trial.service.port)

    def shown(name, target, *more):
        fields, may = callers[name]
        answer = ask(edge.port, "GET", target, fields + list(more))
        holds(answer.status in (200, 304), name, target, "was answered", answer.status)
        wrong = '"edit":%s' % ("false" if may else "true")
        holds(wrong not in answer.body.decode().replace(" ", ""), name, "is shown", wrong, "at", target)
        return answer
    try:
        for number in range(3):
            whole = {name: shown(name, "/v1/tables/edges") for name in callers}
            tags = {name: answer.field("etag") for name, answer in whole.items()}
            cursors = {name: answer.json()["cursor"] for name, answer in whole.items()}
            for name in callers:
                for tag in tags.values():
                    shown(name, "/v1/tables/edges", f"If-None-Match: {tag}")
            holds(trial.service.ask("POST", "/v1/tables/edges/items", [EDITOR], {"title": str(number)}).status == 201, "the edit")
            for _ in range(2):
                for name in callers:
                    for owner, cursor in cursors.items():
                        answer = shown(name, f"/v1/tables/edges/changes?after={cursor}&slot=0").json()
                        if callers[owner][1] == callers[name][1]:
                            holds("reset" not in answer and "insert" in json.dumps(answer["stages"]), name, "is not led on from its own cursor:", answer)
    finally:
        edge.close()
