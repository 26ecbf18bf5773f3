"""Blocks for services that cannot run here: Splunk, OpenObserve, Google Pub/Sub and Azure Monitor, each a stub that answers as its documentation
says. Each refused event costs itself only, and tokens are fetched, kept and replaced."""

import base64
import collections
import functools
import http.server
import json
import signal
import subprocess
import tempfile
import threading
import urllib.parse

import destination
from destination import HEAD, check_refusals, dead, send
from server import Server

settled = functools.partial(destination.settled, kind="dst.http")


def config(driver):
    return HEAD.replace("@version: 4.8\n", '@version: 4.8\n@include "scl.conf"\n') + f"destination d_o {{{{ {driver}; }}}};\nlog {{{{ source(s_net); destination(d_o); flags(flow-control); }}}};\n"


class Stub(http.server.ThreadingHTTPServer):
    """A server whose `answer(path, headers, body)` returns a status and what is sent as JSON."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.taken, self.heads = threading.Lock(), [], []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        with self.server.lock:
            self.server.heads.append((self.path, self.headers))
            status, answer = self.server.answer(self.path, self.headers, body)
        data = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def events(body):
    """The JSON texts that a body has one after the other; a text that is none ends them."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while body[at:].strip():
        at += len(body[at:]) - len(body[at:].lstrip())
        one, at = decoder.raw_decode(body, at)
        found.append(one)
    return found


class SplunkStub(Stub):
    """Splunk's HTTP event collector: it takes events until one that it refuses."""

    busy = 0

    def answer(self, path, headers, body):
        if headers.get("Authorization") != "Splunk t-1":
            return 403, {"text": "Invalid token", "code": 4}
        for number, event in enumerate(events(body)):
            if "poison" in event["event"]:
                return 400, {"text": "Invalid data format", "code": 6, "invalid-event-number": number}
            if event.get("index") == "nowhere":
                return 400, {"text": "Incorrect index", "code": 7, "invalid-event-number": number}
            self.taken.append(event)
        return 200, {"text": "Success", "code": 0}


def test_splunk_stub_an_event_costs_itself_only(binary):
    stub = SplunkStub()
    driver = f'splunk-hec-event(url("{stub.url}") token("t-1") index("$(if (\\"$MSG\\" eq \\"astray\\") \\"nowhere\\" \\"main\\")") fields("site=vienna pid=$PID") extra-headers("X-Site: vienna") batch-timeout(300))'
    server = Server(binary, config(driver))
    texts = ["poison" if number in (3, 40, 41) else "astray" if number == 60 else f"n{number}" for number in range(100)]
    try:
        server.start()
        send(server, [("web", text) for text in texts])
        found = settled(server, 100)
        assert (found["written"], found["dead"]) == (96, 4), found
        seen = collections.Counter(event["event"] for event in stub.taken)
        assert seen == collections.Counter(text for text in texts if text.startswith("n")), seen
        first = stub.taken[0]
        assert first["fields"] == {"site": "vienna", "pid": "17"} and first["host"] == "web" and first["time"] == 1177236000.0, first
        path, headers = stub.heads[0]
        assert path == "/services/collector/event/1.0?index=main&source=syslog-ng&sourcetype=nix:syslog" and headers["X-Site"] == "vienna", (path, headers)
        letters = dead(server, "cat", "d_o#0")
        assert "code 6" in letters and "bad-name" in letters and "code 7" in letters, letters
        # A wrong token holds, and nothing is lost.
        server.write_config(config(driver.replace("t-1", "t-2")))
        server.ctl("reload")
        send(server, [("web", "late")])
        server.until(lambda: "(credentials)" in server.ctl("healthcheck"), 20, "the token to hold")
        server.write_config(config(driver))
        server.ctl("reload")
        assert settled(server, 101)["written"] == 97
    finally:
        server.close()
        stub.close()


