"""An HDFS of its own for a test: NameNodes and two DataNodes in one Java process, started and killed at will, read over WebHDFS."""

import atexit
import glob
import json
import os
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

from component import Component, compiled
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
JARS = os.path.join(HERE, "../../target/hdfs")
SHARED, SHARING = [], threading.Lock()


def shared():
    """One HDFS for the tests that only write to folders of their own."""
    with SHARING:
        if not SHARED:
            SHARED.append(Hdfs())
            atexit.register(SHARED[0].close)
        SHARED[0].check_running()
    return SHARED[0]


class Hdfs(Component):
    def __init__(self, nodes=1):
        jars = glob.glob(JARS + "/**/*.jar", recursive=True)
        assert jars, "no HDFS: tools/install.sh test"
        self.holder = tempfile.TemporaryDirectory(prefix="hdfs-", dir="/tmp")
        self.folder, self.process = self.holder.name, None
        self.ports = [free_port() for _ in range(2 * nodes)]
        self.classes = ":".join([self.folder, compiled(HERE + "/hdfs/MiniDfs.java", jars), *jars])
        with open(self.folder + "/log4j.properties", "w") as out:
            out.write("log4j.rootLogger=ERROR,A\nlog4j.appender.A=org.apache.log4j.ConsoleAppender\n"
                      "log4j.appender.A.layout=org.apache.log4j.PatternLayout\nlog4j.appender.A.layout.ConversionPattern=%d %p %c{1} %m%n\n")
        self.start()
        self.make("/logs")

    def uris(self):
        return " ".join(f'"http://127.0.0.1:{port}"' for port in self.ports[1::2])

    def start(self):
        command = ["java", "-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
                   "-Djava.net.preferIPv4Stack=true", "-cp", self.classes, "MiniDfs", self.folder, *map(str, self.ports)]
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=self.folder, text=True)
        self.hears("ready")
        return self

    def hears(self, words):
        """Waits for a line of its standard output."""
        for line in self.process.stdout:
            if line.strip() == words:
                return
        raise AssertionError(f"HDFS ended:\n{self.log()}")

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.hears("done " + command)

    def call(self, method, path, operation, user=None):
        """One call of WebHDFS at the NameNode that is active."""
        user = user or os.environ.get("USER", "root")
        for port in self.ports[1::2]:
            url = f"http://127.0.0.1:{port}/webhdfs/v1{urllib.parse.quote(path)}?op={operation}&user.name={user}"
            try:
                with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=60) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                text = error.read().decode()
                if "StandbyException" not in text:
                    raise AssertionError(f"{method} {path} {operation}: {error.code} {text}") from error
        raise AssertionError("no NameNode is active")

    def make(self, folder, mode="777"):
        self.call("PUT", folder, "MKDIRS", "root")
        self.call("PUT", folder, f"SETPERMISSION&permission={mode}", "root")

    def files(self, folder="/logs"):
        """The paths and lengths of the files below a folder."""
        found = {}
        for entry in json.loads(self.call("GET", folder, "LISTSTATUS", "root"))["FileStatuses"]["FileStatus"]:
            path = f"{folder}/{entry['pathSuffix']}"
            if entry["type"] == "DIRECTORY":
                found.update(self.files(path))
            else:
                found[path] = entry["length"]
        return found

    def read(self, path):
        return self.call("GET", path, "OPEN", "root")

    def lines(self, folder="/logs"):
        return [line for path in sorted(self.files(folder)) for line in self.read(path).decode().splitlines()]

    def kill(self):
        super().kill()
        self.process.stdin.close()
        self.process.stdout.close()

