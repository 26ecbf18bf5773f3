"""SLTP between our own servers: while either side is killed, every message is stored once.

`KILLS` is the number of kills; `make test` does a few.
"""

import collections
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import time
import urllib.parse

from server import Server, free_port, waits_for
from test_relp import Rsyslog, listens

KILLS = int(os.environ.get("KILLS", "6"))
# Messages that come between two kills.
PORTION = 1500

HEAD = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); stats(level(1)); }};
"""

SENDER = HEAD + """
source s_relp {{ relp(ip("127.0.0.1") port({port})); }};
destination d_next {{ sltp("127.0.0.1" port(NEXT) token("secret") sender-id("NAME") batch-lines(40) MORE
    disk-buffer(capacity-bytes(100000000) reliable(yes))); }};
log {{ source(s_relp); destination(d_next); flags(flow-control); }};
"""

RELAY = HEAD + """
source s_sltp {{ sltp(ip("127.0.0.1") port({port}) tokens("secret")); }};
destination d_next {{ sltp("127.0.0.1" port(NEXT) token("secret") sender-id("NAME") batch-lines(40) MORE
    disk-buffer(capacity-bytes(100000000) reliable(yes))); }};
log {{ source(s_sltp); destination(d_next); flags(flow-control); }};
"""

RECEIVER = HEAD + """
source s_sltp {{ sltp(ip("127.0.0.1") port({port}) tokens("other" "secret")); }};
destination d_main {{ logspace("main"); }};
log {{ source(s_sltp); destination(d_main); flags(flow-control); }};
"""


def config(text, following, name="a", more="compression(zstd)"):
    return text.replace("NEXT", str(following.port)).replace("NAME", name).replace("MORE", more)


class Relp:
    """A sender that knows what its server has on the disk: what it has answered."""

    def __init__(self, port):
        self.peer = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.answers = self.peer.makefile("rb")
        offer = b"relp_version=0\nrelp_software=test\ncommands=syslog"
        self.peer.sendall(b"1 open %d %s\n" % (len(offer), offer))
        self.answer()
        self.frame = 1

    def answer(self):
        head = b""
        while head.count(b" ") < 3:
            byte = self.answers.read(1)
            assert byte, "the server closed"
            head += byte
        text = self.answers.read(int(head.split(b" ")[2]) + 1)
        assert text.startswith(b"200"), text

    def send(self, numbers):
        numbers = list(numbers)
        for start in range(0, len(numbers), 100):
            out = []
            for number in numbers[start:start + 100]:
                self.frame += 1
                text = self.text(number)
                out.append(b"%d syslog %d %s\n" % (self.frame, len(text), text))
            self.peer.sendall(b"".join(out))
            for _ in out:
                self.answer()

    def text(self, number):
        return b"<13>1 2026-11-22T10:00:00Z h prog - - - number n%d of many" % number

    def close(self):
        self.answers.close()
        self.peer.close()


def feed(server, numbers):
    sender = Relp(server.port)
    sender.send(numbers)
    sender.close()


def stored(server):
    """The numbers that a server has, each as many times as it has it."""
    asked = urllib.parse.urlencode({"query": "number of many | fields message", "format": "csv"})
    words = server.text("/api/v1/export?" + asked).split()
    return collections.Counter(word for word in words if word[0] == "n" and word[1:].isdigit())


def check(server, count):
    """All numbers below `count` are there, each once."""
    Server.until(lambda: server.search("number of many", limit=0)["total"] >= count, 120, f"{count} messages")
    there = stored(server)
    lost = [number for number in range(count) if f"n{number}" not in there]
    assert not lost, f"{len(lost)} of {count} messages are lost: {lost[:5]} ... {lost[-5:]}"
    twice = [number for number, times in there.items() if times > 1]
    assert not twice, f"{len(twice)} of {count} messages are there more than once: {twice[:5]}"


def seal(binary, server):
    """Makes the journal of a logspace remove its records."""
    subprocess.run([binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"], capture_output=True, timeout=60)


def storm(binary, servers, kills, feed=feed):
    """Feeds the first of some servers, kills one after the other at random; the last has everything once."""
    first, last = servers[0], servers[-1]
    try:
        for server in reversed(servers):
            server.start()
        for kill in range(kills):
            feed(first, range(kill * PORTION, (kill + 1) * PORTION))
            if kill % 5 == 4:
                seal(binary, last)
            time.sleep(random.uniform(0, 0.25))
            victims = [servers[kill % len(servers)]] if kill % 4 else servers
            for server in victims:
                server.stop(signal.SIGKILL)
            for server in reversed(victims):
                server.start()
        check(last, kills * PORTION)
        for server in reversed(servers):
            server.stop()
        print(f"      {kills} kills, {kills * PORTION} messages")
    finally:
        for server in servers:
            server.close()


def test_kills_of_both_sides(binary):
    receiver = Server(binary, RECEIVER)
    storm(binary, [Server(binary, config(SENDER, receiver)), receiver], KILLS)


def test_kills_of_a_relay(binary):
    receiver = Server(binary, RECEIVER)
    relay = Server(binary, config(RELAY, receiver, "b", ""))
    storm(binary, [Server(binary, config(SENDER, relay)), relay, receiver], KILLS)


def counter(server, name, of="dst.sltp"):
    lines = [line.split(";") for line in server.ctl("stats").splitlines()]
    return sum(int(line[5]) for line in lines if len(line) > 5 and line[0] == of and line[4] == name)


def test_stops_repeat_nothing(binary):
    """Orderly stops, also of a sender without a disk buffer; everything adds up."""
    receiver = Server(binary, RECEIVER)
    text = config(SENDER, receiver, more="").replace("disk-buffer(capacity-bytes(100000000) reliable(yes))", "")
    sender = Server(binary, text)
    try:
        receiver.start()
        sender.start()
        for turn in range(4):
            feed(sender, range(turn * PORTION, (turn + 1) * PORTION))
            if turn % 2:
                receiver.stop()
                receiver.start()
        check(receiver, 4 * PORTION)
        Server.until(lambda: counter(sender, "queued") == 0, 20, "the last acknowledgement")
        assert counter(sender, "processed") == counter(sender, "written") == 4 * PORTION
        assert counter(sender, "dropped") == 0
    finally:
        sender.close()
        receiver.close()


def certificates(folder):
    """An authority, and certificates of the receiver and of the sender."""
    openssl = lambda *words: subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem")
    for name in ("receiver", "sender"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        with open(f"{folder}/{name}.ext", "w") as out:
            out.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", f"{name}.ext", "-out", f"{name}.pem")


def test_tls_with_certificates(binary):
    """Both sides show certificates; the receiver's log names the sender's. Kills of both, too."""
    receiver = Server(binary, "")
    certificates(receiver.folder)
    tls = lambda name: (f'tls(ca-file("{receiver.folder}/ca.pem") cert-file("{receiver.folder}/{name}.pem") '
                        f'key-file("{receiver.folder}/{name}.key") peer-verify(required-trusted))')
    receiver.write_config(RECEIVER.replace('tokens("other" "secret")', tls("receiver")))
    sender = Server(binary, config(SENDER, receiver, more=tls("sender")))
    try:
        receiver.start()
        sender.start()
        feed(sender, range(PORTION))
        for server in (sender, receiver):
            server.stop(signal.SIGKILL)
            server.start()
        feed(sender, range(PORTION, 2 * PORTION))
        check(receiver, 2 * PORTION)
        assert "sender='a/sender'" in receiver.stderr(), receiver.stderr()
    finally:
        sender.close()
        receiver.close()


def test_a_wrong_token_holds_messages(binary):
    receiver = Server(binary, RECEIVER.replace('"secret"', '"changed"'))
    sender = Server(binary, config(SENDER, receiver))
    try:
        receiver.start()
        sender.start()
        feed(sender, range(100))
        Server.until(lambda: "the token is not known here" in sender.stderr(), 20, "the refusal")
        assert "secret" not in sender.stderr() + receiver.stderr()
        assert counter(sender, "queued") == 100
        receiver.write_config(RECEIVER)
        receiver.ctl("reload")
        check(receiver, 100)
    finally:
        sender.close()
        receiver.close()


def test_a_restored_queue_is_refused(binary):
    """A queue from a backup would give its numbers again: that is an error, and nothing is skipped in silence."""
    receiver = Server(binary, RECEIVER)
    sender = Server(binary, config(SENDER, receiver))
    queue = sender.folder + "/data/disk-buffers"
    try:
        receiver.start()
        sender.start()
        feed(sender, range(PORTION))
        check(receiver, PORTION)
        sender.stop()
        shutil.copytree(queue, sender.folder + "/backup")
        sender.start()
        feed(sender, range(PORTION, 2 * PORTION))
        check(receiver, 2 * PORTION)
        sender.stop()
        shutil.rmtree(queue)
        shutil.copytree(sender.folder + "/backup", queue)
        sender.start()
        feed(sender, range(2 * PORTION, 2 * PORTION + 50))
        Server.until(lambda: "restored from a backup" in sender.stderr(), 20, "the refusal")
        assert counter(sender, "queued") == 50
        check(receiver, 2 * PORTION)
    finally:
        sender.close()
        receiver.close()


def test_what_a_full_queue_drops_is_told(binary):
    receiver = Server(binary, RECEIVER)
    text = config(SENDER, receiver, more="log-fifo-size(1000) on-full(drop-newest)")
    sender = Server(binary, text.replace("disk-buffer(capacity-bytes(100000000) reliable(yes))", ""))
    try:
        receiver.start()
        sender.start()
        feed(sender, range(100))
        check(receiver, 100)
        receiver.stop()
        feed(sender, range(100, 5000))
        Server.until(lambda: counter(sender, "dropped") > 0, 20, "dropped messages")
        receiver.start()
        Server.until(lambda: counter(sender, "queued") == 0, 30, "an empty queue")
        feed(sender, range(5000, 5001))
        Server.until(lambda: "Sender of SLTP lost messages" in receiver.stderr(), 20, "the report")
        dropped = counter(sender, "dropped")
        assert f"reason='queue-full', messages='{dropped}'" in receiver.stderr(), (dropped, receiver.stderr())
        assert f"severities='notice:{dropped}'" in receiver.stderr(), receiver.stderr()
    finally:
        sender.close()
        receiver.close()


@waits_for(10)
def test_what_is_no_sltp_is_closed(binary):
    """Other protocols, half a handshake, a frame that is too long, a frame with a wrong checksum."""
    receiver = Server(binary, RECEIVER)
    long_frame = struct.pack("<IB3xI", 1 << 30, 1, 0)
    wrong_sum = struct.pack("<IB3xI", 4, 1, 7) + b"abcd"
    try:
        receiver.start()
        for bytes_sent in (b"GET / HTTP/1.1\r\n\r\n", b"1 open 5 hello\n", b"SLTP/1\r\n" + long_frame, b"SLTP/1\r\n" + wrong_sum):
            with socket.create_connection(("127.0.0.1", receiver.port), timeout=20) as peer:
                peer.sendall(bytes_sent)
                while peer.recv(1000):
                    pass
        with socket.create_connection(("127.0.0.1", receiver.port), timeout=20) as peer:
            peer.sendall(b"SLTP/1\r\n\x10")
            peer.settimeout(30)
            assert peer.recv(100) == b"", "half a hello is given up"
        assert counter(receiver, "frame_errors", "src.sltp") >= 4
    finally:
        receiver.close()


FALLBACK = HEAD + """
source s_relp {{ relp(ip("127.0.0.1") port({port})); }};
destination d_next {{ sltp("127.0.0.1" port(NEXT) token("secret") sender-id("NAME") batch-lines(40) fallback(relp) MORE
    disk-buffer(capacity-bytes(100000000) reliable(yes))); }};
