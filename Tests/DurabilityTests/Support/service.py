"""The service as a process, and a client that talks to it over one connection."""

import http.client
import json
import os
import re
import signal
import subprocess
import time

CONFIGURATION = """\
listen: 127.0.0.1:0
history: {history}
store:
  path: {store}
cells:
  Task:
    fields: {{title: string, n: integer}}
tables:
  tasks:
    source:
      local:
        items: {items}
        default: {{title: New, n: 0, section: today}}
    cell: Task
    payload: {{title: "${{title}}", n: "${{n}}"}}
    sections:
      groupBy: section
      order: [today, later]
    can: {{edit: true, move: true}}
"""
TABLE = "/v1/tables/tasks"


class Failure(Exception):
    """What a proof found."""


def require(condition, message):
    if not condition:
        raise Failure(message)


class Service:
    """One configuration and its database; the process may be killed and started again."""

    def __init__(self, executable, folder, store="store.sqlite", history=5000, items=()):
        self.executable, self.folder = executable, folder
        self.store = os.path.join(folder, store)
        self.configuration = os.path.join(folder, "tablecast.yaml")
        self.log = os.path.join(folder, "log")
        with open(self.configuration, "w") as file:
            file.write(CONFIGURATION.format(history=history, store=self.store, items=json.dumps(list(items))))
        self.process, self.port = None, None

    def spawn(self):
        """Starts the process without waiting until it serves."""
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.executable, "serve", "--config", self.configuration], stdout=log, stderr=subprocess.STDOUT)

    def start(self, patience=60):
        self.spawn()
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", self.output())
            if found:
                self.port = int(found.group(1))
                return self
            require(self.process.poll() is None, f"The service ended instead of serving:\n{self.output()}")
            time.sleep(0.005)
        raise Failure(f"The service does not serve after {patience} s:\n{self.output()}")

    def refuse(self, patience=60):
        """Starts a process that has to end by itself; its exit status and what it printed."""
        done = subprocess.run(
            [self.executable, "serve", "--config", self.configuration], capture_output=True, timeout=patience)
        return done.returncode, (done.stdout + done.stderr).decode()

    def output(self):
        with open(self.log) as log:
            return log.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        require(self.process.wait(timeout=30) == 0, f"A stop ended with an error:\n{self.output()}")

    def client(self, timeout=60):
        return Client(self.port, timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.kill()


class Client:
    """One connection. A request that gets no whole answer raises `Lost`."""

    def __init__(self, port, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def request(self, method, path, body=None, headers=()):
        fields = dict(headers)
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            self.connection.request(method, TABLE + path, body, fields)
            response = self.connection.getresponse()
            text = response.read()
        except (http.client.HTTPException, OSError) as error:
            raise Lost() from error
        return response.status, json.loads(text) if text else None

    def snapshot(self):
        status, snapshot = self.request("GET", "")
        require(status == 200, f"The snapshot is answered with {status}: {snapshot}")
        return snapshot

    def changes(self, after, wait=0):
        status, reply = self.request("GET", f"/changes?after={after}&wait={wait}")
        require(status == 200, f"A poll after {after} is answered with {status}: {reply}")
        return reply

    def close(self):
        self.connection.close()


class Lost(Exception):
    """The connection ended before the answer: whether the request was carried out is not known."""


def version(cursor):
    return int(cursor.split(".")[1])
