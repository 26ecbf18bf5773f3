"""Several servers: messages are divided between them, a dead server's share goes to the others, nothing is lost."""

import email.utils
import http.server
import socket
import threading
import time

from server import Server, free_port, waits_for

COUNT = 3000

SENDER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); stats(level(1)); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_all {{ DRIVER }};
log {{ source(s_tcp); destination(d_all); flags(flow-control); }};
"""


class Lines(threading.Thread):
    """A receiver of lines that can die: it stops only when it has read what was sent to it."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.seen, self.open = port, set(), []
        self.listen()
        self.start()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))

    def run(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(stream)
            threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        with stream.makefile("rb") as lines:
            try:
                for line in lines:
                    self.seen.add(int(line.split()[-1]))
            except OSError:
                pass

    def stop(self):
        if self.listener.fileno() < 0:
            return
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for stream in self.open:
            try:
                stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def feed(server, start, end):
    """Sends in small pieces, so that there is something to share."""
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(start, end):
            out.sendall(b"<13>1 2026-11-21T09:00:00Z web app - - - message %d\n" % number)
            if number % 20 == 0:
                time.sleep(0.002)


def test_network_load_balancer(binary):
    ports = [free_port() for _ in range(3)]
    receivers = [Lines(port) for port in ports]
    targets = " ".join(f'"127.0.0.1:{port}"' for port in ports)
    driver = f"network-load-balancer(targets({targets}) transport(tcp));"
    server = Server(binary, SENDER.replace("DRIVER", driver))
    server.start()
    try:
        feed(server, 0, COUNT)
        Server.until(lambda: sum(len(one.seen) for one in receivers) == COUNT, 30, "all messages")
        assert all(len(one.seen) > COUNT // 5 for one in receivers), [len(one.seen) for one in receivers]
        receivers[1].stop()
        feed(server, COUNT, 2 * COUNT)
        union = lambda: set().union(*(one.seen for one in receivers))  # noqa: E731
        # It died while nothing was in flight: data that TCP has accepted for a dying receiver is lost with any
        # sender.
        Server.until(lambda: len(union()) == 2 * COUNT, 30, "its share at the others")
        assert len(receivers[1].seen) <= COUNT // 2
    finally:
        server.close()
        for one in receivers:
            one.stop()


class Web:
    """An HTTP server that keeps the lines of what is posted to it."""

    def __init__(self, port):
        seen, self.answers = set(), []
        answers = self.answers

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = answers.pop(0) if answers else (200, {})
                if status < 300:
                    seen.update(int(line.split()[-1]) for line in body.splitlines())
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.seen = seen
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@waits_for(5)
def test_http_waits_as_asked(binary):
    """Retry-After, as seconds and as a date: nothing is dropped, and time-reopen() is not waited for."""
    port = free_port()
    web = Web(port)
    server = Server(binary, SENDER.replace("time-reopen(1)", "time-reopen(300)").replace(
        "DRIVER", f'http(url("http://127.0.0.1:{port}/in") body("$MSG") batch-lines(100));'))
    server.start()
    try:
        for status, header, least in (
                (503, "1", 1), (429, email.utils.formatdate(time.time() + 3, usegmt=True), 1), (500, "2", 2)):
            web.answers.append((status, {"Retry-After": header}))
            seen, start = len(web.seen), time.monotonic()
            feed(server, seen, seen + 10)
            Server.until(lambda: len(web.seen) == seen + 10, 30, f"the messages after {status}")
            assert time.monotonic() - start >= least, (status, time.monotonic() - start)
        assert server.stderr().count("Receiver postpones messages") >= 1 and "suspending" not in server.stderr(), server.stderr()
    finally:
        server.close()
        web.stop()


def test_http_balances(binary):
    """Two workers over three servers; one dies meanwhile and is skipped."""
    ports = [free_port() for _ in range(3)]
    webs = [Web(port) for port in ports]
    urls = " ".join(f'"http://127.0.0.1:{port}/in"' for port in ports)
    driver = f'http(url({urls}) body("$MSG") batch-lines(20) workers(2) timeout(3));'
    server = Server(binary, SENDER.replace("DRIVER", driver))
    server.start()
    try:
        feed(server, 0, COUNT)
        Server.until(lambda: sum(len(web.seen) for web in webs) == COUNT, 30, "all messages")
        assert all(len(web.seen) > COUNT // 6 for web in webs), [len(web.seen) for web in webs]
        webs[2].stop()
        feed(server, COUNT, 2 * COUNT)
        Server.until(lambda: len(set().union(*(web.seen for web in webs))) == 2 * COUNT, 30, "all messages again")
        lines = [line for line in server.ctl("stats").splitlines() if line.startswith("dst.http;")]
        dropped = sum(int(line.rsplit(";", 1)[1]) for line in lines if ";dropped;" in line)
        assert dropped == 0, lines
    finally:
        server.close()
        for web in webs[:2]:
            web.stop()
