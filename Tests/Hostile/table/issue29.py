"""The attacks that a reviewer found; how each is kept out stands in docs/security.md."""
import json, pathlib, time, urllib.parse

from trial import EDITOR, READER, Wire, ask, attack, holds, request, token
from trial.proxies import Proxy, Stretch, free_port

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOCALES = ["en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pt-BR", "sv-SE", "da-DK", "fi-FI", "pl-PL", "cs-CZ"]


@attack("`Accept-Language` of 15 KB in one tag, of 1,000 ranges, of wildcards, with twelve locales", "as cheap as any request", quick=False,
        configuration={"locales": LOCALES})
def long_languages(trial):
    for value in ["-".join(["a1"] * 5000), ",".join(["x-y-z;q=0.5"] * 1200), ",".join(["*-a-b"] * 2000), "-".join(["a"] * 7000), "de-" + "x-" * 7000 + "y"]:
        before = trial.service.processor()
        for _ in range(3):
            trial.service.ask("GET", "/v1/tables/todo", [f"Accept-Language: {value[:15_000]}"], seconds=60)
        spent = (trial.service.processor() - before) / 3
        holds(spent < 0.05, value[:20], f"takes {spent * 1e3:.0f} ms")


HEADS = ["Accept", "Accept-Encoding", "Accept-Cells", "Authorization", "Cookie", "Expect", "Forwarded", "Idempotency-Key", "If-Match", "If-None-Match",
         "Last-Event-ID", "Origin", "Prefer", "X-Forwarded-For", "X-Request-ID", "Connection", "Content-Type", "TE", "Host"]


@attack("every field that is parsed, 30 KB of what is worst for lists, parameters, quotes, weights and addresses", "as cheap as any request", quick=False,
        configuration={"locales": LOCALES, "trustedProxies": ["127.0.0.1"]})
def long_fields(trial):
    for name in HEADS:
        for part in [",", "a,", 'a;q=0.1,', '"a",', 'a="b";', "\\\"", "for=1.2.3.4,", '"000000000001.1",', "a;", " ,", "::1,", "for=\"[::1]:1\";", "\t"]:
            before = trial.service.processor()
            with trial.service.wire(60) as wire:
                wire.send(request("GET", "/v1/tables/todo", ["Connection: close", f"{name}: {part * (30_000 // len(part))}"]))
                wire.answer()
            spent = trial.service.processor() - before
            holds(spent < 0.2, name, repr(part), f"takes {spent * 1e3:.0f} ms")


CLOSED = {"auth": {"reading": "tokens", "tokens": [token("editor", ["read", "edit"]), token("reader", ["read"], ["up", "notes"])]}}


@attack("`Authorization: Bearer x`, Basic and others for tables, members, rows, actions and edits that there are and that there are not",
        "401 with the same words for all, nothing is fetched, nothing stored; a token without the table has one answer for all names", configuration=CLOSED)
def unknown_credentials(trial):
    before, answers = -1, {}
    while before != len(trial.upstream.seen):       # what the configuration itself asks for is over
        before = len(trial.upstream.seen)
        time.sleep(0.3)
    for credentials in ["Bearer x", "Basic eDp5", "Negotiate x", "Bearer", "x"]:
        for table in ["todo", "up", "none", "family;q=m1", "family;q=m2", "family;r=1"]:
            for method, rest in [("GET", ""), ("GET", "/changes?wait=0"), ("GET", "/rows/1"), ("GET", "/items/1"), ("PATCH", "/items/1"), ("DELETE", "/items/999"),
                                 ("POST", "/rows/1/tap?view=v"), ("POST", "/rows/1/actions/none"), ("POST", "/refresh"), ("POST", "/items")]:
                fields = [f"Authorization: {credentials}", "If-Match: \"000000000001.1\"", f"Idempotency-Key: {table}{rest}"]
                body = {"title": "x"} if method in ("PATCH", "POST") else None
                answer = trial.service.ask(method, f"/v1/tables/{table}{rest}", fields, body)
                # What was sent may be told apart: how, and what for. What is there may not.
                told = answers.setdefault((credentials, method), {})
                told.setdefault((answer.status, answer.field("www-authenticate"), answer.body.replace(answer.field("x-request-id").encode(), b"")), f"{table}{rest}")
    for (credentials, method), told in answers.items():
        holds({status for status, _, _ in told} == {401}, credentials, method, "is not answered alike:", {status: example for (status, _, _), example in told.items()})
        needs = {"read", "edit"} if method == "POST" else {None}        # a tap in a view of one's own is a kind of reading
        holds(len(told) <= len(needs), credentials, method, "is told apart by words:", *list(told.items())[:3])
    holds(len(trial.upstream.seen) == before, "the upstream was asked", trial.upstream.seen[before:][:3])
    told = {(answer.status, answer.body.replace(name.encode(), b"")) for name in ["todo", "none", "edges", "nine"]
            for answer in [trial.service.ask("GET", f"/v1/tables/{name}", [READER])]}
    holds(len(told) == 1, "a token holder is told which names there are:", told)


