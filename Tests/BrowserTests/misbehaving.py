"""What stands before a service and misbehaves: as bad proxies, bad networks and captive portals do, and worse.

`DEEDS` has what it can do to a request; `Misbehaving(port).deed` is what it does to all of them now, None to let them
through.
"""

import contextlib
import gzip
import json
import socket
import struct
import threading
import time

PORTAL = b"<!doctype html><title>Welcome to the hotel</title><p>Please accept our terms."


def page(status, body=b"", kind="text/html", **fields):
  """A deed: the same reply to every request."""
  names = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
  head = f"HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{names}\r\n"
  reply = head.encode() + body
  return lambda proxy, client, request: client.sendall(reply)


def told(status, value, kind="application/json"):
  return page(status, json.dumps(value).encode(), kind)


def raw(data):
  return lambda proxy, client, request: client.sendall(data)


def reset(proxy, client, request):
  client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def dead(proxy, client, request):
  """Takes the request and never answers."""
  while proxy.deed is dead:
    time.sleep(0.05)


def redirected(to):
  def deed(proxy, client, request):
    if b"/portal" in request.split(b"\r\n", 1)[0]:
      return page(200, PORTAL)(proxy, client, request)
    return page(302, Location=to)(proxy, client, request)
  return deed


def other_table(proxy, client, request):
  """Answers with another table's rows, as a cache does that takes all for one."""
  line, rest = request.split(b"\r\n", 1)
  head = line.split(b" ")
  path = head[1].replace(b"/tables/todo/", b"/tables/library/")
  if path.startswith(b"/v1/changes"):
    path = b"/v1/tables/library/changes?wait=0"
  client.sendall(proxy.ask(b" ".join([head[0], path, head[2]]) + b"\r\n" + rest))


def renamed(proxy, client, request):
  """Likewise, for whatever cursor was asked."""
  line, rest = request.split(b"\r\n", 1)
  after = line.split(b"after=")[1].split(b"&")[0].split(b" ")[0].decode() if b"after=" in line else None
  body = json.loads(proxy.ask(b"GET /v1/tables/library/changes?wait=0 HTTP/1.1\r\n" + rest).split(b"\r\n\r\n", 1)[1])
  told(200, {**body, "from": after})(proxy, client, request)


