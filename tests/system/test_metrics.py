"""The page's metrics as Prometheus' own client library reads them, including those of metrics-probe()."""

import os
import re
import socket
import sys

from server import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "target/python"))

from prometheus_client.parser import text_string_to_metric_families  # noqa: E402

# Names that have a meaning for clients, that are invalid for Prometheus, or that the server uses
# itself.
KEYS = ["bytes", "bytes_total", "x_count", "x_sum", "x_bucket", "x_created", "x_info", "odd.key-9", "9lives", "input_events_total"]
VALUES = ["plain", 'a "quote"', "back\\slash", "two\tblanks, {braces} = é", "trailing\\"]

CONFIG = """@version: 4.8
options {{ stats(level(1)); }};
source s {{ network(ip("127.0.0.1") port({port}) flags(no-parse)); }};
log {{
    source(s);
    parser {{
        PROBES
        metrics-probe();
    }};
    destination {{ file("{folder}/out" template("$MSG\\n")); }};
}};
"""


def names_of(text):
    """Counts how often each name is followed by a value."""
    names = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name = re.match(r"[a-zA-Z_:][a-zA-Z0-9_:]*(?=[{ ])", line).group(0)
            names[name] = names.get(name, 0) + 1
    return names


def test_clients_of_prometheus_keep_names_and_labels(binary):
    probes = "\n".join(
        f'metrics-probe(key("{key}") labels("line" => "$MSG" "odd-label" => "x") increment("2"));' for key in KEYS)
    server = Server(binary, CONFIG.replace("PROBES", probes.replace("{", "{{").replace("}", "}}")))
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall("".join(line + "\n" for line in VALUES).encode())
        written = lambda: os.path.exists(server.folder + "/out") and open(server.folder + "/out").read().count("\n") == len(VALUES)
        Server.until(written, 30, "the messages")
        for text in (server.text("/metrics"), server.ctl("stats", "prometheus")):
            samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
            read = {}
            for sample in samples:
                read[sample.name] = read.get(sample.name, 0) + 1
            assert read == names_of(text), "a client reads other names"
            series = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in samples]
            assert len(series) == len(set(series)), "a series stands there twice"
            for key in KEYS:
                name = "syslogng_" + re.sub(r"[^a-zA-Z0-9_]", "_", key)
                counted = {sample.labels["line"]: sample.value for sample in samples
                           if sample.name == name and "line" in sample.labels}
                assert counted == {value: 2 for value in VALUES}, (name, counted)
                assert all(sample.labels["odd_label"] == "x" for sample in samples
                           if sample.name == name and "line" in sample.labels), name
            default = [sample for sample in samples if sample.name == "syslogng_classified_events_total"]
            assert sum(sample.value for sample in default) == len(VALUES), default
    finally:
        server.close()
