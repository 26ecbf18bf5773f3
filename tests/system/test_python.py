"""python(): classes of the configuration run as they are, in a process of their own; what crashes, hangs or fails costs itself only."""

import functools
import os
import signal
import socket
import subprocess
import threading
import time

import destination
from destination import HEAD, check_refusals, counters, dead, send
from server import Server, waits_for

settled = functools.partial(destination.settled, kind="dst.python")

# The base of the classes here: it appends lines to a file.
WRITER = '''
import os, time
from syslogng import LogDestination, LogTemplate, Logger, Persist

class Writer(LogDestination):
    def init(self, options):
        self.options = options
        self.path = options["path"]
        return True

    def write(self, text):
        with open(self.path, "a") as file:
            file.write(text + "\\n")
'''
FLAGS = "log { source(s_net); destination(d_python); flags(flow-control); };\n"


def config(code, options, head=HEAD):
    braces = lambda text: text.replace("{", "{{").replace("}", "}}")
    block = "python {" + WRITER + code + "};\n"
    return head + braces(block) + 'destination d_python {{ python(options("path" => "{folder}/out") %s); }};\n' % braces(options) + braces(FLAGS)


def lines(server):
    try:
        with open(server.folder + "/out") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def healthy(server, words, within=20):
    server.until(lambda: words in server.ctl("healthcheck"), within, f"{words}: " + server.ctl("healthcheck") + server.stderr())


def numbers(server, count, start=0):
    send(server, [("web", str(number)) for number in range(start, start + count)])


def run(binary, code, options, work, head=HEAD):
    server = Server(binary, config(code, options, head))
    try:
        server.start()
        return work(server)
    finally:
        server.close()


# The shape of the examples that the reference documents: a class without a base, one that flushes, and a template.
EXAMPLES = '''
class TextDestination(object):
    """It's one { of them."""
    def __init__(self):
        self.outfile = None
        self._is_opened = False

    def init(self, options):
        self.path = options["path"]
        self.options = options
        return True

    def is_opened(self):
        return self._is_opened

    def open(self):
        self.outfile = open(self.path, 'a')
        self._is_opened = True
        return True

    def send(self, msg):
        o = self.options
        text = "|".join([msg["HOST"].decode(), msg["MSG"].decode(), msg["R_YEAR"].decode()[:2], msg.get_as_str("PRIORITY"),
            str(msg.get("n")), str(msg["num"]), str(msg["list"]), str(msg.get_pri()), o["tpl"].format(msg), str(o["i"]), str(o["y"]),
            str(o["l"]), o["w"], str(b"HOST" in msg.keys()), msg[".SDATA.id@1.key"].decode()])
        self.outfile.write(text + '\\n')
        self.outfile.flush()
        try:
            msg["HOST"] = "other"
        except TypeError:
            return True
        return self.ERROR

    def close(self):
        self.outfile.close()
        self._is_opened = False

    def deinit(self):
        with open(self.path, "a") as file:
            file.write("deinit\\n")

class Bulk(Writer):
    def init(self, options):
        self.bulk = list()
        return Writer.init(self, options)

    def send(self, msg):
        self.bulk.append(msg["MSG"].decode())
        return self.QUEUED

    def flush(self):
        self.write(",".join(self.bulk))
        self.bulk = list()
        return self.SUCCESS

class Pairs(Writer):
    def send(self, msg):
        self.write(repr(sorted(msg.items())))
        return self.SUCCESS
'''


def test_examples_of_the_reference_run_as_they_are(binary):
    typed = HEAD.replace("source s_net", 'rewrite r {{ set(int("5") value("num")); set(list("a,b") value("list")); }};\nsource s_net')
    server = Server(binary, config(EXAMPLES, "", typed))
    options = '"i" 5 "y" => yes "l" => ["a", "b"] "w" => word'
    text = 'class("TextDestination") options("tpl" => LogTemplate("<$PRI> $(length $MSG)") %s)' % options

    def write(driver):
        server.write_config(config(EXAMPLES, driver, typed).replace("source(s_net);", "source(s_net); rewrite(r);"))

    try:
        write(text)
        server.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
            peer.sendall('<13>1 2007-04-22T10:00:00Z web app 17 - [id@1 key="v"] grün\n'.encode())
        settled(server, 1)
        want = "web|grün|20|notice|None|5|[b'a', b'b']|13|<13> 5|5|True|['a', 'b']|word|True|v"
        assert lines(server) == [want], (lines(server), server.stderr())
        # The same class in a module, and a reload ends the old object first.
        os.mkdir(server.folder + "/python")
        with open(server.folder + "/python/mymodule.py", "w") as file:
            file.write("from syslogng import LogDestination\n" + WRITER + EXAMPLES)
        write('class("mymodule.Bulk") batch-lines(3) batch-timeout(2000)')
        server.ctl("reload")
        server.until(lambda: lines(server)[-1] == "deinit", 30, "the old object to be ended")
        numbers(server, 6)
        settled(server, 7)
        assert lines(server)[2:] == ["0,1,2", "3,4,5"], lines(server)
        write('class("mymodule.Pairs") value-pairs(pair("h" "$HOST") pair("n" int("7")))')
        server.ctl("reload")
        numbers(server, 1)
        settled(server, 8)
        assert lines(server)[4:] == ["[('h', b'web'), ('n', 7)]"], lines(server)
    finally:
        server.close()


