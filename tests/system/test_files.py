"""The rarely used options of file(), pseudofile(), and blocks that combine a file or a connection with a format."""

import json
import os
import socket
import stat
import time

from server import Server

CONFIG = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_rights {{
    file("{folder}/deep/$HOST/$PROGRAM.log" create-dirs(yes) perm(0640) owner(1) group(2) dir-perm(0751) dir-owner(3) dir-group(4)
        template("$MSG\\n") fsync(yes) symlink-as("{folder}/newest"));
}};
destination d_escaped {{ file("{folder}/escaped" template("'$MSG'\\n") template-escape(yes)); }};
destination d_old {{ file("{folder}/old-$HOST" template("$MSG\\n") overwrite-if-older(3600) time-reap(1)); }};
destination d_kernel {{ pseudofile("/proc/self/comm" template("$PROGRAM")); }};
destination d_turned {{ file("{folder}/turned" template("$MSG\n") logrotate(enable(yes) size(1000) rotations(3))); }};
log {{ source(s_tcp); destination(d_turned); destination(d_rights); destination(d_escaped); destination(d_old); destination(d_kernel); }};
"""


def send(server, *messages):
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        for host, program, text in messages:
            out.sendall(f"<13>1 2026-11-21T09:00:00Z {host} {program} 7 - - {text}\n".encode())


def content(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def open_files(server):
    folder = f"/proc/{server.process.pid}/fd"
    return [os.readlink(f"{folder}/{one}") for one in os.listdir(folder) if os.path.islink(f"{folder}/{one}")]


def test_options_of_files(binary):
    server = Server(binary, CONFIG)
    folder = server.folder
    old = folder + "/old-a"
    for path, age in ((old, 7200), (folder + "/old-b", 60)):
        with open(path, "w") as file:
            file.write("before\n")
        os.utime(path, (time.time() - age, time.time() - age))
    try:
        server.start()
        send(server, ("a", "app", "it's \"one\""), ("b", "app", "two"))
        Server.until(lambda: content(folder + "/deep/b/app.log") == "two\n", 30, "the files")
        for path, mode, owner, group in (("deep/a/app.log", 0o640, 1, 2), ("deep/a", 0o751, 3, 4), ("deep", 0o751, 3, 4)):
            found = os.stat(f"{folder}/{path}")
            assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (mode, owner, group), (path, found)
        assert os.readlink(folder + "/newest") == folder + "/deep/b/app.log"
        Server.until(lambda: content(folder + "/escaped") == "'it\\'s \\\"one\\\"'\n'two'\n", 30, content(folder + "/escaped"))
        Server.until(lambda: content(old) == "it's \"one\"\n", 30, "the emptied file: " + content(old))
        assert content(folder + "/old-b") == "before\ntwo\n"
        Server.until(lambda: old not in open_files(server), 30, "the idle file to be closed")
        send(server, ("a", "other", "three"))
        Server.until(lambda: os.readlink(folder + "/newest") == folder + "/deep/a/other.log", 30, "the link to move")
        for number in range(5):
            send(server, *[("a", "other", f"turned {number} {line:02}") for line in range(100)])
            Server.until(lambda: content(folder + "/turned").endswith(f"turned {number} 99\n"), 30, "the lines")
        assert sorted(name for name in os.listdir(folder) if name.startswith("turned")) == ["turned", "turned.1", "turned.2", "turned.3"]
        kept = "".join(content(folder + "/turned" + end) for end in (".3", ".2", ".1", ""))
        wanted = [f"turned {number} {line:02}" for number in range(5) for line in range(100)]
        assert kept.splitlines() == wanted[-len(kept.splitlines()):] and len(kept.splitlines()) >= 200, kept
        Server.until(lambda: content(f"/proc/{server.process.pid}/comm") == "other\n", 30, "the kernel's file")
    finally:
        server.close()


SENDER = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
source s_audit {{ linux-audit(filename("{folder}/audit.log") read-old-records(yes)); }};
source s_mail {{ mbox(filename("{folder}/mbox") read-old-records(yes)); }};
rewrite r_more {{ set("blue" value("app.colour")); set("x" value(".dotted.name")); set-tag("t1"); set-tag("t2"); }};
destination d_other {{ syslog-ng(server("127.0.0.1") port(PORT)); }};
log {{ source(s_tcp); rewrite(r_more); destination(d_other); }};
destination d_own {{ file("{folder}/own" template("$PROGRAM|${{.auditd.type}}|${{.auditd.pid}}|$(length $MSG)|$MSG\\n")); }};
log {{ source(s_audit); source(s_mail); destination(d_own); }};
"""

RECEIVER = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
parser p_whole {{ ewmm-parser(); }};
destination d_file {{ file("{folder}/out" template("$(format-json HOST PROGRAM PID MESSAGE TAGS app.colour .dotted.name left='${{._TAGS}}')\\n")); }};
log {{ source(s_tcp); parser(p_whole); destination(d_file); }};
"""

AUDIT = 'type=USER_START msg=audit(1795233600.123:45): pid=77 uid=0 auid=1000 msg=\'op=PAM:session_open acct="root"\'\n'
MAILS = "From anna@example.org Sat Nov 21 09:00:00 2026\nSubject: one\n\nFrom here on\nFrom ben@example.org Sat Nov 21 09:01:00 2026\nSubject: two\n\n"


def test_blocks(binary):
    """Whole messages between two servers, the audit daemon's log, a mailbox."""
    receiver = Server(binary, RECEIVER)
    sender = Server(binary, SENDER.replace("PORT", str(receiver.port)))
    for name, text in (("audit.log", AUDIT), ("mbox", MAILS)):
        with open(f"{sender.folder}/{name}", "w") as file:
            file.write(text)
    try:
        receiver.start()
        sender.start()
        send(sender, ("web1", "app", "hello {world}"))
        Server.until(lambda: content(receiver.folder + "/out").endswith("\n"), 30, "the whole message")
        got = json.loads(content(receiver.folder + "/out"))
        assert (got["HOST"], got["PROGRAM"], got["PID"], got["MESSAGE"]) == ("web1", "app", "7", "hello {world}"), got
        assert "t1" in got["TAGS"] and "t2" in got["TAGS"] and got["app"]["colour"] == "blue", got
        assert got["_dotted"]["name"] == "x" and not got["left"], got
        own = sender.folder + "/own"
        Server.until(lambda: "auditd|USER_START|77|" in content(own) and "mbox|" in content(own), 30, "files: " + content(own))
        mail = content(own)[content(own).index("mbox|"):]
        assert "Subject: one" in mail and "From here on" in mail, mail
    finally:
        sender.close()
        receiver.close()
