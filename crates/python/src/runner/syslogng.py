"""The module `syslogng` that classes of a configuration import: messages, templates, base classes, log, kept values.

In: bytes of messages, as `message.rs` writes them. Out: values by name, and what was changed.
Holds: for each shape of message (the same names in the same order), where its values are.
Limits: SHAPES_MAX shapes and NAMES_MAX names that no message has are remembered.
"""

import datetime
import ipaddress
import itertools
import json
import logging
import os
import struct
import sys
import time
import urllib.parse

SHAPES_MAX = 1000
NAMES_MAX = 10000
HEAD = struct.Struct("<QHqiIH")
LENGTH = struct.Struct("<I")
COUNT = struct.Struct("<H")
TIME = struct.Struct("<qi")
VALUES_MAX = 65535
PRIORITY_CHANGED, TIME_CHANGED, ADDRESS_CHANGED = 1, 2, 4
STRING, INTEGER, DOUBLE, BOOLEAN, DATETIME, LIST, JSON, NULL = range(8)
LTZ_LOCAL, LTZ_SEND = 0, 1

_shapes = {}
# Set by the runner: asks the server, and where kept values are.
_ask = None
_folder = None
# Names that mean another one, such as MSG, those that are not computed, and those that are.
_aliases = {"MSG": "MESSAGE", "MSGONLY": "MESSAGE", "FULLHOST": "HOST", "FULLHOST_FROM": "HOST_FROM"}
_plain = set()
_macros = set()
# Until version 4.0 of the configuration every value is bytes, and a missing one is empty.
_only_bytes = False


def _shape(names, count):
    shape = _shapes.get(names)
    if shape is None:
        if len(_shapes) >= SHAPES_MAX:
            _shapes.clear()
        words = names.decode("utf-8", "replace").split("\0") if count else []
        shape = (words, {word: at for at, word in enumerate(words)}, struct.Struct("<%dB%dI" % (count, count)))
        _shapes[names] = shape
    return shape


