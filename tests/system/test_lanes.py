"""`lanes()`: severe messages have a queue and a connection of their own, and do not wait behind the others.

`LANES_SECONDS` measures how long they take over a slow link, with and without lanes; `make test` only looks at the order.
"""

import http.server
import os
import re
import select
import socket
import statistics
import subprocess
import threading
import time

import test_sltp as sltp
from peers import StuckPeer
from server import Server, free_port
from test_sltp import Relp, check, counter

SECONDS = int(os.environ.get("LANES_SECONDS", "0"))
FILLER = b"x" * 150
HEAD = """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); stats(level(1)); }};
source s_in {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
"""
# A receiver with one connection for each lane.
NETWORK = HEAD + """
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
destination d_peer {{ network("127.0.0.1" port(PEER) template("<$PRI>$MSG\\n") OPTIONS); }};
log {{ source(s_in); destination(d_file); destination(d_peer); flags(FLAGS); }};
"""
ERR, NOTICE, DEBUG = 11, 13, 15


def line(priority, number, filler=FILLER):
    return b"<%d>1 2026-11-22T10:00:00Z h prog - - - %d %s\n" % (priority, number, filler)


def send(server, messages):
    """Sends pairs of a priority and a number over one connection."""
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        for start in range(0, len(messages), 1000):
            out.sendall(b"".join(line(*message) for message in messages[start:start + 1000]))


def figures(server, name, of="dst.network"):
    """A counter of each destination, by its id."""
    rows = [row.split(";") for row in server.ctl("stats").splitlines()]
    return {row[1]: int(row[5]) for row in rows if len(row) > 5 and row[0] == of and row[4] == name}


class Peer(StuckPeer):
    """A receiver that reads nothing of the connection with other messages until it is allowed to."""

    def __init__(self):
        super().__init__()
        self.lines = {"severe": [], "rest": []}

    def read(self, connection):
        with connection, connection.makefile("rb") as lines:
            begin = connection.recv(4, socket.MSG_PEEK)
            lane = "severe" if begin.startswith(b"<%d>" % ERR) else "rest"
            if lane == "rest":
                self.reads.wait()
            for text in lines:
                priority, number = re.match(rb"<(\d+)>(\d+) x", text).groups()
                assert (int(priority) == ERR) == (lane == "severe"), text
                self.lines[lane].append(int(number))

    def close(self):
        self.reads.set()
        self.listener.close()


def check_passes(binary, options, flags, then):
    """All severe messages arrive, in order, while the receiver reads none of the others."""
    peer = Peer()
    server = Server(binary, NETWORK.replace("PEER", str(peer.port)).replace("OPTIONS", options).replace("FLAGS", flags))
    try:
        server.start()
        messages = [(ERR if number % 50 == 0 else DEBUG, number) for number in range(60_000)]
        send(server, messages)
        severe = [number for priority, number in messages if priority == ERR]
        rest = [number for priority, number in messages if priority != ERR]
        Server.until(lambda: len(peer.lines["severe"]) >= len(severe), 60, "the severe messages")
        assert peer.lines["severe"] == severe
        assert not peer.lines["rest"]
        with open(server.folder + "/out.log") as lines:
            Server.until(lambda: sum(figures(server, "written", "dst.file").values()) == len(messages), 30, "the file")
            assert [int(text.split()[0]) for text in lines] == [number for _, number in messages]
        peer.reads.set()
        Server.until(lambda: sum(figures(server, "queued").values()) == 0, 60, "empty queues")
        written, dropped = figures(server, "written"), figures(server, "dropped")
        assert set(written) == {"d_peer#0", "d_peer#0.err"}, written
        assert written["d_peer#0.err"] == len(severe) and dropped["d_peer#0.err"] == 0
        assert written["d_peer#0"] + dropped["d_peer#0"] == len(rest)
        Server.until(lambda: len(peer.lines["rest"]) == written["d_peer#0"], 30, "the other messages")
        assert peer.lines["rest"] == sorted(peer.lines["rest"]), "a lane keeps the order"
        then(dropped["d_peer#0"])
    finally:
        peer.close()
        server.close()


def drops(count):
    assert count > 0


def keeps(count):
    assert count == 0


