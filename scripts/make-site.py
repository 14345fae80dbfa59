#!/usr/bin/env python3
"""make-site.py OUTPUT: makes the site of the pages in docs/, the README, the changelog, the API's description and the references of the
clients. A link that leads nowhere is an error. `make site` runs it, in an environment with MkDocs. With BUILD, a folder of a debug build,
the site has the Swift client's reference, too."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / ".build/site-source"
# Where files lie that the site has no page of.
REPOSITORY = os.environ.get("REPOSITORY_URL", "https://github.com/tablecast/tablecast") + "/blob/main/"
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "UPGRADING.md": "upgrading.md", "CONTRIBUTING.md": "contributing.md"}
NAVIGATION = [
    ("Tablecast", "index.md"),
    ("First steps", ["connecting.md", "configuration.md", "cookbook/index.md", "changesets.md", "why-not.md"]),
    ("Reference", ["reference.md", "expressions.md", "protocol.md", "openapi.md", "clients.md", "javascript.md", "swift.md"]),
    ("Running it", ["deployment.md", "kubernetes.md", "identity.md", "security.md", "scaling.md", "changelog.md", "upgrading.md"]),
    ("Inside", ["architecture.md", "contributing.md"]),
]


SWIFT = """# Swift reference

[Clients](clients.md) says how to use the Swift client. <a href="swift/documentation/tablecastclient/">Its declarations</a> are pages of
their own, made by DocC. They are missing if this site was made without Swift.
"""


def relinked(text, origin):
    """Links of a page, as from where it stands in the repository, to where their targets stand in the site."""
    def replace(match):
        target, _, fragment = match[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(origin), target))
        if not (ROOT / path).exists():
            sys.exit(f"{origin}: {match[2]} leads nowhere")
        here = os.path.dirname(placed(origin))
        found = placed(path)
        if found is None:
            return f"{match[1]}({REPOSITORY}{path})"
        return f"{match[1]}({os.path.relpath(found, here or '.')}{'#' + fragment if fragment else ''})"
    # Code has no links. MkDocs wants lists inside lists indented by four spaces.
    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", text, flags=re.S | re.M)
    prose = lambda part: re.sub(r"(\[[^\]]*\])\(([^)\s]+)\)", replace, re.sub(r"(?m)^  (?=\S)", "    ", part))
    return "".join(part if index % 2 else prose(part) for index, part in enumerate(parts))


def placed(path):
    if path in PAGES:
        return PAGES[path]
    if path == "config/reference.yaml":
        return "reference.md"
    if path.startswith("docs/") and (path.endswith((".md", ".png", ".svg"))):
        return path[len("docs/"):]
    return None


def openapi():
    api = json.loads((ROOT / "Sources/TableService/Resources/openapi.json").read_text())
    def resolved(thing):
        while "$ref" in thing:
            target = api
            for name in thing["$ref"].lstrip("#/").split("/"):
                target = target[name.replace("~1", "/")]
            thing = target
        return thing
    out = ["# HTTP API", f"Version {api['info']['version']}. The service has this description as OpenAPI at `/v1/openapi.json`.", ""]
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            if method not in ("get", "post", "put", "patch", "delete", "head"):
                continue
            parameters = [resolved(each) for each in operations.get("parameters", []) + operation.get("parameters", [])]
            out += [f"## {method.upper()} `{path}`", operation.get("summary", ""), operation.get("description", ""), ""]
            if parameters:
                out += ["| parameter | in | |", "| --- | --- | --- |"]
                out += [f"| `{each['name']}` | {each['in']} | {' '.join(each.get('description', '').split()).replace('|', chr(92) + '|')} |" for each in parameters]
                out.append("")
            out += ["| status | |", "| --- | --- |"]
            out += [f"| {status} | {' '.join(resolved(answer).get('description', '').split()).replace('|', chr(92) + '|')} |"
                    for status, answer in operation["responses"].items()]
            out.append("")
    out += ["## Schemas", ""]
    for name, schema in api["components"]["schemas"].items():
        out += [f"### {name}", schema.get("description", ""), "", "```json", json.dumps(schema, indent=1, ensure_ascii=False), "```", ""]
    return "\n".join(out)


def javascript():
    files = sorted((ROOT / "Clients/JavaScript").glob("*.d.ts"), key=lambda file: (file.name != "tablecast.d.ts", file.name))
    text = subprocess.run(["node", ROOT / "scripts/javascript-reference.mjs", *files], check=True, capture_output=True, text=True).stdout
    return f"# JavaScript reference\n\nThe declarations of the client. [Clients](clients.md) says how to use it.\n\n{text}"


def swift(output):
    """The Swift client's reference, by the DocC that comes with Swift, of the built module in BUILD. It is a page of its own, and needs
    to know where the site will stand: SITE_PATH, such as /tablecast."""
    with tempfile.TemporaryDirectory() as graphs:
        run = lambda *words: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        target = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout)["target"]["triple"]
        run("swift", "symbolgraph-extract", "-module-name", "TablecastClient", "-I", os.environ["BUILD"] + "/Modules", "-target", target,
            "-minimum-access-level", "public", "-output-dir", graphs)
        run("docc", "convert", ROOT / "Sources/TablecastClient/TablecastClient.docc", "--additional-symbol-graph-dir", graphs,
            "--fallback-bundle-identifier", "app.tablecast.client", "--fallback-display-name", "TablecastClient",
            "--transform-for-static-hosting", "--hosting-base-path", os.environ.get("SITE_PATH", "").strip("/") + "/swift",
            "--output-path", output / "swift")


def reference():
    text = (ROOT / "config/reference.yaml").read_text()
    return f"# Every key of a configuration\n\n`tablecast schema` prints the JSON schema.\n\n```yaml\n{text.strip()}\n```\n"


def main():
    output = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages = {path: PAGES[path] for path in PAGES}
    for file in (ROOT / "docs").rglob("*"):
        path = str(file.relative_to(ROOT))
        if placed(path):
            pages[path] = placed(path)
    for path, page in pages.items():
        target = SOURCE / "docs" / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".md"):
            target.write_text(relinked((ROOT / path).read_text(), path))
        else:
            shutil.copy(ROOT / path, target)
    for name, text in (("openapi.md", openapi()), ("javascript.md", javascript()), ("swift.md", SWIFT), ("reference.md", reference())):
        (SOURCE / "docs" / name).write_text(text)
    recipes = sorted(page for page in pages.values() if page.startswith("cookbook/") and page != "cookbook/index.md")
    navigation = [{title: entry} for title, entry in NAVIGATION]
    navigation.insert(2, {"Cookbook": recipes})
    listed = set(re.findall(r'"([a-z0-9/-]+\.md)"', json.dumps(navigation)))
    navigation[-1]["Inside"] += sorted({page for page in pages.values() if page.endswith(".md")} - listed)
    # JSON is YAML.
    (SOURCE / "mkdocs.yml").write_text(json.dumps({
        "site_name": "Tablecast", "docs_dir": "docs", "site_dir": str(output), "use_directory_urls": False,
        "theme": {"name": "readthedocs", "highlightjs": False, "analytics": None}, "plugins": ["search"], "nav": navigation,
        "markdown_extensions": ["tables", "pymdownx.superfences", "sane_lists", {"toc": {"permalink": True}}],
        "validation": {"links": {"anchors": "warn", "not_found": "warn"}},
    }))
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", SOURCE / "mkdocs.yml"], check=True)
    if "BUILD" in os.environ:
        swift(output)
    print(f"{output}/index.html")


main()
