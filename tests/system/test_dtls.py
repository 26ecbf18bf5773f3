"""DTLS with openssl as the peer, both ways: RSA certificates with an intermediate one, restarts, a bad line, floods of hellos."""

import os
import random
import re
import socket
import subprocess
import tempfile
import threading
import time

from server import Server, free_port, waits_for
from test_relp import numbers
from test_tls import issue, openssl, pki

RECEIVER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_dtls {{
    syslog(ip("127.0.0.1") port({port}) transport("dtls")
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") ca-file("{folder}/pki/ca.pem") PEER));
}};
destination d_file {{ file("{folder}/out.log" template("$TRANSPORT ${{.tls.x509_cn}} $HOST $PROGRAM $MSG\\n")); }};
log {{ source(s_dtls); destination(d_file); flags(flow-control); }};
"""

SENDER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); stats(level(1)); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol) log-msg-size(65536)); }};
destination d_dtls {{
    syslog("localhost" port(PORT) transport("dtls")
        tls(key-file("KEYS/client.key") cert-file("KEYS/client.pem") ca-file("KEYS/ca.pem")));
}};
log {{ source(s_tcp); destination(d_dtls); flags(flow-control); }};
"""

FRAME = "<13>1 2026-11-21T09:00:00Z web relayed - - - message %d"


def rsa_pki(folder):
    """The usual setup of a site: RSA keys, and an intermediate CA between the root and the certificates."""
    pki(folder)
    with open(folder + "/between.ext", "w") as out:
        out.write("basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=between", "-keyout", folder + "/between.key", "-out", folder + "/between.csr")
    openssl("x509", "-req", "-in", folder + "/between.csr", "-CA", folder + "/ca.pem", "-CAkey", folder + "/ca.key",
            "-CAcreateserial", "-days", "30", "-extfile", folder + "/between.ext", "-out", folder + "/between.pem")
    for name, host in (("server", "localhost"), ("client", "sender.example")):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/O=Test/CN={host}", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr")
        openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", folder + "/between.pem", "-CAkey", folder + "/between.key",
                "-CAcreateserial", "-days", "30", "-extfile", f"{folder}/{name}.ext", "-out", f"{folder}/{name}.pem")
        with open(f"{folder}/{name}.pem", "a") as chain, open(folder + "/between.pem") as between:
            chain.write(between.read())


class Client:
    """openssl s_client; data written to it is sent as records."""

    def __init__(self, port, folder, name="client", *more):
        self.log = tempfile.TemporaryFile("w+")
        shown = ["-cert", f"{folder}/{name}.pem", "-key", f"{folder}/{name}.key", "-cert_chain", f"{folder}/{name}.pem"] if name else []
        command = ["openssl", "s_client", "-dtls1_2", "-connect", f"127.0.0.1:{port}", "-servername", "localhost",
                   "-verify_return_error", "-CAfile", folder + "/ca.pem", *shown, *more]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def open(self):
        Server.until(lambda: "Verify return code: 0" in self.said() or self.process.poll() is not None, 30, "a handshake")
        assert self.process.poll() is None, self.said()
        return self

    def say(self, number):
        message = (FRAME % number).encode()
        self.process.stdin.write(b"%d %s" % (len(message), message))
        self.process.stdin.flush()
        time.sleep(0.02)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)

    def kill(self):
        self.process.kill()
        self.process.wait(10)


class Receiver:
    """openssl s_server; received data is in `said`."""

    def __init__(self, port, folder, *more):
        self.log = tempfile.TemporaryFile("w+")
        command = ["openssl", "s_server", "-dtls1_2", "-listen", "-port", str(port), "-4", "-Verify", "5", "-verify_return_error",
                   "-cert", folder + "/server.pem", "-key", folder + "/server.key", "-cert_chain", folder + "/server.pem",
                   "-CAfile", folder + "/ca.pem", *more]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def numbers(self):
        # The length of the next message may follow at once.
        return {int(number) for number in re.findall(r"message (\d+?)(?:[56]\d <|\b)", self.said())}

    def stop(self):
        self.process.kill()
        self.process.wait(10)