def test_splunk_stub_events_of_the_premium_edition(binary):
    """`splunk-hec()` and its own options, in a configuration of version 7.0."""
    stub = SplunkStub()
    driver = f'splunk-hec(url("{stub.url}") token("t-1") index("main") source("$PROGRAM") fields("site=vienna pid=$PID") batch-timeout(300))'
    server = Server(binary, config(driver).replace("@version: 4.8", "@version: 7.0"))
    try:
        server.start()
        assert "newer than" not in server.stderr(), server.stderr()
        send(server, [("web", 'say "poison"' if number == 3 else f'say "{number}"') for number in range(60)])
        found = destination.settled(server, 60, kind="dst.splunk-hec")
        assert (found["written"], found["dead"]) == (59, 1), found
        assert sorted(event["event"] for event in stub.taken) == sorted(f'say "{number}"' for number in range(60) if number != 3), stub.taken
        last = {"index": "main", "host": "web", "source": "app", "sourcetype": "syslog", "fields": {"site": "vienna", "pid": "17"}}
        assert last.items() <= stub.taken[-1].items() and stub.taken[-1]["time"] == 1177236000.0, stub.taken[-1]
        assert stub.heads[0][0] == "/services/collector/event", stub.heads[0]
    finally:
        server.close()
        stub.close()


class IndexerStub(SplunkStub):
    """The same with indexer acknowledgement (useACK): events are kept when they are indexed, which a question of their channel finds out. It loses
    what is not indexed when it is restarted, and with it all its numbers, which begin at one again."""

    def __init__(self):
        self.waiting, self.count, self.questions, self.indexes = {}, 0, 0, False
        super().__init__()

    def answer(self, path, headers, body):
        channel = headers.get("X-Splunk-Request-Channel")
        if headers.get("Authorization") != "Splunk t-1":
            return 403, {"text": "Invalid token", "code": 4}
        if not channel:
            return 400, {"text": "Data channel is missing", "code": 10}
        if path.startswith("/services/collector/ack?"):
            assert path.endswith("?channel=" + channel), path
            return self.state(channel, json.loads(body)["acks"])
        if self.busy:
            self.busy -= 1
            return 503, {"text": "Server is busy", "code": 9}
        self.count += 1
        self.waiting[channel, self.count] = body
        return 200, {"text": "Success", "code": 0, "ackId": self.count}

    def state(self, channel, numbers):
        if numbers != [0]:
            self.questions += 1
        found = {}
        for number in numbers:
            indexed = self.indexes and (channel, number) in self.waiting
            if indexed:
                text = self.waiting.pop((channel, number))
                self.taken += events(text) if text.startswith("{") else [{"event": line} for line in text.split("\n")]
            found[str(number)] = bool(indexed)
        return 200, {"acks": found}

    def restart(self):
        with self.lock:
            self.waiting, self.count = {}, 0


def check_indexed(binary, block, kind, shown):
    """Messages count as written when they are indexed; over a kill of the server and a restart of Splunk none is missing."""
    stub = IndexerStub()
    driver = f'{block}(url("{stub.url}") token("t-1") use-ack(yes) ack-timeout(3) workers(2) batch-lines(20) MORE disk-buffer(capacity-bytes(10M) reliable(yes)))'
    driver = driver.replace("MORE", 'index("main") batch-timeout(300)' if block == "splunk-hec" else "batch-timeout(300)")
    server = Server(binary, config(driver))
    texts = [f"n{number}" for number in range(100)]
    try:
        stub.busy = 1
        server.start()
        send(server, [("web", text) for text in texts])
        server.until(lambda: stub.questions > 4, 30, "questions")
        assert destination.counters(server, kind)["written"] == 0 and not stub.taken
        # What it has taken and not acknowledged is with us still.
        server.stop(signal.SIGKILL)
        server.start()
        server.until(lambda: len(stub.waiting) > 2, 30, "the events again")
        stub.restart()
        stub.indexes = True
        server.until(lambda: destination.counters(server, kind)["written"] == 100, 60, "events that are indexed")
        found = destination.counters(server, kind)
        assert found["queued"] == found["dropped"] == 0, found
        # What was sent before the kill and the restart was lost there, or came in time to be kept twice.
        assert {shown(event) for event in stub.taken} == set(texts), stub.taken
    finally:
        server.close()
        stub.close()


