"""s3() as a source: objects of a SeaweedFS bucket, each line once; broken connections and our own kill, objects that change, names of every kind."""

import gzip
import signal
import subprocess

from broker_source import Relay, count_read, lines
from destination import check_refusals
from seaweedfs import KEY, SECRET, SeaweedFs
from server import Server

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_s3 {{ s3(url("http://127.0.0.1:%d") bucket("logs") access-key("%s") secret-key("%s") follow-freq(0.2) time-reopen(1) flags(no-parse) %s); }};
destination d_file {{ file("{folder}/out" template("[$(basename $FILE_NAME)] $MSG\\n")); }};
log {{ source(s_s3); destination(d_file); flags(flow-control); }};
"""


def reads(target, options="", secret=SECRET):
    return CONFIG % (target.port, KEY, secret, options)


def zstd(text):
    return subprocess.run(["zstd", "-q", "-c"], input=text, capture_output=True, check=True, timeout=30).stdout


def text(first, end):
    return "".join(f"{number}\n" for number in range(first, end)).encode()


def has(server, count, within=30):
    server.until(lambda: len(whole(server)) >= count, within, f"{count} messages: {len(whole(server))} {server.stderr()}")
    return whole(server)


def whole(server):
    """The lines that have a message: the name of an object may have an end of a line in it."""
    return [line for line in lines(server) if line.endswith(tuple("0123456789"))]


def numbers(server):
    return [int(line.split()[-1]) for line in whole(server)]


def test_objects_of_every_form_and_name_are_read_once(binary):
    target = SeaweedFs("logs")
    server = Server(binary, reads(target, 'prefix("in/") workers(3)'))
    put = lambda key, body: target.s3.put_object(Bucket="logs", Key=key, Body=body)
    try:
        put("other/1", b"this is not below the prefix\n")
        put("in/plain", text(0, 3000))
        put("in/sub/packed.gz", gzip.compress(text(3000, 4000)) + gzip.compress(text(4000, 6000)))
        put("in/sub/packed.zst", zstd(text(6000, 9000)))
        put("in/no-end", b"9000\r\n9001")
        put("in/empty", b"")
        hostile = ["in/a b+c%2F&=?#;'\"<>.log", "in/\u00fcmlaut \u2028", "in/\x01\n", "in/~a/..b/c..", "in/*"]
        for number, key in enumerate(hostile):
            put(key, b"%d\n" % (9002 + number))
        server.start()
        count = 9002 + len(hostile)
        has(server, count)
        # A second start reads nothing twice; what comes before the names that were read is found, as is another content.
        server.stop()
        put("in/0-first", text(count, count + 10))
        server.start()
        has(server, count + 10)
        put("in/no-end", text(count + 10, count + 20))
        has(server, count + 20)
        assert sorted(numbers(server)) == list(range(count + 20)), len(numbers(server))
        assert {"[no-end] 9001", "[packed.zst] 6000"} <= set(lines(server))
        # Other keys hold it, and nothing is lost.
        server.write_config(reads(target, 'prefix("in/") workers(3)', "wrong-secret"))
        server.ctl("reload")
        server.until(lambda: "403 SignatureDoesNotMatch" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
        put("in/00", text(count + 20, count + 30))
        server.write_config(reads(target, 'prefix("in/") workers(3)'))
        server.ctl("reload")
        has(server, count + 30)
        assert sorted(numbers(server)) == list(range(count + 30)), len(numbers(server))
    finally:
        server.close()
        target.close()


def test_connections_that_break_and_our_own_kill_lose_nothing(binary):
    """Connections break while large objects are read, and then we are killed. Only what was not acknowledged comes twice."""
    target = SeaweedFs("logs")
    relay = Relay(target.port)
    count = 100_000
    server = Server(binary, reads(target).replace(f":{target.port}", f":{relay.port}"))
    try:
        target.s3.put_object(Bucket="logs", Key="large", Body=text(0, count))
        target.s3.put_object(Bucket="logs", Key="packed.gz", Body=gzip.compress(text(count, 2 * count), 1))
        server.start()
        for part in (5_000, 50_000, count + 5_000):
            server.until(lambda: count_read(server, "s3") > part, 60, f"{part} messages: " + server.ctl("healthcheck"))
            relay.cut()
        server.stop(signal.SIGKILL)
        doubled = len(numbers(server)) - len(set(numbers(server)))
        assert doubled == 0, doubled
        server.start(logs_in=False)
        server.until(lambda: set(numbers(server)) >= set(range(2 * count)), 60, "all to be read: " + server.stderr())
        # The kill repeats at most what was in flight: a window of messages, and a read.
        assert len(numbers(server)) - 2 * count <= 50_000, len(numbers(server))
        before = len(numbers(server))
        server.stop()
        target.s3.put_object(Bucket="logs", Key="again", Body=text(0, 1))
        server.start(logs_in=False)
        has(server, before + 1)
        assert len(numbers(server)) == before + 1
    finally:
        server.close()
        relay.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    keys = 'access-key("a") secret-key("s")'
    cases = (
        (f's3(bucket("a/b") {keys});', "a bucket has a name"),
        (f's3(url("h:80") bucket("b") {keys});', "the URL of a server is"),
        ('s3(bucket("b"));', "needs the id of a key"),
        (f"s3({keys});", "bucket"),
        (f's3(bucket("b") {keys} sqs-queue("q"));', "`sqs-queue` is not supported yet"),
        (f's3(bucket("b") {keys} delete-after(1));', "`delete-after` is not supported yet"),
        (f's3(bucket("b") {keys} object-key("k"));', "object-key"),
        (f's3(bucket("b") {keys} workers(0));', "workers"),
    )
    check_refusals(binary, cases, "source s {{ %s }};\ndestination d {{ file(\"/dev/null\"); }};\n")
