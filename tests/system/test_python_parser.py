"""python() as a parser: classes of the configuration read and change messages; one at which they crash, hang or fail does not match, and costs itself only."""

import os
import signal
import socket
import threading
import time

from destination import check_refusals, send
from server import Server, waits, waits_for

BASE = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol) log-iw-size(%d)); }};
destination d_out {{ file("{folder}/out" template("$MSG $value\\n")); }};
destination d_else {{ file("{folder}/else" template("$MSG\\n")); }};
destination d_aside {{ file("{folder}/aside" template("$MSG\\n")); }};
"""
PATHS = "log {{ source(s_net); parser(p_python); destination(d_out); flags(flow-control); }};\n"


def config(code, options="", paths=PATHS, head=BASE % 20000):
    braces = lambda text: text.replace("{", "{{").replace("}", "}}")
    return head + braces("python {" + code + "};\n") + 'parser p_python {{ python(class("P") %s); }};\n' % options + paths


def lines(server, name="out"):
    try:
        with open(f"{server.folder}/{name}") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def until(server, name, want, within=20):
    try:
        server.until(lambda: len(lines(server, name)) >= want, within, f"{want} lines")
    except AssertionError as error:
        raise AssertionError(f"{error}: {len(lines(server, name))}\n{server.stderr()}") from None
    return lines(server, name)


def numbers(server, count, start=0):
    send(server, [("web", str(number)) for number in range(start, start + count)])


def parsed(server):
    """The messages that the parser got, and those that it did not let pass."""
    found = {}
    for line in server.ctl("stats").splitlines():
        fields = line.split(";")
        if fields[0] == "parser" and fields[1] == "p_python":
            found[fields[4]] = int(fields[5])
    return found["processed"], found["discarded"]


def run(binary, text, work):
    server = Server(binary, text)
    try:
        server.start()
        return work(server)
    finally:
        server.close()


# The shape of the parsers that the reference documents.
EXAMPLES = r'''
import re
from datetime import datetime, timezone

class P(object):
    def init(self, options):
        self.pattern = re.compile(options["regex"])
        self.counter = 0
        return True

    def deinit(self):
        with open("FOLDER/deinit", "a") as file:
            file.write("deinit %d\n" % self.counter)

    def parse(self, log_message):
        self.counter += 1
        match = self.pattern.match(log_message["MESSAGE"].decode("ascii"))
        if not match:
            return False
        for key, value in match.groupdict().items():
            log_message[key] = value
        log_message["number"] = int(match.group("n"))
        log_message["list"] = ["a", "b c"]
        log_message["HOST"] = log_message["HOST"].decode() + ".example"
        log_message["PROGRAM"] = "changed"
        log_message[".SDATA.id@1.key"] = "new"
        log_message.set_pri(165)
        log_message.set_timestamp(datetime(2020, 2, 3, 4, 5, 6, tzinfo=timezone.utc))
        assert log_message.set_source_ipaddress("192.0.2.7") and not log_message.set_source_ipaddress("nowhere")
        assert log_message["n"] == match.group("n").encode() and log_message["MSGHDR"] == b"changed[17]: ", log_message["MSGHDR"]
        return True
'''


def test_examples_of_the_reference_run_as_they_are(binary):
    template = "$HOST|$PRI|$ISODATE|$SOURCEIP|${{word}}|$(format-json number list)|${{.SDATA.id@1.key}}|$MSGHDR"
    paths = PATHS + 'log {{ source(s_net); if {{ parser(p_python); }} else {{ destination(d_else); }}; }};\n'
    head = (BASE % 1000).replace("$MSG $value", template)
    server = Server(binary)
    code = EXAMPLES.replace("FOLDER", server.folder)
    text = config(code, r"""options("regex" '(?P<word>[a-z]+) (?P<n>[0-9]+)')""", paths, head)
    try:
        server.write_config(text)
        server.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
            for text_of in ["seven 7", "no", "5 five"]:
                peer.sendall(('<13>1 2007-04-22T10:00:00Z web app 17 - [id@1 key="v"] %s\n' % text_of).encode())
        found = until(server, "out", 1)
        want = 'web.example|165|2020-02-03T04:05:06+00:00|192.0.2.7|seven|{"number":7,"list":["a","b c"]}|new|changed[17]: '
        assert found == [want], (found, server.stderr())
        assert sorted(until(server, "else", 2)) == ["5 five", "no"]
        # Both uses of the parser are one object; a reload ends it, and so does a stop.
        server.ctl("reload")
        server.until(lambda: lines(server, "deinit") == ["deinit 6"], 30, "the end of the old object: " + server.stderr())
        send(server, [("web", "eight 8")])
        until(server, "out", 2)
        server.stop()
        assert lines(server, "deinit") == ["deinit 6", "deinit 2"]
    finally:
        server.close()


OUTCOMES = '''
import os, time, re
class P:
    def parse(self, msg):
        text = msg["MSG"].decode()
        msg["value"] = "seen"
        if text == "false": return False
        if text == "none": return None
        if text == "raise": raise ValueError("not so")
        if text == "exit": raise SystemExit(3)
        if text == "crash": os._exit(9)
        if text == "segfault":
            import ctypes
            ctypes.string_at(0)
        if text == "hang": time.sleep(1000)
        if text == "stuck": re.match("(a+)+$", "a" * 60 + "b")
        if text == "nonsense":
            os.write(max(fd for fd in range(3, 20) if os.path.exists("/proc/self/fd/%d" % fd) and "pipe" in os.readlink("/proc/self/fd/%d" % fd)), b"\\1\\0\\0\\0p!")
            time.sleep(1000)
        if text == "large": msg["value"] = "x" * 1000000
        if text == "giant": msg["value"] = "x" * 9000000
        if text == "memory": kept = bytearray(2 << 30)
        return True
'''
BAD = ["false", "none", "raise", "exit", "crash", "segfault", "hang", "stuck", "nonsense", "giant", "memory"]


@waits
def test_a_message_costs_itself_only(binary):
    """Whatever a message does to the class, it alone does not match; all others come out in order, also on other paths."""
    texts, bad = [], list(BAD)
    for number in range(60):
        texts.append(str(number))
        if number % 4 == 3 and bad:
            texts.append(bad.pop(0))
    texts.append("large")
    assert not bad
    paths = """log {{ source(s_net); parser(p_python); destination(d_out); flags(flow-control final); }};
