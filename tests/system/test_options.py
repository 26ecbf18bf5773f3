"""What drivers do by the way: packed files, blocks, marks, commands, traps, statistics in the log."""

import gzip
import os
import socket

from server import Server

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


def test_what_is_done_by_the_way(binary):
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
        server.until(lambda: packed().endswith("last\n"), 5, "the packed file")
        lines = packed().splitlines()
        assert len(lines) == 1002 and lines[999:] == ["number 999", "", "last"], lines[995:]
        assert os.path.getsize(path("packed.gz")) < len(packed()) // 2
        with open(path("in/blocks"), "wb") as pipe:
            for word in [b"one", b"two of a text that is too long", b"x" * 256]:
                pipe.write(word.ljust(256, b"\0"))
        server.until(lambda: len(text("blocks")) == 96, 5, "three blocks")
        want = ["one\n", "two of a text that \n", "x" * 19 + "\n"]
        assert text("blocks") == "".join(line.ljust(32, "\0") for line in want), text("blocks")
        server.until(lambda: text("trapped"), 5, "a trap")
        assert text("trapped").splitlines()[0] == "snmptrapd router 7 2024", text("trapped")
        server.until(lambda: text("own").count("-- MARK --") > 1, 5, "marks")
        server.until(lambda: "Log statistics; processed='" in text("own"), 5, "statistics")
        assert "going on without it; id='s_there#1'" in text("own"), text("own")
        server.ctl("reload")
        assert text("hooks").split() == ["startup", "setup"], "what stays as it is runs nothing"
        server.stop()
        assert text("hooks").split() == ["startup", "setup", "teardown", "shutdown"]
    finally:
        server.close()
