"""Bytes on the line for each message of small frames: SLTP as it is, with zstd, and over TCP.

In: files of log lines, or none: then lines of a web server and of log-ins. Out: for frames of 1, 10 and 100 messages the bytes a message on
the line, in both directions, once the sender has learned what messages have in common. Messages go in turns of one frame, each when the one before is stored."""

import re
import socket
import time

from lines import RECEIVER, SENDER, TRANSPORTS, Line, blocks, lines
from server import Server

PER_FRAME = (1, 10, 100)
# Messages before the count begins: a dictionary needs 128 KiB of them.
WARM = 2000
COUNT = 2000
WAYS = {
    "TCP": TRANSPORTS["TCP"],
    "SLTP": TRANSPORTS["SLTP"],
    "SLTP, zstd": ('sltp("127.0.0.1" port(@PORT@) compression(zstd) batch-lines(@LINES@))', TRANSPORTS["SLTP"][1]),
}


def messages(files):
    """Messages in RFC 5424: the lines of all files in turns."""
    if not files:
        return [text for block in blocks() for text in re.findall(rb"\d+ (<.*?)(?=\d+ <13>1 |$)", block)]
    lists = []
    for path in files:
        with open(path, "rb") as text:
            lists.append((path.split("/")[-1].split("_")[0].lower(), text.read().splitlines()))
    out = []
    for number in range(max(len(found) for _, found in lists)):
        for program, found in lists:
            if number < len(found):
                head = b"<38>1 2026-11-27T10:%02d:%02d.%06dZ web%02d %s %d - - " % (
                    number // 60 % 60, number % 60, number * 7919 % 10**6, number % 4, program.encode(), 1000 + number * 37 % 9000)
                out.append(head + found[number])
    return out


def measure(binary, way, per_frame, texts):
    destination, source = WAYS[way]
    receiver = Server(binary, RECEIVER.replace("@SOURCE@", source))
    line = Line(receiver.port, 0)
    sender = Server(binary, SENDER.replace("@DESTINATION@", destination.replace("@PORT@", str(line.port)).replace("@LINES@", str(per_frame))))
    stored = lines(receiver.folder + "/out")
    try:
        receiver.start(within=60)
        sender.start(within=60)
        with socket.create_connection(("127.0.0.1", sender.port), timeout=60) as peer:
            for first in range(0, WARM + COUNT, per_frame):
                if first == WARM:
                    line.bytes = 0
                part = [texts[number % len(texts)] for number in range(first, first + per_frame)]
                peer.sendall(b"".join(b"%d %s" % (len(text), text) for text in part))
                end = time.monotonic() + 30
                while stored() < first + per_frame:
                    assert time.monotonic() < end, f"{way}: {first} messages are stored, and no more come"
                    time.sleep(0.0005)
        # The last acknowledgement.
        time.sleep(0.1)
        return line.bytes / COUNT
    finally:
        sender.close()
        receiver.close()
        line.close()


def table(binary, files=()):
    texts = messages(files)
    print(f"{len(texts)} messages of {sum(map(len, texts)) / len(texts):.0f} bytes")
    print("| transport | " + " | ".join(f"{count} a frame" for count in PER_FRAME) + " |")
    print("|---|" + "---:|" * len(PER_FRAME))
    for way in WAYS:
        print(f"| {way} | " + " | ".join(f"{measure(binary, way, count, texts):.0f}" for count in PER_FRAME) + " |", flush=True)
