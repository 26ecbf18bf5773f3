"""Listeners and strangers: silent and slow connections, half handshakes, few descriptors; a stop with a dead receiver."""

import contextlib
import os
import re
import socket
import ssl
import subprocess
import threading
import time

from server import Server, free_port, waits_for
from test_dtls import Client as DtlsClient
from test_dtls import hello
from test_relp import numbers
from test_tls import pki
from test_trust_http import Limited

LINE = b"<13>1 2026-11-21T09:00:00Z web relayed - - - message %08d\n"
SILENT, HALF = 1_100, 300

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_plain {{ network(ip("127.0.0.1") port({port}) max-connections(2000) MORE flags(syslog-protocol)); }};
source s_tls {{
    network(ip("127.0.0.1") port(TLS) transport("tls") max-connections(2000) MORE flags(syslog-protocol)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") peer-verify(optional-untrusted)));
}};
source s_unix {{ unix-stream("{folder}/stream.sock" max-connections(2000) flags(syslog-protocol)); }};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
destination d_main {{ logspace("main"); }};
log {{ source(s_plain); source(s_tls); source(s_unix); destination(d_file); destination(d_main); flags(flow-control); }};
"""


class Listening(Limited):
    """A server with a plain and an encrypted listener, and few descriptors."""

    def __init__(self, binary, ulimit="ulimit -n 1024", more="", config=CONFIG):
        self.tls = free_port()
        super().__init__(binary, config.replace("TLS", str(self.tls), 1).replace("MORE", more))
        self.ulimit = ulimit
        pki(self.folder + "/pki")

    def dial(self, address="127.0.0.1"):
        """An encrypted connection from an address of this machine."""
        context = ssl.create_default_context(cafile=self.folder + "/pki/ca.pem")
        plain = socket.create_connection(("127.0.0.1", self.tls), timeout=10, source_address=(address, 0))
        return context.wrap_socket(plain, server_hostname="localhost")

    def plain(self, address="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10, source_address=(address, 0))

    def has(self, wanted, within=10):
        """Waits until the output has messages of these numbers."""
        path = self.folder + "/out.log"
        self.until(lambda: os.path.exists(path) and wanted <= numbers(path), within, f"{len(wanted)} messages")

    def sum_of(self, source, name):
        lines = [line for line in self.ctl("stats").splitlines() if f";{source}#0;" in line and f";{name};" in line]
        return sum(int(line.split(";")[-1]) for line in lines)

    def refused(self, reason):
        """Number of connections refused for a reason, over all sources."""
        found = re.findall(rf'duramen_refused_connections_total\{{[^}}]*reason="{reason}"\}} (\d+)', self.text("/metrics"))
        return sum(map(int, found))

    def answers_promptly(self):
        """The page and the control socket answer within a second each."""
        for ask in (lambda: self.text("/metrics"), lambda: self.call("health"), lambda: self.ctl("stats"),
                    lambda: self.ctl("healthcheck")):
            start = time.monotonic()
            ask()
            assert time.monotonic() - start < 1, f"an answer took {time.monotonic() - start:.1f} s"


@contextlib.contextmanager
def crowd(connect, count, first=b""):
    """Connections that send nothing, or only the beginning of something, and stay. Some may be refused."""
    peers = []
    try:
        for _ in range(count):
            with contextlib.suppress(OSError):
                peer = connect()
                peers.append(peer)
                if first:
                    peer.sendall(first)
        yield peers
    finally:
        for peer in peers:
            peer.close()


def client_hello():
    """The complete first record of a TLS client."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


class Sender(threading.Thread):
    """Sends a message every ten milliseconds over one connection until `finish`."""

    def __init__(self, peer, first):
        super().__init__(daemon=True)
        self.peer, self.first, self.sent, self.error, self.done = peer, first, 0, None, threading.Event()

    def run(self):
        try:
            while not self.done.wait(0.01):
                self.peer.sendall(LINE % (self.first + self.sent))
                self.sent += 1
        except OSError as error:
            self.error = error

    def finish(self):
        """Stops; returns the numbers of the messages sent."""
        self.done.set()
        self.join(10)
        assert self.error is None, f"a good sender was disturbed: {self.error!r}"
        self.peer.close()
        return set(range(self.first, self.first + self.sent))


def told(server, text="rejecting connection"):
    return server.stderr().count(text)


def check_silent(binary, ulimit):
    server = Listening(binary, ulimit)
    try:
        server.start()
        start = time.monotonic()
        good = [Sender(server.plain(), 1_000_000), Sender(server.dial(), 2_000_000)]
        for sender in good:
            sender.start()
        server.until(lambda: all(sender.sent > 5 for sender in good), 30, "the first messages")
        with crowd(server.plain, SILENT), crowd(lambda: socket.create_connection(("127.0.0.1", server.tls), timeout=10), SILENT):
            server.answers_promptly()
            time.sleep(1.2)  # newcomers of an honest burst are not driven away, so the crowd has to be old
            first = 3_000_000
            for address in ("127.0.0.2", "127.0.0.1"):
                for connect in (server.dial, server.plain):
                    with connect(address) as peer:
                        peer.sendall(b"".join(LINE % number for number in range(first, first + 1_000)))
                    server.has(set(range(first, first + 1_000)))
                    first += 1_000
            # And a sender that is not part of the crowd.
            message = b"<13>1 2026-11-21T09:00:00Z web relayed - - - message 9000001\n"
            sent = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{server.tls}", "-quiet", "-no_ign_eof",
                                   "-CAfile", server.folder + "/pki/ca.pem"], input=message, capture_output=True, timeout=20)
            assert sent.returncode == 0, sent.stderr
            server.has({9_000_001})
            server.answers_promptly()
            assert server.refused("open_files") > 500, server.text("/metrics")
        wanted = set().union(*(sender.finish() for sender in good))
        server.has(wanted)
        lines, seconds = told(server), time.monotonic() - start
        assert 1 <= lines <= 2 * (seconds / 10 + 1) + 2, f"{lines} lines about refused connections in {seconds:.0f} s"
        assert "Error accepting" not in server.stderr(), "it ran out of descriptors"
        # Everything is released.
        server.until(lambda: server.sum_of("s_plain", "connections") + server.sum_of("s_tls", "connections") == 0, 30, "the end of all")
        assert server.sum_of("s_plain", "connections_refused") + server.sum_of("s_tls", "connections_refused") > 500
    finally:
        server.close()


