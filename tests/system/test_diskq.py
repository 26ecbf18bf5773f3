"""Queue files of syslog-ng's disk buffers, written by syslog-ng itself: shown, taken over, delivered. And queues of ours that move."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

from server import Server, free_port

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEER = os.path.join(ROOT, "tools/syslog-ng.sh")
FILLER = "x" * 100
THEIRS = """@version: 3.38
options {{ keep-hostname(yes); keep-timestamp(yes); use-dns(no); }};
source s {{ syslog(ip(127.0.0.1) port({port}) transport(tcp) tags("first", "second") flags(store-raw-message)); }};
parser p {{ csv-parser(columns("c1", "c2") template("$MSG") delimiters(" ") prefix(".csv.")); }};
destination d {{ network("127.0.0.1" port({peer}) so-sndbuf(8192) time-reopen(600)
    disk-buffer(disk-buf-size(1100000) reliable({reliable}) {memory} dir("{folder}"))); }};
log {{ source(s); parser(p); destination(d); }};
"""
OURS = """@version: 4.9
source s_none {{ network(ip("127.0.0.1") port({port})); }};
destination d_file {{ file("{folder}/out.log" template("$S_UNIXTIME|$HOST|$PROGRAM|$PID|$SDATA|$MSG|$TAGS|${{.csv.c2}}\\n")
    disk-buffer(capacity-bytes(20M) reliable(yes))); }};
