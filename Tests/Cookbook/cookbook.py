#!/usr/bin/env python3
"""cookbook.py BINARY [--write]: tries each configuration of docs/cookbook against an upstream that gives the answers beside this
file: `check` finds nothing, `render` draws what the page shows (--write puts it there), and the service has as many rows. `check` finds
nothing in README's configuration and in those of Examples, either."""
import http.server, json, os, pathlib, re, subprocess, sys, tempfile, threading, urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {"GITHUB_TOKEN": "t", "LIBRARY_TOKEN": "t", "SHOP_KEY": "t", "DESK_TOKEN": "t", "DESK_HOOK_SECRET": "s" * 32,
               "TEAM_TOKEN_SHA256": "4c5dc9b7708905f77f5e5d16316b5dfb425e68cb326dcd55a860e90a7707031e"}
TEAM_TOKEN = "test-token"


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = {}

    def do_GET(self):
        path = self.path.split("?")[0].lstrip("/")
        found = path in self.answers
        body = json.dumps(self.answers[path]).encode() if found else b'{"error": "no such list"}'
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def get(url, token=None):
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token} if token else {})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


class Fault(Exception):
    pass


def run(binary, *arguments, folder):
    done = subprocess.run([binary, *arguments], cwd=folder, env={**os.environ, **ENVIRONMENT, "TZ": "UTC"},
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Fault(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def drawn(text):
    """Without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def served(binary, config, tables, folder, token):
    """Rows by table, as a running service shows them, once all have their sources' answers."""
    service = subprocess.Popen([binary, "serve", "--config", config, "--listen", "127.0.0.1:0"], cwd=folder, text=True,
                               env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        url, log = None, ""
        for line in service.stderr:
            log += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                url = found[0]
                break
        if url is None:
            raise Fault("the service ended:\n" + log)
        threading.Thread(target=service.stderr.read, daemon=True).start()
        rows = {}
        for table in tables:
            state = get(f"{url}/v1/tables/{table}", token)
            # A poll comes back with the first answer of the sources.
            while not state["counts"]["rows"]:
                change = get(f"{url}/v1/tables/{table}/changes?after={state['cursor']}&wait=20", token)
                if change["from"] == change["to"]:
                    raise Fault(f"{table} stays empty: {state}")
                state = get(f"{url}/v1/tables/{table}", token)
            rows[table] = state["counts"]["rows"]
        return rows
    finally:
        service.terminate()
        if service.wait(20) != 0:
            raise Fault("the service did not end in order")


def tried(binary, page, port, write):
    text = page.read_text()
    config = re.search(r"```yaml\n(.*?)```", text, re.S)[1]
    drawings = re.findall(r"```text (\S+)\n(.*?)\n```", text, re.S)
    if not drawings:
        raise Fault("the page draws no table")
    config = re.sub(r"https?://((?:[a-z0-9-]+\.)*example\.com(?::\d+)?|api\.github\.com)", f"http://127.0.0.1:{port}/\\1", config)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tables.yaml").write_text(config)
        checked = run(binary, "check", "tables.yaml", folder=folder)
        if "warning" in checked.stdout + checked.stderr:
            raise Fault(checked.stdout + checked.stderr)
        expected = {}
        for table, drawing in drawings:
            found = drawn(run(binary, "render", "--config", "tables.yaml", "--table", table, folder=folder).stdout)
            found = found.replace(f"http://127.0.0.1:{port}/", "https://")
            if write:
                text = text.replace(f"```text {table}\n{drawing}\n```", f"```text {table}\n{found}\n```")
                page.write_text(text)
            elif found != drawn(drawing):
                raise Fault(f"{table} is drawn otherwise:\n{found}")
            whole = json.loads(run(binary, "render", "--config", "tables.yaml", "--table", table, "--json", folder=folder).stdout)
            expected[table] = sum(len(section["rows"]) for section in whole["sections"])
        rows = served(binary, "tables.yaml", expected, folder, TEAM_TOKEN)
        if rows != expected or not all(rows.values()):
            raise Fault(f"rows served: {rows}, drawn: {expected}")
    return rows


def checked_alone(binary):
    """Faults of the configurations that other pages have."""
    readme = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    texts = {"README.md": readme} | {str(file.relative_to(ROOT)): file.read_text() for file in (ROOT / "Examples").glob("*/*.yaml")}
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "tables.yaml").write_text(text)
            try:
                found = run(binary, "check", "tables.yaml", folder=folder)
                if "warning" in found.stdout + found.stderr:
                    yield name, found.stdout + found.stderr
            except Fault as fault:
                yield name, fault


def main():
    binary = os.path.abspath(sys.argv[1])
    write = "--write" in sys.argv
    pages = sorted(page for page in (ROOT / "docs/cookbook").glob("*.md") if page.name != "index.md")
    index = (ROOT / "docs/cookbook/index.md").read_text()
    for file in (pathlib.Path(__file__).parent / "answers").glob("*.json"):
        Upstream.answers |= json.loads(file.read_text())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = [page.name for page in pages if f"({page.name})" not in index]
    for name in failed:
        print(f"{name}: the index doesn't name it")
    for name, fault in checked_alone(binary):
        print(f"{name}: {fault}")
        failed.append(name)
    def one(page):
        try:
            return page.name, tried(binary, page, server.server_address[1], write), None
        except (Fault, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as error:
            return page.name, None, error
    with ThreadPoolExecutor(4) as pool:
        for name, rows, error in pool.map(one, pages):
            print(f"{name}: {error or rows}")
            failed += [name] if error else []
    print(f"{len(pages)} pages, {len(set(failed))} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
