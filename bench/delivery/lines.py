"""Rates between two log servers over long lines: plain TCP, RELP and SLTP at round trips of 0, 20 and 100 ms.

In: a number of messages. Out: for each transport and round trip the rate until the receiver has stored everything, CPU of both servers a
message, bytes on the line a message. A proxy delays what passes, without a limit of its own, and counts it."""

import collections
import os
import random
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

from loggers import cost
from server import Server, free_port
from traffic import together

# No flow control, and a queue for everything: the line is measured, not how far the sender's own source may go ahead.
SENDER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); time-reopen(1); }};
source s {{ syslog(ip("127.0.0.1") port({port}) transport("tcp") log-iw-size(10000000)); }};
destination d {{ @DESTINATION@; }};
log {{ source(s); destination(d); }};
"""
RECEIVER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s {{ @SOURCE@; }};
destination d {{ file("{folder}/out" template("$MSG\\n")); }};
log {{ source(s); destination(d); flags(flow-control); }};
"""
RSYSLOG_SENDER = """
module(load="imtcp") module(load="omrelp")
input(type="imtcp" port="@IN@" address="127.0.0.1")
main_queue(queue.type="FixedArray" queue.size="2000000")
action(type="omrelp" target="127.0.0.1" port="@OUT@" template="RSYSLOG_SyslogProtocol23Format" action.resumeRetryCount="-1")
"""
RSYSLOG_RECEIVER = """
module(load="imrelp")
input(type="imrelp" port="@IN@" address="127.0.0.1" maxDataSize="10k")
template(name="text" type="string" string="%msg%\\n")
action(type="omfile" file="@FOLDER@/out" template="text")
"""
# Seconds without a message after which none comes any more.
SILENCE = 10
QUEUE = "log-fifo-size(10000000)"
TRANSPORTS = {
    "TCP": ('syslog("127.0.0.1" port(@PORT@) transport("tcp") ' + QUEUE + ")", 'syslog(ip("127.0.0.1") port({port}) transport("tcp"))'),
    "RELP": ('relp("127.0.0.1" port(@PORT@) ' + QUEUE + ")", 'relp(ip("127.0.0.1") port({port}))'),
    "SLTP": ('sltp("127.0.0.1" port(@PORT@) ' + QUEUE + ")", 'sltp(ip("127.0.0.1") port({port}))'),
    "SLTP, zstd": ('sltp("127.0.0.1" port(@PORT@) compression(zstd) compression-level(1) ' + QUEUE + ")", 'sltp(ip("127.0.0.1") port({port}))'),
}


