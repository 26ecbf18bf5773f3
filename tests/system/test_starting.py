"""After a kill with many messages in the journal: acknowledged messages are shown once they are read back, and no answer is called complete before."""

import concurrent.futures
import json
import signal
import socket
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.request

from server import CONFIG, Server, waits_for

COUNT = 900_000
SEALED = 2_000
# Every hundredth message.
NEEDLES = (COUNT + SEALED) // 100
STORE_ONLY = CONFIG.replace("destination(d_file); ", "")


def send(server, numbers):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        for first in range(0, len(numbers), 5000):
            lines = (f"<13>prog[{n}]: number n{n} {'needle' if n % 100 == 0 else 'straw'} of a long haul through the journal and back again\n" for n in numbers[first:first + 5000])
            peer.sendall("".join(lines).encode())


def patiently(call, within=300):
    """Repeats a call that is refused during the start with 503 `starting` and Retry-After, as the manual says."""
    end = time.monotonic() + within
    while True:
        try:
            return call()
        except urllib.error.HTTPError as error:
            answer = json.load(error)["error"]
            assert (error.code, answer["code"]) == (503, "starting") and int(error.headers["Retry-After"]) > 0, (error.code, answer)
            assert time.monotonic() < end, "the server never started"
            time.sleep(min(int(error.headers["Retry-After"]), 5))


def status(server):
    assert server.process.poll() is None, server.stderr()
    try:
        return server.call("health")["status"]
    except OSError:
        return None


class Slowed:
    """A server that is given a small share of the CPU time, from a moment after its start until `end`."""

    def __init__(self, server):
        self.server, self.killed = server, server.process
        self.stopped = 1.49
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while self.server.process is self.killed and not self.ended.is_set():
            time.sleep(0.01)
        process = self.server.process
        time.sleep(0.2)
        while not self.ended.is_set() and process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(self.stopped)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.005)

    def end(self):
        self.ended.set()
        self.thread.join()


def exported(server):
    with server.opener.open(f"{server.base}/api/v1/export?query=needle", timeout=300) as answer:
        return [json.loads(line)["message"] for line in answer], time.monotonic()


def packed(server):
    """The messages of an evidence package, and the time when it was made."""
    body = json.dumps({"query": "needle"}).encode()
    headers = {"Content-Type": "application/json", "X-Requested-By": "test"}
    request = urllib.request.Request(f"{server.base}/api/v1/package", body, headers)
    with server.opener.open(request, timeout=300) as answer:
        made, at = json.load(answer), time.monotonic()
    with server.opener.open(f"{server.base}/api/v1/package?id={made['id']}", timeout=300) as answer:
        with tarfile.open(fileobj=answer, mode="r|") as archive:
            names = [member.name for member in archive]
    assert any(name.endswith("manifest.json") for name in names), names
    return made["messages"], at


@waits_for(130)
def test_l5_after_a_kill_no_partial_answer_passes_for_a_complete_one(binary):
    server = Server(binary, STORE_ONLY)
    try:
        server.start()
        send(server, range(SEALED))
        server.found("program:prog", SEALED, within=60)
        subprocess.run([server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"], check=True, capture_output=True, timeout=60)
        send(server, range(SEALED, COUNT + SEALED))
        server.found("program:prog", COUNT + SEALED, within=300)
        server.stop(signal.SIGKILL)
        # The journal is read back before the page answers or, if that takes more than thirty seconds, while it answers,
        # as on a slow machine, which is simulated until then.
        answers = server.answers
        server.answers = lambda: status(server) in ("starting", "ok")
        slow = Slowed(server)
        try:
            server.start(logs_in=False, within=120)
            # An export waits a minute, and then gets Retry-After.
            asked = time.monotonic()
            try:
                exported(server)
                raise AssertionError("an export was made before everything was read back")
            except urllib.error.HTTPError as error:
                answer = json.load(error)["error"]
                assert (error.code, answer["code"]) == (503, "starting") and int(error.headers["Retry-After"]) > 0, answer
            assert 59 < time.monotonic() - asked < 120, time.monotonic() - asked
            server.answers = answers
            assert server.call("health")["status"] == "starting", "the start was too quick to see anything: more messages"
            # Less slow, until three incomplete answers were seen.
            slow.stopped = 0.05
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                export = pool.submit(patiently, lambda: exported(server))
                package = pool.submit(patiently, lambda: packed(server))
                partial, totals = 0, []
                while server.call("health")["status"] == "starting":
                    answer = server.search("program:prog", limit=0)
                    why = [part["why"] for part in answer.get("unread", [])]
                    totals.append(answer["total"])
                    # An incomplete answer that does not say so must never happen.
                    assert answer["total"] == COUNT + SEALED or why == ["starting"], (answer["total"], why)
                    partial += why == ["starting"]
                    if partial >= 3:
                        slow.end()
                    time.sleep(0.1)
                well = time.monotonic()
                messages, export_at = export.result()
                packaged, package_at = package.result()
        finally:
            slow.end()
        assert partial >= 3 and totals == sorted(totals), (partial, totals)
        # Both waited and are complete: the export has all messages, the package all sealed ones.
        assert export_at > well - 1 and package_at > well - 1, (well, export_at, package_at)
        assert len(messages) == len(set(messages)) == NEEDLES, len(messages)
        assert packaged == SEALED // 100, packaged
        answer = server.search("program:prog", limit=0)
        assert answer["total"] == COUNT + SEALED and "unread" not in answer, answer
    finally:
        server.close()
