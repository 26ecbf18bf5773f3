"""http() and the bulk requests of Elasticsearch: servers that refuse, defer, cut connections and die get every good message once."""

import collections
import contextlib
import http.client
import http.server
import json
import os
import random
import re
import signal
import socket
import threading

from destination import counters, dead
from server import Server, waits_for

DOCUMENTS = int(os.environ.get("DOCUMENTS", "20000"))
HEAD = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); time-reopen(1); }};
source s_in {{ http(ip("127.0.0.1") port({port})); }};
log {{ source(s_in); destination(d_out); flags(flow-control); }};
"""


def post(server, documents):
    """Sends messages, as documents of a bulk request; they are safe when this returns."""
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for first in range(0, len(documents), 1000):
        lines = "".join('{"index":{}}\n%s\n' % json.dumps(document) for document in documents[first:first + 1000])
        peer.request("POST", "/_bulk", lines, {"Content-Type": "application/x-ndjson"})
        answer = peer.getresponse()
        assert answer.status == 200 and b'"errors":false' in answer.read().replace(b" ", b""), answer.status


class Handler(http.server.BaseHTTPRequestHandler):
    """Reads a request, and lets the server object answer."""

    protocol_version = "HTTP/1.1"

    def handle(self):
        # Servers under test are killed in the middle of requests.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.server.lock:
            answer = self.server.judge(self, body)
        if answer is None:
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        status, headers, body = answer
        data = body.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def serve(judge):
    """A server: `judge` returns status, headers and body of an answer, or None, which cuts the connection."""
    peer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    peer.daemon_threads, peer.lock, peer.judge = True, threading.Lock(), judge
    threading.Thread(target=peer.serve_forever, daemon=True).start()
    return peer


def error(status, kind, reason):
    return {"status": status, "error": {"type": kind, "reason": reason}}


class Index:
    """A bulk index with every fault: 15 % of the calls are refused, 10 % cut after storing, 2 % of the documents deferred."""

    def __init__(self, refuses):
        self.refuses, self.dice, self.there, self.writes = refuses, random.Random(7), {}, 0
        self.missing, self.is_well = set(), False

    def __call__(self, _, text):
        dice = 0.5 if self.is_well else self.dice.random()
        if dice < 0.15:
            return (429 if dice < 0.07 else 503), {"Retry-After": "1"} if dice < 0.01 else {}, '{"error":"busy"}'
        rows = text.splitlines()
        items = [self.item(json.loads(action), json.loads(row)) for action, row in zip(rows[::2], rows[1::2])]
        if dice > 0.9:
            return None
        return 200, {}, json.dumps({"errors": any("error" in inner for item in items for inner in item.values()), "items": items})

    def item(self, action, document):
        (name, meta), = action.items()
        number = document["number"]
        if meta.get("_index") in self.missing:
            return {name: error(404, "index_not_found_exception", "no such index")}
        if self.refuses(int(number)):
            return {name: error(400, "mapper_parsing_exception", f"failed to parse. Preview of field's value: '{number}'")}
        if not self.is_well and self.dice.random() < 0.02:
            return {name: error(429, "es_rejected_execution_exception", "queue full")}
        identity = meta.get("_id", f"made {self.writes}")
        self.writes += 1
        if name == "create" and identity in self.there:
            return {name: error(409, "version_conflict_engine_exception", "document already exists")}
        self.there[identity] = number
        return {name: {"status": 201}}

    def numbers(self):
        return collections.Counter(self.there.values())


BULK = HEAD + """
destination d_out {{
    DRIVER batch-timeout(50) disk-buffer(reliable(yes) capacity-bytes(256Mi)));
}};
"""
# With an index, which overwrites documents, and with a data stream, which only allows creating
# them.
ELASTIC = 'elasticsearch-http(url("URL") index("logs") template("$(format-json number=$MSG)")'
STREAM = 'elasticsearch-datastream(url("URL") record("number=$MSG")'


def check_bulk(binary, driver, count, kills):
    refused = {str(number) for number in range(count) if number % 1000 == 7}
    index = Index(lambda number: number % 1000 == 7)
    bulk = serve(index)
    server = Server(binary, BULK.replace("DRIVER", driver).replace("URL", f"http://127.0.0.1:{bulk.server_port}/_bulk"))
    try:
        server.start()
        post(server, [{"message": str(number)} for number in range(count)])
        for kill in range(kills):
            # In the middle of requests, which are sent again after the start.
            share = count * (kill + 1) // (kills + 2)
            server.until(lambda: len(index.there) >= share, 120, f"{share} documents, there are {len(index.there)}")
            server.stop(signal.SIGKILL)
            server.start()
        empty = lambda: counters(server, "dst.http").get("queued") == 0
        server.until(empty, 180, f"an empty queue: {counters(server, 'dst.http')}\n{server.stderr()[-2000:]}")
        there = index.numbers()
        lost = set(map(str, range(count))) - refused - set(there)
        twice = [number for number, times in there.items() if times > 1]
        assert not lost and not twice, f"{len(lost)} lost, {len(twice)} twice"
        letters = dead(server, "cat", "d_out#0")
        assert set(re.findall(r"^\w{3} \d.* (\d+)$", letters, re.M)) == refused, letters
        assert "mapper_parsing_exception: failed to parse. Preview of" in letters, letters
        found = counters(server, "dst.http")
        assert found["processed"] == found["written"] + found["dead"] + found["dropped"] + found["queued"], found
        assert found["dropped"] == 0 and (kills or found["written"] == len(there) and found["dead"] == len(refused)), found
        assert "Preview" not in server.stderr(), "the log holds what a message said"
        print(f"      {len(there)} of {count} documents once, {index.writes - len(there)} repeats, {len(refused)} dead letters")
    finally:
        server.close()
        bulk.shutdown()
        bulk.server_close()


@waits_for(25)
def test_a_hostile_bulk_server_has_every_good_document_once(binary):
    check_bulk(binary, ELASTIC, DOCUMENTS, kills=3)


@waits_for(5)
def test_a_hostile_data_stream_has_every_good_document_once(binary):
    check_bulk(binary, STREAM, DOCUMENTS // 10, kills=0)


def test_a_missing_index_holds_its_own_documents(binary):
    index = Index(lambda _: False)
    index.is_well, index.missing = True, {"logs-lost"}
    bulk = serve(index)
    driver = ELASTIC.replace('"logs"', '"logs-$HOST"').replace("URL", f"http://127.0.0.1:{bulk.server_port}/_bulk")
    server = Server(binary, BULK.replace("DRIVER", driver))
    try:
        server.start()
        post(server, [{"message": str(number), "host": "lost" if number % 2 else "here"} for number in range(1000)])
        server.until(lambda: len(index.there) == 500, 20, f"the other index to have its documents: {server.stderr()}")
        why = "logs-lost (schema): 404 index_not_found_exception: no such index"
        server.until(lambda: why in server.ctl("healthcheck"), 30, f"the health to say why: {server.ctl('healthcheck')}")
        assert counters(server, "dst.http")["queued"] == 500
        with bulk.lock:
            index.missing.clear()
        server.until(lambda: counters(server, "dst.http")["queued"] == 0, 20, "the rest to be written")
        assert len(index.numbers()) == 1000 and index.writes == 1000
        server.until(lambda: "no such index" not in server.ctl("healthcheck"), 30, "the health to be good")
    finally:
        server.close()
        bulk.shutdown()
        bulk.server_close()


PLAIN = HEAD + """
destination d_out {{
    http(url("URL") body("$MSG") batch-lines(100) batch-timeout(50) disk-buffer(reliable(yes) capacity-bytes(16Mi)));
}};
"""


def test_one_bad_message_loses_only_itself_and_a_wrong_token_nothing(binary):
    """A server that judges whole requests, and does not say which message is bad."""
    state = {"token": False, "bad": "42", "got": []}

    def judge(_, text):
        texts = text.split("\n")
        if not state["token"]:
            return 401, {}, '{"error": "token expired"}'
        if len(texts) > 60:
            return 413, {}, ""
        if state["bad"] in texts:
            return 400, {}, f"cannot read: {text[:20]}"
        state["got"] += texts
        return 200, {}, ""

    peer = serve(judge)
    server = Server(binary, PLAIN.replace("URL", f"http://127.0.0.1:{peer.server_port}/in"))
    try:
        server.start()
        post(server, [{"message": str(number)} for number in range(500)])
        server.until(lambda: "token expired" in server.ctl("healthcheck"), 20, "the health to say why messages wait")
        assert counters(server, "dst.http")["queued"] == 500
        state["token"] = True
        server.until(lambda: counters(server, "dst.http")["queued"] == 0, 30, f"the queue to be empty: {server.stderr()}")
        assert sorted(state["got"], key=int) == [str(number) for number in range(500) if number != 42]
        letters = dead(server, "cat", "d_out#0")
        assert "the server answered 400" in letters and "cannot read: 42" in letters, letters
        assert dead(server, "ls").startswith("d_out#0\t1 letter\trejected 1\t20"), dead(server, "ls")
        assert "cannot read" not in server.stderr(), "the log holds what a message said"
        state["bad"] = "none"
        assert dead(server, "replay", "d_out#0").startswith("OK 1")
        assert state["got"][-1] == "42" and "0 letters" in dead(server, "ls")
    finally:
        server.close()
        peer.shutdown()
        peer.server_close()
