"""What is sent: numbered messages over plain TCP connections, and over RELP.

The number of a message is its process id, so that every store can be counted by numbers: each once."""

import socket
import threading
import time

TEXT = "action=accept src=10.20.30.40 dst=192.0.2.17 sport=50211 dport=443 proto=tcp rule=17 user=jenkins session=8f3a1c bytes=18231 host=gateway7"
CHUNK = 500


class Numbered:
    """Numbered messages of RFC 5424; those whose number is refused have other parts: `host`, `program` or `text`."""

    def __init__(self, is_refused, refused):
        self.is_refused = is_refused
        self.usual = {"host": "web1", "program": "5", "text": TEXT}
        self.odd = {**self.usual, **refused}

    def line(self, number):
        of = self.odd if self.is_refused(number) else self.usual
        return f"<13>1 2026-11-20T10:00:00Z {of['host']} {of['program']} {number} - - {of['text']}\n"


class Feeder:
    """Sends numbered messages from a thread of its own; it waits when the receiver makes it wait."""

    def __init__(self, port, numbered, count):
        self.port, self.numbered, self.count = port, numbered, count
        self.sent, self.error, self.ended = 0, None, None
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=600) as peer:
                line = self.numbered.line
                for first in range(0, self.count, CHUNK):
                    last = min(first + CHUNK, self.count)
                    peer.sendall("".join(map(line, range(first, last))).encode())
                    self.sent = last
        except OSError as error:
            self.error = error
        self.ended = time.monotonic()

    def is_done(self):
        return self.ended is not None


def bsd(number, host, size=0):
    """A message of RFC 3164; with a size, as many bytes long, its line end included."""
    head = f"<13>Nov 20 10:00:00 {host} app[{number}]: "
    text = TEXT if not size else (TEXT * (size // len(TEXT) + 1))[:size - len(head) - 1]
    return f"{head}{text}\n"


def together(count, work):
    """Runs work(0), work(1), ... in threads; raises the first error of one."""
    errors = []

    def run(index):
        try:
            work(index)
        except (OSError, ValueError) as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def blocks(hosts, size):
    """One block of lines a host group: what a connection sends again and again, so that making messages costs nothing."""
    return "".join(bsd(number, hosts[number % len(hosts)], size) for number in range(1000)).encode()


def send_plain(port, connections, count, hosts, size):
    """Sends `count` lines, a thousand at a time, over several connections at a time."""
    block = blocks(hosts, size)
    shares = share(count // 1000, connections)

    def work(index):
        with socket.create_connection(("127.0.0.1", port), timeout=600) as peer:
            for _ in range(shares[index]):
                peer.sendall(block)
    together(connections, work)


def send_relp(port, connections, count, hosts, size, window=1000):
    """The same over RELP: `window` messages are on their way before the first of them must be answered."""
    lines = blocks(hosts, size).split(b"\n")[:-1]
    shares = share(count // 1000, connections)

    def work(index):
        with socket.create_connection(("127.0.0.1", port), timeout=600) as peer:
            offers = b"relp_version=0\nrelp_software=bench\ncommands=syslog"
            peer.sendall(b"1 open %d %s\n" % (len(offers), offers))
            answers = Answers(peer)
            answers.wait(1)
            number = 1
            for _ in range(shares[index]):
                for first in range(0, len(lines), window):
                    part = lines[first:first + window]
                    peer.sendall(b"".join(b"%d syslog %d %s\n" % (number + 1 + at, len(line), line) for at, line in enumerate(part)))
                    number += len(part)
                    # The next window is sent while the answers to this one are on their way.
                    answers.wait(max(1, number - window))
            answers.wait(number)
            peer.sendall(b"%d close 0\n" % (number + 1))
    together(connections, work)


class Answers:
    """The answers of a RELP receiver, counted."""

    def __init__(self, peer):
        self.peer, self.seen, self.rest = peer, 0, b""

    def wait(self, count):
        while self.seen < count:
            data = self.peer.recv(1 << 20)
            if not data:
                raise ValueError("the receiver closed a RELP session")
            data = self.rest + data
            self.seen += data.count(b" rsp ")
            # A word may be split between two reads.
            self.rest = tail_of(data)


def tail_of(data):
    """The end of what was read that may be the beginning of ` rsp `."""
    word = b" rsp "
    for length in range(len(word) - 1, 0, -1):
        if data.endswith(word[:length]):
            return data[-length:]
    return b""


def share(total, parts):
    """A total in nearly equal parts."""
    return [total // parts + (index < total % parts) for index in range(parts)]
