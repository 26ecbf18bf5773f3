#!/usr/bin/env bash
# Starts a program of Debian's syslog-ng package from where tools/install.sh unpacked it: syslog-ng or loggen.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)/target/rivals/syslog-ng
program=${1:?syslog-ng or loggen}; shift
export LD_LIBRARY_PATH=$root/usr/lib/syslog-ng SYSLOGNG_PREFIX=$root/usr
plugins=$(find "$root/usr/lib/syslog-ng" -maxdepth 1 -name '[0-9]*' | head -n 1)
case $program in
    syslog-ng) exec "$root/usr/sbin/syslog-ng" --module-path="$plugins" "$@" ;;
    *) exec "$root/usr/bin/$program" "$@" ;;
esac
