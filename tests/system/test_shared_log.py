"""Destinations that share a log on disk: a message is there once, and each destination has its own place and its own limit."""

import os
import re
import signal
import socket
import subprocess
import tempfile

from peers import StuckPeer
from server import Server, waits_for
from test_isolation import FILLER

MESSAGES = 60_000
# More than the kernel's buffers, memory and a small limit hold together.
MANY = 120_000
CONFIG = """@version: 4.9
options {{ keep-hostname(yes); use-dns(no); stats-freq(0); }};
source s_in {{ network(ip("127.0.0.1") port({port}) flags(no-parse)); }};
DESTINATIONS
log {{ source(s_in); PATH flags(flow-control); }};
"""
SHARED = 'disk-buffer(shared("main") reliable(yes) capacity-bytes({size}))'


def shared(size="64Mi"):
    return SHARED.format(size=size)


def file(name, options=None):
    return f'destination d_{name} {{{{ file("{{folder}}/{name}.log" template("$MSG\\n") {options or shared()}); }}}};\n'


def peer(port, options=None):
    return (f'destination d_peer {{{{ network("127.0.0.1" port({port}) template("$MSG\\n") time-reopen(1) '
            f'{options or shared()}); }}}};\n')


def config(*destinations):
    names = re.findall(r"destination (d_\w+)", "".join(destinations))
    path = " ".join(f"destination({name});" for name in names)
    return CONFIG.replace("DESTINATIONS", "".join(destinations)).replace("PATH", path)


def send(server, numbers):
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        for start in range(numbers.start, numbers.stop, 1000):
            part = range(start, min(start + 1000, numbers.stop))
            out.sendall(b"".join(b"%d %s\n" % (number, FILLER) for number in part))


def numbers(server, name):
    try:
        with open(f"{server.folder}/{name}.log") as lines:
            return [int(line.split()[0]) for line in lines if line.endswith("\n")]
    except FileNotFoundError:
        return []


def balance(server, name):
    row = next(line for line in server.ctl("stats", "balance").splitlines() if f";d_{name}#0;" in line)
    assert "missing" not in row and "unaccounted" not in row, row
    return {reason: int(count) for count, reason in re.findall(r"(\d+) ([a-z_]+)", row.split("=", 1)[1])}


def log_folder(server):
    return server.folder + "/data/disk-buffers/main.shared"


def journal_bytes(server):
    return sum(os.path.getsize(os.path.join(log_folder(server), name)) for name in os.listdir(log_folder(server))
               if name.startswith("journal-") and name.endswith(".dj"))


