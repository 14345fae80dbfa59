#!/usr/bin/env python3
"""lean-icu.py OBJECT: makes an object file of the ICU data that Tablecast uses, and prints the definition by which a linker takes it instead
of the 34 MB that come with Swift's Foundation: `--defsym` and OBJECT. Needs Swift's static libraries, clang and ar.

What goes are the trees and files that nothing in Tablecast asks for: converters of other encodings, names of languages, units and
characters, transliteration, and dictionaries for line breaks. Patterns of dates and numbers, currencies, time zones, plural rules, collation and
normalization stay, for every locale. `scripts/check-lean-icu.py` compares what both binaries write.

The format is ICU's common data: a header whose first two bytes are its size, then a count, then for each item the offsets of its name and of its
bytes, sorted by name (ucmndata.h and package.cpp of ICU).
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

SYMBOL = "tablecast_icu_data"
UNUSED_TREES = {"lang", "unit", "translit"}
UNUSED_KINDS = {"cnv", "spp", "cfu", "dict"}
UNUSED_ITEMS = {"unames.icu", "cnvalias.icu"}


def is_used(name):
    path = name.split("/")[1:]  # without the package's name
    if len(path) > 1 and path[0] in UNUSED_TREES:
        return False
    return path[-1] not in UNUSED_ITEMS and path[-1].rsplit(".", 1)[-1] not in UNUSED_KINDS


def items(package):
    """The header, and pairs of names and bytes in the package's order."""
    (size,) = struct.unpack_from("<H", package)
    if package[2:4] != b"\xda\x27" or package[12:16] != b"CmnD":
        sys.exit("lean-icu: not ICU's common data")
    (count,) = struct.unpack_from("<I", package, size)
    entries = [struct.unpack_from("<II", package, size + 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in entries[1:]] + [len(package) - size]
    found = []
    for (name, start), end in zip(entries, ends):
        name = package[size + name : package.index(b"\0", size + name)].decode()
        found.append((name, package[size + start : size + end]))
    return package[:size], found


def packed(header, kept):
    """A package of these items; each item's bytes begin at a multiple of 16, as ICU asks."""
    names = b""
    offsets = []
    table = 4 + 8 * len(kept)
    for name, _ in kept:
        offsets.append(table + len(names))
        names += name.encode() + b"\0"
    parts = []
    position = table + len(names)
    for _, content in kept:
        padding = -(len(header) + position) % 16
        parts.append((position + padding, b"\0" * padding + content))
        position += padding + len(content)
    body = b"".join(part for _, part in parts)
    entries = b"".join(struct.pack("<II", offset, start) for offset, (start, _) in zip(offsets, parts))
    return header + struct.pack("<I", len(kept)) + entries + names + body


def main():
    out = os.path.abspath(sys.argv[1])
    resources = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["paths"]["runtimeResourcePath"]
    archive = os.path.join(os.path.dirname(resources), "swift_static", "linux", "lib_FoundationICU.a")
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["ar", "x", archive, "icu_packaged_data.cpp.o"], cwd=work, check=True)
        member = os.path.join(work, "icu_packaged_data.cpp.o")
        symbols = [line.split()[-1] for line in subprocess.check_output(["nm", member], text=True).splitlines()]
        if len(symbols) != 1:
            sys.exit(f"lean-icu: one symbol was expected in {member}, not {symbols}")
        whole = os.path.join(work, "whole.dat")
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata*", member, whole], check=True)
        with open(whole, "rb") as file:
            header, found = items(file.read())
        lean = packed(header, [(name, content) for name, content in found if is_used(name)])
        with open(os.path.join(work, "lean.dat"), "wb") as file:
            file.write(lean)
        assembly = (
            f'.section .rodata\n.globl {SYMBOL}\n.type {SYMBOL}, @object\n.p2align 4\n{SYMBOL}:\n'
            f'.incbin "lean.dat"\n.size {SYMBOL}, . - {SYMBOL}\n.section .note.GNU-stack,"",@progbits\n'
        )
        subprocess.run(["clang", "-c", "-x", "assembler", "-", "-o", out], input=assembly, text=True, cwd=work, check=True)
    print(f"{symbols[0]}={SYMBOL}")
    print(f"lean-icu: {len(found)} items of {os.path.getsize(out) / 1e6:.1f} MB", file=sys.stderr)


main()
