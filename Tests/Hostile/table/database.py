"""What somebody who shares the database writes into it by hand, under two replicas that run."""
import random, time

from trial import EDITOR, NotHeld, Postgres, attack, holds

# `FEED` stands for the number of the table `todo` in the database.
STATEMENTS = [
    "UPDATE tablecast.feed SET revision = -1 WHERE id = FEED",
    "UPDATE tablecast.feed SET revision = 9223372036854775807 WHERE id = FEED",
    "UPDATE tablecast.feed SET revision = revision + 1, stamp = -7 WHERE id = FEED",
    "UPDATE tablecast.feed SET epoch = -1, revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.feed SET epoch = NULL, revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.feed SET next_row = -1, revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.feed SET next_item = 9223372036854775807, revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.change SET number = -1 WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.change SET record = sha256(record) WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.change SET key_frame = NOT key_frame, next_row = -1 WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "INSERT INTO tablecast.change SELECT FEED, revision + 1, 5, -1, true, -1, '{}', '\\x01', NULL FROM tablecast.feed WHERE id = FEED;"
    "UPDATE tablecast.feed SET revision = revision + 1, stamp = 5 WHERE id = FEED",
    "INSERT INTO tablecast.change SELECT FEED, revision + 1, 6, NULL, false, next_row, '{}', NULL, '\\x0101ffffffffffffffffff0100010180808080808080808001022d37' FROM tablecast.feed WHERE id = FEED;"
    "UPDATE tablecast.feed SET revision = revision + 1, stamp = 6 WHERE id = FEED",
    "UPDATE tablecast.row SET number = -1 - number WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.row SET record = sha256(record) WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.item SET rank = 7 WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.item SET body = '\\xff00' WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "INSERT INTO tablecast.item SELECT FEED, -1, 9223372036854775807, '[]'; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "DELETE FROM tablecast.row WHERE feed = FEED; UPDATE tablecast.feed SET revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.view SET state = '\\x02' || sha256(state)",
    "UPDATE tablecast.view SET expires = '290000-01-01', taps = -1",
    "UPDATE tablecast.lease SET term = 9223372036854775807, legacy = '9223372036854775807 x', handover = repeat('[', 100000)::bytea",
    "UPDATE tablecast.lease SET expires = '200000-01-01', holder = 'mallory'",
    "UPDATE tablecast.lease SET expires = clock_timestamp(), legacy = '', handed = '4713-01-01 BC',"
    " handover = convert_to(regexp_replace(convert_from(handover, 'UTF8'), '\"(due|heldUntil)\":\\[[^]]*\\]', '\"\\1\":[9223372036854775807,0]', 'g'), 'UTF8')",
    "UPDATE tablecast.answer SET status = 9000000000000000000, headers = '\\xff', size = -1, expires = 9000000000000000000",
    "DELETE FROM tablecast.feed",
    "UPDATE tablecast.info SET value = '-1' WHERE name <> 'schema'",
    "DELETE FROM tablecast.info WHERE name <> 'schema'",
]

PAYLOADS = ["", "m", "m 1 2 3", "m 18446744073709551615 18446744073709551615 746f646f", "m 1 1 7", "r 746f646f", "r zz", "l 7", "l ff", "s", "s 74 ", "s 746170 5b5d",
            "s 636f6e66696775726174696f6e 39393939393939393939393939392078", "s 6c656164696e67 2d31", "s 6d656d62657273 77", "s 66756c6c 0a",
            "s 72656672657368 31", "s 73686f77 31207b7d", "s 726566726573686564 31", "s ff ff"]


