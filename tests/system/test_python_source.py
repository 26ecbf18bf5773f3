"""python() and python-fetcher() as sources: classes of the configuration post messages, and learn of their acknowledgement; one that crashes is started again."""

import os
import signal
import subprocess
import time

from server import Server, waits, waits_for

BASE = """@version: 4.8
options {{ keep-hostname(yes); stats(level(1)); time-reopen(1); }};
destination d_out {{ file("{folder}/out" template("$HOST|$PROGRAM|$PRI|$MSG|$n|$TRANSPORT|$TAGS\\n")); }};
"""


def config(code, driver, destination="d_out"):
    braces = lambda text: text.replace("{", "{{").replace("}", "}}")
    head = BASE + braces("python {\nimport os, sys, time, threading\nfrom datetime import datetime, timezone\nfrom syslogng import *\nFOLDER = '") + "{folder}" + braces("'\n" + code + "};\n")
    return head + "source s_py {{ %s; }};\nlog {{ source(s_py); destination(%s); flags(flow-control); }};\n" % (driver, destination)


def lines(server, name="out"):
    try:
        with open(f"{server.folder}/{name}") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def until(server, name, want, within=30):
    try:
        server.until(lambda: len(lines(server, name)) >= want, within, f"{want} lines")
    except AssertionError as error:
        raise AssertionError(f"{error}: {len(lines(server, name))}\n{server.stderr()}") from None
    return lines(server, name)


def run(binary, text, work):
    server = Server(binary, text)
    try:
        server.start()
        return work(server)
    finally:
        server.close()


# The shapes of the sources and fetchers that the reference documents.
EXAMPLES = '''
class Source(LogSource):
    def init(self, options):
        self.exit = False
        self.count = options["count"]
        self.set_transport_name("made+here")
        return True

    def run(self):
        msg = LogMessage("first")
        msg["HOST"] = "web"
        msg["PROGRAM"] = "app"
        msg["n"] = 5
        msg.set_pri(165)
        self.post_message(msg)
        parsed = LogMessage.parse("<34>Feb  3 04:05:06 other su: parsed", self.parse_options)
        parsed["n"] = parsed["PROGRAM"] + b"!" + str(parsed.get_pri()).encode()
        self.post_message(parsed)
        self.post_message(LogMessage.parse(b"<13>Oct 11 22:14:15 old app[7]: again", self.parse_options))
        for number in range(self.count):
            self.post_message(LogMessage("%d" % number))
        while not self.exit:
            time.sleep(0.05)
        self.post_message(LogMessage("last"))

    def request_exit(self):
        self.exit = True

    def deinit(self):
        open(FOLDER + "/deinit", "w").close()
'''


def test_examples_of_the_reference_run_as_they_are(binary):
    def work(server):
        found = until(server, "out", 1003)
        assert found[:3] == [
            "web|app|165|first|5|made+here|tag,.source.s_py",
            "other|su|34|parsed|su!34|made+here|tag,.source.s_py",
            "old|app|13|again||made+here|tag,.source.s_py",
        ], found[:3]
        assert [line.split("|")[3] for line in found[3:]] == [str(number) for number in range(1000)]
        server.stop()
        assert until(server, "out", 1004)[-1].split("|")[3] == "last"
        assert os.path.exists(server.folder + "/deinit")

    run(binary, config(EXAMPLES, 'python(class("Source") options("count" => 1000) tags("tag"))'), work)


FETCHER = '''
class Fetcher(LogFetcher):
    def init(self, options):
        self.steps = iter([self.FETCH_NOT_CONNECTED, self.FETCH_SUCCESS, self.FETCH_TRY_AGAIN, self.FETCH_SUCCESS, "raise", self.FETCH_SUCCESS, self.FETCH_ERROR, self.FETCH_NO_DATA, self.FETCH_SUCCESS])
        self.opens = 0
        self.number = 0
        return True

    def open(self):
        self.opens += 1
        return self.opens != 1

    def fetch(self):
        step = next(self.steps, self.FETCH_NO_DATA)
        if step == "raise":
            raise ValueError("no")
        if step != self.FETCH_SUCCESS:
            return (step, None)
        self.number += 1
        return self.FETCH_SUCCESS, LogMessage("%d of %d" % (self.number, self.opens))

    def close(self):
        with open(FOLDER + "/closed", "a") as file: file.write("closed\\n")
'''


