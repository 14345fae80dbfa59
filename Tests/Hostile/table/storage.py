"""What lies under the store: a file system that is read-only, full or gone, and paths that are no files."""
import os, pathlib, shutil, subprocess, tempfile, threading, time

from trial import EDITOR, CannotTry, attack, holds


class Folder:
    """A folder in which the service runs, with a file system of its own below `data`."""

    def __init__(self, options=None):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-storage-"))
        self.data = self.path / "data"
        self.data.mkdir()
        self.mounted = options is not None
        if self.mounted and subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.data)], stderr=subprocess.DEVNULL).returncode:
            shutil.rmtree(self.path)
            raise CannotTry("nothing can be mounted here")

    def remount(self, options):
        holds(subprocess.run(["mount", "-o", f"remount,{options}", str(self.data)]).returncode == 0, "the mount")

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.data)], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.path, ignore_errors=True)


STORE = {"store": {"path": "data/tablecast.sqlite"}}


def edits(service, count, size=100):
    return [service.ask("POST", "/v1/tables/todo/items", [EDITOR], {"title": "x" * size}, seconds=30).status for _ in range(count)]


def bears(trial, options, spoil, mend, size=100, count=30):
    """Edits fail in words while it lasts, reads go on, and nothing that was acknowledged is lost."""
    folder = Folder(options)
    try:
        service = trial.start(STORE, folder=folder.path)
        holds(service.port, "did not start", service.log()[-500:])
        holds(edits(service, 5) == [201] * 5, "edits")
        spoil(folder)
        refused = edits(service, count, size)
        holds(set(refused) <= {201, 500, 503, 507}, "edits were answered", refused)
        holds(service.ask("GET", "/v1/tables/todo").status == 200, "it is not read")
        holds(service.lives, "the service ended", service.log()[-500:])
        mend(folder)
        end = time.monotonic() + 30
        while (again := edits(service, 1)[0]) != 201 and time.monotonic() < end:
            time.sleep(0.2)
        holds(again == 201, "edits go on with", again)
        there = len(service.rows())
        holds(there == 8 + 5 + refused.count(201) + 1, "there are", there, "rows, of acknowledged", 14 + refused.count(201))
        service.end()
        second = trial.start(STORE, folder=folder.path)
        holds(second.port and len(second.rows()) == there, "after a restart there are other rows:", second.log()[-500:])
        second.end()
        return refused
    finally:
        trial.close()
        folder.close()


@attack("a file system that is read-only, with a store on it and without", "the start is refused in words; with a writable one all is there", alone=True, quick=False)
def a_file_system_that_is_read_only(trial):
    folder = Folder("size=64m")
    try:
        for rows in (None, 10):
            folder.remount("ro")
            service = trial.start(STORE, folder=folder.path, seconds=10)
            holds(service.port is None and service.process.poll() == 1, "it starts, or does not end:", service.process.poll())
            holds("can't be opened" in service.log() or "read" in service.log(), "no words:", service.log()[-300:])
            folder.remount("rw")
            if rows is None:
                service = trial.start(STORE, folder=folder.path)
                holds(edits(service, 2) == [201, 201], "edits")
                service.end()
        service = trial.start(STORE, folder=folder.path)
        holds(service.port and len(service.rows()) == 10, "what was stored is not there")
    finally:
        trial.close()
        folder.close()


@attack("files that may no longer grow (`prlimit --fsize`) while the service runs", "edits fail in words, the service lives, and goes on when they may", alone=True, quick=False, needs=("prlimit",))
def files_that_may_not_grow(trial):
    def limit(size):
        return lambda _: subprocess.run(["prlimit", "--pid", str(trial.started[-1].pid), f"--fsize={size}"], check=True)
    bears(trial, "size=64m", limit("4096:unlimited"), limit("unlimited:unlimited"), size=5000, count=5)


@attack("a disk of 3 MB that fills up", "507 for what has no place, smaller edits and reads go on, nothing is lost", alone=True)
def a_disk_that_fills_up(trial):
    refused = bears(trial, "size=3m", lambda folder: None, lambda folder: folder.remount("size=64m"), size=200_000)
    holds(507 in refused or 503 in refused, "it was never full", refused)


