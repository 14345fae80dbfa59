"""Requests that a proxy and the service might cut in different places.

Each case goes through a proxy that keeps its connections to the service, on which a stretch of wire notes how many requests the
service has answered. The proxy's own count has to be the same, and victims that come after have to get their own answers.
"""
import itertools, time

from trial import EDITOR, CannotTry, Wire, attack, holds, request
from trial.proxies import HAProxy, HAProxyLenient, Nginx, NginxUnbuffered, Stretch, Varnish

H = b"Host: localhost\r\n"
INNER = b"GET /v1/tables/smuggled HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: smuggled\r\n\r\n"
JSON = b"Content-Type: application/json\r\n" + EDITOR.encode() + b"\r\n"


def post(lines, body, target=b"/v1/tables/todo/items", version=b"HTTP/1.1"):
    return b"POST " + target + b" " + version + b"\r\n" + H + JSON + lines + b"\r\n" + body


def get(lines, body=b"", target=b"/v1/tables/todo", version=b"HTTP/1.1"):
    return b"GET " + target + b" " + version + b"\r\n" + H + lines + b"\r\n" + body


def cases():
    """What the proxies' own lists of desyncs have, each with a request that must not be seen as one."""
    end, size = b"0\r\n\r\n", len(INNER)
    chunked = b"Transfer-Encoding: chunked\r\n"
    length = lambda n: b"Content-Length: %d\r\n" % n
    yield "cl.te", post(length(len(end) + size) + chunked, end + INNER)
    yield "te.cl", post(chunked + length(4), b"%x\r\n" % size + INNER + b"\r\n" + end)
    yield "cl.0", post(b"", INNER, b"/v1/tables/todo")
    yield "get with a length", get(length(size), INNER)
    yield "0.cl", get(length(0) + b"X: y\r\n", INNER[:10])
    for name in [b"Transfer-Encoding : chunked", b"Transfer-Encoding:\tchunked", b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, identity",
                 b"Transfer-Encoding: identity, chunked", b"Transfer-Encoding:\x0bchunked", b"Transfer-Encoding: \x00chunked", b"Transfer-Encoding: chunk\xe4d",
                 b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x", b"Transfer-Encoding: x\r\nTransfer-Encoding: chunked", b" Transfer-Encoding: chunked",
                 b"X: y\r\n Transfer-Encoding: chunked", b"Transfer-Encoding:\r\n chunked", b"Transfer-Encoding: \"chunked\"", b"Transfer_Encoding: chunked",
                 b"Transfer-Encoding: CHUNKED", b"Transfer-Encoding: chunked;x=1", b"Transfer-Encoding: ,chunked", b"Transfer-Encoding: chunked,",
                 b"X: y\nTransfer-Encoding: chunked", b"X: y\rTransfer-Encoding: chunked", b"X: y\x00\r\nTransfer-Encoding: chunked", b"\xffTransfer-Encoding: chunked",
                 b"Transfer-Encoding\x00: chunked", b"Transfer-Encoding: chunked\x00", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                 b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding:", b"TE: chunked\r\nTransfer-Encoding: Chunked "]:
        yield "te obfuscated, %r" % name, post(length(len(end) + size) + name + b"\r\n", end + INNER)
        yield "te alone, %r" % name, post(name + b"\r\n", end + INNER)
    for value in [b"+5", b"-5", b"0x5", b"5 ", b" 5", b"5,5", b"5, 6", b"05", b"5.0", b"5e0", b"\x0b5", b"5\x00", b"", b"99999999999999999999", b"18446744073709551621",
                  b"5;x", b"\"5\"", b"5\t", b"\xb2", b"4294967301"]:
        yield "length %r" % value, post(b"Content-Length: " + value + b"\r\n", b"{  }\n" + INNER)
    for lines in [length(5) + length(6), length(5) + length(5), length(5) + b"content-length: 0\r\n", length(5) + b"Content_Length: 0\r\n", b"Content-Length : 5\r\n",
                  length(5) + b" folded\r\n", b"Content-Length:\r\n 5\r\n", b"X: y\nContent-Length: 5\r\n", b"\rContent-Length: 5\r\n", length(5) + b"Connection: close, Content-Length\r\n",
                  length(5) + b"Connection: Content-Length\r\n", chunked + b"Connection: Transfer-Encoding\r\n", length(5) + b"Connection: keep-alive\r\nKeep-Alive: x\r\n"]:
        yield "lengths %r" % lines, post(lines, b"{  }\n" + INNER)
    for text in [b"0x2\r\n{}\r\n0\r\n\r\n", b"+2\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n", b"2 \r\n{}\r\n0\r\n\r\n", b"2\n{}\r\n0\r\n\r\n",
                 b"2\r\n{}\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"2\r\n{}\r\n0\n\n", b"2\r\n{}\r\n0\r\n\n", b"2;a\r\n{}\r\n0\r\n\r\n", b"2;a=\"\r\n\"\r\n{}\r\n0\r\n\r\n",
                 b"2;a\n{}\r\n0\r\n\r\n", b"2\r\r\n{}\r\n0\r\n\r\n", b"10000000000000002\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n", b"00000000000000000000002\r\n{}\r\n0\r\n\r\n",
                 b"2\r\n{}\r\n00\r\n\r\n", b"2\r\n{}\r\n0;x\r\n\r\n", b"2\r\n{}\r\n0\r\nX: y\r\n\r\n", b"2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n", b"2\r\n{}\r\n0\r\n X: y\r\n\r\n",
                 b"2\r\n{}\r\n0\r\nX\r\n\r\n", b"2\r\n{}\r\n0\r\nGET / HTTP/1.1\r\n\r\n", b"3\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n\r\n0\r\n\r\n", b"2\r\n{}\r\n-0\r\n\r\n", b"2\r\n{}\r\n0", b"g\r\n{}\r\n0\r\n\r\n",
                 b"2\x00\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\rX0\r\n\r\n", b"2,2\r\n{}\r\n0\r\n\r\n", b"2_\r\n{}\r\n0\r\n\r\n", b"\r\n2\r\n{}\r\n0\r\n\r\n", b"\xef\xbc\x92\r\n{}\r\n0\r\n\r\n"]:
        yield "chunks %r" % text, post(chunked, text + INNER)
    for lines in [b"Expect: 100-continue\r\n" + length(2), b"Expect: 100-Continue\r\n" + chunked, b"Expect: y\r\n" + length(2), b"Expect:\r\n" + length(2),
                  b"Expect: 100-continue\r\nExpect: 100-continue\r\n" + length(2)]:
        yield "expect %r" % lines, post(lines, (b"2\r\n{}\r\n" + end if chunked in lines else b"{}") + INNER)
        yield "expect in get %r" % lines, get(lines, (b"2\r\n{}\r\n" + end if chunked in lines else b"{}") + INNER)
    yield "1.0 with chunks", post(chunked + b"Connection: keep-alive\r\n", end + INNER, version=b"HTTP/1.0")
    yield "1.0 kept", get(b"Connection: keep-alive\r\n", INNER, version=b"HTTP/1.0")
    for version in [b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1 ", b"HTTP/01.1", b"HTTP/1.1\x00", b"HTTPS/1.1", b""]:
        yield "version %r" % version, get(b"", INNER, version=version)
    for target in [b"http://evil.example/v1/tables/todo", b"http://localhost/v1/tables/todo", b"https://localhost:443/v1/tables", b"//localhost/v1/tables", b"localhost:80", b"*",
                   b"/v1/tables/todo GET", b"/v1/tables/to\tdo", b"/v1/tables/todo\x00", b"/v1/tables/todo#x", b"/v1/\xfftables", b"http://u:p@localhost/v1/tables", b"/v1/tables/todo?\r", b"http:/v1/tables"]:
        yield "target %r" % target, get(b"", INNER, target)
    for lines in [b"Host: evil.example\r\n", b"Host : localhost\r\n", b" Host: evil.example\r\n", b"host: localhost\r\n", b"Host: localhost, evil.example\r\n"]:
        yield "hosts %r" % lines, get(lines, INNER)
    for name in [b"\x00", b"\x01X", b"X\x7f", b"X Y", b"X\x85", b"X:Y", b"(X)", b"X\t", b"", b":"]:
        yield "field name %r" % name, get(name + b": Content-Length: 9\r\n", INNER)
    for value in [b"\x00", b"a\x01b", b"a\rb", b"a\r\n\tb", b"a\nContent-Length: 5", b"\xff\xfe", b"a\x7f", b"a\r\rb"]:
        yield "field value %r" % value, get(b"X: " + value + b"\r\n", INNER)
    yield "pipelined errors", get(b"", get(b"Expect: z\r\n") + get(b"", target=b"/none") + b"BAD\r\n\r\n" + INNER)
    yield "pipelined posts", post(length(2), b"{}" + post(length(1), b"{") + post(length(2), b"{}", b"/none"))
    yield "empty lines", b"\r\n\r\n" + get(b"", b"\r\n\r\n\r\n" + get(b""))
    yield "lf heads", b"GET /v1/tables/todo HTTP/1.1\nHost: localhost\n\n" + INNER
    yield "cr heads", b"GET /v1/tables/todo HTTP/1.1\rHost: localhost\r\r" + INNER
    yield "head and length", b"HEAD /v1/tables/todo HTTP/1.1\r\n" + H + length(size) + b"\r\n" + INNER
    yield "head", b"HEAD /v1/tables/todo HTTP/1.1\r\n" + H + b"\r\n" + get(b"")
    yield "options and body", b"OPTIONS /v1/tables/todo HTTP/1.1\r\n" + H + chunked + b"\r\n" + end + INNER
    yield "upgrade", get(b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n", INNER)
    yield "h2c", get(b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", INNER)
    yield "h2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + INNER
    yield "refused by its head, body follows", b"POST /v1/tables/todo/items HTTP/1.1\r\n" + H + length(size) + b"\r\n" + INNER
    yield "405 with a body", b"POST /healthz HTTP/1.1\r\n" + H + length(size) + b"\r\n" + INNER
    yield "too large", post(length(5 << 20), INNER)
    yield "half of a body", post(length(size + 100), INNER)
    yield "forwarded twice", get(b"X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\nX-Forwarded-For: ::1\r\n", INNER)


def settled(read, seconds=1.0):
    """What a count comes to once it has stood still."""
    last, end, since = read(), time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < 0.06:
        time.sleep(0.015)
        now = read()
        if now != last:
            last, since = now, time.monotonic()
    return last


def through(trial, kind, step=1):
    stretch = Stretch(trial.service.port)
    try:
        proxy = kind(stretch.port)
    except CannotTry:
        stretch.close()
        raise
    faults, number, answered = [], itertools.count(), 0
    try:
        for name, data in itertools.islice(cases(), 0, None, step):
            before = stretch.answers
            with Wire(proxy.port, 3) as wire:
                wire.send(data)
                got = wire.quiet(0.12)
            answered += stretch.answers - before
            if b"smuggled" in got and b"x-request-id: smuggled" not in got.lower():
                faults.append(f"{name}: {got[:200]!r}")
            for _ in range(2):
                id = f"victim-{next(number)}"
                with Wire(proxy.port, 5) as wire:
                    wire.send(request("GET", f"/v1/tables/todo/rows/{id}", [f"X-Request-ID: {id}"]))
                    answer = wire.answer()
                # 502 is a proxy's word for a connection that the service has closed; nobody else's answer is in it.
                if answer is None or answer.status not in (404, 502, 503) or answer.status == 404 and answer.field("x-request-id") != id:
                    faults.append(f"{name}: a victim got {answer and (answer.status, answer.field('x-request-id'), answer.body[:100])}")
        served, said = settled(lambda: stretch.answers), settled(proxy.count)
        # A proxy may have given up on an answer that came; the service may not have answered what was not asked.
        print(f"          {kind.__name__}: {next(number) // 2} cases, {answered} of their requests answered by the service; "
              f"{served} answers in all, the proxy took {said}" + (f" and perhaps {proxy.doubtful} more" if proxy.doubtful else ""))
        if not said <= served <= said + proxy.doubtful:
            faults.append(f"the service gave {served} answers, the proxy took {said}")
    finally:
        proxy.close()
        stretch.close()
    holds(not faults, f"{len(faults)} faults:", *faults[:5])


ASKED = {"limits": {"connections": 4000}}
SENDS = "some 200 requests whose ends can be seen in two places, through "
MUST = "the service answers as many as the proxy sends, and nobody gets another's answer"


@attack(SENDS + "HAProxy, as it comes and with invalid requests let through", MUST, needs=("haproxy",), quick=False, configuration=ASKED)
def smuggling_through_haproxy(trial):
    through(trial, HAProxy)
    through(trial, HAProxyLenient)


@attack(SENDS + "nginx, bodies buffered and not", MUST, needs=("nginx",), quick=False, configuration=ASKED)
def smuggling_through_nginx(trial):
    through(trial, Nginx)
    through(trial, NginxUnbuffered)


@attack(SENDS + "Varnish", MUST, needs=("varnishd", "varnishstat"), quick=False, configuration=ASKED)
def smuggling_through_varnish(trial):
    through(trial, Varnish)


@attack("each ninth of these, through nginx", MUST, needs=("nginx",), configuration=ASKED)
def smuggling_in_short(trial):
    through(trial, NginxUnbuffered, step=9)
