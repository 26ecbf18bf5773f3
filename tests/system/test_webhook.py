"""webhook(): events of services over HTTP, by curl and by Duramen's own http(); nothing that was answered is lost."""

import http.client
import json
import os
import signal
import subprocess
import tempfile
import threading
import time

from server import Server, free_port

CONFIG = """@version: 4.8
@include "scl.conf"
options {{ use-dns(no); stats(level(1)); keep-hostname(yes); }};
source s_hook {{ KIND(ip("127.0.0.1") port(HOOK) auth-token("a-long-secret") EXTRA); }};
destination d_out {{ file("{folder}/out" template("$(format-json --scope nv-pairs,dot-nv-pairs,core --key HOST --key SOURCEIP --key TRANSPORT)\\n")); }};
log {{ source(s_hook); destination(d_out); flags(flow-control); }};
"""


class Hook:
    """A server with a webhook, and the messages that arrived."""

    def __init__(self, binary, extra="", kind="webhook", config=CONFIG):
        self.port = free_port()
        text = config.replace("KIND", kind).replace("HOOK", str(self.port)).replace("EXTRA", extra)
        self.server = Server(binary, text)

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.close()

    def lines(self):
        path = self.server.folder + "/out"
        if not os.path.exists(path):
            return []
        with open(path, errors="replace") as text:
            return [line for line in text if line.endswith("\n")]

    def messages(self, count):
        self.server.until(lambda: len(self.lines()) >= count, 30, f"{count} messages")
        return [json.loads(line) for line in self.lines()]

    def curl(self, path, body, *more, token="a-long-secret"):
        """Posts a body, and returns the status and the answer."""
        command = ["curl", "-s", "-w", " %{http_code}", "--noproxy", "*", "-H", f"Authorization: Bearer {token}",
                   "--data-binary", "@-", *more, f"http://127.0.0.1:{self.port}{path}"]
        done = subprocess.run(command, input=body, capture_output=True, check=True, timeout=30)
        answer, status = done.stdout.decode().rsplit(" ", 1)
        return int(status), json.loads(answer)


def test_a_request_is_a_message_with_values(binary):
    extra = 'paths(["/events/(?P<HOST>[^/]+)", "/plain"]) include-request-headers(yes) proxy-header("yes")'
    with Hook(binary, extra) as hook:
        body = b"<34>not syslog\nbut a text of two lines"
        assert hook.curl("/events/web%201?kind=push&n=1", body, "-H", "X-Forwarded-For: 192.0.2.7") == (
            200, {"status": "received"})
        assert hook.curl("/plain", b"x" * 100_000, "-H", "Content-Encoding: identity")[0] == 200
        assert hook.curl("/elsewhere", b"m")[0] == 404
        assert hook.curl("/plain", b"m", "-X", "PUT")[0] == 405
        assert hook.curl("/plain", b"m", token="wrong")[0] == 401
        first, second = hook.messages(2)
        assert first["MESSAGE"] == body.decode() and first["HOST"] == "web 1"
        assert first["webhook"]["query"] == {"kind": "push", "n": "1"}, first
        assert first["SOURCEIP"] == "192.0.2.7" and first["TRANSPORT"] == "http"
        headers = first["webhook"]["headers"]
        headers = json.loads(headers) if isinstance(headers, str) else headers
        assert headers["X-Forwarded-For"] == ["192.0.2.7"] and "Authorization" not in headers, headers
        assert len(second["MESSAGE"]) == 100_000


def test_json_becomes_values(binary):
    with Hook(binary, 'prefix("hook.")', "webhook-json") as hook:
        assert hook.curl("/any", b'{"action": "opened", "issue": {"number": 5}}')[0] == 200
        status, answer = hook.curl("/any", b'{"action": ')
        assert status == 400 and "JSON" in answer["status"]
        message, = hook.messages(1)
        assert message["hook"] == {"action": "opened", "issue": {"number": 5}}, message


def test_encrypted_requests(binary):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", folder + "/key.pem", "-out",
                        folder + "/cert.pem"], check=True, capture_output=True)
        extra = f'tls-key-file("{folder}/key.pem") tls-cert-file("{folder}/cert.pem")'
        with Hook(binary, extra) as hook:
            command = ["curl", "-s", "--noproxy", "*", "--cacert", folder + "/cert.pem", "-H", "Authorization: x a-long-secret",
                       "-d", "hello", f"https://localhost:{hook.port}/"]
            assert json.loads(subprocess.check_output(command, timeout=30)) == {"status": "received"}
            assert hook.messages(1)[0]["MESSAGE"] == "hello"


SENDER = """@version: 4.8
options {{ use-dns(no); stats(level(1)); }};
source s_gen {{ unix-stream("{folder}/in" flags(no-parse)); }};
destination d_hook {{ http(url("http://127.0.0.1:HOOK/") headers("Authorization: Bearer a-long-secret") body("$MSG") disk-buffer(reliable(yes) disk-buf-size(10485760)) time-reopen(1)); }};
log {{ source(s_gen); destination(d_hook); flags(flow-control); }};
"""


def test_kills_lose_nothing_that_was_answered(binary):
    """Two clients post numbered events and repeat what was not answered, while the server is killed five times."""
    with Hook(binary) as hook:
        done, count, stop = set(), 2_000, threading.Event()

        def post(first):
            connection, number = None, first
            while number < count and not stop.is_set():
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", hook.port, timeout=5)
                    connection.request("POST", "/", f"event {number}", {"Authorization": "Bearer a-long-secret"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status == 200:
                        done.add(number)
                        number += 2
                except OSError:
                    connection = None
                    time.sleep(0.05)
                except http.client.HTTPException:
                    connection = None

        posters = [threading.Thread(target=post, args=(first,)) for first in (0, 1)]
        for poster in posters:
            poster.start()
        try:
            for part in range(1, 6):
                hook.server.until(lambda: len(done) >= part * count // 8, 60, "events to arrive")
                hook.server.stop(signal.SIGKILL)
                hook.server.start()
            for poster in posters:
                poster.join(90)
        finally:
            stop.set()
        assert len(done) == count, len(done)
        found = {json.loads(line)["MESSAGE"] for line in hook.lines()}
        missing = [number for number in done if f"event {number}" not in found]
        assert not missing, missing[:10]
        print(f"{len(hook.lines())} lines of {count} events")


def test_its_own_http_destination_sends_to_it(binary):
    with Hook(binary) as hook, Hook(binary, config=SENDER.replace("HOOK", str(hook.port))) as sender:
        subprocess.run(["python3", "-c", "import socket,sys;s=socket.socket(socket.AF_UNIX);s.connect(sys.argv[1]);"
                        "s.sendall(b''.join(b'n %d\\n' % i for i in range(500)))", sender.server.folder + "/in"], check=True)
        got = hook.messages(500)
        assert {message["MESSAGE"] for message in got} == {f"n {number}" for number in range(500)}
        statistic = next(line for line in sender.server.ctl("stats").splitlines() if ";written;" in line and "d_hook" in line)
        assert statistic.endswith(";written;500"), statistic


def test_wrong_configurations_are_refused_by_their_place(binary):
    for extra, want in [
        ('paths("/(")', "is no regular expression"),
        ('tls-key-file("/k")', "tls-cert-file"),
        ('proxy-header("a b")', "is no name of a header"),
        ("tls-peer-verify(yes)", "tls-key-file"),
    ]:
        hook = Hook(binary, extra)
        done = subprocess.run([binary, "check", hook.server.config], capture_output=True, text=True)
        assert done.returncode != 0 and want in done.stdout + done.stderr, (extra, done.stdout, done.stderr)
        hook.server.close()
