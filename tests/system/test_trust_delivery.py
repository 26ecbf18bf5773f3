"""Nothing disappears between a sender, this server and a receiver, however the peer ends, refuses, fills up or goes away."""

import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import time

from server import Server, waits_for
from test_tls import SYSLOG_NG, dial, openssl, pki

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
    """The end of the handshake, the messages and the end of the connection arrive in one read, in every possible way."""
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
        Server.until(lambda: len(lines(path)) >= len(wanted), 30, f"{len(wanted)} messages, there are {len(lines(path))}")
        assert sorted(lines(path)) == sorted(wanted)
    finally:
        server.close()


@waits_for(5)
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
        Server.until(lambda: len(lines(path)) == 10, 30, "ten messages")
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
        Server.until(lambda: len(lines(path)) >= count, 30, f"{count} messages")
        assert sorted(lines(path)) == [f"message {number}" for number in range(count)]
    finally:
        server.close()


def counters(server, component):
    """The counters of a destination, by name."""
    rows = [row.split(";") for row in server.ctl("stats").splitlines()]
    return {row[4]: int(row[5]) for row in rows if len(row) == 6 and row[0] == component}


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
        Server.until(lambda: sorted(lines(server.folder + "/out.log")) == ["changed two", "one"], 30, "both messages")
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
        Server.until(lambda: "last" in lines(server.folder + "/else.log") and lines(server.folder + "/sums.log"), 30, "messages")
        assert lines(server.folder + "/else.log") == ["b", "last"]
        assert len(lines(server.folder + "/sums.log")) == 1
    finally:
        server.close()


GELF = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_gelf {{ gelf(ip("127.0.0.1") port({port}) transport(TRANSPORT)); }};
destination d_gelf {{ gelf("127.0.0.1" port(NEXT) transport(TRANSPORT) MORE); }};
destination d_file {{ file("{folder}/out.log" template("$(format-json --scope nv-pairs --key S_UNIXTIME LEVEL_NUM)\\n")); }};
log {{ source(s_gelf); destination(WHERE); flags(flow-control); }};
"""


def test_l7_gelf_through_two_servers_is_complete(binary):
    """Plain over TCP, and compressed and in chunks over UDP: the third server gets what was sent to the first."""
    noise = "".join(chr(33 + (number * number + number // 7) % 90) for number in range(3000))
    sent = {"version": "1.1", "host": "web", "short_message": "it failed", "full_message": "it failed\n at line 1",
            "timestamp": 1385053862.307225, "level": 3, "_color": "green", "_user_id": 9001, "_noise": noise}
    for transport, more in (("tcp", ""), ("udp", "chunk-size(500)"), ("udp", "chunk-size(500) compression(zlib)")):
        config = GELF.replace("TRANSPORT", transport).replace("MORE", more)
        last = Server(binary, config.replace("NEXT", "9").replace("WHERE", "d_file"))
        first = Server(binary, config.replace("NEXT", str(last.port)).replace("WHERE", "d_gelf"))
        try:
            last.start()
            first.start()
            text = json.dumps(sent).encode()
            if transport == "tcp":
                with socket.create_connection(("127.0.0.1", first.port)) as out:
                    out.sendall(text + b"\0")
            else:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
                    out.sendto(text, ("127.0.0.1", first.port))
            path = last.folder + "/out.log"
            Server.until(lambda: lines(path), 30, "the message")
            got = json.loads(lines(path)[0])
            wanted = {"HOST": "web", "MESSAGE": "it failed", "full_message": sent["full_message"], "color": "green",
                      "user_id": 9001, "noise": noise, "S_UNIXTIME": "1385053862"}
            assert {name: got.get(name) for name in wanted} == wanted, {**got, "noise": "..."}
        finally:
            first.close()
            last.close()


FULL_DISK = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
destination d_file {{ file("{folder}/small/out.log" template("$MSG\\n")); }};
destination d_away {{ network("127.0.0.1" port(9) disk-buffer(reliable(yes) capacity-bytes(64Mi) dir("{folder}/small2"))); }};
log {{ source(s_in); destination(DEST); flags(flow-control); }};
"""


