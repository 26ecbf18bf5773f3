"""mqtt() as a source: publications of a real broker, acknowledged when destinations have them; kills of both sides, refusals, encryption."""

import os
import signal
import subprocess
import tempfile
import threading
import time

from broker_source import HEALTHY, Relay, count_read, lines, listen, numbers, syslog
from destination import check_refusals
from mosquitto import Mosquitto
from server import Server, free_port, waits_for
from test_tls import pki

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_mqtt {{ mqtt(address("%s") time-reopen(1) %s); }};
destination d_file {{ %s; }};
log {{ source(s_mqtt); destination(d_file); flags(flow-control); }};
"""
FILE = r'file("{folder}/out" template("${{MQTT_TOPIC}} $HOST $MSG\n"))'
SYSLOG = "flags(syslog-protocol)"


def reads(broker, options, destination=FILE, address=None):
    return CONFIG % (address or f"tcp://127.0.0.1:{broker.port}", options, destination)


def subscribed(server, broker, count=1):
    """Waits until the broker has noted so many subscriptions."""
    server.until(lambda: broker.whole_log().count("Sending SUBACK to") >= count, 20, "the subscription: " + server.stderr() + broker.whole_log())


def test_publications_of_every_level_become_messages(binary):
    for qos in (0, 1, 2):
        broker = Mosquitto("allow_anonymous true\nlog_type all")
        server = Server(binary, reads(broker, f'topic("log/+/a/#") qos({qos}) {SYSLOG}'))
        try:
            server.start()
            subscribed(server, broker)
            broker.publish("log/x/a", syslog(0, 500), 2)
            broker.publish("log/\u20ac/a/b/c", syslog(500, 600), 2)
            broker.publish("log/x/b", syslog(600, 700), 2)
            server.until(lambda: len(lines(server)) >= 600, 20, f"the messages with qos({qos}): {len(lines(server))} {server.stderr()}")
            want = [f"log/x/a web{n % 5} {n}" for n in range(500)] + [f"log/\u20ac/a/b/c web{n % 5} {n}" for n in range(500, 600)]
            assert lines(server) == want, qos
        finally:
            server.close()
            broker.close()


def test_any_bytes_and_any_length(binary):
    """Texts without a header, with bytes that are no text, empty ones, and one of 20 MB, of which the beginning is kept."""
    broker = Mosquitto("allow_anonymous true\nlog_type all")
    server = Server(binary, reads(broker, 'topic("t") qos(1) flags(no-parse) log-msg-size(1000)', r'file("{folder}/out" template("$(length $MSG) $(substr $MSG 0 9)\n"))'))
    try:
        server.start()
        subscribed(server, broker)
        with tempfile.NamedTemporaryFile() as long:
            for text in (b"", b"one\0two\xff\xfe", b"x" * 20_000_000, b"last"):
                long.seek(0)
                long.truncate()
                long.write(text)
                long.flush()
                subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", "t", "-f", long.name], check=True, timeout=60)
        server.until(lambda: len(lines(server)) >= 3, 20, f"the messages: {lines(server)} {server.stderr()}")
        assert [line.split()[0] for line in lines(server)] == ["9", "1000", "4"], lines(server)
    finally:
        server.close()
        broker.close()


@waits_for(25)
def test_kills_of_both_sides_lose_nothing(binary):
    """10,000 messages while the server is killed three times and the broker is stopped twice: each arrives."""
    for qos in (1, 2):
        broker = Mosquitto("allow_anonymous true\nlog_type all")
        server = Server(binary, reads(broker, f'topic("log") qos({qos}) {SYSLOG}'))
        count = 10000
        try:
            server.start()
            subscribed(server, broker)

            # A publisher with a new session for each connection could lose messages of its own with the broker.
            publishing = threading.Lock()

            def feed():
                for first in range(0, count, 200):
                    with publishing:
                        broker.publish("log", syslog(first, first + 200), qos)
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
                        broker.stop()
                        time.sleep(0.2)
                        broker.start()
            sender.join()
            server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {sorted(set(range(count)) - numbers(server))[:20]} {server.stderr()[-3000:]}")
            print(f"qos({qos}) doubled: {len(lines(server)) - count}")
        finally:
            server.close()
            broker.close()


def test_broken_connections_bring_nothing_twice(binary):
    """With qos(2) both sides remember what they have over the end of a connection."""
    broker = Mosquitto("allow_anonymous true\nlog_type all")
    relay = Relay(broker.port)
    server = Server(binary, reads(broker, f'topic("log") qos(2) {SYSLOG}', address=f"tcp://127.0.0.1:{relay.port}"))
    count = 20000
    try:
        server.start()
        subscribed(server, broker)
        for first in range(0, count, 2000):
            broker.publish("log", syslog(first, first + 2000), 2)
            relay.cut()
        server.until(lambda: len(numbers(server)) == count, 60, f"all messages: {len(numbers(server))} {server.stderr()[-3000:]}")
        assert sorted(int(line.split()[-1]) for line in lines(server)) == list(range(count))
        assert "Cannot read topics of MQTT" in server.stderr()
    finally:
        relay.close()
        server.close()
        broker.close()


def test_a_broker_that_loses_its_memory_is_read_on(binary):
    """It was killed and knows neither us nor what it had: what comes afterwards is read, whatever numbers it has."""
    broker = Mosquitto("allow_anonymous true\nlog_type all")
    port = free_port()
    server = Server(binary, reads(broker, f'topic("log") qos(1) {SYSLOG}', f'network("127.0.0.1" port({port}) template("$MSG\\n"))'))
    try:
        server.start()
        subscribed(server, broker)
        broker.publish("log", syslog(0, 100))
        server.until(lambda: count_read(server, "mqtt") == 100, 20, "the messages: " + server.stderr())
        broker.kill()
        broker.start()
        subscribed(server, broker, 2)
        broker.publish("log", syslog(100, 200))
        got = listen(port)
        server.until(lambda: len(got) == 200, 30, f"all messages: {len(got)} {server.stderr()}")
        assert got == set(range(200))
    finally:
        server.close()
        broker.close()


@waits_for(11)
def test_the_broker_keeps_what_waits_for_a_destination(binary):
    """A destination that is away holds the acknowledgements; a kill in between loses nothing; when it comes, all arrive."""
    broker = Mosquitto("allow_anonymous true\nlog_type error")
    port = free_port()
    server = Server(binary, reads(broker, f'topic("log") qos(1) keepalive(2) {SYSLOG}', f'network("127.0.0.1" port({port}) template("$MSG\\n") log-fifo-size(100000))'))
    count = 60000
    try:
        server.start()
        server.until(lambda: "s_mqtt" not in server.ctl("healthcheck"), 20, "the connection")
        time.sleep(0.5)
        for first in range(0, count, 10000):
            broker.publish("log", syslog(first, first + 10000))
        server.until(lambda: count_read(server, "mqtt") > 10000, 40, "some messages: " + server.stderr())
        # Longer than a connection may be silent.
        time.sleep(5)
        held = count_read(server, "mqtt")
        assert held < 40000, held
        assert "Cannot read topics" not in server.stderr(), server.stderr()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(20)
        server.start()
        server.until(lambda: count_read(server, "mqtt") > 10000, 40, "some messages: " + server.stderr())
        got = listen(port)
        server.until(lambda: len(got) == count, 60, f"all messages: {len(got)} {server.stderr()}")
    finally:
        server.close()
        broker.close()


def test_what_the_broker_refuses_is_said(binary):
    with tempfile.TemporaryDirectory(prefix="mqtt-", dir="/tmp") as folder:
        passwords = folder + "/passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "me", "late-secret"], check=True, capture_output=True)
        with open(folder + "/acl", "w") as out:
            out.write("user me\ntopic readwrite log/#\n")
        os.chmod(folder, 0o755)
        broker = Mosquitto(f"allow_anonymous false\npassword_file {passwords}\nacl_file {folder}/acl\nlog_type all", ("-u", "me", "-P", "late-secret"))
        options = 'topic("%s") qos(1) username("me") password("%s") ' + SYSLOG
        server = Server(binary, HEALTHY)
        health = lambda: server.ctl("healthcheck")
        try:
            server.start()
            server.write_config(reads(broker, options % ("log/#", "wrong-secret")))
            server.ctl("reload")
            server.until(lambda: "the broker says that we are not authorised" in health(), 20, "the refusal to show: " + health())
            assert "secret" not in server.stderr() + health()
            server.write_config(reads(broker, options % ("other/#", "late-secret")))
            server.ctl("reload")
            server.until(lambda: "the broker refuses the subscription to topic" in health() or broker.whole_log().count("SUBACK") > 0, 20, "the refused topic: " + health() + broker.whole_log())
            server.write_config(reads(broker, options % ("log/#", "late-secret")))
            server.ctl("reload")
            server.until(lambda: "s_mqtt" not in health(), 20, "the end of the trouble: " + health())
            broker.publish("log/x", syslog(0, 10))
            server.until(lambda: len(lines(server)) == 10, 20, "the messages: " + server.stderr())
            broker.stop()
            server.until(lambda: "s_mqtt" in health(), 20, "the outage: " + health())
            begin = time.monotonic()
            server.stop()
            assert server.process.returncode == 0 and time.monotonic() - begin < 5
        finally:
            server.close()
            broker.close()


def test_encrypted_connections_are_checked(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        pki(holder + "/other")
        broker = Mosquitto("allow_anonymous true\nlog_type all", tls=folder)
        address = f"ssl://localhost:{broker.tls_port}"
        options = 'topic("t") qos(2) keepalive(1) %s tls(ca-file("%s/ca.pem") cert-file("%s/client.pem") key-file("%s/client.key"))'
        server = Server(binary, HEALTHY)
        try:
            server.start()
            server.write_config(reads(broker, options % (SYSLOG, holder + "/other", folder, folder), address=address))
            server.ctl("reload")
            server.until(lambda: "TLS: the certificate of the peer is not signed" in server.ctl("healthcheck"), 20, "the unknown CA: " + server.ctl("healthcheck"))
            server.write_config(reads(broker, options % (SYSLOG, folder, folder, folder), address=address))
            server.ctl("reload")
            subscribed(server, broker)
            broker.publish("t", syslog(0, 1000))
            server.until(lambda: len(lines(server)) == 1000, 20, f"the messages: {len(lines(server))} {server.stderr()}")
            # The broker ends connections that are silent for one and a half times keepalive().
            time.sleep(3)
            broker.publish("t", syslog(1000, 2000))
            server.until(lambda: len(lines(server)) == 2000, 20, f"the messages: {len(lines(server))} {server.stderr()}")
            assert broker.whole_log().count("Sending SUBACK to") == 1, broker.whole_log()
        finally:
            server.close()
            broker.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('mqtt(topic("a/#/b"));', "a + stands for a whole level"),
        ('mqtt(topic(""));', "the name of the topic is empty"),
        ('mqtt(address("ws://h:80") topic("t"));', "over WebSockets is not supported yet"),
        ('mqtt(topic("t") tls(peer-verify(yes)));', "needs an address that begins with ssl://"),
        ('mqtt(topic("t") password("x"));', "needs `username()`"),
        ('mqtt(topic("t") qos(3));', "qos"),
        ("mqtt(qos(1));", "topic"),
    )
    check_refusals(binary, cases, 'source s {{ %s }};\ndestination d {{ file("/x"); }};\n')
