"""The tables that clients of the trial look at, the service as a process, and lenses as requests say them."""
import http.client
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

HEADER = ('{cell: Title, payload: {title: "%s: ${$count}, ${$items | map(size) | sum}"}}, '
          'footer: {cell: Title, payload: {title: "${$items | map(title) | join(\'|\')}"}}')

CONFIGURATION = """
store: memory
history: %d
limits: {requestsPerMinute: 100000000, editsPerMinute: 100000000}
cells:
  Title: {fields: {title: string}}
  Label: {fields: {title: string}}
  Wide: {fields: {title: string, size: string}, fallback: Label}
  Fold: {fields: {title: string, size: string, isOpen: boolean}, expands: isOpen, fallback: Wide}
representations:
  label: {cell: Label, payload: {title: "${title}"}}
  wide: {cell: Wide, payload: {title: "${title}", size: "=${size}"}}
  fold: {cell: Fold, payload: {title: "${title}", size: "=${size}", isOpen: false}}
sources:
  tasks: {local: {items: [], default: {title: New, group: a}}}
tables:
""" + "".join("""  %s:
    source: tasks
    row: {type: "${kind ?? 'label'}"}
    can: {edit: true, move: true}
    sections:
%s
    find:
      prompt: Search all
      search: [title, body, tags]
      filters:
        state: {title: State, by: state, titles: {open: Open, none: Nothing, gone: Gone}}
        tag: {title: Tag, by: tags}
      sorts:
        size: {title: Size, by: size}
        title: {title: Title, by: title, order: descending}
        all: {title: All, by: size, order: descending, sections: false}
""" % (name, sections) for name, sections in [
    ("groups", "      {groupBy: group, header: " + HEADER % "${$key}" + "}"),
    ("fixed", "      - {id: first, where: \"group == 'a'\", header: " + HEADER % "first" + "}\n"
              "      - {id: void, where: \"group == 'void'\", hideEmpty: false, header: " + HEADER % "void" + "}\n"
              "      - {id: rest, where: \"group != 'a'\", header: " + HEADER % "rest" + "}\n"
              "      - {id: last, where: \"group == 'last'\", hideEmpty: false, header: " + HEADER % "last" + "}"),
])

TITLES = ["Swift", "swing by", "Straße", "strand", "été", "Éclair", "東京都", "カタカナ", "ｶﾀｶﾅ", "ไทยแลนด์", "foo_bar", "example.com",
          "ﬁsh", "İz", "42 rooms", "٤٢", "naïve-test", "Ⅷ", "²", "ᾳ", "ΣΑΣ", "ПРИВЕТ", "ё", "e\u0301te\u0301", "ﾊﾟﾝ", "x", ""]
QUERIES = ["s", "sw", "SWI", "strasse", "str", "ete", "ÉCL", "京", "都", "カナ", "ナ", "ﾅ", "ไทย", "แลน", "bar", "foo bar", "com", "fi", "iz", "4",
           "42", "naive test", "test naive", "viii", "2", "αι", "σας", "привет", "е", "パン", "ハン", "!!", "", "nothing", "swi swi", "x y", "swift strand"]
STATES = ["open", "closed", None, "", True, 3, "none", "Ümlaut:x"]


class Service:
    def __init__(self, path, configuration):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "tablecast.yaml").write_text(configuration)
        log = open(self.folder / "log", "w")
        self.process = subprocess.Popen([path, "serve", "--config", "tablecast.yaml", "--listen", "127.0.0.1:0", "--insecure"],
                                        cwd=self.folder, stdout=log, stderr=log)
        end = time.monotonic() + 30
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)", (self.folder / "log").read_text())):
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit("trial.py: the service did not start:\n" + (self.folder / "log").read_text())
            time.sleep(0.01)
        self.port = int(found.group(1))
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method, path, body=None, headers=None):
        fields = dict(headers or {})
        if body is not None:
            fields["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body).encode(), fields)
        reply = self.connection.getresponse()
        content = reply.read()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, json.loads(content) if content else None

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder)


def parameters(lens, all="all"):
    """Pairs of name and value, as a request has them."""
    pairs = [("view", lens.view)] if lens.view else []
    if lens.window:
        first, count = lens.window
        pairs.append(("rows", str(count) if first == 0 and count % 2 else f"{first}-{first + count - 1}"))
    elif all:
        pairs.append(("rows", all))
    if lens.q is not None:
        pairs.append(("q", lens.q))
    pairs += [("filter", f"{name}:{value}") for name, value in lens.filters]
    if lens.sort:
        pairs.append(("sort", lens.sort))
    if lens.menus:
        pairs.append(("find", "1"))
    return pairs


def query(lens, all="all"):
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters(lens, all))


def members(lens):
    return quote(";;" + ";".join(f"{name}={quote(value, safe='')}" for name, value in parameters(lens)), safe="")


def headers(lens):
    return {"Accept-Cells": ", ".join(lens.cells)} if lens.cells is not None else {}
