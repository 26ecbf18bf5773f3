"""`make bench-delivery WITH=down`: fifty destinations that are all down, and a source that goes on.

In: messages a second, seconds, the limits of each queue in memory and on disk, what a full queue does. Out: a row every 30 seconds and one at the
end, in a table and a CSV file: memory, disk, what waits, what was dropped and why, how many messages the sender was made to wait with, open
files, threads. It fails when the server takes more memory or disk than its options say, when messages are unaccounted for, when a policy that drops
holds the source, when a destination that works gets less than was sent, or when what a reliable buffer had is not there after a restart."""

import glob
import os
import re
import signal
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass

from peers import Peers
from server import Server, free_port
from traffic import TEXT

MIB = 1 << 20
POLICIES = ("hold", "drop-newest", "drop-oldest", "drop-lowest-severity")
# Messages in a write of the sender.
BLOCK = 500
# Bytes of memory that a message takes beside its text, at most: its record, its share of the pages of its buffer.
RECORD_BYTES = 400
WINDOW_MESSAGES = 16384
# What the server takes for itself beside what it has after the start: buffers of sockets, what the allocator keeps.
BASE_BYTES = 96 * MIB
# Each writing thread has a batch in the form of its receiver on its way; the largest are those of object stores.
THREAD_BYTES = 2 * MIB
# A buffer on disk is as long as its option says, and its last record more; a backlog is removed a file at a time.
RECORD_OF_BATCH_BYTES = 4 * MIB
# A shared log is removed several files at a time, and a destination that drops keeps up to twice its limit of it.
SHARED_TIMES = 2 * 4 / 3

# A destination, and the ways in which its receiver may be down.
DRIVERS = (
    ('network("127.0.0.1" port(@PORT@) transport("tcp") @OPTIONS@)', ("refuses", "unreachable", "stuck")),
    ('syslog("127.0.0.1" port(@PORT@) transport("tls") tls(peer-verify(no)) @OPTIONS@)', ("hangs", "unreachable")),
    ('sql(type(pgsql) host("@SOCKET@") username("test") password("wrong") database("postgres") table("m") columns("message") values("$MSG") @OPTIONS@)', ("postgres",)),
    ('http(url("http://127.0.0.1:@PORT@/") body("$MSG") @OPTIONS@)', ("refuses", "unreachable", "hangs")),
    ('relp("127.0.0.1" port(@PORT@) @OPTIONS@)', ("refuses", "hangs")),
    ('sql(type(mysql) host("127.0.0.1") port(@PORT@) username("syslog-ng") password("wrong") database("logs") table("m") columns("message") values("$MSG") @OPTIONS@)',
     ("mariadb", "hangs")),
    ('opensearch(url("http://127.0.0.1:@PORT@/_bulk") index("logs") template("$(format-json message=$MSG)") @OPTIONS@)', ("refuses", "hangs")),
    ('sltp("127.0.0.1" port(@PORT@) token("bench") @OPTIONS@)', ("refuses", "unreachable", "hangs")),
    ('redis(host("127.0.0.1") port(@PORT@) auth("wrong") command("RPUSH" "logs" "$MSG") @OPTIONS@)', ("redis", "refuses")),
    ('gelf("127.0.0.1" port(@PORT@) transport("tcp") @OPTIONS@)', ("refuses", "stuck")),
    ('mongodb(uri("mongodb://127.0.0.1:@PORT@/logs") collection("m") @OPTIONS@)', ("refuses", "hangs")),
    ('amqp(host("127.0.0.1") port(@PORT@) username("guest") password("guest") exchange("logs") routing-key("log") body("$MSG") @OPTIONS@)', ("hangs", "unreachable")),
    ('kafka(bootstrap-servers("127.0.0.1:@PORT@") topic("logs") message("$MSG") @OPTIONS@)', ("refuses",)),
    ('mqtt(address("tcp://127.0.0.1:@PORT@") topic("log") template("$MSG") qos(1) @OPTIONS@)', ("hangs",)),
    ('nats(url("nats://127.0.0.1:@PORT@") subject("log") template("$MSG") @OPTIONS@)', ("hangs", "refuses")),
    ('stomp(host("127.0.0.1") port(@PORT@) destination("/queue/logs") ack(yes) body("$MSG") @OPTIONS@)', ("refuses",)),
    ('riemann(server("127.0.0.1") port(@PORT@) service("$PROGRAM") @OPTIONS@)', ("hangs",)),
    ('clickhouse(url("http://127.0.0.1:@PORT@") database("logs") table("m") schema("message" String => "$MSG") @OPTIONS@)', ("unreachable",)),
    ('opentelemetry(url("127.0.0.1:@PORT@") @OPTIONS@)', ("refuses", "hangs")),
    ('loki(url("http://127.0.0.1:@PORT@") labels("app" => "$PROGRAM") @OPTIONS@)', ("hangs",)),
    ('s3(url("http://127.0.0.1:@PORT@") bucket("logs") access-key("key") secret-key("secret") object-key("o") template("$MSG\\n") @OPTIONS@)', ("refuses",)),
)
# Where what waits is kept, in turns.
KINDS = ("memory", "disk", "memory", "reliable", "shared")