def test_h6_silent_connections_at_1024_descriptors(binary):
    check_silent(binary, "ulimit -n 1024")


def test_h6_silent_connections_at_256_descriptors(binary):
    check_silent(binary, "ulimit -n 256")


def test_h6_slow_connections_and_local_ones(binary):
    """The beginning of a message, or of a handshake, proves nothing; a local user is a peer like any other."""
    server = Listening(binary, "ulimit -n 256")

    def local():
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(5)
        peer.connect(server.folder + "/stream.sock")
        return peer

    try:
        server.start()
        half = client_hello()
        with (crowd(server.plain, 300, b"<13>1 2026-11-21T09:00:00Z web rel"), crowd(local, 300),
              crowd(lambda: socket.create_connection(("127.0.0.1", server.tls), timeout=10), 300, half)):
            time.sleep(1.2)
            for first, connect in ((1_000, server.dial), (2_000, server.plain), (3_000, local)):
                with connect() as peer:
                    peer.sendall(b"".join(LINE % number for number in range(first, first + 100)))
                server.has(set(range(first, first + 100)))
            server.answers_promptly()
    finally:
        server.close()


def test_h6_one_address_cannot_have_every_connection(binary):
    """max-connections() works as before; max-connections-per-address() leaves connections for others."""
    few = CONFIG.replace("max-connections(2000)", "max-connections(40)")
    server = Listening(binary, "true", "max-connections-per-address(20)", few)
    try:
        server.start()
        with crowd(server.plain, 60):
            server.until(lambda: server.sum_of("s_plain", "connections") == 20, 30, "twenty of one address")
            with server.plain("127.0.0.2") as peer:
                peer.sendall(LINE % 1)
                server.has({1})
            assert server.refused("max_connections_per_address") == 40
            with crowd(lambda: server.plain("127.0.0.3"), 25):
                server.until(lambda: server.refused("max_connections_per_address") == 45, 30, "the other address")
                with server.plain("127.0.0.4") as peer:
                    assert peer.recv(1) == b"", "the forty-first connection"
                assert server.refused("max_connections") == 1
                shown = server.stderr()
                assert "Number of allowed concurrent connections reached, rejecting connection; client='AF_INET(127.0.0.4:" in shown, shown
        assert told(server) <= 4, "one line for each reason and listener"
    finally:
        server.close()