def queue(binary, *words, good=True):
    done = subprocess.run([os.path.abspath(binary), "queue", *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) == good, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_a_stuck_peer_stops_no_neighbour_and_messages_are_on_disk_once(binary):
    stuck = StuckPeer()
    # Its files have a megabyte each.
    options = shared("16Mi")
    server = Server(binary, config(file("one", options), file("two", options), peer(stuck.port, options)))
    server.start()
    try:
        send(server, range(MESSAGES))
        for name in ("one", "two"):
            Server.until(lambda: len(numbers(server, name)) == MESSAGES, 30, f"{name} to have every message")
            assert numbers(server, name) == list(range(MESSAGES))
        assert not stuck.lines
        wanted = MESSAGES * len(FILLER)
        assert wanted / 2 < journal_bytes(server) < wanted * 1.5, journal_bytes(server)
        stuck.reads.set()
        Server.until(lambda: len(stuck.lines) >= MESSAGES, 30, "the peer to have every message")
        assert stuck.lines == list(range(MESSAGES)), "in order, each once"
        for name in ("one", "two", "peer"):
            Server.until(lambda: balance(server, name) == {"written": MESSAGES}, 30, "all to be counted")
        # Nobody needs the log any more: all but its last file is removed.
        Server.until(lambda: journal_bytes(server) < wanted / 2, 30, "the log to be freed")
    finally:
        stuck.reads.set()
        stuck.listener.close()
        server.close()


def test_kills_lose_nothing_and_each_destination_continues_at_its_own_place(binary):
    stuck = StuckPeer()
    server = Server(binary, config(file("one"), file("two"), peer(stuck.port)))
    sent = 0
    try:
        for kill in range(4):
            server.start()
            send(server, range(sent, sent + 10_000))
            sent += 10_000
            # What the sender wrote is read when it is in a file; then it is on the disk for all.
            Server.until(lambda: len(set(numbers(server, "one"))) == sent, 30, "one file to have every message")
            server.stop(signal.SIGKILL)
        server.start()
        stuck.reads.set()
        for name in ("one", "two"):
            Server.until(lambda: set(numbers(server, name)) == set(range(sent)), 30, f"{name} to have every message")
        Server.until(lambda: set(stuck.lines) == set(range(sent)), 30, "the peer to have every message")
        for name in ("one", "two", "peer"):
            Server.until(lambda: "queued" not in balance(server, name), 30, "all to be counted")
        before = [len(numbers(server, "one")), len(numbers(server, "two"))]
        server.stop()
        # After a clean stop nothing comes twice.
        server.start()
        send(server, range(sent, sent + 10))
        Server.until(lambda: len(numbers(server, "one")) == before[0] + 10, 30, "the last messages")
        Server.until(lambda: len(numbers(server, "two")) == before[1] + 10, 30, "the last messages")
    finally:
        stuck.reads.set()
        stuck.listener.close()
        server.close()


def check_limit(binary, policy, size, then):
    """A destination at its limit does what its policy says; its neighbour with another limit gets everything."""
    stuck = StuckPeer()
    server = Server(binary, config(file("one"), peer(stuck.port, shared(size) + f" on-full({policy})")))
    server.start()
    try:
        send(server, range(MANY))
        Server.until(lambda: len(numbers(server, "one")) == MANY, 30, "the file to have every message")
        Server.until(lambda: journal_bytes(server) < 5 << 20, 30, "the log to be no longer than what the peer may be behind")
        stuck.reads.set()
        Server.until(lambda: balance(server, "peer").get("queued", 0) == 0, 20, "the queue to be empty")
        counted = balance(server, "peer")
        assert sum(counted.values()) == MANY, counted
        Server.until(lambda: len(stuck.lines) == counted["written"], 30, "the peer to have what was written")
        assert stuck.lines == sorted(set(stuck.lines)), "in order, each once"
        then(counted, stuck.lines)
        assert balance(server, "one") == {"written": MANY}
    finally:
        stuck.reads.set()
        stuck.listener.close()
        server.close()


def test_the_newest_are_dropped_for_one_destination_only(binary):
    def then(counted, lines):
        assert counted["queue_full"] > 0 and lines[:3000] == list(range(3000)), "what came first is there"
    check_limit(binary, "drop-newest", "1Mi", then)


def test_the_oldest_are_dropped_for_one_destination_only(binary):
    def then(counted, lines):
        assert counted["queue_full_oldest"] > 0 and lines[-2000:] == list(range(MANY - 2000, MANY)), "what came last is there"
    check_limit(binary, "drop-oldest", "3Mi", then)


@waits_for(4)
def test_a_destination_at_its_limit_holds_the_sources(binary):
    stuck = StuckPeer()
    server = Server(binary, config(file("one"), peer(stuck.port, shared("1Mi"))))
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.settimeout(3)
            sent = 0
            try:
                while sent < 400_000:
                    part = range(sent, sent + 1000)
                    out.sendall(b"".join(b"%d %s\n" % (number, FILLER) for number in part))
                    sent += 1000
            except socket.timeout:
                pass
            assert sent < 400_000, "the sender is held"
            stuck.reads.set()
            Server.until(lambda: len(stuck.lines) >= sent, 30, "the peer to have every message")
        Server.until(lambda: len(numbers(server, "one")) >= sent, 30, "the file to have every message")
        assert stuck.lines[:sent] == numbers(server, "one")[:sent] == list(range(sent))
    finally:
        stuck.reads.set()
        stuck.listener.close()
        server.close()


def test_what_others_get_does_not_pile_up_behind_a_destination_that_holds(binary):
    def text(port):
        both = config(file("one", shared("4Mi")), peer(port, shared("4Mi") + " on-full(hold)"))
        # The peer gets two messages in ten.
        own = 'log {{ source(s_in); filter {{ message("^[0-9]*[05] ") }}; destination(d_peer); flags(flow-control); }};\n'
        return both.replace("destination(d_peer);", "") + own

    # Nobody listens on this port.
    server = Server(binary, text(9))
    wanted = list(range(0, MANY, 5))
    stuck = StuckPeer()
    stuck.reads.set()
    try:
        for sent in range(MANY // 3, MANY + 1, MANY // 3):
            server.start()
            send(server, range(sent - MANY // 3, sent))
            Server.until(lambda: len(set(numbers(server, "one"))) == sent, 30, "the file to have every message")
            # All of it is more than twice as long.
            Server.until(lambda: journal_bytes(server) < 6 << 20, 30, "the log to be short")
            # The sender does not learn what is on the disk. What came before a message that only the file gets is there with it.
            due = sum(number < sent for number in wanted)
            Server.until(lambda: balance(server, "peer").get("queued") == due, 30, "the peer's messages to be taken")
            lines = len(numbers(server, "one"))
            send(server, range(1, 2))
            Server.until(lambda: len(numbers(server, "one")) > lines, 30, "the file to have another message")
            server.stop(signal.SIGKILL)
        assert any(name.startswith("backlog-") for name in os.listdir(log_folder(server)))
        shown = lambda: queue(binary, "cat", "-t", "$MSG\\n", log_folder(server) + "/d_peer#0.consumer").split()[0::2]
        assert shown() == [str(number) for number in wanted], "all of it waits, in its order"
        # To another file system and back, which a memory file system is; the backlog goes with its log, and not alone.
        with tempfile.TemporaryDirectory(prefix="duramen-shared-", dir="/dev/shm") as elsewhere:
            backlog = next(name for name in os.listdir(log_folder(server)) if name.startswith("backlog-"))
            assert "no queue" in queue(binary, "relocate", "--new-path", elsewhere, f"{log_folder(server)}/{backlog}", good=False)
            queue(binary, "relocate", "--new-path", elsewhere, log_folder(server))
            assert not os.path.exists(log_folder(server)) and os.path.isdir(f"{elsewhere}/main.shared/{backlog}")
            queue(binary, "relocate", "--new-path", os.path.dirname(log_folder(server)), elsewhere)
            assert not os.listdir(elsewhere)
        assert shown() == [str(number) for number in wanted], "all of it has moved"
        server.write_config(text(stuck.port))
        server.start()
        Server.until(lambda: len(stuck.lines) >= len(wanted), 20, "the peer to have its messages")
        assert stuck.lines == wanted
        Server.until(lambda: balance(server, "peer") == {"written": len(wanted)}, 30, "all to be counted")
    finally:
        stuck.listener.close()
        server.close()


def test_destinations_come_and_go_with_a_reload(binary):
    stuck = StuckPeer()
    server = Server(binary, config(file("one"), peer(stuck.port)))
    server.start()
    try:
        send(server, range(100))
        Server.until(lambda: len(numbers(server, "one")) == 100, 30, "the file")
        # The peer goes, another file comes: it begins with the next message.
        server.write_config(config(file("one"), file("two")))
        server.ctl("reload")
        send(server, range(100, 200))
        Server.until(lambda: numbers(server, "two") == list(range(100, 200)), 30, "the new file")
        # The peer comes back and gets what waited for it.
        server.write_config(config(file("one"), file("two"), peer(stuck.port)))
        server.ctl("reload")
        send(server, range(200, 300))
        stuck.reads.set()
        wanted = list(range(100)) + list(range(200, 300))
        Server.until(lambda: len(set(stuck.lines)) >= len(wanted), 30, "the peer to have its messages")
        # What the kernel took of the first connection may come twice.
        assert sorted(set(stuck.lines)) == wanted
        Server.until(lambda: numbers(server, "one") == list(range(300)), 30, "the file that stayed")
    finally:
        stuck.reads.set()
        stuck.listener.close()
        server.close()


def test_queues_of_a_shared_log_are_shown_moved_and_taken_over(binary):
    # Nobody listens on this port.
    server = Server(binary, config(file("one"), peer(9)))
    server.start()
    try:
        send(server, range(500))
        Server.until(lambda: len(numbers(server, "one")) == 500, 30, "the file")
        folder, buffers = log_folder(server), server.folder + "/data/disk-buffers"
        assert "in use" in queue(binary, "info", folder, good=False)
        server.stop()
        rows = [("ls", buffers), ("info", folder), ("info", folder + "/d_peer#0.consumer")]
        for row in rows:
            assert "500" in queue(binary, *row) and "d_peer#0" in queue(binary, *row), row
        assert queue(binary, "cat", "-t", "$MSG\\n", folder).split()[0::2] == [str(number) for number in range(500)]
        assert "bytes freed" in queue(binary, "truncate", buffers)
        assert "name the folder" in queue(binary, "relocate", "--new-path", server.folder, folder + "/d_peer#0.consumer", good=False)
        queue(binary, "relocate", "--new-path", server.folder, folder)
        queue(binary, "relocate", "--new-path", buffers, server.folder + "/main.shared")
        # To a destination of another name, in the log; then to a queue of its own, which a start takes into the log.
        queue(binary, "assign", "--name", "d_other#0", folder + "/d_peer#0.consumer")
        said = queue(binary, "import", "--into", buffers + "/d_two#0", folder + "/d_other#0.consumer")
        assert "500 messages added" in said, said
        assert sorted(name for name in os.listdir(folder) if name.endswith(".consumer")) == ["d_one#0.consumer"]
        server.write_config(config(file("one"), file("two")))
        server.start()
        Server.until(lambda: numbers(server, "two") == list(range(500)), 30, "the other destination")
        assert not os.path.exists(buffers + "/d_two#0")
        server.stop()
        assert "500" not in queue(binary, "ls", buffers)
    finally:
        server.close()


def test_what_is_not_possible_is_refused(binary):
    rows = [('disk-buffer(shared("main") capacity-bytes(1Mi))', "shared() needs reliable(yes)"),
            ('disk-buffer(shared("a/b") reliable(yes) capacity-bytes(1Mi))', "cannot be the name of a shared log"),
            ('disk-buffer(shared("main") reliable(yes) prealloc(yes) capacity-bytes(1Mi))', "prealloc() is not possible"),
            (shared() + ' persist-name("other")', None)]
    for options, reason in rows:
        server = Server(binary, config(file("one", options)))
        try:
            run = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
            said = run.stdout + run.stderr
            assert (run.returncode == 0) == (reason is None) and (reason or "") in said, said
        finally:
            server.close()