HEAD = """@version: 4.9
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats-freq(0); time-reopen(2); mark-freq(0); }};
source s {{ network(ip("127.0.0.1") port({port}) transport("tcp") log-iw-size(@WINDOW@)); }};
source s_other {{ network(ip("127.0.0.1") port(@OTHER@) transport("tcp") log-iw-size(@WINDOW@)); }};
destination works {{ file("/dev/null"); }};
destination other {{ file("/dev/null" disk-buffer(shared("main") reliable(yes) capacity-bytes(@BUFFER@Mi))); }};
@DESTINATIONS@
log {{ source(s); @PATH@ destination(works); flags(flow-control); }};
log {{ source(s_other); destination(other); flags(flow-control); }};
"""


def queue_options(kind, options, policy):
    """The queue of a destination."""
    # A queue on disk takes nothing out of its middle.
    policy = "drop-newest" if policy == "drop-oldest" and kind in ("disk", "reliable") else policy
    if kind == "memory":
        return f"log-fifo-size({options.fifo}) on-full({policy})"
    more = {"disk": "", "reliable": "reliable(yes)", "shared": 'shared("main") reliable(yes)'}[kind]
    return f"disk-buffer(capacity-bytes({options.buffer_mib}Mi) flow-control-window-bytes({options.window_mib}Mi) {more}) on-full({policy})"


def destinations(count, peers, options, policy):
    """The drivers by the names of their destinations, which begin with the kind of the queue; each is down in each of its ways before one comes twice."""
    ways = [(text, ways[turn]) for turn in range(3) for text, ways in DRIVERS if turn < len(ways)]
    found = {}
    for number in range(count):
        driver, way = ways[number % len(ways)]
        kind = KINDS[number % len(KINDS)]
        # The numbers of its protocol are those of a log of its own.
        kind = "reliable" if kind == "shared" and driver.startswith("sltp") else kind
        for name, value in {"OPTIONS": queue_options(kind, options, policy), **peers.values(way)}.items():
            driver = driver.replace(f"@{name}@", str(value))
        found[f"{kind}_{number}"] = driver
    return found


class Sender:
    """Sends so many messages a second, all severities in turns, from a thread of its own; a receiver that takes no more makes it wait."""

    def __init__(self, port, rate):
        self.rate, self.sent = rate, 0
        self.blocks = ["".join(f"<{8 + number % 8}>Nov 20 10:00:00 web{number % 7} app[{number}]: {TEXT}\n" for number in range(BLOCK)).encode()]
        self.message_bytes = len(self.blocks[0]) // BLOCK
        self.peer = socket.create_connection(("127.0.0.1", port))
        self.peer.settimeout(0.2)
        self.ends, self.ended = threading.Event(), None
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        block, written = memoryview(self.blocks[0]), 0
        while not self.ends.is_set():
            time.sleep(max(0.0, self.began + self.sent / self.rate - time.monotonic()))
            while written < len(block) and not self.ends.is_set():
                try:
                    written += self.peer.send(block[written:])
                except socket.timeout:
                    continue
            if written == len(block):
                self.sent, written = self.sent + BLOCK, 0
        # The rest of a block that was begun: its last line must be whole, if the receiver still takes it.
        self.rest = bytes(block[written:]) if written else b""
        self.ended = time.monotonic()

    def held(self):
        """How many messages it has not sent that were due."""
        return max(0, round(((self.ended or time.monotonic()) - self.began) * self.rate) - self.sent)

    def finish(self):
        """Ends; what is on its way is still read. Returns whether all that was counted as sent was sent whole."""
        self.ends.set()
        self.thread.join()
        if self.rest:
            try:
                self.peer.settimeout(1)
                self.peer.sendall(self.rest)
                self.sent += BLOCK
            except OSError:
                return False
        self.peer.shutdown(socket.SHUT_WR)
        return True


class DegradedServer(Server):
    """Its destinations are down, and so it says that it is degraded."""

    def answers(self):
        try:
            return super().answers() or bool(self.call("health"))
        except OSError:
            return False