def test_splunk_stub_events_are_written_when_indexed(binary):
    check_indexed(binary, "splunk-hec-event", "dst.http", lambda event: event["event"])


def test_splunk_stub_lines_are_written_when_indexed(binary):
    check_indexed(binary, "splunk-hec-raw", "dst.http", lambda event: event["event"].rsplit(" ", 1)[1])


def test_splunk_stub_events_of_the_premium_edition_are_written_when_indexed(binary):
    check_indexed(binary, "splunk-hec", "dst.splunk-hec", lambda event: event["event"])


class OpenObserveStub(Stub):
    def answer(self, path, headers, body):
        records = json.loads(body)
        bad = [record for record in records if "poison" in record["MESSAGE"]]
        self.taken += [record for record in records if record not in bad]
        count = {"name": "logs", "successful": len(records) - len(bad), "failed": len(bad)}
        return 200, {"code": 200, "status": [{**count, "error": "too old"} if bad else count]}


def test_openobserve_stub_a_failure_inside_a_success_is_seen(binary):
    stub = OpenObserveStub()
    url, port = stub.url.rsplit(":", 1)
    server = Server(binary, config(f'openobserve-log(url("{url}") port({port}) stream("logs") user("u") password("late-secret") batch-timeout(300))'))
    try:
        server.start()
        send(server, [("web", f"n{number}") for number in range(50)])
        assert settled(server, 50)["written"] == 50
        send(server, [("web", "poison" if number == 3 else f"m{number}") for number in range(10)])
        found = settled(server, 60)
        assert found["written"] + found["dead"] == 60 and found["dead"] >= 1, found
        letters = dead(server, "cat", "d_o#0")
        assert "unnamed" in letters and "too old" in letters, letters
        assert stub.heads[0][0] == "/api/default/logs/_json"
        assert stub.heads[0][1]["Authorization"] == "Basic " + base64.b64encode(b"u:late-secret").decode()
        taken = collections.Counter(record["MESSAGE"] for record in stub.taken)
        assert set(taken.values()) == {1}, taken
    finally:
        server.close()
        stub.close()


class AzureStub(Stub):
    """The two servers of Azure Monitor: one gives out tokens, the other takes records with one of them."""

    issued, valid = 0, True

    def answer(self, path, headers, body):
        if path.endswith("/oauth2/v2.0/token"):
            asked = dict(urllib.parse.parse_qsl(body))
            if asked.get("client_secret") != "late-secret":
                return 401, {"error": "invalid_client"}
            assert asked["grant_type"] == "client_credentials" and asked["scope"] == "https://monitor.azure.com//.default", asked
            self.issued += 1
            return 200, {"access_token": f"T{self.issued}", "expires_in": 3599}
        if headers.get("Authorization") != f"Bearer T{self.issued}" or not self.valid:
            self.valid = True
            self.issued += 1
            return 401, {"error": {"code": "InvalidToken"}}
        records = json.loads(body)
        if any(record["m"] == "poison" for record in records):
            return 400, {"error": {"code": "InvalidRecord", "message": "bad"}}
        self.taken += records
        return 204, None


