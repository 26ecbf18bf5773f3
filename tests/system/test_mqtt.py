"""mqtt(): a real broker gets every message, goes away and comes back; names that are not valid topics do not end a connection."""

import functools
import os
import socket
import subprocess
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from mosquitto import Mosquitto
from server import Server, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.mqtt")


def mqtt(broker, options):
    return HEAD + 'destination d_mqtt {{ mqtt(address("tcp://127.0.0.1:%d") %s); }};\nlog {{ source(s_net); destination(d_mqtt); flags(flow-control); }};\n' % (broker.port, options)


def test_messages_reach_their_topics_with_every_level(binary):
    for qos in (0, 1, 2):
        broker = Mosquitto()
        broker.listen()
        server = Server(binary, mqtt(broker, 'topic("log/$HOST") template("$MSG") qos(%d)' % qos))
        try:
            server.start()
            # A name with a wildcard is not a topic: without fallback-topic() the message becomes a dead
            # letter.
            send(server, [("web", f"{number} \u20ac") for number in range(300)] + [("a+b", "lost?"), ("#", "lost?")])
            found = settled(server, 302)
            assert (found["written"], found["dead"]) == (300, 2), (qos, found)
            server.until(lambda: len(broker.heard()) >= 300, 20, f"the messages with qos({qos}): {len(broker.heard())}")
            assert broker.heard() == [f"log/web {number} \u20ac" for number in range(300)], qos
            assert "bad-name" in dead(server, "cat", "d_mqtt#0")
        finally:
            server.close()
            broker.close()


@waits_for(5)
def test_a_broker_that_is_stopped_gets_every_message(binary):
    """20,000 messages while the broker is stopped four times, one in a hundred without a valid topic: received = sent - dead letters."""
    broker = Mosquitto()
    broker.listen()
    server = Server(binary, mqtt(broker, 'topic("$HOST") template("$MSG") qos(1) batch-lines(200) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 20000
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    host = "a+b" if number % 100 == 7 else "good"
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z {host} app 17 - - {number}\n".encode())
                    if number % 2000 == 0:
                        time.sleep(0.25)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(4):
            time.sleep(0.5)
            broker.stop()
            time.sleep(0.1)
            broker.start()
        sender.join()
        found = settled(server, count, 120)
        wanted = {f"good {number}" for number in range(count) if number % 100 != 7}
        heard = lambda: set(broker.heard())
        server.until(lambda: heard() >= wanted, 60, f"all messages: {len(heard())} of {len(wanted)}, {found}")
        assert heard() == wanted
        assert (found["dead"], found["queued"], found["written"]) == (count // 100, 0, count - count // 100), found
        print(f"doubled: {len(broker.heard()) - len(wanted)}")
    finally:
        server.close()
        broker.close()


def test_wrong_passwords_hold_and_fallback_topics_help(binary):
    with tempfile.TemporaryDirectory(prefix="mqtt-", dir="/tmp") as folder:
        passwords = folder + "/passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "me", "late-secret"], check=True, capture_output=True)
        os.chmod(folder, 0o755)
        broker = Mosquitto(f"allow_anonymous false\npassword_file {passwords}", ("-u", "me", "-P", "late-secret"))
        broker.listen()
        options = 'topic("$HOST") fallback-topic("odd") template("$MSG") qos(1) username("me") password("%s")'
        server = Server(binary, mqtt(broker, options % "wrong-secret"))
        try:
            server.start()
            send(server, [("web", "one"), ("x+", "two")])
            server.until(lambda: "(credentials): the broker" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
            assert "secret" not in server.stderr() + server.ctl("healthcheck")
            server.write_config(mqtt(broker, options % "late-secret"))
            server.ctl("reload")
            assert settled(server, 2)["written"] == 2
            server.until(lambda: broker.heard() == ["web one", "odd two"], 20, f"the messages: {broker.heard()}")
        finally:
            server.close()
            broker.close()


def test_encryption_and_connections_that_rest(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        broker = Mosquitto(tls=folder)
        broker.listen()
        text = HEAD + 'destination d_mqtt {{ mqtt(address("ssl://localhost:%d") topic("t") template("$MSG") qos(2) keepalive(1) tls(ca-file("%s/ca.pem") %s)); }};\nlog {{ source(s_net); destination(d_mqtt); }};\n'
        shown = 'cert-file("%s/client.pem") key-file("%s/client.key")' % (folder, folder)
        server = Server(binary, text % (broker.tls_port, folder, shown))
        try:
            server.start()
            send(server, [("web", "one")])
            settled(server, 1)
            # The broker ends connections that are silent for one and a half times keepalive().
            time.sleep(3)
            send(server, [("web", "two")])
            settled(server, 2)
            server.until(lambda: broker.heard() == ["t one", "t two"], 20, f"the messages: {broker.heard()}")
        finally:
            server.close()
            broker.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('mqtt(topic("a/#"));', "has a + or a #"),
        ('mqtt(topic("$HOST") fallback-topic("+"));', "`fallback-topic()`: the name of the topic has a +"),
        ('mqtt(address("ws://h:80") topic("t"));', "over WebSockets is not supported yet"),
        ('mqtt(address("http://h:80") topic("t"));', "is no address of a broker"),
        ('mqtt(topic("t") tls(peer-verify(yes)));', "needs an address that begins with ssl://"),
        ('mqtt(topic("t") password("x"));', "needs `username()`"),
        ("mqtt(qos(1));", "topic"),
    )
    check_refusals(binary, cases)
