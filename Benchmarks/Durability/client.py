"""The service as a process, and one keep-alive connection to it. `TABLECAST` names a program to be measured as it is;
else this tree's is built."""
import os
import re
import socket
import subprocess
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
EXECUTABLE = os.environ.get("TABLECAST") or os.path.join(ROOT, ".build/release/tablecast")


def build():
    if os.environ.get("TABLECAST"):
        return
    subprocess.run(["swift", "build", "-c", "release", "--product", "tablecast"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)


def start(folder, configuration, patience=60):
    """Starts the service; returns its process and port. Gives up after so many seconds."""
    file = os.path.join(folder, "tablecast.yaml")
    with open(file, "w") as output:
        output.write(configuration)
    # Appended to, and read by another descriptor: one that both share would move under the service's hands.
    path = os.path.join(folder, "log")
    open(path, "w").close()
    log = open(path, "a")
    process = subprocess.Popen([EXECUTABLE, "serve", "--config", file], stdout=log, stderr=log)
    end = time.monotonic() + patience
    while process.poll() is None and time.monotonic() < end:
        with open(path) as lines:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", lines.read())
        if found:
            return process, int(found.group(1))
        time.sleep(0.005)
    process.kill()
    raise SystemExit("the service did not start")


class Connection:
    """One keep-alive connection; knows as much of HTTP as this service answers with."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, method, target, body=b""):
        head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + body)

    def receive(self):
        while b"\r\n\r\n" not in self.rest:
            self.fill()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head).group(1))
        while len(self.rest) < length:
            self.fill()
        body, self.rest = self.rest[:length], self.rest[length:]
        if head[9:12] not in (b"200", b"201"):
            raise SystemExit(body.decode())
        return body

    def fill(self):
        received = self.socket.recv(1 << 16)
        if not received:
            raise SystemExit("the service closed the connection")
        self.rest += received


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]
