"""No control character of a stranger reaches a terminal: runs every verb that prints text of messages on a real terminal."""

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time

from server import CONFIG, Server

STORE_ONLY = CONFIG.replace("destination(d_file); ", "")

# C0, DEL, C1 as UTF-8 and as a bare byte, and marks that turn the direction of text.
EVIL = b"\x1b]0;owned\x07\x1b[2J\x08\x7f\xc2\x9b31m\x9b32m\xe2\x80\xae\xe2\x81\xa6\xd8\x9c end"
MESSAGE = b"<13>Nov 21 10:00:00 web prog[1]: evil " + EVIL
FORBIDDEN = [chr(code) for code in range(0x20) if chr(code) not in "\t\n\r"] + ["\x7f"]
FORBIDDEN += [chr(code) for code in range(0x80, 0xa0)] + ["\u061c", "\u200e", "\u200f"]
FORBIDDEN += [chr(code) for code in (*range(0x202a, 0x202f), *range(0x2066, 0x206a))]
# Our own colours, which no message here has.
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def on_terminal(command, until=None, within=60, cwd=None, **environment):
    """Returns the output of a command on its terminal, standard output and errors alike, and its exit status.
    With `until` it is interrupted once it has written that."""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(cwd or "/")
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", **environment})
        finally:
            os._exit(127)
    written, end = b"", time.monotonic() + within
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                piece = b""
            if not piece:
                break
            written += piece
        if until and until in written:
            os.kill(pid, signal.SIGINT)
            until = None
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return written, os.waitstatus_to_exitcode(status)


def check_clean(command, shows=b"end", colours=False, **more):
    """Checks that a command prints what a stranger wrote, but nothing that a terminal would obey."""
    written, status = on_terminal(command, **more)
    # The terminal itself turns each line feed into \r\n. Invalid UTF-8 is read as one character a byte, as some
    # terminals do.
    text = written.decode("utf-8", "surrogateescape")
    text = "".join(chr(ord(one) - 0xdc00) if 0xdc80 <= ord(one) <= 0xdcff else one for one in text)
    if colours:
        text = COLOUR.sub("", text)
    bad = sorted({hex(ord(one)) for one in text if one in FORBIDDEN})
    assert not bad, (command, bad, written)
    assert shows in written, (command, status, written)
    return written


def started(binary, config=STORE_ONLY):
    server = Server(binary, config)
    server.start()
    return server


def send(server, *frames):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(b"".join(frame + b"\n" for frame in frames))


def test_m8_verbs_that_ask_the_server(binary):
    server = started(binary)
    binary = server.binary
    try:
        send(server, *[MESSAGE] * 3)
        server.found("evil", 3)
        user = {"DURAMEN_PASSWORD": server.password}
        access = ["--url", server.base]
        for format in ("text", "json", "message"):
            check_clean([binary, "search", "evil", "--format", format, *access], **user)
        check_clean([binary, "search", "evil | stats count by message", *access], **user)
        check_clean([binary, "search", "evil | top message", *access], **user)
        for format in ("ndjson", "csv", "csv-safe", "raw"):
            check_clean([binary, "export", "evil", "--as", format, *access], **user)
        check_clean([binary, "export", "evil | stats count by message", "--as", "csv", *access], **user)
        # A query of strange characters comes back in the error.
        check_clean([binary, "search", "(\x1b[31m\u202e end", *access], **user)
        control = ["--control", server.folder + "/ctl"]
        tail = subprocess.Popen(["bash", "-c", f"while sleep 0.25; do printf '%b\\n' \"$EVIL\" >/dev/tcp/127.0.0.1/{server.port}; done"],
                                env={**os.environ, "EVIL": "".join(f"\\x{byte:02x}" for byte in MESSAGE)})
        try:
            check_clean([binary, "tail", "evil", *access], until=b" end", **user)
            for more in ([], ["--format", "json"], ["--template", "$MSG\n"]):
                check_clean([binary, "ctl", *control, "tap", "s_network", "--count", "1", *more])
        finally:
            tail.terminate()
            tail.wait(20)
        # `--raw` is for those who want the bytes.
        written, _ = on_terminal([binary, "search", "evil", "--raw", *access], **user)
        assert b"\x1b]0;owned" in written, written
        # The ledger quotes queries and names of users.
        server.search('"evil \u202e\x1b]0;x" OR ending')
        for more in ([], ["--json"]):
            check_clean([binary, "ledger", "ls", "--data", server.folder + "/data", *more], shows=b"ending")
    finally:
        server.close()


