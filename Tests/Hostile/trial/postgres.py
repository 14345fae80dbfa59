"""A PostgreSQL server of the trial's own, in a folder of its own, over a socket there."""
import os, pathlib, shutil, subprocess, tempfile

from .attack import CannotTry


class Postgres:
    def __init__(self):
        installed = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not installed:
            raise CannotTry("there is no PostgreSQL")
        self.binaries, self.folder = installed[-1], pathlib.Path(tempfile.mkdtemp(prefix="tablecast-postgres-"))
        self.folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "--no-sync", "--auth=trust", "--username=tests", f"--pgdata={self.folder}/data")
        self.run("sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh", str(self.binaries / "pg_ctl"), "-w", "-D", f"{self.folder}/data",
                 "-o", f"-k {self.folder} -h ''", "-l", f"{self.folder}/log", "start")
        self.address = f"host={self.folder} user=tests dbname=postgres"

    def run(self, *words):
        program = self.binaries / words[0]
        words = [str(program) if program.exists() else words[0], *words[1:]]
        words = ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words
        ended = subprocess.run(words, cwd="/", text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if ended.returncode:
            raise CannotTry(f"{words[-1]}: {ended.stderr[-500:]}")
        return ended.stdout

    def ask(self, statement):
        return self.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "tests", "-c", statement, "postgres").strip()

    def close(self):
        try:
            self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")
        except CannotTry:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)
