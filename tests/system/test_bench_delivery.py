"""The measurements of delivery (`make bench-delivery`), small: what a real server has after a kill and refusals is counted, and destinations that are
all down keep their limits."""

import csv
import os
import subprocess
import sys
import tempfile

from server import waits, waits_for

MAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/delivery/main.py")


@waits
def test_a_run_counts_every_message(binary):
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as out:
        command = [sys.executable, MAIN, "faults", "--duramen", binary, "--messages", "3000", "--kills", "1", "--stores", "redis", "--servers", "duramen", "--out", out]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(out + "/faults.csv", newline="") as text:
            row, = csv.DictReader(text)
        found = {name: int(row[name]) for name in ("sent", "dead", "missing", "missing_good", "missing_refused")}
        assert found == {"sent": 3000, "dead": 30, "missing": 0, "missing_good": 0, "missing_refused": 0}, row
        assert row["balance"].startswith("3000 = 2970 + 0 + 30 + 0, 3030 = 3000 + 0 + 30 + 0"), row
        assert "| redis | duramen | 3,000 |" in done.stdout and os.path.getsize(out + "/faults.svg") > 300, done.stdout


@waits_for(17)
def test_fifty_destinations_that_are_down_keep_their_limits(binary):
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as out:
        # Queues this small are full within a second.
        command = [sys.executable, MAIN, "down", "--duramen", binary, "--policy", "hold,drop-lowest-severity", "--rate", "40000", "--seconds", "2", "--every", "1",
                   "--fifo", "1000", "--window-mib", "1", "--buffer-mib", "2", "--out", out]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(out + "/down.csv", newline="") as text:
            rows = {row["policy"]: row for row in csv.DictReader(text)}
        assert int(rows["hold"]["held"]) > 0 and not rows["hold"]["dropped"], rows
        assert "queue_full_severity=" in rows["drop-lowest-severity"]["dropped"], rows