def _read_list(value):
    """Elements of a list as the server writes it: commas between, quotes around what needs them."""
    elements, at, size = [], 0, len(value)
    while at < size:
        byte = value[at:at + 1]
        if byte in (b",", b" ", b"\t"):
            at += 1
            continue
        element = bytearray()
        if byte in (b'"', b"'"):
            at += 1
            while at < size and value[at:at + 1] != byte:
                if value[at] == 0x5C and byte == b'"' and at + 1 < size:
                    at += 1
                    element += {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(value[at:at + 1], value[at:at + 1])
                else:
                    element.append(value[at])
                at += 1
            at += 1
        else:
            end = value.find(b",", at)
            end = size if end < 0 else end
            element += value[at:end]
            at = end
        elements.append(bytes(element))
    return elements


def _write_list(elements):
    written = []
    for element in elements:
        element = _bytes(element)
        if not element or any(byte in element for byte in b"\"', \t\n\r\\"):
            element = element.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
            element = element.replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t")
            element = b'"' + element + b'"'
        written.append(element)
    return b",".join(written)


def _bytes(value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    raise ValueError("str or bytes expected, got %s" % type(value).__name__)


def _time_of(value):
    if not isinstance(value, datetime.datetime):
        raise ValueError("a datetime is expected, got %s" % type(value).__name__)
    offset = value.utcoffset()
    if offset is None:
        value = value.astimezone()
        offset = value.utcoffset()
    since = value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    microseconds = (since.days * 86400 + since.seconds) * 1000000 + since.microseconds
    return microseconds, offset.days * 86400 + offset.seconds


def _local_time(microseconds, offset):
    """The reference gives times without a zone: those on the clock of the message's own."""
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=offset, microseconds=microseconds)


def _to_python(kind, value):
    """A value of the server as an object; one that is not of its type stays bytes."""
    if kind == STRING or kind == JSON:
        return value
    try:
        if kind == INTEGER:
            return int(value)
        if kind == DOUBLE:
            return float(value)
        if kind == BOOLEAN:
            word = value.strip().lower()
            if word[:1] in (b"t", b"y") or word == b"on":
                return True
            if word[:1] in (b"f", b"n") or word == b"off":
                return False
            return int(word) != 0
        if kind == DATETIME:
            seconds, _, fraction = value.partition(b".")
            microseconds = int(seconds) * 1000000 + int((fraction + b"000000")[:6])
            offset = datetime.datetime.fromtimestamp(int(seconds)).astimezone().utcoffset()
            return _local_time(microseconds, offset.days * 86400 + offset.seconds)
    except (ValueError, OverflowError, OSError):
        return value
    if kind == NULL:
        return None
    if kind == LIST:
        return _read_list(value)
    return value


def _from_python(value):
    """The type and the bytes of an object."""
    if isinstance(value, (str, bytes)):
        return STRING, _bytes(value)
    if _only_bytes:
        raise ValueError("str or bytes expected as the value of a message, got %s: convert it" % type(value).__name__)
    if isinstance(value, bool):
        return BOOLEAN, b"true" if value else b"false"
    if isinstance(value, int):
        return INTEGER, b"%d" % value
    if isinstance(value, float):
        return DOUBLE, ("%f" % value).encode()
    if value is None:
        return NULL, b""
    if isinstance(value, list):
        return LIST, _write_list(value)
    if isinstance(value, datetime.datetime):
        microseconds, _ = _time_of(value)
        return DATETIME, b"%d.%03d" % (microseconds // 1000000, microseconds % 1000000 // 1000)
    raise ValueError("a message cannot hold a value of type %s" % type(value).__name__)


class LogMessage(object):
    """A message: values by name."""

    _raw = None
    _batch = None
    _index = 0
    _names = ()
    _at = {}
    _kinds = ()
    _ends = None
    _changes = None
    _read_only = False
    _pri = 13
    _stamp = None
    _address = None
    _changed = 0
    _bookmark = None
    # The text of a message that the server has yet to read, and who asks it.
    _text = None
    _parser = None

    def __init__(self, message=None, bookmark=None):
        self._changes = {}
        self._bookmark = bookmark
        if message is not None:
            self["MESSAGE"] = message

    @classmethod
    def _received(cls, raw, batch, index, read_only):
        self = cls.__new__(cls)
        self._raw, self._batch, self._index, self._read_only = raw, batch, index, read_only
        return self

    def _load(self):
        _, pri, stamp, zone, size, count = HEAD.unpack_from(self._raw)
        if not self._changed & TIME_CHANGED:
            self._stamp = (stamp, zone)
        start = HEAD.size + size
        self._names, self._at, numbers = _shape(self._raw[HEAD.size:start], count)
        found = numbers.unpack_from(self._raw, start)
        self._kinds = found[:count]
        self._ends = tuple(itertools.accumulate(itertools.chain((start + numbers.size,), found[count:])))
        if not self._changed & PRIORITY_CHANGED:
            self._pri = pri

    def _read_text(self):
        """Has the server read the text. Returns False for a message that has none."""
        if self._text is None or self._parser is None:
            return False
        self._raw = self._parser._read(self._text)
        return self._raw is not None

    def _change(self, always=False):
        """What was changed, for the server; nothing when nothing was, unless it is wanted always."""
        if not self._changed and not self._changes:
            return b"\1\0\0\0" if always else b""
        parts = [bytes((1, self._changed))]
        if self._changed & PRIORITY_CHANGED:
            parts.append(COUNT.pack(self._pri & 0xFFFF))
        if self._changed & TIME_CHANGED:
            parts.append(TIME.pack(*self._stamp))
        if self._changed & ADDRESS_CHANGED:
            parts.append(bytes((len(self._address),)) + self._address)
        changes = self._changes or {}
        if len(changes) > VALUES_MAX:
            raise ValueError("a message has at most %d values" % VALUES_MAX)
        parts.append(COUNT.pack(len(changes)))
        for name, (kind, value) in changes.items():
            name = name.encode("utf-8", "replace")
            parts += (LENGTH.pack(len(name)), name, bytes((kind,)), LENGTH.pack(len(value)), value)
        return b"".join(parts)

    def _find(self, name):
        """The type and bytes of a value; None when there is none."""
        if isinstance(name, bytes):
            name = name.decode("utf-8", "replace")
        elif not isinstance(name, str):
            raise TypeError("key is not a string object")
        name = _aliases.get(name, name)
        if self._changes and name in self._changes:
            return self._changes[name]
        if self._raw is None and not self._read_text():
            return None
        if self._ends is None:
            self._load()
        at = self._at.get(name)
        if at is not None and not (name in _macros and (self._changes or self._changed)):
            return self._kinds[at], self._raw[self._ends[at]:self._ends[at + 1]]
        if name in _plain:
            return None
        how, kind, value = _ask(self, b"n", name)
        if how == 3:
            return None
        if how == 1:
            if len(_macros) < NAMES_MAX:
                _macros.add(name)
            return kind, value
        if how == 2:
            _aliases[name] = value.decode()
            return self._find(name)
        # 3: the message was of an earlier batch, of which the server knows nothing any more.
        if how == 0 and len(_plain) < NAMES_MAX:
            _plain.add(name)
        return None

    def __getitem__(self, name):
        found = self._find(name)
        if found is not None:
            return found[1] if _only_bytes else _to_python(*found)
        if _only_bytes:
            return b""
        raise KeyError("No such name-value pair %s" % name)

    def __setitem__(self, name, value):
        if self._read_only:
            raise TypeError("Log message is read only, cannot set name-value pair %s: a destination cannot change messages" % name)
        if isinstance(name, bytes):
            name = name.decode("utf-8", "replace")
        elif not isinstance(name, str):
            raise TypeError("key is not a string object")
        if self._changes is None:
            self._changes = {}
        self._changes[_aliases.get(name, name)] = _from_python(value)

    def __contains__(self, name):
        return self._find(name) is not None

    def get(self, key, default=None):
        found = self._find(key)
        if found is None:
            return default
        return found[1] if _only_bytes else _to_python(*found)

    def get_as_str(self, key, default=None, encoding="utf-8", errors="strict", repr="internal"):
        found = self._find(key)
        if found is not None:
            return found[1].decode(encoding, errors)
        if default is not None and not isinstance(default, str):
            raise TypeError("default is not a string object")
        return default

    def keys(self):
        self._load_any()
        names = list(self._names)
        names += [name for name in self._changes or () if name not in self._at]
        return [name.encode() for name in names]

    def _load_any(self):
        if self._raw is None:
            self._read_text()
        if self._raw is not None and self._ends is None:
            self._load()

    def get_pri(self):
        self._load_any()
        return self._pri

    def _change_this(self):
        if self._read_only:
            raise TypeError("Log message is read only: a destination cannot change messages")

    def set_pri(self, pri):
        self._change_this()
        self._pri = int(pri)
        self._changed |= PRIORITY_CHANGED

    def get_timestamp(self):
        self._load_any()
        if self._stamp is None:
            return datetime.datetime.now()
        return _local_time(*self._stamp)

    def set_timestamp(self, timestamp):
        self._change_this()
        self._stamp = _time_of(timestamp)
        self._changed |= TIME_CHANGED

    def set_source_ipaddress(self, ip):
        """Returns False for what is no address."""
        self._change_this()
        try:
            address = ipaddress.ip_address(ip.decode() if isinstance(ip, bytes) else ip)
        except ValueError:
            return False
        self._address = str(address).partition("%")[0].encode()
        self._changed |= ADDRESS_CHANGED
        return True

    def set_recvd_rawmsg_size(self, rawmsg_size):
        """Has no effect: bytes are counted where they are received."""

    def set_bookmark(self, bookmark):
        self._bookmark = bookmark

    @staticmethod
    def parse(raw_msg, parse_options):
        """A message of a source, read as the options of the source say."""
        self = LogMessage()
        self._text = _bytes(raw_msg)
        self._parser = parse_options
        return self


class LogTemplateOptions(object):
    """Stands for the time options of the driver, which its templates always have."""


class LogTemplateException(Exception):
    """A template that cannot be read."""


class LogTemplate(object):
    """A template, filled in by the server."""

    def __init__(self, template, escape=False):
        self.template = template

    def __str__(self):
        return self.template

    def format(self, msg, options=None, tz=LTZ_SEND, seqnum=0):
        how, _, value = _ask(msg, b"t", self.template)
        if how != 1:
            raise LogTemplateException(value.decode("utf-8", "replace"))
        return value.decode("utf-8", "replace")


class Logger(object):
    """Writes to the log of the server."""

    def error(self, text):
        _log(3, text)

    def warning(self, text):
        _log(4, text)

    def info(self, text):
        _log(6, text)

    def debug(self, text):
        _log(7, text)

    def trace(self, text):
        _log(7, text)


def _log(severity, text):
    text = str(text).replace("\n", "\\n")
    sys.stderr.write("\x1e%d%s\n" % (severity, text))
    sys.stderr.flush()


class _Handler(logging.Handler):
    def emit(self, record):
        level = record.levelno
        _log(3 if level >= logging.ERROR else 4 if level >= logging.WARNING else 6 if level >= logging.INFO else 7, self.format(record))


class Persist(object):
    """Values that are kept over restarts: a dictionary in a file, which is replaced with each change."""

    def __init__(self, persist_name, defaults=None):
        if not _folder:
            raise RuntimeError("there is no folder for kept values")
        self._path = os.path.join(_folder, urllib.parse.quote(persist_name, safe="") + ".json")
        self.persist_name = persist_name
        try:
            with open(self._path, encoding="utf-8") as file:
                self._values = {name: value.encode("latin-1") if kind == "b" else value for name, (kind, value) in json.load(file).items()}
        except FileNotFoundError:
            self._values = {}
        for name, value in (defaults or {}).items():
            if name not in self._values:
                self[name] = value

    def __getitem__(self, name):
        return self._values[name]

    def __setitem__(self, name, value):
        if isinstance(value, bool) or not isinstance(value, (str, bytes, int)):
            raise TypeError("a kept value is a str, bytes or int, not %s" % type(value).__name__)
        if not isinstance(name, str):
            raise TypeError("key is not a string object")
        self._values[name] = value
        kept = {name: ("b", value.decode("latin-1")) if isinstance(value, bytes) else ("v", value) for name, value in self._values.items()}
        os.makedirs(_folder, mode=0o700, exist_ok=True)
        with open(self._path + ".new", "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(self._path + ".new", self._path)

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(dict(self._values))

    def get(self, name, default=None):
        return self._values.get(name, default)

    def items(self):
        return list(self._values.items())


class LogDestination(object):
    """The base of destinations."""

    DROP, ERROR, EXPLICIT_ACK_MGMT, SUCCESS, QUEUED, NOT_CONNECTED, RETRY, MAX = range(8)
    seqnum = 0

    def init(self, options):
        return True

    def deinit(self):
        pass

    def open(self):
        return True

    def close(self):
        pass

    def is_opened(self):
        return True

    def flush(self):
        return self.SUCCESS

    def stats_written_bytes_add(self, count):
        pass


class LogParser(object):
    """The base of parsers."""

    def init(self, options):
        return True

    def deinit(self):
        pass


class _AckTracker(object):
    """Learns which messages destinations have acknowledged, by numbers in any order, and calls back with their bookmarks."""

    def __init__(self):
        self._waiting = {}

    def _note(self, number, bookmark):
        self._waiting[number] = bookmark

    def _acknowledge(self, first, count):
        for number in range(first, first + count):
            if number in self._waiting:
                self._done(number)

    def _tick(self, now):
        """Called at times. Returns the seconds until it wants the next call."""
        return None

    def _end(self):
        pass


class InstantAckTracker(_AckTracker):
    """Calls back for each message, in the order of the acknowledgements."""

    def __init__(self, ack_callback):
        _AckTracker.__init__(self)
        self._callback = ack_callback

    def _done(self, number):
        self._callback(self._waiting.pop(number))


class ConsecutiveAckTracker(_AckTracker):
    """Calls back with the last bookmark before which nothing waits any more."""

    def __init__(self, ack_callback):
        _AckTracker.__init__(self)
        self._callback = ack_callback
        self._acknowledged = set()

    def _done(self, number):
        self._acknowledged.add(number)

    def _acknowledge(self, first, count):
        _AckTracker._acknowledge(self, first, count)
        last = None
        # Numbers are noted in their order, so the dictionary has it too.
        for number in list(self._waiting):
            if number not in self._acknowledged:
                break
            self._acknowledged.discard(number)
            last = (self._waiting.pop(number),)
        if last is not None:
            self._callback(last[0])


class BatchedAckTracker(_AckTracker):
    """Calls back with a list of bookmarks, when it is long enough or some milliseconds have passed."""

    def __init__(self, timeout, batch_size, batched_ack_callback):
        _AckTracker.__init__(self)
        self._timeout, self._size, self._callback = timeout / 1000.0, max(1, batch_size), batched_ack_callback
        self._batch, self._since = [], None

    def _done(self, number):
        self._batch.append(self._waiting.pop(number))
        if self._since is None:
            self._since = time.monotonic()
        if len(self._batch) >= self._size:
            self._end()

    def _tick(self, now):
        if self._since is not None and now - self._since >= self._timeout:
            self._end()
        return None if self._since is None else max(0.0, self._since + self._timeout - now)

    def _end(self):
        batch, self._batch, self._since = self._batch, [], None
        if batch:
            self._callback(batch)


class LogSource(object):
    """The base of sources."""

    _host = None
    auto_close_batches = True
    flags = {}

    def init(self, options):
        return True

    def deinit(self):
        pass

    def run(self):
        pass

    def request_exit(self):
        pass

    def post_message(self, msg):
        self._host.post(msg)

    def close_batch(self):
        self._host.flush()

    def set_transport_name(self, name):
        self._host.name_transport(name)


class LogFetcher(object):
    """The base of fetchers."""

    FETCH_ERROR, FETCH_NOT_CONNECTED, FETCH_SUCCESS, FETCH_TRY_AGAIN, FETCH_NO_DATA = range(5)
    _host = None
    flags = {}

    def init(self, options):
        return True

    def deinit(self):
        pass

    def open(self):
        return True

    def close(self):
        pass

    def fetch(self):
        return self.FETCH_NO_DATA, None

    def request_exit(self):
        pass


def get_installation_path_for(path):
    return path
