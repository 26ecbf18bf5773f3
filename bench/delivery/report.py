"""Tables in Markdown, CSV files and plots."""

import csv
import statistics
from dataclasses import asdict

import plot


class Rows:
    """A CSV file that is written as its rows come."""

    def __init__(self, path):
        self.path, self.rows = path, []

    def add(self, row):
        self.rows.append(row)
        with open(self.path, "w", newline="") as out:
            writer = csv.DictWriter(out, self.rows[0])
            writer.writeheader()
            writer.writerows(self.rows)


class FaultTable:
    """The outcomes of runs under faults; written to `faults.csv` as they come."""

    def __init__(self, folder):
        self.folder, self.outcomes, self.rows = folder, [], Rows(folder + "/faults.csv")

    def add(self, outcome):
        self.outcomes.append(outcome)
        self.rows.add({**asdict(outcome), "counters": "", "said": ""})

    def groups(self):
        """The runs of each store and server, in the order of the first."""
        found = {}
        for one in self.outcomes:
            found.setdefault((one.store, one.server), []).append(one)
        return found

    def finish(self):
        """The table; the plot is written beside the CSV file."""
        drawn = {}
        for (store, server), runs in self.groups().items():
            rate, lost = statistics.median(run.rate for run in runs), max(run.missing_good + run.missing_refused for run in runs)
            drawn.setdefault(store, []).append((server, rate, f"{rate:,.0f}/s, {lost:,} lost"))
        with open(self.folder + "/faults.svg", "w") as out:
            out.write(plot.bars("messages a second until everything was delivered, under faults", list(drawn.items())))
        lines = ["| store | server | messages | messages/s | s until delivered | CPU us a message | peak MiB | missing before the mend | "
                 "dead letters | lost: taken / refused | doubled | in = out + queued + dead + dropped |",
                 "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"]
        for (store, server), runs in self.groups().items():
            middle = lambda name: statistics.median(getattr(run, name) for run in runs)
            worst = lambda name: max(getattr(run, name) for run in runs)
            stuck = "".join(f" ({word})" for word in sorted({run.stuck for run in runs if run.stuck}))
            stuck += f" ({worst('waiting'):,} wait)" if worst("waiting") else ""
            key = "" if runs[0].has_key else " (no key)"
            lines.append(
                f"| {store} | {server} | {runs[0].messages:,} | {middle('rate'):,.0f} | {middle('seconds'):.1f}{stuck} | {middle('cpu_us'):.1f} | {middle('peak_mib'):.0f} "
                f"| {worst('missing'):,} | {worst('dead'):,} | {worst('missing_good'):,} / {worst('missing_refused'):,} | {worst('doubled'):,}{key} | {runs[-1].balance or '-'} |")
        return "\n".join(lines)
