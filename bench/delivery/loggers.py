"""The log servers under test, each in a folder of its own, with the configuration that `conf/` has for it and a store.

Duramen is started as the system tests do. rsyslog is the machine's, with the modules that tools/install.sh unpacked; syslog-ng is unpacked
whole. A rival runs as its own documentation says for delivery without loss: a queue on disk, retries without end, errors in a file."""

import glob
import os
import re
import signal
import socket
import subprocess
import tempfile

from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
TICKS = os.sysconf("SC_CLK_TCK")


class Missing(Exception):
    """A server cannot do what a row needs, for the reason given."""


def configuration(logger, store, values):
    """The text of a configuration: the source of a server, and its destination for a store."""
    def part(name):
        path = f"{HERE}/conf/{logger}/{name}.conf"
        if not os.path.exists(path):
            raise Missing(f"{logger} has no output for {name}")
        with open(path) as text:
            return text.read()

    text = part("source").replace("@DESTINATION@", part(store))
    for name, value in {"FLAGS": "flags(syslog-protocol)", **values}.items():
        text = text.replace(f"@{name}@", str(value))
    assert not (left := re.findall(r"@[A-Z_]+@", text)), f"{logger}, {store}: no value for {left}"
    return text


def cost(pid):
    """CPU seconds of a process so far, and its peak memory in MiB."""
    with open(f"/proc/{pid}/stat") as text:
        words = text.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{pid}/status") as text:
        peak = re.search(r"VmHWM:\s+(\d+)", text.read())
    return (int(words[11]) + int(words[12])) / TICKS, int(peak.group(1)) / 1024 if peak else 0.0


class Duramen:
    name = "duramen"
    # It keeps what a store refuses, and says what became of every message.
    keeps_refused = True

    @staticmethod
    def has_key(store):
        """Whether what it sends twice is stored once."""
        return store.has_key

    def __init__(self, binary):
        self.binary = binary
        self.server = None

    def start(self, store, values):
        self.server = Server(self.binary, "")
        self.port, self.store = self.server.port, store
        self.configure(store, values)
        self.server.start(within=60)

    def configure(self, store, values):
        text = configuration(self.name, store, {"PORT": self.port, "FOLDER": self.server.folder, **values})
        with open(self.server.config, "w") as out:
            out.write(text)

    def reload(self, values):
        self.configure(self.store, values)
        self.server.ctl("reload")

    @property
    def pid(self):
        return self.server.process.pid

    def ended(self):
        return self.server.process.poll()

    def cost(self):
        return cost(self.pid)

    def counters(self):
        """The counters of the destination `d`, over all its parts."""
        found = {"processed": 0, "written": 0, "queued": 0, "dropped": 0, "dead": 0}
        for line in self.server.ctl("stats").splitlines():
            row = line.split(";")
            if row[0].startswith("dst.") and row[1].startswith("d#") and row[2] and row[4] in found:
                found[row[4]] += int(row[5])
        return found

    def letters(self):
        return subprocess.run([self.binary, "queue", "dead", "ls", "--control", self.server.folder + "/ctl"],
                              check=True, capture_output=True, text=True, timeout=60).stdout.strip()

    def replay(self):
        done = subprocess.run([self.binary, "queue", "dead", "replay", "d#0", "--control", self.server.folder + "/ctl"],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def kept_aside(self):
        return set()

    def problems(self):
        return self.server.stderr()[-2000:] + self.server.ctl("healthcheck")

    def close(self):
        if self.server:
            self.server.close()


class Rival:
    """A server that is a process with a configuration and a folder."""

    keeps_refused = False
    # The stores for which its configuration gives messages a key.
    keys = ()

    def has_key(self, store):
        return store.name in self.keys

    def __init__(self):
        self.process = self.holder = None
        self.spent = (0.0, 0.0)

    def start(self, store, values):
        self.holder = tempfile.TemporaryDirectory(prefix=f"{self.name}-", dir="/tmp")
        self.folder, self.port = self.holder.name, free_port()
        os.chmod(self.folder, 0o755)
        os.mkdir(self.folder + "/queue")
        path = self.folder + "/server.conf"
        with open(path, "w") as out:
            out.write(configuration(self.name, store, {"PORT": self.port, "FOLDER": self.folder, **values}))
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(self.command(path), stdout=log, stderr=log, cwd=self.folder, env={**os.environ, **self.environment()})
        Server.until(self.answers, 60, f"{self.name} to listen")

    def answers(self):
        assert self.process.poll() is None, f"{self.name} ended with {self.process.returncode}:\n{self.problems()}"
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def environment(self):
        return {}

    @property
    def pid(self):
        return self.process.pid

    def ended(self):
        """The status with which it ended by itself; None while it runs."""
        return self.process.poll()

    def cost(self):
        """Of a server that has ended, what it was when it was asked last."""
        try:
            self.spent = cost(self.pid)
        except FileNotFoundError:
            pass
        return self.spent

    def problems(self):
        with open(self.folder + "/log", errors="replace") as text:
            return text.read()[-2000:]

    def counters(self):
        return None

    def kept_aside(self):
        """The numbers that the server wrote to its file of errors."""
        return set()

    def close(self):
        if self.process and self.process.poll() is None:
            # A server whose queue cannot be emptied takes its time to stop.
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(20)
        if self.holder:
            self.holder.cleanup()


class Rsyslog(Rival):
    name = "rsyslog"
    keys = ("opensearch",)

    def command(self, path):
        folders = glob.glob("/usr/lib/*/rsyslog") + glob.glob(f"{ROOT}/target/rivals/rsyslog/usr/lib/*/rsyslog")
        program = os.environ.get("RSYSLOGD", "/usr/sbin/rsyslogd")
        return [program, "-n", "-f", path, "-i", self.folder + "/pid", "-M", ":".join(folders)]

    def kept_aside(self):
        found = set()
        for path in glob.glob(self.folder + "/errors*"):
            with open(path, errors="replace") as text:
                found.update(map(int, re.findall(r"(?:number\W{1,8}|VALUES \(')(\d+)", text.read())))
        return found


class SyslogNg(Rival):
    name = "syslog-ng"

    def command(self, path):
        program = os.environ.get("SYSLOG_NG")
        start = [program] if program else [f"{ROOT}/tools/syslog-ng.sh", "syslog-ng"]
        of = lambda name: f"{self.folder}/{name}"
        return [*start, "--foreground", "--no-caps", "--cfgfile", path, "--persist-file", of("persist"), "--control", of("ctl"), "--pidfile", of("pid")]

    def counters(self):
        """Its own counters of the destination."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(10)
            peer.connect(self.folder + "/ctl")
            peer.sendall(b"STATS\n")
            text = b""
            while not text.endswith(b"\n.\n"):
                data = peer.recv(65536)
                if not data:
                    break
                text += data
        found = {}
        for line in text.decode(errors="replace").splitlines():
            row = line.split(";")
            if len(row) == 6 and row[0].startswith("dst.") and row[1].startswith("d#") and row[4] in ("processed", "written", "queued", "dropped"):
                found[row[4]] = found.get(row[4], 0) + int(row[5])
        return found


def all_loggers(binary):
    """A maker for each server, by name."""
    return {"duramen": lambda: Duramen(binary), "rsyslog": Rsyslog, "syslog-ng": SyslogNg}