class Line:
    """A bad line between a sender and a receiver on this machine: it loses, duplicates, reorders and changes datagrams."""

    def __init__(self, port, seed, lost=0.0, doubled=0.0, swapped=0.0, changed=0.0):
        self.rates, self.random = (lost, doubled, swapped, changed), random.Random(seed)
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind(("127.0.0.1", 0))
        self.back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.back.connect(("127.0.0.1", port))
        self.port, self.peer, self.running = self.front.getsockname()[1], None, True
        self.passed = [0, 0]
        self.threads = [threading.Thread(target=self.run, args=(side,), daemon=True) for side in (0, 1)]
        for thread in self.threads:
            thread.start()

    def run(self, side):
        source = (self.front, self.back)[side]
        source.settimeout(0.2)
        held = None
        while self.running:
            try:
                datagram, peer = source.recvfrom(65536)
            except OSError:
                continue
            if side == 0:
                self.peer = peer
            self.passed[side] += 1
            lost, doubled, swapped, changed = (self.random.random() < rate for rate in self.rates)
            if lost:
                continue
            if changed:
                place = self.random.randrange(len(datagram))
                datagram = datagram[:place] + bytes([datagram[place] ^ 1]) + datagram[place + 1:]
            if swapped and held is None:
                held = datagram
                continue
            for one in [datagram] * (2 if doubled else 1) + ([held] if held else []):
                try:
                    if side == 0:
                        self.back.send(one)
                    else:
                        self.front.sendto(one, self.peer)
                except OSError:
                    pass
            held = None

    def close(self):
        self.running = False
        for thread in self.threads:
            thread.join()
        self.front.close()
        self.back.close()


def receiver(binary, more="", keys=rsa_pki):
    server = Server(binary, RECEIVER.replace("PEER", more))
    keys(server.folder + "/pki")
    server.start()
    return server


def sender(binary, port, keys):
    return Server(binary, SENDER.replace("PORT", str(port)).replace("KEYS", keys))


def feed(port, wanted):
    with socket.create_connection(("127.0.0.1", port)) as out:
        for number in wanted:
            out.sendall((FRAME % number).encode() + b"\n")


def figure(server, name):
    found = re.search(r"\.(?:syslog|network);[sd]_dtls#0;[^\n]*;a;" + name + r";(\d+)\n", server.ctl("stats"))
    return int(found.group(1)) if found else 0


