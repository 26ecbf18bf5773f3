"""Long answers end when the right to them ends: exports, packages and live tails of a user who was removed, lost the grant, or has a new password."""

import concurrent.futures
import functools
import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

from server import CONFIG, Server, basic, waits_for

COUNT = 60_000
PASSWORD = "a long password of eva 1"
STORE_ONLY = CONFIG.replace("destination(d_file); ", "")
# An export is cut within two checks of a second each; the rest allows for a busy machine.
WITHIN_S = 15


def send(server, count):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        for first in range(0, count, 5000):
            peer.sendall("".join(f"<13>prog[{n}]: number n{n} {'x' * 900}\n" for n in range(first, first + 5000)).encode())


class Eva:
    """A user who may search and export, and whose answers are read slowly."""

    # `duramen user` is meant for one person at a time.
    turns = threading.Lock()

    def __init__(self, server, name="eva"):
        self.server, self.name = server, name
        self.manage("remove", name, check=False)
        self.manage("add", name, given=PASSWORD)
        self.manage("grant", name, "main", "search", "export")
        answer = self.post("login", {"user": name, "password": PASSWORD})
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        answer.close()

    def manage(self, *words, given=None, check=True):
        command = [self.server.binary, "user", *words, "--data", self.server.folder + "/data"]
        with self.turns:
            return subprocess.run(command, input=(given or "") + "\n", check=check, capture_output=True, text=True, timeout=30)

    def post(self, path, body):
        headers = {"Content-Type": "application/json", "X-Requested-By": "test", **({"Cookie": self.cookie} if hasattr(self, "cookie") else {})}
        return urllib.request.urlopen(urllib.request.Request(f"{self.server.base}/api/v1/{path}", json.dumps(body).encode(), headers), timeout=60)

    def connect(self, path, **headers):
        """A connection with a small buffer, on which a long answer has begun."""
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        peer.settimeout(30)
        peer.connect(("127.0.0.1", self.server.http))
        lines = [f"GET /api/v1/{path} HTTP/1.1", f"Host: 127.0.0.1:{self.server.http}"]
        lines += [f"{name}: {value}" for name, value in (headers or {"Cookie": self.cookie}).items()]
        peer.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        begin = b""
        while len(begin) < 1000:
            piece = peer.recv(1000)
            assert piece, begin
            begin += piece
        assert begin.startswith(b"HTTP/1.1 200"), begin[:300]
        return peer


def drained(peer, seconds, pause=0.02):
    """Reads slowly, so that a long answer takes longer than `seconds`. Returns the bytes, whether the answer was
complete, and how long it took."""
    begin, taken, last = time.monotonic(), 0, b""
    while time.monotonic() - begin < seconds:
        try:
            piece = peer.recv(16384)
        except OSError:
            return taken, False, time.monotonic() - begin
        if not piece:
            # A complete chunked answer ends with an empty chunk.
            return taken, last.endswith(b"0\r\n\r\n"), time.monotonic() - begin
        taken, last = taken + len(piece), (last + piece)[-5:]
        time.sleep(pause)
    return taken, None, seconds


LOSSES = {
    "the user is removed": lambda eva: eva.manage("remove", eva.name),
    "the grant is taken": lambda eva: eva.manage("revoke", eva.name, "main", "export"),
    "all grants are taken": lambda eva: eva.manage("revoke", eva.name, "main"),
    "the password is changed": lambda eva: eva.manage("password", eva.name, given="another long password 2"),
    "the session is closed": lambda eva: eva.post("logout", {}).close(),
}


def started(binary):
    server = Server(binary, STORE_ONLY)
    server.start()
    send(server, COUNT)
    server.found("program:prog", COUNT, within=120)
    return server


def together(*acts):
    """Runs functions at the same time, for each of them mostly waits; the first error of one is raised."""
    with concurrent.futures.ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()


@waits_for(30)
def test_a_running_export_ends_with_the_right_to_it(binary):
    server = started(binary)
    try:
        def whole():
            """A user whose rights stay gets everything."""
            taken, is_whole, _ = drained(Eva(server, "whole").connect("export?query=n1*&format=raw"), 60, pause=0.01)
            assert is_whole, (taken, is_whole)

        def lost(name, loss, user):
            eva = Eva(server, user)
            peer = eva.connect("export?query=&format=raw")
            assert drained(peer, 1.5)[1] is None, "the export was over before anything happened"
            loss(eva)
            taken, is_whole, seconds = drained(peer, 60, pause=0.01)
            assert is_whole is False and seconds < WITHIN_S, (name, taken, is_whole, seconds)

        def password():
            """The same with a password in each call instead of a session."""
            eva = Eva(server, "caller")
            peer = eva.connect("export?query=&format=raw", Authorization=basic(eva.name, PASSWORD))
            eva.manage("password", eva.name, given="another long password 2")
            _, is_whole, seconds = drained(peer, 60)
            assert is_whole is False and seconds < WITHIN_S, seconds

        together(whole, password, *(functools.partial(lost, name, loss, f"eva{at}") for at, (name, loss) in enumerate(LOSSES.items())))
    finally:
        server.close()


@waits_for(15)
def test_a_package_that_was_made_is_not_given_without_the_right_to_it(binary):
    server = started(binary)
    try:
        seal = [server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
        subprocess.run(seal, check=True, capture_output=True, timeout=120)

        def lost(name, loss, user):
            eva = Eva(server, user)
            with eva.post("package", {"query": "n1*"}) as answer:
                made = json.load(answer)
            path = f"package?id={made['id']}"
            peer = eva.connect(path)
            loss(eva)
            _, is_whole, seconds = drained(peer, 60)
            assert is_whole is False and seconds < WITHIN_S, (name, seconds)
            request = urllib.request.Request(f"{server.base}/api/v1/{path}", headers={"Cookie": eva.cookie})
            try:
                status = urllib.request.urlopen(request, timeout=30).status
            except urllib.error.HTTPError as error:
                status = error.code
            assert status in (401, 403), (name, status)

        together(*(functools.partial(lost, name, loss, f"eva{at}") for at, (name, loss) in enumerate(LOSSES.items())))
    finally:
        server.close()


def test_a_live_tail_ends_with_the_right_to_it_also_when_messages_never_pause(binary):
    server = started(binary)
    going = threading.Event()

    def flood():
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            while not going.wait(0.005):
                peer.sendall(b"".join(b"<13>flood: %d\n" % n for n in range(50)))
    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        for name, loss in LOSSES.items():
            if name == "the grant is taken":
                continue  # a tail needs no right to export
            eva = Eva(server)
            peer = eva.connect("tail?query=flood")
            loss(eva)
            begin, taken = time.monotonic(), b""
            peer.settimeout(WITHIN_S)
            while True:
                piece = peer.recv(65536)
                if not piece or piece.endswith(b"0\r\n\r\n"):
                    break
                assert time.monotonic() - begin < WITHIN_S, (name, taken[-200:])
    finally:
        going.set()
        flooding.join()
        server.close()
