"""Runs every system test and prints a line for each; exits with 1 if one failed. Those that mostly wait (`server.waits`) run in lanes of
their own, the longest first, beside the rest, which run one after the other. Who has finished helps the others; no more than two tests that
work run at a time."""

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
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = sorted(name[:-3] for name in os.listdir(HERE) if name.startswith("test_"))


class Run:
    """The results of the tests so far."""

    def __init__(self, binary):
        self.binary, self.passed, self.failed = binary, 0, 0
        self.lock = threading.Lock()

    def all(self, *lists):
        """Runs the tests of each list, one after the other; other threads take tests of the same lists."""
        for name, test in itertools.chain(*lists):
            start = time.monotonic()
            try:
                test(self.binary)
                outcome = f"ok    {name} ({time.monotonic() - start:.1f} s)"
            except Exception:  # a failing test must not hide the others
                outcome = f"FAIL  {name}\n{traceback.format_exc()}"
            with self.lock:
                self.passed += outcome.startswith("ok")
                self.failed += outcome.startswith("FAIL")
                print(outcome, flush=True)


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
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
