"""Nothing vanishes between a sender, this server and a receiver: however the peer ends, refuses, fills up or goes away."""

import http.server
import json
import os
import random
import socket
import ssl
import struct
import subprocess
import threading

from server import Server
from test_tls import SYSLOG_NG, pki

TLS = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_tls {{
    network(ip("127.0.0.1") port({port}) transport("tls") max-connections(500)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") peer-verify(optional-untrusted)));
}};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
log {{ source(s_tls); destination(d_file); flags(flow-control); }};
"""


def tls_server(binary, config=TLS):
    server = Server(binary, config)
    pki(server.folder + "/pki")
    server.start()
    return server


def lines(path):
    try:
        with open(path) as text:
            return text.read().splitlines()
    except FileNotFoundError:
        return []


class Handshake:
    """A TLS client whose records are sent when the test says so."""

    def __init__(self, server, version):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(server.folder + "/pki/ca.pem")
        context.minimum_version = context.maximum_version = version
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        # A reset must not overtake what was written.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                # The last flight of the handshake stays unsent.
                return self.tls.do_handshake()
            except ssl.SSLWantReadError:
                self.flush()
                self.incoming.write(self.socket.recv(65536))

    def flush(self, more=b""):
        self.socket.sendall(self.outgoing.read() + more)

    def goodbye(self):
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass


def test_l2_messages_of_a_peer_that_leaves_at_once_are_read(binary):
    """The end of the handshake, the messages and the end of the connection come with one read, in every way there is."""
    server = tls_server(binary)
    wanted = []
    try:
        def send(number, version, goodbye=False, garbage=b"", reset=False, pause=False):
            client = Handshake(server, version)
            if pause:
                client.flush()
            texts = [f"{number} first", f"{number} long " + "x" * 20000, f"{number} without an end"]
            client.tls.write("".join(f"<13>Nov 21 09:00:00 web app: {text}\n" for text in texts).encode()[:-1])
            if goodbye:
                client.goodbye()
            client.flush(garbage)
            if reset:
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.socket.close()
            wanted.extend(texts)

        alert = b"\x15\x03\x03\x00\x02\x02\x50"
        number = 0
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for pause in (False, True):
                for how in ({}, {"goodbye": True}, {"garbage": b"no record of TLS"}, {"garbage": alert}, {"reset": True},
                            {"goodbye": True, "reset": True}):
                    number += 1
                    send(number, version, pause=pause, **how)
        path = server.folder + "/out.log"
        Server.until(lambda: len(lines(path)) >= len(wanted), 10, f"{len(wanted)} messages, there are {len(lines(path))}")
        assert sorted(lines(path)) == sorted(wanted)
    finally:
        server.close()


def test_l2_loggen_that_sends_one_message_and_ends(binary):
    """syslog-ng's loggen leaves as soon as it has written."""
    server = tls_server(binary)
    try:
        one = server.folder + "/one"
        with open(one, "w") as out:
            out.write("<13>Nov 21 09:00:00 web app: a line of a file\n")
        for _ in range(10):
            subprocess.run([SYSLOG_NG, "loggen", "--use-ssl", "--dont-parse", f"--read-file={one}", "--number=1",
                            "127.0.0.1", str(server.port)], check=True, capture_output=True, timeout=30)
        path = server.folder + "/out.log"
        Server.until(lambda: len(lines(path)) == 10, 5, "ten messages")
        assert "broken" not in server.stderr(), server.stderr()
    finally:
        server.close()


HTTPS = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_http {{
    http(ip("127.0.0.1") port({port}) max-connections(500)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") peer-verify(optional-untrusted)));
}};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
log {{ source(s_http); destination(d_file); flags(flow-control); }};
"""


def test_l2_https_requests_of_a_client_that_leaves_at_once_are_read(binary):
    server = tls_server(binary, HTTPS)
    try:
        count = 0
        for goodbye in (False, True):
            for reset in (False, True):
                client = Handshake(server, ssl.TLSVersion.TLSv1_3)
                body = f"message {count}\n".encode()
                client.tls.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                if goodbye:
                    client.goodbye()
                client.flush()
                if reset:
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.socket.close()
                count += 1
        path = server.folder + "/out.log"
        Server.until(lambda: len(lines(path)) >= count, 10, f"{count} messages")
        assert sorted(lines(path)) == [f"message {number}" for number in range(count)]
    finally:
        server.close()


BULK = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_in {{ network(ip("127.0.0.1") port({port}) transport("udp") so-rcvbuf(8388608)); network(ip("127.0.0.1") port({port})); }};
destination d_bulk {{
    elasticsearch-http(url("http://127.0.0.1:BULK/_bulk") index("logs") type("") workers(4) batch-lines(100) batch-timeout(50)
        template("$(format-json number=$MSG)") time-reopen(1) retries(3));
}};
log {{ source(s_in); destination(d_bulk); flags(flow-control); }};
"""


class FaultyBulk(http.server.BaseHTTPRequestHandler):
    """A bulk server with faults: some documents are refused, some postponed, some calls refused, some cut after storing."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        state = self.server
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        documents = text.splitlines()[1::2]
        with state.lock:
            dice = state.dice.random()
            if dice < 0.15:
                return self.answer(429 if dice < 0.07 else 503, {"error": "busy"})
            items = []
            for document in documents:
                number = int(json.loads(document)["number"])
                status, error = 201, None
                if number % 100 == 7:
                    status, error = 400, {"type": "mapper_parsing_exception",
                                          "reason": f"failed to parse. Preview of field's value: '{number}'"}
                elif state.dice.random() < 0.02:
                    status, error = 429, {"type": "es_rejected_execution_exception", "reason": "queue full"}
                else:
                    state.stored[number] = state.stored.get(number, 0) + 1
                items.append({"index": {"status": status, **({"error": error} if error else {})}})
            if dice > 0.9:
                self.close_connection = True
                return self.connection.shutdown(socket.SHUT_RDWR)
            self.answer(200, {"took": 1, "errors": any("error" in item["index"] for item in items), "items": items})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def counters(server, component):
    """The counters of a destination, by name."""
    rows = [row.split(";") for row in server.ctl("stats").splitlines()]
    return {row[4]: int(row[5]) for row in rows if len(row) == 6 and row[0] == component}


def test_l1_a_bulk_server_with_faults_and_every_message_accounted_for(binary):
    bulk = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FaultyBulk)
    bulk.daemon_threads, bulk.lock, bulk.stored, bulk.dice = True, threading.Lock(), {}, random.Random(7)
    threading.Thread(target=bulk.serve_forever, daemon=True).start()
    server = Server(binary, BULK.replace("BULK", str(bulk.server_port)))
    server.start()
    count = 2000
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            for number in range(count):
                out.sendall(b"<13>Nov 21 09:00:00 web app: %d\n" % number)
        settled = lambda: counters(server, "dst.http")
        Server.until(lambda: settled().get("written", 0) + settled().get("dropped", 0) == count, 40,
                     f"all messages to be settled: {settled()}")
        refused = {number for number in range(count) if number % 100 == 7}
        assert set(bulk.stored) == set(range(count)) - refused, sorted(set(range(count)) - refused - set(bulk.stored))[:9]
        assert settled()["dropped"] == len(refused) and settled()["written"] == len(bulk.stored), settled()
        log = server.stderr()
        assert "400 mapper_parsing_exception: failed to parse." in log and "Preview" not in log, log
        assert f"{len(refused)} refused" in server.ctl("stats", "balance"), server.ctl("stats", "balance")
    finally:
        server.close()
        bulk.shutdown()
        bulk.server_close()


CATCHALL = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_named {{ network(ip("127.0.0.1") port({port})); }};
source s_nobody {{ channel {{ source {{ unix-stream("{folder}/nobody.sock"); }}; rewrite {{ set("changed $MSG" value("MESSAGE")); }}; }}; }};
destination d_all {{ file("{folder}/out.log" template("$MSG\\n")); }};
destination d_named {{ file("{folder}/named.log" template("$MSG\\n")); }};
log {{ source(s_named); destination(d_named); }};
log {{ destination(d_all); flags(catchall); }};
"""


def test_l8_catchall_starts_sources_that_no_path_names(binary):
    server = Server(binary, CATCHALL)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"<13>Nov 21 09:00:00 web app: one\n")
        with socket.socket(socket.AF_UNIX) as out:
            out.connect(server.folder + "/nobody.sock")
            out.sendall(b"<13>Nov 21 09:00:00 app: two\n")
        Server.until(lambda: sorted(lines(server.folder + "/out.log")) == ["changed two", "one"], 5, "both messages")
        assert lines(server.folder + "/named.log") == ["one"]
    finally:
        server.close()


CONSUMED = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
log {{
    source(s_in);
    if {{
        filter {{ program("login"); }};
        parser {{ grouping-by(key("$PID") trigger("$MSG" eq "end") timeout(600) inject-mode(aggregate-only)
            aggregate(value("MESSAGE" "sum of $(context-length)"))); }};
        destination {{ file("{folder}/sums.log" template("$MSG\\n")); }};
    }} else {{
        destination {{ file("{folder}/else.log" template("$MSG\\n")); }};
    }};
}};
"""


def test_l9_consumed_messages_do_not_go_to_else(binary):
    server = Server(binary, CONSUMED)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            for program, text in (("login[1]", "a"), ("other", "b"), ("login[1]", "end"), ("other", "last")):
                out.sendall(f"<13>Nov 21 09:00:00 web {program}: {text}\n".encode())
        Server.until(lambda: "last" in lines(server.folder + "/else.log") and lines(server.folder + "/sums.log"), 5, "messages")
        assert lines(server.folder + "/else.log") == ["b", "last"]
        assert len(lines(server.folder + "/sums.log")) == 1
    finally:
        server.close()
