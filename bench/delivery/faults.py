"""Delivery under faults: the server that receives is killed again and again and refuses one message in a hundred.

In: a store, a log server, a number of messages. Out: what arrived, how often, in which time and for how much CPU; what was lost, what was
doubled, what was kept aside and delivered after the cause was mended. The faults are the same for every log server."""

import os
import time
from collections import Counter
from dataclasses import dataclass, field

from loggers import Missing
from traffic import Feeder, Numbered


@dataclass
class Faults:
    kills: int = 5
    # One message of so many is refused; 0 for none.
    refuse_every: int = 100
    # Seconds that the server is away, its start not counted.
    outage: float = 0.5
    # Longest wait for the share of messages after which it is killed.
    patience: float = 10.0
    # Without a new message for so long, nothing more is expected.
    quiet: float = 30.0
    # Longest time until everything is delivered.
    limit: float = 1800.0

    def is_refused(self, number):
        return self.refuse_every > 0 and number % self.refuse_every == self.refuse_every - 1

    def refused_of(self, count):
        """How many of the first `count` numbers are refused."""
        return count // self.refuse_every if self.refuse_every else 0


@dataclass
class Outcome:
    store: str
    server: str
    messages: int
    has_key: bool
    sent: int = 0
    seconds: float = 0.0
    rate: float = 0.0
    cpu_us: float = 0.0
    peak_mib: float = 0.0
    # Before the mend: messages that are not there, of those that the store takes.
    missing: int = 0
    # Why not all was delivered: nothing came any more, or the server had ended with a status (negative: by a signal).
    stuck: str = ""
    dead: int = 0
    # At the end, after the mend: neither there nor in a file of errors.
    missing_good: int = 0
    missing_refused: int = 0
    doubled: int = 0
    # What its counters say that it still has, and will try again: not lost.
    waiting: int = 0
    balance: str = ""
    said: str = ""
    load: str = ""
    counters: dict = field(default_factory=dict)


class Progress:
    """Watches how many messages a store has, without asking it all the time."""

    def __init__(self, store, logger):
        self.store, self.logger = store, logger
        self.count, self.changed = 0, time.monotonic()

    def look(self):
        began = time.monotonic()
        # Ours says it cheaply, a rival's progress shows only in the store.
        count = self.logger.counters()["written"] if self.logger.keeps_refused else self.store.stored()
        self.logger.cost()
        if count != self.count:
            self.count, self.changed = count, time.monotonic()
        # Counting is work that the machine does besides: a quarter of the time at most.
        time.sleep(min(2.0, max(0.1, 3 * (time.monotonic() - began))))
        return self.count

    def wait(self, share, seconds):
        end = time.monotonic() + seconds
        while self.look() < share and time.monotonic() < end:
            pass

    def settle(self, feeder, want, faults):
        """Waits until all is delivered. Returns False if that took too long, or if nothing came for a long time before."""
        self.changed = time.monotonic()
        end = self.changed + faults.limit
        while True:
            count = self.look()
            still = time.monotonic() - self.changed
            if feeder.is_done():
                if self.logger.keeps_refused:
                    found = self.logger.counters()
                    if found["queued"] == 0 and found["processed"] >= feeder.count:
                        self.look()
                        return True
                elif count >= want and still > 3:
                    return True
            if still > faults.quiet or time.monotonic() > end:
                return False


def run(make_store, make_logger, count, faults):
    """One run of one log server against one store."""
    logger = make_logger()
    store = make_store()
    outcome = Outcome(store.name, logger.name, count, logger.has_key(store), load=load())
    try:
        logger.start(store.name, store.values())
        under_faults(store, logger, count, faults, outcome)
        outcome.load += " to " + load()
    finally:
        logger.close()
        store.close()
    return outcome


def under_faults(store, logger, count, faults, outcome):
    good = count - faults.refused_of(count)
    progress = Progress(store, logger)
    feeder = Feeder(logger.port, Numbered(faults.is_refused, store.refused), count)
    for kill in range(faults.kills):
        progress.wait(good * (kill + 1) // (faults.kills + 2), faults.patience)
        store.kill()
        time.sleep(faults.outage)
        store.start()
    if not progress.settle(feeder, good, faults):
        outcome.stuck = "stuck" if logger.ended() is None else f"ended with {logger.ended()}"
    cpu, outcome.peak_mib = logger.cost()
    there = Counter(store.census())
    outcome.seconds = progress.changed - feeder.began
    outcome.rate = len(there) / outcome.seconds
    outcome.cpu_us = cpu * 1e6 / max(1, len(there))
    outcome.missing = sum(1 for number in range(feeder.sent) if not faults.is_refused(number) and number not in there)
    before = logger.counters()
    if logger.keeps_refused:
        outcome.dead = before["dead"]
        outcome.balance = balanced(before, count)
    mend(store, logger, outcome)
    want = len(there) + faults.refused_of(count)
    if logger.keeps_refused:
        progress.wait(progress.count + outcome.dead, faults.quiet)
    else:
        progress.settle(feeder, want, faults)
    there, aside = Counter(store.census()), logger.kept_aside()
    if not logger.keeps_refused:
        outcome.dead = len(aside - set(there))
    outcome.sent = feeder.sent
    lost = [number for number in range(feeder.sent) if number not in there and number not in aside]
    outcome.missing_refused = sum(map(faults.is_refused, lost))
    outcome.missing_good = len(lost) - outcome.missing_refused
    outcome.doubled = sum(there.values()) - len(there)
    outcome.counters = (logger.counters() if logger.ended() is None else None) or {}
    outcome.waiting = outcome.counters.get("queued", 0)
    if logger.keeps_refused:
        outcome.balance += ", " + balanced(outcome.counters, count)
    elif outcome.counters:
        outcome.balance = f"it says {outcome.counters['written']} written, {outcome.counters['dropped']} dropped"
    if outcome.stuck or outcome.missing_good:
        outcome.said = logger.problems()


def mend(store, logger, outcome):
    store.mend()
    if logger.keeps_refused:
        if values := store.values_of_mend():
            logger.reload({**store.values(), **values})
        outcome.said = logger.replay() if outcome.dead else ""


def balanced(found, count):
    """Whether what came in is what went out, waits, is dead or was dropped, and whether that is all that was sent."""
    out = found["written"] + found["queued"] + found["dead"] + found["dropped"]
    same = "=" if found["processed"] == out else "IS NOT"
    return f"{found['processed']} {same} {found['written']} + {found['queued']} + {found['dead']} + {found['dropped']}" + (
        "" if found["processed"] >= count else f" of {count} sent")


def load():
    return f"{os.getloadavg()[0]:.1f}"


def run_all(stores, loggers, options, faults, report):
    """Every store with every server that has an output for it."""
    for make_store in stores:
        for turn in range(options.runs):
            for make_logger in loggers:
                try:
                    outcome = run(make_store, make_logger, options.messages, faults)
                except Missing as why:
                    print(f"{make_store.name}: {why}", flush=True)
                    continue
                print(f"{turn + 1}: {outcome}"[:1500], flush=True)
                report(outcome)
