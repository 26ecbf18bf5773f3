"""A server under test: its configuration, its process, its API, its files. Everything is on loopback."""

import base64
import http.cookiejar
import json
import os
import random
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_network {{
    network(ip("127.0.0.1") port({port}) transport("udp") flags(syslog-protocol) so-rcvbuf(8388608));
    network(ip("127.0.0.1") port({port}) transport("auto") flags(syslog-protocol) max-connections(500));
}};
source s_local {{ unix-dgram("{folder}/log.sock"); internal(); }};
destination d_main {{ logspace("main"); }};
destination d_file {{ file("{folder}/out/$HOST.log" create-dirs(yes)); }};
log {{ source(s_network); source(s_local); destination(d_main); destination(d_file); flags(flow-control); }};
"""


GIVEN = set()


def free_port():
    """A port that is free for TCP and UDP. The kernel gives none of this range to clients (`ip_local_port_range`), so it stays free until its
    server listens, or listens again after a kill."""
    while True:
        port = random.randrange(10000, 32000)
        if port in GIVEN:
            continue
        with socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            try:
                tcp.bind(("127.0.0.1", port))
                udp.bind(("127.0.0.1", port))
            except OSError:
                continue
        GIVEN.add(port)
        return port


def waits(test):
    """Marks a test that mostly waits for time to pass and shares nothing with others: it runs in parallel with them."""
    return waits_for(1)(test)


def waits_for(seconds):
    """The same for a test that takes about as long as this: the longest begin first, so that none is left alone at the end."""
    def mark(test):
        test.waits = seconds
        return test
    return mark


class Server:
    """One duramen in a folder of its own."""

    def __init__(self, binary, config=CONFIG):
        self.binary = os.path.abspath(binary)
        self.holder = tempfile.TemporaryDirectory(prefix="duramen-test-")
        self.folder = self.holder.name
        self.port, self.http = free_port(), free_port()
        self.password = None
        self.process = None
        self.stdin = subprocess.DEVNULL
        self.inherit = None
        # Of the process only, because other tests run in this one at the same time.
        self.environment, self.umask = {}, -1
        self.config = os.path.join(self.folder, "test.conf")
        self.write_config(config)
        self.jar = http.cookiejar.CookieJar()
        cookies = urllib.request.HTTPCookieProcessor(self.jar)
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        self.base = f"http://127.0.0.1:{self.http}"

    def trust(self, authority):
        """From now on the page is called over HTTPS, and its certificate must be issued by an authority."""
        encrypted = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority))
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar), encrypted)
        self.base = f"https://localhost:{self.http}"

    def write_config(self, config):
        with open(self.config, "w") as out:
            out.write(config.format(port=self.port, folder=self.folder))

    def start(self, logs_in=True, within=30):
        """Starts the server and waits until it answers; an earlier session stays valid."""
        self.log = open(os.path.join(self.folder, "stderr"), "ab")
        command = [self.binary, "run", "--config", self.config, "--data", self.folder + "/data",
                   "--control", self.folder + "/ctl", "--http", f"127.0.0.1:{self.http}"]
        self.process = self.spawn(command)
        self.until(lambda: self.answers(), within, "the server to answer")
        if self.password is None:
            # The page answers a moment before the server prints its address.
            said = lambda: re.search(r"password[^\n]*?: (\S+)", self.stderr())
            self.until(said, 30, "the password of the first run")
            self.password = said().group(1)
        if logs_in:
            self.call("login", {"user": "admin", "password": self.password})

    def spawn(self, command):
        """The process; a socket in `inherit` is passed to it as service managers do (sd_listen_fds(3))."""
        more = {"stdin": self.stdin, "stdout": self.log, "stderr": self.log, "cwd": self.folder,
                "env": {**os.environ, **self.environment}, "umask": self.umask}
        if self.inherit is None:
            return subprocess.Popen(command, **more)
        shell = f'exec 3<&{self.inherit}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"'
        return subprocess.Popen(["bash", "-c", shell, *command], pass_fds=[self.inherit], **more)

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.stderr()}")
        try:
            return self.call("health")["status"] == "ok"
        except OSError:
            return False

    def stderr(self):
        with open(os.path.join(self.folder, "stderr"), errors="replace") as text:
            return text.read()

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(20)

    def close(self):
        self.stop(signal.SIGKILL)
        self.holder.cleanup()

    def call(self, path, body=None):
        """One call of the API; errors raise urllib's HTTPError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Requested-By": "test"}
        request = urllib.request.Request(f"{self.base}/api/v1/{path}", data, headers)
        with self.opener.open(request, timeout=30) as answer:
            return json.load(answer)

    def text(self, path):
        with self.opener.open(f"{self.base}{path}", timeout=30) as answer:
            return answer.read().decode()

    def search(self, query, **more):
        return self.call("search", {"query": query, **more})

    def ctl(self, *words):
        command = [self.binary, "ctl", "--control", self.folder + "/ctl", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout

    def found(self, query, count=1, within=2.0):
        """Waits until a search finds `count` messages; returns how long it took."""
        start = time.monotonic()
        self.until(lambda: self.search(query)["total"] >= count, within, f"{count} of {query!r}")
        return time.monotonic() - start

    def keeps(self, text):
        """Whether a file below its folder has a text. A message is counted as processed a moment before a queue on disk has it."""
        paths = (os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names)
        # Not of pipes, where reading waits.
        for path in filter(os.path.isfile, paths):
            try:
                with open(path, "rb") as file:
                    if text.encode() in file.read():
                        return True
            except OSError:
                # It was removed since.
                continue
        return False

    @staticmethod
    def until(condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"waited {seconds} s for {what}"
            time.sleep(0.02)


def basic(user, password):
    """The value of an Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
