"""What the trials of several replicas stand on: PostgreSQL servers of their own, and lines to them that can be cut."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(port, method, path, body=None, headers=None, timeout=30):
    """The status and the bytes; None where no answer came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **(headers or {})})
        reply = connection.getresponse()
        return reply.status, reply.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Server:
    """One PostgreSQL server, in a folder of its own, over a socket there and over TCP."""

    def __init__(self, folder):
        newest = max(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda path: int(path.name))
        self.binaries, self.folder, self.port = newest / "bin", folder, free_port()
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")

    def command(self, *words):
        program = self.binaries / words[0]
        words = [str(program) if program.exists() else words[0], *words[1:]]
        return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words

    def run(self, *words):
        ended = subprocess.run(self.command(*words), cwd="/", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert ended.returncode == 0, f"{words}: {ended.stderr[-2000:]}"
        return ended.stdout

    def start(self):
        for _ in range(100):
            try:
                # Its output goes nowhere, as the server would keep it open.
                options = f"-k {self.folder} -p {self.port} -h 127.0.0.1"
                self.run("sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh", str(self.binaries / "pg_ctl"), "-w",
                         "-D", f"{self.folder}/data", "-o", options, "-l", f"{self.folder}/log", "start")
                return
            except AssertionError:
                # The children of one that was killed hold its memory until they find it gone.
                time.sleep(0.1)
        raise AssertionError("the database does not start")

    def kill(self):
        os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def stop(self):
        subprocess.run(self.command("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop"), cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, statement):
        return self.run("psql", "-XAt", "-h", str(self.folder), "-p", str(self.port), "-U", "tests", "-c", statement,
                        "postgres").strip()

    def copy(self, primary):
        """Becomes the standby of another one, whatever it was before."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        self.run("pg_basebackup", "-h", str(primary.folder), "-p", str(primary.port), "-U", "tests",
                 "-D", f"{self.folder}/data", "-R", "-X", "stream", "-c", "fast", "--no-sync")
        self.start()


class Database:
    """A primary and its standby, for which each commit waits unless it is asynchronous."""

    def __init__(self, folder, synchronous=True):
        folder.mkdir()
        os.chmod(folder, 0o755)
        self.primary, self.standby = Server(folder / "one"), Server(folder / "two")
        self.servers = [self.primary, self.standby]
        self.primary.run("initdb", "--auth=trust", "--username=tests", f"--pgdata={self.primary.folder}/data")
        self.primary.start()
        self.state = "sync" if synchronous else "async"
        if synchronous:
            # Before it is copied, as what is copied counts once the standby is the primary.
            self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
            self.primary.ask("SELECT pg_reload_conf()")
        self.standby.copy(self.primary)
        self.wait_for_standby()

    def wait_for_standby(self):
        deadline = time.time() + 60
        while self.primary.ask(f"SELECT count(*) FROM pg_stat_replication WHERE sync_state = '{self.state}'") != "1":
            assert time.time() < deadline, "the standby does not follow"
            time.sleep(0.1)

    def fail_over(self):
        """The primary dies; its standby goes on in its place, and it comes back as the other's."""
        self.primary.kill()
        self.standby.run("pg_ctl", "-D", f"{self.standby.folder}/data", "-w", "promote")
        self.primary, self.standby = self.standby, self.primary
        time.sleep(0.5)
        self.standby.stop()
        self.standby.copy(self.primary)
        self.wait_for_standby()

    def stop(self):
        for server in self.servers:
            server.stop()


class Line:
    """What lies between one replica and the two servers: it can be cut, swallow what is sent, or be slow."""

    # What each message takes from the server, in seconds.
    delay = 0

    def __init__(self, servers):
        self.state, self.sockets, self.lock, self.ports = "open", set(), threading.Lock(), []
        for server in servers:
            listener = socket.create_server(("127.0.0.1", 0))
            self.ports.append(listener.getsockname()[1])
            threading.Thread(target=self.accept, args=(listener, server.port), daemon=True).start()

    @property
    def address(self):
        return f"host=127.0.0.1,127.0.0.1 port={self.ports[0]},{self.ports[1]} user=tests dbname=postgres"

    def accept(self, listener, port):
        while True:
            client = listener.accept()[0]
            if self.state == "cut":
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", port))
            except OSError:
                client.close()
                continue
            # Else two small messages behind each other wait for an acknowledgement, 40 ms each time.
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.sockets |= {client, server}
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, target):
        try:
            while data := source.recv(1 << 16):
                while self.state == "silent":
                    time.sleep(0.02)
                if self.delay:
                    time.sleep(self.delay)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            with self.lock:
                self.sockets.discard(end)

    def cut(self):
        self.state = "cut"
        with self.lock:
            ends = list(self.sockets)
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
