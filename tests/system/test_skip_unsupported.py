"""`--skip-unsupported`: parts that cannot be run are left out, everything else runs, and this is reported everywhere."""

import os
import socket
import subprocess
import urllib.request
import json

from server import Server

CONFIG = """@version: 4.8
options {{ use-dns(no); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("udp")); ebpf(); }};
source s_none {{ ebpf(); }};
destination d_out {{ file("{folder}/out" template("$MESSAGE\\n")); }};
destination d_queue {{ nonsense-queue(topic("x")); }};
destination d_odd {{ file("{folder}/odd" no-such-option(yes)); }};
filter f_odd {{ no-such-test("x"); }};
parser p_odd {{ nonsense-parser(class("x")); }};
log {{ source(s_net); destination(d_queue); destination(d_out); }};
log {{ source(s_net); filter(f_odd); destination {{ file("{folder}/unfiltered"); }}; }};
log {{ source(s_net); parser(p_odd); destination {{ file("{folder}/unparsed"); }}; }};
log {{ source(s_net); destination(d_odd); }};
log {{ source(s_none); destination {{ file("{folder}/none"); }}; }};
"""

LEFT_OUT = ["source `s_net`, driver `ebpf()`", "source `s_none`", "destination `d_queue`", "destination `d_odd`",
            "filter `f_odd`", "parser `p_odd`", "log path of line 11", "log path of line 12", "log path of line 13",
            "log path of line 14", "destination `d_queue` in the log path of line 10"]


class Skipping(Server):
    def spawn(self, command):
        return super().spawn([*command, "--skip-unsupported"])

    def answers(self):
        """It is degraded, and says so."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.stderr()}")
        try:
            return self.call("health")["status"] == "degraded"
        except OSError:
            return False


def assert_names_all(text, where):
    missing = [what for what in LEFT_OUT if f"{what} is not running" not in text]
    assert not missing, f"{where} does not name {missing}:\n{text}"


def test_the_rest_runs_and_omissions_are_reported(binary):
    server = Skipping(binary, CONFIG)
    try:
        refused = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
        assert refused.returncode == 1, refused
        checked = subprocess.run([binary, "check", "--skip-unsupported", server.config],
                                 capture_output=True, text=True, timeout=30)
        assert checked.returncode == 0, checked
        assert f"starts, with {len(LEFT_OUT)} parts left out" in checked.stdout, checked.stdout
        assert_names_all(checked.stderr, "check")
        server.start()
        assert_names_all(server.stderr(), "the log")
        assert_names_all(server.ctl("config", "--skipped"), "ctl config --skipped")
        health = subprocess.run([binary, "ctl", "--control", server.folder + "/ctl", "healthcheck"],
                                capture_output=True, text=True, timeout=30).stdout
        assert_names_all(health, "ctl healthcheck")
        answer = server.call("health")
        assert answer["status"] == "degraded"
        assert_names_all("\n".join(answer["not_running"]), "/health")
        with urllib.request.urlopen(f"{server.base}/api/v1/health", timeout=30) as stranger:
            answer = json.load(stranger)
        assert answer["status"] == "degraded" and "not_running" not in answer, answer
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(b"<13>hello there", ("127.0.0.1", server.port))
        out = os.path.join(server.folder, "out")
        server.until(lambda: os.path.exists(out) and "there" in open(out).read(), 30, "the message")
        server.stop()
        for name in ["unfiltered", "unparsed", "odd", "none"]:
            assert not os.path.exists(os.path.join(server.folder, name)), name
    finally:
        server.close()


def test_other_errors_are_still_refused(binary):
    server = Server(binary, CONFIG.replace("destination(d_out); }};", "destination(d_typo); }};"))
    try:
        for command in (["check", "--skip-unsupported", server.config],
                        ["run", "--skip-unsupported", "--http", "none", "--config", server.config,
                         "--data", server.folder + "/data", "--control", server.folder + "/ctl"]):
            answer = subprocess.run([binary, *command], capture_output=True, text=True, timeout=30)
            assert answer.returncode == 1, answer
            assert "destination `d_typo` is not defined" in answer.stderr, answer.stderr
    finally:
        server.close()