class Line:
    """A proxy: what it reads goes on half a round trip later."""

    def __init__(self, target, round_trip):
        self.target, self.delay, self.bytes = target, round_trip / 2, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for one, other in ((near, far), (far, near)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.pump(one, other)

    def pump(self, one, other):
        waiting, ready = collections.deque(), threading.Condition()

        def read():
            data = True
            while data:
                try:
                    data = one.recv(1 << 20)
                except OSError:
                    data = b""
                self.bytes += len(data)
                with ready:
                    waiting.append((time.monotonic() + self.delay, data))
                    ready.notify()

        def write():
            while True:
                with ready:
                    while not waiting:
                        ready.wait()
                    due, data = waiting.popleft()
                if (left := due - time.monotonic()) > 0:
                    time.sleep(left)
                try:
                    if not data:
                        other.shutdown(socket.SHUT_WR)
                        return
                    other.sendall(data)
                except OSError:
                    return
        for work in (read, write):
            threading.Thread(target=work, daemon=True).start()

    def close(self):
        self.listener.close()


def blocks():
    """A thousand lines as web servers and log-ins write them, each with its own address, names, numbers and times."""
    chance = random.Random(7)
    out = []
    for number in range(20000):
        ip = ".".join(str(chance.randrange(1, 255)) for _ in range(4))
        user, size, took = chance.choice("ada eva tom kim lee max zoe".split()), chance.randrange(200, 90000), chance.random()
        if number % 3:
            text = (f'{ip} - {user} "GET /shop/item/{chance.randrange(100000)}?session={chance.getrandbits(64):016x} HTTP/1.1" '
                    f'{chance.choice((200, 200, 200, 304, 404, 500))} {size} "https://www.example.org/list/{chance.randrange(900)}" '
                    f'"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/12{chance.randrange(9)}.0.0.0" {took:.3f}')
        else:
            text = f"Accepted publickey for {user} from {ip} port {chance.randrange(1024, 65535)} ssh2: ED25519 SHA256:{chance.getrandbits(128):032x}"
        line = f"<13>1 2026-11-20T10:00:00.{chance.randrange(10**6):06}Z host{number % 200:03} app {chance.randrange(30000)} - - {text}"
        out.append(f"{len(line)} {line}")
    return ["".join(out[first:first + 1000]).encode() for first in range(0, len(out), 1000)]


def send(port, count, connections=4):
    parts = blocks()

    def work(index):
        with socket.create_connection(("127.0.0.1", port), timeout=600) as peer:
            for number in range(index, count // 1000, connections):
                peer.sendall(parts[number % len(parts)])
    together(connections, work)


def lines(path):
    """Counts the lines of a file that grows."""
    state = {"at": 0, "count": 0}

    def count():
        if os.path.exists(path):
            with open(path, "rb") as text:
                text.seek(state["at"])
                while piece := text.read(1 << 22):
                    state["count"] += piece.count(b"\n")
                    state["at"] += len(piece)
        return state["count"]
    return count


def measure(pids, port, count, stored, line):
    before, began = sum(cost(pid)[0] for pid in pids), time.monotonic()
    sender = threading.Thread(target=send, args=(port, count), daemon=True)
    sender.start()
    end, found, last = began + 300, stored(), began
    # A queue that was full has dropped messages: they do not come. The rate is that of the others.
    while found < count and time.monotonic() < min(end, last + SILENCE):
        time.sleep(0.01)
        if (now := stored()) != found:
            found, last = now, time.monotonic()
    took = last - began
    sender.join(60)
    cpu = (sum(cost(pid)[0] for pid in pids) - before) * 1e6 / max(found, 1)
    return found / took, cpu, line.bytes / max(found, 1), found


def ours(binary, transport, round_trip, count):
    destination, source = TRANSPORTS[transport]
    receiver = Server(binary, RECEIVER.replace("@SOURCE@", source))
    line = Line(receiver.port, round_trip)
    sender = Server(binary, SENDER.replace("@DESTINATION@", destination.replace("@PORT@", str(line.port))))
    try:
        receiver.start(within=60)
        sender.start(within=60)
        # Connections are made, and memory is warm.
        warm = 20000
        stored = lines(receiver.folder + "/out")
        measure([], sender.port, warm, stored, line)
        line.bytes = 0
        pids = [sender.process.pid, receiver.process.pid]
        return measure(pids, sender.port, count, lambda: stored() - warm, line)
    finally:
        sender.close()
        receiver.close()
        line.close()


def rsyslog(round_trip, count):
    with tempfile.TemporaryDirectory() as folder:
        into, arrives = free_port(), free_port()
        line = Line(arrives, round_trip)
        processes = []
        try:
            for name, text in (("receiver", RSYSLOG_RECEIVER), ("sender", RSYSLOG_SENDER)):
                where = f"{folder}/{name}"
                os.mkdir(where)
                port = arrives if name == "receiver" else into
                with open(where + "/conf", "w") as out:
                    out.write(f'global(workDirectory="{where}" maxMessageSize="10k")\n'
                              + text.replace("@IN@", str(port)).replace("@OUT@", str(line.port)).replace("@FOLDER@", where))
                path = os.environ["PATH"] + ":/usr/sbin"
                processes.append(subprocess.Popen(["rsyslogd", "-n", "-f", where + "/conf", "-i", where + "/pid"], env={**os.environ, "PATH": path}))
            time.sleep(2)
            warm, stored = 5000, lines(f"{folder}/receiver/out")
            measure([], into, warm, stored, line)
            line.bytes = 0
            return measure([process.pid for process in processes], into, count, lambda: stored() - warm, line)
        finally:
            for process in processes:
                process.send_signal(signal.SIGKILL)
                process.wait(20)
            line.close()


def table(binary, count, rounds=1, round_trips=(0, 20, 100), transports=tuple(TRANSPORTS) + ("rsyslog, RELP",)):
    """The medians of all rounds; in each round every transport once, in turns, so that what changes meanwhile changes all."""
    print("| round trip | transport | rounds | messages a second | CPU µs a message, both servers | bytes a message on the line |")
    print("|---|---|---|---|---|---|")
    for round_trip in round_trips:
        rows = {transport: [] for transport in transports}
        for number in range(rounds):
            first = number % len(transports)
            for transport in transports[first:] + transports[:first]:
                # A transport that waits for answers needs seconds for a few messages, and one round tells enough.
                slow = "RELP" in transport
                if slow and number:
                    continue
                wanted = min(count, 30000 if round_trip else 200000) if slow else count
                run = rsyslog if transport.startswith("rsyslog") else lambda *words: ours(binary, transport, *words)
                rows[transport].append((*run(round_trip / 1000, wanted), wanted))
        for transport, found in rows.items():
            odd = "".join(f" ({stored} of {wanted})" for *_, stored, wanted in found if stored != wanted)
            rate, cpu, size = (statistics.median(row[part] for row in found) for part in range(3))
            print(f"| {round_trip} ms | {transport} | {len(found)} | {rate:,.0f}{odd} | {cpu:.2f} | {size:.0f} |", flush=True)
