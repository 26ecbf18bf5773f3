"""`make bench-delivery`: delivery to other people's servers, measured. The first word chooses what; without one, everything runs.

Prints tables in Markdown and leaves CSV files and plots in bench/out/delivery."""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
# The servers are started as the system tests start them.
sys.path[:0] = [HERE, ROOT + "/tests/system"]

import down
import faults
import frames
import guide
import lines
import paper
import plot
import report
import spool
from loggers import all_loggers
from stores.every import STORES


PARTS = ("faults", "lines", "frames", "spool", "paper", "saturation", "guide")
# It takes an hour, so it runs only when it is named.
DOWN = "down"


def arguments():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("what", nargs="*", default=list(PARTS), help="what to measure: " + ", ".join((*PARTS, DOWN)))
    words.add_argument("--duramen", default=ROOT + "/target/release/duramen", help="the binary")
    words.add_argument("--messages", type=int, default=1000000, help="messages of each run under faults")
    words.add_argument("--runs", type=int, default=1)
    words.add_argument("--stores", default=",".join(STORES), help="rows: " + ",".join(STORES))
    words.add_argument("--servers", default="duramen,rsyslog,syslog-ng")
    words.add_argument("--kills", type=int, default=5)
    words.add_argument("--refuse", type=int, default=100, help="one message of so many is refused; 0 for none")
    words.add_argument("--limit", type=float, default=1800.0, help="longest seconds until everything is delivered")
    words.add_argument("--quiet", type=float, default=30.0, help="seconds without a new message after which nothing more is expected")
    words.add_argument("--paper-runs", type=int, default=100, help="runs of each row of Table 2")
    words.add_argument("--guide-messages", type=int, default=2000000, help="messages of the fastest rows of the guideline")
    words.add_argument("--line-messages", type=int, default=1000000, help="messages of each row over long lines")
    words.add_argument("--line-rounds", type=int, default=3, help="rounds of the rows over long lines")
    words.add_argument("--frame-texts", nargs="*", default=[], help="files of log lines for frames of few messages")
    words.add_argument("--spool-messages", type=int, default=300000, help="messages of each row of disk buffers")
    words.add_argument("--spool-rounds", type=int, default=5, help="rounds of the rows of disk buffers")
    words.add_argument("--rows", help="words of rows of the guideline")
    words.add_argument("--policy", default="hold", help=f"{DOWN}: what a full queue does, one or several: " + ",".join(down.POLICIES))
    words.add_argument("--rate", type=int, default=50000, help=f"{DOWN}: messages a second")
    words.add_argument("--seconds", type=float, default=3600, help=f"{DOWN}: how long, for each policy")
    words.add_argument("--every", type=float, default=30, help=f"{DOWN}: seconds between two rows")
    words.add_argument("--destinations", type=int, default=50, help=f"{DOWN}: how many")
    words.add_argument("--fifo", type=int, default=10000, help=f"{DOWN}: log-fifo-size() of queues in memory")
    words.add_argument("--window-mib", type=int, default=2, help=f"{DOWN}: flow-control-window-bytes() of buffers on disk")
    words.add_argument("--buffer-mib", type=int, default=32, help=f"{DOWN}: capacity-bytes() of buffers on disk")
    words.add_argument("--out", default=ROOT + "/bench/out/delivery")
    return words.parse_args()


def main():
    options = arguments()
    os.makedirs(options.out, exist_ok=True)
    if unknown := set(options.what) - {*PARTS, DOWN}:
        sys.exit(f"there is no part {', '.join(unknown)}: {', '.join((*PARTS, DOWN))}")
    servers = options.servers.split(",")
    loggers = [make for name, make in all_loggers(options.duramen).items() if name in servers]
    if "faults" in options.what:
        table = report.FaultTable(options.out)
        faults.run_all([STORES[name] for name in options.stores.split(",")], loggers, options,
                       faults.Faults(options.kills, options.refuse, quiet=options.quiet, limit=options.limit), table.add)
        print(table.finish())
    if "lines" in options.what:
        lines.table(options.duramen, options.line_messages, options.line_rounds)
    if "frames" in options.what:
        frames.table(options.duramen, options.frame_texts)
    if "spool" in options.what:
        print(spool.table(options.duramen, options.spool_messages, options.spool_rounds, report.Rows(f"{options.out}/spool.csv").add), flush=True)
    if DOWN in options.what:
        down.run_all(options, report.Rows(f"{options.out}/down.csv").add)
    if len({"paper", "saturation", "guide"} & set(options.what)):
        with_node(options, loggers)


def with_node(options, loggers):
    """What needs a search engine that is not killed."""
    node = paper.Node()
    try:
        duramen = all_loggers(options.duramen)["duramen"]
        parts = {"paper": lambda add: paper.table(node, loggers, options.paper_runs, add), "saturation": lambda add: paper.saturation(node, duramen, add),
                 "guide": lambda add: guide.tables(options.duramen, node, options, add)}
        plots = {"paper": ("messages a second into OpenSearch, 100,000 at a time", paper.drawn),
                 "guide": ("messages a second by destination, beside what the guideline of syslog-ng PE 6 publishes", guide.drawn)}
        for part in (part for part in parts if part in options.what):
            rows = report.Rows(f"{options.out}/{part}.csv")
            print(parts[part](rows.add), flush=True)
            if part in plots:
                title, groups = plots[part]
                with open(f"{options.out}/{part}.svg", "w") as out:
                    out.write(plot.bars(title, groups(rows.rows)))
    finally:
        node.close()


if __name__ == "__main__":
    main()
