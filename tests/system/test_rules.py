"""Rules that watch messages: checked, and tried on the history of a logspace."""

import json
import os
import socket
import subprocess
import tempfile

from server import Server

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
log {{ source(s_net); destination {{ logspace("main"); }}; }};
"""
RULES = """rules:
- {id: guesses, kind: count, query: 'program:sshd "failed password"', by: host, more-than: 10, within: 1h, severity: crit}
- {id: unanswered, kind: not-followed, query: began, then: finished, by: host, within: 1h}
- {id: each, kind: match, query: 'program:sudo', by: host}
- {id: silent, kind: absence, query: '*', by: host, within: 400d}
"""


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_rules_are_checked_and_tried(binary):
    server = Server(binary, CONFIG)
    path = os.path.join(server.folder, "rules.yaml")
    with open(path, "w") as out:
        out.write(RULES)
    with open(path + ".wrong", "w") as out:
        out.write("rules:\n- id: a\n  kind: count\n  query: '(failed'\n  by: host\n")
    try:
        checked = run(binary, "rules", "check", path)
        assert (checked.returncode, checked.stdout) == (0, f"{path}: 4 rules, no errors\n"), checked
        wrong = run(binary, "rules", "check", path + ".wrong")
        places = [line.removeprefix(path + ".wrong:").split(":")[:2] for line in wrong.stderr.splitlines()[:-1]]
        assert wrong.returncode == 1 and ["4", "11"] in places, wrong
        assert run(binary, "rules", "check", path + ".none").returncode == 2

        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            for n in range(25):
                host = "fw1" if n % 2 == 0 else "web1"
                peer.sendall(f"<36>Nov 21 12:00:00 {host} sshd: Failed password for eva, number {n}\n".encode())
            peer.sendall(b"<36>Nov 21 12:00:00 fw1 sudo: eva : COMMAND=/bin/sh\n")
        server.until(lambda: server.search("", logspace="main")["total"] == 26, 30, "the messages")
        test = [binary, "rules", "test", path, "--logspace", "main", "--data", server.folder + "/data"]
        before = run(*test)
        assert before.returncode == 0 and "0 messages: 0 fired, 0 occurred\n" in before.stdout, before
        seal = run(binary, "logspace", "seal", "main", "--control", server.folder + "/ctl")
        assert seal.returncode == 0, seal

        tried = run(*test, "--json")
        lines = [json.loads(line) for line in tried.stdout.splitlines()]
        found = [(line["rule"], line["change"], line["key"], line["sequence"], line["value"]) for line in lines[:-1]]
        # The eleventh of each host: of fw1 number 20, of web1 number 21.
        assert found == [("guesses", "fired", {"host": "fw1"}, 20, 11.0), ("guesses", "fired", {"host": "web1"}, 21, 11.0),
                         ("each", "occurred", {"host": "fw1"}, 25, None)], tried
        summary = lines[-1]["summary"]
        assert (summary["messages"], summary["fired"], summary["occurred"], summary["unread"]) == (26, 2, 1, 0), summary
        assert summary["rules"]["guesses"]["matched"] == 25 and summary["rules"]["each"]["evaluated"] == 1, summary
        again = [json.loads(line) for line in run(*test, "--json").stdout.splitlines()]
        assert [line.get("id") for line in again] == [line.get("id") for line in lines], "ids stay the same"

        text = run(*test)
        assert text.returncode == 0 and " fired     crit    guesses host=fw1 (11) at #20\n" in text.stdout, text
        assert "26 messages from " in text.stdout and text.stdout.endswith("messages from #26 on are not sealed and were not read; `duramen logspace seal` seals them\n"), text
        # A range narrows the messages; rules begin without a past.
        last = json.loads(run(binary, "logspace", "cat", "main", "--data", server.folder + "/data", "--json").stdout.splitlines()[-1])
        part = run(*test, "--from", str(last["received_us"] / 1e6 + 60))
        assert part.returncode == 0 and "0 messages: 0 fired" in part.stdout, part
        with open(server.folder + "/data/searches.ledger") as ledger:
            assert [json.loads(line)["action"] for line in ledger].count("rules test") == 5
        assert "there is no logspace" in run(*test[:-3], "nothing", *test[-2:]).stderr
    finally:
        server.close()


SIGMA = """title: Root login
id: 11111111-2222-3333-4444-555555555555
level: high
logsource: {product: linux, service: sshd}
detection:
  words: ['Accepted password for root']
  condition: words
"""


def test_sigma_rules_are_imported_or_refused_with_the_reason(binary):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/sigma/linux")
        for name, text in (("linux/a.yml", SIGMA), ("linux/b.yml", SIGMA.replace("words: [", "words: {'|expand': [").replace("root']", "root']}")),
                           ("c.yaml", SIGMA), ("ignored.txt", "no rule")):
            with open(f"{folder}/sigma/{name}", "w") as out:
                out.write(text)
        imported = run(binary, "rules", "import", folder + "/sigma", "--output", folder + "/rules.yaml")
        said = imported.stderr.splitlines()
        assert imported.returncode == 1 and "1 rules imported, 2 refused" in said, imported
        assert any("linux/b.yml: the modifier expand cannot be expressed" in line for line in said), said
        assert any("linux/a.yml: another rule has the id sigma-11111111-" in line for line in said), said
        checked = run(binary, "rules", "check", folder + "/rules.yaml")
        assert (checked.returncode, checked.stdout) == (0, f"{folder}/rules.yaml: 1 rule, no errors\n"), checked
