"""collectd(): a real collectd gets the values of messages, refuses some, goes away and comes back."""

import functools
import socket
import time

import destination
from collectd_server import Collectd
from destination import HEAD, check_refusals, dead
from server import Server

settled = functools.partial(destination.settled, kind="dst.collectd")


def collectd(target, options):
    return HEAD + "destination d_c {{ collectd(socket(\"%s\") %s); }};\nlog {{ source(s_net); destination(d_c); flags(flow-control); }};\n" % (target.socket, options)


def feed(server, rows):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall("".join(f"<13>1 2007-04-22T10:00:00Z {host} {program} 17 - - {text}\n" for host, program, text in rows).encode())


def test_each_value_has_its_own_answer(binary):
    target = Collectd()
    server = Server(binary, collectd(target, 'type("gauge") type-instance("$PID") values("$MSG")'))
    try:
        server.start()
        rows = [(f"h{number}", "a-b", "x1" if number % 10 == 3 else "5 6" if number % 10 == 7 else f"{number}") for number in range(200)]
        feed(server, rows)
        found = settled(server, 200)
        assert (found["written"], found["dead"]) == (160, 40), found
        # A value is listed when a thread of collectd has taken it from its queue.
        wanted = sorted(f"h{number}/a_b/gauge-17" for number in range(200) if number % 10 not in (3, 7))
        Server.until(lambda: target.names() == wanted, 30, "160 values to be listed")
        assert target.ask('GETVAL h42/a_b/gauge-17') == ["value=4.200000e+01"]
        letters = dead(server, "cat", "d_c#0")
        assert letters.count("Parsing the values string failed") == 20 and letters.count("the values are no numbers") == 20, letters
    finally:
        server.close()
        target.close()


def test_collectd_that_is_killed_loses_no_value(binary):
    target = Collectd()
    server = Server(binary, collectd(target, 'type("gauge") values("$MSG") plugin-instance("$PROGRAM") disk-buffer(capacity-bytes(16M) reliable(yes))'))
    try:
        server.start()
        for part in range(5):
            feed(server, [("web", f"p{part * 400 + number}", "1") for number in range(400)])
            time.sleep(0.1)
            target.kill()
            time.sleep(0.2)
            target.start()
        feed(server, [("web", f"p{2000 + number}", "1") for number in range(400)])
        found = settled(server, 2400, 120)
        assert (found["written"], found["dead"], found["queued"], found["dropped"]) == (2400, 0, 0, 0), found
        # What collectd had acknowledged and not yet written ended with it. It has all of what came after its last start.
        last = {f"web/p{number}-p{number}/gauge" for number in range(2000, 2400)}
        Server.until(lambda: last <= set(target.names()), 30, "the last values to be listed")
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused(binary):
    check_refusals(binary, [
        ('collectd(type("gauge"))', "needs `values()`"),
        ('collectd(values("1"))', "needs `type()`"),
        ('collectd(type("gauge") values("1") interval(0))', "this value does not fit"),
    ])
