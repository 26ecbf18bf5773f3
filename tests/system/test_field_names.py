"""Messages with arbitrary field names: memory stays within its budget, nothing is lost."""

import http.client
import json
import random
import signal

from server import Server, free_port

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); }};
source s_http {{ http(ip("127.0.0.1") port(HTTP)); }};
destination d_main {{ logspace("main" segment-memory(16777216) recode(no)); }};
log {{ source(s_http); destination(d_main); flags(flow-control); }};
"""
# A message takes about 20 KiB of memory while its segment is built: all of them 400 MiB.
MESSAGES = 20_000
FIELDS = 100
# Three segments of 16 MiB, the memory for sealing them, queues, and 20 sealed segments; the program itself is
# measured.
GROWTH_MAX_MIB = 260


def memory(server, what):
    """VmHWM or VmRSS of the server in MiB."""
    with open(f"/proc/{server.process.pid}/status") as status:
        line = next(line for line in status if line.startswith(what))
    return int(line.split()[1]) >> 10


def word():
    return f"{random.getrandbits(48):012x}"


def test_h5b_a_flood_of_field_names_stays_within_its_memory(binary):
    ingest = free_port()
    server = Server(binary, CONFIG.replace("HTTP", str(ingest)))
    try:
        server.start()
        base = memory(server, "VmHWM")
        peer = http.client.HTTPConnection("127.0.0.1", ingest, timeout=60)
        last = {}
        for first in range(0, MESSAGES, 500):
            lines = []
            for number in range(first, first + 500):
                last = {"f" + word(): word() for _ in range(FIELDS)}
                lines += ['{"index":{}}', json.dumps({"message": f"flood {number}", **last})]
            peer.request("POST", "/_bulk", "\n".join(lines) + "\n", {"Content-Type": "application/x-ndjson"})
            answer = peer.getresponse()
            assert answer.status == 200 and not json.load(answer)["errors"]
        server.found("flood", MESSAGES, within=120)
        live = memory(server, "VmHWM")
        assert live - base < GROWTH_MAX_MIB, f"{base} MiB before, {live} MiB at the peak"
        # Nothing is lost: by name, by word, and in the message itself.
        name, value = list(last.items())[-1]
        for query in (value, f"{name}:{value}"):
            row, = server.search(query)["rows"]
            assert row["message"] == f"flood {MESSAGES - 1}", row
        metrics = server.text("/metrics")
        figure = next(line for line in metrics.splitlines()
                      if line.startswith("duramen_logspace_values_without_column_total"))
        assert int(float(figure.split()[-1])) > MESSAGES * FIELDS // 2, figure
        assert "different names of fields" in server.stderr()
        # The health names the logspace and the count; nothing is wrong with it.
        health = server.call("health")
        space, = health["logspaces"]
        assert health["status"] == "ok" and space["name"] == "main" and space["values_without_column"] > 0, health
        told = server.ctl("healthcheck")
        assert "syslogng_is_healthy 1" in told, told
        assert f"logspace main: its newest segments have too many different names of fields: {space['values_without_column']} values" in told, told
        server.stop(signal.SIGKILL)
        server.start()
        server.found("flood", MESSAGES, within=120)
        again = memory(server, "VmHWM")
        assert again - base < GROWTH_MAX_MIB, f"{again} MiB at the peak of the second start"
    finally:
        server.close()
