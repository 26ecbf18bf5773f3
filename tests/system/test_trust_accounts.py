"""Attacks on passwords, as a stranger would do it: many guesses at once, with many names, behind proxies."""

import concurrent.futures
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time

from server import CONFIG, Server, basic
from test_hostile import rss_mib


class Calls:
    """Calls of the API, each over a connection of its own."""

    def __init__(self, server):
        self.server = server

    def call(self, method, path, body=None, source="127.0.0.1", **headers):
        """Status, headers and JSON (or text) of one call. `source` is the client's own address, of 127.0.0.0/8."""
        peer = http.client.HTTPConnection("127.0.0.1", self.server.http, timeout=60, source_address=(source, 0))
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            data = None if body is None else json.dumps(body)
            try:
                peer.request(method, path, data, {"Content-Type": "application/json", "X-Requested-By": "test", **named})
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all of it was sent: the answer is there
            answer = peer.getresponse()
            text = answer.read().decode()
            try:
                return answer.status, answer.headers, json.loads(text)
            except ValueError:
                return answer.status, answer.headers, text
        finally:
            peer.close()

    def login(self, user, password, **more):
        return self.call("POST", "/api/v1/login", {"user": user, "password": password}, **more)[0]

    def session(self, password, **more):
        """The status of a call with a password."""
        return self.call("GET", "/api/v1/session", Authorization=basic("admin", password), **more)[0]


def fail_until_it_lasts(calls, user, **more):
    """Tries wrong passwords until the next attempt has to wait for some seconds."""
    for n in range(1000):
        status, headers, answer = calls.call("POST", "/api/v1/login", {"user": user, "password": f"wrong password {n}"}, **more)
        if status == 429 and int(headers["Retry-After"]) >= 4:
            return
        time.sleep(0.05 if status == 429 else 0)
    raise AssertionError(f"never had to wait: {status} {answer}")


