"""Users as an operator manages them beside a running server: API tokens, and what an earlier version has left in the data folder."""

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess
import time
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


def code(secret, steps=0):
    """The code of an app (RFC 6238) so many steps from now."""
    key = base64.b32decode(secret)
    tag = hmac.new(key, (int(time.time()) // 30 + steps).to_bytes(8, "big"), hashlib.sha1).digest()
    offset = tag[-1] & 15
    return f"{(int.from_bytes(tag[offset:offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def test_a_second_factor_outlasts_a_restart_until_it_is_reset(binary):
    server = Server(binary)
    try:
        server.start()
        password = user(server, "add", "eva", "--generate").stdout.strip()
        login = {"user": "eva", "password": password}
        basic = {"Authorization": "Basic " + base64.b64encode(f"eva:{password}".encode()).decode(), "X-Requested-By": "test"}
        assert user(server, "factor", "reset", "eva", check=False).returncode == 1
        status, enrolment = ask(server, "factor", {"password": password}, **basic)
        assert status == 200, enrolment
        secret = enrolment["secret"]
        status, answer = ask(server, "factor/enrol", {"code": code(secret)}, **basic)
        assert status == 200 and len(answer["recovery_codes"]) == 10, answer
        # From now on the password alone does nothing: not in calls, not for the command line.
        assert ask(server, "session", **basic)[1]["error"]["code"] == "code_needed"
        environment = {**os.environ, "DURAMEN_PASSWORD": password, "DURAMEN_USER": "eva", "DURAMEN_URL": server.base}
        done = subprocess.run([binary, "search", "-c", "*"], env=environment, capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "second factor" in done.stderr and "API token" in done.stderr, done
        server.stop(9)
        server.start()
        status, answer = ask(server, "login", login)
        assert status == 401 and answer["error"]["code"] == "code_needed", (status, answer)
        assert ask(server, "login/code", {"ticket": answer["ticket"], "code": code(secret, 1)})[0] == 200
        kept = os.stat(server.folder + "/data/factors.key")
        assert kept.st_mode & 0o777 == 0o600 and kept.st_size == 32, kept
        with open(server.folder + "/data/users.json") as users:
            assert secret not in users.read()
        user(server, "factor", "reset", "eva")
        assert ask(server, "login", login)[0] == 200
        ledger = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, check=True, timeout=30).stdout
        actions = [json.loads(line)["action"] for line in ledger.splitlines()]
        assert "enrol-factor" in actions and "reset-factor" in actions, actions
    finally:
        server.close()


def test_a_user_is_locked_out_and_the_last_administrator_stays(binary):
    server = Server(binary)
    try:
        server.start()
        login = {"user": "eva", "password": user(server, "add", "eva", "--generate").stdout.strip()}
        token = user(server, "token", "add", "eva", "--label", "x", "--scope", "search").stdout.strip()
        assert ask(server, "login", login)[0] == 200 and ask(server, "session", **bearer(token))[0] == 200
        user(server, "lock", "eva")
        assert user(server, "list").stdout.splitlines() == ["admin", "eva\tlocked"]
        assert ask(server, "login", login)[0] == 401 and ask(server, "session", **bearer(token))[0] == 401
        user(server, "unlock", "eva")
        assert ask(server, "login", login)[0] == 200 and ask(server, "session", **bearer(token))[0] == 200
        for words in (["lock", "admin"], ["remove", "admin"], ["revoke", "admin", "*"]):
            done = user(server, *words, check=False)
            assert done.returncode == 1 and "grant another local user" in done.stderr, (words, done)
        user(server, "grant", "eva", "*", "administer")
        user(server, "remove", "admin")
        assert user(server, "list").stdout.splitlines() == ["eva"]
    finally:
        server.close()


def test_roles_give_rights_until_they_are_removed(binary):
    server = Server(binary)
    try:
        # The first user makes the data folder; a mistyped one is noticed.
        gone = server.folder + "/gone"
        mistyped = subprocess.run([binary, "user", "--data", gone, "list"], capture_output=True, text=True, timeout=30)
        assert mistyped.returncode == 1 and gone in mistyped.stderr and not os.path.exists(gone), mistyped
        fresh = server.folder + "/fresh/data"
        subprocess.run([binary, "user", "--data", fresh, "add", "eva", "--generate"], check=True, capture_output=True, timeout=30)
        assert os.stat(fresh).st_mode & 0o777 == 0o700 and os.path.exists(fresh + "/searches.ledger")
        server.start()
        user(server, "add", "eva", "--generate")
        token = user(server, "token", "add", "eva", "--label", "x", "--scope", "search").stdout.strip()

        def searches():
            return ask(server, "search", {"logspace": "main"}, **bearer(token))[0]

        assert searches() == 404
        user(server, "role", "add", "analyst")
        user(server, "role", "grant", "analyst", "ma*", "export")
        user(server, "role", "assign", "eva", "analyst")
        assert user(server, "grants", "eva").stdout == "eva\tma*\tsearch,export\trole analyst\n"
        assert user(server, "role", "ls").stdout == "analyst\tma*\tsearch,export\n"
        assert searches() == 200
        user(server, "role", "unassign", "eva", "analyst")
        assert searches() == 404
        user(server, "role", "assign", "eva", "analyst")
        user(server, "role", "remove", "analyst")
        assert searches() == 404
        for words, said in ((["assign", "eva", "analyst"], "there is no role analyst"), (["add", "a b"], "the name of a role"),
                            (["grant", "none", "main"], "there is no role none")):
            done = user(server, "role", *words, check=False)
            assert done.returncode == 1 and said in done.stderr, (words, done)
        ledger = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, check=True, timeout=30).stdout
        entries = [json.loads(line) for line in ledger.splitlines()]
        assert any(entry["action"] == "assign-role" and entry["details"] == {"user": "eva", "role": "analyst"} for entry in entries), entries
        assert any(entry["action"] == "assign-role" and "failed" in entry["details"] for entry in entries), entries
    finally:
        server.close()


def test_an_invitation_sets_a_password_once(binary):
    server = Server(binary)
    try:
        server.start()
        done = user(server, "invite", "eva", "--url", server.base + "/")
        link = done.stdout.strip()
        assert re.fullmatch(re.escape(server.base) + "/invitation#[0-9a-f]{64}", link) and "may see nothing yet" in done.stderr, done
        text = link.partition("#")[2]
        assert user(server, "list").stdout.splitlines() == ["admin", "eva\tinvited"]
        status, answer = ask(server, "invitation", {"invitation": text})
        assert status == 200 and answer["user"] == "eva" and answer["password_chars_min"] == 15, answer
        again = user(server, "invite", "eva", "--url", server.base).stdout.strip().partition("#")[2]
        status, answer = ask(server, "invitation/accept", {"invitation": text, "new_password": "seven sealed segments"})
        assert status == 404 and "not valid" in answer["error"]["message"], (status, answer)
        # What an administrator sees on the page is what the command line made, also after a kill.
        server.stop(9)
        server.start()
        status, answer = ask(server, "invitation/accept", {"invitation": again, "new_password": "password123456789"})
        assert status == 400 and "common" in answer["error"]["message"], (status, answer)
        assert ask(server, "invitation/accept", {"invitation": again, "new_password": "seven sealed segments"})[0] == 200
        assert ask(server, "invitation", {"invitation": again})[0] == 404
        login = {"user": "eva", "password": "seven sealed segments"}
        assert ask(server, "login", login)[0] == 200
        assert user(server, "list").stdout.splitlines() == ["admin", "eva"]
        for name in ("users.json", "searches.ledger"):
            with open(f"{server.folder}/data/{name}") as kept:
                content = kept.read()
                assert text not in content and again not in content, name
        ledger = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, check=True, timeout=30).stdout
        entries = [json.loads(line) for line in ledger.splitlines()]
        accepted = [entry for entry in entries if entry["action"] == "accept-invitation" and "failed" not in entry["details"]]
        assert accepted[-1]["user"] == "eva" and accepted[-1]["details"] == {"user": "eva", "address": "127.0.0.1"}, accepted
        assert any(entry["action"] == "invitation-refused" and entry["details"]["address"] == "127.0.0.1" for entry in entries), entries
        assert user(server, "invite", "a b", "--url", server.base, check=False).returncode == 1
    finally:
        server.close()


