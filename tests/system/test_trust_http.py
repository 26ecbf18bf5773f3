"""The page's HTTP as strangers see it: silent connections, foreign names, invalid paths, headers."""

import contextlib
import re
import signal
import socket
import ssl
import subprocess
import time

from server import CONFIG, Server, waits_for
from test_https import setup

CONNECTIONS = 1_100


class Limited(Server):
    """A server that is started with a limit of open files, as `ulimit` sets it."""

    ulimit = "ulimit -n 1024"

    def spawn(self, command):
        return super().spawn(["bash", "-c", f'{self.ulimit}; exec "$0" "$@"', *command])

    def open_files(self):
        """The soft and the hard limit."""
        with open(f"/proc/{self.process.pid}/limits") as limits:
            return re.search(r"Max open files\s+(\d+)\s+(\d+)", limits.read()).groups()


@contextlib.contextmanager
def silent(port, count=CONNECTIONS, first=b""):
    """Connections that send nothing, or only the beginning of a request."""
    peers = []
    try:
        for _ in range(count):
            peer = socket.create_connection(("127.0.0.1", port), timeout=10)
            peers.append(peer)
            with contextlib.suppress(OSError):
                peer.sendall(first)
        yield peers
    finally:
        for peer in peers:
            peer.close()


def raw(server, request):
    """Status, head and body of the answer to a raw request."""
    with socket.create_connection(("127.0.0.1", server.http), timeout=10) as peer:
        peer.sendall(request.encode())
        data = b""
        while block := peer.recv(65536):
            data += block
    head, _, body = data.decode().partition("\r\n\r\n")
    return int(head.split()[1]), head.lower(), body