def test_an_old_version_gives_bytes_only(binary):
    code = '''
class Old(Writer):
    def send(self, msg):
        self.write(repr((msg["num"], msg["missing"], msg.get("missing"))))
        return True
'''
    old = HEAD.replace("@version: 4.8", "@version: 3.38").replace("source s_net", 'rewrite r {{ set("5" value("num")); }};\nsource s_net')
    server = Server(binary, config(code, "class(Old)", old).replace("source(s_net);", "source(s_net); rewrite(r);"))
    try:
        server.start()
        numbers(server, 1)
        settled(server, 1)
        assert lines(server) == ["(b'5', b'', None)"], lines(server)
    finally:
        server.close()


RESULTS = '''
class Results(Writer):
    seen = {}
    def send(self, msg):
        text = msg["MSG"].decode()
        tries = self.seen[text] = self.seen.get(text, 0) + 1
        self.write("%s %d" % (text, tries))
        if text == "drop": return self.DROP
        if text == "false": return False
        if text == "none": return None
        if text == "raise": raise ValueError("no\\nsecond line")
        if text == "retry" and tries < 3: return self.RETRY
        if text == "exit" and tries < 2: raise SystemExit(3)
        return True
'''


def test_results_mean_what_they_say(binary):
    def work(server):
        texts = ["one", "drop", "false", "two", "none", "three", "raise", "four", "retry", "exit", "five"]
        send(server, [("web", text) for text in texts])
        done = lambda found: sum(found.get(name, 0) for name in ("written", "dead", "dropped"))
        server.until(lambda: done(counters(server, "dst.python")) >= len(texts), 30, "all to be settled: " + server.stderr())
        found = counters(server, "dst.python")
        assert (found["written"], found["dead"], found["dropped"], found["queued"]) == (7, 3, 1, 0), (found, lines(server), server.stderr())
        letters = dead(server, "cat", "d_python#0")
        for words in ["send() returned False", "send() returned None, which is not a result", "ValueError: no", "second line", "in send"]:
            assert words in letters, (words, letters)
        tried = [line for line in lines(server) if line.split()[0] in ("false", "none", "raise", "one", "retry")]
        assert sorted(tried) == ["false 1", "false 2", "false 3", "none 1", "none 2", "none 3", "one 1", "raise 1", "raise 2", "raise 3", "retry 1", "retry 2", "retry 3"], tried

    run(binary, RESULTS, "class(Results)", work)


FLUSHES = '''
class Flushes(Writer):
    def open(self):
        self.bulk = []
        return not os.path.exists(self.path + ".down")
    def send(self, msg):
        self.bulk.append(msg["MSG"].decode())
        return self.QUEUED
    def flush(self):
        bulk, self.bulk = self.bulk, []
        if "poison" in bulk: raise ValueError("it is in here")
        if "segfault" in bulk:
            import ctypes
            ctypes.string_at(0)
        if os.path.exists(self.path + ".down"): return self.NOT_CONNECTED
        for text in bulk: self.write(text)
        return True
'''


