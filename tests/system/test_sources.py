"""Every source and destination that needs more than a TCP port: pipes, programs, terminals, rotated files, socket activation."""

import os
import pty
import shutil
import signal
import socket
import subprocess
import threading
import time

from server import Server, free_port

HEAD = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); create-dirs(yes); }};
destination d_out {{ file("{folder}/out" template("$SOURCE $HOST $PROGRAM $MSG\\n")); }};
"""


def lines(server, name="out"):
    """The lines of a file in the server's folder."""
    try:
        with open(os.path.join(server.folder, name), errors="replace") as text:
            return text.read().splitlines()
    except FileNotFoundError:
        return []


def wanted(server, *expected, name="out", within=8):
    """Waits until each of the lines is there exactly once."""
    def there():
        found = lines(server, name)
        return all(found.count(line) == 1 for line in expected)
    try:
        server.until(there, within, "lines")
    except AssertionError:
        raise AssertionError(f"wanted {expected}, found {lines(server, name)}\n{server.stderr()}") from None


def append(path, text):
    with open(path, "a") as out:
        out.write(text)


def test_both_versions_of_ip_and_both_kinds_of_unix_sockets(binary):
    server = Server(binary)
    old, ietf = free_port(), free_port()
    server.write_config(HEAD + f"""
source s_six {{{{ udp6(ip("::1") port({{port}})); tcp6(ip("::1") port({{port}})); }}}};
source s_unix {{{{ unix-stream("{{folder}}/stream.sock"); unix-dgram("{{folder}}/dgram.sock"); }}}};
source s_default {{{{ default-network-drivers(udp-port({old}) tcp-port({old}) rfc5424-tcp-port({ietf})); }}}};
source s_nul {{{{ network(ip("127.0.0.1") port({{port}}) transport("nul-terminated")); }}}};
log {{{{ source(s_six); source(s_unix); source(s_default); source(s_nul); destination(d_out); }}}};
""")
    try:
        server.start()

        def send(family, kind, address, data):
            with socket.socket(family, kind) as peer:
                peer.connect(address)
                peer.sendall(data)

        inet, six, unix = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX
        stream, dgram = socket.SOCK_STREAM, socket.SOCK_DGRAM
        send(six, dgram, ("::1", server.port), b"<13>Nov 21 12:00:00 alpha app: udp six")
        send(six, stream, ("::1", server.port), b"<13>Nov 21 12:00:00 alpha app: tcp six\n")
        send(unix, stream, server.folder + "/stream.sock", b"<13>Nov 21 12:00:00 app: unix stream\n")
        send(unix, dgram, server.folder + "/dgram.sock", b"<13>Nov 21 12:00:00 app: unix dgram")
        send(inet, dgram, ("127.0.0.1", old), b"<13>Nov 21 12:00:00 beta app: default udp")
        send(inet, stream, ("127.0.0.1", old), b"<13>Nov 21 12:00:00 beta app: default tcp\n")
        framed = b"<13>1 2026-11-21T12:00:00Z gamma app - - - framed one"
        send(inet, stream, ("127.0.0.1", ietf), b"%d %s" % (len(framed), framed))
        send(inet, stream, ("127.0.0.1", server.port), b"<13>Nov 21 12:00:00 delta app: nul one\0"
                                                       b"<13>Nov 21 12:00:00 delta app: nul two\0")
        here = socket.gethostname().split(".")[0]
        wanted(server, "s_six alpha app udp six", "s_six alpha app tcp six", f"s_unix {here} app unix stream",
               f"s_unix {here} app unix dgram", "s_default beta app default udp", "s_default beta app default tcp",
               "s_default gamma app framed one", "s_nul delta app nul one", "s_nul delta app nul two")
    finally:
        server.close()


