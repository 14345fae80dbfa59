#!/usr/bin/env python3
"""Attacks on a service, one by one: each is an entry of a table, with what is sent and what must hold.

    attacks.py BINARY [--only NAME,…] [--all] [--list]

Starts `BINARY serve` on loopback, with an upstream of its own, and makes the attacks of `table/` on it; those that differ in
their configuration get a service of their own. Without `--all` the quick ones alone: some ten seconds in all. For each entry
the following hold, beside what it says itself: the service lives, a good client that asks for a table meanwhile is answered,
and none of its waits is longer than the entry's `stall`.

What an attack needs and this machine has not (a proxy, a database, another clock) is said, and passed over. Ends with 0 where
all held, else with 1; the last lines say what did not.

A new attack is a function in a file of `table/`:

    @attack("what is sent", "what must hold")
    def its_name(trial):
        answer = trial.service.ask("GET", "/v1/tables/todo")
        holds(answer.status == 200, "answered", answer.status)
"""
import argparse, importlib, json, os, pathlib, sys, time

from trial import EDITOR, TABLE, CannotTry, NotHeld, Service, Upstream, configuration, missing, neighbour

for module in sorted(path.stem for path in (pathlib.Path(__file__).parent / "table").glob("*.py")):
    importlib.import_module(f"table.{module}")


class Trial:
    """What an attack is given: the service, its upstream, and how to start further ones."""

    def __init__(self, binary):
        self.binary, self.upstream, self.service, self.started = binary, Upstream(), None, []

    def configuration(self, changes=None):
        return configuration(self.upstream.port, changes)

    def start(self, changes=None, **others):
        """A further service, which ends with the attack."""
        service = Service(self.binary, self.configuration(changes), **others)
        self.started.append(service)
        return service

    def close(self):
        for service in self.started:
            service.end()
        self.started = []


def made(trial, entry):
    """What did not hold of an attack; empty where all did."""
    faults, before = [], time.monotonic()
    try:
        if entry.alone:
            entry.run(trial)
        else:
            with neighbour(trial.service.port, [EDITOR]) as (longest, refused):
                entry.run(trial)
            if longest[0] > entry.stall:
                faults.append(f"a good client waited for {longest[0]:.1f} s")
            faults += refused[:1]
    except (NotHeld, OSError, ValueError, KeyError) as error:
        faults.append(str(error) if isinstance(error, NotHeld) else repr(error))
    finally:
        trial.close()
    if not entry.alone and not trial.service.lives:
        faults.append(f"the service ended with {trial.service.process.returncode}: {trial.service.log()[-1500:]}")
    verdict = "held" if not faults else "not yet" if entry.pending else "NOT HELD"
    print(f"{verdict:8}  {entry.name}  {time.monotonic() - before:.1f} s", flush=True)
    for fault in faults:
        print(f"          {fault}", flush=True)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--only", help="names, or their beginnings, with commas between")
    parser.add_argument("--all", action="store_true", help="the slow ones, too")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    names = (arguments.only or "").split(",")
    chosen = [entry for entry in TABLE
              if (arguments.only or arguments.all or entry.quick) and any(entry.name.startswith(name) for name in names)]
    if arguments.list:
        for entry in TABLE:
            print(f"{entry.name}{'' if entry.quick else ' (slow)'}\n    {entry.sends}\n    must: {entry.must}")
        return
    if not arguments.binary or not chosen:
        sys.exit("give the binary, and names that there are (--list)")
    trial, broken, later, running, made_in_all = Trial(os.path.abspath(arguments.binary)), [], [], None, 0
    try:
        for entry in sorted(chosen, key=lambda entry: json.dumps([entry.alone, entry.configuration])):
            if lacking := missing(entry):
                print(f"not tried {entry.name}: there is no {', '.join(lacking)}")
                continue
            wanted = json.dumps(entry.configuration)
            if not entry.alone and (wanted != running or not trial.service.lives):
                if trial.service:
                    trial.service.end()
                trial.service, running = Service(trial.binary, trial.configuration(entry.configuration)), wanted
                if trial.service.port is None:
                    sys.exit(f"the service did not start: {trial.service.log()[-2000:]}")
            try:
                if made(trial, entry):
                    (later if entry.pending else broken).append(entry.name)
                made_in_all += 1
            except CannotTry as reason:
                print(f"not tried {entry.name}: {reason}")
    finally:
        if trial.service:
            trial.service.end()
        trial.upstream.close()
    print(f"{made_in_all - len(broken) - len(later)} of {made_in_all} held" + "".join(f"\nnot yet: {name}" for name in later)
          + "".join(f"\nNOT HELD: {name}" for name in broken))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
