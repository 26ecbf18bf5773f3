#!/usr/bin/env bash
# The system tests: the binary as a user runs it, real clients, a real browser. Arguments: the binary, words in the
# names of tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/system/main.py "${1:?path of duramen}" "${@:2}"
