"""Runs a class of a configuration beside the server.

In: frames on the standard input, described in `frame.rs`. Out: frames on what was the standard output; what user code
prints, and its log, go to the standard error output. Holds: one object of the class, one batch.
Limits: results wait for at most FLUSH_AFTER seconds, or not at all when the server asks for each; when the server is
gone, the process ends within LEAVE_WITHIN seconds, whatever user code does.
"""

import faulthandler
import importlib
import json
import logging
import os
import resource
import select
import struct
import sys
import threading
import time
import traceback
import types

FLUSH_AFTER = 0.05
LEAVE_WITHIN = 1.0
TEXT_MAX = 4000
# Most bytes of results that wait, and of one result: the server takes no frame above eight million.
GATHERED_MAX = 1 << 20
RESULT_MAX = 7 << 20
SHOWN_MAX = 100
DROP, ERROR, EXPLICIT_ACK, SUCCESS, QUEUED, NOT_CONNECTED, RETRY = range(7)
NAMES = ["DROP", "ERROR", "EXPLICIT_ACK_MGMT", "SUCCESS", "QUEUED", "NOT_CONNECTED", "RETRY"]
RETRIES_AT_ONCE = 3
HEADER = struct.Struct("<IB")
NUMBER = struct.Struct("<I")
STATUS = struct.Struct("<H")
RUN = struct.Struct("<IBI")
SEQUENCE = struct.Struct("<Q")
ASK = struct.Struct("<IcI")
ANSWER = struct.Struct("<BB")
ACKNOWLEDGED = struct.Struct("<QI")


def streams():
    """Takes the pipes of the server, and gives user code an empty input and the log as its output."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    return source, target


class Input(object):
    def __init__(self, descriptor):
        self.file = os.fdopen(descriptor, "rb", buffering=1 << 18)

    def frame(self):
        header = self.file.read(HEADER.size)
        if len(header) < HEADER.size:
            return b"", b""
        size, kind = HEADER.unpack(header)
        body = self.file.read(size)
        return (bytes((kind,)), body) if len(body) == size else (b"", b"")


class Output(object):
    """Gathers results of the same kind into runs."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.waits = threading.Event()
        self.runs = []
        self.changes = []
        self.size = 0
        self.at_once = False
        threading.Thread(target=self.flush_late, daemon=True).start()

    def write(self, kind, body):
        frame = memoryview(HEADER.pack(len(body), ord(kind)) + body)
        while frame:
            frame = frame[os.write(self.descriptor, frame):]

    def send(self, kind, body=b""):
        with self.lock:
            self.write_runs()
            self.write(kind, body)

    def write_runs(self):
        self.waits.clear()
        if self.runs:
            runs, self.runs = self.runs, []
            self.write("r", b"".join(RUN.pack(count, code, len(text)) + text for count, code, text in runs))
        if self.changes:
            changes, self.changes, self.size = self.changes, [], 0
            self.write("p", b"".join(changes))

    def change(self, change):
        """Adds what a parser made of a message."""
        with self.lock:
            self.changes.append(change)
            self.size += len(change)
            if self.at_once or self.size >= GATHERED_MAX:
                self.write_runs()
                return
        if not self.waits.is_set():
            self.waits.set()

    def result(self, code, text):
        with self.lock:
            if self.runs and self.runs[-1][1] == code and not text and not self.runs[-1][2]:
                self.runs[-1][0] += 1
            else:
                self.runs.append([1, code, text])
            if self.at_once:
                self.write_runs()
        if not self.at_once and not self.waits.is_set():
            self.waits.set()

    def flush_late(self):
        while True:
            self.waits.wait()
            time.sleep(FLUSH_AFTER)
            with self.lock:
                self.write_runs()


def watch(descriptor):
    """Ends the process soon after the server has closed its side, even while user code runs."""
    poll = select.poll()
    poll.register(descriptor, 0)
    while not any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll()):
        pass
    time.sleep(LEAVE_WITHIN)
    os._exit(0)


shown = set()


def failure():
    """What went wrong: one line, and where. Each place is shown once in the log."""
    kind, value, trace = sys.exc_info()
    text = "%s: %s" % (kind.__name__, value)
    where = "".join(traceback.format_tb(trace))
    if where not in shown and len(shown) < SHOWN_MAX:
        shown.add(where)
        sys.stderr.write("\x1e3%s: %s\n" % (kind.__name__, where.rstrip().replace("\n", "\\n")))
    text = text.splitlines()[0] + "\n" + where
    return text.encode("utf-8", "replace")[:TEXT_MAX]


