"""Random changes, half of them made at the server and half through the service: each has to arrive exactly."""

import collections
import time

from further_servers import ENOUGH, MOST
from trial import require


def rows_of(mirror):
    """{section: {row: payload}}, without what is null."""
    return {section["id"]: {row["id"]: plain(row["payload"]) for row in section["rows"]} for section in mirror.sections
            if section["rows"]}


def plain(payload):
    return {name: value for name, value in payload.items() if value is not None}


def expected(server):
    return {section: {id: plain(payload) for id, payload in rows.items()} for section, rows in server.shown().items()}


def difference(mirror, server):
    found, wanted = rows_of(mirror), expected(server)
    ids = {id for rows in (*found.values(), *wanted.values()) for id in rows}

    def place(content, id):
        return next(((section, rows[id]) for section, rows in content.items() if id in rows), None)
    return [(id, place(found, id), place(wanted, id)) for id in sorted(ids) if place(found, id) != place(wanted, id)][:3]


def through_service(trial, kind, id, random):
    server = trial.server
    if kind == "add":
        if server.file in ("rabbitmq", "syncthing") and random.random() < 0.5:
            name = f"chosen-{random.randrange(10**9)}"
            answer = trial.edit(201, "PUT", f"/items/{name}", server.body(random))
            require(answer["id"] == name, answer)
        else:
            answer = trial.edit(201, "POST", "/items", server.body(random))
            # These answer with nothing, which names nothing.
            require(answer.get("id") or server.file in ("rabbitmq", "syncthing"), "an addition without a name", answer)
    elif kind == "remove":
        if server.patch is None:
            trial.edit(200, "POST", f"/rows/{id}/actions/expire")
        else:
            trial.edit(200, "DELETE", f"/items/{id}")
    elif server.file == "rest" and random.random() < 0.3:
        trial.edit(200, "POST", f"/items/{id}/move", {"section": random.choice(["open", "done"])})
    elif server.file == "rabbitmq" and random.random() < 0.3:
        trial.edit(200, "PUT", f"/items/{id}", server.body(random))
    else:
        trial.edit(200, "PATCH", f"/items/{id}", server.patch(random))


def past_service(trial, kind, id, random):
    if kind == "add":
        trial.server.add(random)
    elif kind == "remove":
        trial.server.remove(id)
    else:
        trial.server.alter(id, random)
    trial.edit(200, "POST", "/refresh")


def randomly(trial, random, count):
    """Each change is seen by both followers before the next one is made."""
    server, done, started = trial.server, collections.Counter(), time.time()
    trial.english.until("all rows", lambda mirror: mirror.state == "ready" and rows_of(mirror) == expected(server), 60)
    for number in range(count):
        sections = rows_of(trial.english.mirror)
        ids = sorted(id for section, rows in sections.items() if section != "expired" for id in rows)
        kind = random.choices(["add", "remove", "alter"], [len(ids) < MOST, len(ids) > ENOUGH, 2])[0]
        id = random.choice(ids) if ids else None
        way = random.choice([through_service, past_service])
        if way is through_service and kind == "alter" and server.patch is None:
            way = past_service
        way(trial, kind, id, random)
        done[f"{kind} {'through the service' if way is through_service else 'at the server'}"] += 1
        wanted = expected(server)
        try:
            shown = trial.english.until(f"change {number}, {kind} of {id}", lambda mirror: rows_of(mirror) == wanted, 10)
        except Exception:
            print("differs:", difference(trial.english.mirror, server), "after", kind, id, way.__name__)
            raise
        trial.german.until(f"change {number}", lambda mirror: sorted(mirror.ids) == sorted(shown.ids), 10)
    trial.did(f"{count} random changes", f"each arrived exactly, in {time.time() - started:.0f} s: "
              + ", ".join(f"{times} {what}" for what, times in sorted(done.items())))
