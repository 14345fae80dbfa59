#!/usr/bin/env python3
"""The service before servers that nobody here wrote; see run.sh.

    real_servers.py --service PATH/tablecast [--changes 200] [--seed N] [NAME …]
"""

import argparse
import concurrent.futures
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import traceback

from trial import Trial, Violation, ask, require, servers

import further_servers
from changes import randomly
from initializing import initialize


def row_of(mirror, id, field):
    row = mirror.row(id)
    return row and row["payload"][field]


def datasette(trial):
    shown = trial.shows("150 rows", lambda mirror: mirror.state == "ready" and len(mirror.rows) == 150)
    require(shown.ids[:3] == ["1", "3", "5"] and [s["id"] for s in shown.sections] == ["open", "sold"], shown.ids[:5])
    require(shown.row("4")["payload"] == {"title": "Product 4", "maker": "Acme", "price": "€6.00"}, shown.row("4"))
    require(row_of(shown, "3", "maker") == "nobody", "a maker from nowhere")
    require("6,00" in row_of(trial.german.mirror, "4", "price"), trial.german.mirror.row("4"))
    trial.did("read, paged, joined", "150 rows of 4 pages (`next_url`), makers by lookup, sums in headers: "
              + shown.sections[0]["header"]["payload"]["title"])
    trial.did("two languages", f"{row_of(shown, '4', 'price')} and {row_of(trial.german.mirror, '4', 'price')}; actions "
              f"{shown.row('1')['actions'][0]['title']}, {trial.german.mirror.row('1')['actions'][0]['title']}")
    # Three at once: each answer names its own.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        names = ["Zinc", "Zircon", "Zebra"]
        answers = list(pool.map(lambda name: trial.edit(201, "POST", "/items",
                                {"name": name, "price": 1, "state": "open", "maker": 2}), names))
    found = trial.shows("three more", lambda mirror: len(mirror.rows) == 153)
    for name, answer in zip(names, answers):
        require(row_of(found, answer["id"], "title") == name, answer, name)
    trial.did("insert, 3 at once", f"201, ids {sorted(answer['id'] for answer in answers)}, each its own row's")
    trial.edit(200, "PATCH", "/items/1", {"price": 2000})
    trial.shows("the price", lambda mirror: "2" in row_of(mirror, "1", "price") and "000" in row_of(mirror, "1", "price"))
    trial.edit(200, "PATCH", "/items/1", {"name": "One"})
    trial.shows("the name", lambda mirror: row_of(mirror, "1", "title") == "One")
    trial.did("patch, twice", "200; both are shown")
    trial.edit(200, "DELETE", "/items/2")
    trial.shows("one less", lambda mirror: mirror.row("2") is None)
    trial.did("delete", "200; the row is gone")
    cursor = trial.english.mirror.cursor
    trial.edit(200, "POST", "/rows/1/actions/sell", None, {"Idempotency-Key": "sell-1"})
    moved = trial.shows("moved", lambda mirror: mirror.row("1") in mirror.sections[1]["rows"])
    require("actions" not in moved.row("1"), moved.row("1"))
    trial.edit(200, "POST", "/rows/1/actions/sell", None, {"Idempotency-Key": "sell-1"})
    trial.edit(404, "POST", "/rows/1/actions/sell")
    trial.edit(412, "POST", "/rows/3/actions/sell", None, {"If-Match": f'"{cursor}"'})
    trial.did("action", "200; the row moves to `sold`; its repeat 200, not offered 404, old If-Match 412")
    refused = trial.edit(422, "PATCH", "/items/3", {"colour": "red"})
    trial.did("refused", f"{refused['status']}: {refused['detail'][-60:]}")
    trial.server.ask("POST", "/shop/makers/1/-/update", {"update": {"name": "Ajax"}})
    before = trial.english.mirror.cursor
    trial.shows("the maker's new name", lambda mirror: row_of(mirror, "4", "maker") == "Ajax")
    changes = ask(trial.port, "GET", f"/v1/tables/products/changes?after={before}&wait=0")[2]
    updates = changes["stages"][0]["rows"]["update"]
    require(set(changes["stages"][0]["rows"]) == {"update"} and
            all(update["row"]["payload"]["maker"] == "Ajax" for update in updates), changes)
    trial.did("a maker renamed", f"{len(updates)} updates, of just the rows that show it")


