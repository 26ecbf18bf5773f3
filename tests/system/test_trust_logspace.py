"""A logspace whose files or whose clock were changed: every loss is reported."""

import glob
import json
import os
import shutil
import signal
import socket
import stat
import subprocess

from server import CONFIG, Server, waits_for

STORE_ONLY = CONFIG.replace("destination(d_file); ", "")
LOGSPACE = "/data/logspaces/main"


def with_options(options):
    return STORE_ONLY.replace('logspace("main")', f'logspace("main" {options})')


def send(server, numbers):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall("".join(f"<13>prog[{n}]: number n{n} of many\n" for n in numbers).encode())


def start_degraded(server):
    """Starts a server that will find something wrong; `Server.start` waits for a healthy one."""
    answers = server.answers
    server.answers = lambda: answered(server)
    server.start()
    server.answers = answers


def answered(server):
    if server.process.poll() is not None:
        raise AssertionError(f"the server ended with {server.process.returncode}:\n{server.stderr()}")
    try:
        return server.call("health")["status"] != "starting"
    except OSError:
        return False


def why(server, query="program:prog", **more):
    return [(part["why"], part.get("from"), part.get("to")) for part in server.search(query, limit=0, **more).get("unread", [])]


def error(server):
    return next((space.get("error") for space in server.call("health")["logspaces"] if space["name"] == "main"), None)


def verify(binary, server):
    command = [binary, "logspace", "verify", server.folder + LOGSPACE, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=60).stdout)


