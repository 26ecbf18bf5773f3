"""The ledger of a running server: log-ins, failures, refusals and changes of users are in it and in internal(), and
`duramen ledger verify` detects every change of the file."""

import json
import os
import socket
import subprocess
import urllib.error

from server import CONFIG, Server, basic

OWN = CONFIG.replace("destination(d_file); flags", "flags")


def run(binary, *words, stdin=None):
    return subprocess.run([binary, *words], input=stdin, capture_output=True, text=True, timeout=60)


def verify(server, *options):
    """Verifies the ledger and returns the report; checks that the exit status agrees with it."""
    done = run(server.binary, "ledger", "verify", "--data", server.folder + "/data", "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert (done.returncode == 0) == report["good"], done.stdout
    return report


def entries(server, *options):
    done = run(server.binary, "ledger", "ls", "--data", server.folder + "/data", "--json", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def user(server, *words, stdin="a long password\n"):
    done = run(server.binary, "user", "--data", server.folder + "/data", *words, stdin=stdin)
    assert done.returncode == 0, done.stderr


def fail(server, name, password, times=1):
    for _ in range(times):
        try:
            server.call("login", {"user": name, "password": password})
            raise AssertionError("let in")
        except urllib.error.HTTPError as error:
            assert error.code in (400, 401, 429), error.code


def test_e5_security_events_are_in_the_ledger_and_in_internal(binary):
    server = Server(binary, OWN)
    try:
        server.start()
        user(server, "add", "bob")
        user(server, "grant", "bob", "main", "search")
        server.search("*")
        fail(server, "mallory\n\x1b[2Jx', user='root", "secret-that-must-not-show")
        # A user who may search but not export requests a package.
        import urllib.request
        request = urllib.request.Request(
            f"{server.base}/api/v1/package", b"{}",
            {"Content-Type": "application/json", "X-Requested-By": "t", "Authorization": basic("bob", "a long password")})
        try:
            urllib.request.urlopen(request, timeout=30)
            raise AssertionError("not refused")
        except urllib.error.HTTPError as error:
            assert error.code == 403
        fail(server, "mallory", "secret-that-must-not-show")
        fail(server, "eve", "wrong", 12)
        user(server, "revoke", "bob", "main")
        user(server, "remove", "bob")
        by_action = {}
        for entry in entries(server):
            by_action.setdefault(entry["action"], []).append(entry)
        wanted = {"add-user", "grant", "login", "search", "login-failed", "refused", "locked-out", "revoke", "remove-user"}
        assert wanted <= by_action.keys(), by_action.keys()
        assert by_action["login"][0]["user"] == "admin" and by_action["login"][0]["details"]["address"] == "127.0.0.1"
        assert by_action["refused"][0]["user"] == "bob" and by_action["refused"][0]["details"]["right"] == "export"
        sentences = ("User logged in", "User added", "Rights granted", "Log-in failed", "Request refused",
                     "Log-in refused after too many failures", "Rights of a user taken away", "User removed")
        for sentence in sentences:
            server.found(f'"{sentence}"', 1, within=5)
        rows = server.search('"Log-in failed"')["rows"]
        assert all("\n" not in row["message"] and "\x1b" not in row["message"] for row in rows), rows
        with open(server.folder + "/data/searches.ledger") as text:
            assert "secret-that-must-not-show" not in text.read()
        assert "secret-that-must-not-show" not in server.stderr()
        # Filters of ls; text without control characters.
        assert {entry["action"] for entry in entries(server, "--action", "grant", "--action", "revoke")} == {"grant", "revoke"}
        assert {entry["user"] for entry in entries(server, "--user", "bob")} == {"bob"}
        assert entries(server, "--to", "2001-01-01T00:00:00Z") == []
        text = run(binary, "ledger", "ls", "--data", server.folder + "/data").stdout
        assert "\x1b" not in text and "mallory" in text, text
    finally:
        server.close()


def test_e5_users_changed_while_the_server_was_off_are_reported_at_the_start(binary):
    server = Server(binary, OWN)
    try:
        server.start()
        server.stop()
        user(server, "add", "carol")
        report = verify(server)
        assert report["entries"] == report["signed"] + 1, f"the new one is chained only: {report}"
        server.start()
        server.found('"User added" AND carol', 1, within=5)
        server.stop()
        report = verify(server)
        assert report["entries"] == report["signed"], report
    finally:
        server.close()


def test_e5_failures_do_not_fill_the_disk(binary):
    server = Server(binary, OWN)
    try:
        server.start()
        size = lambda: os.path.getsize(server.folder + "/data/searches.ledger")
        before = size()
        fail(server, "eve", "wrong", 200)
        server.stop()
        assert size() - before < 10_000, size() - before
        counted = [entry["details"] for entry in entries(server, "--action", "locked-out", "--action", "login-failed")]
        assert sum(details.get("count", 1) for details in counted) == 200, counted
    finally:
        server.close()


def test_e5_whatever_is_done_to_the_ledger_is_found(binary):
    server = Server(binary, OWN)
    try:
        server.start()
        server.found("*", 1, within=5)
        for number in range(5):
            server.search(f"before {number}")
        server.ctl("healthcheck")
        done = run(binary, "logspace", "seal", "main", "--control", server.folder + "/ctl")
        assert done.returncode == 0, done.stderr
        sealed = len(entries(server))
        for number in range(5):
            server.search(f"after {number}")
        server.stop()
        good = verify(server)
        assert good["good"] and good["entries"] == good["signed"] == len(entries(server)), good
        assert sealed - 1 <= good["sealed"] <= sealed, good
        path = server.folder + "/data/searches.ledger"
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        with open(path + ".head", "rb") as file:
            head = file.read()

        def harmed(content, head_content=head):
            with open(path, "wb") as file:
                file.write(b"".join(content))
            if head_content is None:
                os.remove(path + ".head")
            else:
                with open(path + ".head", "wb") as file:
                    file.write(head_content)
            report = verify(server)
            return " ".join(finding["text"] for finding in report["findings"])

        count = len(lines)
        rows = [
            ("the end was cut", lines[:-1], head),
            ("the end was cut", [], head),
            ("record 0 of logspace main names", lines[: sealed - 3], head),
            ("does not follow", [*lines[:3], lines[3].replace(b"admin", b"amdin"), *lines[4:]], head),
            ("is not the one that its signed head names", [*lines[:-1], lines[-1].replace(b"after", b"other")], head),
            ("taken out, put in or reordered", lines[:4] + lines[5:], head),
            ("taken out, put in or reordered", lines[:4] + [lines[5], lines[4]] + lines[6:], head),
            ("taken out, put in or reordered", lines[:5] + lines[4:], head),
            ("signed head is missing", lines, None),
            ("the signature of the head is wrong", lines[:-1], head.replace(b"entries %d" % count, b"entries %d" % (count - 1))),
        ]
        for want, content, head_content in rows:
            found = harmed(content, head_content)
            assert want in found, (want, found)
        # A truncated ledger is not signed again: the server reports it, and the finding stays.
        harmed(lines[:-1])
        server.start()
        server.until(lambda: "The ledger cannot be signed" in server.stderr(), 30, "the server to say it")
        server.stop()
        assert not verify(server)["good"]
        # The ledger is complete again.
        assert harmed(lines) == ""
        assert verify(server, "--head", good["last"])["good"] and not verify(server, "--head", "0" * 64)["good"]
    finally:
        server.close()


def raw(server, request):
    with socket.create_connection(("127.0.0.1", server.http), timeout=30) as peer:
        peer.sendall(request.encode())
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    return int(answer.split()[1])


def test_calls_for_another_host_and_malformed_log_ins_are_in_the_ledger_and_cannot_fill_it(binary):
    server = Server(binary, OWN)
    try:
        server.start()
        login = "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nX-Requested-By: t\r\nContent-Type: application/json\r\nConnection: close\r\n"
        def wrong_host(name):
            return raw(server, f"GET /api/v1/health HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n")
        assert wrong_host("evil.example") == 421
        assert raw(server, login + "Content-Length: 9\r\n\r\nno JSON \x01") == 400
        session = "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %%%\r\nConnection: close\r\n\r\n"
        assert raw(server, session) == 401
        # A long name is cut.
        assert wrong_host("x" * 3000 + ".example") == 421
        hosts = entries(server, "--action", "wrong-host")
        assert [entry["details"]["address"] for entry in hosts] == ["127.0.0.1"] * 2, hosts
        assert hosts[0]["details"]["host"] == "evil.example" and len(hosts[1]["details"]["host"]) < 100, hosts
        reasons = [entry["details"]["reason"] for entry in entries(server, "--action", "login-malformed")]
        assert len(reasons) == 2 and "body" in reasons[0] and "Authorization" in reasons[1], reasons
        for sentence in ("Request refused: it is for another host", "Log-in refused: it cannot be read"):
            server.found(f'"{sentence}"', 1, within=5)
        before = os.path.getsize(server.folder + "/data/searches.ledger")
        for n in range(300):
            wrong_host(f"host{n}.example")
            raw(server, login + "Content-Length: 1\r\n\r\n{")
        more = os.path.getsize(server.folder + "/data/searches.ledger") - before
        assert more < 8_000, f"600 calls wrote {more} bytes"
        server.stop()
        counted = [entry["details"]["count"] for action in ("wrong-host", "login-malformed") for entry in entries(server, "--action", action) if "count" in entry["details"]]
        assert len(counted) >= 2 and 590 < sum(counted) + 10 <= 610, counted
        assert verify(server)["good"]
    finally:
        server.close()
