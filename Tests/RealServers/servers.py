"""The servers that the trial starts, stops and starts again. Each on a port that the system chose, with data of its own."""

import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import strict_client

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path(sys.executable).parent


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A process that answers HTTP."""

    # What docs/connecting.md calls it, where its configuration there says it is, and what tells that it is up.
    heading, address, probe = "", "", "/"

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.prepare()
        self.start()
        self.fill()

    def prepare(self):
        pass

    def fill(self):
        pass

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def start(self):
        with open(self.folder / "server.log", "a") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.folder, start_new_session=True,
                                            env={**os.environ, **self.environment()})
        deadline = time.time() + 60
        while not self.answers():
            if time.time() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{self.heading} does not start: {(self.folder / 'server.log').read_text()[-2000:]}")
            time.sleep(0.1)

    def answers(self):
        try:
            reply = self.ask("GET", self.probe)
        except json.JSONDecodeError:
            return True
        return reply is not None and reply[0] < 500

    def kill(self):
        """With what it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def ask(self, method, path, body=None, headers=None):
        return strict_client.ask(self.port, method, path, body, headers)


class Datasette(Server):
    heading, address, probe = "Datasette", "127.0.0.1:8001", "/shop.json"

    def prepare(self):
        database = sqlite3.connect(self.folder / "shop.db")
        database.executescript("""
            CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, maker INTEGER, state TEXT);
            CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO makers VALUES (1, 'Acme'), (2, 'Bolt');
        """)
        database.executemany("INSERT INTO products VALUES (?, ?, ?, ?, ?)", [
            (id, f"Product {id}", id * 1.5, id % 3, "open" if id % 2 else "sold") for id in range(1, 151)])
        database.commit()
        database.close()
        (self.folder / "datasette.yaml").write_text(
            "permissions: {insert-row: true, update-row: true, delete-row: true}\n")

    def command(self):
        return [PROGRAMS / "datasette", "serve", "shop.db", "-c", "datasette.yaml", "-p", str(self.port)]


class Strawberry(Server):
    heading, address, probe = "Strawberry", "127.0.0.1:8000", "/graphql?query=%7Bteams%7Bid%7D%7D"

    def prepare(self):
        members = [{"id": str(id), "name": f"Member {id}", "team_id": id % 3 or None, "points": id + 0.5}
                   for id in range(1, 51)]
        (self.folder / "members.json").write_text(json.dumps(members))

    def environment(self):
        return {"GRAPHQL_DATA": str(self.folder / "members.json"), "PYTHONPATH": str(HERE)}

    def command(self):
        return [PROGRAMS / "uvicorn", "graphql_schema:app", "--port", str(self.port)]


class Kinto(Server):
    heading, address, probe = "Kinto", "127.0.0.1:8888", "/v1/"
    CREDENTIALS = {"Authorization": "Basic dXNlcjpwYXNz"}

    def prepare(self):
        (self.folder / "kinto.ini").write_text(f"""
[server:main]
use = egg:waitress
host = 127.0.0.1
port = {self.port}
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = secret
kinto.storage_backend = kinto.core.storage.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.bucket_create_principals = system.Authenticated
multiauth.policies = basicauth
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = generic
[logger_root]
level = WARN
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = generic
[formatter_generic]
format = %(message)s
""")

    def command(self):
        return [PROGRAMS / "kinto", "start", "--ini", "kinto.ini", "--port", str(self.port)]

    def fill(self):
        """What it keeps is gone with its process."""
        self.put("/v1/buckets/shop")
        for name in ("books", "people"):
            self.put(f"/v1/buckets/shop/collections/{name}")
        for number in (1, 2):
            self.put(f"/v1/buckets/shop/collections/people/records/p{number}", {"name": f"Author {number}"})
        for number in range(1, 46):
            self.put(f"/v1/buckets/shop/collections/books/records/b{number}",
                     {"title": f"Book {number:02}", "author": f"p{number % 3}", "pages": number * 100, "done": False})

    def put(self, path, data=None):
        reply = self.ask("PUT", path, {"data": data or {}}, self.CREDENTIALS)
        assert reply and reply[0] in (200, 201), reply


class Prometheus(Server):
    heading, address, probe = "Prometheus", "127.0.0.1:9090", "/api/v1/query?query=up"
    gone = False

    def prepare(self):
        self.closed = free_port()
        self.write()

    def write(self):
        """It watches itself and, until that is gone, something that isn't there."""
        others = "" if self.gone else f", '127.0.0.1:{self.closed}'"
        (self.folder / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 500ms, scrape_timeout: 400ms}}
scrape_configs:
  - job_name: servers
    static_configs: [{{targets: ['127.0.0.1:{self.port}'{others}]}}]
""")

    def command(self):
        return ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.enable-admin-api",
                f"--web.listen-address=127.0.0.1:{self.port}"]

    def forget(self):
        self.gone = True
        self.write()
        self.process.send_signal(1)


class HTTPBin(Server):
    heading, address, probe = "httpbin", "127.0.0.1:8080", "/json"

    def command(self):
        return [PROGRAMS / "waitress-serve", "--listen", f"127.0.0.1:{self.port}", "httpbin:app"]