def check_lost(binary, harm, count=6000):
    """Sends messages, kills the server, damages its journal, and looks for the reports everywhere."""
    server = Server(binary, STORE_ONLY)
    try:
        server.start()
        # At least two batches, so that a part of the journal may stay intact.
        send(server, range(count // 2))
        server.found("program:prog", count // 2, within=30)
        send(server, range(count // 2, count))
        server.found("program:prog", count, within=30)
        own = server.call("search", {"query": "NOT program:prog", "limit": 0})["total"]
        server.stop(signal.SIGKILL)
        harm(sorted(glob.glob(server.folder + LOGSPACE + "/journal/journal-*.dj")))
        start_degraded(server)
        left = server.search("program:prog", limit=0)["total"]
        assert left < count
        parts = [part for part in why(server) if part[0] == "lost"]
        assert len(parts) == 1, parts
        named = parts[0][2] - parts[0][1]
        assert count - left <= named <= count - left + own + 10, (parts, left, own)
        assert server.call("health")["status"] == "degraded" and "lost" in error(server), error(server)
        assert "acknowledged messages are lost" in server.stderr()
        # New messages get new numbers.
        send(server, [count])
        server.found(f"n{count}", 1)
        row, = server.search(f"n{count}")["rows"]
        assert int(row["sequence"]) >= parts[0][2] or parts[0][1] > 0 and int(row["sequence"]) > parts[0][1], (row, parts)
        with open(server.folder + LOGSPACE + "/evidence/chain") as chain:
            assert "event gap" in chain.read()
        # The operator confirms: the server is healthy again, but searches and the verification
        # still report the loss.
        command = [binary, "logspace", "confirm", "main", "--control", server.folder + "/ctl"]
        subprocess.run(command, check=True, capture_output=True, timeout=30)
        server.until(lambda: server.call("health")["status"] == "ok", 30, "the server to be well")
        server.stop(signal.SIGKILL)
        server.start()
        assert [part for part in why(server) if part[0] == "lost"] == parts
        server.stop()
        findings = verify(binary, server)["findings"]
        assert any(finding["kind"] == "gap" for finding in findings), findings
    finally:
        server.close()


def test_l4_a_deleted_journal_is_reported(binary):
    def harm(files):
        for path in files:
            os.remove(path)
    check_lost(binary, harm)


def test_l4_an_emptied_journal_is_reported(binary):
    def harm(files):
        for path in files:
            os.truncate(path, 0)
    check_lost(binary, harm)


def test_l4_damage_inside_the_journal_is_reported(binary):
    def harm(files):
        with open(files[0], "r+b") as journal:
            content = journal.read()
            at = content.index(b"number n100 of")
            journal.seek(at)
            journal.write(b"X")
    check_lost(binary, harm)


def faked(server, offset_text):
    """From now on the server's wall clock has the offset in a file, such as +0 or +400d."""
    library = subprocess.check_output(["faketime", "-f", "+0", "printenv", "LD_PRELOAD"], text=True).strip()
    offset = server.folder + "/offset"

    def set_clock(text):
        with open(offset + ".new", "w") as out:
            out.write(text + "\n")
        os.rename(offset + ".new", offset)

    set_clock(offset_text)
    settings = [f"LD_PRELOAD={library}", f"FAKETIME_TIMESTAMP_FILE={offset}", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1"]
    spawn = server.spawn
    server.spawn = lambda command: spawn(["env", *settings, *command])
    return set_clock


def test_l3_a_jump_of_the_clock_removes_nothing(binary):
    if shutil.which("faketime") is None:
        raise AssertionError("faketime is missing: tools/install.sh test installs it")
    server = Server(binary, with_options('retention-age("90d")'))
    move_clock = faked(server, "+0")

    def set_clock(text):
        move_clock(text)
        # The session has expired, according to the clock.
        server.call("login", {"user": "admin", "password": server.password})

    seal = [binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
    segments = lambda: len(glob.glob(server.folder + LOGSPACE + "/20*/*/*.ds"))
    try:
        server.start()
        send(server, range(100))
        server.found("program:prog", 100)
        subprocess.run(seal, check=True, capture_output=True, timeout=30)
        assert segments() == 1
        # While it runs: every seal checks the retention.
        set_clock("+400d")
        send(server, range(100, 200))
        server.found("program:prog", 200, within=10)
        subprocess.run(seal, check=True, capture_output=True, timeout=30)
        server.until(lambda: "jumped forward" in (error(server) or ""), 30, "the jump to be told")
        assert segments() >= 2 and server.search("n5", limit=0)["total"] == 1
        server.until(lambda: "the clock jumped forward by 345" in server.stderr(), 30, "the jump in the log")
        # Across a restart.
        server.stop(signal.SIGKILL)
        start_degraded(server)
        server.until(lambda: "jumped forward" in (error(server) or ""), 30, "the jump to be told again")
        assert server.search("program:prog", limit=0)["total"] == 200
        # It comes back by itself.
        set_clock("+0")
        subprocess.run(seal, capture_output=True, timeout=30)
        send(server, range(200, 210))
        subprocess.run(seal, capture_output=True, timeout=30)
        server.until(lambda: error(server) is None, 30, "the clock to be right")
        # The operator confirms that it is right.
        set_clock("+400d")
        send(server, range(210, 220))
        subprocess.run(seal, capture_output=True, timeout=30)
        server.until(lambda: "jumped forward" in (error(server) or ""), 30, "the jump to be told")
        assert segments() >= 3
        command = [binary, "logspace", "confirm", "main", "--control", server.folder + "/ctl"]
        subprocess.run(command, check=True, capture_output=True, timeout=30)
        server.until(lambda: server.search("n5", limit=0)["total"] == 0, 30, "the removal by age")
    finally:
        server.close()


RELATIVE = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_network {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol)); }};
destination d_main {{ logspace("main" OPTIONS recode-after(0)); }};
destination d_far {{ network("127.0.0.1" port(9) transport("tcp") disk-buffer(reliable(yes) capacity-bytes(10485760) dir("PREFIXbuffers"))); }};
log {{ source(s_network); destination(d_main); destination(d_far); flags(flow-control); }};
"""
PATHS = 'archive-to("PREFIXarchive") sign-key("PREFIXsign.pem") encrypt-certificate("PREFIXcert.pem") decrypt-key("PREFIXkey.pem")'


def check_paths(binary, prefix):
    """A server whose paths all begin with a prefix: empty, or the absolute folder."""
    server = Server(binary, "")
    beside = server.folder + "/run"
    try:
        for name in ("run", "run/archive"):
            os.mkdir(f"{server.folder}/{name}")
        subprocess.run(["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", beside + "/sign0.pem"],
                       check=True, capture_output=True)
        subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", beside + "/sign0.pem", "-out", beside + "/sign.pem"],
                       check=True, capture_output=True)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x",
                        "-keyout", beside + "/key.pem", "-out", beside + "/cert.pem"], check=True, capture_output=True)
        config = RELATIVE.replace("OPTIONS", PATHS).replace("PREFIX", prefix(beside)).format(port=server.port)
        with open(beside + "/test.conf", "w") as out:
            out.write(config)
        lead = prefix(beside)
        server.log = open(server.folder + "/stderr", "ab")
        command = [server.binary, "run", "--config", lead + "test.conf", "--data", lead + "data", "--control", lead + "ctl",
                   "--pidfile", lead + "pid", "--http", f"127.0.0.1:{server.http}"]
        server.process = subprocess.Popen(command, stdout=server.log, stderr=server.log, stdin=subprocess.DEVNULL, cwd=beside)
        server.until(server.answers, 30, "the server to answer")
        ask = lambda *words: subprocess.run([server.binary, *words], check=True, capture_output=True, text=True, cwd=beside,
                                            timeout=60).stdout
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall("".join(f"<13>prog[{n}]: number n{n} of many, n{n} again and n{n}\n" for n in range(3000)).encode())
        figure = lambda name: next((int(line.split()[-1]) for line in server.text("/metrics").splitlines()
                                    if line.startswith(name)), 0)
        server.until(lambda: figure("duramen_logspace_sequence") >= 3000, 30, "the messages")
        ask("logspace", "seal", "main", "--control", lead + "ctl")
        server.until(lambda: figure("duramen_logspace_segments_recoded_total") == 1, 60, "a recoded segment")
        said = ask("logspace", "archive", "main", "--older-than", "0", "--control", lead + "ctl")
        assert "archived 1" in said, said
        link, = glob.glob(beside + "/data/logspaces/main/20*/*/*.ds")
        assert os.path.isabs(os.readlink(link)) and os.path.exists(link), os.readlink(link)
        assert glob.glob(beside + "/buffers/*"), "the disk buffer is elsewhere"
        server.stop()
        assert "not recoded" not in server.stderr()
        done = subprocess.run([server.binary, "logspace", "verify", lead + "data/logspaces/main", "--key", lead + "key.pem"],
                              capture_output=True, text=True, cwd=beside, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.close()


@waits_for(5)
def test_l10_paths_may_be_relative(binary):
    check_paths(binary, lambda folder: "")


@waits_for(5)
def test_l10_paths_may_be_absolute(binary):
    check_paths(binary, lambda folder: folder + "/")


def test_m1_only_the_owner_reads_the_data(binary):
    server = Server(binary, with_options("recode-after(0)"))
    server.umask = 0
    try:
        data = server.folder + "/data"
        server.start()
        send(server, range(3000))
        server.found("program:prog", 3000, within=30)
        subprocess.run([binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"], check=True,
                       capture_output=True, timeout=60)
        server.until(lambda: glob.glob(data + "/logspaces/main/20*/*/*.ds"), 30, "a segment")
        assert not open_to_others(data), open_to_others(data)
        assert stat.S_IMODE(os.stat(server.folder + "/ctl").st_mode) == 0o600
        server.stop()
        # Files that an earlier version left accessible to others get safe modes, which is reported
        # once.
        segment, = glob.glob(data + "/logspaces/main/20*/*/*.ds")
        os.chmod(segment, 0o644)
        os.chmod(data + "/logspaces/main", 0o755)
        for told in (1, 1):
            server.start()
            assert not open_to_others(data), open_to_others(data)
            assert server.stderr().count("Took the permissions of other users") == told
            server.stop()
    finally:
        server.close()


def open_to_others(folder):
    """Lists the files and folders that users other than the owner may use."""
    found = []
    for root, folders, files in os.walk(folder):
        for path in [root, *(os.path.join(root, name) for name in files)]:
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if mode & 0o077 and not os.path.islink(path):
                found.append((path, oct(mode)))
    return found
