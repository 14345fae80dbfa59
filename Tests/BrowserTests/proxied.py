"""A server of pages that also stands before the service, as one host, and counts what a browser asks of it."""

import contextlib
import http.client
import threading
import time

from browser import Files
import http.server


class Counts:
  """Requests that are open now, long polls apart, and all that there were."""

  def __init__(self):
    self.lock = threading.Lock()
    self.polls = 0
    self.most_polls = 0
    self.requests = []
    # Whether edits get no further than this.
    self.holds_edits = False
    self.is_cut = False

  def cut(self):
    """From now on nothing gets through to the service, nor from it."""
    self.is_cut = True

  def mend(self):
    self.is_cut = False

  def enter(self, path, is_poll):
    with self.lock:
      self.requests.append((time.monotonic(), path))
      self.polls += is_poll
      self.most_polls = max(self.most_polls, self.polls)

  def leave(self, is_poll):
    with self.lock:
      self.polls -= is_poll


class Handler(Files):
  protocol_version = "HTTP/1.1"

  def forward(self):
    if not self.path.startswith("/v1/"):
      if self.command == "GET":
        self.close_connection = True
        return Files.do_GET(self)
      return self.send_error(405)
    if self.counts.is_cut and self.path.startswith("/v1/"):
      self.close_connection = True
      return self.connection.close()
    if self.counts.holds_edits and self.command != "GET":
      self.rfile.read(int(self.headers.get("Content-Length") or 0))
      self.send_response(503)
      self.send_header("Content-Length", "0")
      self.end_headers()
      return None
    is_poll = "wait=20" in self.path
    self.counts.enter(self.path, is_poll)
    service = http.client.HTTPConnection("127.0.0.1", self.service_port, timeout=90)
    try:
      length = int(self.headers.get("Content-Length") or 0)
      body = self.rfile.read(length) if length else None
      headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "accept-encoding", "origin")}
      service.request(self.command, self.path, body, headers)
      # A browser that gives up closes its connection: the service's is closed with it.
      gone = threading.Event()
      if is_poll:
        threading.Thread(target=self.watch, args=(service, gone), daemon=True).start()
      reply = service.getresponse()
      data = reply.read()
      gone.set()
      self.send_response(reply.status)
      for name, value in reply.getheaders():
        if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
          self.send_header(name, value)
      self.send_header("Content-Length", str(len(data)))
      self.end_headers()
      self.wfile.write(data)
    except (OSError, http.client.HTTPException, AttributeError):
      self.close_connection = True
    finally:
      service.close()
      self.counts.leave(is_poll)

  def watch(self, service, gone):
    import select
    import socket
    while not gone.wait(0.05):
      try:
        if self.counts.is_cut:
          return service.sock.shutdown(socket.SHUT_RDWR)
        ready, _, _ = select.select([self.connection], [], [], 0)
        if ready and not self.connection.recv(1, socket.MSG_PEEK):
          service.sock.shutdown(socket.SHUT_RDWR)
          return
      except (OSError, ValueError, AttributeError):
        return

  do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = forward


class Server(http.server.ThreadingHTTPServer):
  daemon_threads = True
  request_queue_size = 128

  def handle_error(self, *arguments):
    pass  # A browser that has gone.


@contextlib.contextmanager
def proxied(service, pages):
  """The base address, and the counts."""
  counts = Counts()
  handler = type("Proxied", (Handler,), {"pages": pages, "counts": counts, "service_port": service.port})
  server = Server(("127.0.0.1", 0), handler)
  threading.Thread(target=server.serve_forever, daemon=True).start()
  try:
    yield f"http://127.0.0.1:{server.server_port}", counts
  finally:
    server.shutdown()
    server.server_close()