def test_a_fetcher_is_called_as_in_the_reference(binary):
    def work(server):
        found = [line.split("|")[3] for line in until(server, "out", 4)]
        # The first open() fails; a lost connection, an exception and an error each need another one.
        assert found == ["1 of 3", "2 of 3", "3 of 4", "4 of 5"], (found, server.stderr())
        server.stop()
        assert lines(server, "closed") == ["closed"] * 3

    run(binary, config(FETCHER, 'python-fetcher(class("Fetcher") time-reopen(0.1) fetch-no-data-delay(0.1))'), work)


TRACKED = '''
class Tracked(LogSource):
    def init(self, options):
        self.exit = False
        self.kept = Persist(self.persist_name, {"position": 0})
        self.ack_tracker = ConsecutiveAckTracker(ack_callback=self.acknowledged)
        with open(FOLDER + "/pids", "a") as file: file.write("%d\\n" % os.getpid())
        return True

    def acknowledged(self, bookmark):
        self.kept["position"] = bookmark

    def run(self):
        number = self.kept["position"]
        while not self.exit and number < 20000:
            number += 1
            self.post_message(LogMessage(str(number), bookmark=number))
        while not self.exit:
            time.sleep(0.02)

    def request_exit(self):
        self.exit = True
'''


@waits
def test_nothing_is_lost_when_either_side_is_killed(binary):
    """20,000 messages while the process is killed three times and the server twice: bookmarks are kept only of messages that are written."""
    def work(server):
        pids = lambda: [int(pid) for pid in lines(server, "pids")]
        for round in range(1, 6):
            server.until(lambda: len(pids()) >= round and len(lines(server)) >= round * 1500, 30, "some messages: " + server.stderr())
            if round % 2:
                os.kill(pids()[-1], signal.SIGKILL)
            else:
                server.stop(signal.SIGKILL)
                server.until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids()), 30, "the process to end with us")
                server.start()
        server.until(lambda: len({line.split("|")[3] for line in lines(server)}) == 20000, 60, "all messages")
        # grep passes over a file that is replaced meanwhile.
        bookmarks = lambda: subprocess.run(["grep", "-rqs", "20000", server.folder + "/data/python"]).returncode == 0
        server.until(bookmarks, 30, "the last bookmark to be kept")
        server.stop()
        found = [int(line.split("|")[3]) for line in lines(server)]
        assert set(found) == set(range(1, 20001))

    run(binary, config(TRACKED, 'python(class("Tracked"))'), work)


TRACKERS = '''
class Instant(LogSource):
    def init(self, options):
        self.exit = threading.Event()
        self.ack_tracker = InstantAckTracker(self.acknowledged)
        return True
    def acknowledged(self, bookmark):
        with open(FOLDER + "/acknowledged", "a") as file: file.write("%s\\n" % (bookmark,))
    def run(self):
        try:
            for number in range(25):
                msg = LogMessage(str(number))
                if number % 2 == 0:
                    msg.set_bookmark(number)
                self.post_message(msg)
            self.close_batch()
        except Exception as error:
            with open(FOLDER + "/error", "w") as file: file.write(str(error))
        self.exit.wait()
    def request_exit(self):
        self.exit.set()

class Batched(Instant):
    auto_close_batches = False
    def init(self, options):
        Instant.init(self, options)
        self.ack_tracker = BatchedAckTracker(timeout=200, batch_size=5, batched_ack_callback=self.acknowledged)
        return True

class Without(Instant):
    def init(self, options):
        Instant.init(self, options)
        del self.ack_tracker
        return True
'''


