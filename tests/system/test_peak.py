"""Peak memory when everything happens at once: searches, exports, wrong log-ins, a flood of field names, and intake.

A small version runs with the other tests; `PEAK=full` runs the long one (20,000 messages of 30 KB, 400 log-ins).
"""

import http.client
import json
import os
import random
import threading
import time

from server import Server, free_port
from test_trust_memory import KEPT, MIB, add_user, ask, long_messages, memory, send

IS_FULL = os.environ.get("PEAK") == "full"
LONG_MESSAGES = 20_000 if IS_FULL else 800
LOGINS = 400 if IS_FULL else 40
FLOOD = 20_000 if IS_FULL else 1_500
LATER = 2_000 if IS_FULL else 200

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); log-msg-size(65536);
    page(searches-memory(67108864) search-memory(16777216) exports(8) exports-per-user(4)); }};
source s_network {{ network(ip("127.0.0.1") port({port}) transport("tcp") log-iw-size(10000)); }};
source s_http {{ http(ip("127.0.0.1") port(HTTP)); }};
destination d_main {{ logspace("main" segment-memory(16777216) recode(no)); }};
log {{ source(s_network); source(s_http); destination(d_main); flags(flow-control); }};
"""

# Configured or documented sizes, in bytes: all searches and exports; the block cache; two password checks at a time;
# and for the logspace three segments of 16 MiB with the memory for sealing them, the journal and the queues.
BUDGETS = 64 * MIB + KEPT + 2 * 19 * MIB + 260 * MIB
# Sockets, threads with the blocks that they read, pieces of answers being sent, memory that the allocator has not
# returned yet.
BASE = 128 * MIB


class Watch:
    """The most memory that a process ever held, looked at fifty times a second. Pages of segment files that are mapped are not
    counted: the kernel has them anyway, and takes them back when it needs room."""

    def __init__(self, process):
        self.process, self.peak, self.ended = process, 0, threading.Event()
        self.base = self.now()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def now(self):
        return memory(self.process, "RssAnon") + memory(self.process, "RssShmem")

    def look(self):
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, self.now() - self.base)

    def end(self):
        self.ended.set()
        self.thread.join(10)
        return self.peak


def flood(ingest, count):
    """Messages with 100 new names of fields."""
    word = lambda: f"{random.getrandbits(48):012x}"
    peer = http.client.HTTPConnection("127.0.0.1", ingest, timeout=120)
    for first in range(0, count, 250):
        lines = []
        for number in range(first, first + 250):
            fields = {"f" + word(): word() for _ in range(100)}
            lines += ['{"index":{}}', json.dumps({"message": f"flood {number}", **fields})]
        peer.request("POST", "/_bulk", "\n".join(lines) + "\n", {"Content-Type": "application/x-ndjson"})
        peer.getresponse().read()
    peer.close()


def test_h5_the_peak_of_everything_at_once(binary):
    ingest = free_port()
    server = Server(binary, CONFIG.replace("HTTP", str(ingest)))
    try:
        server.start()
        watch = Watch(server.process)
        users = {name: add_user(server, name, "search", "export") for name in ["eva", "bob"]}
        send(server.port, long_messages(LONG_MESSAGES))
        server.found("", LONG_MESSAGES, 300)
        statuses, lock = {}, threading.Lock()

        def call(kind, path, body, user):
            try:
                peer, response = ask(server, path, body, 120, user, users.get(user, "not the password"))
                while response.read(1 << 16):
                    pass
                outcome = response.status
                peer.close()
            except (OSError, http.client.HTTPException) as error:
                outcome = type(error).__name__
            with lock:
                statuses.setdefault(kind, []).append(outcome)

        work = [threading.Thread(target=flood, args=(ingest, FLOOD), daemon=True)]
        questions = ["* | sort message", "", "* | sort -message | head 50", "* | patterns 20"] * 2
        for number, question in enumerate(questions):
            body = {"query": question, "limit": 10_000 if not question else 100, "timeout_ms": 100_000}
            user = ["eva", "bob"][number % 2]
            work.append(threading.Thread(target=call, args=("search", "search", body, user), daemon=True))
            path = "export?query=" if number % 2 else "export?query=*%20%7C%20sort%20message"
            work.append(threading.Thread(target=call, args=("export", path, None, user), daemon=True))
        for number in range(LOGINS):
            user = f"nobody{number % 50}"
            work.append(threading.Thread(target=call, args=("login", "session", None, user), daemon=True))
        start = time.monotonic()
        [thread.start() for thread in work]
        send(server.port, long_messages(LATER, LONG_MESSAGES))
        [thread.join(600) for thread in work]
        took = time.monotonic() - start
        peak = watch.end()
        print(f"      peak {peak / MIB:.0f} MiB above {watch.base / MIB:.0f}, of {(BUDGETS + BASE) / MIB:.0f};"
              f" {took:.0f} s; {statuses}", flush=True)
        assert peak < BUDGETS + BASE, f"{peak / MIB:.0f} MiB"
        # A request over a budget is refused with a reason; nothing is cut, and no wrong password is accepted.
        assert set(statuses["search"]) <= {200, 422, 503} and 200 in statuses["search"], statuses
        assert set(statuses["export"]) <= {200, 422, 503} and 200 in statuses["export"], statuses
        assert set(statuses["login"]) <= {401, 429, 503}, set(statuses["login"])
        # Intake continued: everything sent meanwhile is there.
        server.found("", LONG_MESSAGES + FLOOD + LATER, 120)
        assert server.search(f"n{LONG_MESSAGES + LATER - 1:06}")["total"] == 1
        assert server.search("")["total"] == LONG_MESSAGES + FLOOD + LATER
    finally:
        server.close()
