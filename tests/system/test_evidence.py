"""Sealed logspaces of the real server, and attacks on them: `duramen logspace verify` finds and names each."""

import atexit
import functools
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile

from server import CONFIG, Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A segment is a million messages, or less by a batch; what attacks do to one does not depend on its size.
WHOLE = 1_000_000
SEGMENT = 100_000
STORE_ONLY = CONFIG.replace("destination(d_file); ", "").replace(" internal();", "")


def send(server, first, count):
    """Numbered messages over one connection; waits until all are found."""
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        for start in range(first, first + count, 50_000):
            end = min(start + 50_000, first + count)
            peer.sendall("".join(f"<13>prog: n{number}\n" for number in range(start, end)).encode())
    server.until(lambda: server.search("*", limit=0)["total"] >= first + count, 120, "all messages")


def sealed(server, count):
    return lambda: len(segments(server.folder + "/data/logspaces/main")) >= count


def seal(server, count):
    """Makes a segment of what came since the last one; there are `count` then."""
    subprocess.run([server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"], check=True, capture_output=True, timeout=60)
    server.until(sealed(server, count), 60, f"{count} segments")


def segments(logspace):
    return sorted(glob.glob(logspace + "/[0-9]*/*/*.ds"))


@functools.cache
def base(binary):
    """A data folder with two segments and some messages in the journal, created once; its server is stopped."""
    server = Server(binary, STORE_ONLY)
    atexit.register(server.close)
    server.start()
    for number in range(2):
        send(server, number * SEGMENT, SEGMENT)
        seal(server, number + 1)
    send(server, 2 * SEGMENT, 500)
    server.stop()
    return server


def logspace(binary):
    return base(binary).folder + "/data/logspaces/main"


def verify(binary, directory, *options):
    """Verifies a logspace and returns the report; checks that the exit status agrees with it."""
    command = [binary, "logspace", "verify", directory + "/", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert (done.returncode == 0) == report["good"], done.stdout
    return report


def found(report, kind, file="", text=""):
    """A finding of this kind about this file, or the test fails."""
    for finding in report["findings"]:
        if finding["kind"] == kind and file in (finding["file"] or "") and text in finding["text"]:
            return finding
    raise AssertionError(f"no {kind} of {file!r}: {report['findings']}")


class Harmed:
    """A copy of a logspace whose files can be damaged; large files are hard links until then."""

    def __init__(self, source):
        self.holder = tempfile.TemporaryDirectory(prefix="duramen-harmed-")
        self.dir = self.holder.name + "/main"
        shutil.copytree(source, self.dir, copy_function=lambda a, b: os.link(a, b) if a.endswith(".ds") else shutil.copy2(a, b))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.cleanup()

    def write(self, path, data):
        os.remove(path)
        with open(path, "wb") as out:
            out.write(data)

    def flip(self, path, offset, bit=1):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data[offset] ^= bit
        self.write(path, data)


def short(path, directory):
    return os.path.relpath(path, directory)


def test_one_flipped_bit_anywhere_in_a_segment(binary):
    """In the header, the first chunk, in between, the footer and the trailer; the other segment stays whole. Every bit of a
    small segment is flipped in crates/segment/src/tests/damage.rs."""
    with open(segments(logspace(binary))[0], "rb") as file:
        size = os.fstat(file.fileno()).st_size
    for offset in (20, 512, size // 3, size - 1000, size - 5):
        with Harmed(logspace(binary)) as harmed:
            first = segments(harmed.dir)[0]
            harmed.flip(first, offset)
            report = verify(binary, harmed.dir)
            finding = found(report, "damaged", short(first, harmed.dir))
            if 512 <= offset < size - size // 16:
                assert finding["offset"] <= offset < finding["offset"] + (1 << 16), (offset, finding)
            assert abs(report["messages"] - SEGMENT) < SEGMENT // 10, f"the other segment is read back: {report}"


def test_the_rest_of_a_damaged_segment_is_found(binary):
    source = base(binary)
    server = Server(binary, STORE_ONLY)
    try:
        shutil.rmtree(server.folder + "/data", ignore_errors=True)
        shutil.copytree(source.folder + "/data", server.folder + "/data")
        server.password = source.password
        first = segments(server.folder + "/data/logspaces/main")[0]
        with open(first, "r+b") as file:
            # Somewhere in the texts, which are the largest part and come first.
            place = os.fstat(file.fileno()).st_size // 3
            file.seek(place)
            byte = file.read(1)
            file.seek(place)
            file.write(bytes([byte[0] ^ 16]))
        server.start()
        for number in (5, SEGMENT - 5, SEGMENT + 5, 2 * SEGMENT + 100):
            rows = server.search(f"n{number}")["rows"]
            assert [row["message"] for row in rows] == [f"n{number}"], (number, rows)
    finally:
        server.close()


def test_files_that_are_gone_cut_or_others(binary):
    harms = {
        "deleted": (lambda harmed, one, two: os.remove(one), "missing", ""),
        "cut": (lambda harmed, one, two: harmed.write(one, open(one, "rb").read()[:-100]), "damaged", "the end is missing"),
        "another in its place": (lambda harmed, one, two: harmed.write(one, open(two, "rb").read()), "foreign", "another or an older one"),
        "copied elsewhere": (
            lambda harmed, one, two: shutil.copy(one, os.path.dirname(one) + "/00000000000000000777.ds"), "foreign", "copied"),
    }
    for name, (harm, kind, text) in harms.items():
        with Harmed(logspace(binary)) as harmed:
            one, two = segments(harmed.dir)
            harm(harmed, one, two)
            found(verify(binary, harmed.dir), kind, text=text)


def test_a_segment_of_another_logspace_and_an_old_copy(binary):
    other = Server(binary, STORE_ONLY)
    try:
        other.start()
        send(other, 0, SEGMENT)
        seal(other, 1)
        other.stop()
        foreign = segments(other.folder + "/data/logspaces/main")[0]
        with Harmed(logspace(binary)) as harmed:
            harmed.write(segments(harmed.dir)[0], open(foreign, "rb").read())
            found(verify(binary, harmed.dir), "foreign", text="another or an older one")
    finally:
        other.close()
    # An older copy of everything: only the digest of a later record, kept elsewhere, reveals it.
    head = verify(binary, logspace(binary))["head"]
    with Harmed(logspace(binary)) as harmed:
        chain = harmed.dir + "/evidence/chain"
        records = open(chain, "rb").read().split(b"\n\n")
        harmed.write(chain, b"\n\n".join(records[:1]) + b"\n\n")
        os.remove(segments(harmed.dir)[1])
        report = verify(binary, harmed.dir, "--head", head)
        found(report, "chain", text="kept elsewhere")


def test_bits_of_the_chain(binary):
    chain = logspace(binary) + "/evidence/chain"
    size = os.path.getsize(chain)
    for offset in range(3, size, size // 8):
        with Harmed(logspace(binary)) as harmed:
            # Reading the messages back tells nothing about the chain, so leave that out.
            for path in segments(harmed.dir):
                harmed.write(path, b"")
            before = {(f["kind"], f["text"]) for f in verify(binary, harmed.dir)["findings"]}
            harmed.flip(harmed.dir + "/evidence/chain", offset)
            after = {(f["kind"], f["text"]) for f in verify(binary, harmed.dir)["findings"]}
            new = {kind for kind, _ in after - before}
            assert new & {"chain", "signature", "gap", "foreign"}, f"a bit at {offset}: {after - before}"


def test_a_clock_that_was_set_back(binary):
    if shutil.which("faketime") is None:
        raise AssertionError("faketime is missing: tools/install.sh test installs it")
    server = Server(binary, STORE_ONLY)
    spawn = server.spawn
    try:
        server.start()
        send(server, 0, WHOLE + 10)
        server.until(sealed(server, 1), 60, "a segment")
        server.stop()
        assert verify(binary, server.folder + "/data/logspaces/main")["good"]
        # faketime itself would stay between us and the server, and a signal would end only faketime.
        faked = subprocess.check_output(["faketime", "-f", "-2h", "printenv", "LD_PRELOAD"], text=True).strip()
        settings = [f"LD_PRELOAD={faked}", "FAKETIME=-2h", "FAKETIME_DONT_FAKE_MONOTONIC=1"]
        server.spawn = lambda command: spawn(["env", *settings, *command])
        server.start()
        send(server, WHOLE + 10, SEGMENT)
        seal(server, 2)
        server.stop()
        found(verify(binary, server.folder + "/data/logspaces/main"), "clock", text="went back")
    finally:
        server.close()


def packages(binary, folder):
    """A good package, and one of which a message was changed."""
    good, bad = folder + "/good", folder + "/bad"
    command = [binary, "logspace", "export", logspace(binary) + "/", "-o", good, "--query", "n4711 OR n100042 OR n77"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    shutil.copytree(good, bad)
    for name in os.listdir(bad):
        with open(f"{bad}/{name}", "rb") as file:
            data = file.read()
        if b"n4711" in data and not name.endswith(".html"):
            with open(f"{bad}/{name}", "wb") as out:
                out.write(data.replace(b"n4711", b"n4712", 1))
    return good, bad


def test_a_package_is_verified_by_the_command_and_by_the_page_offline(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-package-") as folder:
        good, bad = packages(binary, folder)
        for package, status in ((good, 0), (bad, 1)):
            done = subprocess.run([binary, "verify-package", package], capture_output=True, text=True, timeout=60)
            assert done.returncode == status, done.stdout + done.stderr
        command = ["node", "e2e/package.mjs", good, bad]
        done = subprocess.run(command, cwd=ROOT + "/ui", capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        whole, changed = [json.loads(line) for line in done.stdout.splitlines()]
        assert whole["verdict"] == "The package is whole and unchanged.", whole
        assert len(whole["steps"]) > 4 and all(step["good"] for step in whole["steps"]), whole
        assert changed["verdict"] == "The package is NOT as it was made.", changed
        assert any("changed or missing" in step["text"] for step in changed["steps"] if not step["good"]), changed
        assert whole["requests"] == changed["requests"] == [], "the page asked the network"
