#!/usr/bin/env bash
# Runs every fuzz target for a number of seconds (first argument, default 60); further arguments name targets.
# Findings are left in fuzz/artifacts, new inputs in fuzz/found. With KEEP=1 the corpus is rebuilt from both: some of
# the smallest inputs that reach all code, at most 4 KiB each. Works with the stable toolchain: coverage counters, no sanitizer.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}; shift || true
counters="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
counters="$counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
target=x86_64-unknown-linux-gnu
RUSTFLAGS="$counters" cargo build --release --manifest-path fuzzer/Cargo.toml --target-dir target --target $target --quiet
fuzzer=target/$target/release/fuzzer
# The folders of complete inputs that a target starts from.
seeds() {
    awk -v target="$1" '$1 == target { print "../" $2 }' seeds.txt
}
[ $# -gt 0 ] || set -- $(sed -n 's/^    ("\([a-z0-9_]*\)", .*/\1/p' targets/src/registry.rs)
failed=0
for name in "$@"; do
    mkdir -p corpus/"$name" found/"$name" artifacts/"$name"
    export FUZZ_TARGET=$name
    printf '%-16s ' "$name"
    if "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
        -artifact_prefix=artifacts/"$name"/ found/"$name" corpus/"$name" $(seeds "$name") > artifacts/"$name".log 2>&1
    then grep -oE 'Done [0-9]+ runs in [0-9]+ second' artifacts/"$name".log
    else failed=1; echo "FOUND something: see fuzz/artifacts/$name.log"; tail -n 5 artifacts/"$name".log; fi
    if [ "${KEEP:-}" = 1 ]; then
        rm -rf kept; mkdir kept
        "$fuzzer" -merge=1 -max_len=4096 kept corpus/"$name" found/"$name" > artifacts/"$name".merge.log 2>&1
        # Few enough for a repository: 48, from the smallest to the largest.
        ls -rS kept | awk -v n="$(ls kept | wc -l)" 'n > 48 && int(NR * 48 / n) == int((NR - 1) * 48 / n)' | (cd kept && xargs -r rm)
        rm -rf corpus/"$name"; mv kept corpus/"$name"
    fi
done
exit $failed
