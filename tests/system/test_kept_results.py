"""Results of sealed segments are kept for the next search: same answers, figures, and nothing of them after a lock."""

import re
import socket
import subprocess

from server import CONFIG, Server

QUERIES = ("", "host:gw1", "* | top host", "* | stats count() by host, program", "* | timechart 1h count() by severity",
           "host:gw1 | stats max(.SDATA.a@1.n), count(.SDATA.a@1.n) by program")


def figures(server):
    lines = server.text("/metrics")
    return {name: int(value) for name, value in re.findall(r"^duramen_kept_results_(\w+) (\d+)$", lines, re.M)}


def send(server, first, count):
    lines = (f"<{8 * (number % 20) + number % 8}>1 2026-11-28T10:00:00Z gw{number % 3} app{number % 4} - - [a@1 n=\"{number % 50}\"] line {number}\n"
             for number in range(first, first + count))
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall("".join(lines).encode())
    server.until(lambda: server.search("*", limit=0)["total"] >= first + count, 60, "all messages")


def run(server):
    """The answers of a dashboard, without what differs from run to run."""
    panels = [{"id": f"p{index}", "title": "", "kind": "table" if "|" in query else "number", "x": 0, "y": index, "w": 3, "h": 1,
               "query": query} for index, query in enumerate(QUERIES)]
    spec = {"logspace": "main", "time": {"from": "now-1d", "to": "now"}, "panels": panels}
    answers = [panel["answer"] for panel in server.call("dashboards/run", {"spec": spec, "run": {}})["panels"]]
    return [(answer["total"], answer.get("table")) for answer in answers]


def seal(server):
    command = [server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def test_a_dashboard_is_answered_from_what_was_kept(binary):
    server = Server(binary, CONFIG.replace(" internal();", ""))
    try:
        server.start()
        send(server, 0, 3000)
        unsealed = run(server)
        assert figures(server)["bytes"] == 0, "results of messages that may still change are kept"
        seal(server)
        assert run(server) == unsealed
        before = figures(server)
        assert before["bytes"] > 0, before
        assert run(server) == unsealed
        after = figures(server)
        assert after["used_total"] - before["used_total"] >= len(QUERIES) - 1, (before, after)
        assert after["missed_total"] == before["missed_total"], (before, after)
        # What came since is counted, too.
        send(server, 3000, 600)
        more = run(server)
        assert more[0][0] == 3600 and more[3][1]["rows"] != unsealed[3][1]["rows"], more
        seal(server)
        assert run(server) == more == run(server)
    finally:
        server.close()


def test_results_of_a_locked_logspace_are_gone(binary):
    encrypted = 'logspace("main" encrypt-certificate("{folder}/cert.pem"))'
    server = Server(binary, CONFIG.replace(" internal();", "").replace('logspace("main")', encrypted))
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", server.folder + "/key.pem",
            "-out", server.folder + "/cert.pem", "-subj", "/CN=logs", "-days", "2"]
    subprocess.run(made, check=True, capture_output=True, timeout=60)
    try:
        server.start()
        send(server, 0, 3000)
        open_ = run(server)
        seal(server)
        # A sealed segment needs the private key.
        server.until(lambda: run(server)[0][0] == 0, 30, "the segment to be locked")
        assert figures(server)["bytes"] == 0
        with open(server.folder + "/key.pem") as key:
            server.call("unlock", {"logspace": "main", "key": key.read()})
        assert run(server) == open_ == run(server)
        kept = figures(server)
        assert kept["bytes"] > 0 and kept["used_total"] > 0, kept
        server.call("lock", {"logspace": "main"})
        server.until(lambda: figures(server)["bytes"] == 0, 30, "the results of the locked segment to be gone")
        assert run(server)[0][0] == 0
    finally:
        server.close()
