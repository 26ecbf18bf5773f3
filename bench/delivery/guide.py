"""Tables 4, 5, 7, 10 and 11 of the configuration guideline of syslog-ng PE 6: types of storage, disk buffers, acknowledgements; messages of
400 bytes over 10 and 100 connections.

In: a number of messages. Out: the rate of each row beside the published one, CPU a message. Every row counts what was stored."""

import glob
import multiprocessing
import os
import socket
import statistics
import time

from loggers import cost
from postgres import Postgres
from server import Server, free_port
from traffic import send_plain, send_relp

SIZE = 400
HOSTS = [f"host{number:03}" for number in range(200)]
HEAD = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); create-dirs(yes); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) transport("tcp") max-connections(300) log-iw-size(10000000)); }};
source s_relp {{ relp(ip("127.0.0.1") port(@RELP@) max-connections(300) log-iw-size(10000000)); }};
destination d {{ @DESTINATION@; }};
log {{ source(s_tcp); source(s_relp); destination(d); flags(flow-control); }};
"""


class Bench:
    """One row: a server with one destination, messages, and a count of what arrived."""

    def __init__(self, binary, destination, target=None):
        self.target = target
        self.server, self.relp = Server(binary, ""), free_port()
        self.server.write_config(HEAD.replace("@DESTINATION@", destination).replace("@RELP@", str(self.relp)))
        self.server.start(within=60)

    def run(self, send, connections, count):
        """Messages a second until all are stored, CPU microseconds a message."""
        pid, port = self.server.process.pid, self.relp if send is send_relp else self.server.port
        before, began = cost(pid)[0], time.monotonic()
        send(port, connections, count, HOSTS, SIZE)
        ended = self.target.wait(self, count) - began
        return count / ended, (cost(pid)[0] - before) * 1e6 / count

    def close(self):
        self.server.close()
        self.target.close()


class Target:
    """Where messages are counted."""

    def wait(self, bench, count, within=600):
        end, seen, changed = time.monotonic() + within, -1, time.monotonic()
        while True:
            found = self.count(bench)
            if found != seen:
                seen, changed = found, time.monotonic()
            if found >= count:
                assert found == count, f"{found} of {count}"
                return changed
            assert time.monotonic() < end, f"{found} of {count} after {within} s"
            time.sleep(0.02)

    def close(self):
        pass


class Files(Target):
    """Lines in files; they are counted once nothing grows any more."""

    def wait(self, bench, count, within=600):
        paths = lambda: glob.glob(bench.server.folder + "/out/*")
        size = lambda: sum(map(os.path.getsize, paths()))
        before = -1
        while (now := size()) != before or not now:
            before = now
            time.sleep(0.5)
        ended = max(map(os.path.getmtime, paths())) - time.time() + time.monotonic()
        lines = sum(chunk.count(b"\n") for path in paths() for chunk in chunks(path))
        assert lines == count, f"{lines} of {count} lines"
        return ended


def chunks(path):
    with open(path, "rb") as text:
        while data := text.read(1 << 22):
            yield data


class Logspaces(Target):
    def count(self, bench):
        time.sleep(0.1)
        return sum(bench.server.search("", logspace=row["name"])["total"] for row in bench.server.call("logspaces"))


class Sink(Target):
    """A process that reads and counts lines."""

    def __init__(self):
        self.lines = multiprocessing.Value("q", 0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.process = multiprocessing.Process(target=self.serve, daemon=True)
        self.process.start()

    def serve(self):
        buffer = bytearray(1 << 20)
        while True:
            peer, _ = self.listener.accept()
            while size := peer.recv_into(buffer):
                self.lines.value += buffer.count(b"\n", 0, size)

    def count(self, bench):
        return self.lines.value

    def close(self):
        self.process.kill()
        self.listener.close()


class Peer(Target):
    """Another server of ours, which answers each message when it has written it."""

    def __init__(self, binary):
        self.server = Server(binary, "")
        self.port = free_port()
        self.server.write_config("""@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s {{ relp(ip("127.0.0.1") port(%d) log-iw-size(10000000)); }};
