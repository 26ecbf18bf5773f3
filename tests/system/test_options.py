"""Further options of drivers: packed files, blocks, marks, commands, traps, statistics in the log."""

import gzip
import os
import socket
import struct
import subprocess

from server import Server, free_port

OPTIONS = """@version: 4.8
@include "scl.conf"
options {{ keep-hostname(yes); use-dns(no); stats(freq(1)); create-dirs(yes); }};
source s_net {{
    network(ip("127.0.0.1") port({port}) flags(empty-lines) max-connections(20)
            hook-commands(startup("echo startup >> {folder}/hooks") setup("echo setup >> {folder}/hooks")
                          teardown("echo teardown >> {folder}/hooks") shutdown("echo shutdown >> {folder}/hooks")));
}};
source s_blocks {{ pipe("{folder}/in/blocks" pad-size(256) flags(no-parse)); }};
source s_trap {{ snmptrap(filename("{folder}/traps")); }};
source s_own {{ internal(); }};
source s_there {{ unix-dgram("{folder}/deep/socket"); tcp(ip("127.0.0.1") port({port}) optional(yes)); }};
destination d_packed {{ file("{folder}/packed.gz" template("$MSG\\n") compress(yes)); }};
destination d_blocks {{ file("{folder}/blocks" template("$MSG\\n") pad-size(32) truncate-size(20)); }};
destination d_traps {{ file("{folder}/trapped" template("$PROGRAM ${{.snmp.hostname}} ${{.snmp.X.n}} $S_YEAR\\n")); }};
destination d_own {{ file("{folder}/own" template("$MSG\\n") mark-mode(periodical) mark-freq(1)); }};
log {{ source(s_net); destination(d_packed); flags(flow-control); }};
log {{ source(s_blocks); destination(d_blocks); flags(flow-control); }};
log {{ source(s_trap); destination(d_traps); }};
log {{ source(s_own); source(s_there); destination(d_own); }};
"""

TRAP = ("2024-05-06 07:08:09 router [UDP: [10.0.0.1]:4000->[10.0.0.2]:162]:\n"
        "X.n = Gauge32: 7\tX.t = STRING: \"a b\"\n")


def test_options_with_side_effects(binary):
    server = Server(binary, OPTIONS)
    path = lambda name: os.path.join(server.folder, name)
    text = lambda name: open(path(name), "rb").read().decode() if os.path.exists(path(name)) else ""
    try:
        with open(path("traps"), "w") as out:
            # The next trap ends the one before.
            out.write(TRAP + TRAP)
        server.start()
        assert text("hooks").split() == ["startup", "setup"]
        assert os.path.exists(path("deep/socket")), "its folder is made"
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            for number in range(1000):
                peer.sendall(f"<13>Nov 21 12:00:00 gate app: number {number}\n".encode())
            peer.sendall(b"\n<13>Nov 21 12:00:00 gate app: last\n")
        packed = lambda: gzip.open(path("packed.gz")).read().decode() if os.path.exists(path("packed.gz")) else ""
        server.until(lambda: packed().endswith("last\n"), 30, "the packed file")
        lines = packed().splitlines()
        assert len(lines) == 1002 and lines[999:] == ["number 999", "", "last"], lines[995:]
        assert os.path.getsize(path("packed.gz")) < len(packed()) // 2
        with open(path("in/blocks"), "wb") as pipe:
            for word in [b"one", b"two of a text that is too long", b"x" * 256]:
                pipe.write(word.ljust(256, b"\0"))
        server.until(lambda: len(text("blocks")) == 96, 30, "three blocks")
        want = ["one\n", "two of a text that \n", "x" * 19 + "\n"]
        assert text("blocks") == "".join(line.ljust(32, "\0") for line in want), text("blocks")
        server.until(lambda: text("trapped"), 30, "a trap")
        assert text("trapped").splitlines()[0] == "snmptrapd router 7 2024", text("trapped")
        server.until(lambda: text("own").count("-- MARK --") > 1, 30, "marks")
        server.until(lambda: "Log statistics; processed='" in text("own"), 30, "statistics")
        assert "continuing without it; id='s_there#1'" in text("own"), text("own")
        server.ctl("reload")
        assert text("hooks").split() == ["startup", "setup"], "what stays as it is runs nothing"
        server.stop()
        assert text("hooks").split() == ["startup", "setup", "teardown", "shutdown"]
    finally:
        server.close()


