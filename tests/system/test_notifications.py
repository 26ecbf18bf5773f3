"""Notifications of what rules report: signed webhooks, mails, attempts, groups, kills."""

import base64
import hashlib
import hmac
import http.server
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

from rules_site import responds, send, watches, write
from server import Server, basic, free_port, waits
from test_mail import Mailbox

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
log {{ source(s_net); destination {{ logspace("main"); }}; flags(flow-control); }};
"""
RULES = """rules:
- {id: each, kind: match, query: alpha, by: host}
- {id: disk, title: Disk full, kind: match, query: full, by: host, resolve-after: 1s, severity: crit}
"""
KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()


class Receiver(http.server.ThreadingHTTPServer):
    """A webhook. `answers` are what it does with the next requests: a status, or `drop` after it has read one."""

    def __init__(self):
        self.answers, self.requests, self.lock = [], [], threading.Lock()
        super().__init__(("127.0.0.1", 0), Hook)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="hook"):
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"

    def taken(self, path="/hook"):
        """The requests that were answered with a success."""
        with self.lock:
            return [request for request in self.requests if request["status"] == 200 and request["path"] == path]


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.server.lock:
            status = self.server.answers.pop(0) if self.server.answers else 200
            request = {"path": self.path, "status": status, "body": body, "headers": {name.lower(): value for name, value in self.headers.items()}}
            self.server.requests.append(request)
        if status == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "1")
        if status == 302:
            self.send_header("Location", self.server.url("elsewhere"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST

    def log_message(self, *_):
        pass


def check_signature(request):
    """As the specification of Standard Webhooks says it, with Python's own HMAC."""
    headers = request["headers"]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request["body"]
    wanted = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == wanted, headers
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60, headers
    body = json.loads(request["body"])
    assert body["id"] == headers["webhook-id"], body
    return body


def start(binary, notifications):
    server = Server(binary, CONFIG)
    os.mkdir(server.folder + "/rules")
    write(server, "site.yaml", RULES)
    write(server, "secret", SECRET + "\n")
    write(server, "token", "TOKEN\n")
    write(server, "notifications.yaml", notifications.replace("FOLDER", server.folder + "/rules"))
    server.start()
    return server


def rows(server, sql):
    with sqlite3.connect(f"file:{server.folder}/data/alerts/alerts.db?mode=ro", uri=True) as database:
        return database.execute(sql).fetchall()


@waits
def test_alerts_reach_a_webhook_and_a_mailbox(binary):
    hook, mailbox = Receiver(), Mailbox(free_port())
    server = start(binary, f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url()}', addresses: any, secret-file: FOLDER/secret}}
