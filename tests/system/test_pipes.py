"""Pipes and exports over the API and the command line."""

import csv
import io
import json
import os
import socket
import subprocess
import urllib.error
import urllib.parse

from server import CONFIG, Server


def filled(binary, count=20000):
    server = Server(binary, CONFIG.replace(" internal();", ""))
    server.start()
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        for start in range(0, count, 1000):
            lines = [f"<{13 + n % 3}>Nov 21 12:00:00 host{n % 4} app: user=u{n % 7} took {n % 100} ms number{n}\n"
                     for n in range(start, start + 1000)]
            peer.sendall("".join(lines).encode())
    server.found("took", count, within=10)
    return server


def run(server, *words):
    environment = {**os.environ, "DURAMEN_PASSWORD": server.password, "DURAMEN_URL": f"http://127.0.0.1:{server.http}"}
    return subprocess.run([server.binary, *words], env=environment, capture_output=True, text=True, timeout=60)


def test_pipes_make_tables(binary):
    server = filled(binary)
    try:
        answer = server.search("took | stats count(), max(ms) by host",)
        assert answer["total"] == 20000 and answer["rows"] == [], answer
        table = answer["table"]
        assert table["columns"] == ["host", "count", "max(ms)"] and len(table["rows"]) == 4, table
        assert [row[1] for row in table["rows"]] == [5000] * 4, table
        answer = server.search('took | rex "took (?<ms>[0-9]+)" | stats max(ms), p50(ms) by host')
        assert [row[1] for row in answer["table"]["rows"]] == [96, 97, 98, 99], answer["table"]
        rows = server.search("took | kv | where user:u3 | head 5")["rows"]
        assert len(rows) == 5 and all(row["values"]["user"] == "u3" for row in rows), rows
        patterns = server.search("took | patterns")["table"]["rows"]
        assert patterns[0][0] == "user=<*> took <*> ms <*>" and patterns[0][1] == 20000, patterns
        try:
            server.search("took | stats count() by host | sort nothing")
            raise AssertionError("a column that is not there was taken")
        except urllib.error.HTTPError as error:
            body = json.load(error)["error"]
            assert body["position"] == 36 and "no column nothing" in body["message"], body
    finally:
        server.close()


def test_exports_of_any_size(binary):
    server = filled(binary)
    try:
        ask = lambda **what: server.text("/api/v1/export?" + urllib.parse.urlencode(what))
        rows = [json.loads(line) for line in ask(query="took").splitlines()]
        assert len(rows) == 20000 and rows[0]["sequence"] > rows[-1]["sequence"], len(rows)
        raw = ask(query="took host:host2", format="raw").splitlines()
        assert len(raw) == 5000 and all(line.startswith("<") for line in raw), raw[:2]
        table = list(csv.reader(io.StringIO(ask(query="took | fields host, message | head 3", format="csv"))))
        assert table[0] == ["host", "message"] and len(table) == 4, table
        shown = run(server, "search", "took | top 2 host")
        assert shown.returncode == 0 and shown.stdout.splitlines()[0].split() == ["host", "count", "percent"], shown
        assert shown.stdout.splitlines()[1].split()[1:] == ["5000", "25.0"], shown
        file = server.folder + "/all.csv"
        done = run(server, "export", "took", "--as", "csv", "-o", file)
        with open(file, newline="") as text:
            assert done.returncode == 0 and sum(1 for _ in csv.reader(text)) == 20001, done
        refused = run(server, "export", "took | frobnicate")
        assert refused.returncode == 1 and "there is no command frobnicate" in refused.stderr, refused
    finally:
        server.close()
