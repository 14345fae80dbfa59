#!/usr/bin/env python3
"""What a disk does to a database, and what the service has to make of it.

    faults.py TABLECAST FAULT [--seed N]

FAULT is full, truncated, damaged, newer or locked. Exit status 77: this machine can't show the fault."""

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

from mirror import Mirror
from service import Service, require, version

SKIPPED = 77


def full(executable, folder, _):
    """No room: 507, nothing changed, reading goes on; edits work again when there is room."""
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True).returncode:
        print("skipped: a small tmpfs can't be mounted here; that needs root")
        return SKIPPED
    try:
        with Service(executable, folder, store="disk/store.sqlite") as service:
            service.start()
            ballast = os.path.join(disk, "ballast")
            with open(ballast, "wb") as file:
                file.write(bytes(1 << 20))
            client, poller = service.client(), service.client()
            acknowledged = []
            for number in range(2000):
                status, reply = client.request("POST", "/items", {"title": "x" * 8000, "n": number})
                if status != 201:
                    break
                acknowledged.append(number)
            require(status == 507, f"A full disk is answered with {status}: {reply}")
            before = client.snapshot()
            require(shown(before) == acknowledged, "On a full disk the table is not what was acknowledged")
            polled = []
            poll = threading.Thread(target=lambda: polled.append(poller.changes(before["cursor"], wait=2)))
            poll.start()
            for number in range(20):
                status, reply = client.request(
                    "POST", "/items", {"title": "y" * 8000, "n": 9000}, {"Idempotency-Key": f"full {number}"})
                require(status == 507, f"Edit {number} on a full disk is answered with {status}: {reply}")
                require(client.snapshot() == before, "An edit answered with 507 has changed the table")
            poll.join()
            require(polled and polled[0].get("stages") == [], f"A poll on a full disk is answered {polled}")
            os.unlink(ballast)
            status, reply = client.request("POST", "/items", {"title": "room", "n": 1}, {"Idempotency-Key": "full 0b"})
            require(status == 201, f"With room again an edit is answered with {status}: {reply}")
            require(version(reply["cursor"]) == version(before["cursor"]) + 1, f"The next version is {reply}")
            after = client.snapshot()
            require(shown(after) == acknowledged + [1], "With room again the table is another one")
            service.kill()
            # A start writes the log back into the database, for which it needs room of its own.
            subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
            service.start()
            client = service.client()
            require(client.snapshot() == after, "After a full disk and a restart the table is another one")
            require("stages" in client.changes(before["cursor"]), "The cursor of the full disk is not continued")
            service.stop()
        print(f"edits until the disk was full: {len(acknowledged)}; refused with 507: 21")
    finally:
        subprocess.run(["umount", disk], check=True)
    return 0


def truncated(executable, folder, generator):
    """A log that is cut off or damaged: what stands whole in it is there, and the service starts."""
    with Service(executable, folder) as service:
        service.start()
        service.stop()
        service.start()
        client = service.client()
        log = service.store + "-wal"
        snapshots = [(0, client.snapshot())]
        for number in range(40):
            status, reply = client.request("POST", "/items", {"title": f"edit {number}", "n": number})
            require(status == 201, f"An edit is answered with {status}: {reply}")
            snapshots.append((os.path.getsize(log), client.snapshot()))
        service.kill()
        whole = os.path.join(folder, "whole")
        os.mkdir(whole)
        for suffix in ("", "-wal"):
            shutil.copy(service.store + suffix, whole)
        size = os.path.getsize(log)
        cuts = [0, 1, 31, 32, 33, size - 1, size] + [generator.randrange(size) for _ in range(12)]
        for number, cut in enumerate(cuts):
            for suffix in ("", "-wal"):
                shutil.copy(os.path.join(whole, "store.sqlite" + suffix), service.store + suffix)
            if os.path.exists(service.store + "-shm"):
                os.unlink(service.store + "-shm")
            with open(log, "r+b") as file:
                if number % 2 and 0 < cut < size:
                    file.seek(cut)
                    byte = file.read(1)
                    file.seek(cut)
                    file.write(bytes([byte[0] ^ 0x40]))
                else:
                    file.truncate(cut)
            expected = [snapshot for end, snapshot in snapshots if end <= cut][-1]
            service.start()
            client = service.client()
            found = client.snapshot()
            # What was put in the place of what the last run has left goes on in another epoch.
            is_lost = found["cursor"].split(".")[0] != expected["cursor"].split(".")[0]
            require({**found, "cursor": version(found["cursor"])} == {**expected, "cursor": version(expected["cursor"])},
                    f"A log of {size} bytes, damaged at {cut}: version {found['cursor']} is there "
                    f"instead of {expected['cursor']}")
            for _, earlier in snapshots[:version(expected["cursor"]) - version(snapshots[0][1]["cursor"]) + 1:7]:
                mirror = Mirror(earlier)
                reset = mirror.apply(client.changes(earlier["cursor"]))
                continued = reset == "epoch" if is_lost else reset in (None, "large")
                require(continued and mirror.same(found), f"{earlier['cursor']} is not continued: {reset}")
            status, reply = client.request("POST", "/items", {"title": "goes on"})
            require(status == 201, f"After a damaged log an edit is answered with {status}: {reply}")
            service.kill()
        print(f"logs cut off or damaged: {len(cuts)}")
    return 0


