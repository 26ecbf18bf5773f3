"""Runs every test of the packages in order and prints a line for each; exits with 1 if one failed."""

import importlib
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = sorted(name[:-3] for name in os.listdir(HERE) if name.startswith("test_"))


def main():
    dist, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    sys.path.insert(0, HERE)
    passed, failed = 0, []
    for module in map(importlib.import_module, MODULES):
        for name in [name for name in vars(module) if name.startswith("test_")]:
            if wanted and not any(word in f"{module.__name__}.{name}" for word in wanted):
                continue
            start = time.monotonic()
            try:
                getattr(module, name)(dist)
                passed += 1
                print(f"ok    {module.__name__}.{name} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception:  # a failing test must not hide the others
                failed.append(name)
                print(f"FAIL  {module.__name__}.{name}\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
