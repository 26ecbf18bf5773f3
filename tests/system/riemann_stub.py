"""A stub of Riemann: no server of it can be installed here. It speaks the published definition (proto.proto of riemann-java-client) with Google's
protobuf library, keeps events, and refuses messages with an event whose state is `refused`, as a stream that fails does."""

import os
import socket
import ssl
import struct
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../target/python"))
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

OPTIONAL, REPEATED = 1, 3
DOUBLE, FLOAT, INT64, BOOL, STRING, MESSAGE, SINT64 = 1, 2, 3, 8, 9, 11, 18


def classes():
    file = descriptor_pb2.FileDescriptorProto(name="riemann_stub.proto", package="riemann")

    def message(name, *fields):
        made = file.message_type.add(name=name)
        for number, field, label, kind, *of in fields:
            made.field.add(name=field, number=number, label=label, type=kind, type_name=of[0] if of else None)
    message("Attribute", (1, "key", OPTIONAL, STRING), (2, "value", OPTIONAL, STRING))
    message("Event", (1, "time", OPTIONAL, INT64), (2, "state", OPTIONAL, STRING), (3, "service", OPTIONAL, STRING), (4, "host", OPTIONAL, STRING),
            (5, "description", OPTIONAL, STRING), (7, "tags", REPEATED, STRING), (8, "ttl", OPTIONAL, FLOAT), (9, "attributes", REPEATED, MESSAGE, ".riemann.Attribute"),
            (10, "time_micros", OPTIONAL, INT64), (13, "metric_sint64", OPTIONAL, SINT64), (14, "metric_d", OPTIONAL, DOUBLE), (15, "metric_f", OPTIONAL, FLOAT))
    message("Msg", (2, "ok", OPTIONAL, BOOL), (3, "error", OPTIONAL, STRING), (6, "events", REPEATED, MESSAGE, ".riemann.Event"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("riemann.Msg"))


Msg = classes()


class RiemannStub:
    def __init__(self, certificate=None, port=0):
        self.events, self.refusals, self.peers = [], 0, []
        self.context = None
        if certificate:
            self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.context.load_cert_chain(certificate + "/server.pem", certificate + "/server.key")
        self.start(port)

    def start(self, port):
        self.stream = socket.create_server(("127.0.0.1", port))
        self.port = self.stream.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", self.port))
        for loop in (self.accept, self.receive):
            threading.Thread(target=loop, daemon=True).start()

    def accept(self):
        stream = self.stream
        while True:
            try:
                peer, _ = stream.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def receive(self):
        datagrams = self.datagrams
        while True:
            try:
                self.events += Msg.FromString(datagrams.recv(65536)).events
            except OSError:
                return

    def serve(self, peer):
        try:
            if self.context:
                peer = self.context.wrap_socket(peer, server_side=True)
            self.peers.append(peer)
            with peer, peer.makefile("rb") as reader:
                while True:
                    head = reader.read(4)
                    if len(head) < 4:
                        return
                    message = Msg.FromString(reader.read(struct.unpack(">I", head)[0]))
                    refused = any(event.state == "refused" for event in message.events)
                    self.refusals += refused
                    if not refused:
                        self.events += message.events
                    answer = Msg(ok=not refused, **({"error": "java.lang.ClassCastException"} if refused else {})).SerializeToString()
                    peer.sendall(struct.pack(">I", len(answer)) + answer)
        except OSError:
            pass

    def kill(self):
        """Ends as a process does: its sockets are closed, what it kept stays here."""
        for one in (self.stream, self.datagrams, *self.peers):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.peers.clear()

    close = kill
