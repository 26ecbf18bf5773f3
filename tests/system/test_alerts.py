"""Rules that are evaluated while messages come in: each transition once, whatever happens to the server."""

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

from server import Server, basic, waits

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
log {{ source(s_net); destination {{ logspace("main"); }}; flags(flow-control); }};
"""
RULES = """rules:
- {id: each, kind: match, query: alpha, by: host}
- {id: many, kind: count, query: '*', by: host, at-least: 40, within: 1s, severity: crit}
- {id: pair, kind: sequence, query: alpha, then: gamma, by: host, within: 1h}
"""
MORE = "- {id: extra, kind: match, query: beta, logspace: main}\n"


class Sender(threading.Thread):
    """Sends messages until it is stopped or the server dies."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port, self.random = port, random.Random(seed)
        self.stopped = threading.Event()

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port)) as peer:
                while not self.stopped.is_set():
                    lines = [f"<13>Nov 21 12:00:00 h{self.random.randrange(6)} app: "
                             f"{self.random.choice(('alpha', 'beta', 'gamma', 'delta', 'delta'))} here" for _ in range(40)]
                    peer.sendall(("\n".join(lines) + "\n").encode())
                    time.sleep(0.03)
                peer.sendall(b"<13>Nov 21 12:00:00 h0 app: lastword\n")
        except OSError:
            pass


def database(server):
    return sqlite3.connect(f"file:{server.folder}/data/alerts/alerts.db?mode=ro", uri=True)


def figure(server, name):
    lines = [line for line in server.text("/metrics").splitlines() if line.startswith(name + "{")]
    return float(lines[0].split()[-1]) if lines else None


def caught_up(server):
    return figure(server, "duramen_rules_sequence") == figure(server, "duramen_logspace_sequence") and figure(server, "duramen_rules_behind_events") == 0


def expected(messages, starts):
    """What a reader of the whole export would report: rule, change, sequence number of the cause."""
    found, reached = [], 0
    times, firing, opened = {}, set(), {}
    for message in messages:
        sequence, host, text = message["sequence"], message["host"], message["message"]
        reached = max(reached, message["received_us"])
        if sequence < starts["each"]:
            continue
        if "alpha" in text:
            found.append(("each", "occurred", sequence))
        if "beta" in text and sequence >= starts["extra"]:
            found.append(("extra", "occurred", sequence))
        earlier = [at for at in times.get(host, []) if reached - at < 1_000_000]
        if host in firing and len(earlier) < 32:
            firing.discard(host)
        times[host] = [*earlier, reached]
        if host not in firing and len(times[host]) >= 40:
            firing.add(host)
            found.append(("many", "fired", sequence))
        if "gamma" in text and opened.pop(host, None) is not None:
            found.append(("pair", "occurred", sequence))
        if "alpha" in text:
            opened[host] = sequence
    return sorted(found)


def check_preview(server, messages):
    """A rule over the past reports each message that it would have reported then."""
    def tried(rule, **more):
        return server.call("rules/preview", {"logspace": "main", "rule": rule, "from": "now-1d", "bars": 10, **more})

    each = {"kind": "match", "query": "alpha", "by": "host"}
    alphas = [message for message in messages if "alpha" in message["message"]]
    # What has only just arrived may still be followed by something that was received before it.
    server.until(lambda: tried(each)["fired_total"] == len(alphas), 30, "each message to be reported")
    found = tried(each)
    assert sum(found["fired"]) == sum(found["matched"]) == len(alphas) and found["per_day"] > 0, found
    assert found["moments"][0]["key"] == {"host": alphas[0]["host"]} and found["unread"] == 0, found["moments"][0]
    assert tried({**each, "kind": "count", "at-least": 100_000, "within": "1h"})["fired_total"] == 0
    for rule, more, said in ((each, {"bars": 501}, "bars"), (each, {"from": "now"}, "range"), (each, {"from": "now-500d"}, "400 days"),
                             ({"kind": "match"}, {}, "query"), ({**each, "query": '"open'}, {}, "quote"), ({**each, "knd": 1}, {}, "knd"),
                             (each, {"logspace": "none"}, "none")):
        try:
            raise AssertionError(f"{rule} {more} is taken: {tried(rule, **more)}")
        except urllib.error.HTTPError as error:
            assert error.code in (400, 404) and said in error.read().decode(), (rule, more)


