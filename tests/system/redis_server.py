"""A Redis of its own for a test: in a folder, on a port of loopback, started and killed at will."""

import os
import subprocess
import tempfile

from component import Component
from server import Server, free_port


class Redis(Component):
    def __init__(self, *options):
        self.holder = tempfile.TemporaryDirectory(prefix="redis-", dir="/tmp")
        self.folder = self.holder.name
        self.port = free_port()
        self.options = options
        self.process = None
        self.start()

    def start(self, *options):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder,
             "--unixsocket", self.folder + "/sock", *(self.options + options)],
            stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 30, "Redis to answer")

    def answers(self):
        self.check_running()
        said = self.cli("PING")
        return "PONG" in said or "NOAUTH" in said

    def cli(self, *words, login=()):
        done = subprocess.run(["redis-cli", "-s", self.folder + "/sock", "--raw", *login, *words], capture_output=True, text=True, errors="replace", timeout=60)
        return done.stdout.rstrip("\n")

    def lines(self, *words):
        text = self.cli(*words)
        return text.split("\n") if text else []
