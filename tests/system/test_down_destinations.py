"""Fifty destinations that are all down: memory stays within what the options say, and every message is accounted for."""

import os
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from server import Server, free_port

DESTINATIONS = 50
MESSAGES = 300_000
CONFIG = """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); stats-freq(0); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
DOWN
destination d_file {{ file("/dev/null"); }};
log {{ source(s_in); PATH destination(d_file); flags(flow-control); }};
"""


def resident(server):
    """Bytes of memory that the server has."""
    with open(f"/proc/{server.process.pid}/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check(binary, options, most, reason):
    """Memory grows by less than `most`, whatever is sent; the messages wait, or were dropped for the reason."""
    down = [f'destination d_{number} {{{{ network("127.0.0.1" port({free_port()}) time-reopen(2) {options}); }}}};'
            for number in range(DESTINATIONS)]
    path = " ".join(f"destination(d_{number});" for number in range(DESTINATIONS))
    server = Server(binary, CONFIG.replace("DOWN", "\n".join(down)).replace("PATH", path))
    server.start()
    try:
        before = resident(server)
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            for start in range(0, MESSAGES, 1000):
                out.sendall(b"".join(b"<13>Nov 21 09:00:00 web app: a message of an ordinary length %09d\n" % number
                                     for number in range(start, start + 1000)))
                assert resident(server) - before < most, f"{resident(server) - before} bytes after {start} messages"
        rows = lambda: [row for row in server.ctl("stats", "balance").splitlines() if row.startswith("dst.network;")]
        Server.until(lambda: all(f" {MESSAGES} = " in row for row in rows()), 30, "all to be counted")
        for row in rows():
            counts = {word: int(count) for count, word in zip(row.split("= ")[1].split()[0::3], row.split("= ")[1].split()[1::3])}
            assert set(counts) == {"queued", reason} and sum(counts.values()) == MESSAGES, row
    finally:
        server.close()


def test_queues_in_memory(binary):
    check(binary, "log-fifo-size(10000) on-full(drop-oldest)", 150 << 20, "queue_full_oldest")


def test_disk_buffers(binary):
    check(binary, "disk-buffer(capacity-bytes(2Mi)) on-full(drop-newest)", 400 << 20, "queue_full")


def test_a_shared_log(binary):
    check(binary, 'disk-buffer(shared("main") reliable(yes) capacity-bytes(8Mi)) on-full(drop-oldest)', 200 << 20, "queue_full_oldest")


class Collector(BaseHTTPRequestHandler):
    """Answers after a time that differs from request to request, so that requests overtake each other."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        time.sleep(sum(body.encode()) % 7 / 200)
        with self.server.lock:
            self.server.lines += body.split("\n")
            self.server.busy_most = max(self.server.busy_most, threading.active_count())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_messages_with_one_key_keep_their_order_over_several_workers(binary):
    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    collector.lock, collector.lines, collector.busy_most = threading.Lock(), [], 0
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    server = Server(binary, """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); stats-freq(0); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
destination d_http {{ http(url("http://127.0.0.1:URL/") body("$HOST $MSG") batch-lines(5) workers(4) worker-partition-key("$HOST")); }};
log {{ source(s_in); destination(d_http); flags(flow-control); }};
""".replace("URL", str(collector.server_port)))
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"".join(b"<13>Nov 21 09:00:00 host%d app: %d\n" % (number % 9, number) for number in range(2000)))
        Server.until(lambda: len(collector.lines) >= 2000, 60, "all messages")
        for host in range(9):
            numbers = [int(line.split()[1]) for line in collector.lines if line.startswith(f"host{host} ")]
            assert numbers == list(range(host, 2000, 9)), f"host{host}"
        order = [int(line.split()[1]) for line in collector.lines]
        assert order != sorted(order), "messages of different hosts overtake each other"
    finally:
        server.close()
        collector.shutdown()


def test_a_key_that_is_the_same_for_every_message_is_refused(binary):
    server = Server(binary)
    rows = [("workers(4) worker-partition-key(\"one\")", "is the same for every message"), ("worker-partition-key(\"one\")", ""),
            ("workers(4) worker-partition-key(\"$HOST\")", "")]
    try:
        for options, reason in rows:
            with open(server.config, "w") as out:
                out.write(f'@version: 4.9\nlog {{ source {{ internal(); }}; destination {{ http(url("http://127.0.0.1/") {options}); }}; }};\n')
            run = subprocess.run([server.binary, "check", server.config], capture_output=True, text=True, timeout=30)
            assert (run.returncode == 0) == (not reason) and reason in run.stdout + run.stderr, run
    finally:
        server.close()
