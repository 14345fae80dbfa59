#!/usr/bin/env python3
"""Is one table linearisable? Clients edit and read it at once; does some order of their operations, in which each
takes effect between its request and its answer, explain every answer?

    linearise.py TABLECAST [--histories 3] [--seed N] [--clients 6] [--operations 40]

The search for such an order (Wing & Gong) is not needed here, because the answers give it away: each names a version,
and versions are numbered. So the order is checked instead of found:
  - an edit that changes the table takes effect at its version, and no two share one;
  - a read takes effect at the version that it shows, and has to show what the model makes of the edits up to there;
  - an edit that changes nothing takes effect at the version that it names, in which it must change nothing;
  - a conditional edit takes effect right after the version that its `If-Match` names;
  - a refusal (404, 412, 422) names no version. It takes effect at the earliest version that the operations answered
    before it allow and where the model refuses too. Taking the earliest never spoils a solution: a later one only
    forbids more to those that follow.
What remains is real time: an operation that was answered before another was sent must not come after it in the order,
that is, not at a later version."""

import argparse
import random
import sys
import tempfile
import threading
import time

from edits import Editor
from crash import note
from model import Impossible, Model, identities, send
from service import Failure, Service, require, version


class Operation:
    def __init__(self, edit=None, condition=None):
        self.edit, self.condition = edit, condition
        self.sent, self.answered = None, None
        self.status, self.reply, self.seen = None, None, None
        self.position = None

    def __repr__(self):
        what = f"{self.edit} If-Match {self.condition}" if self.condition else f"{self.edit or 'read'}"
        return f"[{self.sent:.6f}–{self.answered:.6f}] {what} → {self.status} {self.reply if self.edit else ''}"


def record(service, seed, clients, count):
    """A history: what every client sent and was answered, and when."""
    history, known, failures = [], {}, []

    def body(number):
        try:
            generator = random.Random(f"{seed}/{number}")
            editor, client = Editor(f"{seed}/{number}", generator, known, size=5), service.client()
            cursor = client.snapshot()["cursor"]
            for _ in range(count):
                kind = generator.random()
                if kind < 0.3:
                    operation = Operation()
                elif kind < 0.5:
                    operation = Operation(editor.next(), cursor)
                else:
                    operation = Operation(editor.next())
                operation.sent = time.monotonic()
                if operation.edit:
                    operation.status, operation.reply = send(client, operation.edit, condition=operation.condition)
                else:
                    operation.status, operation.reply = 200, client.snapshot()
                operation.answered = time.monotonic()
                history.append(operation)
                if operation.status in (200, 201):
                    cursor = operation.reply["cursor"]
                    if operation.edit:
                        note(operation.edit, operation.reply, known)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return history


def check(history, model, start):
    """Raises `Failure` where no order explains the history. Returns how many operations of each kind there were."""
    history.sort(key=lambda operation: operation.sent)
    edits = {}
    for operation in history:
        if operation.status in (200, 201):
            operation.position = version(operation.reply["cursor"])
            if operation.edit:
                edits.setdefault(operation.position, []).append(operation)
    end = max([start] + list(edits))
    states = {}
    for number in range(start, end + 1):
        makers = [] if number == start else edits.get(number, [])
        require(number == start or makers, f"Version {number} is nobody's edit")
        states[number] = model = made(model, makers, number)
        if number == start:
            unchanging(model, edits.get(number, []), number)
    for operation in history:
        if operation.status == 200 and not operation.edit:
            require(operation.position in states, f"{operation} shows a version that no edit has made")
            require(Model.of(operation.reply).state() == states[operation.position].state(),
                    f"Version {operation.position} is not what its edits make: {operation}")
        elif operation.condition and operation.status in (200, 201):
            require(operation.position - version(operation.condition) in (0, 1), f"The condition did not hold: {operation}")
    in_real_time(history, states, start, end)
    return len(edits)


def made(model, operations, number):
    """The state after the one of `operations` that makes a version; the others change nothing in it."""
    for maker in operations or [None]:
        candidate = model.copy()
        try:
            if maker:
                candidate.apply(maker.edit, identities(maker.reply))
                if candidate.state() == model.state():
                    continue
            unchanging(candidate, [operation for operation in operations if operation is not maker], number)
        except (Impossible, Failure):
            continue
        return candidate
    raise Failure(f"Version {number} can't be made by {operations}")


def unchanging(model, operations, number):
    for operation in operations:
        copy = model.copy()
        copy.apply(operation.edit, identities(operation.reply))
        require(copy.state() == model.state(), f"Two edits made version {number}: {operations}")


def in_real_time(history, states, start, end):
    """Gives refusals a place, and holds all places against the clock."""
    for operation in history:
        # All that was answered before this one was sent has its place: it was sent earlier.
        before = [other.position for other in history if other.answered < operation.sent]
        earliest = max(before, default=start)
        if operation.position is None:
            operation.position = next(
                (number for number in range(earliest, end + 1) if refused(operation, states[number], number)), None)
            require(operation.position is not None, f"Nothing justifies a refusal from version {earliest} on: {operation}")
        late = next((other for other in history if other.answered < operation.sent
                     and other.position > operation.position), None)
        require(late is None, f"{operation} is at version {operation.position}; {late} at "
                f"{late and late.position} was answered before it was sent")


def refused(operation, model, number):
    if operation.condition and version(operation.condition) != number:
        return operation.status == 412
    try:
        model.copy().apply(operation.edit, ["new"] * 8)
    except Impossible as reason:
        return reason.status == operation.status
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tablecast")
    parser.add_argument("--histories", type=int, default=3)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--operations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    figures = {}
    with tempfile.TemporaryDirectory() as folder, Service(arguments.tablecast, folder) as service:
        service.start()
        for number in range(arguments.histories):
            client = service.client()
            snapshot = client.snapshot()
            client.close()
            history = record(service, f"{arguments.seed}/{number}", arguments.clients, arguments.operations)
            try:
                check(history, Model.of(snapshot), version(snapshot["cursor"]))
            except Failure as failure:
                print(f"History {number} of seed {arguments.seed}: {failure}")
                return 1
            for operation in history:
                kind = "read" if not operation.edit else "conditional edit" if operation.condition else "edit"
                name = f"{kind} answered {operation.status}"
                figures[name] = figures.get(name, 0) + 1
    for name, count in sorted(figures.items()):
        print(f"{name}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
