#!/usr/bin/env bash
# Runs every fuzz target for a number of seconds (first argument, default 60); further arguments name targets.
# Findings are left in fuzz/artifacts. Works with the stable toolchain: only coverage counters, no sanitizer.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}; shift || true
counters="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
counters="$counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
target=x86_64-unknown-linux-gnu
RUSTFLAGS="$counters" cargo build --release --target $target --quiet
# Whole inputs to begin with: the golden files of our formats, the quickstart.
seed() {
    case $1 in
        segment) cp ../crates/store/testdata/*.segment corpus/segment/ ;;
        journal) cp ../crates/journal/testdata/*.dj corpus/journal/ ;;
        codec) cp ../crates/message/testdata/*.bin corpus/codec/ ;;
        configuration) cp ../examples/*.conf corpus/configuration/ ;;
    esac
}
[ $# -gt 0 ] || set -- $(sed -n 's/^path = "targets\/\(.*\)\.rs"/\1/p' Cargo.toml)
failed=0
for name in "$@"; do
    mkdir -p corpus/"$name" artifacts/"$name"
    seed "$name"
    printf '%-16s ' "$name"
    if target/$target/release/"$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
        -artifact_prefix=artifacts/"$name"/ corpus/"$name" > artifacts/"$name".log 2>&1
    then grep -oE 'Done [0-9]+ runs in [0-9]+ second' artifacts/"$name".log
    else failed=1; echo "FOUND something: see fuzz/artifacts/$name.log"; tail -n 5 artifacts/"$name".log; fi
done
exit $failed