def check_full_disk(binary, destination, folder):
    """A disk of 1 MiB fills up: this is reported in both places with the reason, and ends soon after there is space again."""
    server = Server(binary, FULL_DISK.replace("DEST", destination))
    small = f"{server.folder}/{folder}"
    os.mkdir(small)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], check=True)
    try:
        with open(small + "/ballast", "wb") as ballast:
            ballast.write(bytes(900 * 1024))
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            for number in range(2000):
                out.sendall(b"<13>Nov 21 09:00:00 web app: %d %s\n" % (number, b"x" * 200))
        Server.until(lambda: server.call("health")["status"] == "degraded", 30, "/health to be degraded")
        said = server.call("health")["destinations"]
        assert len(said) == 1 and destination + "#0" in said[0] and "No space left" in said[0], said
        told = server.ctl("healthcheck")
        assert "syslogng_is_healthy 0" in told and "No space left" in told, told
        os.remove(small + "/ballast")
        start = time.monotonic()
        Server.until(lambda: server.call("health")["status"] == "ok", 30, "all to be well again")
        assert time.monotonic() - start < 4, "it is tried each second"
        if destination == "d_file":
            Server.until(lambda: [line.split()[0] for line in lines(small + "/out.log")] == [str(n) for n in range(2000)], 5,
                         "every message")
        else:
            Server.until(lambda: counters(server, "dst.network").get("queued") == 2000, 30, "every message in the buffer")
        assert "syslogng_is_healthy 1" in server.ctl("healthcheck")
    finally:
        server.stop(signal.SIGKILL)
        subprocess.run(["umount", small], check=True)
        server.close()


def test_l6_a_full_disk_of_a_file_is_reported_and_retried_each_second(binary):
    check_full_disk(binary, "d_file", "small")


def test_l6_a_full_disk_of_a_disk_buffer_is_reported_and_retried_each_second(binary):
    check_full_disk(binary, "d_away", "small2")


def test_traditional_encrypted_keys_open_with_their_password(binary):
    """Writes a key as `openssl rsa -aes256 -traditional` does: PEM with Proc-Type and DEK-Info."""
    for cipher in ("-aes256", "-des3"):
        server = Server(binary, TLS)
        folder = server.folder + "/pki"
        pki(folder)
        openssl("ec", "-in", folder + "/server.key", cipher, "-passout", "pass:heart wood", "-out", folder + "/sealed.key")
        with open(folder + "/sealed.key") as key:
            assert "Proc-Type: 4,ENCRYPTED" in key.read()
        os.replace(folder + "/sealed.key", folder + "/server.key")
        server.start()
        try:
            server.ctl("credentials", "add", folder + "/server.key", "heart wood")
            dial(server.port, folder).close()
        finally:
            server.close()


