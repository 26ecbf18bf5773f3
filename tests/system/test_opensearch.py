"""Outputs of the Elasticsearch family into a real OpenSearch: refused documents, crashes, dead letters sent again."""

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
