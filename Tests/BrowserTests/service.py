"""The built service, with an upstream that the tests hold in their hands."""

import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

from browser import ROOT

CONFIG = """
listen: 127.0.0.1:{port}
store: memory
sources:
  stories: {{url: "{upstream}/stories", every: 1s}}
  long: {{url: "{upstream}/long", every: 0s}}
  evil: {{url: "{upstream}/evil", every: 0s, maxBytes: 32MB}}
  down: {{url: "{upstream}/down", every: 5s}}
  odd: {{url: "{upstream}/odd", every: 0s}}
cells:
  SectionTitle: {{fields: {{title: string}}}}
  TableViewCellWithLabel: {{nib: TableViewCellWithLabel, fields: {{title: string}}}}
  TableViewCellWithImageAndLabel:
    nib: TableViewCellWithImageAndLabel
    fields: {{title: string, imageName: optional string}}
    fallback: TableViewCellWithLabel
  TableViewExpandableCell:
    class: TableViewExpandableCell
    fields: {{title: string, description: string, isExpanded: boolean}}
    expands: isExpanded
    fallback: TableViewCellWithLabel
  PollCell: {{class: PollCell, fields: {{votes: integer}}}}
representations:
  picture: {{cell: TableViewCellWithImageAndLabel, payload: {{title: "${{title}}", imageName: "${{image}}"}}}}
  note: {{cell: TableViewExpandableCell, payload: {{title: "${{title}}", description: "${{text}}", isExpanded: false}}}}
  poll: {{cell: PollCell, payload: {{votes: "${{votes}}"}}}}
  $default: {{cell: TableViewCellWithLabel, payload: {{title: "${{title ?? 'untitled'}}"}}}}
tables:
  stories:
    title: Stories
    source: stories
    row: {{id: "${{id}}", type: "${{type}}"}}
    sections:
      - {{id: first, where: "id < 3", header: {{cell: SectionTitle, payload: {{title: "First"}}}}}}
      - {{id: rest, header: {{cell: SectionTitle, payload: {{title: "The rest"}}}}}}
  todo:
    title: To do
    source:
      local:
        items:
          - {{title: Buy milk, done: false, section: today}}
          - {{title: Pack the charger, done: false, section: today}}
          - {{title: Send a postcard, done: true, section: later}}
        default: {{title: New, done: false, section: today}}
    row: {{type: task}}
    sections: {{groupBy: section, header: {{cell: SectionTitle, payload: {{title: "${{$key}}"}}}}}}
    can: {{edit: true, move: "!done"}}
  long: {{title: Long, source: long, row: {{id: "${{id}}"}}}}
  evil: {{title: "<b>Evil</b>", source: evil, row: {{id: "${{id}}", type: "${{type}}"}}}}
  down: {{title: Down, source: down, row: {{id: "${{id}}"}}}}
  odd: {{title: Odd, source: odd, row: {{id: "${{id}}", type: "${{type}}"}}, sections: [{{id: shown, where: "!hidden"}}]}}
  library:
    title: Library
    source:
      local:
        items:
          - {{title: Swift by night, state: open, year: 2021, lent: false}}
          - {{title: Swift by day, state: open, year: 2024, lent: false}}
          - {{title: Ätna and Stromboli, state: closed, year: 1999, lent: true}}
          - {{title: كتاب الأسفار, state: closed, year: 2011, lent: false}}
    find:
      prompt: Search books
      search: [title]
      filters: {{state: {{title: State, by: state, titles: {{open: Open, closed: Closed}}}}}}
      sorts: {{newest: {{title: Newest first, by: year, order: descending, sections: false}}}}
    can: {{edit: true, move: true}}
  search:
    title: Search
    source: stories
    row: {{id: "${{id}}", type: "${{type}}"}}
    sections: [{{id: found, where: "title == $params.q"}}]
    parameters: {{q: {{pattern: "[a-z]{{1,20}}", default: "one"}}}}
"""

# A red square of 2 by 2 pixels.
RED = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==")

