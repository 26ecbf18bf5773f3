"""amqp(): RabbitMQ confirms every message, returns some, is killed, blocked and comes back; nothing is lost."""

import atexit
import functools
import socket
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from rabbitmq import RabbitMQ
from server import Server, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.amqp")

started = []
starting = threading.Lock()


def shared():
    """One broker for the tests that leave it as it is."""
    with starting:
        if not started:
            started.append(RabbitMQ())
            atexit.register(started[0].close)
    return started[0]


def amqp(target, options, port=None):
    return HEAD.replace("stats(", "log-msg-size(300000); stats(") + 'destination d_amqp {{ amqp(host("localhost") port(%d) username("guest") password("guest") %s); }};\nlog {{ source(s_net); destination(d_amqp); flags(flow-control); }};\n' % (port or target.port, options)


def healthy(server, words, within=20):
    server.until(lambda: words in server.ctl("healthcheck"), within, f"{words}: " + server.ctl("healthcheck"))


@waits_for(13)
def test_messages_arrive_with_headers_and_properties(binary):
    target = shared()
    target.queue("q_all", "all")
    pairs = 'value-pairs(scope(rfc5424) pair("app.host" "$HOST") exclude("DATE"))'
    server = Server(binary, amqp(target, 'exchange("all") routing-key("log.$HOST") body("$MSG") %s' % pairs))
    try:
        server.start()
        # Bodies beyond a frame, and one beyond the broker's limit.
        long = "x" * 60000
        send(server, [("web", f"{number} \u20ac") for number in range(1200)] + [("db", long), ("db", "y" * 200000), ("db", "last")])
        found = settled(server, 1203)
        assert (found["written"], found["dead"]) == (1202, 1), (found, dead(server, "cat", "d_amqp#0"))
        assert "too-large" in dead(server, "cat", "d_amqp#0")
        messages = target.take("q_all")
        assert sorted(body.decode() for _, _, body in messages) == sorted([f"{number} \u20ac" for number in range(1200)] + [long, "last"])
        key, properties, _ = messages[0]
        assert (key, properties.content_type, properties.delivery_mode) == ("log.web", "text/plain", 2)
        assert properties.headers["app.host"] == properties.headers["HOST"] == "web" and properties.headers["PROGRAM"] == "app", properties.headers
        assert "DATE" not in properties.headers
        ids = {properties.message_id for _, properties, _ in messages}
        assert len(ids) == 1202 and all(len(one) == 32 for one in ids)
    finally:
        server.close()


