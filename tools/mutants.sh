#!/usr/bin/env bash
# Measures how many small changes of the code the unit tests notice: cargo-mutants on a sample of each crate
# (all of them would take days).
# tools/mutants.sh COUNT [PACKAGE...]; SEED chooses another sample. Prints a row for each crate, then the changes that no test noticed.
set -euo pipefail
cd "$(dirname "$0")/.."
# Without line tables, the tests build faster.
export CARGO_PROFILE_DEV_DEBUG=none
count=${1:-20}; shift || true
seed=${SEED:-0}
[ $# -gt 0 ] || set -- $(sed -n 's/^name = "\(.*\)"/\1/p' crates/*/Cargo.toml)
out=target/mutants
mkdir -p $out
printf '%-12s %8s %8s %8s %8s %8s\n' crate sample viable caught share missed
for crate in "$@"; do
    total=$(cargo mutants --list --package "$crate" | wc -l)
    [ "$total" -gt 0 ] || continue
    shards=$(((total + count - 1) / count))
    rm -rf "${out:?}/$crate"
    # It exits with another status when changes survive; here they are counted instead.
    cargo mutants --package "$crate" --shard $((seed % shards))/$shards --sharding round-robin --minimum-test-timeout 60 \
        --colors never --output $out/"$crate" > $out/"$crate".log 2>&1 || [ $? -lt 4 ] || { tail -n 20 $out/"$crate".log; exit 1; }
    lines() { cat "$out/$crate/mutants.out/$1.txt" 2>/dev/null | wc -l; }
    # A change that makes a test run forever counts as noticed, too.
    caught=$(($(lines caught) + $(lines timeout))); missed=$(lines missed); viable=$((caught + missed))
    printf '%-12s %8d %8d %8d %7d%% %8d\n' "$crate" $((viable + $(lines unviable))) $viable $caught $((viable > 0 ? 100 * caught / viable : 0)) "$missed"
done
echo
cat $(for crate in "$@"; do echo "$out/$crate/mutants.out/missed.txt"; done) 2>/dev/null || true
