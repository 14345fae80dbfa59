"""What the machine gives: little memory, few descriptors, few threads."""
import os, pathlib, re, threading, time

from trial import EDITOR, CannotTry, Wire, ask, attack, holds, request


class Group:
    """A control group with so many bytes of memory (version 1 or 2); `before` starts a command in it."""

    def __init__(self, size):
        base = pathlib.Path("/sys/fs/cgroup")
        old = (base / "memory").is_dir()
        self.path = base / ("memory/tablecast-attack" if old else "tablecast-attack")
        try:
            self.path.mkdir(exist_ok=True)
            (self.path / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(size))
        except OSError as reason:
            raise CannotTry(f"no control group can be made here ({reason})") from None
        self.before = ["sh", "-c", 'echo $$ >"$0"; exec "$@"', str(self.path / "cgroup.procs")]

    def killed(self):
        for name in ("memory.oom_control", "memory.events"):
            if (self.path / name).exists():
                return int(re.search(r"oom_kill (\d+)", (self.path / name).read_text()).group(1))
        return 0

    def close(self):
        for _ in range(50):
            try:
                return self.path.rmdir()
            except OSError:
                time.sleep(0.1)


def in_little_memory(trial, size, attack_it, changes=None):
    group = Group(size)
    try:
        service = trial.start(changes, before=group.before)
        holds(service.port, "did not start in", size >> 20, "MB:", service.log()[-300:])
        attack_it(service)
        time.sleep(0.5)
        holds(service.lives and not group.killed(), "it was killed for its memory")
        holds(service.ask("GET", "/v1/tables/todo", seconds=20).status == 200, "it does not answer")
        print(f"          {size >> 20} MB: {service.resident() >> 20} MB at the end")
    finally:
        trial.close()
        group.close()


@attack("members of a family by the hundred, each with 20,000 items, in 512 MB (what docs/deployment.md gives the container), from 8 addresses",
        "503 for those that have no place; the service is not killed", alone=True, quick=False)
def members_in_little_memory(trial):
    trial.upstream.items = 20_000

    def members(service):
        told = []

        def one(number):
            for n in range(number, 160, 8):
                with Wire(service.port, 60, address=f"127.0.0.{2 + number}") as wire:
                    wire.send(request("GET", f"/v1/tables/family;q=m{n}", ["Connection: close"]))
                    answer = wire.answer()
                    told.append(answer.status if answer else None)
        threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"          answered: { {status: told.count(status) for status in set(told)} }")
    try:
        in_little_memory(trial, 512 << 20, members)
    finally:
        trial.upstream.items = 20


@attack("replies of 5 MB that nobody takes, each another one, on 200 connections of 12 addresses, in 256 MB", "whoever takes nothing is cut off; the service is not killed",
        alone=True, quick=False)
def replies_nobody_takes_in_little_memory(trial):
    trial.upstream.items = 20_000

    def load(service):
        wires = []
        service.ask("GET", "/v1/tables/notes", seconds=60)
        for number in range(200):
            wire = Wire(service.port, 5, buffer=2048, address=f"127.0.0.{2 + number % 12}")
            for n in range(10):
                wire.send(request("GET", f"/v1/tables/notes?rows={20_000 - number * 10 - n if number else 'all'}", [f"Accept-Encoding: identity"]))
            wires.append(wire)
        time.sleep(6)
        for wire in wires:
            wire.close()
    try:
        in_little_memory(trial, 256 << 20, load)
    finally:
        trial.upstream.items = 20


@attack("polls of 64 windows of some 9,900 rows each, and what their `Link`s name, from 4 addresses at once, in 512 MB", "each window is told once, a few in each reply; not killed",
        alone=True, quick=False)
