"""Tools that show the path of messages: explain, live taps, the verbs of ctl."""

import json
import os
import re
import socket
import subprocess
import threading
import time

from server import Server

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_net {{ network(ip("127.0.0.1") port({port}) max-connections(50) log-iw-size(100000)); }};
filter f_odd {{ message("odd"); }};
destination d_odd {{ file("{folder}/odd"); }};
destination d_all {{ file("{folder}/all"); }};
log odd {{ source(s_net); filter(f_odd); destination(d_odd); flags(flow-control); }};
log {{ source(s_net); destination(d_all); flags(flow-control); }};
"""


class Tap:
    """A tap on a server under test, with its lines as they arrive."""

    def __init__(self, server, *words):
        command = [server.binary, "ctl", "--control", server.folder + "/ctl", "tap", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.notices = [], []
        for pipe, kept in ((self.process.stdout, self.lines), (self.process.stderr, self.notices)):
            threading.Thread(target=lambda pipe=pipe, kept=kept: kept.extend(line.rstrip("\n") for line in pipe), daemon=True).start()

    def stop(self):
        self.process.kill()
        self.process.wait(5)


def send(port, lines):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall("".join(f"<13>Oct 11 22:14:15 gw prog: {line}\n" for line in lines).encode())


def test_explain_shows_what_happens(binary):
    server = Server(binary, CONFIG)
    try:
        line = "<13>Oct 11 22:14:15 gw prog: an even one"
        told = subprocess.run([binary, "explain", server.config, "-m", line], capture_output=True, text=True)
        assert told.returncode == 0, told
        assert "✗ filter(f_odd)" in told.stdout and "reaches 1 destination" in told.stdout, told.stdout
        assert f"d_all#0 writes to file {server.folder}/all" in told.stdout, told.stdout
        assert not os.path.exists(server.folder + "/all"), "explain wrote a file"
        path = server.folder + "/messages"
        with open(path, "w") as out:
            out.write("".join(f"<13>Oct 11 22:14:15 gw prog: odd {n}\n" for n in range(5)))
        told = subprocess.run([binary, "explain", server.config, "--message-file", path, "--json"], capture_output=True, text=True)
        stories = [json.loads(line) for line in told.stdout.splitlines()]
        assert [story["deliveries"] for story in stories] == [2] * 5, told
    finally:
        server.close()


def test_taps_show_passing_messages(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        source = Tap(server, "s_net", "--filter", 'message("odd 1.")', "--template", "$MSG", "-n", "10")
        path = Tap(server, "odd", "--format", "json")
        destination = Tap(server, "destination:d_odd", "--template", "$MSG")
        time.sleep(0.5)
        send(server.port, [f"{'odd' if n % 2 else 'even'} {n}" for n in range(100)])
        server.until(lambda: len(destination.lines) >= 50, 30, "what reaches the destination")
        server.until(lambda: len(path.lines) >= 100, 30, "what enters the path")
        assert destination.lines == [f"odd {n}" for n in range(1, 100, 2)]
        assert json.loads(path.lines[0])["MESSAGE"] == "even 0", path.lines[0]
        server.until(lambda: len(source.lines) >= 5, 30, "what the filter holds for")
        assert source.lines == [f"odd {n}" for n in range(11, 20, 2)], source.lines
        server.write_config(CONFIG + "# changed\n")
        server.ctl("reload")
        send(server.port, [f"odd 1{n}" for n in range(5)])
        assert source.process.wait(5) == 0, "10 messages are enough"
        for tap in (path, destination):
            tap.stop()
        refused = Tap(server, "nothing")
        assert refused.process.wait(5) == 1
        server.until(lambda: refused.notices, 30, "why")
        assert "source s_net" in refused.notices[0] and "log odd" in refused.notices[0], refused.notices
    finally:
        server.close()


def test_a_slow_tap_delays_nothing(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        # Nobody reads the output of this one, so its pipe fills up.
        command = [binary, "ctl", "--control", server.folder + "/ctl", "tap", "s_net"]
        stuck = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        rate = Tap(server, "s_net", "--rate")
        looks = Tap(server, "s_net", "--filter", 'message("never there")')
        time.sleep(0.5)
        count = 200_000
        text = "".join(f"<13>Oct 11 22:14:15 gw prog: even {n} {'x' * 100}\n" for n in range(count)).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(text)
        written = lambda: sum(int(value) for value in re.findall(r"dst\.file\.d_all.*\.written=(\d+)", server.ctl("query", "get", "*d_all*written")))
        server.until(lambda: written() == count, 20, "everything to be written")
        server.until(lambda: any("not looked at" in line for line in looks.notices), 30, "what was missed")
        missed = sum(int(line.split()[0]) for line in looks.notices if "not looked at" in line)
        assert 0 < missed < count, looks.notices
        server.until(lambda: any(int(line.split()[0]) > 0 for line in rate.lines), 30, "a rate")
        for tap in (rate, looks):
            tap.stop()
        stuck.kill()
        stuck.wait(5)
        send(server.port, ["odd last"])
        server.until(lambda: written() == count + 1, 30, "the last one")
    finally:
        server.close()


def test_the_verbs_of_ctl(binary):
    """Each verb of syslog-ng-ctl, by that name."""
    server = Server(binary, CONFIG + '@include "{folder}/more.conf"\n')
    try:
        with open(server.folder + "/more.conf", "w") as out:
            out.write("filter f_more { level(info); };\n")
        os.symlink(server.binary, server.folder + "/syslog-ng-ctl")
        server.start()
        send(server.port, ["odd 1", "even 2"])

        def ctl(*words, code=0):
            command = [server.folder + "/syslog-ng-ctl", *words, "--control", server.folder + "/ctl"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=30)
            assert done.returncode == code, done
            return done.stdout + done.stderr

        server.until(lambda: "d_all#0" in ctl("query", "list", "*written"), 30, "statistics")
        all_written = lambda: int(ctl("query", "get", "--sum", "dst.file.*.written"))
        server.until(lambda: all_written() == 3, 30, "three lines")
        assert ctl("stats").startswith("SourceName;SourceId;SourceInstance;State;Type;Number\n")
        assert "syslogng_input_events_total{" in ctl("stats", "prometheus")
        assert "d_odd#0" in ctl("query", "get", "--reset", "*d_odd#0*written")
        assert all_written() == 2, "the figures of d_odd start at zero again"
        assert int(ctl("query", "get", "--sum", "--reset", "dst.file.*.written")) == 2 and all_written() == 0
        assert ctl("stats", "--reset") == "The statistics of syslog-ng have been reset to 0.\n"
        assert "removed" in ctl("stats", "--remove-orphans")
        assert "syslogng_is_healthy 1" in ctl("healthcheck")
        level = "syslog-ng log level set to {}\n".format
        for words, number in [("log-level", 0), ("log-level debug", 2), ("verbose", 2), ("debug --set=off", 1),
                              ("trace --on", 3), ("trace off", 2), ("verbose off", 0), ("log-level VERBOSE", 1)]:
            assert ctl(*words.split()) == level(number), words
        assert "Apache License" in ctl("show-license-info")
        assert ctl("config") == open(server.config).read()
        assert "level(info)" in ctl("config", "--preprocessed") and "@include" not in ctl("config", "--preprocessed")
        first = ctl("config", "--id")
        assert ctl("list-files").split() == [server.config, server.folder + "/more.conf"]
        graph = json.loads(ctl("export-config-graph"))
        assert {"from": "source s_net", "to": "log odd", "type": "next-hop"} in graph["arcs"], graph
        assert {"from": "filter f_odd", "to": "destination d_odd", "type": "next-hop"} in graph["arcs"], graph
        assert "no errors" in ctl("config", "--verify")
        with open(server.config, "a") as out:
            out.write("log { source(nowhere); };\n")
        assert "nowhere" in ctl("config", "--verify", code=1)
        assert "nowhere" not in ctl("config"), "what is in use, not what is on disk"
        server.write_config(CONFIG + "# other\n")
        assert ctl("reload") == "Config reload successful\n"
        assert ctl("config", "--id") != first
        assert ctl("reopen") == "Re-open of log destination files initiated\n"
        assert ctl("credentials", "status") == "Credential storage status follows\n"
        assert "unknown" in ctl("log-level", "loud", code=1)
        assert ctl("stop") == "Shutdown initiated\n"
        assert server.process.wait(10) == 0
    finally:
        server.close()


def test_check_warns_of_likely_mistakes(binary):
    server = Server(binary, CONFIG + "filter f_unused {{ level(err); }};\n")
    try:
        check = lambda *words: subprocess.run([binary, "check", *words, server.config], capture_output=True, text=True)
        told = check()
        assert told.returncode == 0 and "filter `f_unused` is defined and never used" in told.stderr, told
        assert re.search(r"test\.conf:\d+:8\n", told.stderr) and "^^^^^^^^" in told.stderr, told
        told = check("--strict")
        assert told.returncode == 1 and "1 warning with --strict" in told.stderr, told
        server.write_config(CONFIG)
        assert check("--strict").returncode == 0
    finally:
        server.close()
