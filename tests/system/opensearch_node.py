"""An OpenSearch of its own for a test: one node, in a folder, started and killed at will."""

import glob
import http.client
import json
import os
import subprocess
import tempfile

from component import Component, compiled
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
JARS = os.path.join(HERE, "../../target/opensearch")


class OpenSearch(Component):
    # The optimising compiler takes more time than it saves in a test.
    FOR_TESTS = ("-Xms256m", "-Xmx256m", "-XX:TieredStopAtLevel=1")

    def __init__(self, java=FOR_TESTS):
        jars = glob.glob(JARS + "/**/*.jar", recursive=True)
        assert jars, "no OpenSearch: tools/install.sh test"
        self.holder = tempfile.TemporaryDirectory(prefix="opensearch-")
        self.folder, self.port, self.process = self.holder.name, free_port(), None
        self.java = java
        self.classes = ":".join([compiled(HERE + "/opensearch/OpenSearchNode.java", jars), *jars])
        self.start()

    def start(self):
        java = ["java", *self.java, "-XX:+UseSerialGC", "-cp", self.classes]
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen([*java, "OpenSearchNode", self.folder + "/node", str(self.port)], stdout=log, stderr=log)
        Server.until(self.answers, 90, f"OpenSearch to answer: {self.log()}")

    def answers(self):
        self.check_running()
        try:
            return self.call("GET", "/_cluster/health?wait_for_status=yellow&timeout=1s")["status"] != "red"
        except (OSError, KeyError):
            return False

    def call(self, method, path, body=None):
        """One call of the API; returns its answer, whatever the status."""
        peer = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            peer.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            return json.load(peer.getresponse())
        finally:
            peer.close()

    def texts(self, index, field):
        """The values of a field of all documents, in their order."""
        self.call("POST", f"/{index}/_refresh")
        found, after = [], None
        while True:
            page = {"size": 10000, "sort": [{field: "asc"}, {"_id": "asc"}], "_source": [field]}
            page.update({"search_after": after} if after else {})
            hits = self.call("POST", f"/{index}/_search", page)["hits"]["hits"]
            if not hits:
                return found
            found += [hit["_source"][field] for hit in hits]
            after = hits[-1]["sort"]
