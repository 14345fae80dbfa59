#!/usr/bin/env python3
"""compare.py [--rounds N] [--seconds S]: this server beside nginx, nchan and Hummingbird, in one run, in turn.

Every figure is a median over the rounds; a ratio is the median of the rounds' ratios, so that what disturbs the
machine for a while disturbs both sides. Needs nginx, libnginx-mod-nchan and wrk. Prints a table in Markdown."""
import argparse
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seconds", type=int, default=3)
parser.add_argument("--polls", type=int, default=10000)
parser.add_argument("--churn", type=int, default=15000)
parser.add_argument("--without-hummingbird", action="store_true")
options = parser.parse_args()

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "../..")
work = tempfile.mkdtemp(prefix="http-benchmark-")
os.chmod(work, 0o755)  # nginx's workers are another user
OURS, NGINX, BIRD = 18081, 18082, 18083
children = []


def build(directory, product):
    subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(directory, ".build/release", product)


def start(*command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children.append(child)
    return child


def fetch(port, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    for _ in range(100):
        try:
            return urllib.request.urlopen(request)
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nobody answers at port {port}")


def nginx_configuration(table):
    modules = "/usr/lib/nginx/modules/ngx_nchan_module.so"
    temporary = "".join(f"{kind}_temp_path {work}/{kind};" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = table.decode()
    assert "'" not in text and "$" not in text
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(f"""load_module {modules};
worker_processes 2; worker_rlimit_nofile 20000; daemon off; pid {work}/pid; error_log {work}/error.log;
events {{ worker_connections 18000; }}
http {{
  access_log off; keepalive_requests 1000000000; tcp_nodelay on; default_type application/json; {temporary}
  open_file_cache max=100;
  gzip on; gzip_types application/json; gzip_comp_level 6; gzip_static on;
  server {{ listen 127.0.0.1:{NGINX} reuseport backlog=4096;
    location /file {{ alias {work}/table.json; }}
    location /large {{ alias {work}/large.json; }}
    location /memory {{ return 200 '{text}'; }}
    location /wait {{ nchan_subscriber longpoll; nchan_channel_id a; nchan_subscriber_first_message newest;
      nchan_subscriber_timeout 0; }}
    location /publish {{ nchan_publisher; nchan_channel_id a; nchan_message_buffer_length 5; }}
  }}
}}
""")
    os.system(f"gzip -6 -k -f {work}/large.json")


def wrk(port, path, *headers):
    command = ["wrk", "-t1", "-c64", f"-d{options.seconds}s"]
    for header in headers:
        command += ["-H", header]
    output = subprocess.run(command + [f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True).stdout
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def family(child):
    """A process and its children: nginx serves in those."""
    output = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout
    return [child.pid] + [int(line) for line in output.split()]


def resident(child):
    total = 0
    for pid in family(child):
        total += int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])
    return total * 1024


def ticks(child):
    return sum(sum(map(int, open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) for pid in family(child))


def fanout(port, *message):
    output = subprocess.run([load, "fanout", str(port), str(options.polls), "3", "/wait?topic=1&wait=50",
                             "/publish?topic=1", *message], capture_output=True, text=True)
    if output.returncode:
        raise SystemExit(f"fan-out at port {port}: {output.stdout}{output.stderr}")
    # The first round of a run has the memory still to be got.
    return statistics.median(map(float, output.stdout.split()[1:]))


def churn(port, path):
    output = subprocess.run([load, "churn", str(port), str(options.churn), "64", path], capture_output=True, text=True)
    return float(output.stdout)


def held(child, port):
    """Resident bytes for each waiting poll, and processor time while they wait, in percent of a core."""
    before = resident(child)
    holder = subprocess.Popen([load, "hold", str(port), str(options.polls), "8", "/wait?topic=1&wait=50"],
                              stdout=subprocess.PIPE, text=True)
    holder.stdout.readline()
    time.sleep(1.5)
    bytes_each = (resident(child) - before) / options.polls
    began = ticks(child)
    time.sleep(4)
    percent = (ticks(child) - began) / 4 / os.sysconf("SC_CLK_TCK") * 100
    holder.terminate()
    holder.wait()
    time.sleep(0.5)
    return bytes_each, percent


def row(name, unit, measures, ratios, target):
    """`measures` by name; `ratios` from two names each: first ÷ second."""
    rounds = [{key: measure() for key, measure in measures.items()} for _ in range(options.rounds)]
    medians = ", ".join(f"{key} {statistics.median(r[key] for r in rounds):,.0f}" for key in measures)
    shown = ", ".join(f"{statistics.median(r[a] / r[b] for r in rounds):.2f} × {b}" for a, b in ratios)
    print(f"| {name} | {medians} {unit} | {shown} | {target} |", flush=True)


try:
    load = build(here, "http-load")
    server = build(root, "HTTPTestServer")
    bird = None if options.without_hummingbird else build(os.path.join(here, "hummingbird-peer"), "hummingbird-peer")
    ours = start(server, str(OURS), "2")
    table = fetch(OURS, "/v1/tables").read()
    large = fetch(OURS, "/large").read()
    etag = fetch(OURS, "/v1/tables").headers["ETag"]
    for name, content in (("table", table), ("large", large)):
        with open(f"{work}/{name}.json", "wb") as file:
            file.write(content)
    nginx_configuration(table)
    nginx = start("nginx", "-p", work, "-c", f"{work}/nginx.conf")
    nginx_etag = fetch(NGINX, "/file").headers["ETag"]
    if bird:
        start(bird, str(BIRD), f"{work}/table.json", f"{work}/large.json")
        fetch(BIRD, "/0")
    fetch(OURS, "/large", **{"Accept-Encoding": "gzip"})

    # First of all: later the processes have memory to use again.
    figures = {"ours": held(ours, OURS), "nchan": held(nginx, NGINX)}

    cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} × {cpu[1] if cpu else platform.machine()}, "
          f"{options.rounds} rounds in turn, medians\n")
    print("| what | measured | ratio | to reach |\n| --- | --- | --- | --- |")
    peers = {"ours": lambda: wrk(OURS, "/v1/tables"), "file": lambda: wrk(NGINX, "/file"),
             "memory": lambda: wrk(NGINX, "/memory")}
    ratios = [("ours", "file"), ("ours", "memory")]
    if bird:
        peers["hummingbird"] = lambda: wrk(BIRD, "/0")
        ratios.append(("ours", "hummingbird"))
    row("GET of 2 KB, 64 connections", "requests/s", peers, ratios, "1.4 × file, 0.9 × memory, 2 × hummingbird")
    peers = {"ours": lambda: wrk(OURS, "/v1/tables", f"If-None-Match: {etag}"),
             "nginx": lambda: wrk(NGINX, "/file", f"If-None-Match: {nginx_etag}")}
    ratios = [("ours", "nginx")]
    if bird:
        peers["hummingbird"] = lambda: wrk(BIRD, "/0", 'If-None-Match: "0"')
        ratios.append(("ours", "hummingbird"))
    row("the same answered 304", "requests/s", peers, ratios, "1 ×")
    row("gzip of 200 KB", "requests/s", {
        "ours": lambda: wrk(OURS, "/large", "Accept-Encoding: gzip"),
        "nginx": lambda: wrk(NGINX, "/large", "Accept-Encoding: gzip")}, [("ours", "nginx")], "1 ×")
    row(f"{options.churn} connections, one request each", "ms", {
        "ours": lambda: churn(OURS, "/v1/tables"), "nginx": lambda: churn(NGINX, "/file")},
        [("ours", "nginx")], "at most 1 ×")
    row(f"{options.polls} long polls, 1 KB to all, until the last has it", "ms", {
        "ours": lambda: fanout(OURS), "nchan": lambda: fanout(NGINX, "1000")}, [("ours", "nchan")], "at most 0.5 ×")
    print(f"| resident memory for each waiting poll | {', '.join(f'{k} {v[0]:,.0f}' for k, v in figures.items())} bytes "
          f"| {figures['ours'][0] / max(figures['nchan'][0], 1):.2f} × nchan | at most 1 KB |")
    print(f"| processor time while {options.polls} wait | "
          f"{', '.join(f'{k} {v[1]:.2f}' for k, v in figures.items())} % of a core | | under 0.2 |")
finally:
    for child in children:
        child.send_signal(signal.SIGTERM)
    for child in children:
        child.wait()
    shutil.rmtree(work, ignore_errors=True)
