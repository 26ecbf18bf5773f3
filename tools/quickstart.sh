#!/usr/bin/env bash
# Starts the quickstart configuration in ./data. With DEMO=1 it also replays sample messages, over and
# over.
set -euo pipefail
binary=${1:?path of duramen}
root=$(cd "$(dirname "$0")/.." && pwd)
export QUICKSTART_DATA=${QUICKSTART_DATA:-$root/data}
export QUICKSTART_SYSTEM=""
if [ -d /run/systemd/journal ] && command -v journalctl >/dev/null; then QUICKSTART_SYSTEM="system();"; fi
mkdir -p "$QUICKSTART_DATA"

serve=("$binary" run --config "$root/examples/quickstart.conf" --data "$QUICKSTART_DATA"
    --http "${QUICKSTART_HTTP:-127.0.0.1:8514}" --quickstart)
[ "${DEMO:-0}" = 1 ] || exec "${serve[@]}"

# The player waits for the listener; when one of the two ends, the other ends too.
(
    while ! (exec 3<>/dev/tcp/127.0.0.1/5514) 2>/dev/null; do sleep 0.2; done
    exec "$binary" loggen --stream --permanent --loop-reading --reconnect --quiet --rate "${DEMO_RATE:-20}" \
        --read-file "$root/examples/demo.log" 127.0.0.1 5514
) &
player=$!
"${serve[@]}" &
server=$!
trap 'kill "$server" "$player" 2>/dev/null || true' EXIT INT TERM
wait "$server"