def at_once(count, work, threads=100):
    """The results of `work(n)` for n below `count`, run by a number of threads."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(count)))


def test_h4_parallel_log_ins_take_little_memory_and_few_are_tried(binary):
    server = Server(binary)
    try:
        server.start()
        calls, before = Calls(server), rss_mib(server.process)
        start = time.monotonic()
        found = at_once(400, lambda n: calls.login("admin", f"wrong password {n}", source="127.0.0.9"))
        # Each second or so allows one more.
        most = 5 + (time.monotonic() - start)
        assert found.count(401) <= most and found.count(401) + found.count(429) == 400, found
        after = rss_mib(server.process)
        assert after - before < 200, f"{before} -> {after} MiB"
        # Correct passwords with each call: only one is hashed, and memory does not grow.
        before = rss_mib(server.process)
        found = at_once(300, lambda n: calls.session(server.password))
        assert found == [200] * 300, found
        start = time.monotonic()
        assert at_once(200, lambda n: calls.session(server.password), 4) == [200] * 200
        assert time.monotonic() - start < 4, "each call hashes the password"
        after = rss_mib(server.process)
        assert after - before < 200, f"{before} -> {after} MiB"
    finally:
        server.close()


def test_m3_unknown_names_leave_nothing_and_lock_nobody_out(binary):
    server = Server(binary)
    try:
        server.start()
        calls, before = Calls(server), rss_mib(server.process)
        long = at_once(240, lambda n: calls.login(f"{n}" + "x" * 1_000_000, "some password", source="127.0.0.8"), 20)
        assert set(long) <= {400, 401, 413, 429}, set(long)
        basics = at_once(100, lambda n: calls.call(
            "GET", "/api/v1/session", Authorization=basic(f"{n}" + "x" * 20_000, "some password"), source="127.0.0.8")[0], 20)
        assert set(basics) <= {401, 429}, set(basics)
        after = rss_mib(server.process)
        assert after - before < 60, f"{before} -> {after} MiB"
        # An unknown name gets the same answer as a wrong password.
        unknown = calls.call("POST", "/api/v1/login", {"user": "nobody", "password": "some password"}, source="127.0.0.7")
        wrong = calls.call("POST", "/api/v1/login", {"user": "admin", "password": "some password"}, source="127.0.0.7")
        assert unknown[0] == wrong[0] == 401 and unknown[2] == wrong[2], (unknown, wrong)
        # Wrong passwords from one address: admin logs in from another one.
        fail_until_it_lasts(calls, "admin", source="127.0.0.6")
        assert calls.login("admin", server.password, source="127.0.0.6") == 429
        assert calls.login("admin", server.password, source="127.0.0.5") == 200
        # Wrong passwords from everywhere: admin can still log in from an address where it worked
        # before.
        found = [calls.login("admin", "wrong password", source=f"127.0.{n}.1") for n in range(1, 80)]
        assert 429 in found and found.count(401) <= 60, found
        assert calls.login("admin", server.password, source="127.0.0.5") == 200
    finally:
        server.close()


def test_m3_the_address_behind_a_proxy_counts_and_is_not_believed_of_others(binary):
    page = 'options {{ page(trusted-proxies("127.0.0.1") PROXY); }};\n'
    server = Server(binary, CONFIG + page.replace("PROXY", ""))
    try:
        server.start()
        calls = Calls(server)
        attempt = lambda password, header, source="127.0.0.1": calls.login("admin", password, source=source, **header)
        guesses = lambda header, source="127.0.0.1": [attempt(f"wrong {n} password", header(n), source) for n in range(8)]
        behind = lambda address: {"X_Forwarded_For": address}
        # One user of the proxy guesses; another one is not affected.
        fail_until_it_lasts(calls, "admin", **behind("198.51.100.1"))
        assert attempt(server.password, behind("198.51.100.1")) == 429
        assert attempt(server.password, behind("198.51.100.2")) == 200
        # A client of the proxy that writes the header itself: the proxy appends the true address.
        assert guesses(lambda n: behind(f"203.0.113.{n}, 198.51.100.3")).count(401) <= 6
        # A client that bypasses the proxy writes it, too.
        assert guesses(lambda n: behind(f"203.0.113.{n}"), "127.0.0.2").count(401) <= 6
        # The other header is not trusted, because a proxy that knows only one header passes the
        # other on.
        other = lambda n: {"Forwarded": f"for=203.0.113.{n}", "X_Forwarded_For": "198.51.100.4"}
        assert guesses(other).count(401) <= 6
        server.write_config(CONFIG + page.replace("PROXY", "proxy-header(forwarded)"))
        server.ctl("reload")
        assert guesses(lambda n: {"Forwarded": f"for=203.0.113.{n}"}).count(401) == 8
        hidden = lambda n: {"Forwarded": f'for=203.0.113.{100 + n};x=", for=198.51.100.5'}
        assert guesses(hidden).count(401) <= 6, "an open quote hides what the proxy appends"
        server.write_config(CONFIG + page.replace("127.0.0.1", "proxy.example").replace("PROXY", ""))
        try:
            server.ctl("reload")
            raise AssertionError("a name was taken as a network")
        except Exception as error:
            assert "proxy.example" in error.stdout + error.stderr + server.stderr(), error
    finally:
        server.close()


def user(server, *words, password=""):
    command = [server.binary, "user", "--data", server.folder + "/data", *words]
    return subprocess.run(command, input=password + "\n", capture_output=True, text=True, timeout=30, check=True)


def log_in(calls, name, password):
    """The header of a new session."""
    status, headers, answer = calls.call("POST", "/api/v1/login", {"user": name, "password": password})
    assert status == 200, answer
    return {"Cookie": headers["Set-Cookie"].split(";")[0]}


def test_m2_sessions_end_with_the_password_the_user_and_their_time(binary):
    server = Server(binary)
    try:
        server.start()
        calls = Calls(server)
        alive = lambda session: calls.call("GET", "/api/v1/session", **session)[0]
        for name in ("eva", "bob"):
            user(server, "add", name, password="the first password")
            user(server, "grant", name, "*", "search")
        eva, bob = log_in(calls, "eva", "the first password"), log_in(calls, "bob", "the first password")
        other = log_in(calls, "eva", "the first password")
        assert [alive(one) for one in (eva, bob, other)] == [200, 200, 200]
        # A log-out ends one session, here and on the disk.
        assert calls.call("POST", "/api/v1/logout", {}, **other)[0] == 200
        assert [alive(eva), alive(other)] == [200, 401]
        # No session survives a change of its password or user; open tails end, too.
        tails = [socket.create_connection(("127.0.0.1", server.http), timeout=10) for _ in range(2)]
        for tail, session in zip(tails, (eva, bob)):
            tail.sendall(f"GET /api/v1/tail?logspace=main HTTP/1.1\r\nHost: localhost\r\nCookie: {session['Cookie']}\r\nConnection: close\r\n\r\n".encode())
            assert tail.recv(4096).startswith(b"HTTP/1.1 200")
        user(server, "password", "eva", password="second password")
        user(server, "remove", "bob")
        assert [alive(eva), alive(bob)] == [401, 401]
        for tail in tails:
            while tail.recv(4096):
                pass
        user(server, "add", "bob", password="the first password")
        assert alive(bob) == 401, "a new user of that name"
        assert calls.call("GET", "/api/v1/session", Authorization=basic("eva", "the first password"))[0] == 401
        # A restart keeps valid sessions, and the file alone does not let anybody in.
        eva, gone = log_in(calls, "eva", "second password"), log_in(calls, "bob", "the first password")
        out = log_in(calls, "eva", "second password")
        assert calls.call("POST", "/api/v1/logout", {}, **out)[0] == 200
        server.stop(signal.SIGKILL)
        user(server, "password", "bob", password="second password")
        path = server.folder + "/data/sessions.json"
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with open(path) as file:
            text = file.read()
        assert eva["Cookie"].split("=")[1] not in text
        server.start()
        assert [alive(eva), alive(gone), alive(out), alive(other)] == [200, 401, 401, 401]
        stolen = json.loads(text)["sessions"][0]["token_sha256"]
        assert alive({"Cookie": "duramen_session=" + stolen}) == 401
        # A damaged file: everybody logs in again, and the log says why.
        server.stop()
        with open(path, "w") as file:
            file.write(text[:len(text) // 2])
        server.start()
        assert alive(eva) == 401 and "Everybody has to log in again" in server.stderr()
        assert alive(log_in(calls, "eva", "second password")) == 200
        # Sessions end at the latest after their lifetime.
        server.write_config(CONFIG + 'options {{ page(session-lifetime("2s")); }};\n')
        server.ctl("reload")
        eva, start = log_in(calls, "eva", "second password"), time.monotonic()
        while alive(eva) == 200:
            assert time.monotonic() < start + 10
        assert time.monotonic() > start + 1
    finally:
        server.close()


def test_user_takes_its_options_in_any_order(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-test-") as folder:
        data = ["--data", folder]
        rows = [
            [*data, "add", "eva", "--generate"],
            ["add", *data, "bob", "--generate"],
            ["add", "ann", *data, "--generate"],
            ["add", "--generate", "tom", *data],
            ["grant", "ann", "*", "search", *data],
            ["remove", "tom", f"--data={folder}"],
        ]
        for words in rows:
            subprocess.run([binary, "user", *words], capture_output=True, timeout=30, check=True)
        listed = subprocess.run([binary, "user", "list", *data], capture_output=True, text=True, timeout=30, check=True)
        assert listed.stdout.split() == ["ann", "bob", "eva"], listed
