"""The service, as a process with a configuration of its own, and an upstream for it."""
import hashlib, json, os, pathlib, re, shutil, signal, subprocess, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .wire import Wire, ask, request

TOKENS = {"editor": "the-editors-token", "reader": "the-readers-token"}
EDITOR = f"Authorization: Bearer {TOKENS['editor']}"
READER = f"Authorization: Bearer {TOKENS['reader']}"


def token(name, allow, tables=None):
    entry = {"name": name, "sha256": hashlib.sha256(TOKENS.get(name, name).encode()).hexdigest(), "allow": allow}
    return entry | ({"tables": tables} if tables else {})


def configuration(upstream, changes=None):
    """The tables that attacks are made on."""
    url = f"http://127.0.0.1:{upstream}"
    tables = {
        "todo": {"source": {"local": {"items": [{"title": f"Do {n}"} for n in range(8)]}}, "can": {"edit": True, "move": True}},
        "notes": {"source": "list", "row": {"id": "${id}"}, "cell": "Note", "payload": {"title": "${title}", "open": False}},
        "edges": {"source": {"local": {"items": [{"title": "A"}]}}, "edges": True},
        "family": {"source": "family", "row": {"id": "${id}"}, "parameters": {"q": {"pattern": "[A-Za-z0-9]{1,20}", "default": "a"}}},
        "up": {"source": "list", "row": {"id": "${id}"}, "edits": {"patch": {"url": url + "/items/${$id}", "body": "${$edit}"}}},
    }
    whole = {
        "listen": "127.0.0.1:0", "store": "memory",
        "auth": {"tokens": [token("editor", ["read", "edit"]), token("reader", ["read"])]},
        "cells": {"Label": {"fields": {"title": "string"}},
                  "Note": {"fields": {"title": "string", "open": "boolean"}, "expands": "open", "fallback": "Label"}},
        "representations": {"$default": {"cell": "Label", "payload": {"title": "${title ?? ''}"}}},
        "sources": {"list": {"url": url + "/list", "every": "0s", "retries": 0},
                    "family": {"url": url + "/family", "query": {"q": "${$params.q}"}, "every": "0s", "retries": 0}},
        "tables": tables,
    }
    for name, value in (changes or {}).items():
        if value is None:
            whole.pop(name, None)
        elif isinstance(value, dict) and isinstance(whole.get(name), dict):
            whole[name] = whole[name] | value
        else:
            whole[name] = value
    return whole


class Upstream:
    """Answers lists, and notes what it was asked."""

    def __init__(self):
        self.seen, self.lock, self.items, self.ids = [], threading.Lock(), 20, None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with outer.lock:
                    outer.seen.append((self.command, self.path, dict(self.headers), body))
                answer = json.dumps([{"id": n, "title": f"Item {n}"} for n in outer.ids or range(outer.items)] if self.command == "GET" else {}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_PATCH = do_POST = do_PUT = do_DELETE = do

            def log_message(self, *_):
                pass
        ThreadingHTTPServer.request_queue_size = 256
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None      # whoever asked has gone
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Service:
    """`before` is put before the command; `port` None: it did not start, and `log` says why."""

    def __init__(self, binary, whole, before=(), environment=None, folder=None, seconds=60):
        self.own = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="tablecast-attack-"))
        self.binary = binary
        self.write(whole)
        self.output = open(self.folder / "log", "ab")
        start = self.output.tell()
        self.process = subprocess.Popen(
            [*before, binary, "serve", "--config", str(self.folder / "tablecast.yaml")], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})})
        self.port, end = None, time.monotonic() + seconds
        while time.monotonic() < end:
            text = (self.folder / "log").read_bytes()[start:].decode(errors="replace")
            if '"message":"Serving"' in text and (found := re.search(r'127\.0\.0\.1:([1-9][0-9]*)","connections', text)):
                self.port = int(found.group(1))
                break
            if self.process.poll() is not None:
                break
            time.sleep(0.02)

    def write(self, whole):
        (self.folder / "tablecast.yaml").write_text(json.dumps(whole))       # JSON is YAML

    def reload(self, whole):
        """A new configuration; waits until it is taken over, or refused."""
        self.write(whole)
        before = self.log().count("onfiguration")
        self.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while self.log().count("onfiguration") == before and time.monotonic() < end:
            time.sleep(0.02)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    @property
    def pid(self):
        """Of the service itself, where something stands before it."""
        pid = self.process.pid
        while children := pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            pid = int(children[0])
        return pid

    def resident(self):
        found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.pid}/status").read_text())
        return int(found.group(1)) << 10

    def processor(self):
        """Seconds of processor time so far."""
        parts = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def ready(self, seconds=20):
        """Waits until every source has answered."""
        end = time.monotonic() + seconds
        while self.ask("GET", "/readyz").status != 200 and time.monotonic() < end:
            time.sleep(0.02)

    def ask(self, method, target, fields=(), body=None, seconds=10.0):
        return ask(self.port, method, target, fields, body, seconds)

    def wire(self, seconds=10.0, buffer=None):
        return Wire(self.port, seconds, buffer)

    def cursor(self, table="todo", fields=()):
        return self.ask("GET", f"/v1/tables/{table}", fields).json()["cursor"]

    def rows(self, table="todo", fields=()):
        return [row for section in self.ask("GET", f"/v1/tables/{table}", fields).json()["sections"] for row in section["rows"]]

    def poll(self, wait, fields=(), table="todo"):
        """A poll that waits: its connection, to be read."""
        wire = self.wire(wait + 30)
        wire.send(request("GET", f"/v1/tables/{table}/changes?after={self.cursor(table, fields)}&wait={wait}", fields))
        return wire

    @property
    def lives(self):
        return self.process.poll() is None

    def end(self, seconds=15):
        """Its exit status; None where it had to be killed."""
        if self.lives:
            os.kill(self.pid, signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        self.output.close()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)
        return status