@waits_for(20)
def test_m7_half_handshakes_hold_up_nobody(binary):
    """300 from one address at a listener that allows 100: another address, and existing connections, do not notice."""
    few = CONFIG.replace("max-connections(2000)", "max-connections(100)")
    server = Listening(binary, "true", "", few)
    try:
        server.start()
        good = Sender(server.dial(), 1_000_000)
        good.start()
        first = 0
        for begin in (b"", b"\x16\x03\x01", client_hello()):
            with crowd(lambda: socket.create_connection(("127.0.0.1", server.tls), timeout=10), HALF, begin):
                time.sleep(1.2)
                for address in ("127.0.0.2", "127.0.0.1"):
                    start = time.monotonic()
                    with server.dial(address) as peer:
                        took = time.monotonic() - start
                        peer.sendall(LINE % first)
                    server.has({first})
                    first += 1
                    # Started handshakes from the same address give up their turns after some seconds.
                    limit = 20 if begin and address == "127.0.0.1" else 1
                    assert took < limit, f"{took:.1f} s from {address} after {begin[:4]!r}"
                server.answers_promptly()
        server.has(good.finish())
        assert server.refused("max_connections") > 300
    finally:
        server.close()


DTLS = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_dtls {{
    syslog(ip("127.0.0.1") port({port}) transport("dtls") max-handshakes-per-address(20)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") ca-file("{folder}/pki/ca.pem")));
}};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
log {{ source(s_dtls); destination(d_file); flags(flow-control); }};
"""


def half_open(port, first):
    """A handshake of DTLS from 127.0.0.1 that stops after the server's first flight; the cookie is shown."""
    peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    peer.settimeout(1)
    peer.connect(("127.0.0.1", port))
    peer.send(first)
    answer = peer.recv(2048)
    assert answer[13] == 3, "a request for a cookie"
    cookie = answer[28:28 + answer[27]]
    # A record's header has 13 bytes, a handshake's 12; the cookie follows version, random number and session.
    at = 25 + 2 + 32 + 1 + first[59]
    body = first[25:at] + bytes([len(cookie)]) + cookie + first[at + 1:]
    size = len(body).to_bytes(3, "big")
    shaken = first[13:14] + size + (1).to_bytes(2, "big") + bytes(3) + size + body
    peer.send(first[:3] + (1).to_bytes(8, "big") + len(shaken).to_bytes(2, "big") + shaken)
    return peer


def test_m7_half_handshakes_of_dtls_hold_up_nobody(binary):
    server = Server(binary, DTLS)
    pki(server.folder + "/pki")
    try:
        server.start()
        first = hello()
        peers = [half_open(server.port, first) for _ in range(HALF)]
        answered = 0
        for peer in peers:
            with contextlib.suppress(TimeoutError):
                peer.settimeout(0.01)
                answered += peer.recv(2048)[13] == 2
        assert 20 <= answered < HALF, f"{answered} hellos were answered by a server's hello"
        start = time.monotonic()
        honest = DtlsClient(server.port, server.folder + "/pki", "client", "-bind", "127.0.0.2:0").open()
        assert time.monotonic() - start < 2, "another address waits"
        honest.say(1)
        server.until(lambda: 1 in numbers(server.folder + "/out.log"), 30, "its message")
        honest.close()
        metrics = server.text("/metrics")
        refused = re.search(r'duramen_refused_connections_total\{[^}]*reason="handshakes"\} (\d+)', metrics)
        assert int(refused.group(1)) >= HALF - 40, metrics
        assert told(server) <= 3
        for peer in peers:
            peer.close()
    finally:
        server.close()


@waits_for(90)
def test_h6_refusals_that_last_are_shown_in_the_health(binary):
    server = Listening(binary, "true", "", CONFIG.replace("max-connections(2000)", "max-connections(2)"))
    try:
        server.start()
        with crowd(server.plain, 2):
            end = time.monotonic() + 75
            while server.call("health")["status"] == "ok":
                assert time.monotonic() < end, "the health says nothing"
                server.plain().close()
                time.sleep(0.5)
            said = server.call("health")["sources"]
            assert len(said) == 1 and "s_plain#0" in said[0] and "max-connections()" in said[0], said
            shown = server.ctl("healthcheck")
            assert "syslogng_is_healthy 0" in shown and said[0].split(":")[0] in shown, shown
        server.until(lambda: server.call("health")["status"] == "ok", 40, "all to be well again")
    finally:
        server.close()


STOP = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(60); }};
source s_in {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_dead {{ DEST; }};
log {{ source(s_in); destination(d_dead); }};
"""

DEAD = {
    "tls": 'network("127.0.0.1" port(DEAD) transport("tls") tls(peer-verify(no)))',
    "relp": 'relp("127.0.0.1" port(DEAD) tls(peer-verify(no)))',
    "relp, plain": 'relp("127.0.0.1" port(DEAD))',
    "https": 'http(url("https://127.0.0.1:DEAD/") tls(peer-verify(no)))',
    "dtls": 'syslog("127.0.0.1" port(DEAD) transport("dtls") tls(peer-verify(no)))',
    "two servers": 'network("127.0.0.1" port(DEAD) transport("tls") tls(peer-verify(no)) failover(servers("localhost:DEAD")))',
    "on disk": 'network("127.0.0.1" port(DEAD) transport("tls") tls(peer-verify(no)) disk-buffer(reliable(yes) capacity-bytes(16Mi) dir("{folder}/queue")))',
}


class Mute:
    """A receiver that accepts connections and datagrams but never answers."""

    def __init__(self):
        self.port = free_port()
        self.stream = socket.create_server(("127.0.0.1", self.port))
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", self.port))
        self.stream.setblocking(False)
        self.datagrams.setblocking(False)
        self.peers = []

    def is_called(self):
        with contextlib.suppress(BlockingIOError):
            self.peers.append(self.stream.accept()[0])
        with contextlib.suppress(BlockingIOError):
            return bool(self.datagrams.recv(4096)) or bool(self.peers)
        return bool(self.peers)

    def close(self):
        for peer in [*self.peers, self.stream, self.datagrams]:
            peer.close()


def check_stop(binary, name, driver, begun=0.5):
    mute = Mute()
    server = Server(binary, STOP.replace("DEST", driver.replace("DEAD", str(mute.port))))
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(LINE % 1)
        server.until(mute.is_called, 30, f"the destination to call ({name})")
        time.sleep(begun)
        start = time.monotonic()
        server.ctl("stop")
        server.process.wait(20)
        took = time.monotonic() - start
        print(f"      {name}: stopped in {took:.2f} s")
        assert took < 3, f"{name}: the stop took {took:.1f} s"
        assert server.process.returncode == 0
    finally:
        server.close()
        mute.close()


@waits_for(11)
def test_a_stop_does_not_wait_for_a_dead_receiver(binary):
    for name, driver in DEAD.items():
        check_stop(binary, name, driver)


def test_a_stop_still_delivers_to_a_receiver_that_answers(binary):
    """Messages that wait for time-reopen() get one more attempt at the stop, over a new handshake."""
    last = Listening(binary, "true")
    first = Server(binary, STOP.replace("DEST", f'network("127.0.0.1" port({last.tls}) transport("tls") tls(peer-verify(no)))'))
    try:
        first.start()
        with socket.create_connection(("127.0.0.1", first.port)) as out:
            out.sendall(LINE % 7)
        first.until(lambda: "suspending it" in first.stderr(), 30, "a connection that fails")
        last.start()
        first.ctl("stop")
        first.process.wait(10)
        last.has({7})
    finally:
        first.close()
        last.close()
