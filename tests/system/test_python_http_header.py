"""python-http-header(): headers that a class makes of the body of each request; a class that crashes, hangs or fails loses no message."""

import functools
import gzip
import hashlib
import hmac
import http.server
import os
import tempfile
import threading

import destination
from destination import HEAD, check_refusals, send
from server import Server, waits

settled = functools.partial(destination.settled, kind="dst.http")

# A class signs bodies with a token, which it reads again when it was refused; it fails at messages with a word for it, once each.
CODE = """
import hashlib, hmac, os, time
class Signer:
    def __init__(self, options):
        self.token, self.path, self.folder = None, options["token"], options.get("folder")
    def once(self, word, body):
        if word not in body or os.path.exists(self.folder + "/" + word):
            return False
        open(self.folder + "/" + word, "w").close()
        return True
    def get_headers(self, body, headers):
        assert "X-Own: yes" in headers, headers
        if self.folder and self.once("raises", body):
            raise ValueError("not this one")
        if self.folder and self.once("exits", body):
            os._exit(1)
        if self.folder and self.once("hangs", body):
            time.sleep(60)
        if self.folder and self.once("lies", body):
            return "no list"
        if self.token is None:
            with open(self.path, "rb") as file:
                self.token = file.read()
        return ["X-Sum: " + hmac.new(self.token, body.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()]
    def on_http_response_received(self, code):
        if code == 401:
            self.token = None
"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        with self.server.lock:
            status = self.server.judge(body, self.headers)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Receiver:
    """Takes requests whose sum is that of the present token; the token is another one after every hundred messages."""

    def __init__(self, lasting=100):
        self.lasting, self.number = lasting, 0
        self.holder = tempfile.TemporaryDirectory(prefix="token-")
        self.path = self.holder.name + "/token"
        self.renew()
        self.texts, self.unsigned, self.refused = [], 0, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.lock, self.server.judge = True, threading.Lock(), self.judge
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]

    def renew(self):
        self.number, self.since = self.number + 1, 0
        # A class that reads it now finds the old one or the new one.
        with open(self.path + ".new", "w") as out:
            out.write(f"token {self.number}")
        os.replace(self.path + ".new", self.path)

    def judge(self, body, headers):
        if "X-Sum" not in headers:
            self.unsigned += 1
            self.texts += body.decode(errors="replace").splitlines()
            return 200
        key = f"token {self.number}".encode()
        if headers["X-Sum"] != hmac.new(key, body, hashlib.sha256).hexdigest():
            self.refused += 1
            return 401
        self.texts += body.decode(errors="replace").splitlines()
        self.since += len(body.splitlines())
        if self.since >= self.lasting:
            self.renew()
        return 200

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.holder.cleanup()


def config(port, header, options, code=CODE):
    braces = lambda text: text.replace("{", "{{").replace("}", "}}")
    block = "python {" + braces(code) + "}};\n"
    http = f'http(url("http://127.0.0.1:{port}/") headers("X-Own: yes") {options} python_http_header({header}))'
    return HEAD + block.replace("python {", "python {{", 1) + "destination d_http {{ " + http + "; }};\nlog {{ source(s_net); destination(d_http); flags(flow-control); }};\n"


def numbers(count):
    return [("web", f"message {number} caf\u00e9") for number in range(count)]


def test_requests_are_signed_and_a_refused_token_is_replaced_at_once(binary):
    for options in ('batch-lines(20)', 'batch-lines(7) workers(3) content-compression("gzip")'):
        receiver = Receiver()
        # A pause would last a minute: no message waits for one.
        server = Server(binary, config(receiver.port, 'class("Signer") options("token", "%s")' % receiver.path, options + " time-reopen(60)"))
        try:
            server.start()
            send(server, numbers(1000))
            found = settled(server, 1000)
            assert (found["written"], found["dead"]) == (1000, 0), found
            assert sorted(receiver.texts) == sorted(text for _, text in numbers(1000))
            assert receiver.unsigned == 0 and receiver.number >= 10, (receiver.unsigned, receiver.number)
            assert receiver.refused >= receiver.number - 2, receiver.refused
        finally:
            server.close()
            receiver.close()


@waits
def test_a_class_that_fails_loses_no_message(binary):
    """It raises, ends its process, hangs and returns nonsense: the request waits for its headers, or is sent without them."""
    words = ["raises", "exits", "hangs", "lies"]
    for critical in ("yes", "no"):
        receiver = Receiver(lasting=10000)
        header = 'class("Signer") options("token" => "%s" "folder" => "{folder}") timeout(1) mark-errors-as-critical(%s)' % (receiver.path, critical)
        server = Server(binary, config(receiver.port, header, "batch-lines(5)"))
        try:
            server.start()
            messages = [("web", text) for number in range(100) for text in ([words[number // 25]] if number % 25 == 10 else []) + [f"message {number}"]]
            send(server, messages)
            found = settled(server, len(messages))
            assert (found["written"], found["dead"]) == (len(messages), 0), found
            assert sorted(receiver.texts) == sorted(text for _, text in messages)
            # A process that ended is asked once more before its class counts as one that fails.
            assert (receiver.unsigned > 0) == (critical == "no"), receiver.unsigned
            assert all(os.path.exists(f"{server.folder}/{word}") for word in words)
            # With the second value, lines of one kind are few.
            for said in ("ValueError: not this one", "user code took more than 1 s") + (("must return a list of strings",) if critical == "yes" else ()):
                assert said in server.stderr(), (said, server.stderr())
        finally:
            server.close()
            receiver.close()


def test_a_class_that_cannot_be_loaded_holds_messages(binary):
    receiver = Receiver(lasting=10000)
    server = Server(binary, config(receiver.port, 'class("signing.Signer") options("token" => "%s") mark-errors-as-critical(no)' % receiver.path, ""))
    try:
        server.start()
        send(server, numbers(10))
        server.until(lambda: "(code)" in server.ctl("healthcheck"), 20, "the missing module: " + server.ctl("healthcheck"))
        os.makedirs(server.folder + "/python")
        with open(server.folder + "/python/signing.py", "w") as out:
            out.write(CODE)
        assert settled(server, 10)["written"] == 10
        assert (len(receiver.texts), receiver.unsigned) == (10, 0)
    finally:
        server.close()
        receiver.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('http(url("http://h/") python-http-header())', "needs class()"),
        ('http(url("http://h/") python-http-header(class("")))', "needs class()"),
        ('http(url("http://h/") python-http-header(class("a")) python-http-header(class("b")))', "stands here twice"),
        ('http(url("http://h/") python-http-header(class("a") methods(get)))', "methods"),
        ('http(url("http://h/") python-http-header(class("a") mark-errors-as-critical(perhaps)))', "does not fit"),
    )
    check_refusals(binary, [(driver + ";", words) for driver, words in cases])
