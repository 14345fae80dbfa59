"""Proxies before the service, each with one warm connection to it, and a stretch of wire between that counts answers."""
import pathlib, re, shutil, socket, subprocess, tempfile, threading, time

from .attack import CannotTry


class Stretch:
    """Wire between the proxy and the service: counts answers on it."""

    def __init__(self, target):
        self.target, self.answers, self.requests, self.lock = target, 0, b"", threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, True), daemon=True).start()

    def carry(self, one, other, isBack):
        last = b""
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    if isBack:      # no body of the service has a status line
                        self.answers += len(re.findall(rb"HTTP/1\.1 [2-5]\d\d ", last[-12:] + data)) - len(re.findall(rb"HTTP/1\.1 [2-5]\d\d ", last[-12:]))
                    else:
                        self.requests = (self.requests + data)[-4096:]
                last = data
                other.sendall(data)
        except OSError:
            pass
        for each in (one, other):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Proxy:
    """A proxy with one warm connection to the service at most, so that whoever comes next comes over the same."""
    doubtful = 0        # requests that may have been answered or not

    def __init__(self, origin):
        self.port, self.folder, self.origin = free_port(), pathlib.Path(tempfile.mkdtemp(prefix="tablecast-proxy-")), origin
        self.folder.chmod(0o755)
        self.process = subprocess.Popen(self.command(), stdout=open(self.folder / "out", "wb"), stderr=subprocess.STDOUT, cwd=self.folder)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise CannotTry("the proxy did not start: " + (self.folder / "out").read_text(errors="replace")[-500:])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Nginx(Proxy):
    buffering = "on"

    def command(self):
        f = self.folder
        (f / "nginx.conf").write_text(
            f"daemon off; worker_processes 1; pid {f}/pid; error_log {f}/error.log; events {{ worker_connections 256; }}\n"
            f"http {{ log_format n '$upstream_status'; access_log {f}/access.log n;\n"
            + "".join(f"{name}_temp_path {f}/{name};\n" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]) +
            f"upstream o {{ server 127.0.0.1:{self.origin}; keepalive 1; }}\n"
            f"server {{ listen 127.0.0.1:{self.port}; underscores_in_headers on; ignore_invalid_headers off; client_max_body_size 0;\n"
            f"location / {{ proxy_pass http://o; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host $http_host;\n"
            f"proxy_request_buffering {self.buffering}; proxy_buffering off; proxy_next_upstream off; }} }} }}\n")
        return ["nginx", "-e", f"{f}/error.log", "-c", f"{f}/nginx.conf"]

    def count(self):
        path = self.folder / "access.log"
        return sum(word.isdigit() and len(word) == 3 for line in path.read_text().split("\n") for word in re.split(r"[ ,:]+", line)) if path.exists() else 0


class NginxUnbuffered(Nginx):
    buffering = "off"


class HAProxy(Proxy):
    options = ""

    def command(self):
        f = self.folder
        (f / "haproxy.cfg").write_text(
            f"global\n  stats socket {f}/stats level admin\n  nbthread 1\ndefaults\n  mode http\n  timeout connect 2s\n  timeout client 5s\n  timeout server 5s\n"
            f"  retries 0\n  http-reuse always\n{self.options}"
            f"frontend f\n  bind 127.0.0.1:{self.port}\n  default_backend o\nbackend o\n  server s 127.0.0.1:{self.origin} pool-max-conn 1\n")
        return ["haproxy", "-db", "-f", f"{f}/haproxy.cfg"]

    def count(self):
        with socket.socket(socket.AF_UNIX) as stats:
            stats.connect(str(self.folder / "stats"))
            stats.sendall(b"show stat\n")
            text = b""
            while data := stats.recv(1 << 16):
                text += data
        lines = text.decode().split("\n")
        names = lines[0].lstrip("# ").split(",")
        row = next(line.split(",") for line in lines if line.startswith("o,s,"))
        return sum(int(row[names.index(f"hrsp_{n}xx")] or 0) for n in range(1, 6))


class HAProxyLenient(HAProxy):
    options = "  option accept-invalid-http-request\n"


class Varnish(Proxy):
    def command(self):
        f = self.folder
        (f / "edge.vcl").write_text(
            f"vcl 4.1;\nbackend o {{ .host = \"127.0.0.1\"; .port = \"{self.origin}\"; .max_connections = 4; }}\n"
            "sub vcl_recv { if (req.method == \"PRI\") { return (synth(405)); } return (pass); }\n")
        return ["varnishd", "-F", "-n", str(f / "v"), "-a", f"127.0.0.1:{self.port}", "-f", str(f / "edge.vcl"), "-s", "malloc,16m",
                "-p", "thread_pool_min=10", "-p", "thread_pools=1"]

    def count(self):
        text = subprocess.run(["varnishstat", "-n", str(self.folder / "v"), "-1", "-f", "MAIN.backend_req", "-f", "MAIN.fetch_failed"], capture_output=True, text=True).stdout
        found = {line.split()[0]: int(line.split()[1]) for line in text.split("\n") if line.strip()}
        # A request that failed half way is counted as failed alone, be it answered or not.
        sent, self.doubtful = found.get("MAIN.backend_req", 0), found.get("MAIN.fetch_failed", 0)
        return sent