@waits_for(45)
def test_a_broker_that_is_killed_has_every_message(binary):
    """10,000 messages while the broker is killed twice: none is lost, and those that came twice have the same id."""
    target = RabbitMQ()
    target.queue("q", "logs")
    server = Server(binary, amqp(target, 'exchange("logs") body("$MSG") batch-lines(200) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 10000
    try:
        server.start()
        # RabbitMQ writes a new binding to the disk two seconds later.
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
        found = settled(server, count, 60)
        assert (found["written"], found["queued"], found["dead"]) == (count, 0, 0), found
        messages = target.take("q")
        assert {int(body) for _, _, body in messages} == set(range(count)), len(messages)
        assert len({properties.message_id for _, properties, _ in messages}) == count, len(messages)
    finally:
        server.close()
        target.close()


def test_a_message_that_no_queue_gets_waits_as_a_dead_letter_or_with_all_others(binary):
    target = shared()
    target.queue("q_bound", "routes", key="log.known")
    server = Server(binary, amqp(target, 'exchange("routes") routing-key("log.$HOST") body("$MSG")'))
    try:
        server.start()
        send(server, [("known", "one"), ("late", "two"), ("known", "three"), ("k" * 253, "too long a key")])
        found = settled(server, 4)
        assert (found["written"], found["dead"]) == (2, 2), found
        letters = dead(server, "cat", "d_amqp#0")
        assert "unroutable" in letters and "NO_ROUTE" in letters and "255" in letters, letters
        target.run(lambda channel: channel.queue_bind("q_bound", "routes", "log.late"))
        dead(server, "replay", "d_amqp#0", "--reason", "unroutable")
        settled(server, 5)
        assert sorted(body for _, _, body in target.take("q_bound")) == [b"one", b"three", b"two"]
        # The same with messages that wait for their queue.
        server.write_config(amqp(target, 'exchange("routes") routing-key("log.$HOST") body("$MSG") unroutable(hold)'))
        server.ctl("reload")
        send(server, [("later", "four")])
        healthy(server, "(schema): 312 NO_ROUTE")
        target.run(lambda channel: channel.queue_bind("q_bound", "routes", "log.later"))
        server.until(lambda: [body for _, _, body in target.take("q_bound")] == [b"four"], 20, "the message that waited")
    finally:
        server.close()


def test_what_an_operator_must_mend_holds_messages(binary):
    target = shared()
    options = 'exchange("absent") body("$MSG")'
    server = Server(binary, amqp(target, options).replace('password("guest")', 'password("wrong-secret")'))
    try:
        server.start()
        send(server, [("web", "one")])
        healthy(server, "(credentials): 403 ACCESS_REFUSED")
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        server.write_config(amqp(target, options + ' vhost("nowhere")'))
        server.ctl("reload")
        healthy(server, "(access): 530 NOT_ALLOWED")
        server.write_config(amqp(target, options))
        server.ctl("reload")
        healthy(server, "(schema): 404 NOT_FOUND - no exchange 'absent'")
        target.queue("q_absent", "absent")
        assert settled(server, 1)["written"] == 1
        # Another type than that of the exchange.
        server.write_config(amqp(target, options + ' exchange-declare(yes) exchange-type("fanout")'))
        server.ctl("reload")
        send(server, [("web", "two")])
        healthy(server, "(schema): 406 PRECONDITION_FAILED")
        server.write_config(amqp(target, options + ' exchange-declare(yes) exchange-type("topic") persistent(no)'))
        server.ctl("reload")
        settled(server, 2)
        assert [(body, properties.delivery_mode) for _, properties, body in target.take("q_absent")] == [(b"one", 2), (b"two", 1)]
    finally:
        server.close()


@waits_for(20)
def test_a_broker_without_memory_is_waited_for(binary):
    target = shared()
    target.queue("q_blocked", "blocked")
    server = Server(binary, amqp(target, 'exchange("blocked") body("$MSG") timeout(1) heartbeat(2)'))
    try:
        server.start()
        send(server, [("web", "0")])
        settled(server, 1)
        target.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
        send(server, [("web", str(number)) for number in range(1, 500)])
        healthy(server, "(quota): the broker takes no messages now: low on memory")
        target.ctl("set_vm_memory_high_watermark", "0.8")
        found = settled(server, 500)
        assert (found["written"], found["dead"]) == (500, 0), found
        # Nothing was sent twice: the connection stayed.
        assert sorted(int(body) for _, _, body in target.take("q_blocked")) == list(range(500))
        # Two heartbeats of silence do not end it.
        logged = lambda: open(f"{target.folder}/logs/t{target.port}@localhost.log", errors="replace").read()
        before = logged().count("missed heartbeats from client")
        time.sleep(5)
        send(server, [("web", "500")])
        settled(server, 501)
        assert logged().count("missed heartbeats from client") == before
    finally:
        target.ctl("set_vm_memory_high_watermark", "0.8")
        server.close()


def test_encrypted_connections_check_both_sides(binary):
    target = shared()
    target.queue("q_tls", "tls")
    pki(target.folder + "/other")
    options = 'exchange("tls") body("$MSG") tls(ca-file("%s/ca.pem") ' + f'cert-file("{target.pki}/client.pem") key-file("{target.pki}/client.key"))'
    server = Server(binary, amqp(target, options % (target.folder + "/other"), target.tls_port))
    try:
        server.start()
        send(server, [("web", "one")])
        healthy(server, "TLS: the certificate of the peer is not signed")
        server.write_config(amqp(target, options % target.pki, target.tls_port))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
        assert [body for _, _, body in target.take("q_tls")] == [b"one"]
    finally:
        server.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ("amqp(exchange(x));", "needs `username()` and `password()`"),
        ("amqp(auth-method(external));", "logs in with a certificate"),
        ('amqp(username(u) password(p) exchange("") exchange-declare(yes));', "cannot be declared"),
        ('amqp(username(u) password(p) vhost("%s"));' % ("v" * 256), "more than 255 bytes"),
        ('amqp(username(u) password(p) routing-key("%s"));' % ("k" * 256), "more than 255 bytes"),
        ('amqp(username(u) password(p) ca-file("/a") tls(ca-file("/b")));', "and `tls()` cannot be used together"),
    )
    check_refusals(binary, cases)