def check_rights(server, number):
    """Who may not search a logspace learns nothing of its alerts and rules."""
    user = lambda *words: subprocess.run([server.binary, "user", "--data", server.folder + "/data", *words], capture_output=True, text=True, timeout=30, check=True)
    password = user("add", "eva", "--generate").stdout.strip()

    def ask(path, body=None):
        headers = {"Authorization": basic("eva", password), "Content-Type": "application/json", "X-Requested-By": "test"}
        try:
            asked = urllib.request.Request(f"{server.base}/api/v1/{path}", body, headers)
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, None

    assert ask("alerts") == (200, {"alerts": [], "more": False})
    assert ask("rules") == (200, {"rules": [], "more": False, "problems": [], "has_problems": False})
    assert ask("session")[1]["may"] == []
    for path, body in (("alerts?logspace=main", None), ("rules/each/state", None), (f"alerts/{number}/acknowledge", b"{}")):
        assert ask(path, body)[0] == 404, path
    tried = json.dumps({"logspace": "main", "rule": {"kind": "match", "query": "alpha"}, "from": "now-1d"}).encode()
    assert ask("rules/preview", tried)[0] == 404
    user("grant", "eva", "main", "search")
    assert ask("rules/preview", tried)[0] == 200
    assert ask("session")[1]["may"] == ["search"]
    assert [rule["id"] for rule in ask("rules?text=ALPHA&limit=1")[1]["rules"]] == ["each"], ask("rules?text=ALPHA")
    rule = ask("rules?id=many")[1]["rules"][0]
    assert (rule["condition"], rule["file"]) == ("at least 40 messages within 1 second", "site.yaml"), rule
    assert (rule["logspaces"][0]["gaps"], rule["logspaces"][0]["running"]) == (0, True), rule
    assert ask("rules?limit=0")[0] == 400 and ask("rules?logspace=none")[0] == 404
    assert ask("rules/each/state")[0] == 200 and ask(f"alerts/{number}/acknowledge", b"{}")[1]["acknowledged_by"] == "eva"