@dataclass
class Account:
    """What the server says became of the messages of each destination."""

    received: int
    totals: dict
    reasons: dict
    wrong: list

    @classmethod
    def read(cls, text):
        received, totals, reasons, wrong = 0, {}, {}, []
        for line in text.splitlines():
            name, _, sums = line.rpartition(": ")
            said = re.match(r"(\d+) = (.*)", sums)
            if line.startswith("center;;received"):
                received = int(said.group(1))
            elif line.startswith("dst."):
                counts = {reason: int(count) for count, reason in re.findall(r"(\d+) (\w+)", said.group(2))}
                key = name.split(";")[1]
                totals[key], reasons[key] = int(said.group(1)), counts
                if sum(counts.values()) != totals[key] or {"missing", "unaccounted"} & set(counts):
                    wrong.append(line)
        return cls(received, totals, reasons, wrong)

    def sums(self, only=lambda name: True):
        """Messages by what became of them, over all destinations that are down."""
        return sum((Counter(counts) for name, counts in self.reasons.items() if is_down(name) and only(name)), Counter())


def is_down(name):
    return kind_of(name) in KINDS


def kind_of(name):
    return name.split("_")[0]


class Run:
    """One policy."""

    def __init__(self, options, policy, peers):
        self.options, self.policy = options, policy
        self.holds, self.rows = policy == "hold", []
        other = free_port()
        self.server = DegradedServer(options.duramen, "")
        drivers = destinations(options.destinations, peers, options, policy)
        self.kinds = Counter(map(kind_of, drivers))
        text = HEAD.replace("@DESTINATIONS@", "\n".join(f"destination {name} {{{{ {driver}; }}}};" for name, driver in drivers.items()))
        text = text.replace("@PATH@", " ".join(f"destination({name});" for name in drivers))
        self.server.write_config(text.replace("@WINDOW@", str(WINDOW_MESSAGES)).replace("@OTHER@", str(other)).replace("@BUFFER@", str(options.buffer_mib)))
        self.server.start(within=60)
        self.buffers = self.server.folder + "/data/disk-buffers"
        self.base = self.resident()
        self.began = time.monotonic()
        self.sender, self.other = Sender(self.server.port, options.rate), Sender(other, max(1, options.rate // 10))

    def resident(self):
        with open(f"/proc/{self.server.process.pid}/statm") as figures:
            return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def memory_limit(self):
        """Bytes that the options allow, beside what the server has after the start."""
        options, kinds = self.options, Counter(self.kinds)
        message = self.sender.message_bytes + RECORD_BYTES
        # The thread of a destination may have as many again as wait in its queue.
        in_memory = kinds.pop("memory", 0) * 2 * options.fifo * message
        windows = sum(kinds.values()) * options.window_mib * MIB + 2 * WINDOW_MESSAGES * message
        return in_memory + windows + options.destinations * THREAD_BYTES + BASE_BYTES

    def disk_limits(self):
        """Folder of a buffer and the bytes that it may have; `None` for the shared log."""
        return self.options.buffer_mib * MIB + RECORD_OF_BATCH_BYTES, round(self.options.buffer_mib * MIB * SHARED_TIMES) + RECORD_OF_BATCH_BYTES

    def disk(self):
        """Bytes of the files of each buffer."""
        found = Counter()
        for path in glob.glob(self.buffers + "/*/*") + glob.glob(self.buffers + "/*/backlog-*/*"):
            if os.path.isdir(path):
                continue
            try:
                found[os.path.basename(os.path.dirname(path))] += os.stat(path).st_blocks * 512
            except FileNotFoundError:
                continue
        return found

    def account(self):
        return Account.read(self.server.ctl("stats", "balance"))

    def sample(self):
        """One row, and everything that must hold at any time."""
        start = time.monotonic()
        account, pid, disk = self.account(), self.server.process.pid, self.disk()
        answered = time.monotonic() - start
        memory = self.resident()
        sums = account.sums()
        row = {"policy": self.policy, "seconds": round(start - self.began), "sent": self.sender.sent, "held": self.sender.held(), "other_held": self.other.held(),
               "rss_mib": memory >> 20, "rss_limit_mib": (self.base + self.memory_limit()) >> 20, "disk_mib": sum(disk.values()) >> 20,
               "queued": sums.pop("queued", 0), "written": sums.pop("written", 0), "dropped": " ".join(f"{reason}={count}" for reason, count in sorted(sums.items())),
               "fds": len(os.listdir(f"/proc/{pid}/fd")), "threads": len(os.listdir(f"/proc/{pid}/task")),
               "log_kib": os.path.getsize(self.server.folder + "/stderr") >> 10, "answer_ms": round(answered * 1000)}
        self.rows.append(row)
        assert memory <= self.base + self.memory_limit(), f"{memory >> 20} MiB of memory, which is more than the options allow: {row}"
        own, shared = self.disk_limits()
        for name, size in disk.items():
            assert size <= (shared if name.endswith(".shared") else own), f"{name} has {size} bytes on the disk: {row}"
        return row

    def run(self, add):
        end = self.began + self.options.seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, self.options.every))
            add(self.sample())
        self.finish(add)

    def finish(self, add):
        """The sender ends, everything is counted, and the server is started again."""
        whole = self.sender.finish() & self.other.finish()
        steady = lambda: ((account := self.account()).received == self.account().received and not account.wrong and len(set(account.totals.values())) <= 2
                          and set(account.reasons["other#0"]) <= {"written"})
        try:
            Server.until(steady, 60, "the counters to add up")
        except AssertionError as timeout:
            account = self.account()
            raise AssertionError(f"{timeout}: of {account.received} messages, {Counter(account.totals.values())} at the destinations; of the source that "
                                 f"is not held {account.reasons['other#0']}; these do not add up: {account.wrong}") from timeout
        account, sent = self.account(), self.sender.sent + self.other.sent
        assert account.received == sent or self.holds or not whole, f"{account.received} of {sent} received"
        row = self.sample()
        add(row)
        totals = {name: total for name, total in account.totals.items() if is_down(name)}
        assert set(totals.values()) == {account.received - account.totals["other#0"]}, totals
        assert len({name.split("#")[0] for name in totals}) == self.options.destinations, totals
        assert account.reasons["other#0"] == {"written": self.other.sent}, account.reasons["other#0"]
        dropped = set(account.sums()) - {"queued", "written"}
        # Whatever the policy, one that drops gives up the oldest file of a shared log when that is much too long.
        allowed = {"hold": set(), "drop-lowest-severity": {"queue_full_oldest", "queue_full_severity"}}
        assert dropped <= allowed.get(self.policy, {"queue_full", "queue_full_oldest"}), dropped
        self.restart(account)

    def restart(self, account):
        """Stops the server, and starts it again: what waited on disk still waits there, or was delivered meanwhile."""
        # When a policy that drops has given up a file of a shared log, what of it was in memory is dropped at the stop, and the counters end with the server.
        ours = ("disk", "reliable", "shared") if self.holds else ("disk", "reliable")
        on_disk = lambda name: kind_of(name) in ours
        before, start = account.sums(on_disk)["queued"], time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(60)
        stopped, start = time.monotonic() - start, time.monotonic()
        assert self.server.process.returncode == 0, f"it ended with {self.server.process.returncode}: {self.server.stderr()[-2000:]}"
        self.server.start(within=120)
        started, after = time.monotonic() - start, self.account().sums(on_disk)
        print(f"\nStopped in {stopped:.1f} s, started again in {started:.1f} s: {before:,} messages waited on the disk, {after['queued']:,} wait there and {after['written']:,} were delivered since.", flush=True)
        assert after["queued"] + after["written"] >= before and not set(after) - {"queued", "written"}, (before, after)

    def close(self):
        for sender in (self.sender, self.other):
            sender.ends.set()
            sender.peer.close()
        self.server.close()


