"""Six servers more: two of PyPI's, four of Debian's. Each says what its table shows, as it has it itself, and makes a random change."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

from servers import HERE, PROGRAMS, Server, free_port

ENOUGH, MOST = 20, 90  # items: fewer are added to, more are taken from


class Changing(Server):
    """A server that is changed at random, by itself and through the service."""

    # The file under configurations/.
    file, table, credentials = "", "", {}

    @property
    def configuration(self):
        return (HERE / "configurations" / f"{self.file}.yaml").read_text()

    def call(self, method, path, body=None, headers=None):
        reply = self.ask(method, path, body, {**self.credentials, **(headers or {})})
        if reply is None or reply[0] >= 300:
            raise RuntimeError(f"{self.heading}: {method} {path} is {reply}")
        return reply[2]

    def shown(self):
        """What the rows of the table have to be, in its order of sections: {section: {id: payload}}, by the server itself."""
        raise NotImplementedError

    def body(self, random):
        """Of a new item, as it is sent through the service."""
        raise NotImplementedError

    def patch(self, random):
        raise NotImplementedError

    # By the server's own way, past the service.

    def add(self, random):
        raise NotImplementedError

    def alter(self, id, random):
        raise NotImplementedError

    def remove(self, id):
        raise NotImplementedError


def words(random):
    return " ".join(random.choice("amber birch cedar delta ember fjord grove".split()) for _ in range(2)) + \
        f" {random.randrange(10_000)}"


def euros(text):
    return f"€{float(text):,.2f}"


class REST(Changing):
    heading, address, probe, file, table = "Django REST framework", "127.0.0.1:8002", "/api/tasks/", "rest", "tasks"

    def environment(self):
        return {"REST_DATA": str(self.folder / "rest.sqlite"), "PYTHONPATH": str(HERE)}

    def command(self):
        return [PROGRAMS / "waitress-serve", "--listen", f"127.0.0.1:{self.port}", "rest_project:application"]

    def all(self):
        tasks, page = [], 1
        while True:
            answer = self.call("GET", f"/api/tasks/?page={page}")
            tasks += answer["results"]
            if not answer["next"]:
                return tasks
            page += 1

    def shown(self):
        sections = {"open": {}, "done": {}}
        for task in self.all():
            due = task["due"] and "Dec " + str(int(task["due"][8:])) + ", 2026"
            sections[task["state"]][str(task["id"])] = {"title": task["title"], "due": due, "price": euros(task["price"])}
        return {name: rows for name, rows in sections.items() if rows}

    def body(self, random):
        return {"title": words(random), "state": random.choice(["open", "done"]), "price": f"{random.randrange(9000) / 100:.2f}",
                "due": random.choice([None, f"2026-12-{random.randrange(1, 29):02}"])}

    def patch(self, random):
        return dict([random.choice(list(self.body(random).items()))])

    def add(self, random):
        self.call("POST", "/api/tasks/", self.body(random))

    def alter(self, id, random):
        self.call("PATCH", f"/api/tasks/{id}/", self.patch(random))

    def remove(self, id):
        self.call("DELETE", f"/api/tasks/{id}/")


class SAFRS(Changing):
    heading, address, probe, file, table = "SAFRS", "127.0.0.1:8003", "/api/Books/", "safrs", "books"
    credentials = {"Content-Type": "application/vnd.api+json", "Accept": "application/vnd.api+json"}

    def environment(self):
        return {"SAFRS_DATA": str(self.folder / "safrs.sqlite"), "SAFRS_PORT": str(self.port), "PYTHONPATH": str(HERE)}

    def command(self):
        return [PROGRAMS / "waitress-serve", "--listen", f"127.0.0.1:{self.port}", "safrs_app:app"]

    def shown(self):
        books = self.call("GET", "/api/Books/?page%5Blimit%5D=250")["data"]
        return {"main": {book["id"]: {"title": book["attributes"]["name"], "pages": f"{book['attributes']['pages']:,}"}
                         for book in books}}

    def body(self, random):
        return {"name": words(random), "pages": random.randrange(5000)}

    def patch(self, random):
        return {"attributes": dict([random.choice(list(self.body(random).items()))])}

    def add(self, random):
        self.call("POST", "/api/Books/", {"data": {"type": "Book", "attributes": self.body(random)}})

    def alter(self, id, random):
        self.call("PATCH", f"/api/Books/{id}/", {"data": {"type": "Book", "id": id, **self.patch(random)}})

    def remove(self, id):
        self.call("DELETE", f"/api/Books/{id}/")


class RabbitMQ(Changing):
    heading, address, probe, file, table = "RabbitMQ", "127.0.0.1:15672", "/", "rabbitmq", "policies"
    credentials = {"Authorization": "Basic Z3Vlc3Q6Z3Vlc3Q="}

    def prepare(self):
        self.broker, self.names, self.distribution = free_port(), free_port(), free_port()
        (self.folder / "plugins").write_text("[rabbitmq_management].")
        (self.folder / "rabbit.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self.broker}\nmanagement.tcp.port = {self.port}\nmanagement.tcp.ip = 127.0.0.1\n")

    def environment(self):
        folder = self.folder
        return {
            "HOME": str(folder), "ERL_EPMD_PORT": str(self.names), "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"trial{self.broker}@localhost", "RABBITMQ_DIST_PORT": str(self.distribution),
            "RABBITMQ_MNESIA_BASE": f"{folder}/data", "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbit.conf", "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null", "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}"}

    def command(self):
        return ["/usr/lib/rabbitmq/bin/rabbitmq-server"]

    def answers(self):
        reply = self.ask("GET", "/api/policies", None, self.credentials)
        return reply is not None and reply[0] == 200

    def fill(self):
        for number in range(1, 41):
            self.call("PUT", f"/api/policies/%2F/policy-{number}", self.of(f"^queue-{number}$", number, number * 100))

    @staticmethod
    def of(pattern, priority, limit):
        return {"pattern": pattern, "priority": priority, "definition": {"max-length": limit}, "apply-to": "queues"}

    def kill(self):
        """The virtual machine, which the script has started; and the daemon that names are found by."""
        pid = self.folder / "pid"
        if pid.exists():
            try:
                os.kill(int(pid.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass
        super().kill()
        subprocess.run(["epmd", "-port", str(self.names), "-kill"], capture_output=True)

    def shown(self):
        return {"main": {policy["name"]: {"title": policy["pattern"], "priority": policy["priority"],
                                          "limit": f"{policy['definition']['max-length']:,}"}
                         for policy in self.call("GET", "/api/policies")}}

    def body(self, random):
        return self.of(f"^{words(random)}$", random.randrange(100), random.randrange(1, 5000))

    def patch(self, random):
        body = self.body(random)
        name = random.choice(["pattern", "priority", "definition"])
        return {name: body[name]}

    def add(self, random):
        self.call("PUT", f"/api/policies/%2F/own-{random.randrange(10**9)}", self.body(random))

    def alter(self, id, random):
        self.call("PUT", f"/api/policies/%2F/{id}", self.body(random))

    def remove(self, id):
        self.call("DELETE", f"/api/policies/%2F/{id}")


class Alertmanager(Changing):
    heading, address, probe, file, table = "Alertmanager", "127.0.0.1:9093", "/api/v2/silences", "alertmanager", "silences"

    def prepare(self):
        (self.folder / "alertmanager.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")

    def command(self):
        return ["prometheus-alertmanager", "--config.file=alertmanager.yml", "--storage.path=data", "--cluster.listen-address=",
                f"--web.listen-address=127.0.0.1:{self.port}"]

    def fill(self):
        if not self.call("GET", "/api/v2/silences"):
            for number in range(1, 31):
                self.call("POST", "/api/v2/silences", self.of(f"Silence {number:02}", f"host{number}"))

    @staticmethod
    def of(comment, host):
        return {"matchers": [{"name": "host", "value": host, "isRegex": False, "isEqual": True}], "createdBy": "ann",
                "startsAt": "2020-01-01T00:00:00Z", "endsAt": "2099-01-01T00:00:00Z", "comment": comment}

    def shown(self):
        sections = {"active": {}, "pending": {}, "expired": {}}
        for silence in self.call("GET", "/api/v2/silences"):
            matcher = silence["matchers"][0]
            sections[silence["status"]["state"]][silence["id"]] = {
                "title": silence["comment"], "by": silence["createdBy"], "matches": f"{matcher['name']}={matcher['value']}"}
        return {name: rows for name, rows in sections.items() if rows}

    def body(self, random):
        return self.of(words(random), f"host{random.randrange(100)}")

    patch = None  # the service expires silences; nothing else of them is changed through it

    def add(self, random):
        self.call("POST", "/api/v2/silences", self.body(random))

    def alter(self, id, random):
        silence = next(silence for silence in self.call("GET", "/api/v2/silences") if silence["id"] == id)
        if silence["status"]["state"] != "expired":
            known = {name: silence[name] for name in ("id", "matchers", "startsAt", "endsAt", "createdBy")}
            self.call("POST", "/api/v2/silences", {**known, "comment": words(random)})

    def remove(self, id):
        if id in self.shown().get("active", {}):
            self.call("DELETE", f"/api/v2/silence/{id}")


class Syncthing(Changing):
    heading, address, probe, file, table = "Syncthing", "127.0.0.1:8384", "/rest/noauth/health", "syncthing", "folders"
    credentials = {"X-API-Key": "trial"}

    def prepare(self):
        home = self.folder / "home"
        subprocess.run(["syncthing", "generate", "--no-default-folder", f"--home={home}"], check=True, capture_output=True,
                       env={**os.environ, "HOME": str(self.folder)})
        path = home / "config.xml"
        text = path.read_text()
        # Nothing of it leaves the machine.
        for name, value in {"listenAddress": "tcp://127.0.0.1:0", "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false",
                            "relaysEnabled": "false", "natEnabled": "false", "urAccepted": "-1", "crashReportingEnabled": "false",
                            "autoUpgradeIntervalH": "0"}.items():
            text = re.sub(rf"<{name}>.*?</{name}>", f"<{name}>{value}</{name}>", text)
        path.write_text(text)

    def environment(self):
        return {"HOME": str(self.folder), "STNOUPGRADE": "1", "STMONITORED": "yes"}

    def command(self):
        return ["syncthing", "serve", f"--home={self.folder}/home", "--no-browser", "--no-restart", "--no-upgrade",
                f"--gui-address=127.0.0.1:{self.port}", "--gui-apikey=trial"]

    def answers(self):
        reply = self.ask("GET", "/rest/config/folders", None, self.credentials)
        return reply is not None and reply[0] == 200

    def fill(self):
        if not self.call("GET", "/rest/config/folders"):
            for number in range(1, 31):
                self.put(f"folder-{number:02}", f"Folder {number}", number * 60)

    def put(self, id, label, seconds):
        self.call("PUT", f"/rest/config/folders/{id}",
                  {"id": id, "label": label, "path": f"{self.folder}/{id}", "rescanIntervalS": seconds, "paused": True})

    def shown(self):
        return {"main": {folder["id"]: {"title": folder["label"], "path": folder["path"],
                                        "rescan": f"{folder['rescanIntervalS']:,} s"}
                         for folder in self.call("GET", "/rest/config/folders")}}

    def body(self, random):
        return {"label": words(random), "path": f"{self.folder}/{random.randrange(10**9)}", "rescanIntervalS": random.randrange(60, 9000)}

    def patch(self, random):
        name = random.choice(["label", "rescanIntervalS"])
        return {name: self.body(random)[name]}

    def add(self, random):
        self.put(f"own-{random.randrange(10**9)}", words(random), random.randrange(60, 9000))

    def alter(self, id, random):
        self.call("PATCH", f"/rest/config/folders/{id}", self.patch(random))

    def remove(self, id):
        self.call("DELETE", f"/rest/config/folders/{id}")


class Redmine(Changing):
    heading, address, probe, file, table = "Redmine", "127.0.0.1:3000", "/issues.json", "redmine", "issues"
    credentials = {"X-Redmine-API-Key": "a" * 40}

    def prepare(self):
        """Debian's files, copied, with an instance of its own."""
        self.copy = self.folder / "redmine"
        shutil.copytree("/usr/share/redmine", self.copy, symlinks=True)
        (self.copy / "instances").unlink()
        instance = self.copy / "instances/default"
        for name in ("config", "files", "log", "tmp"):
            (instance / name).mkdir(parents=True)
        database = f"production: {{adapter: sqlite3, database: {self.folder}/redmine.sqlite, timeout: 10000}}\n"
        (instance / "config/database.yml").write_text(database)
        (self.copy / "config/database.yml").unlink()
        (self.copy / "config/database.yml").write_text(database)
        (instance / "config/secret_key.txt").write_text("0" * 64)
        for command in (["bundle", "exec", "rake", "db:migrate"], ["bundle", "exec", "rake", "redmine:load_default_data"],
                        ["bundle", "exec", "ruby", str(HERE / "redmine_seed.rb")]):
            done = subprocess.run(command, cwd=self.copy, env={**os.environ, **self.environment()}, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{command}: {done.stdout[-1000:]}{done.stderr[-1000:]}")

    def environment(self):
        return {"RAILS_ENV": "production", "REDMINE_LANG": "en", "SCHEMA": "/dev/null"}

    def command(self):
        return ["puma", "--dir", str(self.copy), "-e", "production", "-b", f"tcp://127.0.0.1:{self.port}", "-w", "0", "-t", "2:4",
                str(self.copy / "config.ru")]

    def answers(self):
        reply = self.ask("GET", "/issues.json?limit=1", None, self.credentials)
        return reply is not None and reply[0] == 200

    def all(self):
        issues, total = [], 1
        while len(issues) < total:
            answer = self.call("GET", f"/issues.json?limit=100&offset={len(issues)}&sort=id&status_id=*")
            issues, total = issues + answer["issues"], answer["total_count"]
        return issues

    def shown(self):
        sections = {name: {} for name in ("New", "In Progress", "Resolved")}
        for issue in self.all():
            sections.setdefault(issue["status"]["name"], {})[str(issue["id"])] = {
                "title": issue["subject"], "done": f"{issue['done_ratio']} %", "closed": issue["status"]["is_closed"]}
        return {name: rows for name, rows in sections.items() if rows}

    def body(self, random):
        return {"project_id": 1, "subject": words(random)}

    def patch(self, random):
        return random.choice([{"subject": words(random)}, {"done_ratio": random.randrange(11) * 10}])

    def add(self, random):
        self.call("POST", "/issues.json", {"issue": self.body(random)})

    def alter(self, id, random):
        change = random.choice([self.patch(random), {"status_id": random.randrange(1, 4)}])
        self.call("PUT", f"/issues/{id}.json", {"issue": change})

    def remove(self, id):
        self.call("DELETE", f"/issues/{id}.json")


ALL = {kind.file: kind for kind in (REST, SAFRS, RabbitMQ, Alertmanager, Syncthing, Redmine)}
assert pathlib.Path(HERE / "configurations").is_dir()
