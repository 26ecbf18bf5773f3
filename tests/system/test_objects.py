"""Saved objects of the real server: changes survive a kill, files beside the configuration, a damaged database, and
objects that are moved to another server as files."""

import base64
import json
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

from server import Server


def ask(server, method, path, body=None, seen=None):
    """One call; the status and the answer, also of errors."""
    headers = {"Content-Type": "application/json", "X-Requested-By": "test"}
    if seen is not None:
        headers["If-Match"] = seen
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.base}/api/v1/{path}", data, headers, method=method)
    try:
        with server.opener.open(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def search(name, query):
    return {"kind": "search", "name": name, "spec": {"query": query, "logspace": "main"}}


def healthy_or_not(server):
    """Lets a start succeed although the health names a fault."""
    def answers():
        try:
            return server.call("health")["status"] in ("ok", "degraded")
        except OSError:
            return False
    server.answers = answers


def test_changes_of_objects_survive_a_kill_and_are_in_the_ledger(binary):
    server = Server(binary)
    try:
        server.start()
        status, made = ask(server, "POST", "objects", search("Failed", "failed"))
        assert status == 201, made
        path = f"objects/{made['id']}"
        status, changed = ask(server, "PUT", path, search("Failed", "failed AND root"), '"1"')
        assert (status, changed["revision"]) == (200, 2), changed
        server.stop(signal.SIGKILL)
        server.start()
        status, kept = ask(server, "GET", path)
        assert (status, kept["spec"]["query"]) == (200, "failed AND root"), kept
        status, late = ask(server, "DELETE", path, None, '"1"')
        assert (status, late["error"]["code"], late["current"]["revision"]) == (412, "changed", 2), late
        status, _ = ask(server, "DELETE", path, None, '"2"')
        assert status == 200
        listed = subprocess.run([binary, "ledger", "ls", "--data", server.folder + "/data"], check=True,
                                capture_output=True, text=True, timeout=30).stdout
        actions = [line.split("\t")[3] for line in listed.splitlines() if made["id"] in line]
        assert actions == ["create-object", "change-object", "delete-object"], listed
        mode = os.stat(server.folder + "/data/objects/objects.db").st_mode
        assert mode & 0o777 == 0o600, oct(mode)
    finally:
        server.close()


def test_objects_of_files_follow_a_reload(binary):
    server = Server(binary)
    folder = server.folder + "/objects"
    os.mkdir(folder)

    def write(name, text):
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)

    try:
        write("a.json", json.dumps({"id": "failed", **search("Failed", "failed")}))
        server.start()
        names = lambda: [one["name"] for one in ask(server, "GET", "objects?kind=search")[1]["objects"]]
        assert names() == ["Failed"]
        status, refused = ask(server, "PUT", "objects/failed", search("Mine", "x"), "*")
        assert status == 403 and "a.json: it is changed there" in refused["error"]["message"], refused
        write("b.json", json.dumps({"id": "other", **search("Other", "x")}))
        write("c.json", '{\n  "id": broken\n}')
        server.ctl("reload")
        server.until(lambda: names() == ["Failed", "Other"], 30, "the new file")
        health = server.call("health")
        assert health["status"] == "degraded" and "c.json:2:" in health["objects"][0], health
        assert "c.json:2:" in server.ctl("healthcheck")
        os.remove(os.path.join(folder, "c.json"))
        server.ctl("reload")
        server.until(lambda: server.call("health")["status"] == "ok", 30, "the health without the broken file")
    finally:
        server.close()


def test_a_damaged_database_of_objects_stops_nothing(binary):
    server = Server(binary)
    database = server.folder + "/data/objects/objects.db"
    try:
        server.start()
        status, made = ask(server, "POST", "objects", search("Failed", "failed"))
        assert status == 201, made
        server.stop()
        good = server.folder + "/copy.db"
        shutil.copy(database, good)
        with open(database, "r+b") as out:
            out.write(b"no database" * 100)
        healthy_or_not(server)
        server.start()
        health = server.call("health")
        assert health["status"] == "degraded" and "objects.db is damaged" in health["objects"][0], health
        server.search("*")
        status, refused = ask(server, "GET", f"objects/{made['id']}")
        assert (status, refused["error"]["code"]) == (503, "objects_unavailable"), refused
        shutil.copy(good, database)
        server.ctl("reload")
        server.until(lambda: ask(server, "GET", f"objects/{made['id']}")[0] == 200, 30, "the copy to be used")
        assert server.call("health")["status"] == "ok"
    finally:
        server.close()