def get(server, path, host="localhost", method="GET", more=""):
    return raw(server, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n")


def seconds_of_cpu(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


@waits_for(11)
def test_h6_silent_connections_stop_nothing(binary):
    server = Limited(binary)
    try:
        server.start()
        assert server.open_files() == ("1024", "1024")
        assert "The limit of open files is low" in server.stderr()
        for number, first in enumerate((b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")):
            with silent(server.http, first=first):
                before, start = seconds_of_cpu(server.process), time.monotonic()
                with socket.create_connection(("127.0.0.1", server.port)) as peer:
                    peer.sendall(f"<13>prog: through{number}x\n".encode())
                    server.found(f"through{number}x", within=10)
                assert "center" in server.ctl("stats")
                assert get(server, "/api/v1/health")[0] == 200
                assert time.monotonic() - start < 10
                time.sleep(1)
                assert seconds_of_cpu(server.process) - before < 2, "something turns in circles"
        # A request with a user keeps its connection, whatever else arrives.
        with socket.create_connection(("127.0.0.1", server.http), timeout=10) as tail:
            cookie = "; ".join(f"{one.name}={one.value}" for one in server.jar)
            tail.sendall(f"GET /api/v1/tail?logspace=main HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode())
            assert tail.recv(4096).startswith(b"HTTP/1.1 200")
            with silent(server.http):
                end = time.monotonic() + 3
                while time.monotonic() < end:
                    assert tail.recv(65536), "the tail was closed"
    finally:
        server.close()


def test_h6_the_soft_limit_is_raised(binary):
    server = Limited(binary)
    server.ulimit = "ulimit -Sn 256"
    try:
        server.start()
        soft, hard = server.open_files()
        assert soft == str(min(int(hard), 1 << 20)), (soft, hard)
        with silent(server.http):
            assert get(server, "/api/v1/health")[0] == 200
    finally:
        server.close()


def test_m7_silent_handshakes_do_not_delay_the_page(binary):
    server = setup(binary)
    try:
        server.start()
        context = ssl.create_default_context(cafile=server.folder + "/pki/ca.pem")
        for first in (b"", b"\x16\x03\x01"):
            with silent(server.http, 300, first):
                start = time.monotonic()
                with socket.create_connection(("127.0.0.1", server.http), timeout=10) as plain:
                    with context.wrap_socket(plain, server_hostname="localhost") as stream:
                        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
                assert time.monotonic() - start < 2, time.monotonic() - start
    finally:
        server.close()


def test_http_only_calls_for_this_server_are_answered(binary):
    server = Server(binary, CONFIG + 'options {{ page(allowed-hosts("logs.example" "*.wild.example")); }};\n')
    try:
        server.start()
        machine = socket.gethostname()
        ours = ["localhost", f"localhost:{server.http}", "127.0.0.1", "[::1]:8514", "10.1.2.3", machine,
                "logs.example", "LOGS.example:80", "a.wild.example"]
        for host in ours:
            assert get(server, "/", host)[0] == 200 and get(server, "/api/v1/health", host)[0] == 200, host
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "wild.example"):
            for path in ("/", "/metrics", "/api/v1/health", "/api/v1/login"):
                status, _, body = get(server, path, host)
                assert status == 421 and host in body and "allowed-hosts" in body, (path, status, body)
        assert get(server, "/", "evil.example\tx")[0] == 400
        assert raw(server, "GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[0] == 421
        # A request without a name does not come from a browser: monitoring does that.
        assert raw(server, "GET /api/v1/health HTTP/1.0\r\n\r\n")[0] == 200
        server.write_config(CONFIG)
        server.ctl("reload")
        assert get(server, "/", "logs.example")[0] == 421
    finally:
        server.close()


def test_http_paths_and_methods_are_a_closed_list(binary):
    server = Server(binary)
    try:
        server.start()
        status, _, page = get(server, "/")
        assert status == 200 and "<html" in page
        assert get(server, "/?q=error")[0] == 200 and get(server, "/index.html")[0] == 200
        for name in re.findall(r'(?:src|href)="/?(assets/[^"]+)"', page):
            assert get(server, "/" + name)[0] == 200, name
        for path in ("/_search", "/_bulk", "/loki/api/v1/push", "/login", "/search", "/api", "/index.htm", "/../Cargo.toml",
                     "//", "/assets", "/assets/", "/.git/config"):
            for method in ("GET", "POST", "PUT"):
                status, _, body = get(server, path, method=method)
                assert status == 404 and "<html" not in body, (method, path, status, body)
        for path in ("/api/v1/nothing", "/api/v2/search", "/api/", "/api/v1/"):
            status, head, body = get(server, path)
            assert status == 404 and '"code":"not_found"' in body, (path, status, body)
        assert get(server, "/", method="POST")[0] == 405
        status, _, body = get(server, "/api/v1/search")
        assert status == 405 and '"error"' in body, body
    finally:
        server.close()


def test_http_headers_of_every_answer(binary):
    server = setup(binary)
    try:
        server.start()
        ca = server.folder + "/pki/ca.pem"

        def head(path, *words):
            command = ["curl", "--silent", "--noproxy", "*", "--cacert", ca, "--include", *words, path]
            return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.partition("\r\n\r\n")[0].lower()

        for path in ("/", "/nothing", "/api/v1/health", "/api/v1/nothing", "/api/v1/session", "/api/v1/openapi.json", "/metrics"):
            found = head(server.base + path)
            assert "content-security-policy: default-src 'none'" in found and "frame-ancestors 'none'" in found, found
            for line in ("x-content-type-options: nosniff", "x-frame-options: deny", "referrer-policy: no-referrer",
                         "strict-transport-security: max-age="):
                assert line in found, (path, line, found)
            if path.startswith(("/api", "/metrics")):
                assert "cache-control: no-store" in found, (path, found)
            assert "server:" not in found and "x-powered-by" not in found, found
        # HSTS is not sent over an unencrypted connection, where it could be tampered with.
        assert "strict-transport" not in head(f"http://localhost:{server.http}/api/v1/health")
        assert "421" in head(server.base + "/", "--header", "Host: evil.example")
        # The names in the certificate count as our own.
        assert "200" in head(server.base + "/").splitlines()[0]
    finally:
        server.close()


@waits_for(30)
def test_http_a_body_that_does_not_come_ends(binary):
    """The head announces a body that never arrives: the call ends, and nothing else waits for it."""
    server = Server(binary)
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.http), timeout=45) as peer:
            peer.sendall(b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nX-Requested-By: t\r\n"
                         b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            assert get(server, "/api/v1/health")[0] == 200
            assert b" 408 " in peer.recv(4096)
        server.stop(signal.SIGTERM)
        assert server.process.returncode == 0
    finally:
        server.close()
