"""Requests of odd form, to the service itself."""
import contextlib, gzip, json, resource, select, socket, time, urllib.parse

from trial import EDITOR, TOKENS, attack, holds, request


@attack("a head of one byte a packet, on 10,000 connections (on as many as descriptors allow, of 12 addresses of loopback)",
        "each is closed in its time or refused, memory stays, others are answered", quick=False,
        configuration={"limits": {"connections": 12000, "connectionsPerAddress": 1000}})
def heads_byte_by_byte(trial):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count, before = min(10_000, hard - 200), trial.service.resident()
    head = request("GET", "/v1/tables/todo", ["X-Slow: " + "x" * 60])
    sockets = []
    for number in range(count):
        one = socket.socket()
        one.bind((f"127.0.0.{2 + number % 12}", 0))
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", trial.service.port))
        sockets.append(one)
    answered = 0
    for byte in head[:-1]:
        for one in sockets:
            try:
                one.send(bytes([byte]))
            except OSError:
                pass
    poll = select.poll()
    for one in sockets:
        poll.register(one, select.POLLIN)
    time.sleep(1)
    answered = len(poll.poll(0))
    grown = trial.service.resident() - before
    for one in sockets:
        try:
            one.send(head[-1:])
        except OSError:
            pass
    time.sleep(2)
    full = len(poll.poll(0))
    for one in sockets:
        one.close()
    print(f"          {count} connections: {answered} closed or refused before the last byte, {full} answered or closed after it; "
          f"{grown >> 20} MB more")
    holds(grown < 400 << 20, "memory grew by", grown >> 20, "MB")
    holds(full > count * 0.9, "only", full, "of", count, "were answered")


@attack("bodies of 100,000 chunks of one byte, of chunk extensions without end, of trailers without end",
        "one answer, or the connection's end")
def many_chunks(trial):
    start = request("POST", "/v1/tables/todo/items", [EDITOR, "Content-Type: application/json", "Transfer-Encoding: chunked"])
    item = json.dumps({"title": "x" * 99_000}).encode()
    for body, expected in [(b"".join(b"1\r\n%c\r\n" % byte for byte in item) + b"0\r\n\r\n", (201,)),
                           (b"1;" + b"a" * 1000 + b"\r\n{\r\n" * 1, None),
                           (b"".join(b"1;a=b\r\n \r\n" for _ in range(20_000)) + b"0\r\n\r\n", (400,)),
                           (b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 30_000 + b"\r\n", (431,)),
                           (b"2\r\n{}\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: evil\r\n\r\n", (201,)),
                           (b"0" * 1_000_000, (400,)), (b"7fffffffffffffff\r\n", (413,)), (b"0x2\r\n{}\r\n0\r\n\r\n", (400,))]:
        with trial.service.wire() as wire:
            wire.send(start + body)
            if expected:
                answer = wire.answer()
                holds(answer and answer.status in expected, body[:20], "was answered", answer and answer.status)


@attack("Range, TRACE, CONNECT, Upgrade, h2c, Expect, Max-Forwards, methods of all kinds", "an answer for each, and no other protocol")
def odd_methods_and_fields(trial):
    for lines, expected in [
            (["Range: bytes=0-"], (200,)), (["Range: bytes=" + ",".join(f"{n}-{n}" for n in range(2000))], (200,)),
            (["If-Range: \"x\"", "Range: bytes=0-0"], (200,)), (["Upgrade: websocket", "Connection: Upgrade"], (200, 426)),
            (["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAAP__"], (200,)),
            (["Max-Forwards: 0"], (200,)), (["Expect: 100-continue"], (200,)), (["Expect: x"], (417,)), (["TE: trailers, gzip"], (200,)),
            (["Connection: close, Host, Content-Length, X-Request-ID"], (200,)), (["Keep-Alive: timeout=99999999"], (200,)),
            (["Proxy-Connection: keep-alive"], (200,)), (["X-HTTP-Method-Override: DELETE"], (200,)), (["Cookie: " + "a=b; " * 1000], (200,))]:
        answer = trial.service.ask("GET", "/v1/tables/todo", lines)
        holds(answer.status in expected, lines[0][:60], "was answered", answer.status)
    for method in ["TRACE", "CONNECT", "PROPFIND", "get", "G" * 30, "DELETE", "PUT", "PATCH"]:
        with trial.service.wire() as wire:
            wire.send(request(method, "/v1/tables/todo", ["Connection: close", EDITOR, "X-Secret: 7"]))
            answer = wire.answer()
            holds(answer and answer.status in (400, 405, 501), method, "was answered", answer and answer.status)
            holds(b"X-Secret" not in answer.body and TOKENS["editor"].encode() not in answer.body, method, "repeats the request")


