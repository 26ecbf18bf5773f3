"""amqp() as a source: a queue of a real RabbitMQ, acknowledged when destinations have the messages; kills of both sides, refusals, encryption."""

import signal
import threading
import time

from broker_source import HEALTHY, Relay, count_read, lines, listen, numbers, syslog
from destination import check_refusals
from rabbitmq import RabbitMQ
from server import Server, free_port, waits_for
from test_amqp import shared
from test_tls import pki

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_amqp {{ amqp(host("localhost") port(%d) username("guest") password("%s") time-reopen(1) %s); }};
destination d_file {{ %s; }};
log {{ source(s_amqp); destination(d_file); flags(flow-control); }};
"""
FILE = r'file("{folder}/out" template("${{.amqp.routing-key}} $HOST $MSG\n"))'
SYSLOG = "flags(syslog-protocol)"


def reads(target, options, destination=FILE, port=None, password="guest"):
    return CONFIG % (port or target.port, password, options, destination)


def test_messages_of_a_queue_are_acknowledged(binary):
    target = shared()
    target.run(lambda channel: channel.exchange_declare("in", "topic", durable=True))
    template = r'file("{folder}/out" template("${{.amqp.exchange}} ${{.amqp.routing-key}} ${{.amqp.message-id}} ${{.amqp.headers.kind}} ${{.amqp.headers.in.n}} $HOST $MSG\n"))'
    server = Server(binary, reads(target, f'queue("q_in") queue-declare(yes) exchange("in") routing-key("log.#") {SYSLOG}', template))
    try:
        server.start()
        server.until(lambda: "s_amqp" not in server.ctl("healthcheck"), 20, "the connection: " + server.stderr())
        Server.until(lambda: target.run(lambda channel: channel.queue_declare("q_in", passive=True)).method.consumer_count == 1, 20, "the consumer")
        target.publish("in", syslog(0, 500), "log.x", message_id="one", headers={"kind": "a b", "in": {"n": 7}})
        server.until(lambda: len(lines(server)) >= 500, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        assert lines(server) == [f"in log.x one a b 7 web{n % 5} {n}" for n in range(500)]
        server.stop()
        # Everything was acknowledged: what the broker has now is new.
        assert target.left("q_in") == 0
        target.publish("in", syslog(500, 600), "log.y")
        server.start()
        server.until(lambda: len(lines(server)) >= 600, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        server.stop()
        assert target.left("q_in") == 0 and len(lines(server)) == 600
    finally:
        server.close()


def test_any_bytes_and_any_length(binary):
    """Texts with bytes that are no text, an empty one, and one that is longer than log-msg-size()."""
    target = shared()
    target.queue("q_any", "any", "fanout", "")
    server = Server(binary, reads(target, 'queue("q_any") flags(no-parse) log-msg-size(1000) frame-size(4096)', r'file("{folder}/out" template("$(length $MSG) $(substr $MSG 0 9)\n"))'))
    try:
        target.publish("any", [b"", b"one\0two\xff\xfe", b"x" * 90_000, b"last"])
        server.start()
        server.until(lambda: len(lines(server)) >= 3, 20, f"the messages: {lines(server)} {server.stderr()}")
        assert [line.split()[0] for line in lines(server)] == ["9", "1000", "4"], lines(server)
    finally:
        server.close()


@waits_for(40)
def test_kills_of_both_sides_lose_nothing(binary):
    """4,000 messages while the server is killed twice and the broker once: each arrives."""
    target = RabbitMQ()
    target.queue("q", "log", "fanout", "")
    server = Server(binary, reads(target, f'queue("q") {SYSLOG}'))
    count = 4000
    try:
        server.start()
        publishing = threading.Lock()

        def feed():
            for first in range(0, count, 200):
                with publishing:
                    target.publish("log", syslog(first, first + 200))

        sender = threading.Thread(target=feed)
        sender.start()
        for turn in range(3):
            time.sleep(0.5)
            if turn % 2 == 0:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait(20)
                server.start()
            else:
                with publishing:
                    target.kill()
                    target.start()
        sender.join()
        server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {sorted(set(range(count)) - numbers(server))[:20]} {server.stderr()[-3000:]}")
        print(f"doubled: {len(lines(server)) - count}")
    finally:
        server.close()
        target.close()


@waits_for(8)
def test_broken_connections_lose_nothing(binary):
    """What still waits is known when it comes again; an acknowledgement that was under way may be lost."""
    target = shared()
    target.queue("q_cut", "cut", "fanout", "")
    relay = Relay(target.port)
    server = Server(binary, reads(target, f'queue("q_cut") {SYSLOG}', port=relay.port))
    count = 3000
    try:
        server.start()
        for first in range(0, count, 300):
            target.publish("cut", syslog(first, first + 300))
            relay.cut()
        server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {len(numbers(server))} {server.stderr()[-3000:]}")
        print(f"doubled: {len(lines(server)) - count}")
        assert "Cannot read a queue of AMQP" in server.stderr()
    finally:
        relay.close()
        server.close()


@waits_for(12)
def test_the_queue_keeps_what_waits_for_a_destination(binary):
    """A destination that is away for several heartbeats; broken connections bring nothing twice; a kill in between loses nothing."""
    target = shared()
    target.queue("q_wait", "wait", "fanout", "")
    port = free_port()
    relay = Relay(target.port)
    server = Server(binary, reads(target, f'queue("q_wait") prefetch(500) heartbeat(1) {SYSLOG}', f'network("127.0.0.1" port({port}) template("$MSG\\n"))', relay.port))
    count = 2000
    try:
        server.start()
        target.publish("wait", syslog(0, count))
        server.until(lambda: count_read(server, "amqp") == 500, 40, "some messages: " + server.stderr())
        time.sleep(4)
        assert count_read(server, "amqp") == 500 and "Cannot read a queue" not in server.stderr(), server.stderr()
        for turn in range(2):
            relay.cut()
            server.until(lambda: server.stderr().count("The queue of AMQP is read again") > turn, 20, "another connection: " + server.stderr())
        time.sleep(1)
        # They came again, and are known.
        assert count_read(server, "amqp") == 500, count_read(server, "amqp")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(20)
        server.start()
        got = listen(port)
        server.until(lambda: len(got) == count, 60, f"all messages: {len(got)} {server.stderr()}")
    finally:
        relay.close()
        server.close()


def test_what_the_broker_refuses_or_ends_is_said(binary):
    target = shared()
    server = Server(binary, HEALTHY)
    health = lambda: server.ctl("healthcheck")

    def says(options, words, password="guest"):
        server.write_config(reads(target, options + " " + SYSLOG, password=password))
        server.ctl("reload")
        server.until(lambda: words in health(), 20, f"{words}: {health()} {server.stderr()[-2000:]}")

    try:
        server.start()
        says('queue("q_late")', "403 ACCESS_REFUSED", "wrong-secret")
        assert "secret" not in server.stderr() + health()
        says('queue("q_late") vhost("none")', "530 NOT_ALLOWED")
        says('queue("q_late")', "queue 'q_late': 404 NOT_FOUND")
        connection = target.connect()
        connection.channel().queue_declare("q_own", exclusive=True)
        says('queue("q_own")', "queue 'q_own': 405 RESOURCE_LOCKED")
        connection.close()
        server.write_config(reads(target, 'queue("q_late") ' + SYSLOG))
        server.ctl("reload")
        target.queue("q_late", "late", "fanout", "")
        server.until(lambda: "s_amqp" not in health(), 20, "the end of the trouble: " + health())
        target.publish("late", syslog(0, 10))
        server.until(lambda: len(lines(server)) == 10, 20, "the messages: " + server.stderr())
        target.run(lambda channel: channel.queue_delete("q_late"))
        server.until(lambda: "q_late': 404" in health(), 20, "the deleted queue: " + health())
        assert "was it deleted?" in server.stderr(), server.stderr()
        target.queue("q_late", "late", "fanout", "")
        target.publish("late", syslog(10, 20))
        server.until(lambda: len(lines(server)) == 20, 20, "the messages: " + server.stderr())
        begin = time.monotonic()
        server.stop()
        assert server.process.returncode == 0 and time.monotonic() - begin < 5
        assert target.left("q_late") == 0
    finally:
        server.close()


def test_what_a_destination_gives_up_comes_again(binary):
    """A reload removes a destination for which messages wait: the broker sends them again."""
    target = shared()
    target.queue("q_given", "given", "fanout", "")
    server = Server(binary, reads(target, f'queue("q_given") {SYSLOG}', f'network("127.0.0.1" port({free_port()}))'))
    try:
        server.start()
        target.publish("given", syslog(0, 100))
        server.until(lambda: count_read(server, "amqp") == 100, 20, "the messages: " + server.stderr())
        server.write_config(reads(target, f'queue("q_given") {SYSLOG}'))
        server.ctl("reload")
        server.until(lambda: len(lines(server)) >= 100, 20, f"the messages: {len(lines(server))} {server.stderr()}")
        server.stop()
        assert numbers(server) == set(range(100)) and len(lines(server)) == 100 and target.left("q_given") == 0
    finally:
        server.close()


def test_what_comes_back_too_often_is_rejected_if_that_is_asked_for(binary):
    """A quorum queue counts deliveries; what is rejected goes to the broker's own dead letters."""
    target = shared()

    def make(channel):
        channel.queue_declare("q_dead", durable=True)
        channel.queue_declare("q_count", durable=True, arguments={"x-queue-type": "quorum", "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "q_dead"})

    def give_back(channel):
        for _ in range(3):
            found = None
            while not found:
                found, _, _ = channel.basic_get("q_count")
            channel.basic_nack(found.delivery_tag, requeue=True)

    target.run(make)
    target.publish("", syslog(7, 8), "q_count")
    target.run(give_back)
    server = Server(binary, reads(target, f'queue("q_count") max-deliveries(3) {SYSLOG}'))
    try:
        server.start()
        target.publish("", syslog(8, 9), "q_count")
        server.until(lambda: len(lines(server)) == 1, 20, "the message: " + server.stderr())
        assert numbers(server) == {8} and "came back too often" in server.stderr(), server.stderr()
        Server.until(lambda: target.left("q_dead") == 1, 20, "the dead letter of the broker")
        assert target.take("q_dead")[0][2].endswith(b" 7")
    finally:
        server.close()


def test_encrypted_connections_are_checked(binary):
    target = shared()
    target.queue("q_source_tls", "source_tls", "fanout", "")
    folder = target.pki
    other = target.folder + "/other-for-sources"
    pki(other)
    options = 'queue("q_source_tls") %s tls(ca-file("%s/ca.pem") cert-file("%s/client.pem") key-file("%s/client.key"))'
    server = Server(binary, HEALTHY)
    try:
        server.start()
        server.write_config(reads(target, options % (SYSLOG, other, folder, folder), port=target.tls_port))
        server.ctl("reload")
        server.until(lambda: "TLS: the certificate of the peer is not signed" in server.ctl("healthcheck"), 20, "the unknown CA: " + server.ctl("healthcheck"))
        server.write_config(reads(target, options % (SYSLOG, folder, folder, folder), port=target.tls_port))
        server.ctl("reload")
        target.publish("source_tls", syslog(0, 300))
        server.until(lambda: len(lines(server)) == 300, 20, f"the messages: {len(lines(server))} {server.stderr()}")
    finally:
        server.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    login = 'username("u") password("p")'
    cases = (
        ("amqp(%s);" % login, "queue"),
        ('amqp(queue("q"));', "needs `username()`"),
        ('amqp(queue("") %s);' % login, "`queue()` is empty"),
        ('amqp(queue("q") exchange("e") %s);' % login, "needs `queue-declare(yes)`"),
        ('amqp(queue("q") prefetch(0) %s);' % login, "prefetch"),
    )
    check_refusals(binary, cases, 'source s {{ %s }};\ndestination d {{ file("/x"); }};\n')
