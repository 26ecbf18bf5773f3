"""nats() as a source: a stream of a real JetStream, acknowledged when destinations have the messages; kills of both sides, refusals, encryption."""

import signal
import tempfile
import threading
import time

from broker_source import HEALTHY, Relay, count_read, lines, listen, numbers, syslog
from destination import check_refusals
from nats_server import Nats
from server import Server, free_port, waits
from test_tls import pki

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_nats {{ nats(url("%s") time-reopen(1) %s); }};
destination d_file {{ %s; }};
log {{ source(s_nats); destination(d_file); flags(flow-control); }};
"""
FILE = r'file("{folder}/out" template("${{.nats.subject}} $HOST $MSG\n"))'
SYSLOG = "flags(syslog-protocol)"


def reads(target, options, destination=FILE, url=None):
    return CONFIG % (url or f"nats://127.0.0.1:{target.port}", options, destination)


def settled(target, stream, count):
    """Waits until the consumer has nothing that is not acknowledged."""
    def is_settled():
        found = target.consumed(stream)
        return "error" not in found and found["num_ack_pending"] == 0 and found["num_pending"] == 0 and found["ack_floor"]["stream_seq"] == count
    Server.until(is_settled, 20, f"the consumer to be settled: {target.consumed(stream)}")


def test_messages_of_a_stream_are_acknowledged(binary):
    target = Nats()
    target.stream("LOGS", ["log.>"])
    template = r'file("{folder}/out" template("${{.nats.stream}} ${{.nats.sequence}} ${{.nats.subject}} ${{.nats.headers.X-Kind}} $HOST $MSG\n"))'
    server = Server(binary, reads(target, f'subject("log.>") {SYSLOG}', template))
    try:
        target.publish("log.early", syslog(0, 5000), "X-Kind: early\r\n")
        server.start()
        target.publish("log.late", syslog(5000, 5100), "X-Kind:late\r\n")
        server.until(lambda: len(lines(server)) >= 5100, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        kind = lambda number: "early" if number < 5000 else "late"
        assert lines(server) == [f"LOGS {n + 1} log.{kind(n)} {kind(n)} web{n % 5} {n}" for n in range(5100)]
        settled(target, "LOGS", 5100)
        config = target.consumed("LOGS")["config"]
        assert config["ack_policy"] == "explicit" and "filter_subject" not in config, config
        server.stop()
        target.publish("log.late", syslog(5100, 5200))
        server.start()
        server.until(lambda: len(lines(server)) >= 5200, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        settled(target, "LOGS", 5200)
        assert len(lines(server)) == 5200 and target.consumed("LOGS")["num_redelivered"] == 0
    finally:
        server.close()
        target.close()


def test_any_bytes_and_any_length(binary):
    """Texts with bytes that are no text, an empty one, one of 7 MB, of which the beginning is kept, and long headers."""
    target = Nats("max_payload: 8000000")
    target.stream("LOGS", ["log.>"])
    options = 'subject("log.a") stream("LOGS") durable("me") flags(no-parse) log-msg-size(1000)'
    server = Server(binary, reads(target, options, r'file("{folder}/out" template("$(length $MSG) $(substr $MSG 0 9) $(length ${{.nats.headers.Long}})\n"))'))
    try:
        server.start()
        target.publish("log.b", [b"another subject"])
        target.publish("log.a", [b"", b"one\0two\xff\xfe", b"x" * 7_000_000, b"next"])
        target.publish("log.a", [b"last"], f"Long: {'y' * 3000}\r\nLonger: {'z' * 60_000}\r\n")
        server.until(lambda: len(lines(server)) >= 4, 20, f"the messages: {lines(server)} {server.stderr()}")
        shown = [line.split() for line in lines(server)]
        assert [row[0] for row in shown] == ["9", "1000", "4", "4"] and shown[3][-1] == "3000", shown
        assert target.consumed("LOGS", "me")["config"]["filter_subject"] == "log.a"
    finally:
        server.close()
        target.close()


@waits
def test_kills_of_both_sides_lose_nothing(binary):
    """10,000 messages while the server is killed three times and NATS is killed twice: each arrives."""
    target = Nats()
    target.stream("LOGS", ["log.>"])
    target.consumer("LOGS", ack_wait=2_000_000_000, max_ack_pending=5000)
    server = Server(binary, reads(target, f'subject("log.>") {SYSLOG}'))
    count = 10000
    try:
        server.start()
        publishing = threading.Lock()

        def feed():
            for first in range(0, count, 200):
                with publishing:
                    target.publish("log.x", syslog(first, first + 200))
                time.sleep(0.02)

        sender = threading.Thread(target=feed)
        sender.start()
        for turn in range(5):
            time.sleep(0.6)
            if turn % 2 == 0:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait(20)
                server.start()
            else:
                with publishing:
                    target.kill()
                    time.sleep(0.2)
                    target.start()
        sender.join()
        server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {sorted(set(range(count)) - numbers(server))[:20]} {server.stderr()[-3000:]}")
        print(f"doubled: {len(lines(server)) - count}")
    finally:
        server.close()
        target.close()


def test_broken_connections_bring_nothing_twice(binary):
    """What still waits, or was acknowledged over a connection that broke, is known when it comes again."""
    target = Nats()
    target.stream("LOGS", ["log.>"])
    target.consumer("LOGS", ack_wait=1_000_000_000, filter_subject="log.>")
    relay = Relay(target.port)
    server = Server(binary, reads(target, f'subject("log.>") {SYSLOG}', url=f"nats://127.0.0.1:{relay.port}"))
    count = 20000
    try:
        server.start()
        for first in range(0, count, 2000):
            target.publish("log.x", syslog(first, first + 2000))
            relay.cut()
        server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {len(numbers(server))} {server.stderr()[-3000:]}")
        settled(target, "LOGS", count)
        assert sorted(int(line.split()[-1]) for line in lines(server)) == list(range(count))
        assert "Cannot read a stream of NATS" in server.stderr()
    finally:
        relay.close()
        server.close()
        target.close()


@waits
def test_the_stream_keeps_what_waits_for_a_destination(binary):
    """A destination that is away for longer than ack_wait: signs of work keep messages from coming again; a kill in between loses nothing."""
    target = Nats()
    target.stream("LOGS", ["log.>"])
    target.consumer("LOGS", ack_wait=2_000_000_000, max_ack_pending=30000)
    port = free_port()
    server = Server(binary, reads(target, f'subject("log.>") {SYSLOG}', f'network("127.0.0.1" port({port}) template("$MSG\\n") log-fifo-size(100000))'))
    count = 40000
    try:
        server.start()
        for first in range(0, count, 10000):
            target.publish("log.x", syslog(first, first + 10000))
        server.until(lambda: count_read(server, "nats") > 10000, 40, "some messages: " + server.stderr())
        time.sleep(5)
        held = count_read(server, "nats")
        assert held < 30000 and target.consumed("LOGS")["num_redelivered"] == 0, (held, target.consumed("LOGS"))
        assert "Cannot read a stream" not in server.stderr(), server.stderr()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(20)
        server.start()
        got = listen(port)
        server.until(lambda: len(got) == count, 60, f"all messages: {len(got)} {server.stderr()}")
        settled(target, "LOGS", count)
    finally:
        server.close()
        target.close()


def test_what_the_server_refuses_or_removes_is_said(binary):
    target = Nats("authorization { user: me, password: late-secret }", {"user": "me", "pass": "late-secret"})
    options = 'subject("%s") username("me") password("%s") %s ' + SYSLOG
    server = Server(binary, HEALTHY)
    health = lambda: server.ctl("healthcheck")

    def says(subject, password, more, words):
        server.write_config(reads(target, options % (subject, password, more)))
        server.ctl("reload")
        server.until(lambda: words in health(), 20, f"{words}: {health()} {server.stderr()[-2000:]}")

    try:
        server.start()
        says("log.>", "wrong-secret", "", "Authorization Violation")
        assert "secret" not in server.stderr() + health()
        says("log.>", "late-secret", "", "no stream has the subject")
        says("log.>", "late-secret", 'stream("NONE")', "there is no stream")
        target.stream("LOGS", ["log.>"], max_msgs=15)
        says("log.>", "late-secret", "consumer-create(no)", "has no consumer")
        target.consumer("LOGS", "pushed", deliver_subject="x.y")
        target.consumer("LOGS", "other", filter_subject="log.b")
        says("log.>", "late-secret", 'durable("pushed")', "a pull consumer is needed")
        says("log.a", "late-secret", 'durable("other")', "has other subjects than")
        server.write_config(reads(target, options % ("log.>", "late-secret", "")))
        server.ctl("reload")
        server.until(lambda: "s_nats" not in health(), 20, "the end of the trouble: " + health())
        target.publish("log.x", syslog(0, 10))
        server.until(lambda: len(lines(server)) == 10, 20, "the messages: " + server.stderr())
        target.ask("$JS.API.CONSUMER.DELETE.LOGS.duramen")
        server.until(lambda: "is made again" in server.stderr(), 20, "the consumer to be made again: " + server.stderr())
        target.publish("log.x", syslog(10, 20))
        server.until(lambda: len(lines(server)) == 20, 20, "the messages: " + server.stderr())
        # What was read before the consumer was gone is known.
        assert len(lines(server)) == 20 and "onsumer Deleted" in server.stderr(), server.stderr()
        server.stop()
        target.publish("log.x", syslog(20, 50))
        server.start()
        server.until(lambda: len(lines(server)) == 35, 20, "the messages: " + server.stderr())
        assert "Messages were removed from the stream before they were read, from='21', to='35'" in server.stderr(), server.stderr()
        target.ask("$JS.API.STREAM.DELETE.LOGS")
        server.until(lambda: "no stream has the subject" in health(), 30, "the missing stream: " + health() + server.stderr()[-2000:])
        target.stream("LOGS", ["log.>"])
        target.publish("log.x", syslog(50, 60))
        server.until(lambda: len(lines(server)) == 45, 20, "the messages of a new stream: " + server.stderr())
        target.kill()
        server.until(lambda: "s_nats" in health(), 20, "the outage: " + health())
        begin = time.monotonic()
        server.stop()
        assert server.process.returncode == 0 and time.monotonic() - begin < 5
    finally:
        server.close()
        target.close()


def test_what_a_destination_gives_up_is_asked_for_again(binary):
    """A reload removes a destination for which messages wait: the server is asked for them, long before ack_wait ends."""
    target = Nats()
    target.stream("LOGS", ["log.>"])
    server = Server(binary, reads(target, f'subject("log.>") {SYSLOG}', f'network("127.0.0.1" port({free_port()}))'))
    try:
        server.start()
        target.publish("log.x", syslog(0, 100))
        server.until(lambda: count_read(server, "nats") == 100, 20, "the messages: " + server.stderr())
        server.write_config(reads(target, f'subject("log.>") {SYSLOG}'))
        server.ctl("reload")
        server.until(lambda: len(lines(server)) >= 100, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        settled(target, "LOGS", 100)
        assert numbers(server) == set(range(100)) and len(lines(server)) == 100
    finally:
        server.close()
        target.close()


def test_another_server_is_read_when_one_leaves(binary):
    """A server in lame duck mode says so, and is left before it ends."""
    first, second = Nats(), Nats()
    for target in (first, second):
        target.stream("LOGS", ["log.>"])
    urls = f"nats://127.0.0.1:{first.port}, nats://127.0.0.1:{second.port}"
    server = Server(binary, reads(first, f'subject("log.>") {SYSLOG}', url=urls))
    try:
        server.start()
        first.publish("log.x", syslog(0, 100))
        server.until(lambda: len(lines(server)) == 100, 20, "the messages: " + server.stderr())
        first.process.send_signal(signal.SIGUSR2)
        second.publish("log.x", syslog(100, 200))
        server.until(lambda: len(lines(server)) == 200, 20, "the messages of the second: " + server.stderr())
        assert "lame duck mode" in server.stderr(), server.stderr()
    finally:
        server.close()
        first.close()
        second.close()


def test_encrypted_connections_are_checked(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        pki(holder + "/other")
        target = Nats(f'allow_non_tls: true\ntls {{ cert_file: "{folder}/server.pem", key_file: "{folder}/server.key", ca_file: "{folder}/ca.pem", verify: true }}')
        target.stream("LOGS", ["log.>"])
        options = 'subject("log.>") %s tls(ca-file("%s/ca.pem") cert-file("%s/client.pem") key-file("%s/client.key"))'
        url = f"tls://localhost:{target.port}"
        server = Server(binary, HEALTHY)
        try:
            server.start()
            server.write_config(reads(target, options % (SYSLOG, holder + "/other", folder, folder), url=url))
            server.ctl("reload")
            server.until(lambda: "TLS: the certificate of the peer is not signed" in server.ctl("healthcheck"), 20, "the unknown CA: " + server.ctl("healthcheck"))
            server.write_config(reads(target, options % (SYSLOG, folder, folder, folder), url=url))
            server.ctl("reload")
            target.publish("log.x", syslog(0, 1000))
            server.until(lambda: len(lines(server)) == 1000, 20, f"the messages: {len(lines(server))} {server.stderr()}")
            settled(target, "LOGS", 1000)
        finally:
            server.close()
            target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ("nats();", "needs `subject()` or `stream()`"),
        ('nats(subject("a..b"));', "has an empty part"),
        ('nats(subject("s") stream("a.b"));', "has no blank, dot"),
        ('nats(subject("s") jetstream(no));', "nobody keeps a message"),
        ('nats(subject("s") url("http://h"));', "no address of a NATS server"),
        ('nats(subject("s") deliver-policy(never));', "deliver-policy"),
    )
    check_refusals(binary, cases, 'source s {{ %s }};\ndestination d {{ file("/x"); }};\n')