def resolve(name):
    module, _, attribute = name.rpartition(".")
    if module:
        return getattr(importlib.import_module(module), attribute)
    return getattr(sys.modules["_syslogng_main"], name)


def options_of(hello, syslogng):
    made = {}
    for name, kind, value in hello["options"]:
        made[name] = syslogng.LogTemplate(value) if kind == "template" else value
    return made


class Failed(Exception):
    pass


class Host(object):
    """What all kinds of classes share: the pipes, and questions to the server."""

    def __init__(self, source, output, hello, syslogng):
        self.input, self.output, self.syslogng = source, output, syslogng
        self.is_dict = hello["pairs"]
        self.batch = 0
        self.ask_lock = threading.Lock()
        syslogng._ask = self.ask
        made = resolve(hello["class"])
        self.prepare(made, hello)
        options = options_of(hello, syslogng)
        self.object = self.make(made, options)
        naming = getattr(self.object, "generate_persist_name", None)
        self.object.persist_name = "python(%s)" % naming(options) if naming else hello["name"]
        for name in self.required:
            if not callable(getattr(self.object, name, None)):
                raise Failed("class %s has no method %s()" % (hello["class"], name))
        self.init(hello["class"], options)

    def prepare(self, made, hello):
        pass

    def make(self, made, options):
        return made()

    def init(self, name, options):
        init = getattr(self.object, "init", None)
        if init is not None and not init(options):
            raise Failed("init() of class %s did not return True" % name)

    def note(self, body, at):
        """Called before each message."""

    def ask(self, message, kind, text):
        with self.ask_lock:
            if self.batch == 0 or message._batch != self.batch:
                return 3, 0, b"the message was of an earlier batch"
            text = text.encode("utf-8", "replace")
            self.output.send("g", ASK.pack(message._index, kind, len(text)) + text + message._change())
            kind, body = self.input.frame()
            if kind != b"V":
                os._exit(0)
            how, value_kind = ANSWER.unpack_from(body)
            return how, value_kind, body[ANSWER.size:]

    def messages(self, body, read_only):
        """The messages of a batch, one after the other."""
        received, to_python, head = self.syslogng.LogMessage._received, self.syslogng._to_python, self.syslogng.HEAD.size
        at, index, size = 5, 0, len(body)
        while at < size:
            (length,) = NUMBER.unpack_from(body, at)
            at += 4
            message = received(body[at:at + length], self.batch, index, read_only)
            self.note(body, at)
            if self.is_dict:
                message._load()
                raw, ends = message._raw, message._ends
                message = {name: to_python(message._kinds[i], raw[ends[i]:ends[i + 1]]) for i, name in enumerate(message._names)}
            yield message
            at += length
            index += 1

    def run(self):
        while True:
            kind, body = self.input.frame()
            if kind != b"B":
                self.leave()
                return
            (self.batch,) = NUMBER.unpack_from(body, 1)
            self.output.at_once = body[0] == 1
            self.take(body)
            with self.ask_lock:
                self.batch = 0
            self.output.send("d")

    def leave(self):
        deinit = getattr(self.object, "deinit", None)
        if deinit is not None:
            deinit()