- {{id: ops, kind: mail, server: 127.0.0.1, port: {mailbox.controller.port}, encryption: none, from: duramen@example.com, to: [ops@example.com]}}
- {{id: inside, kind: webhook, url: '{hook.url("inside")}'}}
- {{id: chat, kind: slack, url: '{hook.url("slack")}', addresses: any}}
- {{id: team, kind: teams, url: '{hook.url("teams")}', addresses: any}}
- {{id: bot, kind: telegram, url: '{hook.url("")}', addresses: any, token-file: FOLDER/token, chat: -100}}
- {{id: room, kind: matrix, url: '{hook.url("")}', addresses: any, token-file: FOLDER/token, room: '!r:example.com'}}
- {{id: duty, kind: pagerduty, url: '{hook.url("enqueue")}', addresses: any, routing-key-file: FOLDER/token}}
routes:
- {{id: disk, alerts: 'rule:disk', channels: [hook, ops, inside, chat, team, bot, room, duty], wait: 0, interval: 0}}
""")
    try:
        watches(server)
        send(server, "gw1 app: disk full")
        server.until(lambda: len(hook.taken()) == 2 and len(mailbox.mails) == 2, 20, "beginning and end over both channels")
        fired, resolved = (check_signature(request) for request in hook.taken())
        assert (fired["status"], resolved["status"]) == ("firing", "resolved"), (fired, resolved)
        alert = fired["alerts"][0]
        assert (alert["rule"], alert["key"], alert["severity"], alert["change"]) == ("disk", {"host": "gw1"}, "crit", "fired"), alert
        assert alert["alert"] == resolved["alerts"][0]["alert"] and resolved["thread"] == fired["id"], resolved
        (first, to, mail, _), (_, _, end, _) = mailbox.mails
        assert (first, to) == ("duramen@example.com", ["ops@example.com"])
        assert "crit fired: Disk full host=gw1" in mail["Subject"] and "Disk full" in mail.get_content(), mail
        assert mail["Auto-Submitted"] == "auto-generated" and mail["In-Reply-To"] is None
        assert end["In-Reply-To"] == end["References"] == mail["Message-ID"] != end["Message-ID"], end
        body = lambda path: json.loads(hook.taken(path)[0]["body"])
        sent = lambda word: next((request["path"] for request in list(hook.requests) if word in request["path"]), None)
        server.until(lambda: all(sent(word) for word in ("slack", "teams", "sendMessage", "_matrix")), 20, "messages in chats")
        assert "Disk full host=gw1" in body("/slack")["blocks"][0]["text"]["text"]
        assert body("/teams")["attachments"][0]["contentType"] == "application/vnd.microsoft.card.adaptive"
        told = body("/botTOKEN/sendMessage")
        assert told["chat_id"] == "-100" and "Disk full" in told["text"], told
        name = rows(server, "SELECT id FROM notification WHERE channel = 'room' ORDER BY number")[0][0]
        (room,) = [request for request in hook.requests if request["path"].endswith(name)]
        assert room["path"] == f"/_matrix/client/v3/rooms/%21r%3Aexample.com/send/m.room.message/{name}", room
        assert room["headers"]["authorization"] == "Bearer TOKEN" and json.loads(room["body"])["msgtype"] == "m.text", room
        server.until(lambda: len(hook.taken("/enqueue")) == 2, 20, "both events of PagerDuty")
        began, ended = (json.loads(request["body"]) for request in hook.taken("/enqueue"))
        assert (began["event_action"], began["routing_key"], ended["event_action"]) == ("trigger", "TOKEN", "resolve"), (began, ended)
        assert began["dedup_key"] == ended["dedup_key"] == f"main {alert['alert']}", (began, ended)
        assert (began["payload"]["severity"], began["payload"]["source"]) == ("critical", "gw1"), began
        assert "TOKEN" not in str(rows(server, "SELECT * FROM notification")) + server.stderr()
        # Nothing reaches an address of this machine unless the file says that it may.
        server.until(lambda: any("127.0.0.1, which is no address of the public internet" in answer for (answer,) in
                                 rows(server, "SELECT answer FROM notification_attempt")), 20, "a refusal")
        assert not hook.taken("/inside")
    finally:
        server.close()
        mailbox.close()
        hook.shutdown()


@waits
def test_attempts_have_one_id_and_a_receiver_that_is_gone_is_left_alone(binary):
    hook = Receiver()
    server = start(binary, f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url()}', addresses: any, secret-file: FOLDER/secret}}
routes:
- {{id: all, channels: hook, group-by: [host], wait: 0, interval: 0}}
""")
    try:
        watches(server)
        hook.answers = ["drop", 200, 429]
        send(server, "gw1 app: alpha")
        server.until(lambda: len(hook.requests) == 1, 20, "the first attempt")
        # A success of another group shows that the receiver is there: what failed is sent at once.
        send(server, "gw2 app: alpha")
        server.until(lambda: len(hook.requests) == 3, 20, "another attempt")
        first, other, again = hook.requests
        assert first["headers"]["webhook-id"] == again["headers"]["webhook-id"] != other["headers"]["webhook-id"]
        assert first["body"] == again["body"]
        for request in hook.requests:
            check_signature(request)
        hook.answers = [302, 410]
        send(server, "gw3 app: alpha")
        send(server, "gw4 app: alpha")
        health = lambda: server.call("health").get("rules", [])
        server.until(lambda: any("channel hook: disabled" in line for line in health()), 20, "the channel to be disabled")
        seen = len(hook.requests)
        send(server, "gw5 app: alpha")
        server.until(lambda: rows(server, "SELECT 1 FROM notification_event WHERE record LIKE '%gw5%' AND outcome = 'notified'"), 20, "a notification")
        assert len(hook.requests) == seen and not hook.taken("/elsewhere"), hook.requests
        tried = server.call("channels/hook/test", {})["id"]
        server.until(lambda: any(request["headers"]["webhook-id"] == tried for request in hook.taken()), 20, "the test")
        attempts = lambda: server.call(f"notifications/{tried}")["attempts"]
        server.until(lambda: [one["outcome"] for one in attempts()] == ["delivered"], 20, "the record of the test")
        server.until(lambda: any(b"gw5" in request["body"] for request in hook.taken()), 20, "what waited")
        hook.answers = [410]
        send(server, "gw6 app: alpha")
        server.until(lambda: any("channel hook: disabled" in line for line in health()), 20, "the channel to be disabled again")
        # A definition that changes makes it another channel.
        write(server, "notifications.yaml", f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url("new")}', addresses: any}}
