"""beats(): events of Beats' protocol by a client library (pylogbeat); what was acknowledged is not lost."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from server import Server, free_port, waits_for

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Client libraries that tools/install.sh put there.
sys.path.insert(0, os.path.join(ROOT, "target/python"))

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); }};
source s_beats {{ beats(ip("127.0.0.1") port(BEATS) EXTRA); }};
destination d_out {{ file("{folder}/out" template("$(format-json --scope nv-pairs,dot-nv-pairs,core --key HOST --key SEVERITY --key TRANSPORT --key ISODATE)\\n") DESTINATION); }};
log {{ source(s_beats); destination(d_out); flags(flow-control); }};
"""


class Beats:
    """A server with a beats() source, and the messages that arrived."""

    def __init__(self, binary, extra="", destination=""):
        self.port = free_port()
        text = CONFIG.replace("BEATS", str(self.port)).replace("EXTRA", extra).replace("DESTINATION", destination)
        self.server = Server(binary, text)

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.close()

    def client(self, **more):
        from pylogbeat import PyLogBeatClient
        return PyLogBeatClient("127.0.0.1", self.port, timeout=30, **more)

    def lines(self):
        path = self.server.folder + "/out"
        if not os.path.exists(path):
            return []
        with open(path, errors="replace") as text:
            return [line for line in text if line.endswith("\n")]

    def messages(self, count):
        self.server.until(lambda: len(self.lines()) >= count, 30, f"{count} messages")
        return [json.loads(line) for line in self.lines()]


def event(number):
    """An event as Filebeat makes it of a line."""
    return {"@timestamp": "2026-11-20T08:00:00.123Z", "message": f"line {number}", "host": {"name": "web"},
            "log": {"level": "error", "offset": number, "file": {"path": "/var/log/app.log"}},
            "process": {"name": "app"}, "agent": {"type": "filebeat", "version": "8.15.0"}}


def test_events_are_messages_with_values(binary):
    with Beats(binary, 'prefix(".beats.")') as beats:
        with beats.client() as client:
            client.send([event(1), event(2), "no json"])
            client.send([event(3)])
        first, second, odd, last = beats.messages(4)
        assert (first["HOST"], first["MESSAGE"], first["PROGRAM"]) == ("web", "line 1", "app"), first
        assert first["SEVERITY"] == "err" and first["TRANSPORT"] == "beats+tcp", first
        assert first["ISODATE"].startswith("2026-11-20T08:00:00"), first
        fields = first["_beats"] if "_beats" in first else first[".beats"] if ".beats" in first else first["beats"]
        assert fields["log"]["file"]["path"] == "/var/log/app.log" and fields["agent"]["type"] == "filebeat", first
        assert [second["MESSAGE"], odd["MESSAGE"], last["MESSAGE"]] == ["line 2", "no json", "line 3"]


def test_encrypted_connections_are_checked(binary):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"], check=True, capture_output=True)
        extra = f'tls(key-file("{folder}/key.pem") cert-file("{folder}/cert.pem") peer-verify(optional-untrusted))'
        with Beats(binary, extra) as beats:
            with beats.client(ssl_enable=True, ca_certs=folder + "/cert.pem") as client:
                client.send([event(1)])
            assert beats.messages(1)[0]["TRANSPORT"] == "beats+tls"


@waits_for(5)
def test_a_slow_destination_is_waited_for(binary):
    """The destination has to wait for its pipe: the client hears that its events are worked on, and then that they are safe."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(folder + "/pipe")
        config = CONFIG.replace("DESTINATION", "").replace('file("{folder}/out"', f'pipe("{folder}/pipe"')
        beats = Beats(binary)
        beats.server.write_config(config.replace("BEATS", str(beats.port)).replace("EXTRA", ""))
        with beats, socket.create_connection(("127.0.0.1", beats.port), timeout=20) as peer:
            body = b"x" * 4000
            payload = b"".join(b"2J" + struct.pack(">II", number, len(body)) + body for number in range(1, 1001))
            peer.sendall(b"2W" + struct.pack(">I", 1000) + payload)
            assert peer.recv(6) == b"2A\0\0\0\0", "a sign of work"
            reader = subprocess.Popen(["cat", folder + "/pipe"], stdout=subprocess.DEVNULL)
            answer = peer.recv(6)
            while answer == b"2A\0\0\0\0":
                answer = peer.recv(6)
            assert answer == b"2A" + struct.pack(">I", 1000), answer
            reader.kill()


@waits_for(10)
def test_kills_lose_nothing_that_was_acknowledged(binary):
    """Two clients send windows of numbered events and repeat those without an acknowledgement, while the server is killed."""
    with Beats(binary) as beats:
        count, size, done, stop = 400, 50, set(), threading.Event()

        def send(first):
            number, client = first, None
            while number < count and not stop.is_set():
                try:
                    client = client or beats.client()
                    client.send([event(number * size + index) for index in range(size)])
                    done.add(number)
                    number += 2
                except Exception:
                    if client:
                        client.close()
                    client = None
                    time.sleep(0.05)

        senders = [threading.Thread(target=send, args=(first,)) for first in (0, 1)]
        for sender in senders:
            sender.start()
        try:
            for part in range(1, 6):
                beats.server.until(lambda: len(done) >= part * count // 8, 60, "windows to arrive")
                beats.server.stop(signal.SIGKILL)
                beats.server.start()
            for sender in senders:
                sender.join(60)
        finally:
            stop.set()
        assert len(done) == count, len(done)
        found = {json.loads(line)["MESSAGE"] for line in beats.lines()}
        missing = [number for number in range(count * size) if f"line {number}" not in found]
        assert not missing, missing[:10]
        print(f"{len(beats.lines())} lines of {count * size} events")


def test_other_protocols_are_refused(binary):
    with Beats(binary) as beats:
        for bytes_ in [b"GET / HTTP/1.1\r\n\r\n", b"1W\0\0\0\1", b"2W\0\0\0\1" + b"2C" + struct.pack(">I", 5) + b"abcde"]:
            with socket.create_connection(("127.0.0.1", beats.port), timeout=5) as peer:
                peer.sendall(bytes_)
                try:
                    assert peer.recv(1) == b""
                except ConnectionResetError:
                    pass
        assert "this is not the protocol of Beats: version 1 is not spoken" in beats.server.stderr(), beats.server.stderr()
        with beats.client() as client:
            client.send([event(1)])
        beats.messages(1)
