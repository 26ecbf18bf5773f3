"""hdfs(): a real HDFS gets every message once while it is killed, loses DataNodes, changes its NameNode and refuses; what waits and what dies is counted."""

import functools
import gzip
import signal
import subprocess
import threading
import time

import destination
from destination import HEAD, check_refusals, send
from hadoop import Hdfs, shared
from server import Server, waits_for

settled = functools.partial(destination.settled, kind="dst.hdfs")


def hdfs(cluster, options, more=""):
    return HEAD + "destination d_hdfs {{ hdfs(hdfs-uri(%s) %s); }};\nlog {{ source(s_net); destination(d_hdfs); flags(flow-control); }};\n%s" % (cluster.uris(), options, more)


def numbers(count, host="web"):
    return [(host, f"number {number}") for number in range(count)]


def feed(server, count, pause):
    """Sends messages for some seconds, from a thread."""
    def work():
        for start in range(0, count, 500):
            send(server, [("web", f"number {number}") for number in range(start, min(start + 500, count))])
            time.sleep(pause)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_messages_become_lines_of_files(binary):
    cluster = shared()
    server = Server(binary, hdfs(cluster, 'hdfs-file("/lines/$HOST/all.log") template("$MSG\\n") batch-lines(100) max-file-size(3000) hdfs-archive-dir("/archive")'))
    try:
        cluster.make("/lines")
        cluster.make("/archive")
        server.start()
        send(server, numbers(1000) + numbers(10, "../../x"))
        found = settled(server, 1010)
        assert (found["written"], found["dead"]) == (1010, 0), found
        lines = cluster.lines("/archive") + cluster.lines("/lines")
        assert sorted(lines) == sorted([text for _, text in numbers(1000)] + [text for _, text in numbers(10)]), len(lines)
        files = {**cluster.files("/archive"), **cluster.files("/lines")}
        assert len(cluster.files("/archive")) >= 2, files
        assert all(path.startswith(("/lines/web/all.log.", "/archive/all.log.", "/lines/.._.._x/all.log.")) for path in files), files
    finally:
        server.close()


def test_a_file_is_continued_and_packed(binary):
    cluster = shared()
    options = 'hdfs-file("/packed/all.log") template("$MSG\\n") hdfs-append-enabled(yes) compression(gzip)'
    server = Server(binary, hdfs(cluster, options))
    try:
        cluster.make("/packed")
        for part in range(2):
            server.start()
            send(server, [("web", f"number {number}") for number in range(part * 300, part * 300 + 300)])
            settled(server, 300)
            server.stop()
        assert list(cluster.files("/packed")) == ["/packed/all.log.gz"]
        assert gzip.decompress(cluster.read("/packed/all.log.gz")).decode().splitlines() == [text for _, text in numbers(600)]
    finally:
        server.close()


@waits_for(60)
def test_every_message_is_there_once_whatever_dies(binary):
    """10,000 messages while a DataNode stops, the NameNode is in safe mode, and everything is killed."""
    cluster = Hdfs()
    server = Server(binary, hdfs(cluster, 'hdfs-file("/logs/all.log") template("$MSG\\n") batch-lines(100) timeout(20) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    try:
        server.start()
        sender = feed(server, 10_000, 0.3)
        time.sleep(1)
        cluster.do("stop 0")
        time.sleep(1)
        cluster.do("safe")
        time.sleep(1)
        cluster.do("unsafe")
        cluster.do("start")
        cluster.kill()
        time.sleep(1)
        cluster.start()
        sender.join()
        # A file that a dead DataNode was writing is free again a minute later.
        found = settled(server, 10_000, 180)
        assert found["written"] == 10_000, found
        lines = cluster.lines()
        assert len(lines) == 10_000 and set(lines) == {text for _, text in numbers(10_000)}, (len(lines), len(set(lines)))
    finally:
        server.close()
        cluster.close()


def test_our_own_crash_loses_nothing(binary):
    cluster = shared()
    server = Server(binary, hdfs(cluster, 'hdfs-file("/crash/all.log") template("$MSG\\n") batch-lines(100) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 3000
    try:
        cluster.make("/crash")
        for part in range(3):
            server.start()
            send(server, [("web", f"number {number}") for number in range(part * 1000, part * 1000 + 1000)])
            server.until(lambda: server.keeps(f"number {part * 1000 + 999}") or len(cluster.lines("/crash")) >= part * 1000 + 1000, 60, "the messages to be queued")
            server.stop(signal.SIGKILL)
        server.start()
        server.until(lambda: destination.counters(server, "dst.hdfs").get("queued", 1) == 0, 60, "the queue to be empty")
        lines = cluster.lines("/crash")
        assert set(lines) == {text for _, text in numbers(count)}, len(set(lines))
        # A batch that was in flight at a kill may be there twice.
        assert len(lines) <= count + 3 * 1000, len(lines)
    finally:
        server.close()


def test_the_other_name_node_takes_over(binary):
    cluster = Hdfs(nodes=2)
    server = Server(binary, hdfs(cluster, 'hdfs-file("/logs/all.log") template("$MSG\\n") batch-lines(50)'))
    try:
        server.start()
        for part in range(3):
            send(server, [("web", f"number {number}") for number in range(part * 200, part * 200 + 200)])
            settled(server, part * 200 + 200)
            cluster.do(f"active {(part + 1) % 2}")
        assert cluster.lines() == [text for _, text in numbers(600)]
    finally:
        server.close()
        cluster.close()


def test_what_an_operator_can_mend_waits(binary):
    cluster = shared()
    server = Server(binary, hdfs(cluster, 'hdfs-file("/closed/$HOST.log") template("$MSG\\n") hdfs-max-filename-length(20)'))
    try:
        cluster.make("/closed", "755")
        server.start()
        send(server, numbers(10))
        says = lambda: subprocess.run([binary, "ctl", "--control", server.folder + "/ctl", "healthcheck"], capture_output=True, text=True, timeout=30).stdout
        server.until(lambda: "AccessControlException" in says(), 20, f"the reason: {server.stderr()}")
        cluster.make("/closed")
        found = settled(server, 10)
        assert (found["written"], found["dead"]) == (10, 0), found
        send(server, numbers(1, "h" * 60))
        settled(server, 11)
        assert [path for path in cluster.files("/closed") if path.startswith("/closed/" + "h" * 20 + ".")], cluster.files("/closed")
    finally:
        server.close()


def test_what_cannot_work_is_refused(binary):
    file = 'hdfs-file("/x")'
    check_refusals(binary, [
        (f'hdfs(hdfs-uri("http://nn:9870") {file} kerberos-principal("a@B"))', "Kerberos is not supported"),
        (f'hdfs(hdfs-uri("http://nn:9870") {file} kerberos-keytab-file("/k"))', "Kerberos is not supported"),
        (f'hdfs(hdfs-uri("nn") {file})', "the address of a NameNode is"),
        ('hdfs(hdfs-uri("http://nn:9870") hdfs-file("x"))', "is the path of a file"),
        (f'hdfs(hdfs-uri("http://nn:9870") {file} hdfs-archive-dir("/a/../b"))', "is the path of a folder"),
        ('hdfs(hdfs-uri("http://nn:9870"))', "hdfs-file"),
    ])
