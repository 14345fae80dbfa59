"""HTTP/1.1 by hand: what is sent is what is written here, to the byte."""
import dataclasses, json, select, socket, time


@dataclasses.dataclass
class Answer:
    status: int
    fields: list
    body: bytes

    def field(self, name):
        return next((value for key, value in self.fields if key == name.lower()), None)

    def json(self):
        return json.loads(self.body)


class Wire:
    """A connection; answers are read one by one."""

    def __init__(self, port, seconds=10.0, buffer=None, address=None):
        """`address` is the client's own: all of 127.0.0.0/8 are this machine's."""
        self.socket = socket.socket()
        if address:
            self.socket.bind((address, 0))
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(seconds)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, data):
        """False where the peer has had enough."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def more(self):
        data = self.socket.recv(1 << 16)
        self.rest += data
        return bool(data)

    def until(self, end):
        while end not in self.rest:
            if not self.more():
                raise ConnectionError("closed")
        text, _, self.rest = self.rest.partition(end)
        return text

    def exactly(self, count):
        while len(self.rest) < count:
            if not self.more():
                raise ConnectionError("closed")
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def answer(self, method="GET"):
        """The next final answer; None where the peer closes before one."""
        while True:
            try:
                head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            except (ConnectionError, TimeoutError):
                return None
            words = head[0].split(" ", 2)
            if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
                raise ConnectionError(f"no answer: {head[0][:100]!r}")
            status = int(words[1])
            if status >= 200 or status == 101:
                break
        fields = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in head[1:])]
        answer = Answer(status, fields, b"")
        if method == "HEAD" or status in (204, 304):
            return answer
        if (answer.field("transfer-encoding") or "").lower() == "chunked":
            while size := int(self.until(b"\r\n").split(b";")[0], 16):
                answer.body += self.exactly(size)
                self.exactly(2)
            self.until(b"\r\n")
        elif (length := answer.field("content-length")) is not None:
            answer.body = self.exactly(int(length))
        else:
            while self.more():
                pass
            answer.body, self.rest = self.rest, b""
        return answer

    def quiet(self, seconds):
        """What comes within so many seconds, or until the peer closes."""
        end, data = time.monotonic() + seconds, self.rest
        self.rest = b""
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.socket], [], [], left)[0]:
                break
            try:
                part = self.socket.recv(1 << 16)
            except OSError:
                break
            if not part:
                break
            data += part
        return data

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def request(method, target, fields=(), body=None, host="localhost", version="HTTP/1.1"):
    """The bytes of a request; `fields` are whole lines."""
    head = [f"{method} {target} {version}"] + ([f"Host: {host}"] if host else []) + list(fields)
    if body is not None:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            head.append("Content-Type: application/json")
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join(head + ["", ""]).encode("latin-1") + (body or b"")


def ask(port, method, target, fields=(), body=None, seconds=10.0):
    """One request on a connection of its own."""
    with Wire(port, seconds) as wire:
        wire.send(request(method, target, ["Connection: close", *fields], body))
        answer = wire.answer(method)
        if answer is None:
            raise ConnectionError("closed without an answer")
        return answer
