"""`tablecast init` before each server: what it writes has to be right without a touch, or it says what it could not see."""

import json
import os
import subprocess
import time
import urllib.parse

from trial import require

GRAPHQL = urllib.parse.quote("{ members(first: 20) { nodes { id name points } endCursor } }")


def kinto_rows(server):
    reply = server.ask("GET", "/v1/buckets/shop/collections/books/records", None, server.CREDENTIALS)
    return {record["id"]: record["title"] for record in reply[2]["data"]}


def prometheus_rows(server):
    """Once it has watched both."""
    deadline = time.time() + 30
    while len(server.ask("GET", "/api/v1/query?query=up")[2]["data"]["result"]) < 2:
        require(time.time() < deadline, "Prometheus watches nothing")
        time.sleep(0.1)
    return {f"127.0.0.1:{port}": f"127.0.0.1:{port}" for port in (server.port, server.closed)}


def flat(server):
    return {id: payload["title"] for rows in server.shown().values() for id, payload in rows.items()}


# By server: the path, the rows that there are ({id: title}), and how many of them are seen where `init` says that it saw no more.
TARGETS = {
    "datasette": ("/shop/products.json?_size=40", lambda server: {str(n): f"Product {n}" for n in range(1, 151)}, None),
    "strawberry": (f"/graphql?query={GRAPHQL}", lambda server: {str(n): f"Member {n}" for n in range(1, 51)}, 20),
    "kinto": ("/v1/buckets/shop/collections/books/records?_limit=20", kinto_rows, None),
    "prometheus": ("/api/v1/query?query=up", prometheus_rows, None),
    "httpbin": ("/json", lambda server: {name: name for name in ("Wake up to WonderWidgets!", "Overview")}, None),
    "rest": ("/api/tasks/", flat, None),
    "safrs": ("/api/Books/?page%5Blimit%5D=20", flat, 60),
    "rabbitmq": ("/api/policies", lambda server: {name: name for name in flat(server)}, None),
    "alertmanager": ("/api/v2/silences", flat, None),
    "syncthing": ("/rest/config/folders", flat, None),
    "redmine": ("/issues.json?sort=id", flat, None),
}


def initialize(service, name, server, folder):
    """What was seen."""
    path, rows, seen = TARGETS[name]
    wanted = rows(server)
    written = folder / "made.yaml"
    command = [service, "init", f"http://127.0.0.1:{server.port}{path}", "--output", written, "--name", "made", "--force"]
    credentials = getattr(server, "credentials", None) or getattr(server, "CREDENTIALS", {})
    secrets = {}
    for header, value in credentials.items():
        command += ["--header", f"{header}: {value}"]
        secrets[{"X-API-Key": "MADE_KEY", "X-Redmine-API-Key": "MADE_KEY"}.get(header, "MADE_TOKEN")] = value.split(" ")[-1]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    require(done.returncode == 0, "init:", done.stdout, done.stderr)
    drawn = subprocess.run([service, "render", "--config", written, "--table", "made", "--json"], capture_output=True, text=True,
                           env={**os.environ, **secrets}, timeout=120)
    require(drawn.returncode == 0, "render of what init wrote:", drawn.stderr, written.read_text())
    table = json.loads(drawn.stdout)
    found = {row["id"]: row["payload"]["title"] for section in table["sections"] for row in section["rows"]}
    unsure = [line[len("Unsure: "):] for line in done.stdout.splitlines() if line.startswith("Unsure: ")]
    require(table["skippedItems"] == 0, "items without rows", table["skipped"])
    if seen is None:
        require(found == wanted, "init's table has", list(found.items())[:3], len(found), "and not", list(wanted.items())[:3],
                len(wanted), "\n", written.read_text())
    else:
        require(unsure and len(found) == seen and found.items() <= wanted.items(), "init's table has", found, unsure)
    return f"{len(found)} of {len(wanted)} rows, each with its identity and title" + "".join(f"; unsure: {doubt}" for doubt in unsure)
