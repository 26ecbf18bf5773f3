"""The command-line tools beside the server: `ctl`, `loggen`, and the programs called by their old names."""

import subprocess

from server import Server

QUIET = """@version: 4.8
source s {{ network(ip("127.0.0.1") port({port})); }};
destination d {{ file("{folder}/out"); }};
log {{ source(s); destination(d); }};
"""


def test_ctl_stop_is_answered_every_time(binary):
    """The answer is there before the server goes, however fast it goes."""
    server = Server(binary, QUIET)
    try:
        for _ in range(10):
            server.start()
            command = [binary, "ctl", "--control", server.folder + "/ctl", "stop"]
            answer = subprocess.run(command, capture_output=True, text=True, timeout=30)
            assert (answer.returncode, answer.stdout, answer.stderr) == (0, "OK Shutdown initiated\n", ""), answer
            assert server.process.wait(20) == 0
    finally:
        server.close()
