#!/usr/bin/env python3
"""Users of two replicas edit rows of their own, all at once: nobody is shown, or finds, a row of another.

  callers.py SERVICE [--seconds N] [--seed N] [--users N]

Starts a PostgreSQL server and two services on it. Each user adds, changes, moves and deletes at random through either of them,
with views, windows and idempotency keys, and asks for rows of others by their identities; each polls meanwhile. Every answer is
looked at: a title has its owner's name in it. At the end each has the rows that the answers have said.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

CONFIGURATION = """
store: {postgres: "%s"}
auth:
  jwt: {issuer: "https://id.example.com", audience: tablecast, jwks: "%s", allow: {anonymous: {read: true, edit: true}}}
cells: {Label: {fields: {title: string}}}
sources:
  notes: {local: {default: {owner: "${$caller.headers['X-User']}"}}}
tables:
  mine:
    source: notes
    cell: Label
    payload: {title: "${title}"}
    sections: [{id: mine, where: "owner == $caller.headers['X-User']"}]
    can: {edit: true, move: true}
"""


def free_port():
  with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    return probe.getsockname()[1]


class Database:
  def __init__(self, folder):
    self.folder = folder / "database"
    binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    self.bin = binaries[-1] if binaries else sys.exit("callers.py: PostgreSQL is not installed")
    self.port = free_port()
    # Not as root, which PostgreSQL refuses to be.
    self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    self.folder.mkdir()
    if self.user:
      folder.chmod(0o755)
      shutil.chown(self.folder, "postgres", "postgres")
    self.run("initdb", "--auth=trust", "--username=tablecast", "--no-sync", "-D", str(self.folder))
    command = [*self.user, str(self.bin / "postgres"), "-D", str(self.folder), "-p", str(self.port), "-k", str(self.folder), "-F"]
    self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
    until("the database", lambda: subprocess.run([*self.user, str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], cwd=self.folder).returncode == 0)

  def run(self, name, *arguments):
    subprocess.run([*self.user, str(self.bin / name), *arguments], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

  @property
  def url(self):
    return f"postgresql://tablecast@127.0.0.1:{self.port}/postgres"


def until(what, is_so, seconds=60):
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    try:
      if is_so():
        return
    except OSError:
      pass
    time.sleep(0.05)
  sys.exit(f"callers.py: not in time: {what}")


def ask(port, method, path, user, body=None, headers=None, timeout=30):
  connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
  try:
    fields = {"X-User": user, **(headers or {})}
    if body is not None:
      fields["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body), fields)
    response = connection.getresponse()
    return response.status, json.loads(response.read() or b"null")
  finally:
    connection.close()


def titles(value):
  """All titles of rows, and of items, in an answer."""
  if isinstance(value, dict):
    for name, member in value.items():
      if name in ("payload", "object") and isinstance(member, dict) and "title" in member:
        yield member["title"]
      yield from titles(member)
  elif isinstance(value, list):
    for member in value:
      yield from titles(member)


class User(threading.Thread):
  known = {}  # of all users: identities of rows that there are or were
  faults = []

  def __init__(self, name, ports, seed, end):
    super().__init__(daemon=True)
    self.who, self.ports, self.random, self.end = name, ports, random.Random(seed), end
    self.rows, self.edits, self.polls = {}, 0, 0
    User.known[name] = []

  def fault(self, text):
    User.faults.append(f"{self.who}: {text}")

  def check(self, answer, what):
    for title in titles(answer):
      if not title.startswith(f"{self.who} "):
        self.fault(f"{what} has {title!r}")

  def run(self):
    poller = threading.Thread(target=self.poll, daemon=True)
    poller.start()
    while time.monotonic() < self.end:
      try:
        self.step()
      except OSError as error:
        self.fault(f"no answer: {error}")
    poller.join()

  def step(self):
    port, kind = self.random.choice(self.ports), self.random.random()
    if kind < 0.35 or not self.rows:
      title = f"{self.who} {self.random.random()}"
      # Keys that others use, too.
      headers = {"Idempotency-Key": f"key {self.edits}"}
      status, answer = ask(port, "POST", "/v1/tables/mine/items", self.who, {"title": title}, headers)
      self.edits += 1
      if status != 201:
        return self.fault(f"an added item is {status} {answer}")
      if self.random.random() < 0.3:
        again = ask(self.random.choice(self.ports), "POST", "/v1/tables/mine/items", self.who, {"title": title}, headers)
        if again[0] != 201 or again[1]["id"] != answer["id"]:
          self.fault(f"a repeat is {again}, and was {answer}")
      self.rows[answer["id"]] = title
      User.known[self.who].append(answer["id"])
    elif kind < 0.55:
      row, title = self.random.choice(list(self.rows)), f"{self.who} {self.random.random()}"
      status, answer = ask(port, "PATCH", f"/v1/tables/mine/items/{row}", self.who, {"title": title})
      if status != 200:
        return self.fault(f"a patch is {status} {answer}")
      self.rows[row] = title
    elif kind < 0.65:
      row = self.random.choice(list(self.rows))
      status, answer = ask(port, "POST", f"/v1/tables/mine/items/{row}/move", self.who, {"section": "mine", "at": 0})
      if status != 200:
        self.fault(f"a move is {status} {answer}")
    elif kind < 0.75:
      row = self.random.choice(list(self.rows))
      status, answer = ask(port, "DELETE", f"/v1/tables/mine/items/{row}", self.who)
      if status != 200:
        return self.fault(f"a deletion is {status} {answer}")
      del self.rows[row]
    elif kind < 0.9:
      other = self.random.choice([name for name in User.known if name != self.who])
      if not User.known[other]:
        return
      row = self.random.choice(User.known[other])
      method, path, body = self.random.choice([
        ("GET", f"items/{row}", None), ("GET", f"rows/{row}", None), ("DELETE", f"items/{row}", None),
        ("PATCH", f"items/{row}", {"title": f"{self.who} took it"}), ("PUT", f"items/{row}", {"title": f"{self.who} took it"}),
        ("POST", f"items/{row}/move", {"section": "mine", "at": 0}), ("POST", "edits", {"edits": [{"op": "delete", "id": row}]}),
        ("POST", f"rows/{row}/tap?view=v", None),
      ])
      status, answer = ask(port, method, f"/v1/tables/mine/{path}", self.who, body)
      # A deleted identity is free for whoever puts one there.
      if status == 201 and method == "PUT":
        self.rows[row] = f"{self.who} took it"
      elif status != 404 and not (row in self.rows and status == 200):
        self.fault(f"{method} {path} of {other} is {status} {answer}")
      elif status == 200 and method == "DELETE" or status == 200 and path == "edits":
        self.rows.pop(row, None)
      elif status == 200 and method in ("PATCH", "PUT"):
        self.rows[row] = f"{self.who} took it"
    else:
      query = self.random.choice(["", "?rows=2", "?view=v", "?rows=3&view=v"])
      status, answer = ask(port, "GET", f"/v1/tables/mine{query}", self.who)
      self.check(answer, f"a snapshot{query}")
      if not query and {row["id"] for section in answer["sections"] for row in section["rows"]} != set(self.rows):
        self.fault(f"a snapshot has {answer['sections']}, and not {self.rows}")
      count = answer["window"]["of"] if "window" in answer else answer["counts"]["rows"]
      if count != len(self.rows):
        self.fault(f"a snapshot counts {count}, and not {len(self.rows)}: {json.dumps(answer)[-200:]}")

  def poll(self):
    cursor, chooser = None, random.Random(self.who)
    while time.monotonic() < self.end:
      port = chooser.choice(self.ports)
      try:
        if cursor is None:
          status, answer = ask(port, "GET", "/v1/tables/mine", self.who)
          cursor = answer["cursor"]
        else:
          status, answer = ask(port, "GET", f"/v1/tables/mine/changes?after={cursor}&wait=1", self.who)
          self.polls += 1
          cursor = answer["snapshot"]["cursor"] if "snapshot" in answer else answer.get("to", cursor)
      except OSError as error:
        self.fault(f"no answer to a poll: {error}")
        continue
      self.check(answer, "a poll")


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("service")
  parser.add_argument("--seconds", type=float, default=6)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--users", type=int, default=6)
  arguments = parser.parse_args()
  print(f"seed {arguments.seed}")
  processes = []
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    try:
      database = Database(folder)
      processes.append(database.process)
      keys = folder / "keys.json"
      keys.write_text('{"keys":[{"kty":"EC","kid":"e","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}')
      (folder / "tablecast.yaml").write_text(CONFIGURATION % (database.url, keys))
      ports = [free_port(), free_port()]
      for port in ports:
        log = open(folder / f"{port}.log", "wb")
        processes.append(subprocess.Popen([arguments.service, "serve", "--config", str(folder / "tablecast.yaml"), "--listen", f"127.0.0.1:{port}"], stderr=log))
        until("the service", lambda: ask(port, "GET", "/readyz", "-")[0] == 200)
      end = time.monotonic() + arguments.seconds
      users = [User(f"user{number}", ports, f"{arguments.seed} {number}", end) for number in range(arguments.users)]
      for user in users:
        user.start()
      for user in users:
        user.join()
      for user in users:
        for port in ports:
          shown = {}

          def agrees():
            shown["now"] = {row["id"]: row["payload"]["title"] for section in ask(port, "GET", "/v1/tables/mine", user.who)[1]["sections"] for row in section["rows"]}
            return shown["now"] == user.rows

          try:
            until("the last edits", agrees, 10)
          except SystemExit:
            user.fault(f"at the end there is {shown['now']}, and not {user.rows}")
      print(f"{sum(len(ids) for ids in User.known.values())} items added, {sum(user.polls for user in users)} polls")
      if User.faults:
        for fault in User.faults[:20]:
          print(fault[:600])
        for port in ports:
          sys.stdout.write("".join((folder / f"{port}.log").read_text().splitlines(True)[-3:]))
        sys.exit(f"callers.py: {len(User.faults)} faults")
    finally:
      for process in reversed(processes):
        process.terminate()
        try:
          process.wait(10)
        except subprocess.TimeoutExpired:
          process.kill()


if __name__ == "__main__":
  main()
