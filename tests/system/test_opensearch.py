"""Outputs of the Elasticsearch family into a real OpenSearch: refused documents, crashes, dead letters sent again."""

import json
import os
import re
import signal

from destination import counters, dead
from opensearch_node import OpenSearch
from server import Server, waits_for
from test_requests import HEAD, post

DOCUMENTS = int(os.environ.get("DOCUMENTS", "20000"))
KILLS = 5
CONFIG = HEAD + """
destination d_out {{
    opensearch(url("URL/_bulk") index("logs") template("$(format-json text=$MSG size=$PROGRAM)")
        batch-lines(500) batch-timeout(50) workers(2) retries(1000) disk-buffer(reliable(yes) capacity-bytes(256Mi)));
}};
destination d_stream {{
    elasticsearch-datastream(url("URL/stream/_bulk") record("text=$MSG size=$PROGRAM @timestamp=$ISODATE")
        batch-lines(500) batch-timeout(50) workers(2) retries(1000) disk-buffer(reliable(yes) capacity-bytes(256Mi)));
}};
log {{ source(s_in); destination(d_stream); flags(flow-control); }};
"""
MAPPINGS = {"text": {"type": "keyword"}, "size": {"type": "integer"}}


def prepare(peer):
    """Both indexes accept only numbers as sizes."""
    body = {"settings": {"number_of_replicas": 0, "mapping": {"ignore_malformed": False}}, "mappings": {"properties": MAPPINGS}}
    assert peer.call("PUT", "/logs", body) .get("acknowledged"), "no index"
    template = {"index_patterns": ["stream"], "data_stream": {}, "template": body}
    assert peer.call("PUT", "/_index_template/stream", template).get("acknowledged"), "no template"
    assert peer.call("PUT", "/_data_stream/stream").get("acknowledged"), "no data stream"


def mend(peer):
    """From now on a size that is not a number is left out of the index, and its document is stored."""
    mapping = {"properties": {"size": {"type": "integer", "ignore_malformed": True}}}
    for index in ("logs", "stream"):
        assert peer.call("PUT", f"/{index}/_mapping", mapping).get("acknowledged"), index


@waits_for(50)
def test_a_real_server_that_crashes_has_every_document_once(binary):
    """One document in a hundred is refused. The server crashes five times, and ours once; then the index is fixed, and
the dead letters are sent again."""
    peer = OpenSearch()
    server = Server(binary, CONFIG.replace("URL", f"http://127.0.0.1:{peer.port}"))
    texts = [f"document {number:07}" for number in range(DOCUMENTS)]
    refused = texts[7::100]
    try:
        prepare(peer)
        server.start()
        post(server, [{"message": text, "program": "large" if text in set(refused) else "5"} for text in texts])
        stored = lambda: peer.call("GET", "/logs/_stats/docs")["_all"]["primaries"]["docs"]["count"]
        for kill in range(KILLS):
            share = DOCUMENTS * kill // (KILLS + 2)
            server.until(lambda: counters(server, "dst.http").get("queued") == 0 or stored() >= share, 120, f"{share} documents")
            peer.kill()
            if kill == 2:
                server.stop(signal.SIGKILL)
                server.start()
            peer.start()
        queued = lambda: sum(int(line.split(";")[5]) for line in server.ctl("stats").splitlines()
                             if line.startswith("dst.http;") and ";queued;" in line)
        server.until(lambda: queued() == 0, 180, f"an empty queue: {server.ctl('stats')}\n{server.stderr()[-2000:]}")
        good = [text for text in texts if text not in set(refused)]
        for index, destination in (("logs", "d_out#0"), ("stream", "d_stream#0")):
            check_once(peer.texts(index, "text"), good, index)
            letters = dead(server, "cat", destination)
            found = sorted(re.findall(r"(document \d{7})$", letters, re.M))
            assert found == refused, f"{destination}: {len(found)} letters of {len(set(found))} messages for {len(refused)}"
            assert "mapper_parsing_exception" in letters, letters[:1000]
        mend(peer)
        for index, destination in (("logs", "d_out#0"), ("stream", "d_stream#0")):
            assert dead(server, "replay", destination).startswith(f"OK {len(refused)}"), destination
            check_once(peer.texts(index, "text"), texts, index)
        assert dead(server, "ls").count("0 letters") == 2, dead(server, "ls")
        print(f"      {DOCUMENTS} documents in each of two indexes once, {len(refused)} of them after the mend")
    finally:
        server.close()
        peer.close()


def check_once(there, wanted, index):
    assert there == wanted, f"{index}: {len(set(wanted) - set(there))} lost, {len(there) - len(set(there))} twice"