def test_m8_figures_and_health_of_files_with_strange_names(binary):
    config = STORE_ONLY.replace('file("{folder}/out/$HOST.log"', 'file("{folder}/out/$MSG.log"').replace(
        "destination(d_main);", "destination(d_main); destination(d_file);")
    server = started(binary, config)
    binary = server.binary
    try:
        send(server, b"<13>Nov 21 10:00:00 web prog[1]: \x1b[31m\xc2\x9b\xe2\x80\xae end")
        server.found("end")
        control = ["--control", server.folder + "/ctl"]
        server.until(lambda: "d_file" in server.ctl("stats"), 30, "the figures of the file")
        for verb in (["stats"], ["stats", "prometheus"], ["stats", "balance"], ["query", "get", "*"], ["query", "list", "*"]):
            check_clean([binary, "ctl", *control, *verb], shows=b"d_file")
        check_clean([binary, "ctl", *control, "healthcheck"], shows=b"healthy")
        check_clean([binary, "ctl", *control, "query", "get", "\x1b[31mnothing end*"], shows=b"")
    finally:
        server.close()


def test_m8_verbs_that_read_files(binary):
    server = started(binary)
    binary = server.binary
    try:
        send(server, *[MESSAGE] * 3)
        server.found("evil", 3)
        subprocess.run([binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"], check=True, capture_output=True, timeout=60)
        folder = server.folder + "/data/logspaces/main"
        for more in ([], ["--json"]):
            check_clean([binary, "logspace", "cat", folder, *more])
        check_clean([binary, "logspace", "ls", folder], shows=b"")
        server.stop()
        # A file with a malicious name in the folder of the segments.
        strange = folder + "/x\x1b[31m\u202e end.ds"
        with open(strange, "w") as out:
            out.write("no segment")
        for verb in (["ls"], ["verify"], ["scrub"], ["cat"]):
            for more in ([], ["--json"]):
                check_clean([binary, "logspace", verb[0], folder, *more], shows=b"")
        check_clean([binary, "logspace", "cat", strange], shows=b"end")
        check_clean([binary, "verify-package", server.folder + "/no\x1b[31m\u202e end"], shows=b"end")
        check_clean([binary, "queue", "cat", server.folder + "/no\x1b[31m\u202e end"], shows=b"end")
        check_clean([binary, "queue", "ls", server.folder + "/no\x1b[31m\u202e end"], shows=b"")
    finally:
        server.close()


QUEUE = """@version: 4.8
source s {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
destination d {{ network("127.0.0.1" port(9) transport("tcp") disk-buffer(dir("{folder}/buffers") reliable(yes) capacity-bytes(10485760))); }};
destination d_main {{ logspace("main"); }};
log {{ source(s); destination(d); destination(d_main); }};
"""


def test_m8_queues_on_disk(binary):
    server = started(binary, QUEUE)
    binary = server.binary
    try:
        send(server, *[MESSAGE] * 3)
        server.found("evil", 3)
        server.until(lambda: any(files for _, _, files in os.walk(server.folder + "/buffers")), 30, "a buffer")
        server.stop()
        buffers = [path for path, _, files in os.walk(server.folder + "/buffers") if files]
        for verb in ("ls", "info", "cat"):
            where = server.folder + "/buffers" if verb == "ls" else buffers[0]
            check_clean([binary, "queue", verb, where], shows=b"end" if verb == "cat" else b"")
        check_clean([binary, "queue", "cat", "-t", "$MSG\n", buffers[0]])
    finally:
        server.close()


PATTERNS = """<patterndb version='4' pub_date='2026-11-21'><ruleset name='r' id='1'><patterns><pattern>prog</pattern></patterns>
<rules><rule id='2' class='c' provider='p'><patterns><pattern>evil @ANYSTRING:rest@</pattern></patterns></rule></rules></ruleset></patterndb>
"""


def test_m8_verbs_without_a_server(binary):
    binary = os.path.abspath(binary)
    with tempfile.TemporaryDirectory(prefix="duramen-test-") as folder:
        def write(name, content):
            path = os.path.join(folder, name)
            with open(path, "wb") as out:
                out.write(content)
            return path
        log = write("messages.log", (MESSAGE + b"\n") * 3)
        config = write("x.conf", b'@version: 4.8\nsource s { stdin(); };\ndestination d { file("/tmp/$HOST"); };\nlog { source(s); destination(d); };\n')
        check_clean([binary, "explain", config, "--message-file", log], colours=True)
        check_clean([binary, "explain", config, "--message-file", log, "--json"])
        bad = write("bad.conf", b'@version: 4.8\nsource s { nothing("' + EVIL + b'"); };\n# ' + EVIL + b'\nlog { source("' + EVIL + b'"); };\n')
        check_clean([binary, "check", bad], colours=True)
        check_clean([binary, "check", folder + "/no\x1b[31m\u202e end"], colours=True)
        check_clean([binary, "run", "--config", bad, "--data", folder + "/data", "--control", folder + "/ctl", "--http", "none"], colours=True)
        old = write("r.conf", b'*.* ^' + EVIL + b'\nif exec_template("' + EVIL + b'") then stop\n')
        check_clean([binary, "convert", "rsyslog", old])
        check_clean([binary, "convert", "rsyslog", old, "--report", "-"])
        database = write("db.xml", PATTERNS.encode())
        check_clean([binary, "patterndb", "match", "-p", database, "-P", "prog", "-M", "evil \x1b[31m\u202e end"])
        check_clean([binary, "patterndb", "match", "-p", database, "-f", log])
        check_clean([binary, "patterndb", "match", "-p", database, "-f", log, "-D"], colours=True)
        check_clean([binary, "patterndb", "patternize", "-S", "0", log], shows=b"")
        check_clean([binary, "patterndb", "test", write("bad.xml", b"<patterndb " + EVIL)], shows=b"")
        check_clean([binary, "loggen", "--read-file", folder + "/no\x1b[31m\u202e end", "127.0.0.1", "9"], shows=b"end")
        check_clean([binary, "user", "list", "--data", folder + "/no\x1b[31m\u202e end"], shows=b"")
        check_clean([binary, "slog", "verify", "--key-file", folder + "/no\x1b[31m\u202e end", folder + "/m", log, folder + "/out"], shows=b"")


def test_m8_the_log_of_a_server_in_the_foreground(binary):
    """A server on a terminal: its own messages about messages and peers."""
    binary = os.path.abspath(binary)
    with tempfile.TemporaryDirectory(prefix="duramen-test-") as folder:
        config = os.path.join(folder, "x.conf")
        path = folder + "/s\x1b[31m\u202e ending"
        with open(config, "w") as out:
            out.write(f'@version: 4.8\nsource s {{ unix-stream("{path}"); }};\ndestination d {{ file("{folder}/x"); }};\nlog {{ source(s); destination(d); }};\n')
        done = threading.Event()

        def connect():
            # The log names the socket of each connection.
            while not done.wait(0.2):
                with socket.socket(socket.AF_UNIX) as peer:
                    try:
                        peer.connect(path)
                    except OSError:
                        continue
                    peer.sendall(MESSAGE + b"\n")
        connecting = threading.Thread(target=connect)
        connecting.start()
        try:
            check_clean([binary, "run", "--config", config, "--data", folder + "/data", "--control", folder + "/ctl", "--http", "none"],
                        shows=b"\\x1b[31m\\u{202e} ending", until=b" ending", within=30)
        finally:
            done.set()
            connecting.join()


def test_m8_json_on_a_terminal_is_still_json(binary):
    server = started(binary)
    try:
        send(server, MESSAGE)
        server.found("evil")
        written, _ = on_terminal([server.binary, "search", "evil", "--format", "json", "--url", server.base], DURAMEN_PASSWORD=server.password)
        row = json.loads(written.decode().splitlines()[0])
        assert "\x1b]0;owned\x07" in row["message"] and "\u202e" in row["message"], row
    finally:
        server.close()
