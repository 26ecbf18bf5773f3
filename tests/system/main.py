"""Runs every system test and prints a line for each; exits with 1 if one failed. Those that mostly wait (`server.waits`) run two at a
time, in parallel with the rest, which run one after the other."""

import importlib
import os
import sys
import threading
import time
import traceback

WAITING = 2
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = sorted(name[:-3] for name in os.listdir(HERE) if name.startswith("test_"))


class Run:
    """The results of the tests so far."""

    def __init__(self, binary):
        self.binary, self.passed, self.failed = binary, 0, 0
        self.lock = threading.Lock()

    def all(self, tests):
        for name, test in tests:
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
    tests = [(f"{module.__name__}.{name}", test) for module in map(importlib.import_module, MODULES)
             for name, test in vars(module).items() if name.startswith("test_")]
    tests = [(name, test) for name, test in tests if not wanted or any(word in name for word in wanted)]
    run = Run(binary)
    # One iterator for all threads: each takes the next test.
    waiting = iter([(name, test) for name, test in tests if hasattr(test, "waits")])
    threads = [threading.Thread(target=run.all, args=(waiting,)) for _ in range(WAITING)]
    for thread in threads:
        thread.start()
    run.all([(name, test) for name, test in tests if not hasattr(test, "waits")])
    for thread in threads:
        thread.join()
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
