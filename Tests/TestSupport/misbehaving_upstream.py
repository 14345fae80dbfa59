"""An upstream that does what upstreams do at three in the morning. Standard library only.

Writes its port as the first line of standard output, ends when standard input does. Each path is a fault;
queries give its size. `/log` answers with what was received, `/reset` forgets everything. `/as-set` does what the
path does that `/set?to=` has named last. A first argument N: listens on 127.0.0.1 to 127.0.0.N, hosts of their own.
Further ones, certificate, key, and the CA of clients that must have a certificate too: speaks TLS.
"""
import email.utils
import functools
import gzip
import hashlib
import json
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

LOCK = threading.Lock()
TLS = None
if len(sys.argv) > 3:
    TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    TLS.load_cert_chain(sys.argv[2], sys.argv[3])
if len(sys.argv) > 4:
    TLS.load_verify_locations(sys.argv[4])
    TLS.verify_mode = ssl.CERT_REQUIRED
STATE = {"set": {}, "counts": {}, "log": [], "connections": 0, "concurrent": 0, "peak": 0}


@functools.cache
def bomb():
    return gzip.compress(b" " * (64 << 20), 1)


class Reset(Exception):
    pass


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        self.path, _, query = target.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.target = target

    def number(self, name, default):
        return int(self.query.get(name, default))


class Connection:
    def __init__(self, sock):
        self.sock = sock
        self.file = sock.makefile("rb")
        self.keep = True

    def read(self):
        if self.file.peek(1)[:1] == b"\x16":  # TLS, spoken to a server without
            self.reply(400, '{"message":"this is plain HTTP"}')
            return None
        line = self.file.readline(65536)
        if not line:
            return None
        method, target, _ = line.decode("latin-1").split()
        headers = {}
        while True:
            line = self.file.readline(65536).decode("latin-1").rstrip("\r\n")
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        return Request(method, target, headers, self.file.read(length).decode() if length else "")

    def send(self, data):
        self.sock.sendall(data)

    def head(self, status, headers):
        lines = ["HTTP/1.1 %d X" % status] + ["%s: %s" % pair for pair in headers]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def reply(self, status, body, headers=(), kind="application/json"):
        body = body if isinstance(body, bytes) else body.encode()
        base = [("Content-Length", len(body))] + ([("Content-Type", kind)] if kind else [])
        # One piece: a header that comes alone waits for the peer's delayed acknowledgement.
        lines = ["HTTP/1.1 %d X" % status] + ["%s: %s" % pair for pair in base + list(headers)]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode() + (b"" if status in (204, 304) else body))

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Reset


def count(key):
    with LOCK:
        STATE["counts"][key] = STATE["counts"].get(key, 0) + 1
        return STATE["counts"][key]


def items(first, number):
    return [{"id": i, "title": "item %d" % i} for i in range(first, first + number)]


def conditional(c, r, body, tag, headers=()):
    tag = '"%s"' % tag
    if r.headers.get("if-none-match") == tag:
        c.reply(304, "", [("ETag", tag)] + list(headers))
    else:
        c.reply(200, body, [("ETag", tag)] + list(headers))


