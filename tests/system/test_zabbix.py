"""zabbix(): a real Zabbix server stores the values of messages and refuses some; it is killed and comes back."""

import functools
import socket

import destination
from destination import HEAD, check_refusals, counters, dead
from server import Server
from zabbix_server import Zabbix

settled = functools.partial(destination.settled, kind="dst.zabbix")


def zabbix(target, options):
    return HEAD + "destination d_z {{ zabbix(port(%d) %s); }};\nlog {{ source(s_net); destination(d_z); flags(flow-control); }};\n" % (target.port, options)


def feed(server, rows):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall("".join(f"<13>1 2025-04-22T10:00:00.5Z {host} {program} 17 - - {text}\n" for host, program, text in rows).encode())


def test_values_are_stored_once_and_refused_ones_are_dead_letters(binary):
    target = Zabbix(["web1", "web2"], [("log", 4), ("num", 3)])
    server = Server(binary, zabbix(target, 'key("$PROGRAM") batch-lines(50) retries(1000)'))
    try:
        server.start()
        # A server begins to answer before it knows its items.
        feed(server, [("web1", "log", "first")])
        Server.until(lambda: target.values() or feed(server, [("web1", "log", "first")]), 60, "the server to know its items: " + target.log())
        before = settled(server, 1)
        rows = [("web1", "log", f"text {number} \u00fc\"\\\\") for number in range(300)]
        rows += [("web2", "num", f"{number}") for number in range(100)]
        for number in range(0, 400, 40):
            rows[number] = ("nobody", "log", f"refused {number}")
        feed(server, rows)
        found = settled(server, before["written"] + before["dead"] + 400)
        assert (found["written"] - before["written"], found["dead"] - before["dead"]) == (390, 10), (before, found)
        wanted = sorted(text for host, key, text in rows if key == "log" and host != "nobody")
        texts = lambda: sorted(row.split("|")[4] for row in target.values() if "|text " in row)
        Server.until(lambda: texts() == wanted, 30, f"{len(wanted)} texts to be stored once: {len(texts())}")
        stored = target.values("history_uint")
        assert sorted(int(row.split("|")[4]) for row in stored) == [number for number in range(100) if (300 + number) % 40], stored
        assert all(row.startswith("web2|num|1745316000|500") for row in stored), stored
        letters = dead(server, "cat", "d_z#0")
        assert letters.count("nobody log[17]: refused") == 10 and "no enabled item of this host and key" in letters, letters
        # It is killed: what comes meanwhile waits.
        target.kill()
        feed(server, [("web1", "log", f"later {number}") for number in range(50)])
        server.until(lambda: counters(server, "dst.zabbix")["queued"] == 50, 20, "messages to wait")
        target.start()
        server.until(lambda: counters(server, "dst.zabbix")["queued"] == 0, 60, "them to be sent: " + server.ctl("healthcheck"))
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ("zabbix();", "key"),
        ('zabbix(key(""));', "`key()` is empty"),
        ('zabbix(key("k") host(""));', "`host()` is empty"),
        ('zabbix(key("k") psk-file("/f"));', "`psk-file` is not supported yet"),
        ('zabbix(key("k") batch-lines(0));', "batch-lines"),
    )
    check_refusals(binary, cases)
