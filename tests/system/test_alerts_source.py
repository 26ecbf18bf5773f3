"""alerts(): what rules report as messages, each at least once and in order, whatever happens to the server and to who receives them."""

import os
import re
import signal
import subprocess

from peers import LinePeer
from rules_site import responds, send, watches, write
from server import Server, free_port

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); stats(level(1)); time-reopen(1); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
log {{ source(s_net); destination {{ logspace("main"); }}; flags(flow-control); }};
source s_alerts {{ alerts(); }};
destination d_line {{ file("{folder}/alerts" template("${{alert.id}} $FACILITY.$LEVEL $MSGID ${{alert.rule}} ${{alert.key.host}} ${{alert.sequence}} $MSG\\n")); }};
destination d_peer {{ network("127.0.0.1" port(PEER) transport("tcp") template("${{alert.id}} ${{alert.alert}}\\n")); }};
log {{ source(s_alerts); destination(d_line); destination(d_peer); flags(flow-control); }};
"""
RULES = """rules:
- {id: each, kind: match, query: alpha, by: host}
- {id: disk, title: Disk full, kind: match, query: full, by: host, resolve-after: 1s, severity: crit}
"""


def lines(server):
    try:
        with open(server.folder + "/alerts") as text:
            return text.read().splitlines()
    except FileNotFoundError:
        return []


def listed(server):
    return server.call("alerts?limit=500")["alerts"]


def start(binary, peer):
    server = Server(binary, CONFIG.replace("PEER", str(peer)))
    os.mkdir(server.folder + "/rules")
    write(server, "site.yaml", RULES)
    server.start()
    watches(server)
    return server


def test_alerts_are_messages_for_any_destination(binary):
    peer = LinePeer()
    server = start(binary, peer.port)
    try:
        send(server, "web app: alpha", "db1 app: disk full", "web app: nothing")
        server.until(lambda: len(lines(server)) >= 3 and len(peer.lines) >= 3, 60, f"three changes: {lines(server)}")
        found = [line.split(" ", 1)[1] for line in lines(server)]
        assert re.fullmatch(r"syslog\.warning occurred each web \d+ warning occurred: each host=web", found[0]), found
        assert re.fullmatch(r"syslog\.crit fired disk db1 \d+ crit fired: Disk full host=db1", found[1]), found
        # Its end is caused by no message.
        assert re.fullmatch(r"syslog\.notice resolved disk db1  crit resolved: Disk full host=db1", found[2]), found
        assert [line.split()[0] for line in lines(server)] == [line.split()[0] for line in peer.lines]
    finally:
        server.close()
        peer.listener.close()


def test_no_alert_is_missing_after_kills(binary):
    """A receiver that is away holds them; the server is killed in between."""
    port = free_port()
    server = start(binary, port)
    hosts = [f"h{number}" for number in range(60)]
    try:
        for part in range(0, 60, 20):
            send(server, *[f"{host} app: alpha" for host in hosts[part:part + 20]])
            server.until(lambda: len(listed(server)) >= part + 20, 60, "the alerts")
            server.stop(signal.SIGKILL)
            server.start()
            server.until(lambda: responds(server), 60, "the server")
            watches(server)
        peer = LinePeer(port)
        server.until(lambda: len(set(peer.lines)) >= 60, 60, f"all alerts: {len(set(peer.lines))}")
        ids = {row["id"] for row in listed(server)}
        assert {line.split()[1] for line in peer.lines} == ids, (len(peer.lines), len(ids))
        # First comes what was first.
        firsts = list(dict.fromkeys(line.split()[0] for line in peer.lines))
        order = list(dict.fromkeys(line.split()[0] for line in lines(server)))
        assert firsts == order, (firsts[:5], order[:5])
        peer.listener.close()
    finally:
        server.close()


def test_a_logspace_for_alerts_is_refused(binary):
    server = Server(binary, CONFIG.replace("PEER", "9").replace("destination(d_line);", 'destination(d_line); destination {{ logspace("main"); }};'))
    done = subprocess.run([binary, "check", server.config], capture_output=True, text=True)
    assert done.returncode != 0 and "its rules would see their own alerts" in done.stdout + done.stderr, done
