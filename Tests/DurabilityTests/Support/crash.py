#!/usr/bin/env python3
"""The crash test: a service that is killed at random moments while several clients edit at full speed.

After each restart it checks that
  - every acknowledged edit is there exactly once and in its place: edits sorted by the versions that their answers
    name, and carried out one after the other by the model, make the table as it is;
  - an edit without an answer is there whole or not at all: each version that no answer names is one of them;
  - a repeat with the same `Idempotency-Key` gets the first answer and edits nothing;
  - cursors from before the crash are continued by stages: never a reset for a reason other than size.

    crash.py TABLECAST [--rounds 10] [--seed N] [--editors 4]

A kill takes the process, not the machine: what the kernel has been given survives it. What a power loss may take is
proved by `faults.py` on truncated logs."""

import argparse
import itertools
import random
import sys
import tempfile
import threading
import time
from collections import Counter

from edits import Editor
from mirror import Mirror
from model import Impossible, Model, identities, send
from service import Failure, Lost, Service, require, version


class Attempt:
    """An edit that was sent, and what came back: `status` is None where nothing did."""

    def __init__(self, edit, key):
        self.edit, self.key = edit, key
        self.status, self.reply = None, None

    @property
    def version(self):
        return version(self.reply["cursor"])


class Round:
    def __init__(self, service, seed, editors, known):
        self.service, self.seed, self.known = service, seed, known
        self.attempts, self.mirrors, self.failures = [], [], []
        self.threads = [threading.Thread(target=self._guard, args=(self._edit, n)) for n in range(editors)]
        self.threads.append(threading.Thread(target=self._guard, args=(self._follow, None)))

    def run(self, edits, delay):
        """Edits until the service is killed: so many seconds after so many answers."""
        for thread in self.threads:
            thread.start()
        deadline = time.monotonic() + 60
        while len(self.attempts) < edits and not self.failures and time.monotonic() < deadline:
            time.sleep(0.001)
        stalled = len(self.attempts) < edits
        time.sleep(delay)
        self.service.kill()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        require(not stalled, f"{len(self.attempts)} edits in a minute: some are not answered")

    def _guard(self, body, argument):
        try:
            body(argument)
        except Lost:
            pass
        except Exception as error:
            self.failures.append(error)

    def _edit(self, number):
        generator = random.Random(f"{self.seed}/{number}")
        editor, client = Editor(f"{self.seed}/{number}", generator, self.known), self.service.client()
        while True:
            edit = editor.next()
            key = f"{self.seed}/{number}/{editor.count}" if generator.random() < 0.7 else None
            attempt = Attempt(edit, key)
            self.attempts.append(attempt)
            status, reply = send(client, edit, key)
            if status not in (200, 201):
                require(status in (404, 412, 422), f"{edit} is answered with {status}: {reply}")
            attempt.status, attempt.reply = status, reply
            if status in (200, 201):
                note(edit, reply, self.known)

    def _follow(self, _):
        client = self.service.client()
        mirror = Mirror(client.snapshot())
        while True:
            self.mirrors.append(mirror.copy())
            mirror.apply(client.changes(mirror.cursor, wait=20))


def note(edit, reply, known):
    """Keeps up which rows there are, roughly: others edit too."""
    parts = edit["edits"] if edit["op"] == "batch" else [edit]
    for part, identity in zip(parts, identities(reply)):
        if part["op"] in ("add", "put"):
            known[identity] = True
        elif part["op"] == "delete":
            known.pop(identity, None)


def verify(round, before, start, figures):
    """Checks a round after the restart. Returns the model and the version that the next round begins with."""
    client = round.service.client()
    snapshot = client.snapshot()
    end, final = version(snapshot["cursor"]), Model.of(snapshot)
    acknowledged = [attempt for attempt in round.attempts if attempt.status in (200, 201)]
    unanswered = [attempt for attempt in round.attempts if attempt.status is None]
    newest = max([attempt.version for attempt in acknowledged], default=start)
    require(newest <= end, f"Version {newest} was acknowledged; after the restart the table is at {end}")

    # Cursors first: repeats below may edit.
    for mirror in round.mirrors:
        seen = version(mirror.cursor)
        copy = mirror.copy()
        reset = copy.apply(client.changes(mirror.cursor))
        require(reset in (None, "large"), f"The cursor of version {seen} of {end} is answered with a reset: {reset}")
        require(copy.same(snapshot), f"The changes since version {seen} do not lead to the table as it is")
        figures["cursors answered by size with a snapshot" if reset else "cursors continued by stages"] += 1

    # Repeats of what was acknowledged get the same answer; of what was not, its version tells what became of it.
    generator = random.Random(f"{round.seed}/repeats")
    keyed = [attempt for attempt in acknowledged if attempt.key]
    for attempt in generator.sample(keyed, min(40, len(keyed))) + keyed[-10:]:
        status, reply = send(client, attempt.edit, attempt.key)
        require((status, reply) == (attempt.status, attempt.reply),
                f"A repeat of {attempt.edit} was first answered {attempt.reply}, now {status} {reply}")
        figures["keys repeated"] += 1
    require(client.snapshot() == snapshot, "Repeats of acknowledged edits have changed the table")
    survivors = {}
    for attempt in [attempt for attempt in unanswered if attempt.key]:
        table = client.snapshot()["cursor"]
        status, reply = send(client, attempt.edit, attempt.key)
        if status in (200, 201) and version(reply["cursor"]) <= end:
            # It had been carried out, or it has changed nothing now, which is no matter.
            require(client.snapshot()["cursor"] == table, f"The repeat of {attempt.edit} has edited again")
            attempt.status, attempt.reply = status, reply
            survivors[attempt] = True
            figures["unanswered, there whole"] += 1
            again = send(client, attempt.edit, attempt.key)
            require(again == (status, reply), f"The second repeat of {attempt.edit} is answered {again}")
        else:
            figures["unanswered, not there"] += 1
            if status in (200, 201):
                note(attempt.edit, reply, round.known)
    answered = {}
    for attempt in acknowledged + list(survivors):
        answered.setdefault(attempt.version, []).append(attempt)
    without_key = [attempt for attempt in unanswered if not attempt.key]
    replay(before, start, end, answered, without_key, final, {version(m.cursor): m for m in round.mirrors}, figures)
    figures["acknowledged"] += len(acknowledged)

    latest = client.snapshot()
    client.close()
    return Model.of(latest), version(latest["cursor"])