@attack("a file system without a further inode", "the service starts or says why it can't, and answers", alone=True, quick=False)
def no_inode_is_left(trial):
    def fill(folder):
        try:
            for number in range(10_000):
                (folder.data / f"x{number}").touch()
        except OSError:
            pass
    bears(trial, "size=64m,nr_inodes=12", fill, lambda folder: folder.remount("nr_inodes=1000"), count=5)


@attack("a store's folder that is removed while the service runs", "no crash; what comes of edits is said; reads go on", alone=True, quick=False)
def a_folder_that_vanishes(trial):
    folder = Folder()
    try:
        service = trial.start(STORE, folder=folder.path)
        edits(service, 2)
        shutil.rmtree(folder.data)
        told = edits(service, 5)
        holds(set(told) <= {201, 500, 503, 507}, "edits were answered", told)
        holds(service.ask("GET", "/v1/tables/todo").status == 200 and service.lives, "it is not read")
        print(f"          edits were answered {told}; {[line for line in service.log().splitlines() if 'error' in line or 'warning' in line][-1:]}")
        status = service.end()
        holds(status is not None, "it does not end")
    finally:
        trial.close()
        folder.close()


@attack("a store's path that is a FIFO, a device, a directory, a socket, a link to nowhere or to another's file, a text, a file without rights",
        "the start is refused within seconds and in words, nothing is overwritten; a link to a file is followed", alone=True, quick=False)
def paths_that_are_no_files(trial):
    made = {
        "fifo": lambda path: os.mkfifo(path), "device": lambda path: os.symlink("/dev/zero", path), "null": lambda path: os.symlink("/dev/null", path),
        "directory": lambda path: path.mkdir(), "a loop": lambda path: os.symlink(path, path), "text": lambda path: path.write_text("precious\n" * 1000),
        "nowhere": lambda path: os.symlink(path.parent / "none" / "x", path), "proc": lambda path: os.symlink("/proc/self/mem", path),
        "empty": lambda path: path.touch(), "link": lambda path: (path.parent / "other").touch() or os.symlink(path.parent / "other", path),
        "log is a fifo": lambda path: os.mkfifo(str(path) + "-wal"), "log is a directory": lambda path: pathlib.Path(str(path) + "-wal").mkdir(),
        "lock is a fifo": lambda path: os.mkfifo(str(path) + ".lock") or os.mkfifo(str(path) + "-lock"),
        "log is a text": lambda path: pathlib.Path(str(path) + "-wal").write_text("x" * 5000),
    }
    for name, make in made.items():
        folder = Folder()
        try:
            path = folder.data / "tablecast.sqlite"
            make(path)
            before = time.monotonic()
            service = trial.start(STORE, folder=folder.path, seconds=12)
            took, said = time.monotonic() - before, service.log()[-300:].strip()
            print(f"          {name}: {'serves' if service.port else f'ended with {service.process.poll()}'} after {took:.1f} s {'' if service.port else said[-200:]!r}")
            holds(service.port or service.process.poll() == 1 or service.process.poll() == 78, name, "neither serves nor ends in words:", service.process.poll(), said)
            if name == "text":
                holds(path.read_text().startswith("precious"), "the text is overwritten")
            if service.port:
                holds(edits(service, 2) == [201, 201], name, "edits")
            service.end()
        finally:
            trial.close()
            folder.close()


@attack("two services on one file; a file that is exchanged by another one under the service", "the second is refused in words; the first says what it finds, and lives", alone=True, quick=False)
def a_file_of_two(trial):
    folder = Folder()
    try:
        service = trial.start(STORE, folder=folder.path)
        edits(service, 2)
        second = trial.start(STORE, folder=folder.path, seconds=10)
        holds(second.port is None and second.process.poll() not in (None, -4, -5, -6, -11), "a second one serves the same file")
        path = folder.data / "tablecast.sqlite"
        shutil.copy(path, folder.data / "copy")
        os.replace(folder.data / "copy", path)
        told = edits(service, 3)
        holds(set(told) <= {201, 500, 503}, "edits were answered", told)
        path.write_bytes(b"\0" * 100_000)
        told = edits(service, 3)
        holds(set(told) <= {201, 500, 503} and service.lives, "edits were answered", told)
        holds(service.ask("GET", "/v1/tables/todo").status == 200, "it is not read")
    finally:
        trial.close()
        folder.close()
