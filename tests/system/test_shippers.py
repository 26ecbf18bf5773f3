"""Messages of log shippers: real clients of every format, nothing lost, fields in their places."""

import gzip
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from server import Server, basic, free_port

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Client libraries that tools/install.sh put there.
sys.path.insert(0, os.path.join(ROOT, "target/python"))

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); }};
source s_http {{ http(ip("127.0.0.1") port(HTTP) EXTRA); }};
destination d_main {{ logspace("main"); }};
destination d_json {{ file("{folder}/out.json" template("$(format-json --scope core,nv-pairs,dot-nv-pairs --key HOST,PROGRAM,PID,MESSAGE,SEVERITY,TRANSPORT)\\n")); }};
log {{ source(s_http); destination(d_main); destination(d_json); flags(flow-control); }};
"""


class Shipped:
    """A server with an http() source, and the messages that arrived."""

    def __init__(self, binary, extra=""):
        self.ingest = free_port()
        self.server = Server(binary, CONFIG.replace("HTTP", str(self.ingest)).replace("EXTRA", extra))
        self.url = f"http://127.0.0.1:{self.ingest}"

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.close()

    def messages(self, count, within=10):
        """Waits for messages and returns them as their pairs."""
        path = self.server.folder + "/out.json"

        def lines():
            if not os.path.exists(path):
                return []
            with open(path) as text:
                return [line for line in text if line.endswith("\n")]

        self.server.until(lambda: len(lines()) >= count, within, f"{count} messages")
        got = [json.loads(line) for line in lines()]
        assert len(got) == count, (len(got), count)
        return got


def test_rsyslog_elasticsearch(binary):
    with Shipped(binary) as shipped, tempfile.TemporaryDirectory() as folder:
        config = f"""
            module(load="imuxsock" SysSock.Use="off")
            module(load="omelasticsearch")
            input(type="imuxsock" Socket="{folder}/in.sock")
            template(name="doc" type="list" option.jsonf="on") {{
                property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
                property(outname="host" name="hostname" format="jsonf")
                property(outname="severity" name="syslogseverity-text" format="jsonf")
                property(outname="facility" name="syslogfacility-text" format="jsonf")
                property(outname="syslogtag" name="syslogtag" format="jsonf")
                property(outname="message" name="msg" format="jsonf")
            }}
            action(type="omelasticsearch" server="127.0.0.1" serverport="{shipped.ingest}" searchType="" bulkmode="on"
                   searchIndex="logs" template="doc" queue.type="linkedList" queue.dequeuebatchsize="100"
                   action.resumeRetryCount="-1")
            """
        with open(folder + "/rsyslog.conf", "w") as out:
            out.write(config)
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        command = ["rsyslogd", "-n", "-f", folder + "/rsyslog.conf", "-i", folder + "/pid"]
        rsyslog = subprocess.Popen(command, env=environment)
        try:
            shipped.server.until(lambda: os.path.exists(folder + "/in.sock"), 30, "rsyslog's socket")
            lines = "".join(f"through omelasticsearch {number}\n" for number in range(1000))
            command = ["logger", "-u", folder + "/in.sock", "-t", "shop", "-p", "local3.warning", "--id=77"]
            subprocess.run(command, input=lines, text=True, check=True)
            got = shipped.messages(1000)
        finally:
            rsyslog.terminate()
            rsyslog.wait(10)
        texts = {message["MESSAGE"].strip() for message in got}
        assert texts == {f"through omelasticsearch {number}" for number in range(1000)}
        first = got[0]
        assert (first["PROGRAM"], first["PID"], first["SEVERITY"]) == ("shop", "77", "warning"), first
        assert first["TRANSPORT"] == "http+elasticsearch", first


def test_opensearch_py(binary):
    from opensearchpy import OpenSearch, helpers

    with Shipped(binary, 'users("ship" => "secret")') as shipped:
        client = OpenSearch(shipped.url, http_auth=("ship", "secret"), http_compress=True)
        assert client.info()["version"]["number"].startswith("8."), client.info()
        assert client.cluster.health()["status"] == "green"
        client.indices.put_index_template(name="logs", body={"index_patterns": ["logs*"]})
        document = {"@timestamp": "2026-01-02T03:04:05Z", "log": {"level": "error"}, "service": {"name": "shop"}, "n": 5}
        actions = [{"_op_type": "create", "_index": "logs", "message": f"document {n}", **document} for n in range(1000)]
        done, errors = helpers.bulk(client, actions, chunk_size=300)
        assert (done, errors) == (1000, []), errors
        assert client.index(index="logs", body={"message": "alone"})["result"] == "created"
        answer = client.bulk(body=[{"delete": {"_index": "logs", "_id": "1"}}])
        assert answer["errors"] and answer["items"][0]["delete"]["status"] == 400, answer
        got = shipped.messages(1001)
        assert {message["MESSAGE"] for message in got} == {"alone"} | {f"document {n}" for n in range(1000)}
        assert (got[0]["PROGRAM"], got[0]["SEVERITY"], got[0]["n"]) == ("shop", "err", 5), got[0]
        shipped.server.found("shop", 1000)
        row = shipped.server.search("document AND 7")["rows"][0]
        assert row["event_quality"] == "known", row
        stranger = OpenSearch(shipped.url, http_auth=("ship", "wrong"))
        try:
            stranger.info()
            raise AssertionError("a wrong password was taken")
        except Exception as error:
            assert getattr(error, "status_code", None) == 401, error


def test_elasticsearch_py(binary):
    from elasticsearch import Elasticsearch, helpers

    with Shipped(binary) as shipped:
        client = Elasticsearch(shipped.url)
        done, _ = helpers.bulk(client, [{"_index": "logs", "message": f"official {n}"} for n in range(500)])
        assert done == 500
        assert len({message["MESSAGE"] for message in shipped.messages(500)}) == 500


def opentelemetry(shipped, exporter):
    from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.name": "shop", "host.name": "web1", "process.pid": 41})
    provider = LoggerProvider(resource=resource)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    logger = logging.Logger("billing", logging.DEBUG)
    logger.addHandler(LoggingHandler(logger_provider=provider))
    for number in range(500):
        logger.warning("paid %d", number, extra={"amount": 2.5, "ok": True})
    assert provider.force_flush()
    provider.shutdown()
    got = shipped.messages(500)
    assert {message["MESSAGE"] for message in got} == {f"paid {number}" for number in range(500)}
    first = got[0]
    assert (first["HOST"], first["PROGRAM"], first["PID"], first["SEVERITY"]) == ("web1", "shop", "41", "warning"), first
    assert (first["amount"], first["ok"], first["severity_number"]) == (2.5, True, 13), first
    assert first["scope"]["name"] == "billing" if "scope" in first else first["scope.name"] == "billing", first
    return first


def test_opentelemetry_http(binary):
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    with Shipped(binary) as shipped:
        exporter = OTLPLogExporter(endpoint=shipped.url + "/v1/logs", compression=Compression.Gzip)
        assert opentelemetry(shipped, exporter)["TRANSPORT"] == "http+otlp"


def test_opentelemetry_grpc(binary):
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter

    with Shipped(binary, 'tokens("secret")') as shipped:
        headers = (("authorization", "Bearer secret"),)
        exporter = OTLPLogExporter(endpoint=shipped.url, insecure=True, headers=headers)
        assert opentelemetry(shipped, exporter)["TRANSPORT"] == "grpc+otlp"


def test_python_logging_loki(binary):
    import logging_loki

    with Shipped(binary) as shipped:
        handler = logging_loki.LokiHandler(url=shipped.url + "/loki/api/v1/push", tags={"app": "shop"}, version="1")
        logger = logging.Logger("loki", logging.DEBUG)
        logger.addHandler(handler)
        for number in range(50):
            logger.error("pushed %d", number, extra={"tags": {"host": "web2"}})
        got = shipped.messages(50)
        assert {message["MESSAGE"] for message in got} == {f"pushed {number}" for number in range(50)}
        assert (got[0]["HOST"], got[0]["PROGRAM"], got[0]["SEVERITY"]) == ("web2", "shop", "err"), got[0]


def test_graypy(binary):
    import graypy

    with Shipped(binary) as shipped:
        logger = logging.Logger("gelf", logging.DEBUG)
        logger.addHandler(graypy.GELFHTTPHandler("127.0.0.1", shipped.ingest))
        for number in range(50):
            logger.critical("gelf %d", number, extra={"order": number})
        got = shipped.messages(50)
        assert {(message["MESSAGE"], message["order"]) for message in got} == {(f"gelf {n}", n) for n in range(50)}
        assert got[0]["SEVERITY"] == "crit" and got[0]["PID"] == str(os.getpid()), got[0]


def test_journal_upload(binary):
    with Shipped(binary) as shipped, tempfile.TemporaryDirectory() as folder:
        entries = b""
        for number in range(300):
            stamp = 1767323045000000 + number
            text = f"journal {number}\nsecond line".encode()
            entries += (f"__REALTIME_TIMESTAMP={stamp}\n__MONOTONIC_TIMESTAMP={number}\n"
                        f"_BOOT_ID=4a1f6e4a6f8b4c6fa9d6d3c5b1a2e3f4\n_HOSTNAME=web3\nSYSLOG_IDENTIFIER=unit\n_PID=9\n"
                        f"PRIORITY=4\nMESSAGE\n").encode() + len(text).to_bytes(8, "little") + text + b"\n\n"
        journal = folder + "/test.journal"
        subprocess.run(["/lib/systemd/systemd-journal-remote", "-o", journal, "-"], input=entries, check=True,
                       capture_output=True)
        command = ["/lib/systemd/systemd-journal-upload", "--url", shipped.url, "--file", journal]
        # It follows the journal until it is stopped: one request without end.
        upload = subprocess.Popen([*command, f"--save-state={folder}/state"], stderr=subprocess.PIPE, text=True)
        try:
            got = shipped.messages(300)
        finally:
            upload.terminate()
            told = upload.communicate(timeout=10)[1]
        assert upload.returncode == 0, told
        assert {message["MESSAGE"] for message in got} == {f"journal {number}\nsecond line" for number in range(300)}
        first = got[0]
        assert (first["HOST"], first["PROGRAM"], first["PID"], first["SEVERITY"]) == ("web3", "unit", "9", "warning"), first


def test_curl_to_the_event_collector(binary):
    with Shipped(binary, 'tokens("11111111-2222")') as shipped:
        def curl(path, body, token="11111111-2222", *more):
            command = ["curl", "-sS", "-H", f"Authorization: Splunk {token}", *more, "--data-binary", "@-", shipped.url + path]
            return json.loads(subprocess.run(command, input=body, check=True, capture_output=True, timeout=20).stdout)

        events = b"".join(json.dumps({"host": "web4", "time": 1767323045.5, "sourcetype": "st", "event": {"message": f"hec {n}", "level": "info"}}).encode() for n in range(200))
        assert curl("/services/collector", events) == {"text": "Success", "code": 0}
        packed = curl("/services/collector/raw?host=web5", gzip.compress(b"raw one\nraw two\n"), "11111111-2222", "-H", "Content-Encoding: gzip")
        assert packed["code"] == 0, packed
        assert curl("/services/collector", b'{"event":"x"}', "wrong") == {"text": "Invalid token", "code": 4}
        channel = ["-H", "X-Splunk-Request-Channel: 0aeeac95-ac74-4aa9-b30d-6c4c0ac581ba"]
        number = curl("/services/collector", b'{"event":"acknowledged"}', "11111111-2222", *channel)["ackId"]
        asked = json.dumps({"acks": [number]}).encode()
        shipped.server.until(
            lambda: curl("/services/collector/ack", asked, "11111111-2222", *channel)["acks"][str(number)], 5, "the ack")
        got = shipped.messages(203)
        first = got[0]
        assert (first["HOST"], first["MESSAGE"], first["SEVERITY"], first["sourcetype"]) == ("web4", "hec 0", "info", "st"), first


def test_a_stopped_store_stops_shippers(binary):
    """No success is reported before the messages are safe: after kill -9, everything that was answered with 200 is there."""
    with Shipped(binary) as shipped:
        answered = 0
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            body = "".join(f"batch {answered} line {line}\n" for line in range(50)).encode()
            request = urllib.request.Request(shipped.url + "/lines", body, {"Authorization": basic("a", "b")})
            with urllib.request.urlopen(request, timeout=10) as answer:
                assert answer.status == 200
            answered += 1
        shipped.server.stop(9)
        shipped.server.start()
        shipped.server.found("batch AND line", answered * 50, within=10)
        assert answered > 5, answered


SENDING = """@version: 4.8
@include "scl.conf"
options {{ use-dns(no); time-reopen(1); }};
source s_in {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
source s_https {{ http(ip("127.0.0.1") port(INGEST) tokens("t0")
    tls(cert-file("{folder}/cert.pem") key-file("{folder}/key.pem") peer-verify(optional-untrusted))); }};
destination d_https {{ http(url("https://localhost:INGEST/lines") tls(ca-file("{folder}/cert.pem"))
    headers("Authorization: Bearer t0") batch-lines(100) batch-timeout(200) workers(2) content-compression("gzip")); }};
destination d_bulk {{ opensearch(url("https://localhost:INGEST/_bulk") index("logs") tls(ca-file("{folder}/cert.pem"))
    user("x") password("t0") batch-timeout(200)); }};
destination d_splunk {{ splunk-hec-event(url("https://localhost:INGEST") token("t0") tls(ca-file("{folder}/cert.pem"))); }};
destination d_main {{ logspace("main"); }};
log {{ source(s_in); destination(d_https); destination(d_bulk); destination(d_splunk); flags(flow-control); }};
log {{ source(s_https); destination(d_main); flags(flow-control); }};
"""


def test_https_both_ways(binary):
    """http() and the blocks over it, to an http() source, encrypted."""
    server = Server(binary, SENDING.replace("INGEST", str(free_port())))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
               "subjectAltName=DNS:localhost", "-keyout", server.folder + "/key.pem", "-out", server.folder + "/cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as stream:
            for number in range(1000):
                stream.sendall(f"<11>Jan  2 03:04:05 h shop[7]: encrypted numbat {number}\n".encode())
        server.found("numbat", 3000, within=15)
        # Bulk documents have their fields; lines and events are only text.
        total = server.search("numbat AND program:shop")["total"]
        assert total == 1000, total
    finally:
        server.close()


LOKI = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_tcp {{ network(ip("127.0.0.1") port({port})); }};
destination d_loki {{
    loki(url("URL") labels("app" => "$PROGRAM", "host" => "$HOST", "none" => "$nothing") timestamp(msg)
         template("$MSG") tenant-id("site") compression(yes) batch-lines(500) workers(2));
}};
log {{ source(s_tcp); destination(d_loki); flags(flow-control); }};
"""


def test_loki_destination(binary):
    count = 3000
    with Shipped(binary) as shipped:
        sender = Server(binary, LOKI.replace("URL", shipped.url))
        sender.start()
        try:
            with socket.create_connection(("127.0.0.1", sender.port)) as out:
                for number in range(count):
                    out.sendall(f"<13>Nov 21 12:00:0{number % 10} gate{number % 3} app: \"line\" {number}\n".encode())
            got = shipped.messages(count, 15)
        finally:
            sender.close()
    assert sorted(int(one["MESSAGE"].split()[1]) for one in got) == list(range(count))
    first = next(one for one in got if one["MESSAGE"] == '"line" 7')
    assert (first["HOST"], first["PROGRAM"], first["TRANSPORT"]) == ("gate1", "app", "http+loki"), first
    assert not any("none" in one for one in got)