@waits
def test_every_transition_is_there_once_after_kills_and_a_reload(binary):
    server = Server(binary, CONFIG)
    rules = os.path.join(server.folder, "rules")
    os.mkdir(rules)
    write = lambda text: open(rules + "/site.yaml", "w").write(text)
    write(RULES)
    try:
        for turn in range(4):
            server.start(logs_in=turn == 0)
            sender = Sender(server.port, turn)
            sender.start()
            before = figure(server, "duramen_rules_sequence")
            server.until(lambda: figure(server, "duramen_rules_sequence") > before, 20, "messages to be evaluated")
            time.sleep(random.uniform(0, 0.4))
            if turn == 1:
                write(RULES + MORE)
                server.ctl("reload")
                server.until(lambda: figure(server, "duramen_rules") == 4, 20, "the new rule")
            if turn < 3:
                server.stop(signal.SIGKILL)
            sender.stopped.set()
            sender.join()
        server.found("lastword", within=20)
        server.until(lambda: caught_up(server), 20, "the last message to be evaluated")
        messages = [json.loads(line) for line in server.text("/api/v1/export?logspace=main&format=ndjson").splitlines()]
        messages.sort(key=lambda message: message["sequence"])
        check_preview(server, messages)

        end = messages[-1]["sequence"] + 1
        server.until(lambda: server.call("rules/extra/state")[0]["next_sequence"] == end, 20, "the sequence number to be written")
        state = server.call("rules/extra/state")[0]
        assert [(part["state"], part["goes_on"]) for part in state["coverage"]] == [("evaluated", True)], state
        listed = server.call("alerts?logspace=main&rule=many&limit=2")
        assert len(listed["alerts"]) == 2 and listed["more"] and listed["alerts"][0]["title"] == "many", listed
        number = listed["alerts"][0]["number"]
        older = server.call(f"alerts?rule=many&before={number}&limit=1")["alerts"][0]
        assert older == listed["alerts"][1], older
        known = server.call(f"alerts/{number}/acknowledge", {"note": "on it"})
        assert (known["acknowledged_by"], known["note"]) == ("admin", "on it"), known
        for path in ("alerts?state=loud", "alerts?limit=0", "alerts?logspace=none", "rules/none/state"):
            try:
                server.call(path)
                raise AssertionError(f"{path} was answered")
            except urllib.error.HTTPError as error:
                assert error.code in (400, 404), path
        check_rights(server, number)
        with open(server.folder + "/data/searches.ledger") as ledger:
            assert any(json.loads(line)["action"] == "acknowledge-alert" for line in ledger)
        server.stop()

        with database(server) as open_database:
            rows = open_database.execute("SELECT rule, change, sequence, id FROM transition").fetchall()
            starts = dict(open_database.execute("SELECT rule, MIN(from_sequence) FROM coverage GROUP BY rule"))
            states = {state for (state,) in open_database.execute("SELECT state FROM coverage")}
        assert states == {"evaluated"}, states
        assert len({row[3] for row in rows}) == len(rows), "an id twice"
        found = sorted(tuple(row[:3]) for row in rows if row[1] != "resolved")
        wanted = expected(messages, starts)
        assert found == wanted, f"{len(found)} found, {len(wanted)} wanted, {set(found) ^ set(wanted)}"
        assert {rule for rule, _, _ in wanted} == {"each", "many", "pair", "extra"}, "rules that never fire prove nothing"

        shown = subprocess.run([binary, "rules", "state", "--data", server.folder + "/data", "--json"], capture_output=True, text=True, timeout=30)
        assert shown.returncode == 0 and json.loads(shown.stdout)["next_sequence"] == len(messages), shown
    finally:
        server.close()


@waits
def test_rules_with_errors_and_rules_that_go(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        assert not os.path.exists(server.folder + "/data/alerts"), "nothing is made without rules"
        assert figure(server, "duramen_rules") is None
        none = subprocess.run([binary, "rules", "state", "--data", server.folder + "/data"], capture_output=True, text=True, timeout=30)
        assert none.returncode == 2 and "no rules were evaluated" in none.stderr, none
        os.mkdir(server.folder + "/rules")
        path = server.folder + "/rules/site.yaml"
        with open(path, "w") as out:
            out.write("rules:\n- {id: silent, kind: absence, query: '*', by: host, keys: [gw1], within: 1s}\n- {id: lost, kind: match, query: x, logspace: nowhere}\n")
        server.ctl("reload")
        health = lambda: server.call("health").get("rules", [])
        assert any("there is no logspace nowhere" in line for line in health()), health()
        # Nothing arrives, and time passes all the same.
        server.until(lambda: server.call("alerts?state=firing")["alerts"], 20, "an alert about silence")
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(b"<13>Nov 21 12:00:00 gw1 app: here I am\n")
        server.until(lambda: server.call("alerts?state=resolved")["alerts"], 20, "its end")
        with open(path, "w") as out:
            out.write("rules:\n- {id: silent, kind: absence}\n")
        server.ctl("reload")
        assert any("site.yaml:2:" in line for line in health()), health()
        assert figure(server, "duramen_rules") == 1, "the rules before stay in force"
        listed = server.call("rules")
        assert [rule["id"] for rule in listed["rules"]] == ["silent"] and listed["has_problems"], listed
        assert any("site.yaml:2:" in line for line in listed["problems"]), listed
        os.remove(path)
        server.ctl("reload")
        assert health() == [] and figure(server, "duramen_rules") is None
        state = server.call("rules/silent/state")[0]
        assert not state["coverage"][-1]["goes_on"] and state["firing"] == [], state
    finally:
        server.close()