def windows_in_one_poll_in_little_memory(trial):
    trial.upstream.items = 20_000

    def load(service):
        service.ready()
        failures = []

        def one(number):
            target = "/v1/changes?wait=0&" + "&".join(f"after=notes;;rows={9_900 - 64 * number - n}:" for n in range(64))
            told = []
            while len(told) < 64:
                with Wire(service.port, 120, address=f"127.0.0.{2 + number}") as wire:
                    wire.send(request("GET", target, ["Connection: close", "Accept-Encoding: identity"]))
                    answer = wire.answer()
                if not answer or answer.status != 200 or len(answer.body) > 16 << 20 or not (changes := answer.json()["changes"]):
                    return failures.append((answer and answer.status, answer and len(answer.body), len(told)))
                told += [change["pair"] for change in changes]
                target = answer.field("link").split(">")[0][1:]
            if sorted(told) != list(range(64)):
                failures.append(told)
        threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        holds(not failures, "polls were answered otherwise:", failures[:3])
        holds(service.resident() < 400 << 20, "it holds", service.resident() >> 20, "MB")
    try:
        in_little_memory(trial, 512 << 20, load)
    finally:
        trial.upstream.items = 20


@attack("bodies of 1 MB that stop before their end, on 900 connections of 12 addresses, in 256 MB, without a token and with one", "refused by their heads or bounded; not killed",
        alone=True, quick=False)
def bodies_in_little_memory(trial):
    def load(service):
        wires = []
        for number in range(900):
            wire = Wire(service.port, 5, address=f"127.0.0.{2 + number % 12}")
            wire.send(request("POST", "/v1/tables/todo/items", [EDITOR] * (number % 2) + ["Content-Type: application/json", "Content-Length: 1048576"]))
            wire.socket.settimeout(0.05)
            try:
                wire.socket.sendall(b'{"title":"' + b"x" * 1_000_000)
            except OSError:
                pass
            wires.append(wire)
        time.sleep(1)
        for wire in wires:
            wire.close()
    in_little_memory(trial, 256 << 20, load)


@attack("10 to 100 descriptors, then twice as many connections, streams and polls", "a start that says what is too few, or a service that answers, keeps descriptors for its store, and does not spin",
        alone=True, quick=False, needs=("prlimit",))
def few_descriptors(trial):
    for count in (10, 24, 40, 64, 100):
        service = trial.start({"store": {"path": "data/tablecast.sqlite"}}, before=["prlimit", f"--nofile={count}:{count}"], seconds=10)
        if service.port is None:
            holds(service.process.poll() == 1 or service.lives, count, "descriptors: ended with", service.process.poll())
            holds(service.log().strip(), count, "descriptors: no words")
            print(f"          {count}: {service.log().strip()[-160:]}")
            service.end()
            continue
        wires = [Wire(service.port, 3, address=f"127.0.0.{2 + n % 5}") for n in range(2 * count)]
        for wire in wires:
            wire.send(request("GET", "/v1/tables/todo/stream"))
        time.sleep(0.5)
        before = service.processor()
        time.sleep(1)
        spent = service.processor() - before
        for wire in wires:
            wire.close()
        time.sleep(0.3)
        status = service.ask("POST", "/v1/tables/todo/items", [EDITOR], {"title": "x"}, seconds=10).status
        print(f"          {count}: serves, an edit {status}, {spent:.2f} s of a processor in 1 s of being full")
        holds(status == 201 and service.lives, count, "descriptors: an edit was answered", status)
        holds(spent < 0.5, count, "descriptors: it spins")
        service.end()


@attack("a limit of address space, of threads and of the stack (`prlimit`)", "a start that says why not, or a service that answers", alone=True, needs=("prlimit",), quick=False)
def little_of_all(trial):
    for limit in ("--as=100000000", "--as=600000000", "--as=2000000000", "--nproc=40", "--stack=262144", "--data=80000000"):
        service = trial.start(before=["prlimit", limit], seconds=10)
        said = service.log().strip()[-120:]
        print(f"          {limit}: {'serves' if service.port else f'ended with {service.process.poll()}: {said}'}")
        if service.port:
            holds([service.ask("POST", "/v1/tables/todo/items", [EDITOR], {"title": "x"}).status for _ in range(20)] == [201] * 20, limit, "edits")
            for n in range(40):
                service.ask("GET", f"/v1/tables/family;q=m{n}", seconds=20)
            holds(service.lives, limit, "it ended:", service.log()[-300:])
        service.end()
