#!/usr/bin/env bash
# Builds the static binary of the last commit in two folders with names of different lengths, makes its archive and its
# image in each, and compares every byte. PROFILE=quick builds without optimisation across crates: the same steps in
# half the time.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD
profile=${PROFILE:-packaged}
triple=$(uname -m)-unknown-linux-musl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
unset CARGO_TARGET_DIR

build() {
    git clone --quiet --no-hardlinks "$tree" "$1"
    (
        cd "$1"
        # The program that builds the manual is not part of the comparison.
        if [ -d "$tree/target/tools" ]; then mkdir target && cp -r "$tree/target/tools" target/; fi
        make --silent ui docs
        tools/cargo.sh static build --profile "$profile" --locked --package duramen
        binary=target/$triple/$profile/duramen
        for verb in components archive image; do tools/package.sh "$verb" "$binary"; done
        cp "$binary" target/dist/duramen
    ) >&2
    (cd "$1/target/dist" && sha256sum ./*)
}

build "$work/one" > "$work/sums"
build "$work/another/folder" > "$work/sums-again"
cat "$work/sums"
if cmp -s "$work/sums" "$work/sums-again"; then
    echo "reproducible: the same bytes in both folders"
else
    diff "$work/sums" "$work/sums-again" >&2 || true
    echo "reproducible: the bytes differ" >&2
    exit 1
fi
