#!/usr/bin/env bash
# Starts a program of Debian's syslog-ng packages from where tools/install.sh unpacked them: syslog-ng, loggen, slogkey, ...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)/target/rivals/syslog-ng
program=${1:?syslog-ng, loggen, slogkey, slogencrypt or slogverify}; shift
plugins=$(find "$root/usr/lib/syslog-ng" -maxdepth 1 -name '[0-9]*' | head -n 1)
export LD_LIBRARY_PATH=$root/usr/lib/syslog-ng:$plugins SYSLOGNG_PREFIX=$root/usr
case $program in
    syslog-ng) exec "$root/usr/sbin/syslog-ng" --module-path="$plugins" "$@" ;;
    *) exec "$root/usr/bin/$program" "$@" ;;
esac
