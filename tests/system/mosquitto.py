"""A Mosquitto of its own for a test: in a folder, on a loopback port, with a client that subscribes to everything."""

import signal
import socket
import subprocess
import tempfile

from component import Component
from server import Server, free_port


class Mosquitto(Component):
    def __init__(self, options="allow_anonymous true", login=(), tls=None):
        self.holder = tempfile.TemporaryDirectory(prefix="mosquitto-", dir="/tmp")
        self.folder = self.holder.name
        self.port, self.tls_port = free_port(), free_port()
        secure = "" if tls is None else (
            f"listener {self.tls_port} 127.0.0.1\ncafile {tls}/ca.pem\ncertfile {tls}/server.pem\nkeyfile {tls}/server.key\nrequire_certificate true\n")
        with open(self.folder + "/conf", "w") as out:
            # Acknowledged messages survive a stop, and none that its subscriber has not read is
            # dropped.
            out.write(f"user root\nper_listener_settings false\nlistener {self.port} 127.0.0.1\n{secure}{options}\npersistence true\n"
                      f"persistence_location {self.folder}/\nmax_queued_messages 0\nmax_inflight_messages 0\n")
        self.process = self.listener = None
        self.login = login
        self.start()

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", self.folder + "/conf"], stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 20, "Mosquitto to answer")

    def answers(self):
        self.check_running()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

    def listen(self):
        """A subscriber with a persistent session: prints every message as a line with its topic."""
        self.listener = subprocess.Popen(
            ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-i", "listener", "-c", "-q", "2", "-t", "#", "-F", "%t %p", *self.login],
            stdout=open(self.folder + "/heard", "wb"), stderr=subprocess.DEVNULL)
        Server.until(lambda: "as listener" in self.whole_log(), 20, "the listener to listen")

    def whole_log(self):
        with open(self.folder + "/log", errors="replace") as text:
            return text.read()

    def heard(self):
        with open(self.folder + "/heard", errors="surrogateescape", newline="\n") as text:
            return text.read().split("\n")[:-1]

    def publish(self, topic, texts, qos=1, options=()):
        """Publishes each text; returns when the broker has acknowledged all. Raises an error when it cannot."""
        command = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-q", str(qos), "-t", topic, "-l", *self.login, *options]
        text = "".join(text + "\n" for text in texts).encode()
        subprocess.run(command, input=text, check=True, capture_output=True, timeout=60)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def close(self):
        for process in (self.listener, self.process):
            if process and process.poll() is None:
                process.kill()
                process.wait(20)
        self.holder.cleanup()