def test_severe_messages_pass_a_full_queue(binary):
    check_passes(binary, "lanes(err rest(on-full(drop-newest) log-fifo-size(5000)))", "flow-control", drops)


def test_severe_messages_pass_without_flow_control(binary):
    check_passes(binary, "log-fifo-size(5000) lanes(err)", "", drops)


def test_severe_messages_pass_a_disk_buffer(binary):
    check_passes(binary, "lanes(err) disk-buffer(capacity-bytes(100M))", "flow-control", keeps)


def test_severe_messages_pass_in_a_shared_log(binary):
    check_passes(binary, 'lanes(err) disk-buffer(shared("main") capacity-bytes(100M) reliable(yes))', "flow-control", keeps)


class StuckServer(http.server.ThreadingHTTPServer):
    """Answers requests with severe messages at once, and others when it may; what is poison is refused."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), StuckHandler)
        self.daemon_threads, self.answers, self.lines = True, threading.Event(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.answers.set()
        self.shutdown()
        self.server_close()


class StuckHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        lines = self.rfile.read(int(self.headers["Content-Length"])).decode().split("\n")
        if not lines[0].startswith(f"<{ERR}>"):
            self.server.answers.wait()
        status = 400 if any("poison" in text for text in lines) else 200
        if status == 200:
            self.server.lines.extend(lines)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_severe_messages_pass_a_server_that_does_not_answer(binary):
    """`http()`: requests of a lane do not wait for those of the other, and its dead letters are its own."""
    peer = StuckServer()
    driver = f'http(url("http://127.0.0.1:{peer.server_port}/") body("<$PRI>$MSG") batch-lines(50) timeout(600) lanes(err rest(on-full(drop-newest) log-fifo-size(5000))))'
    text = NETWORK.replace("FLAGS", "flow-control")
    begin = text.index("network(\"127.0.0.1\" port(PEER)")
    server = Server(binary, text[:begin] + driver + text[text.index("; }};", begin):])
    try:
        server.start()
        messages = [(ERR if number % 50 == 0 else DEBUG, number) for number in range(60_000)]
        send(server, messages)
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(line(ERR, 7, b"poison"))
        severe = [f"<{ERR}>{number} {FILLER.decode()}" for priority, number in messages if priority == ERR]
        Server.until(lambda: len(peer.lines) >= len(severe), 60, "the severe messages")
        assert peer.lines == severe
        Server.until(lambda: figures(server, "dead", "dst.http").get("d_peer#0.err") == 1, 30, "the refused message")
        listed = subprocess.run([binary, "queue", "dead", "--control", server.folder + "/ctl", "cat", "d_peer#0.err"],
                                capture_output=True, text=True, timeout=60)
        assert "7 poison" in listed.stdout, listed
        peer.answers.set()
        Server.until(lambda: sum(figures(server, "queued", "dst.http").values()) == 0, 120, "empty queues")
        written, dropped = figures(server, "written", "dst.http"), figures(server, "dropped", "dst.http")
        assert written["d_peer#0.err"] == len(severe) and dropped["d_peer#0.err"] == 0
        assert written["d_peer#0"] + dropped["d_peer#0"] == len(messages) - len(severe) and dropped["d_peer#0"] > 0
    finally:
        peer.close()
        server.close()


class Urgent(Relp):
    """Every tenth message is severe, every hundredth more so."""

    def text(self, number):
        priority = 10 if number % 100 == 0 else ERR if number % 10 == 0 else NOTICE
        return super().text(number).replace(b"<13>", b"<%d>" % priority, 1)


def feed(server, numbers):
    sender = Urgent(server.port)
    sender.send(numbers)
    sender.close()


def test_kills_of_both_sides(binary):
    """Each lane is a stream of its own, and each message is stored once."""
    receiver = Server(binary, sltp.RECEIVER)
    sender = Server(binary, sltp.config(sltp.SENDER, receiver, more="compression(zstd) lanes(crit err)"))
    sltp.storm(binary, [sender, receiver], sltp.KILLS, feed)


def test_kills_of_a_relay(binary):
    receiver = Server(binary, sltp.RECEIVER)
    relay = Server(binary, sltp.config(sltp.RELAY, receiver, "b", "lanes(err)"))
    sender = Server(binary, sltp.config(sltp.SENDER, relay, more="lanes(crit err)"))
    sltp.storm(binary, [sender, relay, receiver], sltp.KILLS, feed)


def test_gaps_are_of_a_lane(binary):
    """The receiver learns what the queue of one lane dropped, with its severities; the other lane loses nothing."""
    receiver = Server(binary, sltp.RECEIVER)
    text = sltp.config(sltp.SENDER, receiver, more="lanes(err rest(on-full(drop-newest) log-fifo-size(1000)))")
    sender = Server(binary, text.replace("disk-buffer(capacity-bytes(100000000) reliable(yes))", ""))
    try:
        receiver.start()
        sender.start()
        feed(sender, range(100))
        check(receiver, 100)
        receiver.stop()
        sltp.feed(sender, range(100, 5000))
        Server.until(lambda: counter(sender, "dropped") > 0, 20, "dropped messages")
        receiver.start()
        Server.until(lambda: counter(sender, "queued") == 0, 30, "empty queues")
        feed(sender, range(5000, 5020))
        told = lambda: re.findall(r"Sender of SLTP lost messages.*", receiver.stderr())
        Server.until(told, 20, "the report")
        dropped = figures(sender, "dropped", "dst.sltp")
        assert dropped["d_next#0"] > 0 and dropped["d_next#0.err"] == 0
        assert len(told()) == 1 and f"severities='notice:{dropped['d_next#0']}'" in told()[0], told()
    finally:
        sender.close()
        receiver.close()


def test_reloads_add_and_remove_lanes(binary):
    """Messages of a lane stay on the disk when it is removed, which is reported, and are delivered when it is there again."""
    receiver = Server(binary, sltp.RECEIVER)
    plain = sltp.config(sltp.SENDER, receiver, more="")
    with_lanes = sltp.config(sltp.SENDER, receiver, more="lanes(err)")
    sender = Server(binary, plain)
    try:
        sender.start()
        feed(sender, range(100))
        sender.write_config(with_lanes)
        sender.ctl("reload")
        feed(sender, range(100, 200))
        assert figures(sender, "queued", "dst.sltp") == {"d_next#0": 190, "d_next#0.err": 10}
        sender.write_config(plain)
        sender.ctl("reload")
        Server.until(lambda: "Destination was removed from the configuration" in sender.stderr(), 30, "the report")
        assert "id='d_next#0.err'" in sender.stderr() and "messages='10'" in sender.stderr()
        feed(sender, range(200, 300))
        sender.stop()
        listed = subprocess.run([binary, "queue", "ls", sender.folder + "/data/disk-buffers"], capture_output=True, text=True)
        assert "d_next#0.err" in listed.stdout, listed
        sender.start()
        Server.until(lambda: "a lane that is no longer configured" in sender.stderr(), 30, "the report at the start")
        receiver.start()
        Server.until(lambda: counter(sender, "queued") == 0, 30, "the lane of all messages")
        Server.until(lambda: receiver.search("number of many", limit=0)["total"] == 290, 20, "them to be found")
        sender.write_config(with_lanes)
        sender.ctl("reload")
        check(receiver, 300)
    finally:
        sender.close()
        receiver.close()


def test_tools_name_the_lane(binary):
    server = Server(binary, NETWORK.replace("PEER", str(free_port())).replace("OPTIONS", "lanes(crit err)").replace("FLAGS", ""))
    try:
        server.start()
        for priority, lane in ((8, "d_peer#0.crit"), (10, "d_peer#0.crit"), (ERR, "d_peer#0.err"), (DEBUG, "d_peer#0")):
            shown = subprocess.run([binary, "explain", server.config, "-m", line(priority, 1).decode(), "--json"],
                                   capture_output=True, text=True, timeout=30)
            assert re.findall(r'"driver":"(d_peer#[^"]*)"', shown.stdout) == [lane], shown
        seen = {}
        for place in ("d_peer#0.err", "d_peer"):
            command = [binary, "ctl", "--control", server.folder + "/ctl", "tap", place, "--template", "$PRI $MSG\n"]
            seen[place] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            # A tap that was opened later than the messages saw none of them.
            for place, wanted in (("d_peer#0.err", {str(ERR)}), ("d_peer", {str(ERR), str(DEBUG)})):
                found = set()
                while not wanted <= found:
                    send(server, [(DEBUG, 1), (ERR, 2)])
                    if select.select([seen[place].stdout], [], [], 0.2)[0]:
                        found.add(seen[place].stdout.readline().split()[0])
                assert found <= wanted, found
        finally:
            for tap in seen.values():
                tap.kill()
                tap.wait()
                tap.stdout.close()
    finally:
        server.close()


class SlowLink:
    """A receiver behind a link of some bits a second. Its connections take turns, a packet each, as they would in a router that is fair."""

    PACKET = 1460

    def __init__(self, bits):
        self.listener = socket.socket()
        # What may be on its way to a receiver over such a link.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(5)
        self.port, self.bytes_a_second = self.listener.getsockname()[1], bits / 8
        self.arrived, self.parts, self.runs = [], {}, True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        free_at = time.monotonic()
        while self.runs:
            ready = select.select([self.listener, *self.parts], [], [], 0.1)[0]
            for connection in ready:
                if connection is self.listener:
                    self.parts[connection.accept()[0]] = b""
                    continue
                data = connection.recv(self.PACKET)
                if not data:
                    connection.close()
                    del self.parts[connection]
                    continue
                free_at = max(free_at, time.monotonic()) + len(data) / self.bytes_a_second
                time.sleep(max(0, free_at - time.monotonic()))
                *lines, self.parts[connection] = (self.parts[connection] + data).split(b"\n")
                now = time.monotonic()
                self.arrived.extend((now, text) for text in lines)

    def of(self, priority):
        begin = b"<%d>" % priority
        return [(at, text) for at, text in self.arrived if text.startswith(begin)]

    def close(self):
        self.runs = False
        self.thread.join()
        for connection in [self.listener, *self.parts]:
            connection.close()


def test_severe_messages_overtake_what_waits_for_a_slow_link(binary):
    """4 MB wait for a link of 1 Mbit/s, half a minute; severe messages that come after them arrive before most of them."""
    link = SlowLink(1e6)
    options = "log-fifo-size(100000) lanes(err)"
    server = Server(binary, NETWORK.replace("PEER", str(link.port)).replace("OPTIONS", options).replace("FLAGS", ""))
    try:
        server.start()
        send(server, [(DEBUG, number) for number in range(20_000)])
        Server.until(lambda: figures(server, "processed").get("d_peer#0") == 20_000, 20, "the queue")
        send(server, [(ERR, number) for number in range(50)])
        Server.until(lambda: len(link.of(ERR)) == 50, 60, "the severe messages")
        assert len(link.of(DEBUG)) < 10_000, len(link.of(DEBUG))
    finally:
        link.close()
        server.close()


def measured(binary, options):
    """Seconds that messages of `emerg` take while ten times as much comes as the link carries."""
    link = SlowLink(1e6)
    server = Server(binary, NETWORK.replace("PEER", str(link.port)).replace("OPTIONS", options).replace("FLAGS", ""))
    sent = {}
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            size, start, done, number = len(line(DEBUG, 0)), time.monotonic(), 0, 0
            while (now := time.monotonic()) < start + SECONDS:
                due = int((now - start) * 10e6 / 8 / size)
                out.sendall(b"".join(line(DEBUG, index) for index in range(done, due)))
                done = due
                if (now - start) * 10 >= number:
                    sent[number] = time.monotonic()
                    out.sendall(line(8, number))
                    number += 1
                time.sleep(0.005)
        Server.until(lambda: len(link.of(8)) + figures(server, "dropped").get("d_peer#0", 0) >= len(sent) and
                     sum(figures(server, "queued").values()) == 0, 120, "empty queues")
        time.sleep(60 if "lanes" not in options else 5)
        took = [at - sent[int(text.split(b">")[1].split()[0])] for at, text in link.of(8)]
        cuts = statistics.quantiles(took, n=100)
        return len(sent), len(took), statistics.median(took), cuts[98]
    finally:
        link.close()
        server.close()


if SECONDS:
    def test_measure(binary):
        for options in ("", "lanes(err)", "on-full(drop-lowest-severity)"):
            sent, came, median, late = measured(binary, options)
            print(f"      {options or 'without lanes'}: {came} of {sent} came, median {median * 1000:.0f} ms, p99 {late * 1000:.0f} ms")
