"""Receivers that are down, each in its way; those that are databases are real ones that refuse the log-in.

Out: an address for a destination. Holds: the connections of the destinations, of which it forgets those that they closed."""

import select
import signal
import socket
import threading

from mariadb import MariaDb
from postgres import Postgres
from redis_server import Redis


class Refusing:
    """A port where nobody listens, and nobody else can."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()


class Unreachable:
    """A port whose connections are never made: as its queue is full, the kernel drops what comes, as a firewall does."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.fillers = [socket.socket() for _ in range(3)]
        for filler in self.fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", self.port))

    def close(self):
        for one in [self.listener, *self.fillers]:
            one.close()


class Hanging:
    """Takes connections and never says a word. It reads everything, or nothing."""

    reads = True

    def __init__(self):
        self.listener = socket.socket()
        # The kernel takes little for a peer that reads nothing.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.stops, self.stop = socket.socketpair()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        poll, peers = select.epoll(), {}
        poll.register(self.listener, select.EPOLLIN)
        poll.register(self.stops, select.EPOLLIN)
        while True:
            for fd, event in poll.poll():
                if fd == self.stops.fileno():
                    for peer in peers.values():
                        peer.close()
                    return
                if fd == self.listener.fileno():
                    peer, _ = self.listener.accept()
                    peers[peer.fileno()] = peer
                    poll.register(peer, select.EPOLLRDHUP | (select.EPOLLIN if self.reads else 0))
                elif event & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR) or not self.read(peers[fd]):
                    poll.unregister(fd)
                    peers.pop(fd).close()

    def read(self, peer):
        """Returns whether the connection is still open."""
        try:
            return bool(peer.recv(1 << 16))
        except OSError:
            return False

    def close(self):
        self.stop.close()
        self.listener.close()


class Stuck(Hanging):
    reads = False


class Logins:
    """A database that refuses every log-in; `values` is what a configuration needs to know of it."""

    def close(self):
        self.component.close()


class PostgresLogins(Logins):
    def __init__(self):
        self.component = Postgres()
        self.values = {"SOCKET": self.component.folder}
        self.component.sql("ALTER USER test PASSWORD 'another'")
        with open(self.component.data + "/pg_hba.conf", "w") as rules:
            rules.write("local all all scram-sha-256\n")
        self.component.process.send_signal(signal.SIGHUP)


class MariaDbLogins(Logins):
    def __init__(self):
        self.component = MariaDb()
        self.values = {"PORT": self.component.port}


class RedisLogins(Logins):
    def __init__(self):
        self.component = Redis("--requirepass", "another")
        self.values = {"PORT": self.component.port}


class Peers:
    """One receiver of each kind, started when it is first asked for."""

    KINDS = {"refuses": Refusing, "unreachable": Unreachable, "hangs": Hanging, "stuck": Stuck,
             "postgres": PostgresLogins, "mariadb": MariaDbLogins, "redis": RedisLogins}

    def __init__(self):
        self.running = {}

    def values(self, kind):
        """What the configuration of a destination needs to know. Log-ins have one server, other kinds a port for each destination."""
        is_shared = issubclass(self.KINDS[kind], Logins)
        key = kind if is_shared else (kind, len(self.running))
        if key not in self.running:
            self.running[key] = self.KINDS[kind]()
        peer = self.running[key]
        return peer.values if is_shared else {"PORT": peer.port}

    def close(self):
        for peer in self.running.values():
            peer.close()