def replay(model, start, end, answered, unknown, final, mirrors, figures):
    """Carries out the edits of a round by the model, version by version."""
    gaps = [number for number in range(start + 1, end + 1) if number not in answered]
    require(len(gaps) <= len(unknown), f"Versions {gaps} are nobody's edits; {len(unknown)} had no answer")
    reasons = []
    # A move to where the row stands names a version that another edit has made: perhaps one of the unanswered.
    unsure = [number for number in range(max(start + 1, end - 20), end + 1) if number in answered
              and all(attempt.edit["op"] in ("move", "batch") for attempt in answered[number])]
    places = [gaps + list(more) for count in range(len(unknown) - len(gaps) + 1)
              for more in itertools.combinations(unsure, count)]
    for numbers, filling in ((n, f) for n in places for f in itertools.permutations(unknown, len(n))):
        try:
            result = attempted(model.copy(), start, end, answered, dict(zip(numbers, filling)), mirrors, final)
        except (Failure, Impossible, KeyError) as error:
            reasons.append(repr(error))
            continue
        figures["unanswered, there whole"] += len(filling)
        figures["unanswered, not there"] += len(unknown) - len(filling)
        return result
    raise Failure(f"No order of the edits makes the table as it is: {reasons[:3]}")


def attempted(model, start, end, answered, filled, mirrors, final):
    for number in range(start, end + 1):
        if number in filled:
            # Nobody has said which identities its rows got: the table itself tells, by their unique titles.
            edit = filled[number].edit
            parts = edit["edits"] if edit["op"] == "batch" else [edit]
            model.apply(edit, [identity_of(part, final, mirrors) for part in parts])
        at_version(model, answered.get(number, []), number, number > start and number not in filled)
        if number in mirrors:
            require(Model.of({"sections": mirrors[number].sections}).state() == model.state(),
                    f"At version {number} a client saw another table than the edits make")
    require(model.state() == final.state(),
            f"After the crash the table is not what its edits make of it: {model.difference(final)}; "
            f"filled {[(number, attempt.edit) for number, attempt in filled.items()]}; "
            f"last {[(number, [a.edit for a in answered.get(number, [])]) for number in range(end - 5, end + 1)]}")
    return model


def identity_of(edit, final, mirrors):
    if edit["op"] != "add" or "id" in edit:
        return edit["id"]
    tables = [final] + [Model.of({"sections": mirror.sections}) for mirror in mirrors.values()]
    for table in tables:
        for rows in table.sections.values():
            for row in rows:
                if row[1] == edit["item"]["title"]:
                    return row[0]
    return f"never seen: {edit['item']['title']}"


def at_version(model, attempts, number, is_new):
    """The edits whose answers name one version: one makes it, those that change nothing name it too."""
    for order in itertools.permutations(attempts):
        candidate, changes = model.copy(), []
        try:
            for attempt in order:
                state = candidate.state()
                candidate.apply(attempt.edit, identities(attempt.reply))
                changes.append(candidate.state() != state)
        except Impossible:
            continue
        if sum(changes) <= (1 if is_new else 0) and (not changes or not is_new or changes[0] or not any(changes)):
            model.sections = candidate.sections
            return
    raise Failure(f"Version {number} can't be the work of {[attempt.edit for attempt in attempts]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tablecast")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--editors", type=int, default=4)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    generator, figures, known = random.Random(arguments.seed), Counter(), {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Service(arguments.tablecast, folder) as service:
        service.start()
        client = service.client()
        snapshot = client.snapshot()
        client.close()
        model, start = Model.of(snapshot), version(snapshot["cursor"])
        for number in range(arguments.rounds):
            round = Round(service, f"{arguments.seed}/{number}", arguments.editors, known)
            try:
                round.run(int(5 * 60 ** generator.random()), generator.uniform(0, 0.01))
                # A crash while what the last one left is being read.
                while generator.random() < 0.25:
                    service.spawn()
                    time.sleep(generator.uniform(0, 0.3))
                    service.kill()
                    figures["crashes while starting"] += 1
                service.start()
                model, start = verify(round, model, start, figures)
            except Failure as failure:
                print(f"Round {number} of seed {arguments.seed}: {failure}\n{service.output()}")
                return 1
            known.clear()
            known.update({row[0]: True for rows in model.sections.values() for row in rows})
            figures["crashes"] += 1
        service.stop()
    figures["versions"] = start
    figures["seconds"] = round_number(time.monotonic() - began)
    for name, count in sorted(figures.items()):
        print(f"{name}: {count}")
    return 0


def round_number(value):
    return int(value + 0.5)


if __name__ == "__main__":
    sys.exit(main())
