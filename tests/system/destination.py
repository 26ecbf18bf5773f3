"""What the tests of destinations share: a source that feeds them, their counters and dead letters, and configurations that are refused."""

import socket
import subprocess

from server import Server

HEAD = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); time-reopen(1); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol) log-iw-size(20000)); }};
"""


def send(server, messages):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall("".join(f"<13>1 2007-04-22T10:00:00Z {host} app 17 - - {text}\n" for host, text in messages).encode())


def dead(server, *words):
    """The output of `duramen queue dead`."""
    command = [server.binary, "queue", "dead", "--control", server.folder + "/ctl", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def counters(server, kind):
    rows = [line.split(";") for line in server.ctl("stats").splitlines() if line.startswith(kind + ";")]
    return {row[4]: int(row[5]) for row in rows if row[2]}


def settled(server, count, within=60, *, kind):
    """Waits until that many messages are written or dead; returns the counters."""
    now = lambda: counters(server, kind)
    done = lambda: now().get("written", 0) + now().get("dead", 0) >= count
    server.until(done, within, f"{count} messages to be settled: {now()}\n{server.stderr()}")
    found = now()
    assert found["processed"] == found["written"] + found["dead"] + found["dropped"] + found["queued"], found
    return found


def check_refusals(binary, cases, config="source s {{ internal(); }};\ndestination d {{ %s }};\n"):
    """Checks that each driver, at the place of `%s`, is refused with the words beside it."""
    server = Server(binary)
    try:
        for driver, words in cases:
            server.write_config("@version: 4.8\n" + config % driver + "log {{ source(s); destination(d); }};\n")
            done = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
            assert done.returncode != 0 and words in done.stdout + done.stderr, (driver, done.stdout, done.stderr)
    finally:
        server.close()
