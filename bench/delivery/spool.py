"""What a disk buffer costs: CPU of a message that passes a destination over TCP without one, with one that is never needed, with one through which
messages go, and with one that syncs.

In: a number of rounds, in each of which every row runs once, because a busy machine changes from minute to minute. Out: medians, and how often as much
as without a buffer. Every run counts what arrived, and whether the buffer was used."""

import glob
import multiprocessing
import socket
import statistics
import time

from guide import HEAD, NETWORK, TCP_SOURCE, Sink
from server import Server
from traffic import blocks, share, together

SIZE = 400
HOSTS = ["web1"]
CONNECTIONS = 10
# Messages a second that the receiver keeps up with on any machine, so that a buffer is not needed. None is as fast as the server takes them.
PACED, FAST = 60000, None
BUFFER = "disk-buffer(capacity-bytes(1000M) reliable(%s))"


class LateSink(Sink):
    """A sink that reads nothing until it may."""

    def __init__(self):
        self.may_read = multiprocessing.Event()
        super().__init__()

    def serve(self):
        self.may_read.wait()
        super().serve()


# A row: its name, the rate, the options of the destination, its receiver, and how often as much as without a buffer it may cost.
ROWS = (("none", PACED, "", Sink, ""), ("normal, never needed", PACED, BUFFER % "no", Sink, 1.1), ("reliable", PACED, BUFFER % "yes", Sink, ""),
        ("none", FAST, "", Sink, ""), ("normal", FAST, BUFFER % "no", Sink, 1.5), ("normal, receiver away until all is sent", FAST, BUFFER % "no", LateSink, ""),
        ("reliable", FAST, BUFFER % "yes", Sink, 2.0))


def send(port, count, rate):
    """Sends lines, over several connections at a time."""
    block, shares = blocks(HOSTS, SIZE), share(count // 1000, CONNECTIONS)
    pause = 1000 * CONNECTIONS / rate if rate else 0

    def work(index):
        with socket.create_connection(("127.0.0.1", port), timeout=600) as peer:
            # The connections take turns.
            due = time.monotonic() + pause * index / CONNECTIONS
            for _ in range(shares[index]):
                time.sleep(max(0, due - time.monotonic()))
                peer.sendall(block)
                due += pause
    together(CONNECTIONS, work)


def one(binary, options, make, count, rate):
    """CPU microseconds of a message, messages a second, most bytes that the buffer had on disk."""
    sink, server = make(), Server(binary, "")
    try:
        destination = NETWORK.replace("@PORT@", str(sink.port)) % options
        server.write_config(HEAD.replace("@SOURCE@", TCP_SOURCE).replace("@DESTINATION@", destination))
        server.start(within=60)
        before, began = running(server.process.pid), time.monotonic()
        send(server.port, count, rate)
        if isinstance(sink, LateSink):
            Server.until(lambda: counter(server, "processed") >= count, 600, f"{count} messages in the buffer")
            sink.may_read.set()
        sink.wait(None, count)
        seconds = time.monotonic() - began
        return (running(server.process.pid) - before) * 1e6 / count, count / seconds, written(server)
    finally:
        server.close()
        sink.close()


def running(pid):
    """Seconds that the threads of a process were running; in nanoseconds, where `stat` has hundredths of seconds."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as text:
            total += int(text.read().split()[0])
    return total / 1e9


def counter(server, name):
    rows = [line.split(";") for line in server.ctl("stats").splitlines() if line.startswith("dst.") and ";d#0;" in line]
    return sum(int(row[5]) for row in rows if row[4] == name)


def written(server):
    """Bytes that the server has written to files: those of the buffer, and a few of its own."""
    with open(f"/proc/{server.process.pid}/io") as text:
        return int(next(line for line in text if line.startswith("write_bytes")).split()[1])


def table(binary, count, rounds, report):
    found = [[] for _ in ROWS]
    # The first round warms the machine.
    for lap in range(rounds + 1):
        for runs, (name, pace, options, make, _) in zip(found, ROWS):
            cpu, rate, size = one(binary, options, make, count, pace)
            if lap:
                runs.append((cpu, rate, size))
                report({"row": name, "pace": pace or "", "round": lap, "cpu_us": round(cpu, 3), "rate": round(rate), "written": size})
    lines = ["| disk buffer | messages/s sent | rounds | CPU us a message | least | most | times | limit | messages/s | MiB written |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    plain = {}
    for runs, (name, pace, _, _, limit) in zip(found, ROWS):
        costs, rates, sizes = zip(*runs)
        middle = statistics.median(costs)
        times = middle / plain.setdefault(pace, middle)
        sent = f"{pace:,}" if pace else "as fast as it takes them"
        lines.append(f"| {name} | {sent} | {len(runs)} | {middle:.2f} | {min(costs):.2f} | {max(costs):.2f} | {times:.2f} | {limit} | "
                     f"{statistics.median(rates):,.0f} | {statistics.median(sizes) / (1 << 20):.0f} |")
    return "\n".join(lines)