def strawberry(trial):
    shown = trial.shows("50 rows", lambda mirror: mirror.state == "ready" and len(mirror.rows) == 50)
    require(shown.row("1")["payload"] == {"title": "Member 1", "team": "Red", "points": "1.5"}, shown.row("1"))
    require(row_of(shown, "3", "team") == "no team" and "actions" not in shown.row("3"), shown.row("3"))
    require(row_of(trial.german.mirror, "1", "points") == "1,5", trial.german.mirror.row("1"))
    trial.did("read, paged, joined", "50 rows of 3 pages (`$cursor` in the variables), teams by lookup")
    trial.did("two languages", f"{row_of(shown, '1', 'points')} and {row_of(trial.german.mirror, '1', 'points')}")
    answer = trial.edit(201, "POST", "/items", {"name": "Newcomer"})
    trial.shows("the newcomer", lambda mirror: row_of(mirror, answer["id"], "title") == "Newcomer")
    trial.did("insert", f"201, id {answer['id']}")
    refused = trial.edit(422, "POST", "/items", {"name": "Newcomer"})
    require("is taken" in refused["detail"], refused)
    trial.did("refused (200 with `errors`)", f"422: …{refused['detail'][-40:]}")
    trial.edit(200, "PATCH", "/items/7", {"name": "Seven"})
    trial.edit(200, "PATCH", "/items/7", {"name": "VII"})
    trial.shows("renamed", lambda mirror: row_of(mirror, "7", "title") == "VII")
    trial.did("patch, twice", "200; the last one is shown")
    trial.edit(200, "POST", "/rows/1/actions/promote")
    trial.english.until("promoted", lambda mirror: row_of(mirror, "1", "points") == "1,001.5")
    trial.german.until("promoted", lambda mirror: row_of(mirror, "1", "points") == "1.001,5")
    trial.edit(404, "POST", "/rows/3/actions/promote")
    trial.did("action with a looked-up name", "200; 1,001.5 and 1.001,5 points; 404 where there is no team")
    trial.edit(200, "DELETE", "/items/9")
    trial.shows("removed", lambda mirror: mirror.row("9") is None)
    trial.did("delete", "200; the row is gone")


def kinto(trial):
    shown = trial.shows("45 rows", lambda mirror: mirror.state == "ready" and len(mirror.rows) == 45)
    require(shown.row("b10")["payload"] == {"title": "Book 10", "author": "Author 1", "pages": "1,000"}, shown.row("b10"))
    require(row_of(shown, "b3", "author") == "unknown", shown.row("b3"))
    require(row_of(trial.german.mirror, "b10", "pages") == "1.000", trial.german.mirror.row("b10"))
    trial.did("read, paged, joined", "45 rows of 3 pages (header `Next-Page`), authors by lookup")
    trial.did("two languages", f"{row_of(shown, 'b10', 'pages')} and {row_of(trial.german.mirror, 'b10', 'pages')} pages")
    answer = trial.edit(201, "POST", "/items", {"title": "New", "author": "p1", "pages": 7, "done": False})
    trial.shows("the new book", lambda mirror: row_of(mirror, answer["id"], "author") == "Author 1")
    trial.did("insert", f"201, id {answer['id']} as Kinto gave it (`item: ${{data}}`)")
    for number in range(5):
        trial.edit(200, "PATCH", "/items/b1", {"title": f"Edited {number}"})
    trial.shows("edited", lambda mirror: row_of(mirror, "b1", "title") == "Edited 4")
    trial.did("patch, 5 in a row", "200 each: each is built on what the one before made (`If-Match`)")
    # Somebody else writes between two fetches: the edit is built on what is not there any more.
    refused = None
    for _ in range(20):
        trial.server.put("/v1/buckets/shop/collections/books/records/b2", {"title": "Theirs", "pages": 1, "done": False})
        reply = ask(trial.port, "PATCH", "/v1/tables/books/items/b2", {"title": "Mine"})
        if reply[0] == 412:
            refused = reply[2]
            break
        require(reply[0] == 200, reply)
    require(refused, "no edit met another's")
    trial.did("patch of what another has changed", f"412: {refused['title']}")
    trial.edit(200, "POST", "/rows/b4/actions/read")
    trial.shows("read", lambda mirror: "actions" not in mirror.row("b4"))
    trial.did("action", "200; offered no more")
    trial.edit(200, "DELETE", "/items/b5")
    trial.shows("deleted", lambda mirror: mirror.row("b5") is None)
    trial.did("delete", "200; the row is gone")


