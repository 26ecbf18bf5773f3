"""stomp(): RabbitMQ gives a receipt for every message, refuses some, is killed and comes back; nothing is lost, and no message can inject a frame."""

import functools
import socket
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from rabbitmq import RabbitMQ
from server import Server, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.stomp")


def stomp(target, options, port=None):
    head = HEAD.replace("stats(", "log-msg-size(300000); stats(")
    return head + 'destination d_stomp {{ stomp(host("localhost") port(%d) username("guest") password("guest") %s); }};\nlog {{ source(s_net); destination(d_stomp); flags(flow-control); }};\n' % (port or target.stomp_port, options)


def healthy(server, words, within=20):
    server.until(lambda: words in server.ctl("healthcheck"), within, f"{words}: " + server.ctl("healthcheck"))


@waits_for(30)
def test_a_broker_that_is_killed_has_every_message(binary):
    """10,000 messages while the broker is killed twice: none is lost, and those that came twice have the same id."""
    target = RabbitMQ(stomp=True)
    target.queue("q", "logs")
    server = Server(binary, stomp(target, 'destination("/amq/queue/q") ack(yes) body("$MSG") batch-lines(200) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 10000
    try:
        server.start()
        # RabbitMQ writes a new queue to the disk two seconds later.
        time.sleep(2.5)

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web app 17 - - {number}\n".encode())
                    if number % 1000 == 0:
                        time.sleep(0.3)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(2):
            time.sleep(0.8)
            target.kill()
            target.start()
        sender.join()
        found = settled(server, count, 90)
        assert (found["written"], found["queued"], found["dead"]) == (count, 0, 0), found
        messages = target.take("q")
        assert {int(body) for _, _, body in messages} == set(range(count)), len(messages)
        assert len({properties.headers["duramen-id"] for _, properties, _ in messages}) == count, len(messages)
    finally:
        server.close()
        target.close()


def test_headers_errors_and_logins(binary):
    """One broker: hostile headers, a message that is too large, a missing exchange, a wrong password, TLS."""
    target = RabbitMQ(stomp=True)
    target.queue("q", "logs")
    server = Server(binary, stomp(target, 'destination("/amq/queue/q") body("$MSG") value-pairs(pair("a:b" "$MSG") pair("receipt" "x") pair("host" "$HOST"))'))
    try:
        server.start()
        hostile = "one\\n:two\\ \t\u20ac receipt:9"
        send(server, [("web", hostile), ("db", "y" * 200000), ("db", "last")])
        found = settled(server, 3)
        assert (found["written"], found["dead"]) == (2, 1), (found, dead(server, "cat", "d_stomp#0"))
        assert "too-large" in dead(server, "cat", "d_stomp#0")
        # What was sent before the refusal may come again, with the same id.
        found = {properties.headers["duramen-id"]: (properties, body) for _, properties, body in target.take("q")}
        (properties, body), (_, last) = sorted(found.values(), key=lambda one: one[1] == b"last")
        assert (body.decode(), properties.headers["a:b"], properties.headers["host"], last) == (hostile, hostile, "web", b"last"), properties.headers
        assert properties.delivery_mode == 2 and properties.headers.get("receipt") != "x"
        # What an operator must mend holds messages.
        server.write_config(stomp(target, 'destination("/exchange/absent/key") ack(yes) body("$MSG")'))
        server.ctl("reload")
        send(server, [("web", "two")])
        healthy(server, "(schema): ")
        assert "no exchange 'absent'" in server.ctl("healthcheck")
        target.queue("q_absent", "absent")
        settled(server, 4)
        assert [body for _, _, body in target.take("q_absent")] == [b"two"]
        server.write_config(stomp(target, 'destination("/queue/x") body("$MSG")').replace('password("guest")', 'password("wrong-secret")'))
        server.ctl("reload")
        send(server, [("web", "three")])
        healthy(server, "(credentials): ")
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        # Both sides check certificates.
        pki(target.folder + "/other")
        tls = 'destination("/amq/queue/q") ack(yes) body("$MSG") tls(ca-file("%s/ca.pem") ' + f'cert-file("{target.pki}/client.pem") key-file("{target.pki}/client.key"))'
        server.write_config(stomp(target, tls % (target.folder + "/other"), target.stomp_tls_port))
        server.ctl("reload")
        healthy(server, "TLS: the certificate of the peer is not signed")
        server.write_config(stomp(target, tls % target.pki, target.stomp_tls_port))
        server.ctl("reload")
        server.until(lambda: [body for _, _, body in target.take("q")] == [b"three"], 20, "the message that waited")
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    check_refusals(binary, (("stomp(password(p));", "`password()` needs `username()`"), ("stomp(ack(sometimes));", "ack")))
