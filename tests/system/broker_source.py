"""What the tests of sources share that read from brokers: what arrived, and a receiver that comes late."""

import os
import socket
import threading


# A server whose source is in trouble is not healthy, so it starts with another one.
HEALTHY = "@version: 4.8\noptions {{ stats(level(1)); }};\nsource s {{ internal(); }};\ndestination d {{ file(\"/dev/null\"); }};\nlog {{ source(s); destination(d); }};\n"


def syslog(first, end):
    return [f"<13>1 2007-04-22T10:00:00Z web{number % 5} app 17 - - {number}" for number in range(first, end)]


def lines(server):
    """The whole lines of the file that the messages were written to."""
    if not os.path.exists(server.folder + "/out"):
        return []
    with open(server.folder + "/out", errors="replace") as text:
        return [line.rstrip("\n") for line in text if line.endswith("\n")]


def numbers(*servers):
    return {int(line.split()[-1]) for server in servers for line in lines(server)}


def count_read(server, driver):
    """How many messages a source has read."""
    rows = [row.split(";") for row in server.ctl("stats").splitlines() if row.startswith(f"src.{driver};")]
    return max([int(row[5]) for row in rows if row[4] == "processed"], default=0)


def listen(port):
    """A receiver of numbered lines on a port; returns the set that it fills."""
    got = set()

    def receive():
        with socket.create_server(("127.0.0.1", port)) as listener:
            peer, _ = listener.accept()
            with peer, peer.makefile("rb") as text:
                for line in text:
                    got.add(int(line))

    threading.Thread(target=receive, daemon=True).start()
    return got


class Relay:
    """Passes connections on to a port, until they are cut."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def copy(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        ends, self.open = self.open, []
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        self.cut()