@attack("`Forwarded: for=anything` behind a trusted proxy on this machine that sets `X-Forwarded-For`", "a share as for any client, not loopback's",
        configuration={"trustedProxies": ["127.0.0.1"], "limits": {"waiters": 40}})
def forwarded_disagrees(trial):
    cursor = trial.service.cursor()
    for forwarded in ["for=anything", "for=127.0.0.1", "for=\"[::1]\"", "for=_x, for=unknown", "for=localhost", "bad", "for=203.0.113.7, for=203.0.113.8"]:
        wires = []
        for _ in range(30):
            wire = trial.service.wire(10)
            wire.send(request("GET", f"/v1/tables/todo/changes?after={cursor}&wait=8", ["X-Forwarded-For: 203.0.113.7", f"Forwarded: {forwarded}"]))
            wires.append(wire)
        refused = sum(b" 429 " in wire.quiet(0.02)[:20] for wire in wires)
        for wire in wires:
            wire.close()
        holds(refused >= 15, forwarded, "waits", 30 - refused, "times, where a quarter of 40 is one client's")
        time.sleep(0.2)


class Edge(Proxy):
    """nginx with the configuration of deploy/edges."""

    def command(self):
        f, text = self.folder, (ROOT / "deploy/edges/nginx.conf").read_text()
        for one, other in [("127.0.0.1:8080", f"127.0.0.1:{self.origin}"), ("listen 8090", f"listen 127.0.0.1:{self.port}"),
                           ("/var/cache/nginx/tablecast", f"{f}/cache"), ("127.0.0.1:8091", f"127.0.0.1:{free_port()}")]:
            text = text.replace(one, other)
        (f / "edge.conf").write_text(text)
        folders = "".join(f"{name}_temp_path {f}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        (f / "nginx.conf").write_text(f"daemon off; pid {f}/pid; error_log {f}/error.log; worker_processes 1; events {{ worker_connections 1024; }}\n"
                                      f"http {{ access_log off; {folders}\ninclude {f}/edge.conf; }}\n")
        return ["nginx", "-e", f"{f}/error.log", "-c", f"{f}/nginx.conf"]


@attack("a first poll through nginx at the edge with `Accept: text/html`, two `Accept-Cells`, odd languages, codings and origins", "further clients cost the origin no more than one poll",
        needs=("nginx",), quick=False)
def first_at_the_edge(trial):
    stretch = Stretch(trial.service.port)
    edge = Edge(stretch.port)
    port = edge.port
    try:
        for number, lines in enumerate([["Accept: text/html"], ["Accept-Cells: A", "Accept-Cells: Label"], ["Accept-Language: xx"], ["Accept-Encoding: br;q=1, identity;q=0"],
                                        ["Origin: https://evil.example"], ["If-None-Match: \"x\""], ["Range: bytes=0-1"], ["Accept-Cells: Label", "Accept: */*;q=0"], ["Prefer: wait=0"]]):
            trial.service.ask("POST", "/v1/tables/edges/items", [EDITOR], {"title": str(number)})
            target = f"/v1/tables/edges/changes?after={trial.service.cursor('edges')}&slot="
            slot = ask(port, "GET", target + "0").json()["slot"]
            wires = []
            for fields in [lines] + [[]] * 40:
                wire = Wire(port, 5)
                wire.send(request("GET", target + str(slot), fields, host="127.0.0.1"))
                wires.append(wire)
                if fields:
                    time.sleep(0.3)
            time.sleep(1.5)
            asked = stretch.requests.count(f"{target}{slot} ".encode())
            for wire in wires:
                wire.close()
            holds(asked <= 4, lines, "has", asked, "of 40 clients wait at the origin")
    finally:
        edge.close()
        stretch.close()


EXPRESSIONS = ["a | map(s | upper | length) | length", "a | map(s | hash) | length", "a | where('y' in s) | length", "a | map(s == t) | length", "a | map(s | split(',') | length) | length"]


@attack("an item of 240 KB for expressions that read a long text once for each of 60,000 elements", "mapped within a bound, or unfit in words; others' edits go on", quick=False, stall=3,
        configuration={"tables": {f"heavy{n}": {"source": {"local": {}}, "cell": "Label", "payload": {"title": "${" + text + "}"}} for n, text in enumerate(EXPRESSIONS)}
                       | {"todo": {"source": {"local": {"items": [{"title": "A"}]}}, "can": {"edit": True}}}})