class Destination(Host):
    """Calls a destination for each message, as the reference does."""

    required = ["send"]

    def prepare(self, made, hello):
        for code, name in enumerate(NAMES + ["MAX"]):
            setattr(made, name, code)
        made.template_options = self.syslogng.LogTemplateOptions()
        made.seqnum = 0
        self.is_connected = False

    def note(self, body, at):
        (self.object.seqnum,) = SEQUENCE.unpack_from(body, at)

    def method(self, name):
        return getattr(self.object, name, None)

    def is_opened(self):
        asks = self.method("is_opened")
        return asks is None or bool(asks())

    def open(self):
        """Returns what is wrong; None when it is open."""
        try:
            opens = self.method("open")
            answer = opens() if opens is not None else True
            if answer is None:
                self.syslogng._log(4, "open() of a Python destination returned None, which counts as True; return True or False")
                answer = True
            self.is_connected = bool(answer) and self.is_opened()
            return None if self.is_connected else b"open() returned False"
        except BaseException:
            return failure()

    def close(self):
        self.is_connected = False
        closes = self.method("close")
        try:
            if closes is not None and self.is_opened():
                closes()
        except BaseException:
            self.syslogng._log(3, "close() of a Python destination failed; error='%s'" % failure().split(b"\n")[0].decode("utf-8", "replace"))

    def code_of(self, answer, method):
        if answer is True:
            return SUCCESS, b""
        if answer is False:
            return ERROR, b"%s() returned False" % method
        if isinstance(answer, int) and DROP <= answer <= RETRY and answer != EXPLICIT_ACK:
            return int(answer), b"" if answer in (SUCCESS, QUEUED) else b"%s() returned %s" % (method, NAMES[answer].encode())
        return ERROR, b"%s() returned %s, which is not a result" % (method, repr(answer).encode("utf-8", "replace")[:80])

    def send(self, message):
        try:
            for _ in range(RETRIES_AT_ONCE):
                if not self.is_opened() or not self.is_connected:
                    trouble = self.open()
                    if trouble is not None:
                        return NOT_CONNECTED, trouble
                code, text = self.code_of(self.object.send(message), b"send")
                if code != RETRY:
                    return code, text
            return NOT_CONNECTED, text
        except BaseException:
            return ERROR, failure()

    def flush(self):
        flushes = self.method("flush")
        try:
            code, text = self.code_of(flushes(), b"flush") if flushes is not None else (SUCCESS, b"")
        except BaseException:
            code, text = ERROR, failure()
        if code == QUEUED:
            code, text = ERROR, b"flush() returned QUEUED, which is not a result"
        self.output.send("f", bytes((code,)) + text)
        return code

    def take(self, body):
        queued, errors = False, 0
        for message in self.messages(body, True):
            code, text = self.send(message)
            self.output.result(code, text)
            if code == SUCCESS:
                errors = 0
            elif code == QUEUED:
                queued, errors = True, 0
            elif code in (ERROR, NOT_CONNECTED):
                # What is queued is flushed before a close, in which user code may forget it.
                if queued:
                    self.flush()
                    queued = False
                self.close()
                errors += 1
                # One error may be the message's own fault; a second one is the receiver's.
                if code == NOT_CONNECTED or errors == 2 or self.open() is not None:
                    break
        if queued and self.flush() not in (SUCCESS, DROP):
            self.close()

    def leave(self):
        if self.is_connected:
            self.close()
        Host.leave(self)


class Parser(Host):
    """Calls a parser for each message."""

    required = ["parse"]

    def take(self, body):
        parse, change = self.object.parse, self.output.change
        for message in self.messages(body, False):
            if self.output.at_once:
                self.output.send("s")
            try:
                result = message._change(True) if parse(message) else b"\0"
                if len(result) > RESULT_MAX:
                    raise ValueError("a parser made %d bytes of values in a message" % len(result))
            except BaseException:
                failure()
                result = b"\0"
            change(result)


class Posts(object):
    """Posted messages on their way to the server: what waits is written at once by a thread, so that many of them are one frame."""

    def __init__(self, output):
        self.output = output
        self.changed = threading.Condition()
        self.waiting, self.size = [], 0
        self.is_paused = False

    def start(self):
        threading.Thread(target=self.write, daemon=True).start()

    def wait(self, waits):
        """Waits for room; a class that can be suspended only for that of its own messages."""
        with self.changed:
            while self.size >= GATHERED_MAX or (waits and self.is_paused):
                self.changed.wait()

    def add(self, post):
        with self.changed:
            self.waiting.append(post)
            self.size += len(post)
            self.changed.notify_all()

    def write(self):
        while True:
            with self.changed:
                while not self.waiting:
                    self.changed.wait()
                posts = self.waiting
                self.waiting = []
            self.output.send("m", b"".join(posts))
            with self.changed:
                self.size -= sum(map(len, posts))
                self.changed.notify_all()

    def flush(self):
        with self.changed:
            while self.size > 0:
                self.changed.wait()

    def pause(self, is_paused):
        with self.changed:
            self.is_paused = is_paused
            self.changed.notify_all()