destination d {{ file("{folder}/out"); }};
log {{ source(s); destination(d); flags(flow-control); }};
""" % self.port)
        self.server.start(within=60)

    def count(self, bench):
        rows = [line.split(";") for line in self.server.ctl("stats").splitlines() if line.startswith("dst.file;")]
        time.sleep(0.1)
        return sum(int(row[5]) for row in rows if row[4] == "written" and row[2])

    def close(self):
        self.server.close()


class Table(Target):
    def __init__(self):
        self.postgres = Postgres()

    def count(self, bench):
        rows = [line.split(";") for line in bench.server.ctl("stats").splitlines() if line.startswith("dst.sql;")]
        found = sum(int(row[5]) for row in rows if row[4] == "written" and row[2])
        time.sleep(0.1)
        return int(self.postgres.sql("SELECT count(*) FROM m")[0]) if rows and found else found

    def close(self):
        self.postgres.close()


class Index(Target):
    def __init__(self, node):
        self.node = node
        node.empty()
        self.port = node.component.port

    def count(self, bench):
        time.sleep(0.05)
        return self.node.indexed()


# A row: its name, its table, the rates published for 10 and 100 connections, the share of the messages that it gets, who sends, the destination and
# where it is counted.
FILE, FILES = 'file("{folder}/out/all")', 'file("{folder}/out/$HOST")'
BUFFER = "disk-buffer(capacity-bytes(1000M) reliable(%s))"
NETWORK = 'network("127.0.0.1" port(@PORT@) transport("tcp") %s)'
OPENSEARCH = 'opensearch(url("http://127.0.0.1:@PORT@/_bulk") index("logs") template("$(format-json host=$HOST message=$MSG)") batch-timeout(100) %s)'
SQL = 'sql(type(pgsql) host("@FOLDER@") username("test") database("postgres") table("m") columns("host", "message") values("$HOST", "$MSG"))'


def rows(binary, node):
    """The rows of the tables; what they need is started when they run."""
    peer, index = lambda: Peer(binary), lambda: Index(node)
    return [
        ("4/5", "plain text file", (290000, 425000), 1.0, send_plain, FILE, Files),
        ("4/5", "a text file for each of 200 hosts", (590000, 565000), 1.0, send_plain, FILES, Files),
        ("4/5", "logstore: logspace()", (210000, 210000), 1.0, send_plain, 'logspace("main")', Logspaces),
        ("4/5", "network, legacy syslog", (360000, 330000), 1.0, send_plain, NETWORK % "", Sink),
        ("4/5", "network, acknowledged (RLTP there, RELP here)", (35000, 30000), 0.3, send_plain, 'relp("127.0.0.1" port(@PORT@))', peer),
        ("4/5", "SQL: PostgreSQL", (None, None), 0.2, send_plain, SQL, Table),
        ("5", "Elasticsearch, flush_limit(1)", (None, 1500), 0.01, send_plain, OPENSEARCH % "batch-lines(1) workers(1)", index),
        ("5", "Elasticsearch, flush_limit(5000)", (None, 10500), 0.1, send_plain, OPENSEARCH % "batch-lines(5000) workers(2)", index),
        ("7", "no disk buffer", (None, 360000), 1.0, send_plain, NETWORK % "", Sink),
        ("7", "disk buffer, reliable", (None, 40000), 1.0, send_plain, NETWORK % (BUFFER % "yes"), Sink),
        ("7", "disk buffer, normal", (None, 50000), 1.0, send_plain, NETWORK % (BUFFER % "no"), Sink),
        ("10/11", "TCP", (600000, 560000), 1.0, send_plain, FILES, Files),
        ("10/11", "acknowledged (RLTP there, RELP here)", (180000, 180000), 1.0, send_relp, FILES, Files),
    ]


def tables(binary, node, options, report):
    """All rows, with 10 and with 100 connections where the guideline has both."""
    lines = ["| table | row | connections | messages | messages/s | MB/s | CPU us a message | published, messages/s | times |", "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for table, name, published, share, send, destination, make in rows(binary, node):
        if options.rows and not any(word in f"{table} {name}" for word in options.rows.split(",")):
            continue
        for connections, theirs in zip((10, 100), published):
            if theirs is None and any(published):
                continue
            count = max(1000, int(options.guide_messages * share) // 1000 * 1000)
            try:
                runs = [one(binary, destination, make, send, connections, count) for _ in range(options.runs)]
            except AssertionError as error:
                # A row that fails must not hide the others.
                lines.append(f"| {table} | {name} | {connections} | {count:,} | failed: {str(error)[:200]} |")
                print(lines[-1], flush=True)
                continue
            rate, cpu = (statistics.median(values) for values in zip(*runs))
            times = f"{rate / theirs:.1f}" if theirs else ""
            lines.append(f"| {table} | {name} | {connections} | {count:,} | {rate:,.0f} | {rate * SIZE / 1e6:.0f} | {cpu:.2f} | {theirs or 'none'} | {times} |")
            print(lines[-1], flush=True)
            report({"table": table, "row": name, "connections": connections, "messages": count, "rate": round(rate), "cpu_us": round(cpu, 2), "published": theirs or ""})
    return "\n".join(lines)


def drawn(rows):
    """The groups of the plot: each row beside what was published."""
    found = []
    for row in rows:
        theirs = [("syslog-ng PE 6", row["published"], f"{row['published']:,}/s (published)")] if row["published"] else []
        found.append((f"{row['row'].split(' (')[0][:26]}, {row['connections']}", [("duramen", row["rate"], f"{row['rate']:,}/s"), *theirs]))
    return found


def one(binary, destination, make, send, connections, count):
    target = make()
    folder = getattr(getattr(target, "postgres", None), "folder", "")
    bench = Bench(binary, destination.replace("@PORT@", str(getattr(target, "port", 0))).replace("@FOLDER@", folder), target)
    try:
        return bench.run(send, connections, count)
    finally:
        bench.close()
