"""kubernetes() with the metadata of pods, from an API server of these tests: it is built from Kubernetes' documentation and speaks lists in
pages, watches, bookmarks, 410 Gone and tokens, over TLS; and it can be slow, silent, hostile or down."""

import http.server
import json
import os
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

from broker_source import lines
from destination import check_refusals
from server import Server, free_port, waits
from test_containers import ID, UUID, Node, cri, write
from test_tls import pki

FIELDS = "$PROGRAM|${{.k8s.pod_uuid}}|${{.k8s.labels.app}}|${{.k8s.annotations.team/owner}}|${{.k8s.container_image}}|${{.k8s.container_hash}}|${{.k8s.docker_id}}|$MSG"
CONFIG = """@version: 4.8
@include "scl.conf"
options {{ use-dns(no); stats(level(1)); }};
source s_pods {{
    kubernetes(base-dir("{folder}/%s") follow-freq(0.1) api-server("https://localhost:%d") node-name("node-1")
        token-file("{folder}/token") ca-file("{folder}/pki/ca.pem") time-reopen(1) %s);
}};
destination d_file {{ file("{folder}/out" template("%s\\n")); }};
log {{ source(s_pods); destination(d_file); flags(flow-control); }};
"""


def pod(name, app, *, uid=UUID, container_id=ID, team="blue", image="docker.io/shop:1"):
    status = {"name": "shop", "image": image, "imageID": "docker-pullable://docker.io/shop@sha256:00", "containerID": "containerd://" + container_id}
    return {"metadata": {"namespace": "default", "name": name, "uid": uid, "labels": {"app": app}, "annotations": {"team/owner": team}},
            "spec": {"nodeName": "node-1", "containers": [{"name": "shop", "image": "shop:1"}]}, "status": {"containerStatuses": [status]}}


