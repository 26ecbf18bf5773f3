"""Nothing is lost silently: on every row, the messages received are those sent, waiting or dropped."""

import re
import signal
import socket
import threading

from server import Server, free_port

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_net {{ network(ip("127.0.0.1") port({port}) max-connections(50)); }};
source s_more {{ udp(ip("127.0.0.1") port({port})); }};
filter f_noise {{ message("noise"); }};
filter f_slow {{ rate-limit(rate(1)); }};
parser p_login {{ regexp-parser(patterns("user=(?<user>\\\\w+)")); }};
parser p_group {{
    grouping-by(key("$PROGRAM") scope(global) where(program("group")) trigger(message("last")) timeout(60)
        aggregate(value("MESSAGE" "a whole group")));
}};
destination d_all {{ file("{folder}/all"); }};
destination d_once {{ file("{folder}/once" suppress(60)); }};
destination d_folder {{ file("{folder}/$PROGRAM/x" create-dirs(no)); }};
destination d_full {{ network("127.0.0.1" port(AWAY) log-fifo-size(100)); }};
destination d_disk {{ network("127.0.0.1" port(AWAY) disk-buffer(capacity-bytes(16M) reliable(no) dir("{folder}/queue"))); }};
destination d_other {{ network("127.0.0.1" port(AWAY) failover(servers("127.0.0.1:LIVING"))); }};
log noise {{ source(s_net); filter(f_noise); flags(final); }};
log login {{ source(s_net); source(s_more); parser(p_login); destination(d_all); destination(d_once); flags(flow-control); }};
log slow {{ source(s_net); filter(f_slow); destination(d_all); }};
log group {{ source(s_net); parser(p_group); if (program("group")) {{ destination(d_all); }} else {{ filter {{ program("none") }}; }}; }};
log away {{ source(s_net); filter {{ program("away") }}; destination(d_full); destination(d_disk); destination(d_other); }};
log strict {{ source(s_net); filter {{ program("strict") }}; destination(d_folder); flags(drop-unmatched); }};
"""


class Living:
    """A receiver that counts lines."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.lines = self.socket.getsockname()[1], 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.read, args=(peer,), daemon=True).start()

    def read(self, peer):
        while data := peer.recv(65536):
            self.lines += data.count(b"\n")


def accounts(server):
    """The rows of the balance: the messages received, and what became of them."""
    rows = {}
    for line in server.ctl("stats", "balance").splitlines():
        name, taken, parts = re.fullmatch(r"(.*): (\d+) = (.*)", line).groups()
        assert "off by" not in line, server.ctl("stats", "balance")
        rows[name.split(";")[1] or "received"] = (int(taken), {word: int(count) for count, word in re.findall(r"(\d+) (\w+)", parts)})
    return rows


def figure(server, pattern):
    return int(server.ctl("query", "get", "--sum", pattern))


def send(server, lines):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall("".join(f"<13>Oct 11 22:14:15 gw {line}\n" for line in lines).encode())


# In each round: 40 of noise, 30 logins of which 10 in a row are the same, 200 for an unreachable peer, 20 in groups of
# which 2 are complete, 10 strict.
TURN = ([f"a: noise {n}" for n in range(40)] + [f"b: user=u{n}" for n in range(20)] + ["b: user=same"] * 10
        + [f"away: line {n}" for n in range(200)] + [f"group: {'last' if n % 10 == 9 else 'part'} {n}" for n in range(20)]
        + [f"strict: {n}" for n in range(10)])


def test_every_row_adds_up_over_reloads(binary):
    living = Living()
    config = CONFIG.replace("AWAY", str(free_port())).replace("LIVING", str(living.port))
    server = Server(binary, config)
    try:
        server.start()
        turns = 4
        for turn in range(turns):
            send(server, TURN)
            server.until(lambda: figure(server, "center.received.processed") == (turn + 1) * len(TURN), 30, "all of them")
            changed = config + f"# {turn}\n"
            if turn == 2:
                # The disk queue disappears with its destination, and is found again when the destination returns.
                changed = changed.replace("destination(d_disk);", "").replace("destination d_disk", "destination d_gone")
            server.write_config(changed)
            server.ctl("reload")
        n = turns * len(TURN)
        server.until(lambda: living.lines == 200 * turns, 30, "the other receiver to have all")
        server.until(lambda: accounts(server)["d_once#0"][1].get("queued", 0) == 0, 30, "files to be written")
        rows = accounts(server)
        slow = figure(server, "filter.f_slow.matched")
        assert figure(server, "filter.f_noise.matched") == 40 * turns
        assert figure(server, "filter.f_noise.matched") + figure(server, "filter.f_noise.not_matched") == n
        assert figure(server, "filter.f_slow.matched") + figure(server, "filter.f_slow.not_matched") == n - 40 * turns
        assert figure(server, "parser.p_login.processed") == n - 40 * turns
        assert figure(server, "parser.p_login.discarded") == n - 40 * turns - 30 * turns
        assert figure(server, "parser.p_group.made") == 2 * turns
        assert figure(server, "log.away.ingress") == n - 40 * turns and figure(server, "log.away.egress") == 200 * turns
        # The paths: login accepts 30, group 20 and the 2 that were generated, slow those that it lets pass.
        assert rows["d_all#0"] == (52 * turns + slow, {"written": 52 * turns + slow}), rows
        taken, parts = rows["d_once#0"]
        assert parts["suppressed"] == 9 * turns and taken == 30 * turns + parts["written"] - 21 * turns, rows
        assert rows["d_full#0"] == (200 * turns, {"queued": 100, "queue_full": 200 * turns - 100}), rows
        assert rows["d_disk#0"] == (200 * (turns - 1), {"queued": 200 * (turns - 1)}), rows
        assert rows["d_other#0"] == (200 * turns, {"written": 200 * turns}), rows
        assert rows["d_folder#0"] == (10 * turns, {"unwritable": 10 * turns}), rows
        taken, parts = rows["received"]
        # drop-unmatched accepts the messages that no other path did.
        assert taken == n and parts == {"routed": n}, rows
        server.stop(signal.SIGKILL)
        server.start()
        assert accounts(server)["d_disk#0"] == (200 * (turns - 1), {"queued": 200 * (turns - 1)})
        server.write_config(config.replace("flags(drop-unmatched);", ""))
        server.ctl("reload")
        server.ctl("stats", "--reset")
        assert accounts(server)["d_disk#0"] == (200 * (turns - 1), {"queued": 200 * (turns - 1)})
        send(server, ["nobody: here"] * 5)
        server.until(lambda: figure(server, "center.received.processed") == 5, 30, "five")
        taken, parts = accounts(server)["received"]
        assert taken == 5 and parts.get("unrouted", 0) + parts.get("routed", 0) == 5 and parts["unrouted"] >= 4, parts
        server.ctl("stats", "--remove-orphans")
        accounts(server)
    finally:
        server.close()
