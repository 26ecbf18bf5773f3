"""Users as an operator manages them beside a running server: API tokens, and what an earlier version has left in the data folder."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request

from server import Server

# The file of users as versions before API tokens wrote it: `old` is from before there were ids and grants. Both have the
# password "a long password".
HASH = "$argon2id$v=19$m=19456,t=2,p=1$WRfcga5ZxPNYifj1zwtOBA$tHx4wrDg5ZfOPScMJOgGfMwD/sEmvfmRIXfEWMIzGXo"
EARLIER = {"users": {
    "eva": {"id": "abcdefghijkmnpqr", "password": HASH, "grants": [{"logspace": "main", "may": ["search"]}]},
    "old": {"password": HASH},
}}


def user(server, *words, given="", check=True):
    command = [server.binary, "user", "--data", server.folder + "/data", *words]
    return subprocess.run(command, input=given, check=check, capture_output=True, text=True, timeout=30)


def ask(server, path, body=None, **headers):
    """Status and answer of a call without a session."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.base}/api/v1/{path}", data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def bearer(token):
    return {"Authorization": "Bearer " + token}


def test_an_api_token_does_what_it_may_and_ends(binary):
    server = Server(binary)
    try:
        server.start()
        user(server, "add", "reports", "--generate")
        user(server, "grant", "reports", "main", "search")
        made = user(server, "token", "add", "reports", "--label", "weekly", "--scope", "search,export", "--network", "127.0.0.0/8")
        token = made.stdout.strip()
        assert re.fullmatch(r"dmn_u[0-9A-Za-z]{36}", token), made
        id = re.search(r"The token (\w+) is shown only once", made.stderr).group(1)
        assert ask(server, "search", {"logspace": "main"}, **bearer(token))[0] == 200
        status, answer = ask(server, "export?logspace=main", **bearer(token))
        assert status == 403 and "may not export" in answer["error"]["message"], (status, answer)
        status, answer = ask(server, "objects", **bearer(token))
        assert status == 403 and "objects:read" in answer["error"]["message"], (status, answer)
        # The command line uses it as well.
        environment = {**os.environ, "DURAMEN_TOKEN": token, "DURAMEN_URL": server.base}
        done = subprocess.run([binary, "search", "-c", "*", "--logspace", "main"], env=environment, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0 and int(done.stdout) >= 0, done
        listed = user(server, "token", "ls", "reports").stdout
        assert listed.startswith(f"reports\t{id}\tweekly\t{token[-4:]}\tsearch,export\t*\t127.0.0.0/8\texpires "), listed
        assert "from 127.0.0.1" in listed, listed
        for wrong in (["--days", "367"], ["--scope", "everything"], ["--network", "nowhere"]):
            words = ["token", "add", "reports", "--label", "x", "--scope", "search", *wrong]
            assert user(server, *words, check=False).returncode == 2, wrong
        # It outlasts a restart and a kill, until it is revoked.
        server.stop(9)
        server.start()
        assert ask(server, "session", **bearer(token))[1]["user"] == "reports"
        assert "from 127.0.0.1" in user(server, "token", "ls").stdout
        user(server, "token", "revoke", id)
        assert ask(server, "session", **bearer(token))[0] == 401
        assert user(server, "token", "revoke", id, check=False).returncode == 1
        secret = token[5:35]
        for name in ("users.json", "token-uses.json", "searches.ledger"):
            with open(f"{server.folder}/data/{name}") as kept:
                assert secret not in kept.read(), name
        ledger = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, check=True, timeout=30).stdout
        actions = [json.loads(line)["action"] for line in ledger.splitlines()]
        for action in ("add-token", "token-used", "refused", "revoke-token", "token-refused"):
            assert action in actions, (action, actions)
        searches = [json.loads(line) for line in ledger.splitlines() if '"search"' in line]
        assert any(entry["action"] == "search" and (entry.get("details") or {}).get("token") == id for entry in searches), searches
    finally:
        server.close()


def test_users_of_an_earlier_version_stay(binary):
    server = Server(binary)
    try:
        os.makedirs(server.folder + "/data")
        with open(server.folder + "/data/users.json", "w") as users:
            json.dump(EARLIER, users)
        server.password = ""
        server.start(logs_in=False)
        for name, logspaces in (("eva", ["main"]), ("old", ["main"])):
            login = {"user": name, "password": "a long password"}
            assert ask(server, "login", login)[0] == 200, name
        assert user(server, "grants").stdout.splitlines() == ["eva\tmain\tsearch", "old\t*\tsearch,export,administer"]
        token = user(server, "token", "add", "old", "--label", "x", "--scope", "administer").stdout.strip()
        assert ask(server, "seal", {"logspace": "main"}, **bearer(token))[0] == 200
        with open(server.folder + "/data/users.json") as users:
            kept = json.load(users)["users"]
        assert kept["eva"] == EARLIER["users"]["eva"] and kept["old"]["password"] == HASH, kept
    finally:
        server.close()
