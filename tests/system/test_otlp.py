"""opentelemetry(), syslog-ng-otlp() and loki() over gRPC: Python's gRPC gets every message, refuses some, goes away and comes back; and our own source."""

import collections
import functools
import json
import logging
import os
import socket
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from grpc_sink import GrpcSink
from server import Server, free_port, waits
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.opentelemetry")


def config(driver):
    return HEAD + f"destination d_o {{{{ {driver}; }}}};\nlog {{{{ source(s_net); destination(d_o); flags(flow-control); }}}};\n"


def body(taken):
    return taken["record"]["body"]["stringValue"]


@waits
def test_a_receiver_that_is_killed_gets_every_message(binary):
    """20,000 messages while the receiver is killed twice: none is lost, and at most the requests in flight come twice."""
    sink = GrpcSink()
    server = Server(binary, config(f'opentelemetry(url("127.0.0.1:{sink.port}") batch-lines(200) compression(yes) timeout(10) disk-buffer(capacity-bytes(64M) reliable(yes)))'))
    count = 20000
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web{number % 3} app 17 - - n{number}\n".encode())
                    if number % 2000 == 0:
                        time.sleep(0.25)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(2):
            time.sleep(0.8)
            sink.kill()
            sink.start()
        sender.join()
        found = settled(server, count, 120)
        assert (found["written"], found["dead"], found["queued"]) == (count, 0, 0), found
        seen = collections.Counter(body(one) for one in sink.taken())
        assert set(seen) == {f"n{number}" for number in range(count)}
        assert sum(seen.values()) - count <= 2 * 200, sum(seen.values())
    finally:
        server.close()
        sink.close()


def test_a_record_has_what_the_message_has(binary):
    sink = GrpcSink()
    text = config(f'opentelemetry(url("127.0.0.1:{sink.port}") headers("x-token" => "secret-of-$HOST"))')
    server = Server(binary, text.replace("source(s_net);", 'source(s_net); rewrite {{ set(int("5") value("amount")); }};'))
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
            peer.sendall('<34>1 2007-04-22T10:00:00.25Z web1 app 17 - [x@1 a="b"] bl\u00e4h\n'.encode() + b"<11>1 2007-04-22T10:00:00Z web2 app - - - \xff\n")
        assert settled(server, 2)["written"] == 2
        first, second = sorted(sink.taken(), key=lambda one: one["record"]["severityNumber"], reverse=True)
        attributes = lambda of: {pair["key"]: pair["value"] for pair in of.get("attributes", [])}
        assert body(first) == "bl\u00e4h" and first["record"]["timeUnixNano"] == "1177236000250000000", first
        assert first["record"]["severityNumber"] == "SEVERITY_NUMBER_ERROR2", first
        assert attributes(first["resource"]) == {"host.name": {"stringValue": "web1"}, "service.name": {"stringValue": "app"}, "process.pid": {"intValue": "17"}}, first
        assert attributes(first["record"])["amount"] == {"intValue": "5"} and attributes(first["record"])[".SDATA.x@1.a"] == {"stringValue": "b"}, first
        assert second["record"]["body"] == {"bytesValue": "/w=="}, second
        assert sorted(one["token"] for one in sink.requests()) == ["secret-of-web1", "secret-of-web2"]
        assert "secret" not in server.stderr() + server.ctl("healthcheck") + server.ctl("stats")
    finally:
        server.close()
        sink.close()


def test_refused_records_are_kept(binary):
    """A record that fails its request is found; of those that a receiver does not name none comes twice, and none is lost."""
    sink = GrpcSink()
    server = Server(binary, config(f'opentelemetry(url("127.0.0.1:{sink.port}") batch-lines(100) batch-timeout(300))'))
    try:
        server.start()
        # The request as a whole: the bad record is found.
        sink.rule(bad="poison", how="status")
        send(server, [("web", f"a{number}" if number != 37 else "poison") for number in range(100)])
        found = settled(server, 100)
        assert (found["written"], found["dead"]) == (99, 1), found
        assert len(sink.taken()) == 99 and "INVALID_ARGUMENT" in dead(server, "cat", "d_o#0")
        # A part of it that is not named: nothing is sent twice, and nothing is lost.
        sink.rule(bad="poison", how="partial")
        before = len(sink.requests())
        send(server, [("web", f"b{number}" if number != 37 else "poison") for number in range(100)])
        found = settled(server, 200)
        taken = collections.Counter(body(one) for one in sink.taken())
        assert set(taken.values()) == {1}, taken.most_common(3)
        sizes = [one["count"] for one in sink.requests()[before:]]
        letters = dead(server, "cat", "d_o#0")
        assert "does not say which" in letters and "not these" in letters, letters[-800:]
        kept = {f"b{number}" for number in range(100) if number != 37} - set(taken)
        assert all(text in letters for text in kept), kept
        assert found["dead"] >= 2 and found["written"] + found["dead"] == 200, (found, sizes)
        # All of them.
        sink.rule(bad="c", how="partial")
        send(server, [("web", f"c{number}") for number in range(5)])
        assert settled(server, 205)["dead"] == found["dead"] + 5
    finally:
        server.close()
        sink.close()