@waits_for(20)
def test_a_poison_message_in_a_flush_costs_itself_only(binary):
    def work(server):
        send(server, [("web", str(number) if number != 37 else "poison") for number in range(60)])
        found = settled(server, 60)
        assert (found["written"], found["dead"]) == (59, 1), (found, server.stderr())
        send(server, [("web", str(number) if number != 77 else "segfault") for number in range(60, 90)])
        found = settled(server, 90)
        assert (found["written"], found["dead"]) == (88, 2), (found, server.stderr())
        assert {int(line) for line in lines(server)} == set(range(90)) - {37, 77}
        letters = dead(server, "cat", "d_python#0")
        assert "it is in here" in letters and "signal: 11" in letters, letters
        # Without its system, nothing is given up.
        open(server.folder + "/out.down", "w").close()
        numbers(server, 5, 100)
        server.until(lambda: "NOT_CONNECTED" in server.stderr() or "open() returned False" in server.stderr(), 30, "the outage: " + server.stderr())
        time.sleep(4)
        assert counters(server, "dst.python")["queued"] == 5
        os.remove(server.folder + "/out.down")
        found = settled(server, 95)
        assert (found["written"], found["dead"]) == (93, 2), found

    run(binary, FLUSHES, "class(Flushes) batch-lines(60) batch-timeout(300)", work)


FAULTS = '''
class Faulty(Writer):
    def send(self, msg):
        text = msg["MSG"].decode()
        if text == "crash": os._exit(9)
        if text == "kill": os.kill(os.getpid(), 9)
        if text == "hang": time.sleep(1000)
        if text == "ask":
            while True: LogTemplate("$HOST").format(msg)
        if text == "print":
            for number in range(20000): print("noise", number)
            print("x" * 1000000)
        if text in ("nonsense", "giant"):
            os.write(self.pipe(), b"\\1\\0\\0\\0r!" if text == "nonsense" else b"\\xff\\xff\\xff\\x7fr")
            time.sleep(1000)
        self.write(text)
        return True
    def pipe(self):
        return max(fd for fd in range(3, 20) if os.path.exists("/proc/self/fd/%d" % fd) and "pipe" in os.readlink("/proc/self/fd/%d" % fd))
'''


@waits_for(12)
def test_what_crashes_hangs_or_talks_nonsense_costs_itself_only(binary):
    def work(server):
        texts, bad = [], ["crash", "kill", "hang", "ask", "nonsense", "giant"]
        for number in range(40):
            texts.append(str(number))
            if number % 6 == 3 and bad:
                texts.append(bad.pop())
        texts.append("print")
        assert not bad
        send(server, [("web", text) for text in texts])
        found = settled(server, 47)
        assert (found["written"], found["dead"]) == (41, 6), (found, server.stderr())
        # At the end of a process, those that it had just taken may come twice; none is missing.
        assert set(lines(server)) == {str(number) for number in range(40)} | {"print"}
        letters = dead(server, "cat", "d_python#0")
        for words in ["exit status: 9", "signal: 9", "more than 1 s", "no answer"]:
            assert words in letters, (words, letters)
        said = server.stderr()
        assert "noise 1;" in said and said.count("noise") <= 500 and len(said) < 200_000, len(said)
        healthy(server, "healthy")

    run(binary, FAULTS, "class(Faulty) timeout(1) retries(2)", work)


GREEDY = '''
class Greedy(Writer):
    def send(self, msg):
        text = msg.get_as_str("MESSAGE")
        if text.startswith("want"):
            kept = bytearray(int(text.split()[1]) << 20)
        self.write(text)
        return True
'''


def test_memory_is_limited(binary):
    """A message at which the class wants more than it may have costs itself only; the process goes on."""
    def work(server):
        send(server, [("web", text) for text in ["1", "want 100", "2", "want 900", "3"]])
        found = settled(server, 5)
        assert (found["written"], found["dead"]) == (4, 1), (found, server.stderr())
        assert lines(server) == ["1", "want 100", "2", "3"]
        assert "MemoryError" in dead(server, "cat", "d_python#0")

    run(binary, GREEDY, "class(Greedy) memory-limit(500000000) retries(2)", work)

    def unlimited(server):
        send(server, [("web", "want 1500")])
        assert settled(server, 1)["written"] == 1

    run(binary, GREEDY, "class(Greedy) memory-limit(0)", unlimited)

    def default(server):
        send(server, [("web", "want 1500"), ("web", "want 700")])
        found = settled(server, 2)
        assert (found["written"], found["dead"]) == (1, 1), found

    run(binary, GREEDY, "class(Greedy) retries(1)", default)