log {{ source(s_none); destination(d_file); }};
"""


class Receiver:
    """Takes a number of lines, and then nothing more."""

    def __init__(self, lines):
        self.lines, self.may_read, self.has_read = lines, threading.Event(), threading.Event()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(1)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            self.peer, _ = self.listener.accept()
            self.may_read.wait()
            lines = self.peer.makefile("rb")
            for _ in range(self.lines):
                lines.readline()
            self.has_read.set()


@contextlib.contextmanager
def syslog_ng(folder, reliable, peer):
    """A syslog-ng whose destination has a disk buffer in the folder; yields its process and a connection to it."""
    port = free_port()
    memory = "mem-buf-size(50000)" if reliable == "yes" else "qout-size(64)"
    with open(folder + "/theirs.conf", "w") as out:
        out.write(THEIRS.format(port=port, peer=peer, reliable=reliable, memory=memory, folder=folder))
    with open(folder + "/theirs.log", "w") as log:
        words = ["-F", "-f", folder + "/theirs.conf", "-R", folder + "/persist", "-c", folder + "/theirs.ctl",
                 "--pidfile", folder + "/pid", "--no-caps"]
        process = subprocess.Popen([PEER, "syslog-ng", *words], stderr=log)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                assert time.monotonic() < deadline and process.poll() is None, open(folder + "/theirs.log").read()
                time.sleep(0.05)
        with connection:
            yield process, connection
    finally:
        process.kill()
        process.wait()


def send(connection, numbers):
    for number in numbers:
        message = (f'<{number % 192}>1 2026-11-2{number % 9}T10:11:12.{number % 1000:03d}456+0{number % 9}:00 host{number % 3} '
                   f'app {number} - [ex@32473 a="v{number}" b="q\\"x\\]y\\\\"][o c="d"] line {number} {FILLER}').encode()
        connection.sendall(b"%d %s" % (len(message), message))


def row(number):
    """What a delivered message looks like."""
    day = 1_795_133_472  # 2026-11-20T00:11:12Z
    seconds = day + (number % 9) * 86_400 + 36_000 - (number % 9) * 3600
    sdata = f'[ex@32473 a="v{number}" b="q\\"x\\]y\\\\"][o c="d"]'
    return f"{seconds}|host{number % 3}|app|{number}|{sdata}|line {number} {FILLER}|.source.s,first,second|{number}"


def queue_file(folder, within=10):
    """The only queue of a folder; a server that has just begun to listen may still have to make it."""
    deadline = time.monotonic() + within
    while not (names := [name for name in os.listdir(folder) if name.endswith((".qf", ".rqf"))]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(names) == 1, names
    return os.path.join(folder, names[0])


def holds(path, records, within=30):
    """Waits until so many records are in the file, as its header counts them."""
    deadline = time.monotonic() + within
    while (found := header(path, 24)) != records:
        assert time.monotonic() < deadline, f"{found} of {records} records"
        time.sleep(0.05)


def header(path, at):
    with open(path, "rb") as file:
        file.seek(at)
        return int.from_bytes(file.read(8), "little")


def rests(path, seconds=1.5):
    """Waits until nothing has been written for a while."""
    since, last = time.monotonic(), None
    while time.monotonic() - since < seconds:
        if (now := (header(path, 8), header(path, 16), header(path, 24))) != last:
            since, last = time.monotonic(), now
        time.sleep(0.05)


def run(binary, *words, good=True):
    done = subprocess.run([os.path.abspath(binary), "queue", *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) == good, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def numbers_in(binary, path):
    return [int(line) for line in run(binary, "cat", "-t", "$PID\\n", path).split()]


def test_messages_of_every_kind_of_file_are_delivered(binary):
    # reliable(), how it ends, messages that are expected: what a normal buffer had in memory is gone after a kill.
    rows = [("yes", signal.SIGTERM, 600), ("yes", signal.SIGKILL, 600), ("no", signal.SIGTERM, 600), ("no", signal.SIGKILL, 536)]
    for reliable, ending, wanted in rows:
        server = Server(binary, OURS)
        with syslog_ng(server.folder, reliable, peer=1) as (process, connection):
            send(connection, range(600))
            path = queue_file(server.folder)
            # A normal buffer has the first 64 in memory.
            holds(path, 600 if reliable == "yes" else 536)
            process.send_signal(ending)
            process.wait()
        theirs = subprocess.run([PEER, "dqtool", "cat", "-t", "$PID\\n", path], capture_output=True, text=True)
        expected = [int(line) for line in theirs.stdout.split()]
        assert len(expected) == wanted, (reliable, ending, len(expected))
        assert numbers_in(binary, path) == expected
        assert f"Messages: {wanted}\n" in run(binary, "info", path)
        into = server.folder + "/data/disk-buffers/d_file#0"
        os.makedirs(os.path.dirname(into), mode=0o700)
        said = run(binary, "import", "--into", into, path)
        assert f"{wanted} messages added" in said, said
        assert os.path.exists(path + ".imported") and not os.path.exists(path)
        assert f"{wanted} messages" in run(binary, "ls", into)
        try:
            server.start()
            delivered = lambda: open(server.folder + "/out.log").read().splitlines()
            server.until(lambda: os.path.exists(server.folder + "/out.log") and len(delivered()) >= wanted, 30, "the messages")
            assert delivered() == [row(number) for number in expected], (reliable, ending)
        finally:
            server.stop()


def test_a_file_that_went_around_its_end(binary):
    for reliable in ("yes", "no"):
        with tempfile.TemporaryDirectory(prefix="duramen-diskq-") as folder:
            receiver = Receiver(1000)
            with syslog_ng(folder, reliable, receiver.port) as (process, connection):
                send(connection, range(1300))
                path = queue_file(folder)
                rests(path)
                receiver.may_read.set()
                assert receiver.has_read.wait(20)
                send(connection, range(1300, 2000))
                rests(path)
                process.terminate()
                process.wait()
            numbers = numbers_in(binary, path)
            # Reading does not change the file. syslog-ng's own tool gives such a file up.
            assert numbers_in(binary, path) == numbers
            assert f"Messages: {len(numbers)}\n" in run(binary, "info", path)
            first, end = header(path, 8), header(path, 16)
            assert first > end, f"it did not go around: {first} {end}"
            # All that the receiver did not take are there, once, in order. Some of those were on their way to it.
            assert numbers == list(range(numbers[0], 2000)) and 1000 <= numbers[0] < 1300, (numbers[0], len(numbers))


def test_damaged_files_say_what_is_lost(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-diskq-") as folder:
        with syslog_ng(folder, "yes", peer=1) as (process, connection):
            send(connection, range(100))
            path = queue_file(folder)
            holds(path, 100)
            process.terminate()
            process.wait()
        with open(path, "rb") as file:
            whole = file.read()
        second = 4096 + 4 + int.from_bytes(whole[4096:4100], "big")
        other_version = whole[:second + 4] + b"\x13" + whole[second + 5:]
        rows = [
            (other_version, 99, "messages of version 19 cannot be read, only 26 (syslog-ng 3.9 and later); 1 message is lost"),
            (whole[:second] + bytes(4) + whole[second + 4:], 1, f"there is no record at {second}; 99 messages are lost"),
            (whole[:-5], 99, "1 message is lost"),
            (b"SLRQ" + bytes([9]) + whole[5:], None, "version 9 of its format is not known"),
            (whole[:5] + b"\1" + whole[6:], None, "it was written on a big-endian machine"),
            (whole[:2000], None, "failed to fill whole buffer"),
        ]
        for content, messages, reason in rows:
            with open(path, "wb") as file:
                file.write(content)
            said = run(binary, "info", path, good=False)
            assert reason in said and (messages is None or f"Messages: {messages}\n" in said), said
        # What can be read is taken over, and the rest is an error.
        with open(path, "wb") as file:
            file.write(other_version)
        said = run(binary, "import", "--into", folder + "/queue", path, good=False)
        assert "99 messages added" in said and "1 message is lost" in said, said
        assert len(numbers_in(binary, folder + "/queue")) == 99


def test_import_refuses_what_is_not_meant(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-diskq-") as folder:
        with open(folder + "/other", "wb") as file:
            file.write(b"SLOG" + bytes(5000))
        with open(folder + "/empty.rqf", "wb") as file:
            header = b"SLRQ\2" + bytes(3) + b"".join(number.to_bytes(8, "little") for number in (4096, 4096, 0))
            header = header.ljust(80, b"\0") + (4096).to_bytes(8, "little")
            file.write(header.ljust(4096, b"\0"))
        rows = [(["--into", folder + "/q", folder + "/other"], "is not a queue file of syslog-ng"),
                (["--into", folder + "/q", folder + "/missing"], "cannot read " + folder + "/missing: No such file"),
                (["--into", folder + "/no/q", folder + "/empty.rqf"], "--into names a queue in the folder")]
        for words, reason in rows:
            assert reason in run(binary, "import", *words, good=False)
            assert not os.path.exists(folder + "/q")
        assert "0 messages added" in run(binary, "import", "--keep", "--into", folder + "/q", folder + "/empty.rqf")
        assert os.path.exists(folder + "/empty.rqf")


def test_queues_move_with_their_messages(binary):
    server = Server(binary, OURS)
    queue = server.folder + "/data/disk-buffers/d_old#0"
    with syslog_ng(server.folder, "yes", peer=1) as (process, connection):
        send(connection, range(50))
        path = queue_file(server.folder)
        holds(path, 50)
        process.terminate()
        process.wait()
    os.makedirs(os.path.dirname(queue), mode=0o700)
    run(binary, "import", "--into", queue, path)
    # To another file system and back: a memory file system is one.
    with tempfile.TemporaryDirectory(prefix="duramen-diskq-", dir="/dev/shm") as elsewhere:
        rows = [(["relocate", "--new-path", elsewhere, queue], True, "is now"),
                (["relocate", "--new_path", os.path.dirname(queue), elsewhere], True, "is now"),
                (["relocate", "--new-path", os.path.dirname(queue), queue], False, "exists"),
                (["relocate", "--new-path", elsewhere + "/none", queue], False, "cannot move"),
                (["relocate", "--new-path", elsewhere, server.folder + "/data"], False, "is no queue of a disk buffer"),
                (["assign", "--name", "../d_file#0", queue], False, "cannot be the name of a queue"),
                (["assign", "--name", "d_file#0", server.folder + "/data"], False, "is no queue of a disk buffer"),
                (["assign", "--name", "d_file#0", queue], True, "is now")]
        for words, good, reason in rows:
            assert reason in run(binary, *words, good=good), words
        assert not os.listdir(elsewhere)
    try:
        server.start()
        out = server.folder + "/out.log"
        server.until(lambda: os.path.exists(out) and len(open(out).readlines()) >= 50, 30, "the messages")
        assert open(out).read().splitlines() == [row(number) for number in range(50)]
        used = server.folder + "/data/disk-buffers/d_file#0"
        for words in (["assign", "--name", "d_new#0", used], ["import", "--into", used, path + ".imported"]):
            assert "in use" in run(binary, *words, good=False)
    finally:
        server.stop()
