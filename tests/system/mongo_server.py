"""A server of MongoDB's protocol for a test (mongo-java-server, for mongod itself cannot be had), in a folder, started and killed at will;
and a relay before it, which changes what passes as a replica set, a login or a bad network would."""

import base64
import glob
import hashlib
import hmac
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from component import Component, compiled
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../target/python"))
import bson
import pymongo

JARS = os.path.join(HERE, "../../target/mongo")


class Mongo(Component):
    def __init__(self, certificate=None, heap="192m"):
        jars = glob.glob(JARS + "/**/*.jar", recursive=True)
        assert jars, "no mongo-java-server: tools/install.sh test"
        self.holder = tempfile.TemporaryDirectory(prefix="mongo-", dir="/tmp")
        self.folder, self.port = self.holder.name, free_port()
        self.certificate, self.heap = certificate, heap
        self.classes = ":".join([compiled(HERE + "/mongo/MongoNode.java", jars), *jars])
        self.start()

    def start(self):
        java = ["java", "-Xms64m", "-Xmx" + self.heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", self.classes, "MongoNode", str(self.port), self.folder + "/data"]
        files = [f"{self.certificate}/server.pem", f"{self.certificate}/server.key"] if self.certificate else []
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen(java + files, stdout=log, stderr=log)
        Server.until(self.answers, 60, f"mongo-java-server to answer: {self.log()}")

    def answers(self):
        self.check_running()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def client(self):
        more = {"tls": True, "tlsCAFile": self.certificate + "/ca.pem"} if self.certificate else {}
        return pymongo.MongoClient(f"mongodb://localhost:{self.port}/?directConnection=true", serverSelectionTimeoutMS=20000, **more)

    def documents(self, collection="messages", database="syslog"):
        with self.client() as client:
            return list(client[database][collection].find())

    def drop_index(self, name, collection="messages", database="syslog"):
        with self.client() as client:
            client[database][collection].drop_index(name)

    def unique(self, field, collection="messages", database="syslog"):
        with self.client() as client:
            client[database][collection].create_index(field, unique=True, sparse=True)


def message(answered, document):
    body = bson.encode(document)
    return struct.pack("<iIIII", 21 + len(body), 1, answered, 2013, 0) + b"\0" + body


class Relay:
    """Passes messages between clients and a server. `on_command` gets each command: a document that it returns is the answer, False
    closes the connection, None passes the command on; `on_answer` gets each command with its answer, and returns what the client gets."""

    def __init__(self, target, on_command=lambda command: None, on_answer=lambda command, answer: answer):
        self.target, self.on_command, self.on_answer = target, on_command, on_answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def close(self):
        self.listener.close()

    def serve(self, peer):
        try:
            with peer, socket.create_connection(("127.0.0.1", self.target.port), timeout=20) as server:
                while True:
                    whole = self.read(peer)
                    command = self.body(whole)
                    answer = self.on_command(command)
                    if answer is False:
                        return
                    if answer is None:
                        server.sendall(whole)
                        answer = self.on_answer(command, self.body(self.read(server)))
                        if answer is False:
                            return
                    peer.sendall(message(struct.unpack_from("<I", whole, 4)[0], answer))
        except OSError:
            pass

    @staticmethod
    def read(peer):
        def exactly(count):
            found = b""
            while len(found) < count:
                part = peer.recv(count - len(found))
                if not part:
                    raise OSError("closed")
                found += part
            return found
        head = exactly(16)
        return head + exactly(struct.unpack_from("<i", head)[0] - 16)

    @staticmethod
    def body(whole):
        size, = struct.unpack_from("<i", whole, 21)
        return bson.decode(whole[21:21 + size])


class Login:
    """The server's half of SCRAM (RFC 5802), for a relay: commands before a login are refused."""

    def __init__(self, user, password, mechanism="SCRAM-SHA-256"):
        self.user, self.mechanism = user, mechanism
        self.name = "sha256" if mechanism == "SCRAM-SHA-256" else "sha1"
        if self.name == "sha1":
            password = hashlib.md5(f"{user}:mongo:{password}".encode()).hexdigest()
        self.salt, self.rounds = os.urandom(16), 4096
        self.salted = hashlib.pbkdf2_hmac(self.name, password.encode(), self.salt, self.rounds)
        self.talks, self.logins = {}, 0

    def __call__(self, command):
        refused = {"ok": 0.0, "code": 18, "codeName": "AuthenticationFailed", "errmsg": "Authentication failed."}
        if "saslStart" in command:
            first = command["payload"].decode().removeprefix("n,,")
            fields = dict(part.split("=", 1) for part in first.split(","))
            if command["mechanism"] != self.mechanism or fields["n"] != self.user:
                return refused
            number = len(self.talks) + 1
            answer = f"r={fields['r']}{base64.b64encode(os.urandom(12)).decode()},s={base64.b64encode(self.salt).decode()},i={self.rounds}"
            self.talks[number] = (first, answer)
            return {"conversationId": number, "done": False, "payload": answer.encode(), "ok": 1.0}
        if "saslContinue" in command:
            first, answer = self.talks[command["conversationId"]]
            bare, proof = command["payload"].decode().rsplit(",p=", 1)
            sign = lambda key, text: hmac.digest(key, text, self.name)
            key = sign(self.salted, b"Client Key")
            dialogue = f"{first},{answer},{bare}".encode()
            expected = bytes(one ^ other for one, other in zip(key, sign(hashlib.new(self.name, key).digest(), dialogue)))
            if base64.b64decode(proof) != expected:
                return refused
            self.logins += 1
            signature = base64.b64encode(sign(sign(self.salted, b"Server Key"), dialogue)).decode()
            return {"conversationId": command["conversationId"], "done": True, "payload": f"v={signature}".encode(), "ok": 1.0}
        return None