class Replicas:
    def __init__(self, trial):
        self.server = Postgres()
        self.trial, self.store = trial, {"store": {"postgres": self.server.address}}
        self.services = []

    def begin(self):
        """With an empty database, as after an operator has dropped what was damaged."""
        for service in self.services:
            service.end()
        self.ask("DROP SCHEMA IF EXISTS tablecast CASCADE")
        self.services = [self.trial.start(self.store), self.trial.start(self.store)]
        holds(all(service.port for service in self.services), "did not start", self.services[0].log()[-500:])
        for service in self.services:
            self.use(service, "first")

    def bear(self, statement, number):
        self.ask(statement.replace("FEED", self.ask("SELECT id FROM tablecast.feed WHERE name = 'todo'") or "0"))
        before = [service.processor() for service in self.services]
        time.sleep(0.3)
        statuses = [self.use(service, f"{number}-{n}") for n, service in enumerate(self.services)]
        time.sleep(2.2)         # a look at others' revisions lies between
        for service in self.services:
            holds(service.lives, "a replica ended")
            holds(service.ask("GET", "/v1/tables/up", seconds=20).status == 200, "another table is gone")
            holds(service.resident() < 600 << 20, "a replica takes", service.resident() >> 20, "MB")
        spent = max(service.processor() - one for service, one in zip(self.services, before))
        holds(spent < 2, f"a replica has worked for {spent:.1f} s")
        if number % 6 == 5 or "lease" in statement:
            late = self.trial.start(self.store, seconds=20)
            holds(late.lives or late.process.returncode == 1, "a replica that came later ended with", late.process.returncode)
            late.end()
        if not all(status < 300 for status in statuses[0] + statuses[1]):
            said = [line for service in self.services for line in service.log().split("\n") if "damaged" in line or '"error"' in line]
            print(f"          {statement[:70]}: {statuses[0]}, {statuses[1]}; {said[-1][:160] if said else ''}", flush=True)
            self.begin()

    def hear(self):
        draw = random.Random(29)
        payloads = PAYLOADS * 10 + ["".join(chr(draw.randrange(32, 127)) for _ in range(draw.randrange(60))) for _ in range(2000)]
        for first in range(0, len(payloads), 200):
            self.ask("; ".join(f"SELECT pg_notify('tablecast', $t${payload.replace('$', '')}$t$)" for payload in payloads[first:first + 200]))
        for service in self.services:
            holds(service.lives, "notifications end a replica")
            holds(service.ask("GET", "/v1/tables/todo").status == 200, "the table is gone")

    def ask(self, statement):
        return self.server.ask(statement)

    def use(self, service, number):
        """As clients do: what is answered may be a failure, in words."""
        answers = []
        for method, target, fields, body in [
                ("GET", "/v1/tables/todo", [], None), ("POST", "/v1/tables/todo/items", [EDITOR, f"Idempotency-Key: k{number}"], {"title": "x"}),
                ("PATCH", "/v1/tables/todo/items/1", [EDITOR], {"title": str(number)}), ("POST", "/v1/tables/notes/rows/1/tap?view=v", [EDITOR], None),
                ("POST", "/v1/tables/todo/items/2/move", [EDITOR], {"after": "1"}), ("GET", "/v1/tables/notes?view=v", [], None),
                ("GET", "/v1/tables/family;q=b", [], None), ("POST", "/v1/tables/todo/items", [EDITOR, f"Idempotency-Key: k{number}"], {"title": "x"})]:
            try:
                answer = service.ask(method, target, fields, body, seconds=25)
                answers.append(answer.status)
                if answer.status >= 400:
                    holds(answer.json().get("detail"), method, target, "was refused without words")
            except ConnectionError:
                time.sleep(0.5)         # to find out whether it has ended
                holds(False, method, target, "was not answered; the service", "lives" if service.lives else f"ended with {service.process.returncode}")
            except TimeoutError:
                holds(False, method, target, "was not answered in 25 s")
        return answers

    def close(self):
        self.server.close()


@attack("numbers, records, items, views, leases and answers in PostgreSQL that no replica would write; notifications of all kinds",
        "each replica lives, answers, and says what is wrong; another table and a replica that comes later are as they should be",
        alone=True, quick=False)
def rows_of_a_hostile_peer(trial):
    replicas, faults = Replicas(trial), []
    try:
        replicas.begin()
        for number, statement in enumerate(STATEMENTS):
            try:
                replicas.bear(statement, number)
            except NotHeld as fault:
                faults.append(f"{statement}: {fault}")
                replicas.begin()
        replicas.hear()
    finally:
        replicas.close()
    holds(not faults, f"{len(faults)} statements of {len(STATEMENTS)}:\n         ", "\n          ".join(faults))
