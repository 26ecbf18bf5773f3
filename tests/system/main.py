"""Runs every system test and prints a line for each; exits with 1 if one failed. Those that mostly wait (`server.waits`) run in lanes of
their own, the longest first, beside the rest, which run one after the other. Who has finished helps the others; no more than two tests that
work run at a time. A test that failed beside others runs once more at the end, alone: many hold promises about time, and a machine that
is busy with three other tests breaks them. It counts as failed if it fails again; if not, the summary names it with what went wrong."""

import importlib
import itertools
import os
import resource
import sys
import threading
import time
import traceback

# Lanes for tests that wait. With more of them, what does work in these tests (a JVM that starts) takes two cores from the tests that measure.
WAITING = 3
# Sockets of the tests that open thousands. The limit holds for the whole process, so no test may set and restore it.
OPEN_FILES = 20_000
# So many tests that failed run again, alone.
ALONE_MAX = 12
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = sorted(name[:-3] for name in os.listdir(HERE) if name.startswith("test_"))


class Run:
    """The results of the tests so far."""

    def __init__(self, binary):
        self.binary, self.passed = binary, 0
        # The tests that failed beside others, and those that failed again: (name, test, traceback).
        self.again, self.failed = [], []
        self.lock = threading.Lock()

    def all(self, *lists):
        """Runs the tests of each list, one after the other; other threads take tests of the same lists."""
        for name, test in itertools.chain(*lists):
            self.one(name, test, self.again)

    def one(self, name, test, failures):
        start = time.monotonic()
        try:
            test(self.binary)
            outcome, trace = f"ok    {name} ({time.monotonic() - start:.1f} s)", None
        except Exception:  # a failing test must not hide the others
            trace = traceback.format_exc()
            outcome = f"FAIL  {name}\n{trace}"
        with self.lock:
            if trace is None:
                self.passed += 1
            else:
                failures.append((name, test, trace))
            print(outcome, flush=True)

    def alone(self):
        """Runs what failed beside others once more. More than a few of them are no matter of time."""
        if len(self.again) > ALONE_MAX:
            self.failed = self.again
            return
        for name, test, _ in self.again:
            print(f"again {name}, alone", flush=True)
            self.one(name, test, self.failed)

    def summary(self):
        """Prints each failure once more: the last lines of a long log are those that are read."""
        failed = {name for name, _, _ in self.failed}
        for name, _, trace in self.again:
            if name not in failed:
                print(f"BUSY  {name}: failed beside other tests, passed alone\n{trace}")
        for name, _, trace in self.failed:
            print(f"FAIL  {name}\n{trace}")
        unsteady = len(self.again) - len(self.failed)
        print(f"{self.passed} passed, {len(self.failed)} failed" + (f", {unsteady} of those that passed only alone" if unsteady else ""), flush=True)


def main():
    binary, wanted = sys.argv[1], sys.argv[2:]
    sys.path.insert(0, HERE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    tests = [(f"{module.__name__}.{name}", test) for module in map(importlib.import_module, MODULES)
             for name, test in vars(module).items() if name.startswith("test_")]
    tests = [(name, test) for name, test in tests if not wanted or any(word in name for word in wanted)]
    run = Run(binary)
    # One iterator for all threads: each takes the next test.
    waiting = iter(sorted((one for one in tests if hasattr(one[1], "waits")), key=lambda one: -one[1].waits))
    rest = iter([one for one in tests if not hasattr(one[1], "waits")])
    # A lane that has finished helps the others. Two of them take tests that work: as many as a machine of continuous integration has cores.
    threads = [threading.Thread(target=run.all, args=(waiting, rest) if lane == 0 else (waiting,)) for lane in range(WAITING)]
    for thread in threads:
        thread.start()
    run.all(rest, waiting)
    for thread in threads:
        thread.join()
    run.alone()
    run.summary()
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
