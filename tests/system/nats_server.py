"""A NATS server with JetStream for a test: in a folder, on a loopback port, started and killed at will; tests use its plain protocol."""

import base64
import hashlib
import json
import os
import socket
import subprocess
import tempfile
import threading

from component import Component
from server import Server, free_port

# A Python package contains the program.
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../target/python/bin/nats-server")
PROGRAM = PACKAGED if os.path.exists(PACKAGED) else "nats-server"


class Nats(Component):
    def __init__(self, options="", login=None):
        self.holder = tempfile.TemporaryDirectory(prefix="nats-", dir="/tmp")
        self.folder = self.holder.name
        self.port = free_port()
        self.login = login or {}
        self.process = None
        with open(self.folder + "/conf", "w") as out:
            out.write(f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{self.folder}/js" }}\n{options}\n')
        self.start()

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen([PROGRAM, "-c", self.folder + "/conf"], stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 20, "NATS to answer")

    def answers(self):
        self.check_running()
        try:
            return "error" not in self.ask("$JS.API.INFO")
        except (OSError, ValueError, IndexError):
            return False

    def ask(self, *subjects_and_bodies):
        """The answer to one or several requests of (subject, body)."""
        single = not isinstance(subjects_and_bodies[0], tuple)
        requests = [(subjects_and_bodies[0], *subjects_and_bodies[1:])] if single else subjects_and_bodies
        answers = []
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer, peer.makefile("rb") as lines:
            lines.readline()
            peer.sendall(b"CONNECT " + json.dumps({"verbose": False, "headers": True, "no_responders": True, **self.login}).encode() + b"\r\nSUB in.* 1\r\n")
            for number, (subject, *body) in enumerate(requests):
                text = (body[0] if body else "").encode()
                peer.sendall(f"PUB {subject} in.{number} {len(text)}\r\n".encode() + text + b"\r\n")
                while True:
                    line = lines.readline()
                    if line.startswith(b"PING"):
                        peer.sendall(b"PONG\r\n")
                    elif line.startswith((b"MSG", b"HMSG")):
                        text = lines.read(int(line.split()[-1]) + 2)
                        answers.append(json.loads(text) if line.startswith(b"MSG") else {"error": text.decode()})
                        break
                    elif not line or line.startswith(b"-ERR"):
                        raise ValueError(line)
        return answers[0] if single else answers

    def stream(self, name, subjects, **more):
        made = self.ask(f"$JS.API.STREAM.CREATE.{name}", json.dumps({"name": name, "subjects": subjects, "storage": "file", **more}))
        assert "error" not in made, made

    def publish(self, subject, texts, headers=""):
        """Publishes texts, and waits until a stream has stored them; one of the same text is stored once."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer, peer.makefile("rb") as lines:
            lines.readline()
            out = [b"CONNECT " + json.dumps({"verbose": False, "headers": True, **self.login}).encode() + b"\r\nSUB in 1\r\n"]
            for text in texts:
                text = text if isinstance(text, bytes) else text.encode()
                head = f"NATS/1.0\r\nNats-Msg-Id: {hashlib.sha1(text).hexdigest()}\r\n{headers}\r\n".encode()
                out.append(f"HPUB {subject} in {len(head)} {len(head) + len(text)}\r\n".encode() + head + text + b"\r\n")
            sender = threading.Thread(target=peer.sendall, args=(b"".join(out),))
            sender.start()
            answers = 0
            while answers < len(texts):
                line = lines.readline()
                if line.startswith(b"PING"):
                    peer.sendall(b"PONG\r\n")
                elif line.startswith(b"MSG"):
                    answer = json.loads(lines.read(int(line.split()[-1]) + 2))
                    assert "error" not in answer, answer
                    answers += 1
                else:
                    raise ValueError(line)
            sender.join()

    def consumer(self, stream, name="duramen", **config):
        made = self.ask(f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{name}", json.dumps({"stream_name": stream, "config": {"durable_name": name, "ack_policy": "explicit", **config}}))
        assert "error" not in made, made

    def consumed(self, stream, name="duramen"):
        """What the server knows of a consumer."""
        return self.ask(f"$JS.API.CONSUMER.INFO.{stream}.{name}")

    def stored(self, name):
        """How many messages a stream has."""
        return self.ask(f"$JS.API.STREAM.INFO.{name}")["state"]["messages"]

    def texts(self, name):
        found = self.ask(*[(f"$JS.API.STREAM.MSG.GET.{name}", json.dumps({"seq": seq})) for seq in range(1, self.stored(name) + 1)])
        return [base64.b64decode(answer["message"].get("data", "")).decode() for answer in found]