class ApiServer:
    """Pods of one node, and their changes."""

    def __init__(self, folder, token="first-of-account"):
        self.folder, self.port, self.token = folder, free_port(), token
        self.pods, self.version, self.oldest = {}, 100, 0
        self.events, self.asked, self.changed = [], [], threading.Condition()
        # What goes wrong: `status`, `hang`, `body`.
        self.trouble, self.httpd = {}, None
        pki(folder + "/pki")
        self.show(token)

    def show(self, token):
        """Replaces the token of the service account, as the kubelet does."""
        with open(self.folder + "/token.new", "w") as out:
            out.write(token + "\n")
        os.rename(self.folder + "/token.new", self.folder + "/token")

    def start(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                api.answer(self)

            def log_message(self, *_):
                pass

        class Httpd(http.server.ThreadingHTTPServer):
            daemon_threads, allow_reuse_address = True, True

            def handle_error(self, *_):
                pass

        self.httpd = Httpd(("127.0.0.1", self.port), Handler)
        folder_of_keys = self.folder + "/pki"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder_of_keys + "/server.pem", folder_of_keys + "/server.key")
        self.httpd.socket = context.wrap_socket(self.httpd.socket, server_side=True, do_handshake_on_connect=False)
        self.stopped = False
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        """Breaks all connections, and listens no more."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()
        self.httpd.shutdown()
        self.httpd.server_close()

    def change(self, kind, one):
        with self.changed:
            self.version += 1
            one["metadata"]["resourceVersion"] = str(self.version)
            if kind == "DELETED":
                self.pods.pop(one["metadata"]["name"], None)
            elif kind != "BOOKMARK":
                self.pods[one["metadata"]["name"]] = one
            self.events.append((self.version, {"type": kind, "object": one}))
            self.changed.notify_all()

    def answer(self, request):
        parts = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        self.asked.append((query, request.headers["Authorization"]))
        while self.trouble.get("hang"):
            time.sleep(0.05)
            if self.stopped:
                request.connection.shutdown(socket.SHUT_RDWR)
                return
        if self.trouble.get("status"):
            return self.send(request, self.trouble["status"], {"kind": "Status", "message": "trouble"})
        if request.headers["Authorization"] != "Bearer " + self.token:
            return self.send(request, 401, {"kind": "Status", "message": "Unauthorized"})
        assert (parts.path, query["fieldSelector"]) == ("/api/v1/pods", "spec.nodeName=node-1"), request.path
        if "watch" in query:
            return self.watch(request, int(query["resourceVersion"]))
        return self.list(request, query)

    def list(self, request, query):
        if "body" in self.trouble:
            return self.raw(request, self.trouble["body"])
        with self.changed:
            names, first, limit = sorted(self.pods), int(query.get("continue", 0)), int(query["limit"])
            rest = {"continue": str(first + limit)} if len(names) > first + limit else {}
            items = [self.pods[name] for name in names[first:first + limit]]
            document = {"kind": "PodList", "metadata": {"resourceVersion": str(self.version), **rest}, "items": items}
        self.send(request, 200, document)

    def watch(self, request, version):
        if version < self.oldest:
            # Both ways in which a version may be gone: at once, or as the first event.
            if self.oldest % 2:
                return self.send(request, 410, {"kind": "Status", "code": 410, "message": "too old"})
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        def chunk(event):
            text = (json.dumps(event) if isinstance(event, dict) else event).encode() + b"\n"
            # Divided anywhere.
            for part in (text[:7], text[7:]):
                request.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                request.wfile.flush()
        if version < self.oldest:
            return chunk({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}})
        done = version
        while not self.stopped:
            with self.changed:
                self.changed.wait(0.1)
                new = [(at, event) for at, event in self.events if at > done]
                broken = self.trouble.pop("break", False)
            for at, event in new:
                chunk(event)
                done = at
            if broken:
                break
        request.close_connection = True
        if self.stopped:
            request.connection.shutdown(socket.SHUT_RDWR)
        else:
            request.wfile.write(b"0\r\n\r\n")

    def send(self, request, status, document):
        body = json.dumps(document).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def raw(self, request, pieces):
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        for piece in pieces:
            request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        request.wfile.write(b"0\r\n\r\n")


class Cluster:
    """A node with a server, and the API server."""

    def __init__(self, binary, more="", base="containers"):
        self.server = Server(binary)
        self.api = ApiServer(self.server.folder)
        self.node = Node(self.server.folder)
        self.configure(more, base)

    def configure(self, more, base="containers"):
        self.server.write_config(CONFIG % (base, self.api.port, more, FIELDS))

    def has(self, want, within=20):
        row = lambda line: line.split("|")
        server = self.server
        server.until(lambda: any(line.endswith("|" + want[-1]) for line in lines(server)), within, f"{want}, not {lines(server)[-3:]} {server.stderr()}")
        found = next(row(line) for line in lines(server) if line.endswith("|" + want[-1]))
        assert found == list(want), (found, want)

    def figures(self):
        rows = [row.split(";") for row in self.server.ctl("stats").splitlines() if row.startswith("lookup;")]
        return {row[4]: int(row[5]) for row in rows}

    def close(self):
        self.server.close()
        if self.api.httpd and not self.api.stopped:
            self.api.stop()


def known(app, text, *, uid=UUID, team="blue", image="docker.io/shop:1", container_id=ID):
    return ("shop", uid, app, team, image, "docker.io/shop@sha256:00", container_id, text)


UNKNOWN = ("shop", "", "", "", "", "", "")


@waits
def test_pods_are_listed_and_watched(binary):
    cluster = Cluster(binary)
    api, node, server = cluster.api, cluster.node, cluster.server
    try:
        # More than a page.
        for number in range(25):
            api.change("ADDED", pod(f"other-{number}", "other", uid=f"uid-{number}", container_id=f"{number:064d}"))
        api.change("ADDED", pod("web-1", "web"))
        api.start()
        log = node.container()
        write(log, cri("one"))
        server.start(logs_in=False)
        cluster.has(known("web", "one"))
        assert [query.get("continue") for query, _ in api.asked[:3]] == [None, "10", "20"], api.asked
        # Labels that change, and a pod that comes while it is watched; a bookmark moves the version.
        api.change("MODIFIED", pod("web-1", "web2", team="red"))
        api.change("ADDED", pod("new-1", "new", uid="new", container_id="f" * 64))
        api.change("BOOKMARK", {"kind": "Pod", "metadata": {}})
        server.until(lambda: cluster.figures().get("answered", 0) >= 28, 30, f"the events {cluster.figures()}")
        write(log, cri("two"))
        cluster.has(known("web2", "two", team="red"))
        # The watch ends: it goes on behind the bookmark, without another list.
        before = len(api.asked)
        api.trouble["break"] = True
        server.until(lambda: len(api.asked) > before, 30, "another watch")
        assert api.asked[before][0]["resourceVersion"] == str(api.version), api.asked[before]
        # The pod is deleted and comes again: what is left of the old file has the old metadata.
        api.change("DELETED", pod("web-1", "web2", team="red"))
        api.change("ADDED", pod("web-1", "web3", uid="second", container_id="e" * 64))
        server.until(lambda: cluster.figures().get("answered", 0) >= 29, 30, f"the events {cluster.figures()}")
        write(log, cri("the last of the old one"))
        cluster.has(known("web2", "the last of the old one", team="red"))
        os.symlink(log.replace("0.log", "1.log"), f"{node.links}/web-1_default_shop-{'e' * 64}.log")
        write(log.replace("0.log", "1.log"), cri("the first of the new one"))
        cluster.has(known("web3", "the first of the new one", uid="second", container_id="e" * 64))
        figures = cluster.figures()
        assert (figures["found"], figures["missing"], figures["failed"], figures["paused"]) == (4, 0, 0, 0), figures
        assert 0 < figures["memory_usage"] < 1 << 20, figures
    finally:
        cluster.close()


@waits
def test_versions_that_are_gone_and_tokens_that_are_replaced(binary):
    cluster = Cluster(binary)
    api, server = cluster.api, cluster.server
    try:
        api.change("ADDED", pod("web-1", "web"))
        api.start()
        log = cluster.node.container()
        write(log, cri("one"))
        server.start(logs_in=False)
        cluster.has(known("web", "one"))
        for number, oldest in enumerate((api.version + 1001, api.version + 2002)):
            # What happens meanwhile is only in another list.
            with api.changed:
                api.oldest, api.version = oldest, oldest + 1
                api.pods["web-1"] = pod("web-1", f"later{number}")
            before = len(api.asked)
            api.trouble["break"] = True
            listed = lambda: any("watch" not in query for query, _ in api.asked[before:])
            server.until(listed, 30, f"another list {api.asked[before:]}")
            server.until(lambda: "watch" in api.asked[-1][0], 30, "another watch")
            write(log, cri(f"after {number}"))
            cluster.has(known(f"later{number}", f"after {number}"))
        # The old token is refused; the file has the new one a moment later.
        api.token, before = "second-of-account", len(api.asked)
        api.trouble["break"] = True
        server.until(lambda: (*api.asked[before:], (0, ""))[0][1] == "Bearer first-of-account", 30, "the old token")
        api.show("second-of-account")
        server.until(lambda: api.asked[-1][1] == "Bearer second-of-account", 30, f"the new token {api.asked[-2:]}")
        server.until(lambda: cluster.figures().get("unanswered", 0) >= 1, 30, "the refusal is counted")
        server.until(lambda: "watch" in api.asked[-1][0], 30, "a watch with the new token")
        answered = cluster.figures()["answered"]
        api.change("MODIFIED", pod("web-1", "once more"))
        server.until(lambda: cluster.figures()["answered"] > answered, 30, "the event")
        write(log, cri("again"))
        cluster.has(known("once more", "again"))
        assert "of-account" not in server.stderr(), "tokens stay out of the log"
    finally:
        cluster.close()


@waits
def test_messages_pass_while_the_api_server_does_not_answer(binary):
    """Down, silent, and with answers that are refused: each line is there, in time, and counted."""
    cluster = Cluster(binary, "metadata-timeout(0.5)")
    api, server = cluster.api, cluster.server
    try:
        log = cluster.node.container()
        write(log, cri("down"))
        server.start(logs_in=False)
        cluster.has((*UNKNOWN, "down"), 10)
        server.until(lambda: cluster.figures()["paused"] == 1, 20, f"the server is left alone {cluster.figures()}")
        assert "Connection refused" in server.stderr(), server.stderr()
        # Nobody waits while it fails.
        start = time.monotonic()
        for number in range(10):
            write(log, cri(f"fast {number}"))
            cluster.has((*UNKNOWN, f"fast {number}"), 10)
        assert time.monotonic() - start < 6, time.monotonic() - start
        for trouble, words in (({"status": 403}, "answered 403: trouble"), ({"body": [b"no json"]}, "no JSON"),
                               ({"body": [b"x" * (1 << 20)] * 17}, "too long"), ({"body": [b"[" * 100000]}, "no JSON")):
            api.trouble = trouble
            api.start()
            text = f"with {words}"
            write(log, cri(text))
            cluster.has((*UNKNOWN, text), 10)
            api.stop()
        # It works: the next lines have everything, without a restart.
        api.trouble = {}
        api.change("ADDED", pod("web-1", "web"))
        api.start()
        server.until(lambda: cluster.figures()["paused"] == 0, 20, f"it works {cluster.figures()}")
        write(log, cri("up"))
        cluster.has(known("web", "up"))
        # It goes away: what is known is used.
        api.stop()
        write(log, cri("down again"))
        cluster.has(known("web", "down again"))
        figures = cluster.figures()
        assert figures["failed"] >= 15 and figures["found"] == 2 and len(lines(server)) == figures["failed"] + figures["found"] + figures["missing"], figures
    finally:
        cluster.close()


@waits
def test_a_silent_api_server_and_pods_that_never_come(binary):
    cluster = Cluster(binary, "metadata-timeout(0.5)")
    api, server = cluster.api, cluster.server
    try:
        api.trouble["hang"] = True
        api.start()
        logs = [cluster.node.container(f"web-{number}") for number in range(20)]
        for log in logs:
            write(log, cri("silent"))
        start = time.monotonic()
        server.start(logs_in=False)
        server.until(lambda: len(lines(server)) == 20, 20, f"all lines {len(lines(server))}")
        # One waits, the others do not wait as well.
        assert time.monotonic() - start < 12, time.monotonic() - start
        api.stop()
        api.trouble.clear()
        api.start()
        server.until(lambda: any("watch" in query for query, _ in api.asked), 30, f"a watch {api.asked[-2:]}")
        for log in logs:
            write(log, cri("not there"))
        server.until(lambda: len(lines(server)) == 40, 20, "all lines")
        assert cluster.figures()["missing"] >= 1, cluster.figures()
    finally:
        cluster.close()


@waits
def test_pods_beyond_the_cache_and_hostile_ones(binary):
    cluster = Cluster(binary, "cache-bytes(65536) metadata-timeout(10)", "pods")
    api, server = cluster.api, cluster.server
    try:
        big = pod("a-big", "big", uid="big")
        big["metadata"]["annotations"] = {f"n{number}": "x" * 1000 for number in range(200)}
        odd = pod("odd", "odd", uid="odd")
        odd["metadata"]["labels"] = {"app": 7, "": "empty", "l" * 400: "long", "bad\nname": "x", "fine": "yes"}
        odd["status"] = {"containerStatuses": "no list"}
        api.pods = {"a-big": big, "odd": odd, "none": {"metadata": {"uid": 3}}, "web-1": pod("web-1", "web")}
        api.start()
        log = cluster.node.container()
        write(log, cri("one"))
        server.start(logs_in=False)
        # The path has the UUID; what the container is called comes from the status.
        cluster.has(known("web", "one"))
        server.until(lambda: "do not fit into the cache" in server.stderr(), 30, server.stderr())
        assert cluster.figures()["refused"] == 1 and cluster.figures()["memory_usage"] <= 65536, cluster.figures()
        # An event without an end.
        api.events.append((api.version + 1, {"type": "ADDED", "object": {"x": "y" * (5 << 20)}}))
        server.until(lambda: cluster.figures()["unanswered"] >= 1, 20, f"{cluster.figures()} {server.stderr()}")
        write(log, cri("two"))
        cluster.has(known("web", "two"))
    finally:
        cluster.close()


@waits
def test_a_pod_finds_the_api_server_in_its_environment(binary):
    cluster = Cluster(binary)
    api, server = cluster.api, cluster.server
    variables = {"KUBERNETES_SERVICE_HOST": "localhost", "KUBERNETES_SERVICE_PORT": str(api.port), "NODE_NAME": "node-1"}

    def start_with(variables, config):
        spawned = lambda command: subprocess.Popen(command, env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=server.log, stderr=server.log)
        server.spawn = spawned
        server.write_config(config)
        server.start(logs_in=False)

    try:
        api.change("ADDED", pod("web-1", "web"))
        api.start()
        log = cluster.node.container()
        head, tail = CONFIG.split("api-server", 1)
        own = head % "containers" + 'token-file("{folder}/token") ca-file("{folder}/pki/ca.pem"));' + tail[tail.index("\n}};"):] % FIELDS
        write(log, cri("one"))
        start_with(variables, own)
        cluster.has(known("web", "one"))
        # What is watched continues over a reload; a change of the options begins again.
        lists = lambda: sum("watch" not in query for query, _ in api.asked)
        before = lists()
        server.ctl("reload")
        write(log, cri("two"))
        cluster.has(known("web", "two"))
        assert lists() == before, api.asked
        server.write_config(own.replace("token-file", "cache-bytes(1000000) token-file"))
        server.ctl("reload")
        server.until(lambda: lists() > before, 30, "another list")
        write(log, cri("three"))
        cluster.has(known("web", "three"))
        server.stop()
        # Nobody is asked without the name of the node, and with use-api(no).
        for number, (less, config) in enumerate((("NODE_NAME", own), ("", own.replace("token-file", "use-api(no) token-file")))):
            asked = len(api.asked)
            write(log, cri(f"alone {number}"))
            start_with({name: value for name, value in variables.items() if name != less}, config)
            cluster.has((*UNKNOWN, f"alone {number}"))
            server.stop()
            assert len(api.asked) == asked
        assert server.stderr().count("Pods get the names in the names of their files alone") == 1, server.stderr()
    finally:
        cluster.close()


def test_mistakes_are_refused(binary):
    around = '@include "scl.conf"\nsource s {{ %s; }};\ndestination d {{ file("/dev/null"); }};\n'
    check_refusals(binary, [
        ('kubernetes(api-server("http://h:1") node-name("n"))', "no address of an API server"),
        ('kubernetes(api-server("https://h:1/path") node-name("n"))', "no address of an API server"),
        ('kubernetes(api-server("https://h:1"))', "the name of the node is missing"),
        ('kubernetes(cache-bytes(1))', "65536"),
    ], around)