@waits_for(8)
def test_a_class_that_does_not_start_holds_messages(binary):
    """Each fault is said, nothing is lost, and a mended module is found without a restart."""
    server = Server(binary)
    module = server.folder + "/python/held.py"
    try:
        server.write_config(config("", "class(held.Held) time-reopen(1)"))
        os.mkdir(server.folder + "/python")
        server.start()
        numbers(server, 3)
        cases = [
            (None, "No module named 'held'"),
            ("class Other: pass", "has no attribute 'Held'"),
            ("def Held(:", "SyntaxError"),
            ("class Held:\n  def init(self, options): return False\n  def send(self, msg): return True\n", "init() of class held.Held did not return True"),
            ("class Held:\n  def init(self, options): raise ValueError('not so')\n  def send(self, msg): return True\n", "ValueError: not so"),
            ("class Held:\n  def init(self, options): return True\n", "has no method send()"),
            ("import os\nos._exit(4)\n", "exit status: 4, before class held.Held was ready"),
        ]
        for code, words in cases:
            if code is not None:
                with open(module, "w") as file:
                    file.write(code)
            server.until(lambda: words in server.ctl("healthcheck") and "code" in server.ctl("healthcheck"), 20, f"{words}: " + server.ctl("healthcheck"))
        with open(module, "w") as file:
            file.write("from _syslogng_main import Writer\nclass Held(Writer):\n  def send(self, msg): self.write(msg['MSG'].decode()); return True\n")
        settled(server, 3)
        assert lines(server) == ["0", "1", "2"]
    finally:
        server.close()


LIVES = '''
class Lives(Writer):
    def init(self, options):
        Writer.init(self, options)
        self.kept = Persist("lives", {"count": 0})
        with open(self.path + ".pids", "a") as file: file.write("%d\\n" % os.getpid())
        with open(self.path + ".env", "w") as file: file.write(" ".join(sorted(os.environ)))
        with open(self.path + ".fds", "w") as file: file.write(" ".join(os.readlink("/proc/self/fd/" + fd).split(":")[0] for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)).replace(self.path + ".fds", ""))
        return True
    def send(self, msg):
        if msg["MSG"] == b"stuck":
            open(self.path + ".stuck", "w").close()
            while True: sum(range(1000))
        self.kept["count"] += 1
        self.write(msg["MSG"].decode())
        return True
'''


@waits_for(10)
def test_nothing_is_lost_when_we_are_killed(binary):
    """4,000 messages while the server is killed twice and the process twice: none is lost, and no process stays behind."""
    server = Server(binary, config(LIVES, "class(Lives) disk-buffer(capacity-bytes(64M) reliable(yes))"))
    pids = lambda: [int(line) for line in open(server.folder + "/out.pids")]
    gone = lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids())
    os.environ["OUR_SECRET"] = "secret"
    count = 4000
    try:
        server.start()
        numbers(server, count)
        for round in range(2):
            server.until(lambda: len(lines(server)) > 300 * (round + 1) and os.path.exists(f"/proc/{pids()[-1]}"), 20, "some messages")
            os.kill(pids()[-1], signal.SIGKILL)
            server.until(lambda: len(lines(server)) > 600 * (round + 1), 20, "some more")
            server.stop(signal.SIGKILL)
            server.until(gone, 30, "the process to end with us")
            server.start()
        server.until(lambda: len(set(lines(server))) >= count, 60, "all messages: " + server.stderr())
        found = lines(server)
        assert {int(line) for line in found} == set(range(count)) and len(found) < 2 * count, len(found)
        environment, descriptors = open(server.folder + "/out.env").read(), open(server.folder + "/out.fds").read().split()
        assert "SECRET" not in environment and "PATH" in environment, environment
        assert set(descriptors) <= {"pipe", "/dev/null"} and len(descriptors) <= 7, descriptors
        # A class that never returns does not keep us from a stop, and dies with us.
        numbers(server, 0)
        send(server, [("web", "stuck")])
        server.until(lambda: os.path.exists(server.folder + "/out.stuck"), 30, "the class to be stuck")
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 15
        server.until(gone, 30, "the stuck process to end")
    finally:
        del os.environ["OUR_SECRET"]
        server.close()


def test_what_cannot_be_done_is_refused(binary):
    check_refusals(binary, [
        ("python()", "class"),
        ('python(class("a") options("a"))', "pairs of a name and a value"),
        ('python(class("a") options("a" => int(5)))', "pairs of a name and a value"),
        ('python(class("a") workers(2))', "workers"),
    ])
    server = Server(binary, HEAD + 'destination d {{ python(class("a") interpreter("/nowhere/python3")); }};\nlog {{ source(s_net); destination(d); }};\n')
    try:
        command = [binary, "run", "--config", server.config, "--data", server.folder + "/data", "--control", server.folder + "/ctl"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "no interpreter `/nowhere/python3`" in done.stderr and "install the package python3" in done.stderr, done
    finally:
        server.close()
