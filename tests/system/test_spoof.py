"""spoof-source(): datagrams arrive with the addresses of those who sent the messages to us."""

import os
import socket
import subprocess

from server import Server

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_udp {{ network(transport("udp") port({port}) ip("::") ip-protocol(6) flags(syslog-protocol)); }};
source s_local {{ unix-dgram("{folder}/log.sock"); }};
destination d_4 {{ network("127.0.0.1" port(PORT4) transport("udp") spoof-source(yes) template("$SOURCEIP $MSG") MORE); }};
destination d_6 {{ network("::1" port(PORT6) transport("udp") ip-protocol(6) spoof-source(yes) template("$SOURCEIP $MSG")); }};
log {{ source(s_udp); source(s_local); destination(d_4); destination(d_6); }};
"""


def receiver(family, address):
    listener = socket.socket(family, socket.SOCK_DGRAM)
    listener.bind((address, 0))
    listener.settimeout(5)
    return listener, listener.getsockname()[1]


def counted(server, kind):
    lines = [line for line in server.ctl("stats").splitlines() if line.startswith("dst.network;d_4") and f";{kind};" in line]
    return sum(int(line.rsplit(";", 1)[1]) for line in lines)


def test_spoofed_source(binary):
    four, port4 = receiver(socket.AF_INET, "127.0.0.1")
    six, port6 = receiver(socket.AF_INET6, "::1")
    config = CONFIG.replace("PORT4", str(port4)).replace("PORT6", str(port6))
    server = Server(binary, config.replace("MORE", ""))
    line = b"<13>1 2026-11-21T09:00:00Z h app - - - "
    try:
        server.start()
        for address in ("127.0.0.2", "127.9.8.7"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
                out.bind((address, 0))
                out.sendto(line + b"from four", ("127.0.0.1", server.port))
                text, peer = four.recvfrom(2000)
                assert (text, peer) == (f"{address} from four".encode(), (address, out.getsockname()[1]))
                # An IPv4 sender cannot be named over IPv6, so that datagram has our own address.
                text, peer = six.recvfrom(2000)
                assert text == f"{address} from four".encode() and peer[0] == "::1"
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as out:
            out.bind(("::1", 0))
            out.sendto(line + b"odd", ("::1", server.port))
            text, peer = six.recvfrom(2000)
            assert text == b"::1 odd" and peer[:2] == ("::1", out.getsockname()[1]), (text, peer)
            assert four.recvfrom(2000)[1][0] == "127.0.0.1"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(line + b"local", server.folder + "/log.sock")
            assert four.recvfrom(2000)[1][0] == "127.0.0.1" and six.recvfrom(2000)[1][0] == "::1"
        # Long messages are cut; a datagram that the network does not accept in one piece is dropped
        # and counted.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.bind(("127.0.0.2", 0))
            out.sendto(line + b"x" * 3000, ("127.0.0.1", server.port))
            assert len(four.recv(5000)) == 1024
        server.write_config(config.replace("MORE", "spoof-source-max-msglen(65507)"))
        server.ctl("reload")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.bind(("127.0.0.2", 0))
            out.sendto(line + b"x" * 3000, ("127.0.0.1", server.port))
            assert len(four.recv(5000)) == 3010
        assert counted(server, "dropped") == 0 and counted(server, "written") == 6
    finally:
        server.close()
        four.close()
        six.close()


def test_spoofing_needs_a_capability(binary):
    config = CONFIG.replace("PORT4", "9").replace("PORT6", "9").replace("MORE", "")
    server = Server(binary, config)
    try:
        drop = ["setpriv", "--bounding-set", "-net_raw", "--inh-caps", "-net_raw"]
        command = [server.binary, "run", "--config", server.config, "--data", server.folder + "/data", "--http", "none"]
        done = subprocess.run([*drop, *command], capture_output=True, text=True, timeout=20)
        assert done.returncode != 0 and "CAP_NET_RAW" in done.stderr and "d_4#0" in done.stderr, done
        assert os.geteuid() == 0, "this test needs root"
    finally:
        server.close()


def test_a_narrow_way(binary):
    """In a network of its own, with packets of at most 1500 bytes: longer datagrams are dropped, counted and reported."""
    server = Server(binary)
    script = f"""
        ip link set lo mtu 1500 up
        printf '%s\\n' "<13>1 2026-11-21T09:00:00Z h app - - - $(printf 'x%.0s' $(seq 2000))" '<13>1 - h app - - - short' > in
        {server.binary} run --config test.conf --data data --http none --control ctl & server=$!
        for i in $(seq 100); do {server.binary} ctl --control ctl stats > stats 2>/dev/null && break; sleep 0.05; done
        while read -r line; do printf '%s' "$line" > /dev/udp/127.0.0.1/5514; done < in
        for i in $(seq 100); do {server.binary} ctl --control ctl stats > stats 2>/dev/null; grep -q 'd_far.*;written;1$' stats && break; sleep 0.05; done
        kill $server; wait $server; cat stats
    """
    config = """@version: 4.8
options {{ use-dns(no); }};
source s_udp {{ network(transport("udp") ip("127.0.0.1") port(5514) flags(syslog-protocol)); }};
destination d_far {{ network("127.0.0.9" port(514) transport("udp") spoof-source(yes) spoof-source-max-msglen(9000) spoof-interface("lo")); }};
log {{ source(s_udp); destination(d_far); }};
"""
    server.write_config(config)
    try:
        done = subprocess.run(["unshare", "--net", "bash", "-c", script], cwd=server.folder, capture_output=True, text=True, timeout=40)
        assert "too long to be sent in one piece" in done.stderr, done
        lines = [line for line in done.stdout.splitlines() if line.startswith("dst.network;d_far")]
        values = {line.split(";")[-2]: int(line.split(";")[-1]) for line in lines}
        assert (values["written"], values["dropped"]) == (1, 1), done.stdout
    finally:
        server.close()
