"""A server of OpenTelemetry's logs and of Loki's pushes for a test, by Python's own gRPC: a process that writes what it takes into a file, and
that is killed at will. It refuses what a test tells it to refuse.

Run as a program it is that process: PORT FOLDER [CERTIFICATE KEY]."""

import json
import os
import subprocess
import sys
import tempfile
import time

if __name__ != "__main__":
    from component import Component
    from server import Server, free_port


def otlp_method():
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as service

    return "opentelemetry.proto.collector.logs.v1.LogsService", "Export", service.ExportLogsServiceRequest, service.ExportLogsServiceResponse


def loki_method():
    """Loki's pushes, described here: no package has them."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="push.proto", package="logproto", syntax="proto3", dependency=[timestamp_pb2.DESCRIPTOR.name])

    def message(name, *fields):
        one = file.message_type.add(name=name)
        for number, (field, label, what) in enumerate(fields, 1):
            added = one.field.add(name=field, number=number, label=label, type=what if isinstance(what, int) else kind.TYPE_MESSAGE)
            if not isinstance(what, int):
                added.type_name = what

    message("EntryAdapter", ("timestamp", kind.LABEL_OPTIONAL, ".google.protobuf.Timestamp"), ("line", kind.LABEL_OPTIONAL, kind.TYPE_STRING))
    message("StreamAdapter", ("labels", kind.LABEL_OPTIONAL, kind.TYPE_STRING), ("entries", kind.LABEL_REPEATED, ".logproto.EntryAdapter"))
    message("PushRequest", ("streams", kind.LABEL_REPEATED, ".logproto.StreamAdapter"))
    message("PushResponse")
    pool = descriptor_pool.Default()
    pool.Add(file)
    of = lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName("logproto." + name))
    return "logproto.Pusher", "Push", of("PushRequest"), of("PushResponse")


class Sink:
    """What the process does with a request."""

    def __init__(self, folder):
        self.folder = folder
        self.out = open(folder + "/taken", "a")
        self.requests = open(folder + "/requests", "a")

    def rule(self):
        """`{"status": "UNAVAILABLE"}`, `{"bad": "text", "how": "status" or "partial"}`, or nothing."""
        try:
            with open(self.folder + "/rule") as text:
                return json.load(text)
        except FileNotFoundError:
            return {}

    def take(self, context, texts, partial):
        import grpc

        rule = self.rule()
        metadata = dict(context.invocation_metadata())
        self.requests.write(json.dumps({"count": len(texts), "token": metadata.get("x-token"), "tenant": metadata.get("x-scope-orgid")}) + "\n")
        self.requests.flush()
        if "status" in rule:
            context.abort(getattr(grpc.StatusCode, rule["status"]), "as the test says")
        bad = [text for text in texts if rule.get("bad") and rule["bad"] in text]
        if bad and rule["how"] == "status":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "one of them is bad")
        for text in texts:
            if text not in bad:
                self.out.write(text + "\n")
        self.out.flush()
        return partial(len(bad)) if bad else None

    def export(self, request, context):
        from google.protobuf.json_format import MessageToDict

        texts = []
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    shown = {"record": MessageToDict(record), "resource": MessageToDict(resource.resource), "scope": MessageToDict(scope.scope)}
                    texts.append(json.dumps(shown, sort_keys=True))
        answer = otlp_method()[3]

        def partial(count):
            one = answer()
            one.partial_success.rejected_log_records = count
            one.partial_success.error_message = "not these"
            return one

        return self.take(context, texts, partial) or answer()

    def push(self, request, context):
        texts = [json.dumps({"labels": stream.labels, "line": entry.line, "time": entry.timestamp.ToNanoseconds()}) for stream in request.streams for entry in stream.entries]
        return self.take(context, texts, None) or loki_method_once[3]()


loki_method_once = None


def main(port, folder, *papers):
    global loki_method_once
    from concurrent import futures

    import grpc

    loki_method_once = loki_method()
    sink = Sink(folder)
    server = grpc.server(futures.ThreadPoolExecutor(1))
    for (service, method, request, answer), behaviour in ((otlp_method(), sink.export), (loki_method_once, sink.push)):
        handler = grpc.unary_unary_rpc_method_handler(behaviour, request.FromString, answer.SerializeToString)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    if papers:
        certificate, key = (open(path, "rb").read() for path in papers)
        server.add_secure_port(f"127.0.0.1:{port}", grpc.ssl_server_credentials([(key, certificate)]))
    else:
        server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    open(folder + "/ready", "w").close()
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(*sys.argv[1:])
else:

    class GrpcSink(Component):
        def __init__(self, papers=()):
            self.holder = tempfile.TemporaryDirectory(prefix="grpc-", dir="/tmp")
            self.folder, self.port, self.papers = self.holder.name, free_port(), papers
            self.start()

        def start(self):
            if os.path.exists(self.folder + "/ready"):
                os.remove(self.folder + "/ready")
            log = open(self.folder + "/log", "ab")
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            self.process = subprocess.Popen([sys.executable, __file__, str(self.port), self.folder, *self.papers], stdout=log, stderr=log, env=environment)
            Server.until(self.answers, 30, "the gRPC server to answer")

        def answers(self):
            self.check_running()
            return os.path.exists(self.folder + "/ready")

        def rule(self, **rule):
            """Says what becomes of requests from now on."""
            with open(self.folder + "/rule.new", "w") as out:
                json.dump(rule, out)
            os.rename(self.folder + "/rule.new", self.folder + "/rule")

        def lines(self, name):
            try:
                with open(f"{self.folder}/{name}") as text:
                    # A kill may cut the last line.
                    return [json.loads(line) for line in text if line.endswith("\n")]
            except FileNotFoundError:
                return []

        def taken(self):
            return self.lines("taken")

        def requests(self):
            return self.lines("requests")