DEAD = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
destination d_dead {{ DEAD; }};
log {{ source(s_in); destination(d_dead); FLAGS; }};
"""


def test_a_stop_does_not_wait_for_dead_destinations(binary):
    """Destinations that refuse, are silent behind a full backlog or accept nothing: the stop is quick, and losses are reported."""
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(0)
    # A backlog that is full: further connections get no answer at all.
    fillers = [socket.socket() for _ in range(4)]
    for filler in fillers:
        filler.setblocking(False)
        filler.connect_ex(silent.getsockname())
    port = silent.getsockname()[1]
    try:
        for dead, flags in (
            ('network("127.0.0.1" port(9))', ""),
            ('network("127.0.0.1" port(9))', "flags(flow-control)"),
            (f'network("127.0.0.1" port({port}))', ""),
            (f'network("127.0.0.1" port({port}) disk-buffer(reliable(yes) capacity-bytes(1Mi)))', "flags(flow-control)"),
            ('http(url("http://127.0.0.1:9/"))', ""),
            (f'http(url("http://127.0.0.1:{port}/"))', ""),
        ):
            server = Server(binary, DEAD.replace("DEAD", dead).replace("FLAGS", flags))
            server.start()
            try:
                with socket.create_connection(("127.0.0.1", server.port)) as out:
                    out.sendall(b"<13>Nov 21 09:00:00 web app: x\n" * 100)
                component = "dst.http" if dead.startswith("http") else "dst.network"
                Server.until(lambda: counters(server, component).get("processed") == 100, 30, "the messages")
                start = time.monotonic()
                server.stop()
                took = time.monotonic() - start
                assert took < 5, f"{dead} {flags}: {took:.1f} s"
                told = "Destination took no more before the stop" in server.stderr()
                assert told == ("disk-buffer" not in dead), f"{dead} {flags}: {server.stderr()}"
            finally:
                server.close()
    finally:
        for one in (silent, *fillers):
            one.close()


AUTO = """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); }};
source s_auto {{
    network(ip("127.0.0.1") port({port}) transport("auto") max-connections(50)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") peer-verify(optional-untrusted)));
}};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
log {{ source(s_auto); destination(d_file); flags(flow-control); }};
"""


def test_transport_auto_tells_tls_from_plain_text(binary):
    server = tls_server(binary, AUTO)
    try:
        text = "<13>Nov 21 09:00:00 web app: {}"
        # A connection that is still silent does not count as a slow handshake.
        with socket.create_connection(("127.0.0.1", server.port)) as silent:
            for connect in (lambda: socket.create_connection(("127.0.0.1", server.port)),
                            lambda: dial(server.port, server.folder + "/pki")):
                with connect() as lined, connect() as counted:
                    lined.sendall((text.format("line") + "\n").encode())
                    message = text.format("counted")
                    counted.sendall(f"{len(message)} {message}".encode())
            with socket.create_connection(("127.0.0.1", server.port)) as split:
                client = Handshake(server, ssl.TLSVersion.TLSv1_3)
                client.tls.write((text.format("at once") + "\n").encode())
                client.flush()
                split.close()
            silent.sendall((text.format("late") + "\n").encode())
        path = server.folder + "/out.log"
        wanted = sorted(["line", "counted"] * 2 + ["at once", "late"])
        Server.until(lambda: sorted(lines(path)) == wanted, 30, "all messages")
    finally:
        server.close()


ROTATED = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
destination d_file {{ file("{folder}/rotated/out.log" template("$MSG\\n") logrotate(enable(yes) size(1000) rotations(2))); }};
log {{ source(s_in); destination(d_file); flags(flow-control); }};
"""


def test_logrotate_outlives_deleted_files_and_renames_that_fail(binary):
    server = Server(binary, ROTATED)
    folder = server.folder + "/rotated"
    path = folder + "/out.log"
    os.mkdir(folder)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            def send(text):
                out.sendall(f"<13>Nov 21 09:00:00 web app: {text}\n".encode())

            send("first")
            Server.until(lambda: lines(path) == ["first"], 30, "the first message")
            os.remove(path)
            send("after the removal")
            Server.until(lambda: lines(path) == ["after the removal"], 30, "a new file")
            os.rename(path, folder + "/elsewhere")
            send("after the move")
            Server.until(lambda: lines(path) == ["after the move"], 30, "another new file")
            # A folder that is not empty is in the place of NAME.1 and cannot be renamed over.
            os.makedirs(path + ".1/full")
            os.makedirs(path + ".2/full")
            send("y" * 1200)
            Server.until(lambda: len(lines(path)) == 2, 30, "the large message")
            send("goes on")
            Server.until(lambda: lines(path)[-1] == "goes on", 30, "a message to the old file")
            assert "Cannot put a file aside, writing on to it" in server.stderr()
            assert server.call("health")["status"] == "ok"
    finally:
        server.close()
