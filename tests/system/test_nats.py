"""nats(): JetStream stores every message once, refuses some, goes away and comes back; no message can inject a command."""

import functools
import socket
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from nats_server import Nats
from server import Server
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.nats")


def nats(target, options):
    return HEAD + 'destination d_nats {{ nats(url("nats://127.0.0.1:%d") %s); }};\nlog {{ source(s_net); destination(d_nats); flags(flow-control); }};\n' % (target.port, options)


def test_a_server_that_is_killed_and_refuses_stores_every_message_once(binary):
    """20,000 messages while the server is killed five times and refuses one in a hundred: stored = sent - dead letters, none twice."""
    target = Nats()
    target.stream("LOGS", ["log.>"], max_msg_size=200)
    server = Server(binary, nats(target, 'subject("log.$HOST") template("$MSG") batch-lines(200) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 20000
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    more = " " + "x" * 300 if number % 100 == 7 else ""
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web app 17 - - {number}{more}\n".encode())
                    if number % 2000 == 0:
                        time.sleep(0.25)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(5):
            time.sleep(0.4)
            target.kill()
            time.sleep(0.1)
            target.start()
        sender.join()
        found = settled(server, count, 120)
        assert (found["dead"], found["queued"], found["written"]) == (count // 100, 0, count - count // 100), found
        texts = target.texts("LOGS")
        assert len(texts) == len(set(texts)) == count - count // 100, (len(texts), len(set(texts)))
        assert set(texts) == {str(number) for number in range(count) if number % 100 != 7}
        assert "too-large" in dead(server, "cat", "d_nats#0")
    finally:
        server.close()
        target.close()


def test_no_message_is_a_command(binary):
    target = Nats()
    target.stream("LOGS", ["log.>"])
    server = Server(binary, nats(target, 'subject("$MSG") template("$HOST")'))
    try:
        server.start()
        hostile = ["log.a b", "log.*", "$JS.API.STREAM.DELETE.LOGS", "log.\u00a0x", "log..x", "a\tPUB log.x 0"]
        send(server, [("web", text) for text in hostile] + [("web", "log.good")])
        found = settled(server, 7)
        assert (found["written"], found["dead"]) == (1, 6), (found, dead(server, "cat", "d_nats#0"))
        assert target.texts("LOGS") == ["web"]
    finally:
        server.close()
        target.close()


def test_a_missing_stream_and_a_wrong_password_hold_messages(binary):
    target = Nats("authorization { user: me, password: late-secret }", {"user": "me", "pass": "late-secret"})
    options = 'subject("log.x") template("$MSG") username("me") password("%s")'
    server = Server(binary, nats(target, options % "wrong-secret"))
    try:
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "(credentials): Authorization Violation" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        server.write_config(nats(target, options % "late-secret"))
        server.ctl("reload")
        server.until(lambda: "(schema): 503: no stream takes this subject" in server.ctl("healthcheck"), 20, "the missing stream: " + server.ctl("healthcheck"))
        target.stream("LOGS", ["log.>"])
        assert settled(server, 1)["written"] == 1
        assert target.texts("LOGS") == ["one"]
    finally:
        server.close()
        target.close()


def test_encryption_comes_before_everything_else(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        pki(holder + "/other")
        target = Nats(f'allow_non_tls: true\ntls {{ cert_file: "{folder}/server.pem", key_file: "{folder}/server.key", ca_file: "{folder}/ca.pem", verify: true }}')
        target.stream("LOGS", ["log.>"])
        text = HEAD + 'destination d_nats {{ nats(url("tls://localhost:%d") subject("log.x") template("$MSG") tls(ca-file("%s/ca.pem") %s)); }};\nlog {{ source(s_net); destination(d_nats); }};\n'
        shown = 'cert-file("%s/client.pem") key-file("%s/client.key")' % (folder, folder)
        server = Server(binary, text % (target.port, holder + "/other", shown))
        plain = Nats()
        try:
            server.start()
            send(server, [("web", "one")])
            server.until(lambda: "TLS: the certificate of the peer is not signed" in server.ctl("healthcheck"), 20, "the unknown CA: " + server.ctl("healthcheck"))
            # A server without TLS gets nothing.
            server.write_config(text % (plain.port, folder, shown))
            server.ctl("reload")
            server.until(lambda: "the server does not speak TLS" in server.ctl("healthcheck"), 20, "the missing TLS: " + server.ctl("healthcheck"))
            server.write_config(text % (target.port, folder, shown))
            server.ctl("reload")
            assert settled(server, 1)["written"] == 1
            assert target.texts("LOGS") == ["one"]
        finally:
            server.close()
            plain.close()
            target.close()


def test_subscribers_get_messages_that_are_not_stored(binary):
    target = Nats()
    server = Server(binary, nats(target, 'subject("log.$HOST") template("$MSG") jetstream(no)'))
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", target.port), timeout=20) as peer, peer.makefile("rb") as lines:
            lines.readline()
            peer.sendall(b'CONNECT {"verbose": false}\r\nSUB log.> 1\r\nPING\r\n')
            assert lines.readline() == b"PONG\r\n"
            send(server, [("web", str(number)) for number in range(100)])
            heard = []
            while len(heard) < 100:
                line = lines.readline()
                assert line.startswith(b"MSG log.web 1 "), line
                heard.append(lines.read(int(line.split()[-1]) + 2).strip().decode())
        assert heard == [str(number) for number in range(100)]
        assert settled(server, 100)["written"] == 100
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('nats(subject("a.*"));', "has a * or a >"),
        ('nats(url("ws://h:80") subject("t"));', "is no address of a NATS server"),
        ('nats(url("nats://me:secret@h") subject("t"));', "is no address of a NATS server"),
        ("nats(jetstream(no));", "subject"),
    )
    check_refusals(binary, cases)
