"""Bad input over real sockets: other clients are undisturbed, memory is bounded, the server lives."""

import contextlib
import os
import re
import socket
import threading
import time

from server import Server

CASES = {
    "a line without an end": [b"<13>", (b"a", 64 << 20)],
    "a huge octet count": [b"999999999999999999999 <13>x"],
    "a count of 32 bits": [b"4294967296 <13>x"],
    "a count without a message": [b"12345"],
    "a negative count": [b"-5 <13>x\n"],
    "nothing but newlines": [(b"\n", 1 << 20)],
    "nothing but NULs": [(b"\0", 1 << 20), b"\n"],
    "bytes that are not UTF-8": [b"<13>\xff\xfe\xc0\xaf host\xff prog: \xff\n"],
    "a number that is no priority": [b"<99999999999999999999>x\n", b"<>x\n", b"<-1>x\n", b"<13x\n"],
    "structured data without an end": [b"<13>1 - h p - - [a b=\"", (b"x\\\"", 1 << 18), b"\n"],
    "ten thousand elements": [b"<13>1 - h p - - ", (b"[a@1 b=\"c\"]", 5000), b" text\n"],
    "a host that is a path": [b"<13>1 - ../../../../tmp/duramen-escaped p - - - text\n"],
    "a host that is a longer path": [b"<13>1 - ", (b"../", 80), b"x p - - - text\n"],
    "a terminal's escape codes": [b"<13>prog: \x1b[2J\x1b]0;owned\x07\n"],
}


def rss_mib(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def send(port, parts):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as peer:
        for part in parts:
            data, count = part if isinstance(part, tuple) else (part, 1)
            block = max(1, (1 << 20) // len(data))
            while count > 0:
                peer.sendall(data * min(block, count))
                count -= block


def test_bad_input_does_not_disturb_others(binary):
    server = Server(binary)
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as good:
            for number, (name, parts) in enumerate(CASES.items()):
                send(server.port, parts)
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                    first = parts[0] if isinstance(parts[0], bytes) else parts[0][0]
                    udp.sendto(first[:60_000], ("127.0.0.1", server.port))
                good.sendall(f"<13>prog: good{number}x\n".encode())
                server.found(f"good{number}x", within=5)
                assert rss_mib(server.process) < 600, f"{name}: {rss_mib(server.process)} MiB"
        assert not os.path.exists("/tmp/duramen-escaped.log")
        outside = [name for name in os.listdir(server.folder) if name.endswith(".log")]
        assert not outside, outside
        assert all("/" not in name and name not in ("..", ".") for name in os.listdir(server.folder + "/out"))
    finally:
        server.close()


def test_many_connections_that_come_and_go(binary):
    server = Server(binary)
    try:
        server.start()

        def worker(number):
            for turn in range(50):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port)) as peer:
                    peer.sendall(f"<13>prog: flock{number}x{turn}\n<13>prog: cut".encode())

        threads = [threading.Thread(target=worker, args=(number,)) for number in range(20)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        server.found("flock*", 1000, within=5)
        # A message that is cut off by the end of its connection is kept as far as it arrived.
        server.found("cut", 1000, within=5)
        time.sleep(0.2)
        assert server.search("flock*")["total"] == 1000
    finally:
        server.close()
