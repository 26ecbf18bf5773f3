"""OpenSearch, S3, HDFS and Zabbix."""

import signal

from hadoop import Hdfs
from opensearch_node import OpenSearch
from seaweedfs import SeaweedFs
from zabbix_server import Zabbix

from stores.store import Store


class OpenSearchStore(Store):
    name, title = "opensearch", "OpenSearch, opensearch()"
    refusal, mend_words = "a word for a field of numbers", "the mapping ignores malformed values"

    def make(self):
        return OpenSearch()

    def prepare(self):
        self.ignore_full_disk()
        keyword = {"type": "keyword"}
        body = {"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "1s"},
                "mappings": {"properties": {"number": {"type": "integer"}, "size": {"type": "integer"}, "host": keyword, "message": {"type": "text"}}}}
        assert self.component.call("PUT", "/logs", body).get("acknowledged"), "no index"

    def ignore_full_disk(self):
        """A disk that others have filled to nine tenths must not change what is measured."""
        settings = {"cluster.routing.allocation.disk.threshold_enabled": False, "cluster.blocks.create_index": None}
        assert self.component.call("PUT", "/_cluster/settings", {"persistent": settings}).get("acknowledged"), "no settings"

    def values(self):
        return {**super().values(), "BATCH": 1000}

    def stored(self):
        return self.component.call("GET", "/logs/_stats/docs")["_all"]["primaries"]["docs"]["count"]

    def census(self):
        call, found, after = self.component.call, [], None
        call("POST", "/logs/_refresh")
        while True:
            page = {"size": 10000, "sort": [{"number": "asc"}, {"_doc": "asc"}], "_source": False, **({"search_after": after} if after else {})}
            hits = call("POST", "/logs/_search", page)["hits"]["hits"]
            if not hits:
                return found
            found += [int(hit["sort"][0]) for hit in hits]
            after = hits[-1]["sort"]

    def mend(self):
        mapping = {"properties": {"size": {"type": "integer", "ignore_malformed": True}}}
        assert self.component.call("PUT", "/logs/_mapping", mapping).get("acknowledged"), "no mapping"


class LineStore(Store):
    """What has lines that begin with numbers."""

    def census(self):
        return [int(line.split(" ", 1)[0]) for line in self.component.lines()]


class S3Store(LineStore):
    name, title = "s3", "SeaweedFS, s3()"
    refused = {"host": "h" * 250}
    refusal, mend_words = "a name that is too long for an object", "object-key() is short"

    def make(self):
        return SeaweedFs("logs")

    def values(self):
        return {**super().values(), "KEY": "$HOST/$HOST/$HOST/$HOST/$HOST/log"}

    def values_of_mend(self):
        return {"KEY": "mended/log"}


class HdfsStore(LineStore):
    name, title = "hdfs", "HDFS, hdfs()"
    # After a kill of the sender a batch may be written twice; the sender is not killed here.
    refused = {"host": "h" * 250}
    refusal, mend_words = "a path of more than 8,000 characters", "hdfs-file() is short"

    def make(self):
        return Hdfs()

    def values(self):
        return {"URI": self.component.uris().strip('"'), "PATH": "/".join(["$HOST"] * 40)}

    def values_of_mend(self):
        return {"PATH": "mended"}


class ZabbixStore(Store):
    name, title = "zabbix", "Zabbix, zabbix()"
    # What it receives a second time is another value.
    has_key = False
    refused = {"host": "nobody"}
    refusal, mend_words = "a host that it does not know", "host() is one that it knows"
    # A Zabbix that is killed has lost the values that it has acknowledged and keeps in memory.
    fault = "stop"

    def make(self):
        return Zabbix(["web1"], [("log", 4)])

    def values(self):
        return {**super().values(), "HOST": "$HOST"}

    def values_of_mend(self):
        return {"HOST": "web1"}

    def kill(self):
        self.component.process.send_signal(signal.SIGTERM)
        self.component.process.wait(120)

    def census(self):
        # It writes what it has in memory to its database when it ends.
        self.kill()
        self.component.start()
        return map(int, self.component.database.sql("SELECT split_part(value, ' ', 1) FROM history_text"))