def test_trackers_call_back_after_our_own_acknowledgement(binary):
    def instant(server):
        assert [int(line) for line in until(server, "acknowledged", 13)] == list(range(0, 25, 2))

    def batched(server):
        found = [eval(line) for line in until(server, "acknowledged", 3)]
        assert [len(batch) for batch in found] == [5, 5, 3] and sum(found, []) == list(range(0, 25, 2)), found

    def without(server):
        assert "AckTracker" in until(server, "error", 1)[0]

    run(binary, config(TRACKERS, 'python(class("Instant"))'), instant)
    run(binary, config(TRACKERS, 'python(class("Batched"))'), batched)
    run(binary, config(TRACKERS, 'python(class("Without"))'), without)


SLOW = '''
class Fast(LogSource):
    def init(self, options):
        self.exit = False
        return True
    def run(self):
        for number in range(200000):
            if self.exit:
                break
            self.post_message(LogMessage("%d " % number + "x" * 1000))
            if number % 100 == 0:
                with open(FOLDER + "/posted", "w") as file: file.write(str(number))
        while not self.exit:
            time.sleep(0.02)
    def request_exit(self):
        self.exit = True

class Suspended(Fast):
    suspended = False
    def suspend(self):
        self.suspended = True
        open(FOLDER + "/suspended", "w").close()
    def wakeup(self):
        self.suspended = False
    def post_message(self, msg):
        while self.suspended and not self.exit:
            time.sleep(0.01)
        LogSource.post_message(self, msg)
'''


@waits
def test_a_full_window_holds_the_class_back(binary):
    """While nothing takes the messages, the class waits in post_message(), or is suspended; it is woken up, and a stop is not held up."""
    for name in ["Fast", "Suspended"]:
        text = config(SLOW, f'python(class("{name}"))', "d_net") + 'destination d_net {{ network("127.0.0.1" port({port}) transport("tcp")); }};\n'

        def work(server):
            posted = lambda: int((lines(server, "posted") or ["0"])[0] or 0)
            server.until(lambda: posted() > 1000, 20, "messages: " + server.stderr())
            time.sleep(2)
            before = posted()
            time.sleep(1)
            assert posted() == before < 60000, (before, posted())
            assert name == "Fast" or os.path.exists(server.folder + "/suspended")
            began = time.monotonic()
            server.stop()
            assert time.monotonic() - began < 15

        run(binary, text, work)


FAULTS = '''
class Crashes(LogSource):
    def run(self):
        with open(FOLDER + "/runs", "a") as file: file.write("run\\n")
        runs = len(open(FOLDER + "/runs").read().split())
        self.post_message(LogMessage("run %d" % runs))
        self.close_batch()
        if runs == 1: os._exit(7)
        if runs == 2: raise ValueError("no more")
        if runs == 3:
            os.write(max(fd for fd in range(3, 20) if os.path.exists("/proc/self/fd/%d" % fd) and "pipe" in os.readlink("/proc/self/fd/%d" % fd)), b"\\1\\0\\0\\0m!")
            time.sleep(1000)
    def request_exit(self):
        pass

class NoSource:
    def run(self): pass
    def request_exit(self): pass

class Stuck(LogSource):
    def run(self):
        self.post_message(LogMessage("here"))
        while True: time.sleep(1)
    def request_exit(self):
        pass
'''


@waits_for(14)
def test_a_class_that_ends_is_started_again(binary):
    def crashes(server):
        found = [line.split("|")[3] for line in until(server, "out", 4)]
        assert found == ["run 1", "run 2", "run 3", "run 4"], found
        said = server.stderr()
        for words in ["exit status: 7", "ValueError", "what is no message", "has returned", "runs again"]:
            assert words in said, (words, said)

    def no_source(server):
        # A server with a trouble from its start does not count as started here.
        server.write_config(config(FAULTS, 'python(class("NoSource"))'))
        server.ctl("reload")
        server.until(lambda: "not derived from LogSource" in server.ctl("healthcheck"), 30, "its trouble: " + server.stderr())

    def stuck(server):
        until(server, "out", 1)
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 15

    run(binary, config(FAULTS, 'python(class("Crashes"))'), crashes)
    run(binary, config(FAULTS, 'python(class("Stuck"))'), no_source)
    run(binary, config(FAULTS, 'python(class("Stuck"))'), stuck)
