"""Rules that people keep on the server: followed without a reload, with the rights of their owners, each transition once."""

import json
import os
import random
import signal
import socket
import subprocess
import time
import urllib.request

from server import Server, basic, waits
from test_alerts import CONFIG, Sender, database
from test_objects import ask, healthy_or_not


def rule(name, query, **more):
    return {"kind": "rule", "name": name, "spec": {"logspace": "main", "query": query, "kind": "match", **more}}


def send(server, text):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(f"<13>Nov 21 12:00:00 gw1 app: {text}\n".encode())


def states(server):
    return {found["title"]: found["state"] for found in server.call("rules?of=all")["rules"]}


def alerts(server, rule, state=None):
    return server.call(f"alerts?rule={rule}" + (f"&state={state}" if state else ""))["alerts"]


@waits
def test_a_saved_rule_is_followed_and_stops_with_the_right_of_its_owner(binary):
    server = Server(binary, CONFIG)
    healthy_or_not(server)
    user = lambda *words: subprocess.run([binary, "user", "--data", server.folder + "/data", *words], capture_output=True, text=True, timeout=30, check=True)
    health = lambda: server.call("health").get("rules", [])
    try:
        server.start()
        password = user("add", "eva", "--generate").stdout.strip()
        user("grant", "eva", "main", "search")
        body = json.dumps(rule("Beta", "beta", by="host", **{"resolve-after": "1h"})).encode()
        headers = {"Authorization": basic("eva", password), "Content-Type": "application/json", "X-Requested-By": "test"}
        with urllib.request.urlopen(urllib.request.Request(f"{server.base}/api/v1/objects", body, headers), timeout=30) as answer:
            made = json.load(answer)
        id = made["id"]
        server.until(lambda: states(server) == {"Beta": "running"}, 20, "the rule to run")
        send(server, "beta")
        server.until(lambda: alerts(server, id, "firing"), 20, "its alert")

        # The owner loses the right: the rule stops, with its alert, and says so once.
        user("revoke", "eva", "main", "search")
        server.until(lambda: states(server) == {"Beta": "stopped"}, 20, "the rule to stop")
        assert any("its owner eva may not search main" in line for line in health()), health()
        server.until(lambda: alerts(server, id, "ended"), 20, "the end of its alert")
        server.until(lambda: "its owner eva may not search main" in server.stderr(), 20, "the log to say so")
        send(server, "beta of nobody")
        server.stop(signal.SIGKILL)
        server.start()
        assert states(server) == {"Beta": "stopped"}

        # Somebody with rights takes it over.
        status, refused = ask(server, "PUT", f"objects/{id}/acl", {"acl": [], "owner": "nobody"}, "*")
        assert status == 400, refused
        status, given = ask(server, "PUT", f"objects/{id}/acl", {"acl": [], "owner": "admin"}, "*")
        assert (status, given["owner"]) == (200, "admin"), given
        server.until(lambda: states(server) == {"Beta": "running"}, 20, "the rule to run again")
        assert health() == [], health()
        send(server, "beta again")
        server.until(lambda: alerts(server, id, "firing"), 20, "another alert")

        # Switched off, deleted, restored.
        off = rule("Beta", "beta", enabled=False)
        assert ask(server, "PUT", f"objects/{id}", off, "*")[0] == 200
        server.until(lambda: states(server) == {"Beta": "off"} and not alerts(server, id, "firing"), 20, "the rule to be off")
        assert ask(server, "PUT", f"objects/{id}", rule("Beta", "beta"), "*")[0] == 200
        server.until(lambda: states(server) == {"Beta": "running"}, 20, "the rule to be on")
        assert ask(server, "DELETE", f"objects/{id}", None, "*")[0] == 200
        server.until(lambda: states(server) == {}, 20, "the rule to be gone")
        assert ask(server, "POST", f"objects/{id}/restore", {}, "*")[0] == 200
        server.until(lambda: states(server) == {"Beta": "running"}, 20, "the rule to be back")

        # A file with its id counts.
        os.makedirs(server.folder + "/rules", exist_ok=True)
        with open(server.folder + "/rules/site.yaml", "w") as out:
            out.write(f"rules:\n- {{id: {id}, title: Of the file, kind: match, query: gamma}}\n")
        server.ctl("reload")
        server.until(lambda: states(server) == {"Of the file": "running"}, 20, "the rule of the file")
        assert any("site.yaml has a rule with its id" in line for line in health()), health()
        status, refused = ask(server, "PUT", f"objects/{id}", rule("Beta", "beta"), "*")
        assert status == 409 and "site.yaml" in refused["error"]["message"], refused
        server.stop()
        with database(server) as rows:
            told = [change for (change,) in rows.execute("SELECT change FROM transition WHERE change IN ('stopped', 'resumed') ORDER BY number")]
        assert told == ["stopped", "resumed"], told
    finally:
        server.close()