def test_what_an_operator_must_mend_holds_messages(binary):
    sink = GrpcSink()
    server = Server(binary, config(f'opentelemetry(url("127.0.0.1:{sink.port}"))'))
    healthy = lambda words: server.until(lambda: words in server.ctl("healthcheck"), 20, words + server.ctl("healthcheck"))
    try:
        server.start()
        statuses = (("UNAUTHENTICATED", "credentials"), ("PERMISSION_DENIED", "access"), ("UNIMPLEMENTED", "schema"))
        for count, (status, reason) in enumerate(statuses, 1):
            sink.rule(status=status)
            send(server, [("web", status)])
            healthy(f"({reason}): the server answered {status}")
            sink.rule()
            assert settled(server, count)["written"] == count
        sink.rule(status="UNAVAILABLE")
        send(server, [("web", "later")])
        sink.rule()
        found = settled(server, 4)
        assert (found["written"], found["dead"]) == (4, 0), found
    finally:
        server.close()
        sink.close()


@waits
def test_encrypted_with_names_checked(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        sink = GrpcSink((folder + "/server.pem", folder + "/server.key"))
        driver = f'opentelemetry(url("localhost:{sink.port}") auth(tls(ca-file("%s"))))'
        server = Server(binary, config(driver % (folder + "/ca.pem")))
        try:
            server.start()
            send(server, [("web", "one")])
            assert settled(server, 1)["written"] == 1
            # Another authority: nothing is sent, and the reason shows.
            pki(holder + "/other")
            server.write_config(config(driver % (holder + "/other/ca.pem")))
            server.ctl("reload")
            send(server, [("web", "two")])
            server.until(lambda: "TLS" in server.ctl("healthcheck"), 20, server.ctl("healthcheck"))
            server.write_config(config(driver % (folder + "/ca.pem")))
            server.ctl("reload")
            assert settled(server, 2)["written"] == 2
        finally:
            server.close()
            sink.close()


class Pair:
    """Two servers of ours: one sends by a driver, the other has opentelemetry() as a source and writes a file."""

    def __init__(self, binary, driver, source="", template="$(format-json --scope everything --exclude 1* --exclude .classifier*)"):
        self.port = free_port()
        self.far = Server(binary, '@version: 4.8\nsource s_o {{ opentelemetry(port(%d) %s); }};\ndestination d_f {{ file("{folder}/out" template("%s\\n")); }};\nlog {{ source(s_o); destination(d_f); flags(flow-control); }};\n' % (self.port, source, template))
        self.near = Server(binary, config(driver % self.port))

    def __enter__(self):
        self.far.start()
        self.near.start()
        return self

    def __exit__(self, *_):
        self.near.close()
        self.far.close()

    def messages(self, count):
        def lines():
            try:
                with open(self.far.folder + "/out") as text:
                    return [json.loads(line) for line in text]
            except (FileNotFoundError, ValueError):
                return []

        self.far.until(lambda: len(lines()) >= count, 30, f"{count} messages: {len(lines())}")
        return lines()


def test_a_whole_message_arrives_at_our_source(binary):
    with Pair(binary, 'syslog-ng-otlp(url("127.0.0.1:%d") compression(yes))') as pair:
        with socket.create_connection(("127.0.0.1", pair.near.port), timeout=30) as peer:
            peer.sendall('<34>1 2007-04-22T10:00:00.25+02:00 web1 app 17 ID7 [x@1 a="b\\"c"] bl\u00e4h\n'.encode())
        (got,) = pair.messages(1)
        wanted = {"HOST": "web1", "PROGRAM": "app", "PID": "17", "MSGID": "ID7", "MESSAGE": "bl\u00e4h", "SEVERITY": "crit", "FACILITY": "auth"}
        assert {name: got[name] for name in wanted} == wanted, got
        assert got["_SDATA"]["x@1"]["a"] == 'b"c' if "_SDATA" in got else got[".SDATA"]["x@1"]["a"] == 'b"c', got
        assert got["ISODATE"].endswith("+02:00") or "S_ISODATE" in got and got["S_ISODATE"].endswith("+02:00"), got


def test_a_record_of_another_sender_is_forwarded_unchanged(binary):
    """Python's SDK -> opentelemetry() -> opentelemetry() -> Python's gRPC."""
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    sink, port = GrpcSink(), free_port()
    server = Server(binary, "@version: 4.8\nsource s_o {{ opentelemetry(ip(\"127.0.0.1\") port(%d)); }};\ndestination d_o {{ opentelemetry(url(\"127.0.0.1:%d\")); }};\nlog {{ source(s_o); destination(d_o); flags(flow-control); }};\n" % (port, sink.port))
    try:
        server.start()
        provider = LoggerProvider(resource=Resource.create({"service.name": "shop", "host.name": "web1", "deep": [1, 2]}))
        provider.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(endpoint=f"http://127.0.0.1:{port}", insecure=True)))
        provider.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(endpoint=f"http://127.0.0.1:{sink.port}", insecure=True)))
        logger = logging.Logger("billing", logging.DEBUG)
        logger.addHandler(LoggingHandler(logger_provider=provider))
        logger.warning("paid", extra={"amount": 2.5, "ok": True, "n": 7})
        provider.force_flush()
        server.until(lambda: len(sink.taken()) == 2, 20, f"both records: {sink.taken()}")
        # What ours forwards is what the SDK itself sends; the order of attributes says nothing.
        first, second = sink.taken()
        for one in (first, second):
            for part in ("record", "resource", "scope"):
                one[part].get("attributes", []).sort(key=lambda pair: pair["key"])
        assert first == second
    finally:
        provider.shutdown()
        server.close()
        sink.close()


