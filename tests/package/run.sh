#!/usr/bin/env bash
# The tests of the packages: installed into roots of their own, in namespaces of their own. Needs root. Arguments: the
# folder of the packages, words of names.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/package/main.py "${1:?folder of packages}" "${@:2}"
