"""s3(): a bucket of SeaweedFS gets every message once, refuses some, goes away and comes back; no message leaves its prefix."""

import functools
import gzip
import signal
import socket
import threading
import time

import destination
from destination import HEAD, check_refusals, counters, dead, send
from seaweedfs import KEY, SECRET, SeaweedFs
from server import Server, waits_for

settled = functools.partial(destination.settled, kind="dst.s3")


def s3(port, options, secret=SECRET, bucket="logs"):
    text = 'destination d_s3 {{ s3(url("http://127.0.0.1:%d") bucket("%s") access-key("%s") secret-key("%s") %s); }};\nlog {{ source(s_net); destination(d_s3); flags(flow-control); }};\n'
    return HEAD + text % (port, bucket, KEY, secret, options)


def feed(server, count, pause=0.05):
    """Sends numbered messages, a thousand at a time."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
        for start in range(0, count, 1000):
            numbers = range(start, min(start + 1000, count))
            peer.sendall("".join(f"<13>1 2007-04-22T10:00:00Z web{number % 3} app 17 - - {number}\n" for number in numbers).encode())
            time.sleep(pause)


SPOOLED = 'template("$MSG\\n") batch-lines(300) batch-timeout(500) disk-buffer(capacity-bytes(64M) reliable(yes)) '


@waits_for(35)
def test_a_server_that_is_killed_stores_every_message_once(binary):
    """20,000 messages to three names while the server is killed twice: every one is in one object, once."""
    target = SeaweedFs("logs")
    server = Server(binary, s3(target.port, SPOOLED + 'object-key("$HOST/log")'))
    count = 20000
    try:
        server.start()
        sender = threading.Thread(target=feed, args=(server, count, 0.2))
        sender.start()
        for _ in range(2):
            time.sleep(0.7)
            target.kill()
            target.start()
        sender.join()
        # After some refusals the pause between two attempts is half a minute.
        found = settled(server, count, 120)
        assert (found["dead"], found["queued"], found["written"]) == (0, 0, count), found
        lines = target.lines()
        assert len(lines) == len(set(lines)) == count, (len(lines), len(set(lines)))
        assert {key.split("/")[0] for key in target.keys()} == {"web0", "web1", "web2"}
    finally:
        server.close()
        target.close()


class CuttingProxy:
    """Passes requests to a server, and closes the connection instead of passing the first answers back."""

    def __init__(self, port, cuts):
        self.to, self.cuts = port, cuts
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=(peer,), daemon=True).start()

    def connect(self, peer):
        with peer, socket.create_connection(("127.0.0.1", self.to)) as server:
            threading.Thread(target=self.copy, args=(peer, server), daemon=True).start()
            while answer := server.recv(65536):
                if answer.startswith(b"HTTP/1.1 200") and self.cuts > 0:
                    self.cuts -= 1
                    # A copying thread uses the socket too: closing it is not enough.
                    return peer.shutdown(socket.SHUT_RDWR)
                peer.sendall(answer)

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@waits_for(5)
def test_lost_answers_and_our_own_crash(binary):
    """Answers that are lost double nothing. A crash of ours loses nothing."""
    target = SeaweedFs("logs")
    proxy = CuttingProxy(target.port, 5)
    server = Server(binary, s3(proxy.port, SPOOLED + 'object-key("log")'))
    count = 6000
    try:
        server.start()
        feed(server, count, 0)
        assert settled(server, count, 60)["written"] == count
        assert proxy.cuts == 0
        lines = target.lines()
        assert len(lines) == len(set(lines)) == count, (len(lines), len(set(lines)))
        # All are on disk when they count as received, and some are not stored yet.
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
            peer.sendall("".join(f"<13>1 2007-04-22T10:00:00Z web app 17 - - {number}\n" for number in range(count, 2 * count)).encode())
            server.until(lambda: server.keeps(f"app 17 - - {2 * count - 1}") or counters(server, "dst.s3")["written"] == 2 * count, 60, "all to be on the disk")
            server.until(lambda: counters(server, "dst.s3")["written"] > count, 60, "some to be stored")
        server.stop(signal.SIGKILL)
        server.start(logs_in=False)
        everything = {str(number) for number in range(2 * count)}
        server.until(lambda: counters(server, "dst.s3").get("queued") == 0, 30, "the rest to be stored")
        assert set(target.lines()) == everything
    finally:
        server.close()
        proxy.listener.close()
        target.close()


@waits_for(5)
def test_credentials_buckets_and_names(binary):
    """A wrong secret and a missing bucket hold messages. Whatever messages say, objects are below their prefix."""
    target = SeaweedFs("other")
    options = 'object-key("in/$MSG") object-key-timestamp("$YEAR") object-key-suffix(".txt") compression(gzip) content-type("text/plain") batch-timeout(100)'
    server = Server(binary, s3(target.port, options, "wrong-secret"))
    try:
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "(credentials): the server answered 403 SignatureDoesNotMatch" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        server.write_config(s3(target.port, options))
        server.ctl("reload")
        # SeaweedFS does not tell users that a bucket is missing.
        server.until(lambda: "(access): the server answered 403 AccessDenied" in server.ctl("healthcheck"), 20, "the missing bucket: " + server.ctl("healthcheck"))
        target.bucket("logs")
        assert settled(server, 1)["written"] == 1
        hostile = ["..", ".", "../../other/x", "/other/y", "..\\x", "a b?c=d&e#f%2fg+h", "ümlaut \u2028 \u202e", "a\x01b\x7f", "'\"<>;", "*", "~"]
        send(server, [("web", text) for text in hostile] + [("web", "x" * 1000)])
        found = settled(server, 2 + len(hostile))
        assert (found["written"], found["dead"]) == (1 + len(hostile), 1), (found, dead(server, "cat", "d_s3#0"))
        assert "bad-name" in dead(server, "cat", "d_s3#0")
        assert target.keys("other") == []
        keys = target.keys()
        assert all(key.startswith("in/") and key.count("/") == 1 and key.endswith(".txt.gz") for key in keys), keys
        assert any(key.startswith("in/one-2007-") for key in keys), keys
        texts = [gzip.decompress(target.get(key)[0]).decode() for key in keys]
        assert sorted(texts) == sorted(text + "\n" for text in ["one", *hostile]), texts
        assert {target.get(key)[1]["ContentType"] for key in keys} == {"text/plain"}
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    keys = 'access-key("a") secret-key("s")'
    cases = (
        (f's3(bucket("a/b") object-key("k") {keys});', "a bucket has a name"),
        (f's3(url("h:80") bucket("b") object-key("k") {keys});', "the URL of a server is"),
        (f's3(bucket("b") object-key("/k") {keys});', "does not begin with a slash"),
        ('s3(bucket("b") object-key("k") role("arn:aws:iam::1:role/x"));', "`role()` is not supported yet"),
        (f's3(bucket("b") {keys});', "object-key"),
    )
    check_refusals(binary, cases)
