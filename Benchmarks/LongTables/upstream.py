"""An upstream with a long list, as a process of its own: a few editions of one answer, each made before it is asked for.
It accepts edits, and its answers stay what they are."""
import multiprocessing
import re
import socket
import threading


def items(rows, edition):
    """The list with 0.1 % of its items changed since the edition before, one of them among the first 50."""
    editions = [0] * rows
    for past in range(1, edition + 1):
        for number in range(past * 37 % 1000, rows, 1000):
            editions[number] = past
        editions[past % min(50, rows)] = past
    return editions


def answer(rows, edition):
    body = ",".join(
        '{"id":%d,"title":"Item number %d of a long list","state":"open","owner":{"name":"somebody"},"edition":%d}'
        % (number, number, changed)
        for number, changed in enumerate(items(rows, edition)))
    body = f"[{body}]".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def send(connection, answer):
    """In pieces: a kernel that lets nobody in between would hold up whoever else is measured on this machine for the whole
    of it, 5 ms at 20 MB, real-time threads too."""
    rest = memoryview(answer)
    while rest:
        rest = rest[connection.send(rest[:1 << 16]):]


def serve(listener, rows, editions, orders):
    answers = [answer(rows, edition) for edition in range(editions)]
    orders.send("ready")
    current, held = 0, False

    def converse(connection):
        rest = b""
        while True:
            try:
                received = connection.recv(1 << 16)
            except OSError:
                return  # the service was killed meanwhile
            if not received:
                return
            rest += received
            while b"\r\n\r\n" in rest:
                head, rest = rest.split(b"\r\n\r\n", 1)
                if held:
                    return
                if not head.startswith(b"GET"):
                    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
                    length = int(length.group(1)) if length else 0
                    while len(rest) < length:
                        rest += connection.recv(1 << 16)
                    sent, rest = rest[:length], rest[length:]
                    if head.startswith(b"POST"):
                        # What was added, as it was sent.
                        created = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                        connection.sendall(created % len(sent) + sent)
                    else:
                        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
                    continue
                try:
                    send(connection, answers[current])
                except OSError:
                    return  # the service was killed meanwhile

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=converse, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    while True:
        order = orders.recv()
        if order == "advance":
            current = (current + 1) % editions
        held = order == "hold"
        orders.send("done")


class Upstream:
    def __init__(self, rows, editions):
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/list"
        self.orders, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(listener, rows, editions, theirs), daemon=True)
        self.process.start()
        listener.close()
        self.orders.recv()

    def order(self, what):
        self.orders.send(what)
        self.orders.recv()

    def advance(self):
        """The next edition."""
        self.order("advance")

    def hold(self):
        """No more answers."""
        self.order("hold")

    def stop(self):
        self.process.kill()
        self.process.join()
