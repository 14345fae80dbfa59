"""What an attack is: an entry of a table."""
import contextlib, dataclasses, shutil, threading, time
from typing import Callable

from .wire import ask


class NotHeld(Exception):
    """Something that must hold did not."""


class CannotTry(Exception):
    """What the attack needs isn't on this machine."""


def holds(condition, *words):
    if not condition:
        raise NotHeld(" ".join(str(word) for word in words))


@dataclasses.dataclass
class Attack:
    name: str                     # words with hyphens; unique
    sends: str                    # what is sent
    must: str                     # what must hold
    run: Callable                 # given a Trial; raises NotHeld
    configuration: dict | None = None         # what differs from the trial's own; attacks with the same share a service
    needs: tuple = ()             # programs
    quick: bool = True            # some seconds at most: run without `--all`
    stall: float = 2.0            # seconds that a good client may wait beside it; debug builds are slow
    alone: bool = False           # it starts services of its own, and needs none
    pending: bool = False         # not kept out yet: what doesn't hold is said, and is no failure


TABLE: list[Attack] = []


def attack(sends, must, **others):
    """Enters a function into the table, under its name."""
    def enter(function):
        TABLE.append(Attack(function.__name__.replace("_", "-"), sends, must, function, **others))
        return function
    return enter


def missing(entry):
    return [name for name in entry.needs if not shutil.which(name)]


@contextlib.contextmanager
def neighbour(port, fields, every=0.05):
    """A good client that asks for a table again and again meanwhile: a list with its longest wait, in seconds."""
    longest, faults, ended = [0.0], [], threading.Event()

    def run():
        while not ended.is_set():
            before = time.monotonic()
            try:
                status = ask(port, "GET", "/v1/tables/todo", fields, seconds=30).status
                if status != 200:
                    faults.append(f"a good client was answered {status}")
            except OSError as error:
                faults.append(f"a good client was not answered: {error!r}")
            longest[0] = max(longest[0], time.monotonic() - before)
            ended.wait(every)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield longest, faults
    finally:
        ended.set()
        thread.join(40)