RECORDS = """@version: 4.8
@include "scl.conf"
source s_pacct {{ pacct(file("{folder}/pacct")); }};
source s_times {{ file("{folder}/times" flags(no-parse)); }};
parser p_times {{ date-parser(format("%F %T %z") time-stamp(recvd)); }};
rewrite r_times {{
    set("$(format-json n=int64($MSG) s=there)" value("made") on-error("silently-drop-property"));
}};
destination d_ended {{ file("{folder}/ended" template("${{.pacct.ac_comm}} ${{.pacct.ac_pid}} ${{.pacct.ac_utime}} $TAGS\\n")); }};
destination d_times {{ file("{folder}/read" template("$R_ISODATE $made\\n")); }};
log {{ source(s_pacct); destination(d_ended); }};
log {{ source(s_times); parser(p_times); rewrite(r_times); destination(d_times); }};
"""


def ended(command, pid):
    """A record as the kernel writes it."""
    fields = struct.pack("=BBHIIIIIIfHHHHHHHH", 0, 3, 0, 0, 0, 0, pid, 1, 1_700_000_000, 1.5, 0x2003, 0, 0, 0, 0, 0, 0, 0)
    return fields + command.encode().ljust(16, b"\0")


def test_records_of_processes_and_told_times(binary):
    server = Server(binary, RECORDS)
    path = lambda name: os.path.join(server.folder, name)
    text = lambda name: open(path(name)).read() if os.path.exists(path(name)) else ""
    try:
        with open(path("pacct"), "wb") as records:
            records.write(ended("make", 7) + ended("a-long-command-x", 8)[:40])
        with open(path("times"), "w") as times:
            times.write("2025-07-01 12:00:00 +0200\n")
        server.start()
        server.until(lambda: text("ended").count("\n") == 1, 30, "the whole record")
        with open(path("pacct"), "ab") as records:
            records.write(ended("a-long-command-x", 8)[40:] + b"?" * 64)
        server.until(lambda: text("ended").count("\n") == 3, 30, "all records")
        assert text("ended").splitlines()[:2] == [
            "make 7 24.00 pacct,.source.s_pacct", "a-long-command-x 8 24.00 pacct,.source.s_pacct"], text("ended")
        assert "message.parse_error" in text("ended").splitlines()[2], text("ended")
        server.until(lambda: text("read"), 30, "a time")
        assert text("read") == '2025-07-01T12:00:00+02:00 {"s":"there"}\n', text("read")
    finally:
        server.close()


TRAPS = """@version: 4.8
options {{ use-dns(no); }};
source s_net {{ network(ip("127.0.0.1") port({port})); }};
destination d_snmp {{
    snmp(host("127.0.0.1") port(TRAPS) community("wood")
         snmp-obj(".1.3.6.1.2.1.1.3.0", "Timeticks", "97881")
         trap-obj(".1.3.6.1.6.3.1.1.4.1.0", "Objectid", ".1.3.6.1.6.3.1.1.5.3")
         snmp-obj(".1.3.6.1.4.1.8072.1.1", "Octetstring", "$MSG")
         snmp-obj(".1.3.6.1.4.1.8072.1.2", "Integer", "$LEVEL_NUM")
         snmp-obj(".1.3.6.1.4.1.8072.1.3", "Ipaddress", "192.0.2.7"));
}};
log {{ source(s_net); destination(d_snmp); }};
"""


def test_traps_reach_snmptrapd(binary):
    port = free_port()
    server = Server(binary, TRAPS.replace("TRAPS", str(port)))
    path = lambda name: os.path.join(server.folder, name)
    with open(path("snmptrapd.conf"), "w") as out:
        out.write("authCommunity log wood\n")
    with open(path("trapped"), "wb") as out:
        peer = subprocess.Popen(["snmptrapd", "-f", "-Lo", "-On", "-C", "-c", path("snmptrapd.conf"), "-p", path("pid"),
                                 "-F", "%V|%v\\n", f"127.0.0.1:{port}"], stdout=out, stderr=subprocess.STDOUT,
                                env={**os.environ, "MIBS": "", "SNMP_PERSISTENT_DIR": server.folder})
    text = lambda: open(path("trapped"), errors="replace").read()
    try:
        server.until(lambda: "NET-SNMP version" in text(), 30, "snmptrapd")
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"<11>Nov 21 12:00:00 gate app: disk full\n<14>Nov 21 12:00:00 gate app: second\n")
        server.until(lambda: '"second"' in text(), 30, "two traps")
        for want in ('.1.3.6.1.4.1.8072.1.1 = STRING: "disk full"', ".1.3.6.1.4.1.8072.1.2 = INTEGER: 3",
                     ".1.3.6.1.4.1.8072.1.3 = IpAddress: 192.0.2.7", ".1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.6.3.1.1.5.3",
                     ".1.3.6.1.2.1.1.3.0 = Timeticks: (97881) 0:16:18.81"):
            assert want in text(), (want, text())
    finally:
        peer.kill()
        peer.wait()
        server.close()