def page_of(c, r, path):
    """Pages of three items, `total` pages (default 4); `fail` says which page fails, with `status` for the first `times`
    requests and with `then` after them, `loop` where it turns back. With `grows`: after so many requests there is one
    page more. With `last` the last page stands for those behind it, too; `count` is what the answers say that there are."""
    style = path[len("/pages/"):]
    total, fail = r.number("total", 4), r.number("fail", -1)
    if "grows" in r.query and count(path) > r.number("grows", 0):
        total += 1
    if style == "offset":
        page = r.number("offset", 0) // 3 + 1
    elif style == "cursor":
        page = int(r.query.get("cursor", "c1")[1:])
    elif style == "in-header":
        page = int((r.headers.get("x-after") or "c1")[1:])
    elif style == "body":
        page = int((json.loads(r.body)["after"] or "c1")[1:])
    else:
        page = r.number("page", 1)
    if page == fail:
        status = "then" if count(r.target) > r.number("times", 1 << 30) else "status"
        return c.reply(r.number(status, 500), '{"message":"page %d is broken"}' % page)
    if "last" in r.query:
        page = min(page, total)
    body = {"data": items(page * 3, 3 if page <= total else 0)}
    if "count" in r.query:
        body["count"] = r.number("count", 0)
    following = page + 1 if page < total else None
    if "loop" in r.query and page == r.number("loop", 0):
        following = 1
    keep = "".join("&%s=%s" % (k, r.query[k]) for k in ("total", "fail", "status", "loop", "tag", "grows") if k in r.query)
    headers = []
    if style == "link" and following:
        headers = [("Link", '</pages/link?page=%d%s>; rel="next", </pages/link?page=1>; rel="first"' % (following, keep))]
    if style == "next":
        body["next"] = "/pages/next?page=%d%s" % (following, keep) if following else None
    if style == "foreign":
        body["next"] = "http://example.invalid/steal"
    if style == "header" and following:
        headers = [("Next-Page", "http://example.invalid/x" if "foreign" in r.query else "header?page=%d%s" % (following, keep))]
    if style in ("cursor", "body", "in-header"):
        body["meta"] = {"cursor": "c%d" % following} if following else {}
    if style == "same":
        body = {"data": items(1, 3)}
    text = json.dumps(body)
    if "tag" in r.query:
        return conditional(c, r, text, hashlib.sha256(text.encode()).hexdigest()[:8], headers)
    c.reply(200, text, headers)


def shift(c, r):
    """Pages of three of `n` items; one goes, the first, before each request whose number is in `at`; the request whose
    number is `none` finds none."""
    number, size = count(r.path), 3
    if number == r.number("none", 0):
        return c.reply(200, '{"count":0,"data":[]}')
    gone = sum(1 for at in r.query.get("at", "").split(",") if at and int(at) <= number)
    rows = [i for i in items(1, r.number("n", 12))][gone:]
    if "offset" in r.query:
        first = r.number("offset", 0)
    elif r.body:
        first = json.loads(r.body)["skip"]
    else:
        first = (r.number("page", 1) - 1) * size
    page = rows[first : first + size]
    if "short" in r.query and r.number("short", 0) <= number:
        page = [] if first >= 6 else page
    if not page and first and "end" in r.query:
        return c.reply(r.number("end", 404), '{"detail":"Invalid page."}')
    c.reply(200, json.dumps({"count": len(rows), "data": page}))