routes:
- {{id: all, channels: hook, group-by: [host], wait: 0, interval: 0}}
""")
        server.ctl("reload")
        send(server, "gw7 app: alpha")
        server.until(lambda: any(b"gw7" in request["body"] for request in hook.taken("/new")), 20, "what came later")
        assert "webhook-signature" not in hook.taken("/new")[0]["headers"]
        assert not any("disabled" in line for line in health()), health()
    finally:
        server.close()
        hook.shutdown()


@waits
def test_transitions_and_notifications_agree_after_kills(binary):
    hook = Receiver()
    server = start(binary, f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url()}', addresses: any, secret-file: FOLDER/secret}}
routes:
- {{id: all, alerts: 'rule:each', channels: hook, group-by: [], wait: 0, interval: 0, hourly-max: 3600}}
""")
    try:
        for turn in range(3):
            watches(server)
            for number in range(20):
                send(server, f"h{turn}x{number} app: alpha")
                time.sleep(random.uniform(0, 0.02))
            if turn < 2:
                server.stop(signal.SIGKILL)
                server.start(logs_in=False)
        server.found("h2x19", within=20)
        alerts = "SELECT id FROM transition WHERE rule = 'each'"
        told = "SELECT e.transition FROM notification_event e WHERE e.outcome = 'notified'"
        settled = lambda: (len(rows(server, told)) == len(rows(server, alerts)) and rows(server, "SELECT 1 FROM transition WHERE key LIKE '%h2x19%'")
                           and not rows(server, "SELECT 1 FROM notification WHERE state = 'waiting'"))
        server.until(settled, 20, "everything to be told")
        decided = [number for (number,) in rows(server, "SELECT transition FROM notification_event")]
        assert sorted(decided) == sorted(number for (number,) in rows(server, "SELECT number FROM transition WHERE rule = 'each'")), "one decision each"
        bodies = {}
        for request in hook.taken():
            body = check_signature(request)
            assert bodies.setdefault(body["id"], request["body"]) == request["body"], "a repetition is identical"
        got = [alert["id"] for body in bodies.values() for alert in json.loads(body)["alerts"]]
        assert sorted(got) == sorted(name for (name,) in rows(server, alerts)), "none lost, none invented, none in two"
    finally:
        server.close()
        hook.shutdown()


@waits
def test_a_file_with_errors_is_told_and_changes_nothing(binary):
    hook = Receiver()
    good = f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url()}', addresses: any}}
