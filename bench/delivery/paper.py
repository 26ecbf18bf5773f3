"""Table 2 of "Comparing log management tools" (2013): 100,000 BSD messages over TCP into a search engine in bulk, again and again, in batches of
16 and 100. And what one node can take at all: documents that are ready, from many connections, beside a log server that makes them.

In: a number of runs. Out: the shortest, longest and average time until every message is stored; messages a second. Every run is counted."""

import http.client
import statistics
import time
from dataclasses import dataclass, field

from loggers import cost
from server import Server
from stores.others import OpenSearchStore
from traffic import TEXT, send_plain, together

MESSAGES = 100000
BATCHES = (16, 100)
# Published: a batch of 16 for rsyslog, 100 for logstash, on a Core i5 650 with 8 GB of memory.
PUBLISHED = (("rsyslog, 2013", 16, 15.998, 21.031, 17.066), ("logstash, 2013", 100, 56.084, 73.695, 57.705))
LOCAL = {"FLAGS": "", "WORKERS": 1}


class Node(OpenSearchStore):
    """A node with the memory and the compiler of a real one."""

    def make(self):
        from opensearch_node import OpenSearch

        return OpenSearch(["-Xms2g", "-Xmx2g"])

    # When it syncs what it acknowledged: at each request, the default of today; Elasticsearch did it every five seconds in 2013.
    durability = "request"

    def prepare(self):
        self.ignore_full_disk()
        settings = {"number_of_shards": 1, "number_of_replicas": 0, "translog.durability": self.durability}
        answer = self.component.call("PUT", "/logs", {"settings": settings})
        assert answer.get("acknowledged"), f"no index: {answer}"

    def indexed(self):
        """How many documents it has taken since the index was made; needs no refresh."""
        return self.component.call("GET", "/logs/_stats/indexing")["_all"]["primaries"]["indexing"]["index_total"]

    def count(self):
        self.component.call("POST", "/logs/_refresh")
        return self.component.call("GET", "/logs/_count")["count"]

    def empty(self):
        self.component.call("DELETE", "/logs")
        self.prepare()

    def wait(self, count, seconds=600):
        Server.until(lambda: self.indexed() >= count, seconds, f"{count} documents")


@dataclass
class Series:
    server: str
    batch: int
    seconds: list = field(default_factory=list)
    cpu: float = 0.0

    def row(self):
        least, most, mean = min(self.seconds), max(self.seconds), sum(self.seconds) / len(self.seconds)
        middle = statistics.median(self.seconds)
        cpu_us = self.cpu * 1e6 / MESSAGES / len(self.seconds)
        return f"| {self.server} | {self.batch} | {len(self.seconds)} | {least:.3f} | {most:.3f} | {mean:.3f} | {MESSAGES / mean:,.0f} | {MESSAGES / middle:,.0f} | {cpu_us:.1f} |"