@attack("bodies with a content coding: gzip bombs of 100 MB, br, nested, identity", "415 before anything is unpacked, memory stays")
def gzip_bombs(trial):
    bomb, before = gzip.compress(b" " * (100 << 20)), trial.service.resident()
    for coding, expected in [("gzip", 415), ("gzip, gzip", 415), ("x-gzip", 415), ("br", 415), ("deflate", 415), ("Identity", 400)]:
        with trial.service.wire() as wire:
            wire.send(request("POST", "/v1/tables/todo/items", [EDITOR, f"Content-Encoding: {coding}", "Content-Type: application/json"], bomb))
            answer = wire.answer()
            holds(answer and answer.status == expected, coding, "was answered", answer and answer.status)
    holds(trial.service.resident() - before < 64 << 20, "memory grew")


@attack("a poll of 64 tables with cursors of 200 characters, all extremes of numbers, doubled pairs, bytes of all kinds",
        "an answer with a problem for each pair that is none, soon")
def polls_of_many_tables(trial):
    epoch = "f" * 12
    cursors = [f"{epoch}.{2**64 - 1}", f"{epoch}.{2**64 - 1}.{2**64 - 1}", f"{epoch}.18446744073709551616", f"{epoch}.0", f"{epoch}.1~",
               f"{epoch}.1~r10000", f"{epoch}.1~r0-9223372036854775807", f"{epoch}.1~" + "v" * 180, "~" * 200, "." * 200, "%00", "%ff%fe",
               "%0d%0aX: y", "a" * 300, trial.service.cursor() + "~r1.v" + "0" * 16, trial.service.cursor() + "~q" + "f" * 32]
    for cursor in cursors:
        answer = trial.service.ask("GET", f"/v1/tables/todo/changes?wait=0&after={cursor}")
        holds(answer.status in (200, 400), cursor[:40], "was answered", answer.status)
        holds(answer.status != 200 or "reset" in answer.json(), cursor[:40], "leads somewhere")
    pairs = [f"after={name}:{cursors[n % len(cursors)]}" for n in range(64) for name in [["todo", "up", "notes"][n % 3]]]
    answer = trial.service.ask("GET", "/v1/changes?wait=0&" + "&".join(pairs))
    holds(answer.status in (200, 400), "64 pairs were answered", answer.status)
    members = [f"after=todo%3B%3Brows%3D{n}-{n + 9999}%3Bview%3D{'w' * 64}:{trial.service.cursor()}" for n in range(64)]
    holds(trial.service.ask("GET", "/v1/changes?wait=0&" + "&".join(members)).status in (200, 400, 414), "lenses")
    holds(trial.service.ask("GET", "/v1/changes?wait=0&" + "&".join(f"after=todo:{n}" for n in range(300))).status == 400, "300 pairs")
    odd = ["after=", "after=:", "after=;;:", "after=todo;;", "after=todo;;rows=:x", "after=todo;;rows=1;rows=2:x", "after=%3B%3B%3A", "after=todo%00:x",
           "after=a;;" + ";".join("q=x" for _ in range(300)) + ":x"]
    for query in odd:
        status = trial.service.ask("GET", "/v1/changes?wait=0&" + query).status
        holds(status in (200, 400), query[:30], "was answered", status)