log {{ source(s_net); destination(d_else); flags(flow-control); }};
log {{ source(s_other); destination(d_aside); }};
"""
    other = BASE % 20000 + 'source s_other {{ network(ip("127.0.0.1") port({port}) transport("udp") flags(no-parse)); }};\n'

    def work(server):
        send(server, [("web", text) for text in texts])
        # A source that does not use the class does not wait for it.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.sendto(b"aside", ("127.0.0.1", server.port))
        until(server, "aside", 1, 2)
        found = [line.split(" ") for line in until(server, "out", 61, 60)]
        assert [text for text, _ in found] == [text for text in texts if text not in BAD], found
        assert [value for _, value in found[:-1]] == ["seen"] * 60 and len(found[-1][1]) == 1000000
        assert until(server, "else", len(BAD)) == BAD
        assert parsed(server) == (len(texts), len(BAD))
        # What a process writes itself comes over a pipe of its own, after its answers.
        server.until(lambda: "MemoryError" in server.stderr(), 30, "the reason of the process")
        said = server.stderr()
        for words in ["Python: ValueError", "in parse", "exit status: 9", "signal: 11", "took more than 1 s", "no answer", "MemoryError"]:
            assert words in said, (words, said)

    run(binary, config(OUTCOMES, "timeout(1)", paths, other), work)


COUNTED = '''
import os, time
class P:
    def init(self, options):
        self.folder = options["folder"]
        with open(self.folder + "/pids", "a") as file: file.write("%d\\n" % os.getpid())
        return True
    def parse(self, msg):
        if msg["MSG"] == b"slow":
            open(self.folder + "/slow", "w").close()
            time.sleep(1000)
        msg["value"] = "seen"
        return True
'''


@waits_for(17)
def test_kills_of_the_process_lose_and_double_nothing(binary):
    """20,000 messages while the process is killed ten times: each comes out once, in order."""
    count = 20000

    def work(server):
        sender = threading.Thread(target=numbers, args=(server, count))
        sender.start()
        pids = lambda: [int(pid) for pid in lines(server, "pids")]
        for kill in range(1, 11):
            server.until(lambda: len(pids()) >= kill, 20, "a process")
            server.until(lambda: len(lines(server)) >= kill * count // 20, 30, "some messages: " + server.stderr())
            os.kill(pids()[-1], signal.SIGKILL)
        sender.join()
        found = until(server, "out", count, 60)
        assert found == [f"{number} seen" for number in range(count)], len(found)
        assert parsed(server) == (count, 0)
        server.stop()
        assert not any(os.path.exists(f"/proc/{pid}") for pid in pids())

    run(binary, config(COUNTED, 'options("folder" "{folder}")'), work)


@waits_for(14)
def test_reloads_and_stops_under_load(binary):
    """Messages flow over reloads; a class that hangs holds neither a reload nor a stop up, and its process does not stay behind."""
    def work(server):
        sender = threading.Thread(target=numbers, args=(server, 10000))
        sender.start()
        for part in range(1, 5):
            server.until(lambda: len(lines(server)) >= part * 2000, 30, "some messages: " + server.stderr())
            server.ctl("reload")
        sender.join()
        found = until(server, "out", 10000, 60)
        assert sorted(found) == sorted(f"{number} seen" for number in range(10000)), len(found)
        send(server, [("web", "slow"), ("web", "after")])
        server.until(lambda: os.path.exists(server.folder + "/slow"), 30, "a hang")
        began = time.monotonic()
        server.ctl("reload")
        assert time.monotonic() - began < 20
        assert until(server, "out", 10001)[-1] == "after seen"
        os.remove(server.folder + "/slow")
        send(server, [("web", "slow"), ("web", "after")])
        server.until(lambda: os.path.exists(server.folder + "/slow"), 30, "another hang")
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 20
        assert not any(os.path.exists(f"/proc/{pid}") for pid in lines(server, "pids"))

    run(binary, config(COUNTED, 'options("folder" "{folder}")'), work)


@waits_for(16)
def test_a_class_that_does_not_load_holds_messages(binary):
    """The source is held back, the reason is said, and a mended module is found without a restart."""
    server = Server(binary)
    module = server.folder + "/python/held.py"
    try:
        server.write_config(config("", "").replace('class("P")', 'class("held.P")'))
        os.mkdir(server.folder + "/python")
        server.start()
        numbers(server, 3)
        for code, words in [(None, "No module named 'held'"), ("class P: pass", "has no method parse()"), ("class P:\n  def init(self, options): return False\n  def parse(self, msg): return True\n", "did not return True")]:
            if code is not None:
                with open(module, "w") as file:
                    file.write(code)
            server.until(lambda: words in server.stderr(), 20, words + ": " + server.stderr())
        with open(module, "w") as file:
            file.write("class P:\n  def parse(self, msg): msg['value'] = 'now'; return True\n")
        assert until(server, "out", 3) == ["0 now", "1 now", "2 now"]
        # What cannot be parsed any more is given up at the end, and counted.
        with open(module, "w") as file:
            file.write("class P: pass")
        server.ctl("reload")
        numbers(server, 2)
        server.until(lambda: "messages wait for it" in server.stderr().rpartition("Configuration reload")[2], 20, server.stderr())
        server.stop()
        assert "Messages given up" in server.stderr() and "messages='2'" in server.stderr(), server.stderr()
    finally:
        server.close()


@waits_for(5)
def test_a_full_window_holds_the_source_back(binary):
    """With a class that takes its time, memory does not grow: the sender waits."""
    slow = COUNTED.replace('msg["value"]', 'time.sleep(0.002); msg["value"]')

    def work(server):
        sent = []

        def push():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(2000):
                    peer.sendall(("<13>1 - web app - - - %d %s\n" % (number, "x" * 20000)).encode())
                    sent.append(number)

        sender = threading.Thread(target=push)
        sender.start()
        until(server, "out", 200)
        # Ten messages of the window, and what the kernel's buffers take.
        assert len(sent) < 1200, len(sent)
        sender.join()
        assert len(until(server, "out", 2000, 60)) == 2000

    run(binary, config(slow, 'options("folder" "{folder}")', head=BASE % 10), work)


def test_what_cannot_be_done_is_refused(binary):
    wrapped = "source s {{ internal(); }};\nparser p {{ %s }};\ndestination d {{ file(\"/tmp/x\"); }};\n"
    check_refusals(binary, [
        ("python();", "class"),
        ('python(class("a") options("a"));', "pairs of a name and a value"),
        ('python(class("a") value-pairs(scope("all")));', "value-pairs"),
        ('python(class("a") retries(3));', "retries"),
    ], wrapped)
