#!/usr/bin/env python3
"""Fifty users at once on three replicas: nobody is shown a row, a count or a version of another, and nobody is reset.

  users.py SERVICE [--seconds N] [--seed N] [--users N] [--replicas N] [--kill]

Starts a PostgreSQL server, an upstream whose one list changes all the time, and three services. Each user reads its own rows of
that list and edits notes of its own, through any replica, with views, windows, searches, polls of several tables, streams, entity
tags and idempotency keys that all use alike; with its own tokens, which end while it waits, and with cursors and tags of others.
In the middle the keys are exchanged: whoever waits with a token of the old one is told so. How many rows a user has is its own,
and never changes: a count of another is noticed. With --kill the replica that asks the upstream is killed after a quarter.
"""
import argparse
import base64
import contextlib
import hashlib
import http.client
import http.server
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from callers import Database, free_port, titles, until

CONFIGURATION = """
store: {postgres: "%(database)s"}
auth:
  jwt:
    issuer: https://id.example.com
    audience: tablecast
    jwks: "%(keys)s"
    leeway: 0s
    allow: {edit: true, anonymous: {read: false}}
cells: {Cell: {fields: {title: string, isOpen: boolean}, expands: isOpen}}
sources:
  list: {url: "%(upstream)s", every: 300ms}
  notes: {local: {default: {owner: "${$caller.claims.sub}"}}}
tables:
  shown:
    source: list
    row: {id: "${id}"}
    cell: Cell
    payload: {title: "${owner} ${n}", isOpen: false}
    sections: [{id: mine, where: owner == $caller.claims.sub}]
    find: {search: [owner], filters: {kind: {title: Kind, by: kind}}}
  mine:
    source: notes
    cell: Cell
    payload: {title: "${title}", isOpen: false}
    sections: [{id: mine, where: owner == $caller.claims.sub}]
    can: {edit: true, move: true}
"""


# Seconds. The service is on time; this program and the machine may be busy.
LATE = 2.5


def rows_of(number):
  return 3 + number % 7


# Ed25519 (RFC 8032 section 6), so that nothing has to be installed.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
  a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
  c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
  e, f, g, h = b - a, d - c, d + c, b + a
  return e * f % P, g * h % P, f * g % P, e * h % P