def prometheus(trial):
    server = trial.server
    (own, other) = (f"servers-127.0.0.1:{port}" for port in (server.port, server.closed))
    shown = trial.shows("two rows", lambda mirror: mirror.state == "ready" and set(mirror.ids) == {own, other}
                        and row_of(mirror, own, "health") == "up" and "refused" in row_of(mirror, other, "why"))
    trial.did("read, joined", f"2 targets: up, and {row_of(shown, other, 'health')} with why ({row_of(shown, other, 'why')[-30:]})")
    trial.did("two languages", " and ".join(follower.mirror.sections[0]["header"]["payload"]["title"]
                                            for follower in (trial.english, trial.german)))
    before = trial.english.mirror.cursor
    for _ in range(3):
        trial.edit(200, "POST", "/refresh")
    require(trial.english.mirror.cursor == before, "versions though nothing is shown that changed")
    trial.did("refreshed 3 times", "new samples and scrape times each time, no new version")
    trial.edit(403, "POST", "/items", {"metric": {}})
    trial.edit(404, "POST", f"/rows/{own}/actions/forget")
    server.forget()
    trial.shows("gone", lambda mirror: row_of(mirror, other, "health") == "gone" and "actions" in mirror.row(other))
    trial.edit(200, "POST", f"/rows/{other}/actions/forget")
    trial.shows("forgotten", lambda mirror: mirror.ids == [own])
    trial.did("action", "200; the series are deleted, the row goes; 404 for what is watched; insert 403")
    trial.edit(200, "DELETE", f"/items/{own}")
    trial.shows("back", lambda mirror: mirror.ids == [own])
    trial.did("delete", "200; it comes back with the next sample")


def httpbin(trial):
    shown = trial.shows("slides and pages", lambda mirror: mirror.state == "ready" and len(mirror.rows) == 5)
    require(shown.ids == ["Wake up to WonderWidgets!", "Overview", "page-1", "page-2", "page-3"], shown.ids)
    require(shown.attributes["truncated"] is True, "an endless list that is not said to be cut")
    require(row_of(shown, "Overview", "audience") == "for everybody", shown.row("Overview"))
    require(row_of(trial.german.mirror, "Overview", "audience") == "für everybody", trial.german.mirror.row("Overview"))
    trial.did("read, paged, joined", "2 slides, 3 pages of an endless list (`truncated`), rows of their own, kinds by lookup")
    trial.did("two languages", "for everybody and für everybody")
    answer = trial.edit(201, "POST", "/items", {"title": "Mine", "type": "all"})
    require(answer["id"] == "Mine", answer)
    trial.shows("forgotten", lambda mirror: mirror.row("Mine") is None)
    trial.did("insert", "201, id from `item: ${json}`; gone with the refresh")
    trial.edit(200, "PATCH", "/items/Overview", {"type": "nobody"})
    trial.did("patch", "200")
    trial.edit(409, "DELETE", "/items/Overview")
    brewed = ask(trial.port, "POST", "/v1/tables/slides/rows/Overview/actions/brew")
    require(brewed[0] == 418 or brewed[0] in (422, 502), brewed)
    trial.did("refused", f"delete 409; action {brewed[0]} for the upstream's 418")
    unknown = trial.edit(504, "POST", "/rows/Overview/actions/dawdle")
    require("not known" in unknown["detail"], unknown)
    trial.did("no answer", "504: whether it was carried out is not known")


TRIALS = {
    "datasette": (servers.Datasette, "products", datasette, False),
    "strawberry": (servers.Strawberry, "members", strawberry, False),
    "kinto": (servers.Kinto, "books", kinto, True),
    "prometheus": (servers.Prometheus, "instances", prometheus, False),
    "httpbin": (servers.HTTPBin, "slides", httpbin, False),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--service", required=True)
    parser.add_argument("--changes", type=int, default=200, help="random changes of each further server")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("names", nargs="*", choices=[*TRIALS, *further_servers.ALL, []])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    report, failed = [], []
    for name in arguments.names or [*TRIALS, *further_servers.ALL]:
        further = further_servers.ALL.get(name)
        kind, table, steps, refill = TRIALS.get(name) or (further, further.table, None, False)
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"tablecast-{name}-"))
        trial = None
        try:
            trial = Trial(arguments.service, kind, table, folder)
            trial.did("init", initialize(arguments.service, name, trial.server, folder))
            if steps:
                steps(trial)
            else:
                randomly(trial, random.Random(arguments.seed), arguments.changes)
            trial.measure()
            trial.restart()
            if steps:
                trial.lose_the_server(refill)
            trial.judge()
            shutil.rmtree(folder, ignore_errors=True)
        except (Violation, RuntimeError, KeyError, TypeError, IndexError, subprocess.SubprocessError) as error:
            failed.append(name)
            if not isinstance(error, Violation):
                traceback.print_exc()
            print(f"{name}: {error}\nlogs in {folder}", file=sys.stderr, flush=True)
        finally:
            if trial:
                report += trial.report
                trial.end()
    widths = [max(len(line[column]) for line in report) for column in (0, 1)] if report else (0, 0)
    for server, done, seen in report:
        print(f"{server:{widths[0]}} | {done:{widths[1]}} | {seen}")
    if failed:
        sys.exit(f"deviations: {', '.join(failed)}")


if __name__ == "__main__":
    main()
