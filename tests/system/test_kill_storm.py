"""Kills under load with everything at once: sealing, recoding, archiving, encryption. Nothing acknowledged is lost, nothing appears twice.

Senders of two protocols know what was acknowledged: `_bulk` over HTTP, and RELP. Each number is sent once. `KILLS` is the number of
times the server is killed; `make test` does a few, 60 take about five minutes.
"""

import collections
import contextlib
import glob
import http.client
import os
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from server import Server, free_port, waits_for

KILLS = int(os.environ.get("KILLS", "5"))
CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_http {{ http(ip("127.0.0.1") port(HTTP)); }};
source s_relp {{ relp(ip("127.0.0.1") port({port})); }};
destination d_main {{ logspace("main" encrypt-certificate("{folder}/cert.pem") decrypt-key("{folder}/key.pem") recode-after(0)
    archive-to("{folder}/archive") archive-after(2)); }};
log {{ source(s_http); source(s_relp); destination(d_main); flags(flow-control); }};
"""
# Messages of one request, and RELP frames that wait for their answers.
BATCH = 200
WINDOW = 100


class Sender(threading.Thread):
    """Sends numbers from `first` on until the server dies; remembers those that were acknowledged."""

    def __init__(self, port, first):
        super().__init__(daemon=True)
        self.port, self.next = port, first
        self.acknowledged = []

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            self.send()


class BulkSender(Sender):
    """Posts documents; an answer of 200 acknowledges all of them."""

    def send(self):
        peer = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while True:
            numbers = range(self.next, self.next + BATCH)
            self.next = numbers.stop
            lines = [f'{{"index":{{}}}}\n{{"message":"bulk number b{n} of many","number":"b{n}"}}\n' for n in numbers]
            peer.request("POST", "/_bulk", "".join(lines), {"Content-Type": "application/x-ndjson"})
            answer = peer.getresponse()
            body = answer.read()
            if answer.status == 200 and b'"errors":false' in body.replace(b" ", b""):
                self.acknowledged.extend(f"b{n}" for n in numbers)


class RelpSender(Sender):
    """Keeps a window of frames; `200 OK` acknowledges one."""

    def send(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            answers = peer.makefile("rb")
            offer = b"relp_version=0\nrelp_software=test\ncommands=syslog"
            peer.sendall(b"1 open %d %s\n" % (len(offer), offer))
            self.answer(answers)
            waiting, frame = collections.OrderedDict(), 2
            while True:
                out = []
                while len(waiting) < WINDOW:
                    text = b"<13>1 2026-11-22T10:00:00Z h prog r%d - - relp number r%d of many" % (self.next, self.next)
                    out.append(b"%d syslog %d %s\n" % (frame, len(text), text))
                    waiting[frame] = self.next
                    self.next, frame = self.next + 1, frame + 1
                peer.sendall(b"".join(out))
                for _ in range(WINDOW // 2):
                    done, text = self.answer(answers)
                    number = waiting.pop(done)
                    if text.startswith(b"200"):
                        self.acknowledged.append(f"r{number}")

    @staticmethod
    def answer(answers):
        """The number of a frame and its data: `NUMBER rsp LENGTH DATA`."""
        head = b""
        while head.count(b" ") < 3:
            byte = answers.read(1)
            if not byte:
                raise OSError("the server is gone")
            head += byte
        number, _, length, _ = head.split(b" ")
        text = answers.read(int(length) + 1)
        if len(text) <= int(length):
            raise OSError("the server is gone")
        return int(number), text


def stored(server):
    """The numbers that the server has, each as many times as it has it."""
    asked = urllib.parse.urlencode({"query": "number of many | fields message", "format": "csv"})
    words = server.text("/api/v1/export?" + asked).split()
    return collections.Counter(word for word in words if word[0] in "br" and word[1:].isdigit())


def check(server, acknowledged):
    there = stored(server)
    lost = [number for number in acknowledged if number not in there]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged messages are lost: {lost[:5]} ... {lost[-5:]}"
    twice = [number for number, count in there.items() if count > 1]
    assert not twice, f"{len(twice)} of {len(there)} messages are there twice: {twice[:5]}"
    total = server.search("number of many", limit=0)
    assert total["total"] == sum(there.values()), (total["total"], sum(there.values()))
    assert not total.get("unread"), total["unread"]


def upkeep(binary, server, ended):
    """Seals again and again, so that recoding and archiving have something to do."""
    while not ended.wait(random.uniform(0.1, 0.4)):
        command = [binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
        subprocess.run(command, capture_output=True, timeout=60)


def one_life(binary, server, ingest, next_numbers):
    """Sends until the kill; returns the acknowledged numbers, and the numbers to continue with."""
    senders = [BulkSender(ingest, next_numbers[0]), RelpSender(server.port, next_numbers[1])]
    ended = threading.Event()
    helper = threading.Thread(target=upkeep, args=(binary, server, ended), daemon=True)
    for thread in (*senders, helper):
        thread.start()
    time.sleep(random.uniform(0.2, 3.0))
    server.stop(signal.SIGKILL)
    ended.set()
    for thread in (*senders, helper):
        thread.join(90)
        assert not thread.is_alive(), "a thread hangs"
    return [number for sender in senders for number in sender.acknowledged], [sender.next for sender in senders]


@waits_for(11)
def test_kills_lose_and_duplicate_nothing(binary):
    ingest = free_port()
    server = Server(binary, CONFIG.replace("HTTP", str(ingest)))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout",
               server.folder + "/key.pem", "-out", server.folder + "/cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    os.mkdir(server.folder + "/archive")
    try:
        server.start()
        acknowledged, numbers = [], [0, 0]
        for kill in range(KILLS):
            more, numbers = one_life(binary, server, ingest, numbers)
            acknowledged += more
            server.start()
            # Everything is compared only now and then, because it takes longer each time.
            if kill % 10 == 9 or kill == KILLS - 1:
                check(server, acknowledged)
        # Both protocols, and every kind of upkeep, took part.
        kinds = collections.Counter(number[0] for number in acknowledged)
        assert kinds["b"] > KILLS * 100 and kinds["r"] > KILLS * 20, kinds
        archived = lambda: glob.glob(server.folder + "/archive/main/20*/*/*.ds")
        seal = [binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
        subprocess.run(seal, capture_output=True, timeout=60)
        server.until(archived, 60, "an archived segment")
        check(server, acknowledged)
        server.stop()
        folder = server.folder + "/data/logspaces/main"
        done = subprocess.run([binary, "logspace", "verify", folder, "--key", server.folder + "/key.pem"],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        print(f"      {KILLS} kills, {len(acknowledged)} acknowledged messages")
    finally:
        server.close()
