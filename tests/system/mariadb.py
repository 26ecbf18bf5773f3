"""A MariaDB of its own for a test: in a folder, on a port of loopback and a unix socket, started and killed at will."""

import os
import pwd
import subprocess
import tempfile

from component import Component
from server import Server, free_port


class MariaDb(Component):
    def __init__(self, *options):
        self.holder = tempfile.TemporaryDirectory(prefix="maria-", dir="/tmp")
        self.folder = self.holder.name
        self.data, self.socket = self.folder + "/data", self.folder + "/sock"
        self.port = free_port()
        self.options = options
        self.process = None
        # It refuses to run as root; its package creates no user, and any unprivileged user will do.
        self.user = pwd.getpwnam("nobody").pw_name if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        os.chmod(self.folder, 0o755)
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={self.data}", "--auth-root-authentication-method=normal",
             "--skip-test-db", "--innodb-log-file-size=8M", *([f"--user={self.user}"] if self.user else [])],
            check=True, capture_output=True, text=True, timeout=60)
        self.start()
        # The tests' own log-in, which sees what the server sees.
        self.sql("CREATE DATABASE logs; CREATE USER 'syslog-ng'@'%' IDENTIFIED BY 'secret-password'; GRANT ALL ON logs.* TO 'syslog-ng'@'%'")

    def start(self):
        log = open(self.folder + "/log", "ab")
        program = next(path for path in ("/usr/sbin/mariadbd", "/usr/libexec/mariadbd") if os.path.exists(path))
        self.process = subprocess.Popen(
            [program, "--no-defaults", f"--datadir={self.data}", f"--socket={self.socket}", f"--port={self.port}",
             "--bind-address=127.0.0.1", "--innodb-log-file-size=8M", "--innodb-buffer-pool-size=64M", f"--pid-file={self.folder}/pid",
             *([f"--user={self.user}"] if self.user else []), *self.options],
            stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 30, "MariaDB to answer")

    def answers(self):
        self.check_running()
        return self.client("SELECT 1").returncode == 0

    def client(self, text, database="mysql"):
        return subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "--batch", "--skip-column-names", "--raw",
             "--default-character-set=utf8mb4", f"--database={database}", "--execute", text],
            capture_output=True, text=True, timeout=60)

    def sql(self, text, database="logs"):
        """Rows of a statement, one a line, with tabs between values."""
        done = self.client(text, database if "CREATE DATABASE" not in text else "mysql")
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