def test_the_source_takes_nothing_else(binary):
    import urllib.error
    import urllib.request

    with Pair(binary, 'opentelemetry(url("127.0.0.1:%d") headers("authorization" => "Bearer late-secret"))', 'tokens("late-secret") ip("127.0.0.1")') as pair:
        send(pair.near, [("web1", "one")])
        (got,) = pair.messages(1)
        assert (got["HOST"], got["MESSAGE"]) == ("web1", "one"), got
        for path in ("/_bulk", "/services/collector/event", "/lines"):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{pair.port}{path}", b"x", timeout=10)
                raise AssertionError(path)
            except urllib.error.HTTPError as error:
                assert error.code == 404, (path, error.code)
        # A wrong token holds the messages until it is right.
        wrong = config(f'opentelemetry(url("127.0.0.1:{pair.port}") headers("authorization" => "Bearer wrong-secret"))')
        pair.near.write_config(wrong)
        pair.near.ctl("reload")
        send(pair.near, [("web1", "two")])
        pair.near.until(lambda: "(credentials)" in pair.near.ctl("healthcheck"), 20, pair.near.ctl("healthcheck"))
        assert "secret" not in pair.near.stderr() + pair.near.ctl("healthcheck")
        pair.near.write_config(wrong.replace("wrong-secret", "late-secret"))
        pair.near.ctl("reload")
        assert len(pair.messages(2)) == 2


def test_loki_over_grpc(binary):
    sink = GrpcSink()
    driver = f'loki(url("127.0.0.1:{sink.port}") labels("app" => "$PROGRAM", "host" => "$HOST", "none" => "$NONE") timestamp(msg) template("$MSG") tenant-id("site-1") batch-lines(10) batch-timeout(200))'
    server = Server(binary, config(driver))
    done = functools.partial(destination.settled, kind="dst.loki")
    try:
        server.start()
        send(server, [(f"web{number % 2}", f'n{number} "q"') for number in range(10)])
        assert done(server, 10)["written"] == 10
        taken = sink.taken()
        assert {one["labels"] for one in taken} == {'{app="app", host="web0"}', '{app="app", host="web1"}'}, taken
        assert sorted(one["line"] for one in taken) == sorted(f'n{number} "q"' for number in range(10))
        # Equal lines of one time would be one line: each has its own nanosecond.
        times = {one["time"] for one in taken}
        assert len(times) == 10 and all(0 <= time - 1177236000000000000 < 1_000_000 for time in times), times
        assert {one["tenant"] for one in sink.requests()} == {"site-1"}
        sink.rule(bad="poison", how="status")
        send(server, [("web1", "poison" if number == 3 else f"m{number}") for number in range(10)])
        found = done(server, 20)
        assert (found["written"], found["dead"]) == (19, 1), found
        sink.kill()
        send(server, [("web1", "late")])
        time.sleep(0.5)
        sink.start()
        assert done(server, 21)["written"] == 20
    finally:
        server.close()
        sink.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    check_refusals(binary, (
        ("opentelemetry();", "url"),
        ('opentelemetry(url("h/path"));', "is no address of a server"),
        ('opentelemetry(url("h:4317") headers("content-type" => "x"));', "no header that can be sent"),
        ('opentelemetry(url("h:4317") headers("a b" => "x"));', "no header that can be sent"),
        ('opentelemetry(url("h:4317") response-action(nothing => drop));', "no status with what it means"),
        ('opentelemetry(url("h:4317") response-action(unavailable => fly));', "no status with what it means"),
        ('opentelemetry(url("h:4317") auth(adc()));', "is not supported yet"),
        ('opentelemetry(url("h:4317") auth(alts()));', "is not supported yet"),
        ('loki(url("h:9095"));', "labels"),
        ('loki(url("h:9095") labels("1" => "a"));', "cannot be the name of a label"),
    ))
