#!/usr/bin/env python3
"""Two services behind nginx, by the configuration of deploy/nginx.conf, are restarted one after the other, again and again,
as a rolling update does: no reader is told that nobody is there. Before that, each method is sent to two servers that close the
connection without an answer: an edit comes to one of them.

nginx takes a server out for ten seconds after one failure unless `max_fails=0` is said; the second one is then restarted
while the first, long up again, is still out: "no live upstreams", 502.

    restarts.py --service PATH/tablecast [--rounds 3] [--max-fails N]

`--max-fails 1` tries nginx's own default, to see that it fails.
"""

import argparse
import collections
import http.client
import http.server
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = """
listen: 127.0.0.1:{port}
store: memory
tables: {{todo: {{source: {{local: {{items: [{{title: A}}]}}}}}}}}
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def status(port, path="/v1/tables/todo", method="GET", headers={}):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, None if method in ("GET", "DELETE") else b"{}", headers)
        response = connection.getresponse()
        response.read()
        return response.status
    except OSError:
        return None
    finally:
        connection.close()


class Service:
    def __init__(self, binary, folder, port):
        self.binary, self.port, self.process = binary, port, None
        self.file = pathlib.Path(folder) / f"{port}.yaml"
        self.file.write_text(CONFIGURATION.format(port=port))
        self.start()

    def start(self):
        command = [self.binary, "serve", "--config", str(self.file), "--log-level", "critical"]
        self.process = subprocess.Popen(command)
        while status(self.port) != 200:
            time.sleep(0.01)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(10) == 0


def nginx(folder, port, services, max_fails):
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    found = re.search(r"^( *server )tablecast:8080([^;\n]*);$", text, re.M)
    assert found, "deploy/nginx.conf names the replicas by `server tablecast:8080 …;`"
    options = found[2] if max_fails is None else f" max_fails={max_fails}"
    # A name with several addresses is as many servers with the same options.
    servers = "\n".join(f"{found[1]}127.0.0.1:{service.port}{options};" for service in services)
    text = text.replace(found[0], servers).replace("listen 80;", f"listen 127.0.0.1:{port};")
    file = pathlib.Path(folder) / "nginx.conf"
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    )
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1; events {{}}\n"
        f"http {{ access_log off; {temporary}\n{text} }}\n"
    )
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(file), "-e", f"{folder}/error.log"])
    while status(port) != 200:
        assert process.poll() is None, "nginx does not start"
        time.sleep(0.05)
    return process


class Silent(http.server.BaseHTTPRequestHandler):
    """Answers reads of the table; closes the connection of any other request without an answer, and counts it."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        if self.path == "/v1/tables/todo":
            self.send_response(200)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen[self.command + (" with a key" if "Idempotency-Key" in self.headers else "")] += 1
        self.close_connection = True

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def log_message(self, *arguments):
        pass


def check_methods(folder):
    """Exits where an edit without a key is sent twice, or a read is not."""
    seen = collections.Counter()
    silent = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent) for _ in range(2)]
    for server in silent:
        server.daemon_threads, server.seen, server.port = True, seen, server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    edge = nginx(folder, port, silent, None)
    wanted = {"GET": 2, "POST": 1, "PATCH": 1, "PUT": 1, "DELETE": 1, "PUT with a key": 2, "DELETE with a key": 2}
    try:
        for name in wanted:
            method, *key = name.split(maxsplit=1)
            answer = status(port, "/v1/tables/todo/items/1", method, {"Idempotency-Key": "one"} if key else {})
            assert answer == 502, f"{name} is answered by {answer}"
    finally:
        edge.terminate()
        edge.wait()
        for server in silent:
            server.shutdown()
            server.server_close()
    assert dict(seen) == wanted, f"so often was each method sent: {dict(seen)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--service", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-fails", type=int)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tablecast-restarts-")
    check_methods(folder)
    services = [Service(os.path.abspath(arguments.service), folder, free_port()) for _ in range(2)]
    port = free_port()
    edge = nginx(folder, port, services, arguments.max_fails)
    seen, is_over = collections.Counter(), threading.Event()

    def read():
        while not is_over.is_set():
            seen[status(port)] += 1

    readers = [threading.Thread(target=read) for _ in range(4)]
    try:
        for reader in readers:
            reader.start()
        for _ in range(arguments.rounds):
            for service in services:
                service.end()
                time.sleep(0.3)
                service.start()
                time.sleep(0.3)
    finally:
        is_over.set()
        for reader in readers:
            reader.join()
        edge.terminate()
        edge.wait()
        for service in services:
            service.process.terminate()
            service.process.wait()
    log = (pathlib.Path(folder) / "error.log").read_text()
    shutil.rmtree(folder)
    print(f"{sum(seen.values())} requests: {dict(seen)}; “no live upstreams” {log.count('no live upstreams')} times")
    sys.exit(0 if set(seen) == {200} else 1)


main()
