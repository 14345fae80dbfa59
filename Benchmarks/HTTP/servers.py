"""The servers that are measured: the service with tables of its own, nginx with nchan, h2o, Hummingbird; and how to look
at a server's memory, descriptors and processor time. The servers run on the first processor, the load on the last:
so neither takes from the other, and every server has the same. With SHARED in the environment all of them have all
processors, as they are deployed: each server then runs as many loops or workers as it chooses itself."""
import atexit
import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../..")
OURS = int(os.environ.get("PORT", 18081))
NGINX, BIRD, SENDS, H2O = 18082, 18083, 18084, 18085
CORES = sorted(os.sched_getaffinity(0))
SHARED = "SHARED" in os.environ
ALL_CORES = ",".join(map(str, CORES))
SERVER_CORE, LOAD_CORE = (ALL_CORES, ALL_CORES) if SHARED else (str(CORES[0]), str(CORES[-1]))
work = tempfile.mkdtemp(prefix="http-benchmark-")
os.chmod(work, 0o755)  # nginx's workers are another user
children = []


@atexit.register
def clean_up():
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGTERM)
    for child in children:
        child.wait()
    shutil.rmtree(work, ignore_errors=True)


signal.signal(signal.SIGTERM, lambda *_: exit(1))


skip_build = False


def build(directory, product):
    """The program's path; with `skip_build` it has to be there already."""
    program = os.path.join(directory, ".build/release", product)
    if skip_build:
        if not os.path.exists(program):
            raise SystemExit(f"{product} was never built: run once without --skip-build")
        return program
    subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL)
    return program


def start(*command, cores=SERVER_CORE):
    log = open(os.path.join(work, os.path.basename(command[0]) + ".log"), "w")
    child = subprocess.Popen(["taskset", "-c", cores, *command], stdout=log, stderr=log)
    children.append(child)
    return child


def fetch(port, path, method="GET", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method,
                                     headers={key.replace("_", "-"): value for key, value in headers.items()})
    for _ in range(100):
        try:
            return urllib.request.urlopen(request)
        except ConnectionError:
            time.sleep(0.1)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    raise SystemExit(f"nobody answers at port {port}")


# Ours

SMALL, LARGE, FEED = "/v1/tables/small", "/v1/tables/large", "/v1/tables/feed"


def cursor(table=FEED):
    return json.load(fetch(OURS, table))["cursor"]


def start_service(program, port=OURS, cores=SERVER_CORE):
    """`tablecast serve` with a table of 2 KB, one of 200 KB, and one to publish to: its row 1."""
    story = [{"title": f"Story number {n * 7919 % 100003} of the day", "number": n} for n in range(1500)]
    tables = {"small": story[:12], "large": story[:1290], "feed": story[:1]}
    configuration = {
        "listen": f"127.0.0.1:{port}", "store": "memory",
        "tables": {name: {"source": {"local": {"items": items}}, "can": {"edit": True}} for name, items in tables.items()},
    }
    path = os.path.join(work, "service.yaml")
    with open(path, "w") as file:
        json.dump(configuration, file)  # JSON is YAML
    child = start(program, "serve", "--config", path, "--log-level", "warning", cores=cores)
    fetch(port, "/healthz")
    return child


# nginx


def start_nginx(small, large, cores=SERVER_CORE):
    """The bytes from a file, as nginx does it when nobody tunes it; from one that it keeps open, and the large one so
    with its gzip form beside it; from memory; nchan's long polls."""
    modules = "/usr/lib/nginx/modules/ngx_nchan_module.so"
    temporary = "".join(f"{kind}_temp_path {work}/{kind};" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = small.decode()
    assert "'" not in text and "$" not in text
    for name, content in (("small.json", small), ("large.json", large), ("large.json.gz", gzip.compress(large, 6))):
        with open(f"{work}/{name}", "wb") as file:
            file.write(content)
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(f"""load_module {modules};
worker_processes auto; worker_rlimit_nofile 20000; daemon off; pid {work}/pid; error_log {work}/error.log;
events {{ worker_connections 18000; }}
http {{
  access_log off; keepalive_requests 1000000000; tcp_nodelay on; default_type application/json; {temporary}
  sendfile on; tcp_nopush on; gzip_static on;
  server {{ listen 127.0.0.1:{NGINX} reuseport backlog=4096;
    location /file {{ alias {work}/small.json; }}
    location /cached {{ alias {work}/small.json; open_file_cache max=100; }}
    location /large {{ alias {work}/large.json; open_file_cache max=100; }}
    location /memory {{ return 200 '{text}'; }}
    location /wait {{ nchan_subscriber longpoll; nchan_channel_id a; nchan_subscriber_first_message newest;
      nchan_subscriber_timeout 0; }}
    location /publish {{ nchan_publisher; nchan_channel_id a; nchan_message_buffer_length 5; }}
  }}
}}
""")
    child = start("nginx", "-p", work, "-c", f"{work}/nginx.conf", cores=cores)
    fetch(NGINX, "/file")
    return child


def start_h2o(cores=SERVER_CORE):
    """The files that nginx serves, the large one with its gzip form beside it. h2o keeps files open by itself."""
    with open(f"{work}/h2o.conf", "w") as file:
        json.dump({
            "num-threads": len(cores.split(",")), "user": "root", "max-connections": 18000,
            "listen": {"host": "127.0.0.1", "port": H2O}, "error-log": f"{work}/h2o.log", "file.send-compressed": "ON",
            "hosts": {"default": {"paths": {"/": {"file.dir": work}}}},
        }, file)
    child = start("h2o", "-c", f"{work}/h2o.conf", cores=cores)
    fetch(H2O, "/small.json")
    return child


def start_hummingbird(cores=SERVER_CORE):
    program = build(os.path.join(here, "hummingbird-peer"), "hummingbird-peer")
    child = start(program, str(BIRD), f"{work}/small.json", f"{work}/large.json.gz", cores=cores)
    fetch(BIRD, "/0")
    return child


def start_bare_sends(bytes, cores=SERVER_CORE):
    child = start(build(here, "bare-sends"), str(SENDS), str(bytes), cores=cores)
    fetch(SENDS, "/", method="POST")
    return child


# Looking


def wrk(port, path, *headers, seconds=2, connections=64):
    """Requests a second, and the 99th percentile of the latency in milliseconds."""
    command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    for header in headers:
        command += ["-H", header]
    output = subprocess.run(command + [f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True).stdout
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
    scale = {"us": 1e-3, "ms": 1, "s": 1e3}[p99[2]]
    if "Non-2xx" in output and not any(header.startswith("If-None-Match") for header in headers):
        raise SystemExit(f"{path} at port {port} was refused:\n{output}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), float(p99[1]) * scale


def family(child):
    """A process and its children: nginx serves in those."""
    output = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout
    return [child.pid] + [int(line) for line in output.split()]


def resident(child):
    """Bytes."""
    return 1024 * sum(int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
                      for pid in family(child))


def descriptors(child):
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in family(child))


def processor_seconds(child):
    ticks = sum(sum(map(int, open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
                for pid in family(child))
    return ticks / os.sysconf("SC_CLK_TCK")