class Source(Host):
    """Runs a source, and passes on what it posts. Numbers of messages count from 0."""

    required = ["run", "request_exit"]
    base = "LogSource"

    def prepare(self, made, hello):
        if not (isinstance(made, type) and issubclass(made, getattr(self.syslogng, self.base))):
            raise Failed("class %s is not derived from %s" % (hello["class"], self.base))
        made._host = made.parse_options = self
        made.flags = {"parse": "no-parse" not in hello["flags"]}
        made.flags.update((flag, True) for flag in hello["flags"])
        self.pauses = hello["pauses"]
        self.posts = Posts(self.output)
        self.number = 0
        self.number_lock = threading.Lock()
        self.answers = []
        self.answered = threading.Condition()
        self.exits = threading.Event()
        self.listener = self.transport = None

    def ask(self, message, kind, text):
        # The server knows no message of a source before it is posted.
        return 3, 0, b"the message is not posted yet"

    def _read(self, text):
        """Has the server read a text. Returns the bytes of the message."""
        with self.ask_lock:
            self.output.send("q", text)
            with self.answered:
                while not self.answers:
                    self.answered.wait()
                return self.answers.pop(0) or None

    def name_transport(self, name):
        self.transport = name.encode("utf-8", "replace")
        # Before run(), the server does not listen yet.
        if self.listener is not None:
            self.posts.flush()
            self.output.send("t", self.transport)

    def post(self, message):
        if not isinstance(message, self.syslogng.LogMessage):
            raise TypeError("LogMessage expected in the first parameter")
        change = message._change(True)
        text = message._text
        post = (b"\0" if text is None else b"\1" + NUMBER.pack(len(text)) + text) + change
        if len(post) > RESULT_MAX:
            raise ValueError("a message of %d bytes is too large" % len(post))
        suspends = getattr(self.object, "suspend", None)
        if threading.current_thread() is not self.listener:
            self.posts.wait(suspends is None)
        with self.number_lock:
            tracker = getattr(self.object, "ack_tracker", None)
            if message._bookmark is not None:
                if tracker is None:
                    raise RuntimeError("Bookmarks can not be used without creating an AckTracker instance (self.ack_tracker)")
                with self.answered:
                    tracker._note(self.number, message._bookmark)
            self.number += 1
            self.posts.add(post)
        if suspends is not None and self.posts.is_paused:
            suspends()

    def flush(self):
        self.posts.flush()

    def call(self, name):
        """Calls a method of the class from the thread that listens to the server."""
        method = getattr(self.object, name, None)
        try:
            if method is not None:
                method()
        except BaseException:
            failure()

    def listen(self):
        kind = b"."
        while kind:
            kind, body = self.input.frame()
            if kind == b"V":
                with self.answered:
                    self.answers.append(body)
                    self.answered.notify_all()
            elif kind == b"p":
                self.posts.pause(True)
            elif kind == b"w":
                self.posts.pause(False)
                self.call("wakeup")
            elif kind == b"s":
                self.exits.set()
                self.posts.pause(False)
                self.call("request_exit")
            elif kind == b"a":
                tracker = getattr(self.object, "ack_tracker", None)
                if tracker is not None:
                    self.guarded(lambda: [tracker._acknowledge(first, count) for first, count in ACKNOWLEDGED.iter_unpack(body)])
        self.exits.set()

    def guarded(self, call):
        """Calls a tracker of acknowledgements, which other threads use as well. Callbacks may post messages."""
        try:
            with self.answered:
                return call()
        except BaseException:
            failure()

    def tick(self):
        """Lets the tracker of acknowledgements know of the time."""
        while True:
            tracker = getattr(self.object, "ack_tracker", None)
            pause = self.guarded(lambda: tracker._tick(time.monotonic())) if tracker is not None else None
            time.sleep(0.1 if pause is None else min(0.1, pause + 0.001))

    def work(self):
        self.object.run()

    def run(self):
        if self.transport is not None:
            self.output.send("t", self.transport)
        self.posts.start()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        threading.Thread(target=self.tick, daemon=True).start()
        trouble = b""
        try:
            self.work()
        except BaseException:
            trouble = failure()
        self.posts.flush()
        self.output.send("x", trouble)
        # Acknowledgements still come, until the server closes its side.
        self.listener.join()
        tracker = getattr(self.object, "ack_tracker", None)
        if tracker is not None:
            self.guarded(tracker._end)
        self.leave()


class Fetcher(Source):
    """Calls a fetcher as long as it has messages, and again after a pause."""

    required = ["fetch"]
    base = "LogFetcher"

    def work(self):
        fetcher, is_open = self.object, False
        error, not_connected, success, again, no_data = range(5)
        while not self.exits.is_set():
            if not is_open:
                try:
                    is_open = bool(fetcher.open())
                except BaseException:
                    failure()
                if not is_open:
                    self.exits.wait(self.pauses["reopen"])
                    continue
            result, message = error, None
            try:
                answer = fetcher.fetch()
                if not isinstance(answer, tuple) or not 1 <= len(answer) <= 2 or answer[0] not in range(5):
                    raise TypeError("fetch() must return a tuple (FetchResult, LogMessage)")
                result, message = answer[0], answer[1] if len(answer) == 2 else None
                if result == success:
                    self.post(message)
            except BaseException:
                failure()
                result = error
            if result == no_data:
                self.exits.wait(self.pauses["no_data"])
            elif result in (error, not_connected):
                if result == error:
                    self.call("close")
                is_open = False
                self.exits.wait(self.pauses["reopen"])
        if is_open:
            self.call("close")