def handle(c, r):
    path, body = r.path, json.dumps(items(1, 3))
    if path == "/items":
        c.reply(200, json.dumps(items(1, r.number("n", 3))))
    elif path == "/changing":
        c.reply(200, json.dumps(items(count(path), 3)))
    elif path == "/etag":
        conditional(c, r, body, "v1")
    elif path == "/etag-changing":
        conditional(c, r, body, "v%d" % count(path))
    elif path == "/modified":
        # It changes behind each of the first `changes` answers, which are given in the second of the date.
        number, changes = count(r.target), r.number("changes", 0)
        since = "Sat, 21 Nov 2026 01:00:00 GMT"
        date = since if number <= changes else "Sat, 21 Nov 2026 01:00:01 GMT"
        same = r.headers.get("if-modified-since") == since
        body = json.dumps(items(min(number, changes + 1), 3))
        c.reply(304 if same else 200, "" if same else body, [("Last-Modified", since), ("Date", date)])
    elif path == "/max-age":
        c.reply(200, body, [("Cache-Control", "public, max-age=%s" % r.query.get("s", "5"))])
    elif path == "/delay":
        time.sleep(r.number("ms", 100) / 1000)
        c.reply(200, body)
    elif path == "/silent":
        time.sleep(r.number("ms", 2000) / 1000)
        c.keep = False
    elif path == "/drip":
        c.head(200, [("Content-Type", "application/json"), ("Content-Length", 1000)])
        for _ in range(r.number("n", 1000)):
            c.send(b" ")
            time.sleep(r.number("ms", 20) / 1000)
    elif path == "/stall":
        c.head(200, [("Content-Type", "application/json"), ("Content-Length", 1000)])
        c.send(b"[1,")
        time.sleep(r.number("ms", 2000) / 1000)
        c.keep = False
    elif path == "/reset-before":
        c.reset()
    elif path == "/close-before":
        c.keep = False
    elif path == "/reset-mid":
        c.head(200, [("Content-Type", "application/json"), ("Content-Length", 1024)])
        c.send(b"[" + b" " * 311)
        time.sleep(0.02)
        c.reset()
    elif path == "/short":
        c.head(200, [("Content-Type", "application/json"), ("Content-Length", 1024)])
        c.send(b"[" + b" " * 311)
        c.keep = False
    elif path == "/bad-chunk":
        c.head(200, [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
        c.send(b"zz\r\n[]\r\n")
        c.keep = False
    elif path == "/cut-chunk":
        c.head(200, [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
        c.send(b"10\r\n[1,")
        c.keep = False
    elif path == "/not-http":
        c.send(b"SSH-2.0-OpenSSH_9.2\r\n")
        c.keep = False
    elif path == "/gzip":
        c.reply(200, gzip.compress(body.encode()), [("Content-Encoding", "gzip")])
    elif path == "/bad-gzip":
        c.reply(200, b"this is no gzip", [("Content-Encoding", "gzip")])
    elif path == "/two-gzips":
        c.reply(200, gzip.compress(body.encode()) + gzip.compress(b"\n"), [("Content-Encoding", "gzip")])
    elif path == "/bomb":
        c.reply(200, bomb(), [("Content-Encoding", "gzip")])
        c.keep = False
    elif path == "/endless":
        c.head(200, [("Content-Type", "application/json")])
        while True:
            c.send(b" " * 65536)
    elif path.startswith("/endless/"):
        # Below `/endless/KIND/` for a client: what was sent of the last one is at `/endless-sent`.
        kind = path.split("/")[2]
        STATE["sent"] = 0
        length = {"chunked": [("Transfer-Encoding", "chunked")], "length": [("Content-Length", 2**28 + 1)], "close": []}[kind]
        c.head(200, [("Content-Type", "application/json"), ("Connection", "close")] + length)
        c.keep = False
        piece = b" " * 2**20
        # Half as much again as a client takes: Linux's Foundation reads on for ever, faster than it looks at what it has read.
        most = 2**28 if kind == "length" else 3 * 2**27
        while STATE["sent"] < most:
            c.send(b"100000\r\n" + piece + b"\r\n" if kind == "chunked" else piece)
            STATE["sent"] += len(piece)
        if kind == "length":
            c.send(b" ")
        else:
            c.file.read(1)  # The client ends it.
    elif path == "/endless-sent":
        c.reply(200, "[%d]" % STATE.get("sent", 0))
    elif path == "/headers":
        c.head(200, [("X-%d" % i, "x" * 1000) for i in range(r.number("n", 200))] + [("Content-Length", 2)])
        c.send(b"[]")
    elif path == "/status":
        extra = [("Retry-After", r.query["retry"])] if "retry" in r.query else []
        if "date" in r.query:
            extra = [("Retry-After", email.utils.formatdate(time.time() + r.number("date", 5), usegmt=True))]
        c.reply(r.number("code", 500), r.query.get("body", '{"message":"as asked"}'), extra)
    elif path == "/flap":
        # Fails `n` times, then works.
        if count(r.target) <= r.number("n", 2):
            c.reply(r.number("code", 503), '{"message":"flapping"}')
        else:
            c.reply(200, body)
    elif path == "/html":
        c.reply(r.number("code", 200), "<!doctype html><html><head><title>Sign in\n to Example</title>", kind="text/html; charset=utf-8")
    elif path == "/html-as-json":
        c.reply(200, "<html><title>Oops</title></html>")
    elif path == "/truncated":
        c.reply(200, body[: len(body) // 2])
    elif path == "/garbage":
        c.reply(200, b"\xff\xfe\x00garbage")
    elif path == "/blank":
        c.reply(200, "")
    elif path == "/empty":
        c.reply(200, "[]" if count(r.target) > r.number("after", 0) else body)
    elif path == "/object":
        c.reply(200, '{"data":{"items":[{"id":1}]},"error":"quota exceeded"}')
    elif path == "/null":
        c.reply(200, "null")
    elif path == "/no-type":
        c.reply(200, body, kind=None)
    elif path == "/redirect":
        c.reply(r.number("code", 302), "", [("Location", r.query["to"])])
    elif path == "/loop":
        c.reply(302, "", [("Location", "/loop")])
    elif path.startswith("/shift"):
        shift(c, r)
    elif path.startswith("/pages/"):
        page_of(c, r, path)
    elif path == "/ids":
        c.reply(200, json.dumps(list(range(1, r.number("n", 20) + 1))))
    elif path.startswith("/each/"):
        identity = path[len("/each/"):]
        if identity == r.query.get("fail"):
            return c.reply(500, '{"message":"no"}')
        if identity == r.query.get("gone"):
            return c.reply(404, "null")
        time.sleep(r.number("ms", 0) / 1000)
        mark = "\ufeff" if "mark" in r.query else ""
        conditional(c, r, mark + json.dumps({"id": int(identity), "title": "item"}), "i" + identity)
    elif path == "/echo":
        c.reply(200, json.dumps([{"id": 1, "method": r.method, "target": r.target, "headers": r.headers, "body": r.body}]))
    elif path.startswith("/echo/"):
        c.reply(200, json.dumps([{"id": 1, "target": r.target}]))
    elif path == "/mine":
        who = r.headers.get("authorization", "nobody")
        c.reply(200, json.dumps([{"id": who}]), [("ETag", '"same"'), ("Set-Cookie", "session=%s" % who)])
    elif path == "/private":
        known = r.headers.get("authorization") == "Bearer good"
        c.reply(200 if known else 401, body if known else '{"message":"who are you?"}')
    elif path == "/edit":
        c.reply(r.number("code", 200), r.query.get("body", '{"id":7}'), kind=r.query.get("kind", "application/json"))
    elif path == "/edit-dies":
        c.reset()
    else:
        c.reply(404, '{"message":"no such path"}')


def control(c, r):
    with LOCK:
        if r.path == "/set":
            STATE["set"][c.sock.getsockname()[0]] = r.query["to"]
            text = "{}"
        elif r.path == "/log":
            text = json.dumps({k: STATE[k] for k in ("log", "connections", "peak", "counts")})
        else:
            STATE.update(set={}, counts={}, log=[], connections=1, peak=0)
            text = "{}"
    c.reply(200, text)


def refuse(sock):
    # A close with something unread would be a reset, which overtakes the alert that says why.
    try:
        socket.socket.shutdown(sock, socket.SHUT_WR)
        sock.settimeout(2)
        while socket.socket.recv(sock, 65536):
            pass
    except OSError:
        pass
    sock.close()


def serve(sock):
    if TLS:
        sock = TLS.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        try:
            sock.do_handshake()
        except (OSError, ssl.SSLError):
            return refuse(sock)
    with LOCK:
        STATE["connections"] += 1
    c = Connection(sock)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        while c.keep:
            r = c.read()
            if r is None:
                break
            if r.path in ("/log", "/reset", "/set"):
                control(c, r)
                continue
            if r.path == "/as-set":
                r = Request(r.method, STATE["set"].get(sock.getsockname()[0], "/items"), r.headers, r.body)
            with LOCK:
                STATE["concurrent"] += 1
                STATE["peak"] = max(STATE["peak"], STATE["concurrent"])
                STATE["log"].append({"method": r.method, "target": r.target, "headers": r.headers, "body": r.body})
            try:
                handle(c, r)
            finally:
                with LOCK:
                    STATE["concurrent"] -= 1
    except (OSError, Reset, ValueError):
        pass
    finally:
        c.file.close()
        sock.close()


def main():
    first = socket.create_server(("127.0.0.1", 0), backlog=512)
    port = first.getsockname()[1]
    hosts = range(2, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 2)
    listeners = [first] + [socket.create_server(("127.0.0.%d" % n, port), backlog=64) for n in hosts]

    def accept(listener):
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    for listener in listeners:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
    print(port, flush=True)
    sys.stdin.read()


main()