GY = 4 * pow(5, P - 2, P) % P
GX2 = (GY * GY - 1) * pow(D * GY * GY + 1, P - 2, P) % P
GX = pow(GX2, (P + 3) // 8, P)
GX = GX if GX * GX % P == GX2 else GX * pow(2, (P - 1) // 4, P) % P
GX = P - GX if GX & 1 else GX
POWERS = [(GX, GY, 1, GX * GY % P)]
for _ in range(255):
  POWERS.append(add(POWERS[-1], POWERS[-1]))


def times(number):
  point = (0, 1, 1, 0)
  for bit in range(number.bit_length()):
    if number >> bit & 1:
      point = add(point, POWERS[bit])
  inverse = pow(point[2], P - 2, P)
  x, y = point[0] * inverse % P, point[1] * inverse % P
  return (y | (x & 1) << 255).to_bytes(32, "little")


def text(data):
  return base64.urlsafe_b64encode(data).rstrip(b"=")


class Key:
  def __init__(self, name):
    self.name = name
    digest = hashlib.sha512(name.encode()).digest()
    self.a = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    self.prefix, self.public = digest[32:], times(self.a)

  @property
  def jwk(self):
    return {"kty": "OKP", "crv": "Ed25519", "kid": self.name, "x": text(self.public).decode()}

  def token(self, claims):
    head = {"alg": "EdDSA", "kid": self.name}
    signed = b".".join(text(json.dumps(part).encode()) for part in (head, claims))
    hashed = lambda data: int.from_bytes(hashlib.sha512(data).digest(), "little") % L
    r = hashed(self.prefix + signed)
    point = times(r)
    s = (r + hashed(point + self.public + signed) * self.a) % L
    return (signed + b"." + text(point + s.to_bytes(32, "little"))).decode()


class Upstream:
  """One list of all users' rows, whose numbers and order change with each request."""

  def __init__(self, users, seed):
    chooser, self.requests, self.credentials = random.Random(seed), 0, []
    items = [{"id": f"{user}-{row}", "owner": f"user{user}", "n": 0, "kind": f"kind of user{user}"} for user in range(users) for row in range(rows_of(user))]
    outer = self

    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        outer.requests += 1
        if "Authorization" in self.headers:
          outer.credentials.append(self.path)
        for item in chooser.sample(items, len(items) // 10):
          item["n"] += 1
        chooser.shuffle(items)
        body = json.dumps(items).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
          self.wfile.write(body)

      def log_message(self, *_):
        pass

    self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=self.server.serve_forever, daemon=True).start()

  @property
  def url(self):
    return f"http://127.0.0.1:{self.server.server_address[1]}/list"


class Trial:
  def __init__(self, users, ports, seconds):
    self.count, self.ports, self.faults, self.counts = users, ports, [], {}
    self.keys, self.lock = [Key("first")], threading.Lock()
    self.end, self.killed = time.monotonic() + seconds, False
    # What others are tempted with: cursors, tags, identities.
    self.cursors, self.tags, self.rows = {}, {}, {}

  def note(self, what):
    with self.lock:
      self.counts[what] = self.counts.get(what, 0) + 1


class User(threading.Thread):
  def __init__(self, trial, number, seed):
    super().__init__(daemon=True)
    self.trial, self.number, self.name = trial, number, f"user{number}"
    self.random, self.cursor, self.edits, self.notes = random.Random(f"{seed} {number}"), None, 0, {}
    self.refresh()

  def refresh(self, lasts=600.0):
    self.ends = int(time.time() + lasts) + 1
    self.key = self.trial.keys[-1]
    self.token = self.key.token({"iss": "https://id.example.com", "aud": "tablecast", "sub": self.name, "exp": self.ends, "jti": str(self.random.random())})

  def fault(self, words):
    self.trial.faults.append(f"{self.name}: {words}"[:700])

  def ask(self, method, path, body=None, headers=None, timeout=30):
    connection = http.client.HTTPConnection("127.0.0.1", self.random.choice(self.trial.ports), timeout=timeout)
    began = time.time()
    try:
      fields = {"Authorization": f"Bearer {self.token}", **(headers or {})}
      if body is not None:
        fields["Content-Type"] = "application/json"
      connection.request(method, path, None if body is None else json.dumps(body), fields)
      response = connection.getresponse()
      answer = response.read()
      self.fields = {name.lower(): value for name, value in response.getheaders()}
      answer = json.loads(answer) if answer and "event-stream" not in self.fields.get("content-type", "") else answer
    finally:
      connection.close()
    if response.status == 200 and method == "GET" and "private" not in self.fields.get("cache-control", "") and "no-store" not in self.fields.get("cache-control", ""):
      self.fault(f"{path} may be kept by caches: {self.fields}")
    if response.status == 401:
      self.refused(path, answer, began)
    return response.status, answer

  def refused(self, path, answer, began):
    """Only because the token is over, or its key is gone: and then at once."""
    late = time.time() - self.ends
    if self.key is self.trial.keys[-1] and late < 0:
      self.fault(f"{path} is {answer} {-late} s before its token ends")
    elif self.key is self.trial.keys[-1] and began < self.ends and late > LATE:
      self.fault(f"{path} is refused {late} s after its token has ended")
    if "invalid_token" not in self.fields.get("www-authenticate", ""):
      self.fault(f"{path} is 401 without a challenge: {self.fields}")
    self.trial.note("tokens refused in mid-poll" if "changes" in path else "tokens refused")
    self.refresh()

  def check(self, answer, what):
    if isinstance(answer, dict) and answer.get("table", "shown") != "shown":
      self.fault(f"{what} is of {answer['table']!r}")
    if "$caller" in json.dumps(answer):
      self.fault(f"{what} tells what replicas call a table")
    for title in titles(answer):
      if not title.startswith(f"{self.name} "):
        self.fault(f"{what} has {title!r}")
    if self.name.replace("user", "kind of user") not in (found := json.dumps(answer)) and "kind of user" in found:
      self.fault(f"{what} has another's filter: {found[-300:]}")

  def check_counts(self, snapshot, what):
    count = snapshot["window"]["of"] if "window" in snapshot else snapshot["counts"]["rows"]
    if snapshot["state"] == "ready" and count != rows_of(self.number):
      self.fault(f"{what} counts {count}, and not {rows_of(self.number)}")

  def run(self):
    while time.monotonic() < self.trial.end:
      try:
        self.random.choices([self.poll, self.read, self.edit, self.tempt, self.stream], [6, 3, 3, 3, 1])[0]()
      except (OSError, http.client.HTTPException) as error:
        if not self.trial.killed:
          self.fault(f"no answer: {error}")

  def poll(self):
    if self.random.random() < 0.15:
      self.refresh(0.5)
    after = self.cursor or ""
    kind = self.random.random()
    if kind < 0.75 or not after:
      status, answer = self.ask("GET", f"/v1/tables/shown/changes?after={after}&wait=2" if after else "/v1/tables/shown/changes")
    else:
      status, answer = self.ask("GET", f"/v1/changes?after=shown:{after}&after=mine:&wait=2")
      answer = next((change for change in answer.get("changes", []) if change["table"] == "shown"), None) if status == 200 else answer
    self.trial.note("polls")
    if status in (401, 503) or answer is None:
      return
    if status != 200 or "problem" in answer:
      return self.fault(f"a poll is {status} {answer}")
    self.check(answer, "a poll")
    if after and answer.get("reset") not in (None, "large", "expired"):
      self.fault(f"a poll from {after} is reset: {answer['reset']}")
    if "snapshot" in answer:
      self.check_counts(answer["snapshot"], "a poll's snapshot")
      if answer["snapshot"]["state"] != "ready":
        return
    self.cursor = answer["to"]
    self.trial.cursors[self.name] = self.cursor

  def read(self):
    query = self.random.choice(["", "?rows=2", "?view=v", "?find=1", f"?q={self.name}", "?filter=kind:kind%20of%20" + self.name, "?rows=1-2&view=v"])
    status, answer = self.ask("GET", f"/v1/tables/shown{query}")
    if status == 200:
      self.check(answer, f"a snapshot{query}")
      self.check_counts(answer, f"a snapshot{query}")
      self.trial.tags[self.name] = self.fields["etag"]
      for section in answer["sections"]:
        for row in section["rows"]:
          self.trial.rows.setdefault(self.name, set()).add(row["id"])
          if self.random.random() < 0.1:
            status, answer = self.ask("POST", f"/v1/tables/shown/rows/{row['id']}/tap?view=v")
            if status not in (200, 401, 503):
              self.fault(f"a tap is {status} {answer}")
    elif status not in (401, 503):
      self.fault(f"a snapshot{query} is {status} {answer}")

  def edit(self):
    title, headers = f"{self.name} {self.random.random()}", {"Idempotency-Key": f"key {self.edits}"}
    status, answer = None, None
    while status is None:
      try:
        status, answer = self.ask("POST", "/v1/tables/mine/items", {"title": title}, headers)
      except (OSError, http.client.HTTPException):
        # Whether it was done before the replica was killed is found out under the same key.
        if not self.trial.killed:
          raise
    if status != 201:
      if status != 401:
        self.fault(f"an added item is {status} {answer}")
      return
    self.edits += 1
    self.notes[answer["id"]] = title
    self.trial.rows.setdefault(self.name, set()).add(answer["id"])
    if self.random.random() < 0.3:
      self.refresh()
      status, again = self.ask("POST", "/v1/tables/mine/items", {"title": title}, headers)
      if status != 401 and (status != 201 or again["id"] != answer["id"]):
        self.fault(f"a repeat with the next token is {status} {again}, and was {answer}")

  def tempt(self):
    """Cursors, tags, searches and rows of another, with one's own token."""
    other = f"user{self.random.choice([number for number in range(self.trial.count) if number != self.number])}"
    kind = self.random.randrange(5)
    if kind == 0 and other in self.trial.cursors:
      status, answer = self.ask("GET", f"/v1/tables/shown/changes?after={self.trial.cursors[other]}&wait=0")
      if status == 200:
        self.check(answer, "a poll from another's cursor")
        # Where the store doesn't say in time whether it knows the cursor, the answer is that nothing is known.
        if answer.get("stages"):
          self.fault(f"another's cursor is gone on from: {answer}")
    elif kind == 1 and other in self.trial.tags:
      status, answer = self.ask("GET", "/v1/tables/shown", headers={"If-None-Match": self.trial.tags[other]})
      if status == 304:
        self.fault("another's tag holds")
      elif status == 200:
        self.check(answer, "a snapshot under another's tag")
    elif kind == 2 and self.trial.rows.get(other):
      row = self.random.choice(sorted(self.trial.rows[other]))
      method, path = self.random.choice([("GET", f"rows/{row}"), ("GET", f"items/{row}"), ("DELETE", f"items/{row}"), ("POST", f"rows/{row}/tap?view=v")])
      status, answer = self.ask(method, f"/v1/tables/{'shown' if row[0].isdigit() and '-' in row[:4] and len(row) < 8 else 'mine'}/{path}")
      if status not in (401, 404, 503) and not (method == "DELETE" and status == 403):
        self.fault(f"{method} {path} of {other} is {status} {answer}")
    elif kind == 3:
      status, answer = self.ask("GET", f"/v1/tables/shown?q={other}&find=1")
      if status == 200 and answer["counts"]["rows"] and other not in self.name:
        self.fault(f"a search for {other} finds {answer}")
    else:
      status, answer = self.ask("GET", "/v1/tables/shown/skipped")
      if status == 200 and (answer["skippedItems"] or answer["items"] or answer["unplaced"] or answer["unplacedItems"]):
        self.fault(f"what is skipped tells {answer}")
    self.trial.note("temptations")

  def stream(self):
    self.refresh(0.2)
    ends = self.ends
    status, answer = self.ask("GET", "/v1/tables/shown/stream")
    if status == 200:
      late = time.time() - ends
      if self.key is self.trial.keys[-1] and not -0.1 < late < LATE + 1:
        self.fault(f"a stream has ended {late} s after its token")
      for line in answer.decode().splitlines():
        if line.startswith("data: "):
          self.check(json.loads(line[6:]), "a stream")
      self.trial.note("streams")
    self.refresh()


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("service")
  parser.add_argument("--seconds", type=float, default=10)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--users", type=int, default=50)
  parser.add_argument("--replicas", type=int, default=3)
  parser.add_argument("--kill", action="store_true")
  arguments = parser.parse_args()
  print(f"seed {arguments.seed}")
  processes = []
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    try:
      database, upstream = Database(folder), Upstream(arguments.users, arguments.seed)
      processes.append(database.process)
      ports = [free_port() for _ in range(arguments.replicas)]
      trial = Trial(arguments.users, ports, arguments.seconds)
      keys = folder / "keys.json"
      keys.write_text(json.dumps({"keys": [trial.keys[0].jwk]}))
      (folder / "tablecast.yaml").write_text(CONFIGURATION % {"database": database.url, "keys": keys, "upstream": upstream.url})
      services = []
      for port in ports:
        log = open(folder / f"{port}.log", "wb")
        services.append(subprocess.Popen([arguments.service, "serve", "--config", str(folder / "tablecast.yaml"), "--listen", f"127.0.0.1:{port}"], stderr=log))
        processes.append(services[-1])
      for port in ports:
        until("the service", lambda: status_of(port) == 200)
      users = [User(trial, number, arguments.seed) for number in range(arguments.users)]
      asked, began = upstream.requests, time.monotonic()
      trial.end = began + arguments.seconds
      for user in users:
        user.start()
      time.sleep(arguments.seconds / 4)
      if arguments.kill:
        leader = next(index for index, port in enumerate(ports) if leads(port, users[0].token))
        trial.killed = True
        services.pop(leader).kill()
        (folder / f"{ports.pop(leader)}.log").rename(folder / "killed")
      time.sleep(arguments.seconds / 4)
      # Both are known first, so that nobody's new token is of an unknown key.
      new = Key("second")
      exchange(services, keys, folder, [trial.keys[0], new])
      trial.keys.append(new)
      exchange(services, keys, folder, [new])
      for user in users:
        user.join(60)
        if user.is_alive():
          user.fault("goes on without an end")
      fetches = (upstream.requests - asked) / ((time.monotonic() - began) / 0.3)
      for user in users:
        status, answer = user.ask("GET", "/v1/tables/mine")
        if status == 401:
          status, answer = user.ask("GET", "/v1/tables/mine")
        shown = {row["id"]: row["payload"]["title"] for section in answer["sections"] for row in section["rows"]}
        if shown != user.notes:
          user.fault(f"has the notes {shown}, and not {user.notes}")
      if upstream.credentials:
        trial.faults.append("the upstream was shown credentials")
      if fetches > 1.5:
        trial.faults.append(f"the upstream was asked {fetches:.1f} times a period")
      print(", ".join(f"{count} {what}" for what, count in sorted(trial.counts.items())), f"{sum(user.edits for user in users)} edits, {fetches:.2f} requests to the upstream a period", sep=", ")
      for port in ports:
        lines = (folder / f"{port}.log").read_text()
        if "eyJ" in lines:
          trial.faults.append("a token is logged")
      if trial.faults:
        for fault in trial.faults[:20]:
          print(fault)
        for port in ports:
          sys.stdout.write("".join((folder / f"{port}.log").read_text().splitlines(True)[-4:]))
        sys.exit(f"users.py: {len(trial.faults)} faults")
    finally:
      for process in reversed(processes):
        process.terminate()
        try:
          process.wait(10)
        except subprocess.TimeoutExpired:
          process.kill()


def leads(port, token):
  connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
  connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
  return b"\ntablecast_replica_leading 1" in connection.getresponse().read()


def status_of(port):
  connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
  connection.request("GET", "/readyz")
  return connection.getresponse().status


def exchange(services, path, folder, keys):
  """Has all services read another set of keys."""
  logs = sorted(folder.glob("*.log"))
  before = [log.read_text().count("An issuer") for log in logs]
  path.write_text(json.dumps({"keys": [key.jwk for key in keys]}))
  for service in services:
    service.send_signal(signal.SIGHUP)
  until("other keys", lambda: all(log.read_text().count("An issuer") > count for log, count in zip(logs, before)), 20)


if __name__ == "__main__":
  main()