routes:
- {{id: all, channels: hook, wait: 0, interval: 0}}
"""
    server = start(binary, good)
    try:
        watches(server)
        write(server, "notifications.yaml", good + "- {id: other, channels: fax}\n")
        path = server.folder + "/rules/notifications.yaml"
        checked = subprocess.run([binary, "rules", "check", path, server.folder + "/rules/site.yaml"], capture_output=True, text=True, timeout=30)
        assert checked.returncode == 1 and f"{path}:6:25: there is no channel fax in this file" in checked.stderr, checked
        server.ctl("reload")
        health = lambda: server.call("health").get("rules", [])
        assert any("6:25: there is no channel fax" in line for line in health()), health()
        server.stop(signal.SIGKILL)
        # It answers that something is wrong, and runs.
        server.answers = lambda: responds(server)
        server.start(logs_in=False)
        send(server, "gw1 app: alpha")
        server.until(hook.taken, 20, "a notification by what was in force")
        write(server, "notifications.yaml", good)
        checked = subprocess.run([binary, "rules", "check", path], capture_output=True, text=True, timeout=30)
        assert checked.returncode == 0 and "1 channel, 1 route, no errors" in checked.stdout, checked
        os.remove(path)
        server.ctl("reload")
        assert not health() and not rows(server, "SELECT 1 FROM notification_setup")
    finally:
        server.close()
        hook.shutdown()


@waits
def test_silences_mute_and_their_end_is_told(binary):
    hook = Receiver()
    server = start(binary, f"""
channels:
- {{id: hook, kind: webhook, url: '{hook.url()}', addresses: any}}
routes:
- {{id: all, channels: hook, group-by: [host], wait: 0, interval: 0}}
""")
    write(server, "site.yaml", RULES + "- {id: gone, kind: absence, query: '*', by: host, keys: [gw1], within: 1s}\n")
    try:
        now = time.time_ns() // 1000
        user = lambda *words: subprocess.run([server.binary, "user", "--data", server.folder + "/data", *words], capture_output=True, text=True, timeout=30, check=True)
        password = user("add", "eva", "--generate").stdout.strip()

        def refused(method, path, body=None):
            headers = {"Authorization": basic("eva", password), "Content-Type": "application/json", "X-Requested-By": "test"}
            data = None if body is None else json.dumps(body).encode()
            try:
                with urllib.request.urlopen(urllib.request.Request(f"{server.base}/api/v1/{path}", data, headers, method=method), timeout=30) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                return error.code

        silence = {"query": "rule:gone", "to_us": now + 600_000_000, "reason": "maintenance"}
        assert refused("POST", "silences", silence) == refused("GET", "silences") == refused("POST", "channels/hook/test", {}) == 403
        assert refused("GET", "notifications") == {"decisions": [], "more": False}
        made = server.call("silences", silence)
        assert (made["number"], made["author"], made["ended_us"]) == (1, "admin", None), made
        for wrong in ({**silence, "reason": ""}, {**silence, "query": "rule:("}, {**silence, "to_us": 1}, {"query": "x"}):
            try:
                server.call("silences", wrong)
                raise AssertionError(wrong)
            except urllib.error.HTTPError as error:
                assert error.code in (400, 422), wrong
        server.ctl("reload")
        decided = lambda: server.call("notifications")["decisions"]
        server.until(lambda: any(one["outcome"] == "silenced" and one["silence"] == 1 for one in decided()), 20, "an alert to be muted")
        assert not hook.taken()
        asked = urllib.request.Request(f"{server.base}/api/v1/silences/1", headers={"X-Requested-By": "test"}, method="DELETE")
        with server.opener.open(asked, timeout=30) as answer:
            assert json.load(answer)["ended_by"] == "admin"
        server.until(hook.taken, 20, "what still fires")
        body = json.loads(hook.taken()[0]["body"])
        assert [alert["change"] for alert in body["alerts"]] == ["unsilenced"], body
        server.until(lambda: decided()[0]["notifications"][0]["state"] == "sent", 20, "the record")
        assert refused("GET", "notifications") == {"decisions": [], "more": False}
        with open(server.folder + "/data/searches.ledger") as ledger:
            actions = [json.loads(line)["action"] for line in ledger]
        assert actions.count("silence-alerts") >= 1 and actions.count("end-silence") == 1, actions
    finally:
        server.close()
        hook.shutdown()