class HttpHeader(Host):
    """Asks a class for headers of requests. It gets its options when it is made, as in the reference, and no messages."""

    required = ["get_headers"]

    def make(self, made, options):
        return made() if getattr(made, "__init__", None) is object.__init__ else made(options)

    def init(self, name, options):
        pass

    def headers(self, body):
        (count,) = NUMBER.unpack_from(body)
        at, headers = NUMBER.size, []
        for _ in range(count):
            (length,) = NUMBER.unpack_from(body, at)
            at += NUMBER.size
            headers.append(body[at:at + length].decode("utf-8", "replace"))
            at += length
        # Bytes that are not UTF-8 can be had back by encoding with the same word.
        answer = self.object.get_headers(body[at:].decode("utf-8", "surrogateescape"), headers)
        if not isinstance(answer, list):
            raise TypeError("get_headers() must return a list of strings, not %s" % type(answer).__name__)
        texts = []
        for text in answer:
            if isinstance(text, str):
                text = text.encode("utf-8", "replace")
            if not isinstance(text, bytes):
                raise TypeError("get_headers() must return a list of strings, not of %s" % type(text).__name__)
            texts.append(NUMBER.pack(len(text)) + text)
        made = b"".join(texts)
        if len(made) > RESULT_MAX:
            raise ValueError("get_headers() returned %d bytes" % len(made))
        return made

    def answer(self, kind, body):
        try:
            if kind == b"G":
                return b"l", self.headers(body)
            received = getattr(self.object, "on_http_response_received", None)
            if received is not None:
                received(STATUS.unpack(body)[0])
            return b"d", b""
        except BaseException:
            return b"n", failure()

    def run(self):
        while True:
            kind, body = self.input.frame()
            if kind not in (b"G", b"R"):
                # Its destructor may have something to do.
                self.object = None
                return
            self.output.send(*self.answer(kind, body))


def make_modules(hello):
    """Makes the modules that user code imports, and runs the code of the configuration."""
    syslogng = types.ModuleType("syslogng", "The classes that a log server offers to Python.")
    syslogng.__path__ = []
    sys.modules["syslogng"] = sys.modules["_syslogng"] = syslogng
    exec(compile(hello["module"], "<syslogng>", "exec"), syslogng.__dict__)
    for name in ("dest", "logger", "message", "parser", "persist", "source", "template"):
        sys.modules["syslogng." + name] = syslogng
    syslogng._only_bytes = hello["only_bytes"]
    syslogng._folder = hello["folder"]
    handler = syslogng._Handler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    main = types.ModuleType("_syslogng_main")
    sys.modules["_syslogng_main"] = main
    sys.path[:0] = hello["path"]
    for name in hello["imports"]:
        importlib.import_module(name)
    for source, file, line in hello["code"]:
        exec(compile("\n" * (line - 1) + source, file, "exec"), main.__dict__)
    return syslogng


def limit_memory(most):
    """Limits the process: beyond it, memory is refused with a MemoryError, and only this process suffers."""
    if most is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main():
    source, target = streams()
    faulthandler.enable()
    sys.path[:] = [folder for folder in sys.path if folder]
    threading.Thread(target=watch, args=(source,), daemon=True).start()
    reader, output = Input(source), Output(target)
    kind, body = reader.frame()
    if kind != b"H":
        return
    hello = json.loads(body.decode("utf-8"))
    limit_memory(hello["memory"])
    try:
        syslogng = make_modules(hello)
        host = {"destination": Destination, "parser": Parser, "source": Source, "fetcher": Fetcher, "http-header": HttpHeader}[hello["kind"]](reader, output, hello, syslogng)
    except Failed as failed:
        output.send("e", str(failed).encode("utf-8", "replace"))
        return
    except BaseException:
        output.send("e", failure())
        return
    output.send("h")
    try:
        host.run()
    except BaseException:
        syslogng._log(3, "Python ended with an error; error='%s'" % failure().decode("utf-8", "replace"))
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


main()