def table(node, loggers, runs, report):
    """The series of every server: in each round, each of them once, so that what changes meanwhile changes all. The first round only warms
    the node."""
    found, node.durability = {}, "async"
    for run in range(runs + 1):
        for batch in BATCHES:
            # In turns: the first one after another batch finds the node less prepared.
            first = run % len(loggers)
            for make in loggers[first:] + loggers[:first]:
                logger = make()
                try:
                    logger.start("paper", {**node.values(), **LOCAL, "BATCH": batch})
                    seconds, cpu = one(node, logger, batch)
                finally:
                    logger.close()
                if not run:
                    continue
                series = found.setdefault((batch, logger.name), Series(logger.name, batch))
                series.seconds.append(seconds)
                series.cpu += cpu
                report({"server": logger.name, "batch": batch, "run": run, "seconds": round(seconds, 3), "cpu_us": round(cpu * 1e6 / MESSAGES, 2)})
    head = ("| server | batch | runs | minimum, s | maximum, s | average, s | messages/s | of the median run | CPU us a message |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
    published = [f"| {name} (published) | {batch} | 100 | {least} | {most} | {mean} | {MESSAGES / mean:,.0f} | | |" for name, batch, least, most, mean in PUBLISHED]
    return head + "\n".join([series.row() for series in found.values()] + published)


def one(node, logger, batch):
    """Seconds until every document is there, and CPU seconds of the log server."""
    node.empty()
    before, began = logger.cost()[0], time.monotonic()
    send_plain(logger.port, 1, MESSAGES, ["web1"], 0)
    node.wait(MESSAGES)
    seconds, cpu = time.monotonic() - began, logger.cost()[0] - before
    there = node.count()
    assert there == MESSAGES, f"{logger.name}, batch {batch}: {there} of {MESSAGES} documents"
    return seconds, cpu


def drawn(rows):
    """The groups of the plot: for each batch, each server's average rate, and its slowest and quickest run."""
    found = {}
    for row in rows:
        found.setdefault(row["batch"], {}).setdefault(row["server"], []).append(row["seconds"])
    mean = lambda seconds: MESSAGES * len(seconds) / sum(seconds)
    return [(f"batches of {batch}", [(server, mean(seconds), f"{mean(seconds):,.0f}/s, {min(seconds):.1f} to {max(seconds):.1f} s") for server, seconds in servers.items()])
            for batch, servers in found.items()]


def saturation(node, make_duramen, report):
    """What one node takes: ready-made bulk requests of 1 to 4 connections, and a log server with 1 to 4 workers."""
    node.durability = "request"
    lines = ["| sender | connections | batch | documents/s | cores of the node | CPU us a message of the sender |", "|---|---:|---:|---:|---:|---:|"]

    def add(name, connections, batch, count, seconds, cores, cpu):
        lines.append(f"| {name} | {connections} | {batch} | {count / seconds:,.0f} | {cores:.2f} | {cpu} |")
        report({"sender": name, "connections": connections, "batch": batch, "rate": round(count / seconds), "node_cores": round(cores, 2)})

    for connections in (1, 2, 4):
        for batch in (1000, 5000):
            add("ready documents", connections, batch, *timed(node, lambda: ready(node, connections, batch)), "")
    for workers in (1, 2, 4):
        logger = make_duramen()
        try:
            logger.start("paper", {**node.values(), **LOCAL, "WORKERS": workers, "BATCH": 5000})
            before = logger.cost()[0]
            count, seconds, cores = timed(node, lambda: sent(node, logger))
            add("duramen", workers, 5000, count, seconds, cores, f"{(logger.cost()[0] - before) * 1e6 / count:.1f}")
        finally:
            logger.close()
    return "\n".join(lines)


def timed(node, work):
    node.empty()
    before, began = cost(node.component.process.pid)[0], time.monotonic()
    count = work()
    seconds = time.monotonic() - began
    return count, seconds, (cost(node.component.process.pid)[0] - before) / seconds


def sent(node, logger):
    send_plain(logger.port, 1, 3 * MESSAGES, ["web1"], 0)
    node.wait(3 * MESSAGES)
    return 3 * MESSAGES


def ready(node, connections, batch):
    """The same documents without a log server: what the node itself can take."""
    document = f'{{"index":{{}}}}\n{{"timestamp":"2026-11-20T10:00:00+00:00","host":"web1","program":"app","pid":"17","message":"{TEXT}"}}\n'
    body, requests = document * batch, 3 * MESSAGES // batch // connections

    def work(_):
        peer = http.client.HTTPConnection("127.0.0.1", node.component.port, timeout=120)
        for _ in range(requests):
            peer.request("POST", "/logs/_bulk", body, {"Content-Type": "application/x-ndjson"})
            answer = peer.getresponse()
            if answer.status != 200 or b'"errors":false' not in answer.read():
                raise ValueError(f"the node answered {answer.status}")
    together(connections, work)
    return connections * requests * batch