def test_the_permalink_leads_to_the_page(binary):
    server = Server(binary)
    try:
        server.start()
        with server.opener.open(f"{server.base}/o/failed-logins", timeout=5) as answer:
            assert answer.url == f"{server.base}/?load=failed-logins", answer.url
            assert "<script" in answer.read().decode()
    finally:
        server.close()


def verb(binary, server, *words):
    """Runs `duramen objects`; the status and what it prints."""
    done = subprocess.run([binary, "objects", *words, "--url", server.base], capture_output=True, text=True, timeout=30,
                          env={**os.environ, "DURAMEN_PASSWORD": server.password})
    return done.returncode, done.stdout, done.stderr


def contents(folder):
    """The files of a folder."""
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def test_objects_move_to_another_server_as_files(binary):
    here, there = Server(binary), Server(binary)
    first, second = here.folder + "/first", here.folder + "/second"
    try:
        here.start()
        there.start()
        for number in range(3):
            status, made = ask(here, "POST", "objects", search(f"Search {number}", f"failed AND host:h{number}"))
            assert status == 201, made
        status, out, _ = verb(binary, here, "export", first)
        assert (status, out) == (0, f"3 objects in {first}\n"), out
        status, out, err = verb(binary, there, "plan", first)
        assert status == 3 and out.endswith("3 to create, 0 to change, 0 unchanged\n"), out + err
        assert ask(there, "GET", "objects?kind=search")[1]["objects"] == [], "a plan changes nothing"
        status, out, err = verb(binary, there, "apply", first)
        assert status == 0 and out.endswith("3 created, 0 changed, 0 unchanged\n"), out + err
        assert verb(binary, there, "plan", first)[:2] == (0, "0 to create, 0 to change, 3 unchanged\n")
        assert verb(binary, there, "export", second)[0] == 0
        assert contents(first) == contents(second)
        path = os.path.join(first, f"search-{made['id']}.json")
        text = open(path).read()
        with open(path, "w") as file:
            file.write(text.replace("failed AND", "(failed AND"))
        line = 1 + text[:text.index("failed AND")].count("\n")
        status, _, err = verb(binary, there, "apply", first)
        assert status == 1 and f"{path}:{line}:14: spec.query: " in err, err
        with open(path, "w") as file:
            file.write(text.replace("failed AND", "root AND"))
        status, out, _ = verb(binary, there, "plan", first, "--json")
        changes = [step["members"] for step in json.loads(out)["steps"] if step["outcome"] == "change"]
        assert (status, changes) == (3, [["spec.query"]]), out
        status, _, err = verb(binary, there, "plan", here.folder + "/nowhere")
        assert status == 1 and "nowhere: No such file" in err, err
    finally:
        here.close()
        there.close()


def as_user(server, user, password, method, path, body=None):
    """One call with the password of a user; the status and the answer."""
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    headers = {"Content-Type": "application/json", "X-Requested-By": "test", "Authorization": f"Basic {token}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.base}/api/v1/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_another_user_of_a_name_inherits_no_objects(binary):
    server = Server(binary)

    def user(*words, password=None):
        return subprocess.run([binary, "user", "--data", server.folder + "/data", *words], input=password, check=True,
                              capture_output=True, text=True, timeout=30).stdout

    try:
        server.start()
        user("add", "bob", password="a long password\n")
        user("grant", "bob", "main", "search")
        status, made = as_user(server, "bob", "a long password", "POST", "objects", search("Failed", "failed"))
        assert status == 201, made
        path = f"objects/{made['id']}"
        user("remove", "bob")
        user("add", "bob", password="another password\n")
        user("grant", "bob", "main", "search")
        assert as_user(server, "bob", "another password", "GET", path)[0] == 404
        assert as_user(server, "bob", "another password", "GET", "objects?kind=search")[1]["objects"] == []
        status, orphan = ask(server, "GET", path)
        assert (status, orphan["owner"], orphan["owner_removed"]) == (200, "bob", True), orphan
        status, given = ask(server, "PUT", path + "/acl", {"acl": [], "owner": "bob"}, "*")
        assert status == 200 and "owner_removed" not in given, given
        assert as_user(server, "bob", "another password", "GET", path)[0] == 200
    finally:
        server.close()
