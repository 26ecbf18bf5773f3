"""GELF from a real client library, over UDP in chunks and over TCP, and to a receiver of our own."""

import gzip
import json
import logging
import os
import socket
import sys

from server import Server, free_port

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_gelf {{
    gelf(ip("127.0.0.1") port({port}));
    gelf(ip("127.0.0.1") port({port}) transport(tcp));
}};
destination d_file {{ file("{folder}/out.log" template("$HOST|$LEVEL|$color|$MSG\\n")); }};
destination d_gelf {{ gelf("127.0.0.1" port(GELF) chunk-size(500)); }};
log {{ source(s_gelf); destination(d_file); destination(d_gelf); flags(flow-control); }};
"""


def library():
    """graypy, from the folder that tools/install.sh fills."""
    folder = os.path.join(ROOT, "target/python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import graypy

    return graypy


def receive(sink):
    """One message of a receiver: its chunks put together and unpacked."""
    chunks, count = {}, 1
    while len(chunks) < count:
        datagram = sink.recv(65536)
        if not datagram.startswith(b"\x1e\x0f"):
            chunks[0] = datagram
            break
        count = datagram[11]
        chunks[datagram[10]] = datagram[12:]
    payload = b"".join(chunks[number] for number in sorted(chunks))
    return len(chunks), json.loads(gzip.decompress(payload) if payload.startswith(b"\x1f\x8b") else payload)


def test_graypy(binary):
    graypy = library()
    out = free_port()
    server = Server(binary, CONFIG.replace("GELF", str(out)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        sink.bind(("127.0.0.1", out))
        sink.settimeout(10)
        server.start()
        try:
            noise = "".join(chr(33 + (number * number + number // 7) % 90) for number in range(20000))
            wanted = {"over udp wallaby", "over tcp potoroo", "in chunks " + noise}
            for handler, text in (
                (graypy.GELFUDPHandler("127.0.0.1", server.port, localname="web"), "over udp wallaby"),
                (graypy.GELFUDPHandler("127.0.0.1", server.port, localname="web"), "in chunks " + noise),
                (graypy.GELFTCPHandler("127.0.0.1", server.port, localname="web"), "over tcp potoroo"),
            ):
                record = logging.LogRecord("x", logging.ERROR, "file.py", 1, text, None, None)
                record.color = "green"
                handler.emit(record)
                handler.close()
            lines = server.folder + "/out.log"
            Server.until(lambda: os.path.exists(lines) and len(open(lines).readlines()) == 3, 30, "three messages")
            with open(lines) as text:
                rows = [line.rstrip("\n").split("|", 3) for line in text]
            assert {row[3] for row in rows} == wanted, [row[3][:50] for row in rows]
            assert all(row[:3] == ["web", "err", "green"] for row in rows), [row[:3] for row in rows]
            sent = [receive(sink) for _ in range(3)]
            assert {message["short_message"] for _, message in sent} == wanted
            assert all(message["host"] == "web" and message["level"] == 3 for _, message in sent), sent
            assert max(count for count, _ in sent) > 1, "the long one needs chunks"
        finally:
            server.close()


def test_hostile_datagrams(binary):
    """Incomplete chunks, decompression bombs and noise do not affect other senders."""
    server = Server(binary, CONFIG.replace("GELF", str(free_port())))
    server.start()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.connect(("127.0.0.1", server.port))
            bomb = gzip.compress(b" " * (64 << 20))
            for number in range(20000):
                out.send(b"\x1e\x0f" + number.to_bytes(8, "big") + bytes([0, 128]) + b"x" * 1000)
                if number % 1000 == 0:
                    out.send(bomb[:60000])
                    out.send(b"\x78\x9cnoise")
                    out.send(b"\x1e\x0f")
            Server.until(lambda: send_and_look(out, server), 30, "a message among the noise")
        with open(f"/proc/{server.process.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        assert peak < 400_000, f"{peak} KiB"
    finally:
        server.close()


def send_and_look(out, server):
    out.send(json.dumps({"version": "1.1", "host": "web", "short_message": "still here", "_color": "red"}).encode())
    path = server.folder + "/out.log"
    return os.path.exists(path) and "red|still here" in open(path).read()
