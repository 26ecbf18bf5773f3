"""A collectd of its own for a test: in a folder, on a unix socket, started and killed at will."""

import os
import socket
import subprocess
import tempfile

from component import Component
from server import Server


class Collectd(Component):
    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="collectd-", dir="/tmp")
        self.folder = self.holder.name
        self.socket = self.folder + "/sock"
        self.process = None
        with open(self.folder + "/conf", "w") as out:
            out.write(f"""BaseDir "{self.folder}"
PIDFile "{self.folder}/pid"
TypesDB "/usr/share/collectd/types.db"
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{self.socket}"
  DeleteSocket true
</Plugin>
LoadPlugin csv
<Plugin csv>
  DataDir "{self.folder}/csv"
</Plugin>
""")
        self.start()

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(["/usr/sbin/collectd", "-f", "-C", self.folder + "/conf"], stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 30, "collectd to answer")

    def answers(self):
        self.check_running()
        try:
            return self.ask("LISTVAL") is not None
        except OSError:
            return False

    def ask(self, command):
        """The lines of an answer."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(10)
            peer.connect(self.socket)
            peer.sendall(command.encode() + b"\n")
            with peer.makefile() as answer:
                first = answer.readline()
                return [answer.readline().strip() for _ in range(max(0, int(first.split()[0])))]

    def names(self):
        return sorted(line.split(" ", 1)[1] for line in self.ask("LISTVAL"))