@attack("windows `rows=` of all extremes, in reads, polls, streams and index paths", "400, or a window that is in the table")
def windows(trial):
    top = 2**63
    for rows in ["0", "-1", "1-0", f"0-{top}", f"{top}-{top}", f"{2**64}", "9" * 100, "10001", "0-10000", "1-", "-5-5", "+1", "0x1", "1e3", "%20 1"[:4], "١",
                 "99999999999999999999-100000000000000000009", f"{top - 2}-{top - 1}", "all-1", "5-5", "0-0", "10000", "9999999-9999999"]:
        for target in [f"/v1/tables/todo?rows={urllib.parse.quote(rows, safe='%')}",
                       f"/v1/tables/todo/changes?wait=0&after={trial.service.cursor()}&rows={urllib.parse.quote(rows, safe='%')}"]:
            answer = trial.service.ask("GET", target)
            holds(answer.status in (200, 400), target, "was answered", answer.status)
    for at in ["0,0", "-1,0", f"{top},{top}", "0", "0,0,0", ",", "0,99999999999999999999", "٠,٠", "0,+1", "1e1,0"]:
        answer = trial.service.ask("GET", f"/v1/tables/todo/rows?at={urllib.parse.quote(at)}")
        holds(answer.status in (200, 400, 404), at, "was answered", answer.status)
    for wait in ["-1", "1e9", "NaN", "inf", "99999999999999999999", "0x1", "", "55.5", f"-{top}"]:
        answer = trial.service.ask("GET", f"/v1/tables/todo/changes?wait={wait}")
        holds(answer.status in (200, 400), wait, "was answered", answer.status)
    for place in [{"at": top}, {"at": -1}, {"at": 1.5}, {"section": "main", "at": 10**30}, {"at": "1"}, {"after": None}, {"before": "x" * 10_000}]:
        answer = trial.service.ask("POST", "/v1/tables/todo/items/1/move", [EDITOR], place)
        holds(answer.status in (400, 404, 422, 409), place, "was answered", answer.status)


@attack("names with percent-encoded NULs, slashes, dots, bytes that are no UTF-8, 8,000 characters", "400, 404 or 414, and nothing else is reached")
def names(trial):
    before = len(trial.upstream.seen)
    for name in ["%00", "todo%00", "%2e%2e", "%2e%2e%2fv1", "todo%2fitems", "todo%2Fchanges", "%c0%ae%c0%ae", "%ff", "%ed%a0%80", "..;", "todo;", "todo;;a=b",
                 "todo;a=%00", "family;q=%00", "family;q=a%2fb", "family;q=" + "a" * 7000, "%25%32%65", "todo@de", "todo%40de-DE", "TODO", "todo%20", "%E2%80%AEodot"]:
        for rest in ["", "/rows/1", "/items/%00", "/items/..%2f..%2fup", "/changes?wait=0", "/stream"]:
            status = trial.service.ask("GET", f"/v1/tables/{name}{rest}", ["Accept: application/json"], seconds=20).status
            holds(status in (400, 404, 405, 406, 414), name, rest, "was answered", status)
    for path in ["//v1/tables", "/v1//tables", "/v1/./tables", "/v1/../v1/tables", "/%76%31/tables", "/v1/tables/", "\\v1", "/v1/tables/todo#x", "*", "http://", "/\x7f"]:
        with trial.service.wire() as wire:
            wire.send(request("GET", path, ["Connection: close"]))
            answer = wire.answer()
            holds(answer and answer.status in (200, 400, 404, 405, 421), path, "was answered", answer and answer.status)
    holds(not any("/items/" in path for _, path, _, _ in trial.upstream.seen[before:]), "the upstream was asked for an item")


@attack("10,000 `X-Request-ID`s with line ends, escapes, 8-bit bytes, 7,000 characters; the same in names, tokens and user agents",
        "each line of the log is one JSON object, and none has what was sent as a line of its own")