@waits
def test_saved_rules_report_each_message_once_after_kills_and_changes(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        status, made = ask(server, "POST", "objects", rule("Alpha", "alpha", by="host"))
        assert status == 201, made
        id = made["id"]
        for turn in range(4):
            if turn > 0:
                server.start(logs_in=False)
            server.until(lambda: states(server) == {"Alpha": "running"}, 20, "the rule to run")
            sender = Sender(server.port, turn)
            sender.start()
            server.until(lambda: len(alerts(server, id)) > 0, 20, "alerts")
            time.sleep(random.uniform(0, 0.4))
            # Another title is the same rule: its coverage goes on.
            assert ask(server, "PUT", f"objects/{id}", {**rule("Alpha", "alpha", by="host"), "description": f"turn {turn}"}, "*")[0] == 200
            time.sleep(random.uniform(0, 0.3))
            if turn < 3:
                server.stop(signal.SIGKILL)
            sender.stopped.set()
            sender.join()
        server.found("lastword", within=20)
        messages = [json.loads(line) for line in server.text("/api/v1/export?logspace=main&format=ndjson").splitlines()]
        server.until(lambda: server.call(f"rules/{id}/state")[0]["next_sequence"] == len(messages), 20, "the last message to be evaluated")
        coverage = server.call(f"rules/{id}/state")[0]["coverage"]
        assert [(part["state"], part["goes_on"]) for part in coverage] == [("evaluated", True)], coverage
        server.stop()
        with database(server) as rows:
            found = sorted(number for (number,) in rows.execute("SELECT sequence FROM transition WHERE rule = ?", (id,)))
        wanted = sorted(message["sequence"] for message in messages if "alpha" in message["message"] and message["sequence"] >= coverage[0]["from"])
        assert found == wanted and len(wanted) > 100, (len(found), len(wanted))
    finally:
        server.close()


@waits
def test_rules_are_moved_as_files(binary):
    server, folder = Server(binary, CONFIG), None
    try:
        server.start()
        folder = server.folder + "/moved"
        assert ask(server, "POST", "objects", rule("Alpha", "alpha", severity="err"))[0] == 201
        environment = {**os.environ, "DURAMEN_PASSWORD": server.password}
        verb = lambda *words: subprocess.run([binary, "objects", *words, "--url", server.base, "--user", "admin"], capture_output=True, text=True, timeout=30, env=environment)
        done = verb("export", folder)
        assert done.returncode == 0, done.stderr
        (name,) = os.listdir(folder)
        with open(os.path.join(folder, name)) as text:
            file = json.load(text)
        assert (file["kind"], file["spec"]["severity"], file["spec"]["enabled"]) == ("rule", "err", True), file
        file["spec"]["query"] = "alpha OR delta"
        with open(os.path.join(folder, name), "w") as out:
            json.dump(file, out)
        planned = verb("plan", folder)
        assert planned.returncode == 3 and "spec.query" in planned.stdout, planned
        assert verb("apply", folder).returncode == 0
        server.until(lambda: [found["query"] for found in server.call("rules")["rules"] if found["state"] == "running"] == ["alpha OR delta"], 20, "the changed rule")
        file["spec"]["query"] = "(alpha"
        with open(os.path.join(folder, name), "w") as out:
            json.dump(file, out, indent=1)
        wrong = verb("apply", folder)
        assert wrong.returncode == 1 and "spec.query" in wrong.stderr and f"{name}:" in wrong.stderr, wrong
    finally:
        server.close()