def test_openssl_sends(binary):
    """RFC 9662's suite, RSA, an intermediate certificate, small datagrams; close_notify; another peer continues."""
    server = receiver(binary)
    keys, path = server.folder + "/pki", server.folder + "/out.log"
    try:
        other = Client(server.port, keys).open()
        client = Client(server.port, keys, "client", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-mtu", "600").open()
        assert "ECDHE-RSA-AES128-GCM-SHA256" in client.said(), client.said()
        for number in range(20):
            client.say(number)
        Server.until(lambda: len(numbers(path)) == 20, 30, "all messages of openssl")
        with open(path) as lines:
            assert next(lines).startswith("rfc6012 sender.example web relayed message"), "not as it was sent"
        assert figure(server, "connections") == 2
        client.close()
        Server.until(lambda: figure(server, "connections") == 1, 30, "the goodbye")
        other.say(20)
        Server.until(lambda: 20 in numbers(path), 30, "the other peer")
        other.close()
    finally:
        server.close()


@waits_for(5)
def test_strangers_are_refused(binary):
    server = receiver(binary)
    keys = server.folder + "/pki"
    rsa_pki(server.folder + "/other")
    try:
        cases = ((keys, None, "shows no certificate"), (server.folder + "/other", "client", "is not signed by a CA"))
        for folder, name, words in cases:
            shown = ["-cert", f"{folder}/{name}.pem", "-key", f"{folder}/{name}.key"] if name else []
            bad = Client(server.port, keys, None, *shown)
            Server.until(lambda: words in server.stderr(), 30, f"{words!r} in the log")
            Server.until(lambda: "alert" in bad.said(), 30, "the alert at the peer")
            bad.kill()
            time.sleep(1.1)  # what strangers cause is said once a second
        assert figure(server, "errors") == 2
        assert figure(server, "connections") == 0
        good = Client(server.port, keys).open()
        good.say(1)
        Server.until(lambda: 1 in numbers(server.folder + "/out.log"), 30, "the message of one that is known")
        good.close()
    finally:
        server.close()


def test_openssl_receives(binary):
    """Mutual authentication in small datagrams; a receiver that starts late gets the waiting messages; a wrong one gets nothing."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        keys = folder + "/pki"
        rsa_pki(keys)
        rsa_pki(folder + "/other")
        server = sender(binary, port, keys)
        server.start()
        peer = wrong = None
        try:
            feed(server.port, range(50))
            Server.until(lambda: "nobody listens on this port" in server.stderr(), 30, "words about nobody")
            wrong = Receiver(port, folder + "/other")
            Server.until(lambda: "is not signed by a CA" in server.stderr(), 30, "words about the wrong receiver")
            wrong.stop()
            assert not wrong.numbers(), "messages for a stranger"
            peer = Receiver(port, keys, "-mtu", "400")
            Server.until(lambda: peer.numbers() == set(range(50)), 20, "all that waited")
            feed(server.port, range(50, 100))
            Server.until(lambda: peer.numbers() == set(range(100)), 30, "all messages in openssl")
            peer.stop()
            # The first datagram after the end of a receiver is lost, because UDP reports the error only
            # after it.
            feed(server.port, [100])
            time.sleep(0.2)
            feed(server.port, [101])
            peer = Receiver(port, keys)
            Server.until(lambda: 101 in peer.numbers(), 20, "the message that waited")
        finally:
            for process in (peer, wrong):
                if process:
                    process.stop()
            server.close()


def pair(binary):
    """Two servers of ours: the receiver, and a function that makes a sender to a port."""
    server = receiver(binary)
    return server, lambda port: sender(binary, port, server.folder + "/pki")


@waits_for(9)
def test_restarts(binary):
    """Either side may be restarted, with or without close_notify: messages arrive again."""
    server, make = pair(binary)
    ours = make(server.port)
    ours.start()
    path = server.folder + "/out.log"
    try:
        feed(ours.port, [1])
        Server.until(lambda: 1 in numbers(path), 30, "the first message")
        server.stop()  # a goodbye
        feed(ours.port, [2])
        Server.until(lambda: "closed the association" in ours.stderr(), 30, "the goodbye at the sender")
        server.start()
        Server.until(lambda: 2 in numbers(path), 30, "the message that waited")
        ours.stop(9)  # no goodbye: another port
        ours.start()
        feed(ours.port, [3])
        Server.until(lambda: 3 in numbers(path), 30, "a message of the new sender")
        server.stop(9)
        server.start()
        time.sleep(5.2)  # a hint that it is unknown is believed by an association of some age
        for number in range(4, 40):
            feed(ours.port, [number])
            if numbers(path) & set(range(4, 40)):
                break
            time.sleep(0.3)
        assert numbers(path) & set(range(4, 40)), "the sender does not notice that it is unknown"
    finally:
        ours.close()
        server.close()


@waits_for(6)
def test_bad_line(binary):
    """Handshakes succeed; of the messages, one in each datagram, some are lost, but none is duplicated or changed."""
    server, make = pair(binary)
    line = Line(server.port, 7, lost=0.1, doubled=0.1, swapped=0.1, changed=0.05)
    ours = make(line.port)
    ours.write_config(SENDER.replace("PORT", str(line.port)).replace("KEYS", server.folder + "/pki")
                      .replace('syslog("localhost"', 'network("localhost" flags(syslog-protocol)'))
    ours.start()
    try:
        feed(ours.port, [0])
        Server.until(lambda: figure(server, "connections") == 1, 20, "a handshake over a bad line")
        for first in range(1, 600, 20):
            feed(ours.port, range(first, first + 20))
            time.sleep(0.03)
        path = server.folder + "/out.log"
        Server.until(lambda: line.passed[0] > 500 and os.path.exists(path) and len(numbers(path)) > 300, 60, "messages over a bad line")
        time.sleep(0.5)
        with open(path) as lines:
            got = lines.read().splitlines()
        assert all(re.fullmatch(r"rfc6012 sender\.example web relayed message \d+", text) for text in got), "changed"
        assert len(got) == len(set(got)), "doubled"
        Server.until(lambda: figure(server, "frame_errors") > 0, 30, "the odd datagrams in the figures")
    finally:
        ours.close()
        line.close()
        server.close()


def hello():
    """The first hello of openssl, as it is on the wire."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(10)
        command = ["openssl", "s_client", "-dtls1_2", "-connect", f"127.0.0.1:{ear.getsockname()[1]}"]
        client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return ear.recv(65536)
        finally:
            client.kill()
            client.wait(10)


def memory(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def test_flood(binary):
    """Hellos from many ports are answered and forgotten: no memory, no association, and honest peers get in meanwhile."""
    server = receiver(binary)
    datagram = hello()
    try:
        Client(server.port, server.folder + "/pki").open().close()
        before = memory(server)
        stop = time.monotonic() + 3
        sent = answered = 0
        while time.monotonic() < stop:
            strangers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(200)]
            for stranger in strangers:
                stranger.settimeout(0.5)
                stranger.connect(("127.0.0.1", server.port))
                for _ in range(20):
                    stranger.send(datagram)
                    sent += 1
            try:
                answer = strangers[0].recv(2048)
                assert answer[13] == 3 and len(answer) < len(datagram), "no request for a cookie, or a longer one"
                answered += 1
            except TimeoutError:  # the kernel's buffer was full
                pass
            for stranger in strangers:
                stranger.close()
        honest = Client(server.port, server.folder + "/pki").open()
        honest.say(1)
        Server.until(lambda: 1 in numbers(server.folder + "/out.log"), 30, "an honest message")
        honest.close()
        assert sent > 5_000 and answered, (sent, answered)
        assert memory(server) - before < 4096, f"{memory(server) - before} KiB for {sent} hellos"
        assert figure(server, "errors") == 0
    finally:
        server.close()


def test_loggen(binary):
    """Our load sender, at a pace that loopback does not lose."""
    server = receiver(binary, "peer-verify(optional-untrusted)")
    try:
        command = [binary, "loggen", "--dtls", "--syslog-proto", "--rate", "2000", "--number", "2000", "--active-connections", "2",
                   "--interval", "5", "127.0.0.1", str(server.port)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        path = server.folder + "/out.log"
        Server.until(lambda: sum(1 for _ in open(path)) == 4000, 30, "all messages")
        Server.until(lambda: figure(server, "connections") == 0, 30, "the goodbyes")
    finally:
        server.close()


def test_long_messages(binary):
    """A record holds 16 KiB: longer messages are cut, counted and reported."""
    server, make = pair(binary)
    ours = make(server.port)
    ours.start()
    try:
        with socket.create_connection(("127.0.0.1", ours.port)) as out:
            for number, size in enumerate((2048, 8192, 16000, 30000)):
                out.sendall((FRAME % number).encode() + b" " + b"x" * size + b"\n")
        path = server.folder + "/out.log"
        Server.until(lambda: os.path.exists(path) and sum(1 for _ in open(path)) == 4, 30, "the long messages")
        with open(path) as lines:
            sizes = [len(line.split()[-1]) for line in lines]
        assert sizes[:3] == [2048, 8192, 16000], sizes
        assert 16000 < sizes[3] < 16384, sizes
        assert figure(ours, "truncated_count") == 1
        assert "cut; count='1'" in ours.stderr()
    finally:
        ours.close()
        server.close()


def test_refused_at_the_check(binary):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/bad.conf"
        with open(path, "w") as out:
            out.write('@version: 4.8\nsource s { syslog(transport("dtls") tls(cert-file("c") key-file("k") ssl-options(no-tlsv12))); };\n'
                      'destination d { network("x" transport("dtls") tls() failover(servers("y") failback())); };\n'
                      'log { source(s); destination(d); };\n')
        done = subprocess.run([binary, "check", path], capture_output=True, text=True)
        text = done.stdout + done.stderr
        assert done.returncode != 0 and "only 1.2 is spoken" in text and "failback()" in text, text
        assert re.search(r"bad\.conf:2:\d+", text) and re.search(r"bad\.conf:3:\d+", text), text