def test_azure_monitor_stub_tokens_are_fetched_and_replaced(binary):
    stub = AzureStub()
    driver = f'azure-monitor(dce-uri("{stub.url}") dcr-id("dcr-1") stream-name("Custom-a") auth(tenant-id("t") app-id("a") app-secret("SECRET") authority("{stub.url}")) template("$(format-json m=$MSG)") batch-timeout(100))'
    server = Server(binary, config(driver.replace("SECRET", "wrong-secret")))
    try:
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "(credentials): the server of tokens answered 401 invalid_client" in server.ctl("healthcheck"), 20, "the secret to hold")
        server.write_config(config(driver.replace("SECRET", "late-secret")))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
        send(server, [("web", "poison" if number == 3 else f"n{number}") for number in range(10)])
        found = settled(server, 11)
        assert (found["written"], found["dead"]) == (10, 1), found
        assert stub.issued == 1, "one token for all requests"
        # A token that is revoked: the messages wait for the next one.
        stub.valid = False
        send(server, [("web", "late")])
        assert settled(server, 12)["written"] == 11
        assert [path for path, _ in stub.heads if not path.startswith("/t/")][0] == "/dataCollectionRules/dcr-1/streams/Custom-a?api-version=2023-01-01"
        assert {record["m"] for record in stub.taken} == {"one", "late"} | {f"n{number}" for number in range(10) if number != 3}
        assert "secret" not in server.stderr() + server.ctl("healthcheck") + server.ctl("stats")
    finally:
        server.close()
        stub.close()


class PubSubStub(Stub):
    """Google Pub/Sub: it takes a request or refuses it as a whole. The signature of its token is checked by openssl."""

    public = ""

    def answer(self, path, headers, body):
        head, claims, signature = headers["Authorization"].removeprefix("Bearer ").split(".")
        unpack = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        with tempfile.NamedTemporaryFile() as signed, tempfile.NamedTemporaryFile() as by:
            signed.write(f"{head}.{claims}".encode())
            by.write(unpack(signature))
            signed.flush(), by.flush()
            done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", self.public, "-signature", by.name, signed.name], capture_output=True, text=True)
        claims = json.loads(unpack(claims))
        if done.returncode != 0 or claims["aud"] != "https://pubsub.googleapis.com/google.pubsub.v1.Publisher" or claims["iss"] != "ship@site.example":
            return 401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}}
        messages = json.loads(body)["messages"]
        if any(base64.b64decode(one["data"]) == b"poison" for one in messages):
            return 400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}
        self.taken += messages
        return 200, {"messageIds": [str(number) for number in range(len(messages))]}


def test_google_pubsub_stub_requests_are_signed(binary):
    stub = PubSubStub()
    with tempfile.TemporaryDirectory(prefix="pubsub-", dir="/tmp") as folder:
        stub.public = folder + "/public.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder + "/key.pem"], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", folder + "/key.pem", "-pubout", "-out", stub.public], check=True, capture_output=True)
        with open(folder + "/key.pem") as pem, open(folder + "/key.json", "w") as out:
            json.dump({"client_email": "ship@site.example", "private_key_id": "k", "private_key": pem.read()}, out)
        server = Server(binary, config(f'google-pubsub(project("p") topic("t") service-endpoint("{stub.url}") auth(service-account(key("{folder}/key.json"))) attributes("--scope none host=$HOST") batch-timeout(100))'))
        try:
            server.start()
            send(server, [("web", "poison" if number == 3 else f"n{number}") for number in range(10)])
            found = settled(server, 10)
            assert (found["written"], found["dead"]) == (9, 1), (found, server.ctl("healthcheck"))
            assert stub.heads[0][0] == "/v1/projects/p/topics/t:publish"
            assert {base64.b64decode(one["data"]).decode() for one in stub.taken} == {f"n{number}" for number in range(10) if number != 3}
            assert stub.taken[0]["attributes"] == {"host": "web"}, stub.taken[0]
        finally:
            server.close()
            stub.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    check_refusals(binary, (
        ('http(url("http://h") cloud-auth(oauth2(client-id("a") client-secret("s"))));', "`oauth2()` needs token-url()"),
        ('http(url("http://h") cloud-auth(oauth2(client-id("a") client-secret("s") token-url("t"))));', "no address of a server of tokens"),
        ('http(url("http://h") cloud-auth());', "needs oauth2(), azure() or gcp()"),
        ('http(url("http://h") cloud-auth(azure()));', "`azure()` needs monitor()"),
        ('http(url("http://h") cloud-auth(gcp(service-account(key("k")))));', "`service-account()` needs audience()"),
        ("bigquery();", "google-pubsub()"),
        ("sentinel();", "azure-monitor()"),
    ))