def damaged(executable, folder, generator):
    """A file that is no whole database: refused with what to do, and left as it is."""
    with Service(executable, folder) as service:
        service.start()
        client = service.client()
        for number in range(60):
            client.request("POST", "/items", {"title": "x" * 2000, "n": number})
        service.stop()
        with open(service.store, "rb") as file:
            whole = file.read()
        pages = len(whole) // 4096

        def garbage(at, count):
            return whole[:at] + generator.randbytes(count) + whole[at + count:]

        for name, content in {
            "its first page is garbage": garbage(0, 4096),
            "its schema is garbage": garbage(100, 3996),
            "pages in the middle are garbage": garbage(4096 * 2, 4096 * (pages - 3)),
            "its end is missing": whole[:len(whole) // 2],
            "it is no database": b"This is a letter, not a database.\n" * 500,
        }.items():
            with open(service.store, "wb") as file:
                file.write(content)
            status, output = service.refuse()
            require(status == 1, f"A database of which {name}: exit status {status}\n{output}")
            require("damaged" in output and ".recover" in output and service.store in output,
                    f"A database of which {name} is reported so: {output}")
            with open(service.store, "rb") as file:
                require(file.read() == content, f"A database of which {name} was changed")
        with open(service.store, "wb") as file:
            file.write(whole)
        service.start()
        require(len(shown(service.client().snapshot())) == 60, "The backup put in its place is not served")
        service.stop()
    print("damaged databases refused: 5")
    return 0


def newer(executable, folder, _):
    """A database of a later release, and one of another program."""
    with Service(executable, folder) as service:
        service.start()
        service.stop()
        database = sqlite3.connect(service.store)
        database.execute("INSERT INTO grdb_migrations VALUES ('9999')")
        database.commit()
        database.close()
        status, output = service.refuse()
        require(status == 1 and "newer version" in output and "9999" in output, f"Exit status {status}: {output}")
        os.unlink(service.store)
        database = sqlite3.connect(service.store)
        database.execute("CREATE TABLE recipe (name TEXT)")
        database.commit()
        database.close()
        status, output = service.refuse()
        require(status == 1 and "another program" in output, f"Exit status {status}: {output}")
    print("newer and foreign databases refused: 2")
    return 0


def locked(executable, folder, _):
    """A second process on the file names the first and ends; the first goes on, and a kill frees the file."""
    with Service(executable, folder) as service:
        service.start()
        status, output = service.refuse()
        require(status == 1 and f"process {service.process.pid}" in output, f"Exit status {status}: {output}")
        status, reply = service.client().request("POST", "/items", {})
        require(status == 201, f"Beside a refused process an edit is answered with {status}: {reply}")
        service.kill()
        service.start()
        service.stop()
    print("second processes refused: 1")
    return 0


def shown(snapshot):
    return [row["payload"]["n"] for section in snapshot["sections"] for row in section["rows"]]


FAULTS = {fault.__name__: fault for fault in (full, truncated, damaged, newer, locked)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tablecast")
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return FAULTS[arguments.fault](arguments.tablecast, folder, random.Random(arguments.seed))


if __name__ == "__main__":
    sys.exit(main())