def test_pipes_programs_and_standard_input(binary):
    server = Server(binary)
    os.mkfifo(server.folder + "/in.pipe")
    os.mkfifo(server.folder + "/out.pipe")
    server.write_config(HEAD + """
source s_pipe {{ pipe("{folder}/in.pipe" flags(no-parse)); }};
source s_program {{ program("echo one of a program; sleep 60" flags(no-parse)); }};
source s_stdin {{ stdin(flags(no-parse)); }};
template t {{ template("$SOURCE $MSG\\n"); }};
destination d_program {{ program("cat > {folder}/taken" template(t)); }};
destination d_pipe {{ pipe("{folder}/out.pipe" template(t)); }};
log {{ source(s_pipe); source(s_program); source(s_stdin); destination(d_program); destination(d_pipe); }};
""")
    reader = os.open(server.folder + "/out.pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with open(server.folder + "/stdin", "w") as text:
            text.write("one of standard input\n")
        server.stdin = open(server.folder + "/stdin")
        server.start()
        writer = os.open(server.folder + "/in.pipe", os.O_WRONLY | os.O_NONBLOCK)
        os.write(writer, b"one of a pipe\n")
        os.close(writer)
        expected = ["s_pipe one of a pipe", "s_program one of a program", "s_stdin one of standard input"]
        wanted(server, *expected, name="taken")
        got = b""
        end = time.monotonic() + 5
        while got.count(b"\n") < 3 and time.monotonic() < end:
            try:
                got += os.read(reader, 65536)
            except BlockingIOError:
                time.sleep(0.02)
        assert sorted(got.decode().splitlines()) == sorted(expected), got
    finally:
        os.close(reader)
        server.close()


def test_files_that_rotate_and_positions_over_a_restart(binary):
    server = Server(binary)
    folder = server.folder + "/watched"
    os.makedirs(folder + "/deep")
    follow = folder + "/follow.log"
    append(follow, "")
    server.write_config(HEAD + """
source s_file {{ file("{folder}/watched/follow.log" follow-freq(0.1) flags(no-parse)); }};
source s_wild {{ wildcard-file(base-dir("{folder}/watched") filename-pattern("*.txt") recursive(yes)
    follow-freq(0.1) flags(no-parse)); }};
destination d_plain {{ file("{folder}/plain" template("$SOURCE $MSG\\n")); }};
log {{ source(s_file); source(s_wild); destination(d_plain); }};
""")
    try:
        server.start()
        append(follow, "first\n")
        append(folder + "/deep/a.txt", "wild first\n")
        wanted(server, "s_file first", "s_wild wild first", name="plain")
        os.rename(follow, follow + ".1")
        append(follow + ".1", "late in the renamed file\n")
        append(follow, "second after a rename\n")
        wanted(server, "s_file late in the renamed file", "s_file second after a rename", name="plain")
        os.truncate(follow, 0)
        append(follow, "third\n")
        wanted(server, "s_file third", name="plain")
        server.stop()
        append(follow, "fourth while away\n")
        append(folder + "/deep/b.txt", "wild new while away\n")
        server.start()
        append(follow, "fifth\n")
        wanted(server, "s_file fourth while away", "s_file fifth", "s_wild wild new while away", name="plain")
        found = lines(server, "plain")
        assert len(found) == len(set(found)) == 8, found
    finally:
        server.close()


def test_a_socket_of_the_service_manager_is_taken_over(binary):
    server = Server(binary)
    path = server.folder + "/activated.sock"
    server.write_config(HEAD + """
source s_unix {{ unix-dgram("{folder}/activated.sock"); }};
log {{ source(s_unix); destination(d_out); }};
""")
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.bind(path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
            peer.sendto(b"<13>Nov 21 12:00:00 app: before the start", path)
            server.inherit = ours.fileno()
            server.start()
            peer.sendto(b"<13>Nov 21 12:00:00 app: after the start", path)
        here = socket.gethostname().split(".")[0]
        wanted(server, f"s_unix {here} app before the start", f"s_unix {here} app after the start")
    finally:
        ours.close()
        server.close()


def test_terminals_of_users_who_are_logged_in(binary):
    assert os.geteuid() == 0 and shutil.which("utmpdump"), "needs root and utmpdump"
    master, slave = pty.openpty()
    line = os.ttyname(slave)[len("/dev/"):]
    record = f"[7] [{os.getpid():05d}] [ts/9] [{'tester':<8}] [{line:<12}] [{'host':<20}] [127.0.0.1      ] " \
             "[2026-11-21T12:00:00,000000+00:00]\n"
    shown = []
    threading.Thread(target=lambda: shown.append(os.read(master, 4096)), daemon=True).start()
    known = "/run/utmp"
    before = open(known, "rb").read() if os.path.exists(known) else None
    server = Server(binary)
    server.write_config(HEAD + """
source s_net {{ network(ip("127.0.0.1") port({port})); }};
destination d_tty {{ usertty("tester"); }};
log {{ source(s_net); destination(d_tty); }};
""")
    try:
        made = subprocess.run(["utmpdump", "-r"], input=record.encode(), capture_output=True, check=True).stdout
        with open(known, "wb") as out:
            out.write((before or b"") + made)
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(b"<13>Nov 21 12:00:00 alpha app: look \x1b[31mhere\n")
        server.until(lambda: shown, 30, "the terminal")
        assert b"look ?[31mhere" in shown[0], shown
    finally:
        server.close()
        if before is None:
            os.unlink(known)
        else:
            with open(known, "wb") as out:
                out.write(before)
        os.close(slave)
        os.close(master)


def test_the_local_log_socket_of_a_machine_without_a_journal(binary):
    assert os.geteuid() == 0, "needs root for /dev/log"
    if os.path.exists("/run/systemd/journal/socket"):
        return  # the journal has its own test
    server = Server(binary)
    server.write_config(HEAD + "source s_system {{ system(); }};\nlog {{ source(s_system); destination(d_out); }};\n")
    try:
        server.start()
        subprocess.run(["logger", "-t", "tagged", "through the machine's socket"], check=True, timeout=5)
        here = socket.gethostname().split(".")[0]
        wanted(server, f"s_system {here} tagged through the machine's socket")
        server.stop(signal.SIGTERM)
        assert server.process.returncode == 0
    finally:
        server.close()
        if os.path.exists("/dev/log") and not os.path.islink("/dev/log"):
            os.unlink("/dev/log")
