"""Destinations of one path do not stop each other: a peer that accepts nothing beside a file, with flow control."""

import re
import socket
import subprocess

from peers import StuckPeer
from server import Server

MESSAGES = 60_000
FILLER = b"x" * 100
CONFIG = """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); }};
source s_in {{ network(ip("127.0.0.1") port({port})); }};
destination d_file {{ file("{folder}/out.log" template("$MSG\\n")); }};
destination d_peer {{ network("127.0.0.1" port(PEER) template("$MSG\\n") time-reopen(1) OPTIONS); }};
log {{ source(s_in); destination(d_file); destination(d_peer); flags(flow-control); }};
"""


def send(server):
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        for start in range(0, MESSAGES, 1000):
            numbers = range(start, start + 1000)
            out.sendall(b"".join(b"<%d>Nov 21 09:00:00 web app: %d %s\n" % (8 + number % 8, number, FILLER)
                                 for number in numbers))


def numbers_of_file(server):
    try:
        with open(server.folder + "/out.log") as lines:
            return [int(line.split()[0]) for line in lines if line.endswith("\n")]
    except FileNotFoundError:
        return []


def balance(server):
    """The reasons in the row of the peer, and anything that does not add up."""
    row = next(line for line in server.ctl("stats", "balance").splitlines() if line.startswith("dst.network;"))
    return {reason: int(count) for count, reason in re.findall(r"(\d+) ([a-z_]+)", row.split("=", 1)[1])}


def check_isolated(binary, options, then):
    """The file gets every message while the peer is stuck; `then` looks at what the peer gets afterwards."""
    peer = StuckPeer()
    server = Server(binary, CONFIG.replace("PEER", str(peer.port)).replace("OPTIONS", options))
    server.start()
    try:
        send(server)
        Server.until(lambda: len(numbers_of_file(server)) == MESSAGES, 30, "the file to have every message")
        assert numbers_of_file(server) == list(range(MESSAGES))
        assert not peer.lines
        then(server, peer)
    finally:
        peer.reads.set()
        peer.listener.close()
        server.close()


def gets_everything(server, peer):
    peer.reads.set()
    Server.until(lambda: len(peer.lines) >= MESSAGES, 30, "the peer to have every message")
    assert peer.lines == list(range(MESSAGES)), "in order, each once"
    Server.until(lambda: balance(server) == {"written": MESSAGES}, 30, "all to be counted")


def test_a_stuck_peer_with_a_disk_buffer_stops_no_neighbour(binary):
    check_isolated(binary, "disk-buffer(capacity-bytes(64Mi))", gets_everything)


def test_a_stuck_peer_with_a_reliable_disk_buffer_stops_no_neighbour(binary):
    check_isolated(binary, "disk-buffer(capacity-bytes(64Mi) reliable(yes))", gets_everything)


def check_drops(binary, options, reason, look):
    """The queue of a stuck peer keeps what its policy says, and the rest is counted under the policy's reason."""
    def then(server, peer):
        Server.until(lambda: balance(server).get(reason, 0) > 0, 30, "messages to be dropped")
        peer.reads.set()
        Server.until(lambda: balance(server).get("queued", 0) == 0, 20, "the queue to be empty")
        counted = balance(server)
        assert counted["written"] + counted[reason] == MESSAGES, counted
        Server.until(lambda: len(peer.lines) == counted["written"], 30, "the peer to have what was written")
        assert peer.lines == sorted(set(peer.lines)), "in order, each once"
        look(peer.lines)
        metric = rf'syslogng_output_events_total{{[^}}]*driver="network"[^}}]*reason="{reason}"[^}}]*}} {counted[reason]}\b'
        assert re.search(metric, server.text("/metrics")), reason
    check_isolated(binary, options, then)


def test_a_full_queue_drops_the_newest_when_it_may(binary):
    def look(lines):
        assert lines[:5000] == list(range(5000)), "what came first is there"
    check_drops(binary, "log-fifo-size(5000) on-full(drop-newest)", "queue_full", look)


def test_a_full_queue_drops_the_oldest_when_it_may(binary):
    def look(lines):
        assert lines[-5000:] == list(range(MESSAGES - 5000, MESSAGES)), "what came last is there"
    check_drops(binary, "log-fifo-size(5000) on-full(drop-oldest)", "queue_full_oldest", look)


def test_a_full_queue_drops_the_least_severe_when_it_may(binary):
    def look(lines):
        severe, mild = ([number for number in lines if number % 8 == severity] for severity in (0, 7))
        assert severe == list(range(0, MESSAGES, 8)), "the most severe are all there"
        assert len(mild) < len(severe), "the least severe gave way"
    check_drops(binary, "log-fifo-size(5000) on-full(drop-lowest-severity)", "queue_full_severity", look)


def test_a_full_disk_buffer_drops_when_it_may(binary):
    def look(lines):
        assert lines[:3000] == list(range(3000)), "what came first is there"
    check_drops(binary, "disk-buffer(capacity-bytes(1Mi)) on-full(drop-newest)", "queue_full", look)


def test_a_disk_buffer_cannot_drop_the_oldest(binary):
    server = Server(binary, CONFIG.replace("PEER", "9").replace(
        "OPTIONS", "disk-buffer(capacity-bytes(1Mi)) on-full(drop-oldest)"))
    try:
        run = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
        assert run.returncode != 0 and "drop-oldest" in run.stdout + run.stderr, run
    finally:
        server.close()


def test_a_normal_disk_buffer_survives_restarts_and_uses_the_disk_only_when_needed(binary):
    """While the peer keeps up, nothing is on disk; messages in memory at a stop are still there after it."""
    peer = StuckPeer()
    peer.reads.set()
    server = Server(binary, CONFIG.replace("PEER", str(peer.port)).replace("OPTIONS", "disk-buffer(capacity-bytes(64Mi))"))
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"".join(b"<13>Nov 21 09:00:00 web app: %d\n" % number for number in range(10)))
        Server.until(lambda: len(peer.lines) == 10, 30, "the peer to have ten messages")
        server.stop()
        server.write_config(CONFIG.replace("PEER", "9").replace("OPTIONS", "disk-buffer(capacity-bytes(64Mi))"))
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"".join(b"<13>Nov 21 09:00:00 web app: %d\n" % number for number in range(10, 1000)))
        Server.until(lambda: len(numbers_of_file(server)) == 1000, 30, "the file to have every message")
        server.stop()
        queue = subprocess.run([binary, "queue", "info", server.folder + "/data/disk-buffers"],
                            check=True, capture_output=True, text=True, timeout=30).stdout
        assert "Messages: 990\n" in queue, queue
    finally:
        peer.listener.close()
        server.close()
