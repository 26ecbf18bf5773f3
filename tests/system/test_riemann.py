"""riemann(): events arrive with their fields over TCP, TLS and UDP; the stub of a server is killed and refuses some; nothing is lost."""

import functools
import socket
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from riemann_stub import RiemannStub
from server import Server
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.riemann")


def riemann(port, options):
    return HEAD + 'destination d_riemann {{ riemann(server("localhost") port(%d) %s); }};\nlog {{ source(s_net); destination(d_riemann); flags(flow-control); }};\n' % (port, options)


def test_events_have_their_fields(binary):
    target = RiemannStub()
    fields = 'state("$LEVEL") description("$MSG") ttl("60") tags("a", "b") attributes(facility("$FACILITY") key("HOST") state("no"))'
    server = Server(binary, riemann(target.port, fields + ' metric(int("$PID"))'))
    try:
        server.start()
        send(server, [("web", "one \u20ac")])
        settled(server, 1)
        event, = target.events
        assert (event.host, event.service, event.state, event.description, event.ttl, list(event.tags)) == ("web", "app", "notice", "one \u20ac", 60, ["a", "b"]), event
        assert (event.time, event.metric_sint64) == (1177236000, 17) and {one.key: one.value for one in event.attributes} == {"facility": "user", "HOST": "web"}, event
        # A metric that is no number, which on-error() drops with its message or alone; times in microseconds.
        server.write_config(riemann(target.port, 'metric("$MSG") event-time("1000001" microseconds)'))
        server.ctl("reload")
        send(server, [("web", "x"), ("web", "1.5")])
        found = settled(server, 3)
        assert (found["written"], found["dead"]) == (2, 1), found
        assert "cast" in dead(server, "cat", "d_riemann#0")
        assert (target.events[1].metric_d, target.events[1].time_micros) == (1.5, 1000001), target.events
        server.write_config(riemann(target.port, 'type(udp) metric("$MSG") on-error(drop-property)'))
        server.ctl("reload")
        send(server, [("web", "x"), ("web", "2.5")])
        settled(server, 5)
        server.until(lambda: len(target.events) == 4, 20, f"datagrams: {target.events}")
        assert [event.HasField("metric_d") for event in target.events[2:]] == [False, True], target.events
    finally:
        server.close()
        target.close()


def test_a_server_that_is_killed_and_refuses_gets_every_event(binary):
    """5,000 messages while the server goes away three times and refuses one in a hundred: none of the others is lost."""
    target = RiemannStub()
    server = Server(binary, riemann(target.port, 'service("$MSG") state("$HOST") batch-lines(100) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 5000
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    host = "refused" if number % 100 == 7 else "ok"
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z {host} app 17 - - {number}\n".encode())
                    if number % 500 == 0:
                        time.sleep(0.1)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(3):
            time.sleep(0.3)
            target.kill()
            time.sleep(0.1)
            target.start(target.port)
        sender.join()
        found = settled(server, count, 120)
        assert (found["written"], found["dead"], found["queued"]) == (count - count // 100, count // 100, 0), found
        services = {int(event.service) for event in target.events}
        assert services == {number for number in range(count) if number % 100 != 7}, len(services)
        assert "ClassCastException" in dead(server, "cat", "d_riemann#0")
    finally:
        server.close()
        target.close()


def test_encrypted_connections_check_the_server(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        pki(holder + "/pki")
        pki(holder + "/other")
        target = RiemannStub(holder + "/pki")
        server = Server(binary, riemann(target.port, f'type("tls" ca-file("{holder}/other/ca.pem"))'))
        try:
            server.start()
            send(server, [("web", "one")])
            server.until(lambda: "TLS: the certificate of the peer is not signed" in server.ctl("healthcheck"), 20, "the unknown CA: " + server.ctl("healthcheck"))
            server.write_config(riemann(target.port, f'type("tls") tls(ca-file("{holder}/pki/ca.pem"))'))
            server.ctl("reload")
            assert settled(server, 1)["written"] == 1 and len(target.events) == 1
        finally:
            server.close()
            target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ("riemann(type(carrier));", "is no way to reach Riemann"),
        ("riemann(type(tcp) tls(peer-verify(yes)));", "`tls()` needs `type(tls)`"),
        ('riemann(metric(json("1")));', "`metric()` is a number"),
        ('riemann(event-time("1" days));', "has a unit that is not known"),
    )
    check_refusals(binary, cases)