def cut(proxy, client, request):
  reply = proxy.ask(request)
  client.sendall(reply[:len(reply) * 2 // 3])


def cut_and_reset(proxy, client, request):
  cut(proxy, client, request)
  reset(proxy, client, request)


def slow(proxy, client, request):
  for byte in proxy.ask(request):
    if proxy.deed is not slow:
      return
    client.sendall(bytes([byte]))
    time.sleep(0.2)


def endless(proxy, client, request):
  client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"table\":\"")
  until = time.monotonic() + 2
  while proxy.deed is endless and time.monotonic() < until:
    client.sendall(b"x" * 65536)


def old(proxy, client, request):
  """Repeats what was answered first, whatever is asked."""
  client.sendall(proxy.first)


FORBIDDEN = {"type": "about:blank", "title": "Forbidden", "status": 403}
EMPTY = {"table": "todo", "cursor": "0123456789ab.1", "state": "empty", "sections": []}

DEEDS = {
  "garbage": raw(b"\x00\x01\x02 garbage \xff\xfe\r\n\r\n" * 20),
  "nothing": raw(b""),
  "half a status line": raw(b"HTTP/1.1 200"),
  "head alone": raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
  "head without its body": raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"),
  "huge head": raw(b"HTTP/1.1 200 OK\r\n" + b"X-Fill: " + b"x" * 400_000 + b"\r\n\r\n{}"),
  "reset": reset,
  "200 {}": told(200, {}),
  "200 []": told(200, []),
  "200 null": told(200, None),
  "200 text": told(200, "ok"),
  "200 changes none": told(200, {"changes": None}),
  "200 other changes": told(200, {"changes": [{"table": "todo", "stages": []}]}),
  "200 a problem inside": told(200, {"table": "todo", "problem": FORBIDDEN}),
  "200 problem in changes": told(200, {"changes": [{"table": "todo", "problem": {"title": "odd"}}]}),
  "200 problem document": told(200, FORBIDDEN, "application/problem+json"),
  "200 snapshot": told(200, EMPTY),
  "200 no cursor": told(200, {"table": "todo", "from": None, "to": "no cursor !", "reset": "start", "snapshot": {**EMPTY, "cursor": "no cursor !"}}),
  "200 empty cursor": told(200, {"table": "todo", "from": None, "to": "", "reset": "start", "snapshot": {**EMPTY, "cursor": ""}}),
  "200 sections none": told(200, {"table": "todo", "from": None, "to": "0123456789ab.1", "reset": "start", "snapshot": {**EMPTY, "sections": None}}),
  "200 rows of nothing": told(200, {"table": "todo", "from": None, "to": "0123456789ab.1", "reset": "start", "snapshot": {**EMPTY, "sections": [{"id": "a", "rows": [{"id": "1"}]}]}}),
  "200 page": page(200, PORTAL),
  "200 empty": page(200),
  "203": told(203, {}),
  "204": page(204),
  "206": told(206, {}),
  "304": page(304),
  "not gzip": page(200, b"{}", "application/json", Content_Encoding="gzip"),
  "gzip cut": page(200, gzip.compress(b"{}" * 5000)[:30], "application/json", Content_Encoding="gzip"),
  "302 portal": redirected("/portal"),
  "302 itself": page(302, Location="/v1/tables/todo/changes"),
  "302 nowhere": page(302, Location="http://127.0.0.1:1/"),
  "302 a file": page(302, Location="file:///etc/passwd"),
  "302 without": page(302),
  "307 portal": page(307, PORTAL, Location="/portal"),
  "400 page": page(400, PORTAL),
  "401": page(401),
  "401 page": page(401, PORTAL, WWW_Authenticate="Basic realm=hotel"),
  "401 JSON": told(401, {"title": "Unauthorized", "status": 401}),
  "403": page(403),
  "403 page": page(403, PORTAL),
  "403 JSON": told(403, FORBIDDEN),
  "403 list as problem": told(403, [], "application/problem+json"),
  "404 page": page(404, PORTAL),
  "405 page": page(405, PORTAL),
  "407": page(407, PORTAL, Proxy_Authenticate="Basic realm=hotel"),
  "410": page(410, b"gone", "text/plain"),
  "414": page(414),
  "451": page(451, PORTAL),
  "429": page(429, Retry_After="1"),
  "500": page(500),
  "502 page": page(502, PORTAL),
  "503": page(503, Retry_After="1"),
  "511": page(511, PORTAL),
  "cut": cut,
  "cut and reset": cut_and_reset,
  "slow": slow,
  "endless": endless,
  "another table": other_table,
  "another table, as if asked": renamed,
  "an old reply": old,
  "dead": dead,
}


class Misbehaving:
  def __init__(self, port):
    self.port = port
    self.deed = None
    self.requests = 0
    self.first = b""
    self.clients = set()
    self.server = socket.create_server(("127.0.0.1", 0), backlog=64)
    self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}"
    threading.Thread(target=self.accept, daemon=True).start()

  def stop(self):
    self.deed = None
    self.server.close()
    self.drop()

  def drop(self):
    """Breaks every connection that is open."""
    for client in list(self.clients):
      with contextlib.suppress(OSError):
        reset(self, client, b"")
        client.shutdown(socket.SHUT_RDWR)

  def accept(self):
    with contextlib.suppress(OSError):
      while True:
        client, _ = self.server.accept()
        threading.Thread(target=self.serve, args=(client,), daemon=True).start()

  def serve(self, client):
    self.clients.add(client)
    with client, contextlib.suppress(OSError, IndexError, ValueError):
      request = b""
      while b"\r\n\r\n" not in request:
        part = client.recv(65536)
        if not part:
          return
        request += part
      self.requests += 1
      deed = self.deed
      if deed:
        deed(self, client, request)
        with contextlib.suppress(OSError):
          client.shutdown(socket.SHUT_WR)
      else:
        reply = self.ask(request, client)
        self.first = self.first or reply
        client.sendall(reply)
    self.clients.discard(client)

  def ask(self, request, client=None):
    """The service's reply to it. A service that ends while it is asked answers with nothing."""
    line, rest = request.split(b"\r\n", 1)
    fields = [field for field in rest.split(b"\r\n") if not field.lower().startswith((b"connection:", b"accept-encoding:"))]
    with socket.create_connection(("127.0.0.1", self.port)) as service:
      service.sendall(b"\r\n".join([line, b"Connection: close", *fields]))
      if client:
        threading.Thread(target=self.watch, args=(client, service), daemon=True).start()
      reply = b""
      while part := service.recv(1 << 20):
        reply += part
      return reply

  @staticmethod
  def watch(client, service):
    """Ends what is asked of the service with the connection of whoever asks."""
    with contextlib.suppress(OSError):
      if not client.recv(1):
        service.shutdown(socket.SHUT_RDWR)
