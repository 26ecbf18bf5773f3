"""Filtered and multiple logspaces, grants and sealing, over the API and the command line."""

import io
import json
import os
import socket
import subprocess
import tarfile
import urllib.error

from server import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIG = """@version: 4.8
options {{ keep-hostname(yes); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
filter f_audit {{ program("audit"); }};
log {{ source(s_net); destination {{ logspace("all"); }}; }};
log {{ source(s_net); filter(f_audit); destination {{ logspace("audit"); }}; }};
logspace firewall {{ filtered("all" "host:fw*"); }};
logspace both {{ multiple("firewall", "audit"); }};
"""


def run(server, *words, user="admin", password=None):
    environment = {**os.environ, "DURAMEN_PASSWORD": password or server.password, "DURAMEN_USER": user,
                   "DURAMEN_URL": f"http://127.0.0.1:{server.http}"}
    return subprocess.run([server.binary, *words], env=environment, capture_output=True, text=True, timeout=60)


def send_hundred(server):
    """A quarter is from the firewall, a quarter from the auditor's program."""
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        for n in range(100):
            host, program = ("fw1", "kernel") if n % 4 == 0 else ("web1", "audit" if n % 4 == 1 else "app")
            peer.sendall(f"<13>Nov 21 12:00:00 {host} {program}: word{host} number {n}\n".encode())


def test_boundaries_and_grants(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        send_hundred(server)
        total = lambda name, query="": server.search(query, logspace=name)["total"]
        server.until(lambda: total("all") == 100 and total("audit") == 25, 30, "the messages")
        assert (total("firewall"), total("both"), total("firewall", "NOT wordfw1")) == (25, 50, 0)
        data = server.folder + "/data"
        made = run(server, "user", "--data", data, "add", "eva", "--generate").stdout.strip()
        ask = lambda *words: run(server, *words, user="eva", password=made)
        refused = ask("search", "--count", "--logspace", "firewall")
        assert refused.returncode == 1 and "there is no logspace" in refused.stderr, refused
        for words in (["grant", "eva", "firewall", "search"], ["grant", "eva", "both", "search", "export"]):
            assert run(server, "user", "--data", data, *words).returncode == 0
        found = ask("search", "--count", "--logspace", "firewall")
        assert (found.returncode, found.stdout) == (0, "25\n"), found
        assert "web1" not in ask("search", "-n", "100", "--logspace", "firewall").stdout
        assert "there is no logspace" in ask("search", "--count", "--logspace", "all").stderr
        assert "may not export" in ask("export", "--logspace", "firewall").stderr
        rows = [json.loads(line) for line in ask("export", "--logspace", "both").stdout.splitlines()]
        assert len(rows) == 50 and {row["logspace"] for row in rows} == {"firewall", "audit"}, rows[:2]
        assert sorted(rows, key=lambda row: -row["received_us"]) == rows
        listed = run(server, "user", "--data", data, "grants", "eva").stdout
        assert listed == "eva\tfirewall\tsearch\neva\tboth\tsearch,export\n", listed
        sealed = run(server, "logspace", "seal", "all", "--control", server.folder + "/ctl")
        assert sealed.stdout == "everything below message 100 is sealed\n", sealed
        assert total("firewall") == 25 and os.path.exists(data + "/rows.key")
        with open(data + "/searches.ledger") as lines:
            actions = [json.loads(line)["action"] for line in lines]
        assert actions.count("grant") == 2, actions
    finally:
        server.close()


def test_damage_is_reported_and_the_rest_is_answered(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        for part in range(2):
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                for n in range(2000):
                    peer.sendall(f"<13>Nov 21 12:00:00 fw{part} app: part{part} number {n}\n".encode())
            server.until(lambda: server.search("", logspace="all")["total"] == 2000 * (part + 1), 30, "the messages")
            assert run(server, "logspace", "seal", "all", "--control", server.folder + "/ctl").returncode == 0
        server.stop()
        folder = server.folder + "/data/logspaces/all"
        files = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names
                       if name.endswith(".ds"))
        assert len(files) == 2, files
        with open(files[0], "r+b") as segment:
            # The middle of the file: blocks of messages.
            segment.seek(os.path.getsize(files[0]) // 3)
            hurt = bytes(byte ^ 0xFF for byte in segment.read(64))
            segment.seek(-64, os.SEEK_CUR)
            segment.write(hurt)
        server.start()
        found = run(server, "search", "--logspace", "all", "number | stats count()")
        assert found.returncode in (0, 3) and found.stdout, found
        export = run(server, "export", "--logspace", "all", "--as", "raw")
        assert export.stdout.count("part1") == 2000, export.stderr
        if export.stdout.count("part0") < 2000:
            assert export.returncode == 3 and "not read" in export.stderr, export.stderr
        hidden = run(server, "export", "--logspace", "firewall", "--as", "raw")
        assert hidden.stdout.count("part1") == 2000 and ".ds" not in hidden.stderr, hidden.stderr
    finally:
        server.close()


def test_evidence_of_filtered_and_multiple_logspaces(binary):
    server = Server(binary, CONFIG)
    try:
        server.start()
        send_hundred(server)
        server.until(lambda: server.search("", logspace="both")["total"] == 50, 30, "the messages")
        for name in ("all", "audit"):
            assert run(server, "logspace", "seal", name, "--control", server.folder + "/ctl").returncode == 0
        export = lambda name, *more: run(
            server, "logspace", "export", name, "--data", server.folder + "/data", "-o", f"{server.folder}/{name}.case", *more)
        refused = export("firewall")
        assert refused.returncode == 2 and "--config" in refused.stderr, refused
        for name, count in (("firewall", 25), ("both", 50)):
            done = export(name, "--config", server.config)
            assert done.returncode == 0 and f"{count} messages" in done.stdout, done
            verified = run(server, "verify-package", f"{server.folder}/{name}.case")
            assert verified.returncode == 0 and "filter lets see: (host:fw*)" in verified.stdout, verified
        with open(server.folder + "/firewall.case/messages.raw") as raw:
            assert "web1" not in raw.read()
        command = ["node", "e2e/package.mjs", server.folder + "/firewall.case", server.folder + "/both.case"]
        done = subprocess.run(command, cwd=ROOT + "/ui", capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        for line in map(json.loads, done.stdout.splitlines()):
            assert line["verdict"] == "The package is whole and unchanged." and line["requests"] == [], line
            assert any("filter lets see: (host:fw*)" in step["text"] for step in line["steps"]), line
        for name, count in (("firewall", 25), ("both", 50)):
            made = server.call("package", {"logspace": name, "query": "number"})
            assert made["messages"] == count, made
            with server.opener.open(f"http://127.0.0.1:{server.http}/api/v1/package?id={made['id']}", timeout=10) as answer:
                with tarfile.open(fileobj=io.BytesIO(answer.read())) as archive:
                    archive.extractall(server.folder, filter="data")
            verified = run(server, "verify-package", f"{server.folder}/{made['name']}")
            assert verified.returncode == 0 and f"{count} messages" in verified.stdout, verified
        assert len(os.listdir(server.folder + "/data/scratch")) == 2
        os.remove(server.folder + "/both.case/audit/chain")
        assert run(server, "verify-package", server.folder + "/both.case").returncode != 0
        with open(server.folder + "/data/searches.ledger") as ledger:
            assert ledger.read().count('"firewall"') == 4
    finally:
        server.close()
