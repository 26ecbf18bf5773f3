"""Power and disk failures as the operator sees them: kill -9 under load, a full disk."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from server import CONFIG, Server, waits_for

ROUNDS = 50
STORE_ONLY = CONFIG.replace("destination(d_file); ", "")


class Sender(threading.Thread):
    """Sends numbered messages as fast as the server accepts them, until it is stopped or the server dies."""

    def __init__(self, port, first, rate=20_000):
        super().__init__(daemon=True)
        self.port, self.next, self.rate = port, first, rate
        self.stopped = threading.Event()

    def run(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as peer:
            while not self.stopped.is_set():
                lines = [f"<13>prog[{n}]: number n{n} of many" for n in range(self.next, self.next + 200)]
                peer.sendall(("\n".join(lines) + "\n").encode())
                self.next += 200
                time.sleep(200 / self.rate)


def check_newest(server, acknowledged):
    """As many messages are there as were acknowledged, index and blocks agree. Returns their number."""
    answer = server.search("program:prog", facets=["pid"], limit=1000)
    facet = answer["facets"][0]
    assert answer["total"] >= acknowledged, f"{answer['total']} of {acknowledged} acknowledged messages"
    assert facet["coverage"] == answer["total"], f"index and count differ: {facet}"
    for row in random.sample(answer["rows"], min(5, len(answer["rows"]))):
        found = server.search("n" + row["pid"])["rows"]
        assert [other["message"] for other in found] == [f"number n{row['pid']} of many"], found
    return answer["total"]


def check_numbers(server, acknowledged):
    """The same, and no message of all is there twice."""
    total = check_newest(server, acknowledged)
    asked = urllib.parse.urlencode({"query": "program:prog | fields pid", "format": "csv"})
    numbers = server.text("/api/v1/export?" + asked).split()[1:]
    assert len(set(numbers)) == len(numbers) == total, f"{len(numbers)} numbers, {len(set(numbers))} different"
    return total


@waits_for(45)
def test_kill_at_random_moments(binary):
    server = Server(binary, STORE_ONLY)
    try:
        server.start()
        seen, first = 0, 0
        for turn in range(ROUNDS):
            sender = Sender(server.port, first)
            sender.start()
            time.sleep(random.uniform(0, 0.55))
            end = time.monotonic() + 0.05
            while time.monotonic() < end:
                # A message that a search finds was acknowledged by the journal. Only what comes right before the kill is at risk.
                seen = max(seen, server.search("program:prog", limit=0)["total"])
            server.stop(signal.SIGKILL)
            sender.stopped.set()
            sender.join()
            # The session of the first start is still valid.
            server.start(logs_in=False)
            # What is there twice stays there twice, so all numbers are looked at only now and then.
            check = check_numbers if turn % 10 == 9 else check_newest
            seen = check(server, seen)
            # Numbers continue after the last one that was sent, because none may be sent twice.
            first = sender.next + 200
        assert seen > 1000, f"only {seen} messages in {ROUNDS} rounds"
    finally:
        server.close()


@contextlib.contextmanager
def small_disk(folder, size):
    """A file system of its own, so that it can be filled."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    os.makedirs(folder, exist_ok=True)
    subprocess.run([*root, "mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run([*root, "umount", "-l", folder], check=True)


def test_a_full_disk_holds_back_and_recovers(binary):
    server = Server(binary, STORE_ONLY)
    with small_disk(server.folder + "/data", "48m"):
        try:
            server.start()
            filler = server.folder + "/data/filler"
            with open(filler, "wb") as out:
                out.write(bytes(30 << 20))
            sender = Sender(server.port, 0, rate=1_000_000)
            sender.start()
            server.until(lambda: server.call("health")["status"] == "degraded", 30, "the disk to be full")
            time.sleep(1.0)
            stuck = sender.next
            time.sleep(1.0)
            assert sender.next - stuck <= 20_000, "the source was not held back"
            sender.stopped.set()
            os.remove(filler)
            server.until(lambda: not sender.is_alive(), 30, "the sender to go on")
            server.until(lambda: server.call("health")["status"] == "ok", 30, "the server to recover")
            server.found("program:prog", sender.next, within=20)
            check_numbers(server, sender.next)
        finally:
            server.stop(signal.SIGKILL)
    server.close()