def test_a_configuration_for_java_writes_documents(binary):
    """elasticsearch2() as older configurations have it: its port is that of Java's protocol, where documents went before."""
    peer = OpenSearch()
    text = HEAD + """
destination d_out {{
    elasticsearch2(client-mode("http") server("127.0.0.1") port("PORT") cluster("site") index("old-$PROGRAM") type("") flush-limit("100")
        concurrent-requests(2) client-lib-dir("/opt/es") template("$(format-json text=$MSG)"));
}};
"""
    server = Server(binary, text.replace("PORT", str(peer.port)))
    try:
        peer.call("PUT", "/old-app", {"mappings": {"properties": MAPPINGS}})
        server.start()
        post(server, [{"message": f"n{number}", "program": "app"} for number in range(500)])
        server.until(lambda: counters(server, "dst.elasticsearch2").get("written") == 500, 60, server.ctl("stats"))
        assert sorted(peer.texts("old-app", "text")) == sorted(f"n{number}" for number in range(500))
        assert "client-lib-dir" in server.stderr(), server.stderr()
    finally:
        server.close()
        peer.close()


@waits_for(15)
def test_index_templates_are_there_first_and_indexes_roll_over(binary):
    """A template that cannot be read by the cluster holds messages; then an alias with its first index is made, and indexes are exchanged."""
    peer = OpenSearch()
    text = HEAD + """
destination d_out {{
    opensearch(url("URL/_bulk") index("logs") template("$(format-json text=$MSG)") batch-timeout(50)
        disk-buffer(reliable(yes) capacity-bytes(16Mi)) index-template("logs" => "{folder}/template.json") rollover(alias("logs") max-docs(100) check-freq(1)));
}};
destination d_stream {{
    elasticsearch-datastream(url("URL/events/_bulk") record("text=$MSG @timestamp=$ISODATE") batch-timeout(50)
        disk-buffer(reliable(yes) capacity-bytes(16Mi)) index-template("events" => "{folder}/events.json") rollover(data-stream("events") max-docs(100) check-freq(1)));
}};
log {{ source(s_in); destination(d_stream); flags(flow-control); }};
"""
    server = Server(binary, text.replace("URL", f"http://127.0.0.1:{peer.port}"))

    def write(name, patterns, more, kind="keyword"):
        body = {"settings": {"number_of_replicas": 0}, "mappings": {"properties": {"text": {"type": kind}}}}
        with open(f"{server.folder}/{name}.json", "w") as out:
            json.dump({"index_patterns": patterns, "template": body, **more}, out)

    written = lambda: [int(line.split(";")[5]) for line in server.ctl("stats").splitlines() if line.startswith("dst.http;") and ";written;" in line and "#" in line]
    try:
        write("template", ["logs-*"], {}, kind="no-such-type")
        write("events", ["events"], {"data_stream": {}})
        server.start()
        post(server, [{"message": f"a{number:03}", "program": "app"} for number in range(150)])
        server.until(lambda: "index template logs" in server.ctl("healthcheck"), 30, f"the template to hold: {server.ctl('healthcheck')}")
        assert "error" in peer.call("GET", "/logs")
        write("template", ["logs-*"], {})
        server.ctl("reload")
        server.until(lambda: sum(written()) == 300, 30, f"both to have them: {server.ctl('stats')}\n{server.stderr()[-2000:]}")
        for index in ("logs", "events"):
            # The condition holds once the documents can be searched.
            peer.call("POST", f"/{index}/_refresh")
        for number in range(150, 1000):
            if len(peer.call("GET", "/_alias/logs")) > 1 and len(peer.call("GET", "/_data_stream/events")["data_streams"][0]["indices"]) > 1:
                break
            post(server, [{"message": f"a{number:03}", "program": "app"}])
        post(server, [{"message": "last", "program": "app"}])
        sent = sorted([f"a{one:03}" for one in range(number)] + ["last"])
        server.until(lambda: sum(written()) == 2 * len(sent), 30, f"all to be written: {server.ctl('stats')}")
        names = peer.call("GET", "/_alias/logs")
        assert {name: one["aliases"]["logs"]["is_write_index"] for name, one in names.items()} == {"logs-000001": False, "logs-000002": True}, names
        mapping = peer.call("GET", "/logs-000002/_mapping")["logs-000002"]["mappings"]["properties"]["text"]
        assert mapping == {"type": "keyword"}, mapping
        for index in ("logs", "events"):
            check_once(peer.texts(index, "text"), sent, index)
        assert peer.texts("logs-000002", "text")[-1] == "last"
        assert server.stderr().count("Index rolled over") == 2, server.stderr()
    finally:
        server.close()
        peer.close()
