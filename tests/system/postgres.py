"""A PostgreSQL of its own for a test: in a folder, on a unix socket, started and killed at will."""

import glob
import os
import pwd
import signal
import subprocess
import tempfile

from component import Component
from server import Server, free_port


class Postgres(Component):
    def __init__(self):
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        assert folders, "no PostgreSQL: tools/install.sh test"
        self.programs = folders[-1]
        self.holder = tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp")
        self.folder = self.holder.name
        self.data = self.folder + "/data"
        self.process = None
        self.port, self.more = 5432, ["-c", "listen_addresses="]
        # It refuses to run as root.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        os.chmod(self.folder, 0o755)
        self.run("initdb", "--pgdata", self.data, "--username", "test", "--auth", "trust", "--no-sync",
                 "--locale", "C.UTF-8", "--encoding", "UTF8")
        self.start()

    def command(self, program, *words):
        drop = ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"] if self.user else []
        return drop + [f"{self.programs}/{program}", *words]

    def run(self, program, *words):
        subprocess.run(self.command(program, *words), check=True, capture_output=True, text=True, cwd=self.folder, timeout=60)

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(
            self.command("postgres", "-D", self.data, "-k", self.folder, *self.more),
            stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 30, "PostgreSQL to answer")

    def listen(self):
        """Starts it with TLS on a port of loopback; its own certificate, key and CA are in the folder of its data."""
        self.port = free_port()
        self.more = ["-c", "listen_addresses=127.0.0.1", "-c", "ssl=on", "-c", "ssl_cert_file=server.pem", "-c", "ssl_key_file=server.key",
                     "-c", "ssl_ca_file=ca.pem", "-c", f"port={self.port}"]
        self.start()

    def answers(self):
        return subprocess.run(self.command("pg_isready", "-h", self.folder, "-p", str(self.port)), capture_output=True).returncode == 0

    def kill(self):
        """Ends all its processes at once, as a crash would."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(20)

    def sql(self, text, database="postgres"):
        """Rows of a statement, one a line, with `|` between values."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port), "-U", "test", "-d", database, "-c", text],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
