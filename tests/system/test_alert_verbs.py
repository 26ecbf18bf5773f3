"""The verbs about alerts and notifications: `duramen alerts`, `duramen silence`, `duramen channel`."""

import json
import os
import socket
import subprocess

from server import Server, waits
from test_notifications import CONFIG, Receiver


@waits
def test_alerts_silences_and_channels_on_the_command_line(binary):
    receiver = Receiver()
    server = Server(binary, CONFIG)
    rules = server.folder + "/rules"
    os.mkdir(rules)
    with open(rules + "/site.yaml", "w") as out:
        out.write("rules:\n- {id: disk, title: Disk full, kind: match, query: full, by: host, resolve-after: 1h}\n")
    with open(rules + "/notifications.yaml", "w") as out:
        out.write(f"channels:\n- {{id: hook, kind: webhook, url: '{receiver.url()}', addresses: any}}\n"
                  f"- {{id: gone, kind: webhook, url: '{receiver.url('gone')}', addresses: any}}\n"
                  "routes:\n- {id: all, channels: hook, wait: 0s}\n")

    def verb(*words, status=0):
        environment = {**os.environ, "DURAMEN_PASSWORD": server.password}
        done = subprocess.run([binary, *words, "--url", server.base, "--user", "admin"], capture_output=True, text=True, timeout=100, env=environment)
        assert done.returncode == status, done
        return done.stdout if status == 0 else done.stdout + done.stderr

    try:
        server.start()
        assert verb("alerts", "ls") == ""
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(b"<13>Nov 21 12:00:00 gw1 app: disk full\n")
        server.until(lambda: verb("alerts", "ls", "--state", "firing"), 20, "an alert")
        line = verb("alerts", "ls", "--rule", "disk", "--logspace", "main", "-n", "1")
        assert "firing" in line and "Disk full host=gw1" in line, line
        number = line.split()[0].lstrip("#")
        assert verb("alerts", "ls", "--state", "resolved") == ""
        assert f"acknowledged by admin: on it" in verb("alerts", "ack", number, "--note", "on it")
        assert json.loads(verb("alerts", "ls", "--json"))["alerts"][0]["acknowledged_by"] == "admin"
        assert "no alert 999" in verb("alerts", "ack", "999", status=1)
        assert "state: one of" in verb("alerts", "ls", "--state", "loud", status=1)

        made = verb("silence", "add", "rule:disk", "host:gw2", "--for", "30m", "--reason", "exchange")
        assert "rule:disk host:gw2 (admin: exchange)" in made, made
        assert verb("silence", "ls") == made
        assert "no length of time" in verb("silence", "add", "x", "--for", "soon", "--reason", "x", status=1)
        assert "at most 30 days" in verb("silence", "add", "x", "--for", "31d", "--reason", "x", status=1)
        assert "ended" in verb("silence", "end", "1")
        assert "by admin: rule:disk" in verb("silence", "ls")
        assert "silence" in verb("silence", "end", "77", status=1)

        assert verb("channel", "test", "hook").startswith("delivered: 200")
        assert any(json.loads(request["body"])["type"] == "test" for request in receiver.taken())
        receiver.answers = [404]
        assert verb("channel", "test", "gone", status=1).startswith("refused: 404")
        assert "no channel no/ne" in verb("channel", "test", "no/ne", status=1)
    finally:
        server.close()
        receiver.shutdown()
