"""One real server behind the service, followed by strict clients in two languages."""

import pathlib
import re
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/StrictClient"))

import servers  # noqa: E402
from strict_client import Contents, Follower, Violation, ask, require  # noqa: E402

GERMAN = {"Accept-Language": "de"}


def configuration(server):
    """As docs/connecting.md or a file has it, with the port that the server really has."""
    if hasattr(server, "configuration"):
        require(server.address in server.configuration, "another address in the configuration of", server.heading)
        return server.configuration.replace(server.address, f"127.0.0.1:{server.port}")
    page = (ROOT / "docs/connecting.md").read_text()
    block = re.search(rf"\n## {server.heading}\n.*?```yaml\n(.*?)```", page, re.DOTALL)
    require(block and server.address in block[1], "docs/connecting.md has no configuration for", server.heading)
    return block[1].replace(server.address, f"127.0.0.1:{server.port}")


class Trial:
    """One server behind the service, and who follows its table in two languages."""

    def __init__(self, service, kind, table, folder):
        self.table, self.folder, self.service = table, folder, service
        self.report, self.contents, self.process = [], Contents(), None
        self.edits = {"done": 0, "refused": 0}
        self.server = kind(folder)
        self.port = servers.free_port()
        text = configuration(self.server) + f"store: {{path: {folder}/store.sqlite}}\n"
        (folder / "tablecast.yaml").write_text(text)
        self.start()
        self.english = Follower(self.port, table, {}, self.contents)
        self.german = Follower(self.port, table, GERMAN, self.contents)
        self.followers = [self.english, self.german, Follower(self.port, table, {}, self.contents, wait=1)]
        for follower in self.followers:
            follower.start()

    def start(self):
        with open(self.folder / "service.log", "a") as log:
            self.process = subprocess.Popen(
                [self.service, "serve", "--config", self.folder / "tablecast.yaml", "--listen", f"127.0.0.1:{self.port}",
                 "--log-level", "debug"], stdout=log, stderr=log)
        deadline = time.time() + 60
        while ask(self.port, "GET", "/healthz") is None:
            require(self.process.poll() is None and time.time() < deadline, "the service does not start:",
                    (self.folder / "service.log").read_text()[-2000:])
            time.sleep(0.05)

    def end(self):
        for follower in self.followers:
            follower.stop()
        self.process.kill()
        self.process.wait()
        self.server.kill()

    # What is done, and what it was seen to do.

    def did(self, what, seen):
        self.report.append((self.server.heading, what, str(seen)))

    def edit(self, status, method, path, body=None, headers=None):
        """Sends an edit; the version that its answer names is the followers' too. Returns the answer."""
        reply = ask(self.port, method, f"/v1/tables/{self.table}{path}", body, headers)
        require(reply is not None and reply[0] == status, method, path, "is", reply, "instead of", status)
        if path != "/refresh":
            self.edits["done" if status < 300 else "refused"] += 1
        return reply[2]

    def shows(self, what, condition, seconds=30):
        """In both languages."""
        self.german.until(what, condition, seconds)
        return self.english.until(what, condition, seconds)

    def settle(self):
        for follower in self.followers:
            follower.settle()

    def restart(self):
        """A crash of the service: everyone goes on where they were."""
        self.settle()
        rows = len(self.english.mirror.rows)
        for follower in self.followers:
            follower.fewest = None
        self.process.kill()
        self.process.wait()
        self.start()
        before = [(follower.changesets, len(follower.resets)) for follower in self.followers]
        deadline = time.time() + 30
        while (reply := ask(self.port, "GET", f"/v1/tables/{self.table}")) is None or reply[2]["state"] != "ready":
            require(time.time() < deadline, "not ready after the crash:", reply)
            time.sleep(0.02)
        self.shows("ready after the crash", lambda mirror: mirror.state == "ready")
        self.settle()
        require(all(follower.fewest in (None, rows) for follower in self.followers), "rows went after the crash")
        resets = [reset for follower, (_, old) in zip(self.followers, before) for reset in follower.resets[old:]]
        require(not resets, "resets after a crash:", resets)
        changesets = sum(follower.changesets - old for follower, (old, _) in zip(self.followers, before))
        self.did("service killed, restarted", f"no reset and no row less in either language, {changesets} changesets")

    def lose_the_server(self, refill=False):
        rows = len(self.english.mirror.rows)
        self.server.kill()
        stale = self.shows("stale", lambda mirror: mirror.state == "stale", 60)
        require(len(stale.rows) == rows, "rows were lost with the server")
        title = stale.attributes["problem"]["title"]
        self.server.start()
        if refill:
            self.server.fill()
        self.shows("ready again", lambda mirror: mirror.state == "ready" and len(mirror.rows) > 0, 60)
        self.did("server killed, restarted", f"stale ({title}) with its {rows} rows, then ready")

    def judge(self):
        self.settle()
        # Only where a snapshot is shorter than the changeset, as from no rows to all of them.
        resets = {reset for follower in self.followers for reset in follower.resets}
        require(resets <= {"large"}, "resets:", resets)
        failures = [failure for follower in self.followers for failure in follower.failures] + self.contents.broken
        require(not failures, *failures)
        polls, changesets = (sum(getattr(f, name) for f in self.followers) for name in ("polls", "changesets"))
        self.did("followed throughout", f"{polls} polls, {changesets} changesets, {len(self.contents.known)} versions seen, "
                                        "each with one content; mirror = snapshot")

    def measure(self):
        """Before the service is killed, which counts anew."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as reply:
            metrics = reply.read().decode()
        checked = subprocess.run(["promtool", "check", "metrics"], input=metrics, text=True, capture_output=True)
        require(checked.returncode == 0, "promtool:", checked.stdout, checked.stderr)
        edits = {found[1]: int(found[2]) for found in re.finditer(r'tablecast_edits_total\{.*result="(\w+)"\} (\d+)', metrics)}
        require(edits.get("done", 0) >= self.edits["done"] and
                sum(edits.values()) >= sum(self.edits.values()), "edits:", edits, self.edits)
        counts = {purpose: sum(int(count) for count in re.findall(
            rf'tablecast_upstream_seconds_count\{{.*purpose="{purpose}"\}} (\d+)', metrics)) for purpose in ("fetch", "edit")}
        require(all(counts.values()), "no latencies in /metrics", counts)
        self.did("metrics", f"{counts['fetch']} fetches and {counts['edit']} edits timed; edits {edits}; promtool is content")