def log_injection(trial):
    before = len(trial.service.log())
    with contextlib.ExitStack() as stack:
        wire = None
        for number in range(10_000):
            wire = wire or stack.enter_context(trial.service.wire())
            odd = ["\\n{\"level\":\"forged\"}", "\x1b[2J\x1b]0;forged\x07", "\xe2\x80\xa8forged", "a" * 500, "\"},{\"level\":\"forged\"", "%0aforged", "\u0085forged"[:7], "\t\tforged"][number % 8]
            fields = [f"X-Request-ID: {number}{odd}", f"User-Agent: {odd}", f"Authorization: Bearer {odd}"]
            data = request("GET", "/v1/tables/none%0a%1b[31m", [line for line in fields if "\x07" not in line and "\x1b" not in line])
            wire.send(data)
            answer = wire.answer()
            if answer and answer.field("connection") == "close":
                wire = wire.close()
            holds(answer and answer.status in (400, 401, 404), number, "was answered", answer)
            said = answer.field("x-request-id") or ""
            holds("\x1b" not in said and "forged" not in said or said.isprintable(), "the answer repeats", repr(said))
    for line in trial.service.log()[before:].split("\n"):
        if line:
            holds(json.loads(line).get("level") != "forged", "a forged line")
            holds("\x1b" not in line and "\x07" not in line, "control characters in the log")


@attack("streams that begin at `Last-Event-ID`s of all kinds, with two of them, with `after` beside", "a snapshot or 400, and the stream goes on")
def last_event_ids(trial):
    cursor = trial.service.cursor()
    for lines in [[f"Last-Event-ID: {cursor}"], ["Last-Event-ID: "], ["Last-Event-ID: \xff\xfe"], ["Last-Event-ID: " + "a" * 4000], ["Last-Event-ID: 0.0"],
                  [f"Last-Event-ID: {cursor}", f"Last-Event-ID: {cursor}"], [f"Last-Event-ID: {'f' * 12}.{2**64 - 1}.{2**64 - 1}~r1"], ["Last-Event-ID: null"]]:
        with trial.service.wire(5) as wire:
            wire.send(request("GET", "/v1/tables/todo/stream", ["Accept: text/event-stream", *lines]))
            head = wire.until(b"\r\n\r\n")
            holds(head[9:12] in (b"200", b"400"), lines[0][:40], "was answered", head[9:12])


@attack("JSON bodies: deep, doubled, huge numbers, lone surrogates, BOMs, 64,000 members, other charsets", "a refusal in words, or the item as it was sent")
def bodies(trial):
    deep = b"[" * 100_000 + b"]" * 100_000
    for body, expected in [
            (b'{"a":' + deep + b"}", (400, 413)), (b'{"a":1,"a":2}', (400,)), (b'{"a":1e999999}', (400, 422)), (b'{"a":' + b"9" * 5000 + b"}", (400, 422, 201)),
            (b'{"a":"\\ud800"}', (400, 422, 201)), (b"\xef\xbb\xbf{}", (400, 201)), (b'{"a":"\xff"}', (400,)), (b'{"a":"\x00"}', (400,)), (b'{"\\u0000":1}', (201, 400, 422)),
            (b'{"__proto__":{"x":1}}', (201,)), (b'{"title":"\\u0000\\u202e"}', (201,)), (b"{" + b",".join(b'"m%d":0' % n for n in range(64_000)) + b"}", (201, 413, 422)),
            (b"{}" + b" " * (1 << 20), (201, 400, 413)), (b"{}{}", (400,)), (b"", (400, 201)), (b"null", (400, 422)), (b"\xff\xfe{\x00}\x00", (400,)), (b"{'a':1}", (400,)),
            (b'{"a":-0}', (201,)), (b'{"a":NaN}', (400,)), (b'{"a":01}', (400,)), (b'{"' + b"k" * 200_000 + b'":1}', (201, 413, 422)), (b'{"a":1}//', (400,))]:
        with trial.service.wire() as wire:
            wire.send(request("POST", "/v1/tables/todo/items", [EDITOR, "Content-Type: application/json"], body))
            answer = wire.answer()
            holds(answer and answer.status in expected, body[:30], "was answered", answer and (answer.status, answer.body[:200]))
    for kind in ["application/json; charset=utf-16", "text/plain", "application/json; charset=\"", "multipart/form-data; boundary=x", "application/merge-patch+json"]:
        with trial.service.wire() as wire:
            wire.send(request("POST", "/v1/tables/todo/items", [EDITOR, f"Content-Type: {kind}"], b"{}"))
            answer = wire.answer()
            holds(answer and answer.status in (201, 400, 415), kind, "was answered", answer and answer.status)