HOSTILE = ["<script>window.hurt = 1</script>", "<img src=x onerror=window.hurt=1>", '"onerror="window.hurt=1', "javascript:window.hurt=1",
           "</textarea><script>window.hurt=1</script>", "\u202egnp.exe", "é" * 1000]


class Upstream:
  def __init__(self):
    self.stories = [
      {"id": 1, "type": "picture", "title": "one", "image": RED},
      {"id": 2, "type": "note", "title": "two", "text": "What stands behind it."},
      {"id": 3, "type": "poll", "title": "three", "votes": 7},
      {"id": 4, "type": "plain", "title": "four"},
    ]
    upstream = self

    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        name = self.path.strip("/")
        if name == "down":
          return self.send_error(503)
        body = json.dumps(getattr(upstream, name)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

      def log_message(self, *arguments):
        pass

    class Server(http.server.ThreadingHTTPServer):
      def handle_error(self, *arguments):
        pass  # The service has gone before it was answered.

    self.server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=self.server.serve_forever, daemon=True).start()
    self.url = f"http://127.0.0.1:{self.server.server_port}"

  long = [{"id": number, "title": f"row {number}"} for number in range(100_000)]
  odd = [{"id": 1, "title": "one"}, {"id": 1, "title": "again"}, {"title": "without an id"}, {"id": 4, "title": "in no section", "hidden": True}]
  evil = [{"id": f"{number}-{text[:30]}", "type": kind, "title": text, "text": text, "image": text, "votes": 1}
          for number, (text, kind) in enumerate((text, kind) for text in HOSTILE for kind in ("plain", "note", "picture"))
          ] + [{"id": "big", "type": "note", "title": "x" * 1_000_000, "text": "y" * 1_000_000}]


class Service:
  """`tablecast serve`, until `stop()`; `tables` are more of them, as YAML, their sources below `{upstream}`.

  `config`: a whole configuration instead, of which the address and the store are exchanged.
  """

  def __init__(self, tables="", upstream=None, config=None):
    self.upstream = upstream or Upstream()
    with socket.socket() as free:
      free.bind(("127.0.0.1", 0))
      self.port = free.getsockname()[1]
    self.url = f"http://127.0.0.1:{self.port}"
    self.folder = tempfile.TemporaryDirectory()
    text = (CONFIG + tables).format(port=self.port, upstream=self.upstream.url)
    if config is not None:
      text = re.sub(r"(?m)^(listen|store|cors):.*\n", "", config) + f"listen: 127.0.0.1:{self.port}\nstore: memory\n"
    config = pathlib.Path(self.folder.name, "config.yaml")
    config.write_text(text)
    binary = os.environ.get("TABLECAST", ROOT / ".build/debug/tablecast")
    self.log = open(pathlib.Path(self.folder.name, "log"), "w+")
    self.process = subprocess.Popen([binary, "serve", "--config", config], stdout=self.log, stderr=self.log)
    deadline = time.monotonic() + 60
    while True:
      try:
        urllib.request.urlopen(self.url + "/healthz", timeout=5).read()
        return
      except OSError:
        if self.process.poll() is not None or time.monotonic() > deadline:
          self.log.seek(0)
          raise RuntimeError("the service doesn't start: " + self.log.read())
        time.sleep(0.05)

  def ask(self, path, method="GET", body=None):
    request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json"} if body is not None else {})
    with urllib.request.urlopen(request, timeout=30) as reply:
      return json.loads(reply.read())

  def change(self, row, rate, seconds):
    """Changes the title of a to-do so many times a second, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
    began = time.monotonic()
    for number in range(rate * seconds):
      time.sleep(max(0, began + number / rate - time.monotonic()))
      connection.request("PATCH", f"/v1/tables/todo/items/{row}", json.dumps({"title": f"change {number}"}), {"Content-Type": "application/json"})
      connection.getresponse().read()
    connection.close()

  def stop(self):
    self.process.terminate()
    self.process.wait(30)
    self.log.close()
    self.upstream.server.shutdown()
    self.upstream.server.server_close()
    self.folder.cleanup()