log {{ source(s_relp); destination(d_next); flags(flow-control); }};
"""

RSYSLOG = """
module(load="imrelp" MORE)
input(type="imrelp" port="PORT" TLS)
template(name="line" type="string" string="%msg%\\n")
action(type="omfile" file="FOLDER/out.log" template="line" asyncWriting="off")
"""


def written(path):
    """The numbers in a file of rsyslog or of `file()`, each as many times as it is there."""
    if not os.path.exists(path):
        return collections.Counter()
    with open(path) as lines:
        return collections.Counter(int(word[1:]) for line in lines for word in line.split() if word[0] == "n" and word[1:].isdigit())


def test_a_receiver_of_relp_is_upgraded(binary):
    """rsyslog gets messages over RELP, then a server of ours on its port gets them over SLTP, then rsyslog again: each once."""
    receiver = Server(binary, RECEIVER)
    sender = Server(binary, config(FALLBACK, receiver))
    rules = RSYSLOG.replace("FOLDER", sender.folder).replace("PORT", str(receiver.port)).replace("MORE", "").replace("TLS", "")
    rsyslog = Rsyslog(sender.folder, rules)
    path = sender.folder + "/out.log"
    try:
        Server.until(lambda: listens(receiver.port), 30, "rsyslog's port")
        sender.start()
        feed(sender, range(500))
        Server.until(lambda: counter(sender, "queued") == 0, 20, "rsyslog's answers")
        assert written(path) == {number: 1 for number in range(500)}
        assert counter(sender, "written_by_fallback") == counter(sender, "written") == 500
        rsyslog.stop()
        receiver.start()
        feed(sender, range(500, 1000))
        Server.until(lambda: receiver.search("number of many", limit=0)["total"] == 500, 20, "messages over SLTP")
        assert stored(receiver) == {f"n{number}": 1 for number in range(500, 1000)}
        receiver.stop()
        rsyslog.start()
        feed(sender, range(1000, 1200))
        Server.until(lambda: counter(sender, "queued") == 0, 20, "rsyslog's answers")
        assert written(path) == {number: 1 for number in [*range(500), *range(1000, 1200)]}
        assert counter(sender, "written_by_fallback") == 700
        log = sender.stderr()
        assert log.count("Receiver does not speak SLTP, messages go over RELP") == 2, log
        assert log.count("Receiver speaks SLTP again") == 1, log
    finally:
        rsyslog.stop()
        sender.close()
        receiver.close()


def test_fallback_with_tls_and_another_port(binary):
    """RELP on a port of its own, encrypted as SLTP would be; one session after the other is killed."""
    nobody = free_port()
    relp = free_port()
    receiver = Server(binary, "")
    certificates(receiver.folder)
    tls = (f'tls(ca-file("{receiver.folder}/ca.pem") cert-file("{receiver.folder}/sender.pem") '
           f'key-file("{receiver.folder}/sender.key") peer-verify(required-trusted))')
    text = FALLBACK.replace("NEXT", str(nobody)).replace("NAME", "a").replace("MORE", f"fallback-port({relp}) {tls}")
    sender = Server(binary, text)
    there = (f'tls="on" tls.authMode="certvalid" tls.caCert="{receiver.folder}/ca.pem" '
             f'tls.myCert="{receiver.folder}/receiver.pem" tls.myPrivKey="{receiver.folder}/receiver.key"')
    rules = RSYSLOG.replace("FOLDER", sender.folder).replace("PORT", str(relp))
    rsyslog = Rsyslog(sender.folder, rules.replace("MORE", 'tls.tlslib="openssl"').replace("TLS", there))
    path = sender.folder + "/out.log"
    try:
        Server.until(lambda: listens(relp), 30, "rsyslog's port")
        sender.start()
        for turn in range(3):
            feed(sender, range(turn * 300, (turn + 1) * 300))
            # It is killed while nothing is on its way: what has no answer may come twice, as with relp().
            Server.until(lambda: counter(sender, "queued") == 0, 20, "rsyslog's answers")
            if turn == 1:
                rsyslog.stop(signal.SIGKILL)
                rsyslog.start()
        assert written(path) == {number: 1 for number in range(900)}
    finally:
        rsyslog.stop()
        sender.close()
        receiver.close()


def test_fallback_to_our_own_relp(binary):
    """A server of ours that has only relp() is recognised, too; without fallback() messages wait, and the log says why."""
    receiver = Server(binary, RECEIVER.replace('sltp(ip("127.0.0.1") port({port}) tokens("other" "secret"))',
                                               'relp(ip("127.0.0.1") port({port}))'))
    sender = Server(binary, config(SENDER, receiver))
    try:
        receiver.start()
        sender.start()
        feed(sender, range(100))
        Server.until(lambda: "Error writing to a destination" in sender.stderr(), 20, "an error")
        assert counter(sender, "queued") == 100 and counter(receiver, "processed", "src.relp") == 0
        sender.write_config(config(FALLBACK, receiver))
        sender.ctl("reload")
        check(receiver, 100)
        assert "messages go over RELP" in sender.stderr()
    finally:
        sender.close()
        receiver.close()