def test_administrators_change_users_beside_the_command_line(binary):
    server = Server(binary)
    try:
        server.start()
        login = base64.b64encode(f"admin:{server.password}".encode()).decode()
        admin = {"Authorization": "Basic " + login, "X-Requested-By": "test"}
        user(server, "add", "eva", "--generate")
        # Both change the file at once, and neither loses what the other wrote.
        running = [subprocess.Popen([server.binary, "user", "--data", server.folder + "/data", "add", f"c{number}", "--generate"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(8)]
        for number in range(8):
            status, answer = ask(server, "users", {"name": f"p{number}", "password": server.password}, **admin)
            assert status == 201 and len(answer["invitation"]["text"]) == 64, (status, answer)
        assert all(process.wait(30) == 0 for process in running)
        status, answer = ask(server, "users", **admin)
        names = {one["name"] for one in answer["users"]}
        assert status == 200 and names == {"admin", "eva", *(f"{kind}{number}" for kind in "cp" for number in range(8))}, names
        assert "main" in answer["logspaces"], answer["logspaces"]
        assert ask(server, "users/eva/lock", {"password": server.password}, **admin)[0] == 200
        assert "eva\tlocked" in user(server, "list").stdout.splitlines()
        status, answer = ask(server, "users/admin/remove", {"password": server.password}, **admin)
        assert status == 409 and "grant another local user" in answer["error"]["message"], (status, answer)
        ledger = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, check=True, timeout=30).stdout
        entries = [json.loads(line) for line in ledger.splitlines()]
        assert any(entry["user"] == "admin" and entry["action"] == "lock-user" and entry["details"] == {"user": "eva", "address": "127.0.0.1"} for entry in entries), entries
    finally:
        server.close()
