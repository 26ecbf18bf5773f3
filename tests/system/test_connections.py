"""Many connections: memory of idle ones; reloads under load lose no message and close no connection; queues survive a kill.

With more: DURAMEN_CONNECTIONS=5000,1000 DURAMEN_RELOADS=100 python3 tests/system/main.py BINARY test_connections"""

import os
import resource
import signal
import socket
import ssl
import threading

from server import Server, free_port
from test_relp import numbers
from test_tls import dial, pki

PLAIN, TLS = (int(word) for word in os.environ.get("DURAMEN_CONNECTIONS", "500,100").split(","))
RELOADS = int(os.environ.get("DURAMEN_RELOADS", "20"))
SENDERS, PAUSE = 100, (0 if RELOADS >= 100 else 0.1)
LINE = b"<13>1 2026-11-21T09:00:00Z web relayed - - - message %08d\n"

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_plain {{ network(ip("127.0.0.1") port({port}) max-connections(20000) flags(syslog-protocol) listen-backlog(4096)); }};
source s_tls {{
    network(ip("127.0.0.1") port(TLS) transport("tls") max-connections(20000) flags(syslog-protocol) listen-backlog(4096)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") peer-verify(optional-untrusted)));
}};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
log {{ source(s_plain); source(s_tls); destination(d_file); flags(flow-control); }};
"""

QUEUE = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_away {{
    network("127.0.0.1" port(AWAY) template("$MSG\\n") disk-buffer(capacity-bytes(64M) reliable(RELIABLE) dir("{folder}/queues")));
}};
log {{ source(s_tcp); destination(d_away); flags(flow-control); }};
"""


def running(binary):
    port = free_port()
    server = Server(binary, CONFIG.replace("TLS", str(port), 1))
    pki(server.folder + "/pki")
    server.start()
    return server, port


def resident(server):
    """Resident memory of the server in bytes."""
    with open(f"/proc/{server.process.pid}/statm") as text:
        return int(text.read().split()[1]) * resource.getpagesize()


def figure(server, source, name):
    lines = [line for line in server.ctl("stats").splitlines() if f";{source}#0;" in line and f";{name};" in line]
    return sum(int(line.split(";")[-1]) for line in lines)


def test_idle_connections(binary):
    server, tls = running(binary)
    held = []
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as one:
            one.sendall(LINE % 0)
        dial(tls, server.folder + "/pki").close()
        Server.until(lambda: len(numbers(server.folder + "/out.log")) == 1, 30, "the first message")
        sizes = [resident(server)]
        kinds = (("s_plain", PLAIN, lambda: socket.create_connection(("127.0.0.1", server.port))),
                 ("s_tls", TLS, lambda: dial(tls, server.folder + "/pki")))
        for source, count, connect in kinds:
            held.append([connect() for _ in range(count)])
            Server.until(lambda: figure(server, source, "connections") >= count, 60, f"{count} connections")
            sizes.append(resident(server))
        sent = 1
        for fresh in held:
            for peer in fresh[::10]:
                peer.sendall(LINE % sent)
                sent += 1
        Server.until(lambda: len(numbers(server.folder + "/out.log")) == sent, 20, "messages of a tenth of them")
        sizes.append(resident(server))
        plain, secure = (sizes[1] - sizes[0]) / PLAIN, (sizes[2] - sizes[1]) / TLS
        print(f"      idle: {plain:.0f} bytes a plain connection, {secure:.0f} a TLS connection, "
              f"{(sizes[3] - sizes[2]) / 1e6:.1f} MB more after traffic on a tenth")
        assert plain < 16_000 and secure < 64_000, (plain, secure)
    finally:
        for fresh in held:
            for peer in fresh:
                peer.close()
        server.close()


def test_reload_under_load(binary):
    server, tls = running(binary)
    done, sent, broken = threading.Event(), [0] * SENDERS, []

    def send(index):
        try:
            peer = dial(tls, server.folder + "/pki") if index % 2 else socket.create_connection(("127.0.0.1", server.port))
            with peer:
                while not done.is_set():
                    first = index * 1_000_000 + sent[index]
                    peer.sendall(b"".join(LINE % (first + step) for step in range(50)))
                    sent[index] += 50
                    done.wait(PAUSE)
                if index % 2:
                    peer.unwrap()
        except (OSError, ssl.SSLError) as error:
            broken.append(f"{index}: {error!r}")

    threads = [threading.Thread(target=send, args=(index,)) for index in range(SENDERS)]
    try:
        for thread in threads:
            thread.start()
        for turn in range(RELOADS):
            # The configuration changes a little each time.
            server.write_config(CONFIG.replace("TLS", str(tls), 1) + f"# {turn}\n")
            server.ctl("reload")
        done.set()
        for thread in threads:
            thread.join(30)
        assert not broken, f"connections were closed: {broken[:3]}"
        want = {index * 1_000_000 + number for index in range(SENDERS) for number in range(sent[index])}
        path = server.folder + "/out.log"
        Server.until(lambda: sum(1 for _ in open(path)) >= len(want), 30, f"{len(want)} messages")
        found = numbers(path)
        assert found == want, f"{len(want - found)} of {len(want)} lost"
        print(f"      {RELOADS} reloads, {SENDERS} connections, {len(want)} messages")
    finally:
        done.set()
        server.close()


def queue_survives(binary, reliable):
    away = free_port()
    server = Server(binary, QUEUE.replace("AWAY", str(away)).replace("RELIABLE", reliable))
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"".join(LINE % number for number in range(20_000)))
            Server.until(lambda: 'id="d_away#0"' in server.text("/metrics") and
                         f'syslogng_disk_queue_events{{driver="network",id="d_away#0",instance="tcp,127.0.0.1:{away}"}} 20000'
                         in server.text("/metrics"), 10, "the queue to hold all")
            # The size of the file shows when the last message was written: each message has a little more than its 73
            # bytes.
            Server.until(lambda: figure(server, "d_away", "disk_usage") > 20_000 * 73, 30, "the disk to have all")
        server.stop(signal.SIGKILL)
        listed = os.popen(f"{binary} queue ls {server.folder}/queues").read()
        assert "20000 messages" in listed, listed
        shown = os.popen(f"{binary} queue cat -t '$MSG\\n' {server.folder}/queues | tail -1").read()
        assert shown == "message 00019999\n", shown
        with socket.create_server(("127.0.0.1", away)) as listener:
            server.start()
            peer, _ = listener.accept()
            with peer, peer.makefile("rb") as lines:
                got = [int(lines.readline().split()[-1]) for _ in range(20_000)]
            assert got == list(range(20_000)), "lost or out of order"
    finally:
        server.close()


def test_queue_on_disk(binary):
    queue_survives(binary, "no")


def test_reliable_queue_on_disk(binary):
    queue_survives(binary, "yes")
