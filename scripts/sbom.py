#!/usr/bin/env python3
"""sbom.py BINARY OUTPUT [LEAN]: what a build is made of, as SPDX 2.3: the Swift packages of Package.resolved and the Debian
packages whose libraries the binary is linked with. LEAN is a folder of lean-libraries.sh, where the build loads these."""
import hashlib, json, os, re, subprocess, sys
from datetime import datetime, timezone

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, location, reference, comment=None):
    entry = {
        "SPDXID": identifier(name), "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}
        ],
    }
    if comment:
        entry["comment"] = comment
    return entry


def swift_packages():
    with open(os.path.join(root, "Package.resolved")) as file:
        pins = json.load(file)["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        location = re.sub(r"\.git$", "", pin["location"])
        state = pin["state"]
        version = state.get("version", state["revision"])
        purl = "pkg:swift/" + location.split("://", 1)[-1] + "@" + version
        yield package(pin["identity"], version, f"git+{location}@{state['revision']}", purl)


def lean_packages(lean):
    """The sources that the lean libraries are built from: lines of a name and a version."""
    with open(os.path.join(lean, "VERSIONS")) as file:
        for name, version in (line.split() for line in file if line.strip()):
            purl = f"pkg:deb/debian/{name}@{version}?arch=source"
            yield package(name, version, "NOASSERTION", purl, "built lean from this source package")


def debian_packages(binary, lean):
    """The owners of what the dynamic linker loads."""
    loaded = subprocess.run(
        ["ldd", binary], check=True, capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": lean or ""}
    ).stdout
    libraries = set(re.findall(r"(?:=> )?(/\S+) \(0x", loaded))
    owners = set()
    for library in libraries:
        # Packages from before the merge of /usr own their libraries by the old path.
        for path in {library, os.path.realpath(library), os.path.realpath(library).removeprefix("/usr")}:
            found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
            owners |= {line.split(": ")[0] for line in found.stdout.splitlines() if ": " in line}
    for owner in sorted(owners):
        text = run("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}\t${source:Package}", owner)
        name, version, architecture, source = text.split("\t")
        purl = f"pkg:deb/debian/{name}@{version}?arch={architecture}"
        yield package(name, version, "NOASSERTION", purl, f"built from the source package {source}")


def main():
    binary, output, *rest = sys.argv[1:]
    lean = os.path.realpath(rest[0]) if rest else None
    version = run(binary, "--version").strip()
    with open(binary, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    main_package = package("tablecast", version, "NOASSERTION", f"pkg:generic/tablecast?checksum=sha256:{digest}")
    main_package["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    parts = [*swift_packages(), *(lean_packages(lean) if lean else ()), *debian_packages(binary, lean)]
    created = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.now().timestamp()), timezone.utc)
    # An address of its own for each document: of one binary there may be one with lean libraries, and one without.
    content = hashlib.sha256(json.dumps([main_package, *parts], sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "tablecast",
        "documentNamespace": f"https://tablecast.example/spdx/{content}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
        "packages": [main_package, *parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": main_package["SPDXID"]},
            *({"spdxElementId": main_package["SPDXID"], "relationshipType": "DEPENDS_ON",
               "relatedSpdxElement": part["SPDXID"]} for part in parts),
        ],
    }
    with open(output, "w") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
    print(f"{output}: {len(parts)} packages")


main()
