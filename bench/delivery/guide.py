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
from traffic import blocks, send_plain, send_relp, share, together

SIZE = 400
HOSTS = [f"host{number:03}" for number in range(200)]
HEAD = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); create-dirs(yes); time-reopen(1); }};
source s {{ @SOURCE@; }};
destination d {{ @DESTINATION@; }};
log {{ source(s); destination(d); flags(flow-control); }};
"""
TCP_SOURCE = 'network(ip("127.0.0.1") port({port}) transport("tcp") max-connections(300) log-iw-size(10000000))'
RELP_SOURCE = 'relp(ip("127.0.0.1") port({port}) max-connections(300) log-iw-size(10000000))'
SLTP_SOURCE = 'sltp(ip("127.0.0.1") port({port}) tokens("bench") max-connections(300))'


class Bench:
    """One row: a server with one destination, messages, and a count of what arrived."""

    def __init__(self, binary, send, destination, target):
        self.target, self.send = target, send
        self.server = Server(binary, "")
        source = SLTP_SOURCE if isinstance(send, Sltp) else RELP_SOURCE if send is send_relp else TCP_SOURCE
        self.server.write_config(HEAD.replace("@SOURCE@", source).replace("@DESTINATION@", destination))
        self.server.start(within=60)

    def run(self, connections, count):
        """Messages a second until all are stored, CPU microseconds a message."""
        pid, port, send = self.server.process.pid, self.server.port, self.send
        if isinstance(send, Sltp):
            send.start(port, connections)
        known = self.target.prepare(self)
        before, began = cost(pid)[0], time.monotonic()
        send(port, connections, count, HOSTS, SIZE)
        ended = self.target.wait(self, known + count) - began
        return count / ended, (cost(pid)[0] - before) * 1e6 / count

    def close(self):
        self.server.close()
        self.target.close()
        if isinstance(self.send, Sltp):
            self.send.close()


class Sltp:
    """Sends through another server of ours, with a connection of SLTP for each connection that it gets messages from."""

    def __init__(self, binary, options=""):
        self.binary, self.options, self.server = binary, options, None

    def start(self, port, connections):
        self.server, self.sources = Server(self.binary, ""), [free_port() for _ in range(connections)]
        text = "@version: 4.8\noptions {{ keep-hostname(yes); use-dns(no); stats(level(1)); time-reopen(1); }};\n"
        for index, source in enumerate(self.sources):
            text += (f'source s{index} {{{{ network(ip("127.0.0.1") port({source}) transport("tcp") log-iw-size(100000)); }}}};\n'
                     f'destination d{index} {{{{ sltp("127.0.0.1" port({port}) token("bench") sender-id("bench{index}") window-bytes(4194304) {self.options}); }}}};\n'
                     f"log {{{{ source(s{index}); destination(d{index}); flags(flow-control); }}}};\n")
        self.server.write_config(text)
        self.server.start(within=60)

    def __call__(self, _, connections, count, hosts, size):
        block, shares = blocks(hosts, size), share(count // 1000, connections)

        def work(index):
            with socket.create_connection(("127.0.0.1", self.sources[index]), timeout=600) as peer:
                for _ in range(shares[index]):
                    peer.sendall(block)
        together(connections, work)

    def close(self):
        if self.server:
            self.server.close()


class Target:
    """Where messages are counted."""

    def prepare(self, bench):
        """What has to be there before the clock starts; returns how many messages that took."""
        return 0

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


class Logspace(Target):
    def __init__(self, name):
        self.name, self.pause = name, 0.05

    def count(self, bench):
        # A search of two hundred logspaces costs more than to store a thousand messages: not more often than needed.
        self.pause = min(2 * self.pause, 1.0)
        time.sleep(self.pause)
        return bench.server.search("", logspace=self.name)["total"]


class Logspaces(Logspace):
    """A logspace for each host. They are made before the clock starts, and how long that takes is printed."""

    def prepare(self, bench):
        began = time.monotonic()
        send_plain(bench.server.port, 1, 1000, HOSTS, SIZE)
        self.wait(bench, 1000)
        self.pause = 0.05
        print(f"{len(HOSTS)} logspaces were made in {time.monotonic() - began:.1f} s", flush=True)
        return 1000


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

    def __init__(self, binary, source):
        self.server = Server(binary, "")
        self.port = self.server.port
        self.server.write_config(HEAD.replace("@SOURCE@", source).replace("@DESTINATION@", 'file("{folder}/out/all")'))
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
SLTP = 'sltp("127.0.0.1" port(@PORT@) token("bench") %s)'
OPENSEARCH = 'opensearch(url("http://127.0.0.1:@PORT@/_bulk") index("logs") template("$(format-json host=$HOST message=$MSG)") batch-timeout(100) %s)'
SQL = 'sql(type(pgsql) host("@FOLDER@") username("test") database("postgres") table("m") columns("host", "message") values("$HOST", "$MSG"))'


def rows(binary, node):
    """The rows of the tables; what they need is started when they run."""
    peer = lambda source: lambda: Peer(binary, source)
    relp, sltp = peer(RELP_SOURCE), peer(SLTP_SOURCE)
    index = lambda: Index(node)
    return [
        ("4/5", "plain text file", (290000, 425000), 1.0, send_plain, FILE, Files),
        ("4/5", "a text file for each of 200 hosts", (590000, 565000), 1.0, send_plain, FILES, Files),
        ("4/5", "logstore: logspace()", (210000, 210000), 1.0, send_plain, 'logspace("main")', lambda: Logspace("main")),
        ("4/5", "a logstore for each of 200 hosts", (560000, 580000), 0.5, send_plain, 'logspace("log-$HOST")', lambda: Logspaces("log-all")),
        ("4/5", "network, legacy syslog", (360000, 330000), 1.0, send_plain, NETWORK % "", Sink),
        ("4/5", "network, acknowledged: SLTP (RLTP there)", (35000, 30000), 1.0, send_plain, SLTP % "", sltp),
        ("4/5", "network, acknowledged, compressed: SLTP (RLTP there)", (20000, 20000), 1.0, send_plain, SLTP % "compression(zstd)", sltp),
        ("4/5", "network, acknowledged: RELP (RLTP there)", (35000, 30000), 0.3, send_plain, 'relp("127.0.0.1" port(@PORT@))', relp),
        ("4/5", "SQL: PostgreSQL", (None, None), 0.2, send_plain, SQL, Table),
        ("5", "Elasticsearch, flush_limit(1)", (None, 1500), 0.01, send_plain, OPENSEARCH % "batch-lines(1) workers(1)", index),
        ("5", "Elasticsearch, flush_limit(5000)", (None, 10500), 0.1, send_plain, OPENSEARCH % "batch-lines(5000) workers(2)", index),
        ("7", "no disk buffer", (None, 360000), 1.0, send_plain, NETWORK % "", Sink),
        ("7", "disk buffer, reliable", (None, 40000), 1.0, send_plain, NETWORK % (BUFFER % "yes"), Sink),
        ("7", "disk buffer, normal", (None, 50000), 1.0, send_plain, NETWORK % (BUFFER % "no"), Sink),
        ("10/11", "TCP", (600000, 560000), 1.0, send_plain, FILES, Files),
        ("10/11", "acknowledged: SLTP (RLTP there)", (180000, 180000), 1.0, Sltp(binary), FILES, Files),
        ("10/11", "acknowledged: RELP (RLTP there)", (180000, 180000), 1.0, send_relp, FILES, Files),
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
    bench = Bench(binary, send, destination.replace("@PORT@", str(getattr(target, "port", 0))).replace("@FOLDER@", folder), target)
    try:
        return bench.run(connections, count)
    finally:
        bench.close()