def expressions_that_read_much(trial):
    item = {"a": [0] * 60_000, "s": "x" * 100_000, "t": "x" * 10_000 + "y"}
    for number, text in enumerate(EXPRESSIONS):
        before = time.monotonic()
        answer = trial.service.ask("POST", f"/v1/tables/heavy{number}/items", [EDITOR], item, seconds=60)
        took = time.monotonic() - before
        holds(answer.status in (201, 413, 422), text, "was answered", answer.status)
        holds(took < 8, text, f"takes {took:.1f} s")


IDS = ["__proto__", "constructor", "empty", "header x", "header main", "toString", ".", "..", "a/b", "x" * 10_000, "\u202eabc\u2066", "%2e", "null", "'\"><script>", " ", "\u0000", "é", "e\u0301", "-1", "0"]


@attack("rows with ids of all kinds (`empty`, `__proto__`, `..`, 10 KB, bidirectional marks)", "each is shown, found and followed; in browsers by Tests/BrowserTests")
def odd_row_ids(trial):
    trial.upstream.ids = IDS
    try:
        trial.service.ask("POST", "/v1/tables/up/refresh", [EDITOR])
        shown = [row["id"] for row in trial.service.rows("up")]
        holds(len(set(shown)) == len(shown) >= len(IDS) - 4, "shown are", len(shown), "of", len(IDS))
        for id in shown:
            if id in (".", "..") or len(id) > 5000:
                continue
            answer = trial.service.ask("GET", "/v1/tables/up/rows/" + urllib.parse.quote(id, safe=""))
            holds(answer.status == 200 and answer.json()["row"]["id"] == id, repr(id), "is answered", answer.status)
    finally:
        trial.upstream.ids = None
        trial.service.ask("POST", "/v1/tables/up/refresh", [EDITOR])


@attack("500 views of one client, where 100 are held", "another client's expanded row stays; the store keeps no more than it may",
        configuration={"views": {"max": 100}, "trustedProxies": ["127.0.0.1"]})
def views_of_one_client(trial):
    other, own = ["X-Forwarded-For: 203.0.113.1"], ["X-Forwarded-For: 198.51.100.9"]
    trial.service.ready()
    # Without a token: all who use one are one holder, as the service can't tell them apart.
    holds(trial.service.ask("POST", "/v1/tables/notes/rows/3/tap?view=mine", other).status == 200, "a tap in a view needs no token")
    for number in range(500):
        trial.service.ask("POST", f"/v1/tables/notes/rows/1/tap?view=v{number}", own)
    rows = {row["id"]: row for row in trial.service.rows("notes?view=mine", other)}
    holds(rows["3"]["payload"]["open"] is True, "the other client's row is no longer expanded")


@attack("a JSON string as the body of an edit that is sent on as `${$edit}`; ids with `..` segments in the URLs of edits", "the upstream gets JSON, or nothing; no other path is asked")
def edits_that_are_other_bodies(trial):
    before = len(trial.upstream.seen)
    for body in [b'"title=x&admin=1"', b'"{\\"a\\":1}"', b'"<xml/>"', b'"\\r\\n\\r\\nGET / HTTP/1.1"']:
        with trial.service.wire() as wire:
            wire.send(request("PATCH", "/v1/tables/up/items/1", [EDITOR, "Content-Type: application/json"], body))
            wire.answer()
    for method, _, _, sent in trial.upstream.seen[before:]:
        if method == "PATCH":
            holds(isinstance(json.loads(sent), (dict, str)) and not sent.startswith((b"title=", b"<")), "the upstream got", sent[:60])
    trial.upstream.ids = ["../admin", "..", "a/../../b", "%2e%2e/c", "..;/d", "..\\e", "ok"]
    try:
        trial.service.ask("POST", "/v1/tables/up/refresh", [EDITOR])
        for id in trial.upstream.ids:
            trial.service.ask("PATCH", "/v1/tables/up/items/" + urllib.parse.quote(id, safe=""), [EDITOR], {"title": "x"})
        asked = [path for method, path, _, _ in trial.upstream.seen[before:] if method == "PATCH"]
        # `%2e%2e/c` has no segment `..`: it is a literal, and sent as one (`%252e%252e%2Fc`). Who decodes that twice finds segments
        # in whatever has a percent sign, and no spelling of it is safe there.
        names = [urllib.parse.unquote(path).removeprefix("/items/") for path in asked]
        holds(set(names) <= {"%2e%2e/c", "ok"}, "the upstream was asked for", asked)
        holds("/items/%252e%252e%2Fc" in asked and "/items/ok" in asked, "what leads nowhere else is sent", asked)
    finally:
        trial.upstream.ids = None
        trial.service.ask("POST", "/v1/tables/up/refresh", [EDITOR])
