"""logspace() and logstore() with macros in the name: a logspace for each host, found again after a kill, hostile names, the overflow, one search over all."""

import json
import os
import signal
import socket
import subprocess
import time

from server import Server, free_port
from test_logspaces import run

HEAD = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol) log-iw-size(20000)); }};
"""
PATH = "log {{ source(s_net); destination(d); flags(flow-control); }};\n"


def names(options="", name="log-$HOST"):
    return HEAD + 'destination d {{ logspace("%s" %s); }};\n' % (name, options) + PATH


def send(server, messages):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
        peer.sendall("".join(f"<13>1 2007-04-22T10:00:00Z {host} app 17 - - {text}\n" for host, text in messages).encode())


def total(server, logspace, query=""):
    return server.search(query, logspace=logspace)["total"]


def accounts(server):
    """The rows of the statistics that belong to the destination: logspace, figure, value."""
    rows = [line.split(";") for line in server.ctl("stats").splitlines() if line.startswith("dst.logspace;")]
    return [(row[2], row[4], int(row[5])) for row in rows]


def test_each_host_has_a_logspace_and_all_are_searched_at_once(binary):
    server = Server(binary, names("logspaces-max(20)") + 'logspace fw {{ filtered("log-all" "host:fw*"); }};\n')
    try:
        server.start()
        send(server, [(f"host{n % 5}", f"number {n}") for n in range(100)] + [("fw1", "denied"), ("HOST1", "number x")])
        server.until(lambda: total(server, "log-all") == 102, 30, "the messages")
        assert total(server, "log-host1") == 21, "names of hosts have no case"
        assert total(server, "fw") == 1
        rows = server.search("denied OR number", logspace="log-all", limit=200)["rows"]
        assert {row["logspace"] for row in rows} == {"log-fw1", *(f"log-host{n}" for n in range(5))}
        shown = [scope["name"] for scope in server.call("logspaces")]
        assert "log-all" in shown and "log-host4" in shown, shown
        listed = run(server, "logspace", "ls", "--data", server.folder + "/data").stdout
        assert "log-fw1  0 messages in 0 sealed segments  of log-$HOST" in listed, listed
        assert run(server, "logspace", "seal", "log-fw1", "--control", server.folder + "/ctl").returncode == 0
        listed = run(server, "logspace", "ls", "log-fw1", "--data", server.folder + "/data").stdout
        assert "1 messages" in listed, listed
        # A page of an answer stays the same while another logspace is made.
        first = server.search("number", logspace="log-all", limit=10)
        send(server, [("new", "number of a new host")])
        server.until(lambda: total(server, "log-all") == 103, 30, "the new host")
        again = server.search("number", logspace="log-all", limit=10, snapshot=first["snapshot"])
        assert again["rows"] == first["rows"] and again["total"] == first["total"], (first, again)
    finally:
        server.close()


def test_hostile_names_stay_inside(binary):
    server = Server(binary, names("logspaces-max(50)", "$PROGRAM") + 'log {{ source(s_net); filter {{ program("never") }}; destination {{ logspace("plain"); }}; }};\n')
    hostile = ["../../../etc/x", "..", ".", "a/b", "a\\b", "C" * 48, "c" * 48, "caf\u00e9", "%00", "$(x)", "plain", "all", "overflow", "x.tmp", ".new-x", "a\x01b"]
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
            for number, program in enumerate(hostile):
                peer.sendall(f"<13>1 2007-04-22T10:00:00Z h {program} 17 - - number {number}\n".encode())
        server.until(lambda: total(server, "all") == len(hostile), 30, "the messages")
        assert total(server, "plain") == 0, "no name reaches a logspace of another"
        folders = os.listdir(server.folder + "/data/logspaces")
        assert all(name.isascii() and not name.startswith(".") and len(name) <= 64 for name in folders), folders
        assert sorted(os.listdir(server.folder)) == sorted(["ctl", "data", "stderr", "test.conf"]), os.listdir(server.folder)
        assert total(server, "overflow") == 3, folders
        for number in range(len(hostile)):
            assert total(server, "all", f'"number {number}"') == 1, hostile[number]
    finally:
        server.close()


def test_further_names_share_one_logspace(binary):
    server = Server(binary, names("logspaces-max(3) overflow(rest)"))
    try:
        server.start()
        send(server, [(f"h{n}", f"number {n}") for n in range(10)])
        server.until(lambda: total(server, "log-all") == 10, 30, "the messages")
        assert total(server, "rest") == 7
        assert ("log-$HOST", "overflowed", 7) in accounts(server), accounts(server)
        assert "logspaces-max() allows" in server.stderr(), server.stderr()
        assert "7 messages went to its overflow" in run(server, "ctl", "--control", server.folder + "/ctl", "healthcheck").stdout
        # A reload allows more; what is in the overflow stays there.
        server.write_config(names("logspaces-max(6) overflow(rest)"))
        server.ctl("reload")
        server.stop()
        server.start()
        send(server, [(f"h{n}", f"again {n}") for n in range(10)])
        server.until(lambda: total(server, "log-all") == 20, 30, "the messages")
        assert (total(server, "rest"), total(server, "log-h5")) == (7 + 4, 1)
    finally:
        server.close()


def test_five_hundred_hosts_survive_kills(binary):
    """500 hosts, the server killed three times while they send over RELP: everything that was acknowledged is found."""
    server = Server(binary, HEAD.replace("log-iw-size", "max-connections(50) log-iw-size") + "source s_relp {{ relp(ip(\"127.0.0.1\") port(%d)); }};\n" % (relp_port := free_port())
                    + 'destination d {{ logspace("log-$HOST" logspaces-max(600)); }};\nlog {{ source(s_relp); destination(d); flags(flow-control); }};\n')
    acknowledged = set()
    try:
        server.start()
        number = 0
        for attempt in range(3):
            if attempt:
                server.start(within=60)
            deadline = time.monotonic() + 6
            with socket.create_connection(("127.0.0.1", relp_port), timeout=30) as peer:
                reader = peer.makefile("rb")
                offers = b"relp_version=0\nrelp_software=test\ncommands=syslog"
                peer.sendall(b"1 open %d %s\n" % (len(offers), offers))
                answer(reader)
                txn = 1
                while time.monotonic() < deadline and number < (attempt + 1) * 2000:
                    frames, batch = b"", []
                    for _ in range(100):
                        txn += 1
                        line = f"<13>Apr 22 10:00:00 h{number % 500} app: number {number}"
                        frames += f"{txn} syslog {len(line)} {line}\n".encode()
                        batch.append(number)
                        number += 1
                    peer.sendall(frames)
                    for one in batch:
                        answer(reader)
                        acknowledged.add(one)
            server.stop(signal.SIGKILL)
        server.start(within=60)
        found = total(server, "log-all", "number")
        assert len(acknowledged) > 3000, len(acknowledged)
        assert found >= len(acknowledged), (found, len(acknowledged))
        rows = run(server, "export", "--logspace", "log-all", "number").stdout.splitlines()
        seen = {int(json.loads(row)["message"].split()[-1]) for row in rows}
        assert acknowledged <= seen, sorted(acknowledged - seen)[:10]
        threads = int(next(line for line in open(f"/proc/{server.process.pid}/status") if line.startswith("Threads")).split()[1])
        memory = int(next(line for line in open(f"/proc/{server.process.pid}/status") if line.startswith("VmRSS")).split()[1])
        assert threads < 500 * 6 + 100 and memory < 2_000_000, (threads, memory)
    finally:
        server.close()


def word(reader):
    """The bytes up to the next space or end of line."""
    found = b""
    while True:
        byte = reader.read(1)
        assert byte, "the server closed the connection"
        if byte in b" \n":
            return found
        found += byte


def answer(reader):
    """Reads one answer of a RELP server, which must say yes."""
    _, kind, length = word(reader), word(reader), int(word(reader))
    body = reader.read(length + 1)
    assert kind == b"rsp" and body.startswith(b"200"), (kind, body)


def test_a_logstore_is_a_logspace(binary):
    options = "owner(root) perm(0600) compress(5) chunk-size(100) journal-block-size(1048576) journal-block-count(4) cipher(aes-128-cbc) digest(sha1)"
    server = Server(binary, HEAD + 'destination d {{ logstore("/var/log/$HOST/messages.lgs" %s); }};\n' % options + PATH)
    try:
        checked = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
        assert checked.returncode == 0, checked
        for option in ("owner", "perm", "compress", "chunk-size", "journal-block-size", "cipher", "digest"):
            assert f"{option}" in checked.stdout + checked.stderr, (option, checked)
        server.start()
        send(server, [("web1", "hello"), ("web2", "hello")])
        server.until(lambda: total(server, "var-log-all") == 2, 30, "the messages")
        assert total(server, "var-log-web1-messages.lgs") == 1
    finally:
        server.close()
