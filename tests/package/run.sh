#!/usr/bin/env bash
# Tests the packages: installs them into roots and namespaces of their own. Needs root. Arguments: the folder of the
# packages, and words in the names of tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/package/main.py "${1:?folder of packages}" "${@:2}"
