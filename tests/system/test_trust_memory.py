"""Memory and fairness: what one user requests must neither exhaust the server nor take the turns of others."""

import http.client
import json
import random
import socket
import subprocess
import threading
import time

from server import Server, basic

MIB = 1 << 20
LONG_BYTES = 30_000
# Blocks of recently shown messages stay in memory, which is the base of every figure below.
KEPT = 64 * MIB

# Small budgets, so that the test does not have to fill a machine.
CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); log-msg-size(65536);
    page(searches-memory(67108864) search-memory(16777216) exports(4) exports-per-user(2)); }};
source s_network {{ network(ip("127.0.0.1") port({port}) transport("tcp") log-iw-size(10000)); }};
destination d_main {{ logspace("main"); }};
log {{ source(s_network); destination(d_main); flags(flow-control); }};
"""


def long_messages(count, start=0):
    """Messages of 30 KB whose words rarely repeat."""
    chance = random.Random(7)
    pool = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz  ") for _ in range(1_000_000))
    for number in range(start, start + count):
        at = chance.randrange(len(pool) - LONG_BYTES)
        text = f"n{number:06} {chance.random()} {pool[at:at + LONG_BYTES - 80]}"
        yield f"<13>Nov 22 10:00:00 host{number % 50} long: {text}\n".encode()


def send(port, messages):
    with socket.create_connection(("127.0.0.1", port), 10) as peer:
        for message in messages:
            peer.sendall(message)


def memory(process, name):
    """`VmRSS` or `VmHWM` of a process, in bytes."""
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    raise AssertionError(f"{name} is not there")


def filled(binary, count, config=CONFIG):
    server = Server(binary, config)
    server.start()
    send(server.port, long_messages(count))
    server.found("", count, 60)
    return server


def add_user(server, name, *rights):
    """Adds a user with rights in `main`; returns the password."""
    command = [server.binary, "user", "--data", server.folder + "/data"]
    made = subprocess.run([*command, "add", name, "--generate"], check=True, capture_output=True, text=True)
    subprocess.run([*command, "grant", name, "main", *rights], check=True, capture_output=True)
    return made.stdout.split()[-1]


def ask(server, path, body=None, timeout=120, user="admin", password=None):
    """One call over a connection of its own; returns status, headers, and the body as it arrives."""
    peer = http.client.HTTPConnection("127.0.0.1", server.http, timeout=timeout)
    headers = {"Authorization": basic(user, password or server.password), "X-Requested-By": "test",
               "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body)
    peer.request("GET" if body is None else "POST", f"/api/v1/{path}", data, headers)
    return peer, peer.getresponse()


def test_h5_long_answers_take_little_memory(binary):
    count = 2_500
    server = filled(binary, count)
    try:
        before = memory(server.process, "VmRSS")
        # 75 MB of text: an earlier version held each message six times.
        answer = server.call("search", {"query": "", "limit": 10_000, "bars": 0})
        numbers = [row["message"].split()[0] for row in answer["rows"]]
        assert numbers == [f"n{number:06}" for number in reversed(range(count))], len(numbers)
        assert answer["total"] == count and answer["hints"] == []
        # A sort holds what it shows, in order.
        answer = server.call("search", {"query": "* | sort -message", "limit": 100})
        numbers = [row["message"].split()[0] for row in answer["rows"]]
        assert numbers == [f"n{number:06}" for number in reversed(range(count - 100, count))], numbers[:3]
        peak = memory(server.process, "VmHWM")
        assert peak - before < KEPT + 64 * MIB, f"{(peak - before) / MIB:.0f} MiB more than before"
    finally:
        server.close()


def test_h5_requests_over_their_budget_are_refused_by_name(binary):
    server = filled(binary, 2_500)
    try:
        before = memory(server.process, "VmRSS")
        refusals = [
            ("export?query=" + "*%20%7C%20sort%20message", None, "sort"),
            ("search", {"query": "* | kv | stats max(message) by host, message", "limit": 10}, "stats"),
            ("search", {"query": "* | head 5000", "limit": 5000}, "rows"),
        ]
        for path, body, stage in refusals:
            peer, response = ask(server, path, body)
            error = json.loads(response.read())["error"]
            assert response.status == 422 and error["code"] == "over_budget", (path, response.status, error)
            assert error["message"].startswith(stage + " needs more than the 16 MiB"), error
            assert "search-memory()" in error["message"], error
            peer.close()
        peak = memory(server.process, "VmHWM")
        assert peak - before < KEPT + 96 * MIB, f"{(peak - before) / MIB:.0f} MiB more than before"
        # And it is released.
        Server.until(lambda: memory(server.process, "VmRSS") - before < KEPT + 24 * MIB, 10,
                     "memory to go back to the system")
        assert server.search("n000007")["total"] == 1
    finally:
        server.close()


def test_h5_slow_readers_cost_little(binary):
    server = filled(binary, 1_500)
    slow = []
    try:
        before = memory(server.process, "VmRSS")
        for _ in range(20):
            peer, response = ask(server, "search", {"query": "", "limit": 10_000, "bars": 0})
            response.read(1000)
            slow.append((peer, response))
        grown = memory(server.process, "VmHWM") - before
        assert grown < KEPT + 96 * MIB, f"{grown / MIB:.0f} MiB for 20 answers of 45 MB that nobody reads"
        assert server.search("n000007")["total"] == 1
        # A client that keeps reading gets the complete answer.
        rest = slow[0][1].read()
        assert rest.endswith(b"}") and b"n000000" in rest
    finally:
        for peer, _ in slow:
            peer.close()
        server.close()


def test_m7_a_cheap_search_does_not_wait_for_heavy_ones(binary):
    """48 heavy searches of one user; another's cheap ones run meanwhile."""
    server = filled(binary, 1_200)
    threads, over = [], threading.Event()
    try:
        password = add_user(server, "eva", "search")

        def heavy(number):
            # A query that the index cannot answer: every message is read.
            question = f"/(abc|xyz)[a-m]+{number}q.*[n-z]+zz/"
            while not over.is_set():
                peer, response = ask(server, "search", {"query": question, "timeout_ms": 60_000})
                response.read()
                peer.close()

        threads = [threading.Thread(target=heavy, args=[number], daemon=True) for number in range(48)]
        [thread.start() for thread in threads]
        time.sleep(1.5)
        took = []
        for number in range(8):
            start = time.monotonic()
            body = {"query": f"n{number:06}", "limit": 1, "bars": 0}
            peer, response = ask(server, "search", body, user="eva", password=password)
            answer = json.loads(response.read())
            took.append(time.monotonic() - start)
            assert answer["total"] == 1, answer
            peer.close()
        # The first one checks the password, too.
        assert max(took[1:]) < 3, [round(second, 2) for second in took]
        over.set()
    finally:
        over.set()
        [thread.join(60) for thread in threads]
        server.close()


def test_m7_slow_exports_leave_places_for_others(binary):
    server = filled(binary, 400)
    slow = []
    try:
        eva, bob = [add_user(server, user, "search", "export") for user in ["eva", "bob"]]
        for _ in range(2):
            peer, response = ask(server, "export?query=", user="eva", password=eva)
            assert response.status == 200
            slow.append(peer)
        peer, response = ask(server, "export?query=", user="eva", password=eva)
        error = json.loads(response.read())["error"]
        assert response.status == 503 and error["code"] == "busy" and response.headers["Retry-After"], error
        peer.close()
        peer, response = ask(server, "export?query=host:host1", user="bob", password=bob)
        assert response.status == 200 and len(response.read().splitlines()) == 8
        peer.close()
    finally:
        [peer.close() for peer in slow]
        server.close()