COLUMNS = (("s", "seconds"), ("sent", "sent"), ("held", "held"), ("held, other source", "other_held"), ("RSS MiB", "rss_mib"), ("limit", "rss_limit_mib"), ("disk MiB", "disk_mib"),
           ("queued", "queued"), ("dropped", "dropped"), ("fds", "fds"), ("threads", "threads"), ("log KiB", "log_kib"), ("answer ms", "answer_ms"))


def run_all(options, report):
    """Every policy asked for, one after the other; each as long as was asked."""
    policies = options.policy.split(",")
    if unknown := set(policies) - set(POLICIES):
        raise SystemExit(f"there is no policy {', '.join(unknown)}: {', '.join(POLICIES)}")
    peers = Peers()

    def add(row):
        report(row)
        print("| " + " | ".join(f"{row[key]:,}" if isinstance(row[key], int) else row[key] for _, key in COLUMNS) + " |", flush=True)

    try:
        for policy in policies:
            print(f"\n{policy}: {options.destinations} destinations, {options.rate:,} messages a second for {options.seconds:,} s\n")
            print("| " + " | ".join(title for title, _ in COLUMNS) + " |\n|" + "---:|" * len(COLUMNS), flush=True)
            run = Run(options, policy, peers)
            try:
                run.run(add)
            finally:
                run.close()
    finally:
        peers.close()
