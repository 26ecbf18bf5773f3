#!/usr/bin/env bash
# Runs cargo for the binaries of a release. They contain OpenSSL, and nothing in them depends on the folder in which
# they were built: paths are replaced by /duramen (this tree) and /cargo (other crates).
#
# tools/cargo.sh native ARGUMENTS...   for this machine
# tools/cargo.sh static ARGUMENTS...   for every Linux of this architecture: musl instead of glibc, all of it in one file
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?native or static}; shift

tree=$PWD
crates=${CARGO_HOME:-$HOME/.cargo}
separator=$'\x1f'
remap=("--remap-path-prefix=$crates=/cargo" "--remap-path-prefix=$tree=/duramen")
map="${CFLAGS:-} -ffile-prefix-map=$crates=/cargo -ffile-prefix-map=$tree=/duramen"
# No panic passes through C, so its functions need no tables for that (docs/decisions/019-equal-functions-once.md).
map+=" -fno-asynchronous-unwind-tables"
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    remap+=("--remap-path-prefix=$(realpath -m "$CARGO_TARGET_DIR")=/duramen/target")
    map+=" -ffile-prefix-map=$(realpath -m "$CARGO_TARGET_DIR")=/duramen/target"
fi
# SQLite is only used for plain tables (sql()): no full-text search, no R-trees.
export LIBSQLITE3_FLAGS="-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE"
flags=("${remap[@]}")
# Functions with equal machine code are kept once (docs/decisions/019-equal-functions-once.md).
linker=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/gcc-ld
if [ -x "$linker/ld.lld" ]; then
    flags+=("-Clink-arg=-B$linker" -Clink-arg=-fuse-ld=lld -Clink-arg=-Wl,--icf=all)
fi
CARGO_ENCODED_RUSTFLAGS=$(IFS=$separator; printf '%s' "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS

case $kind in
    native)
        triple=$(rustc -vV | sed -n 's/^host: //p')
        settings=$(tools/openssl.sh)
        compiler=${CC:-cc}
        ;;
    static)
        triple=$(uname -m)-unknown-linux-musl
        rustc --print target-libdir --target "$triple" | xargs test -d \
            || { echo "cargo: Rust's library for $triple is missing: tools/install.sh static" >&2; exit 1; }
        settings=$(tools/openssl.sh "$triple")
        set -- "$@" --target "$triple"
        compiler=musl-gcc
        # The program relocates itself when it starts; packed, the table for that has a hundredth of its size.
        CARGO_ENCODED_RUSTFLAGS+="${separator}-Clink-arg=-Wl,-z,pack-relative-relocs"
        ;;
    *) echo "cargo: native or static, not $kind" >&2; exit 1 ;;
esac
export "CFLAGS_${triple//-/_}=$map"
# librdkafka asks for CC alone, all other libraries for that of their target first (docs/decisions/018-kafka-by-librdkafka.md).
export "CC_${triple//-/_}=$compiler" HOST_CC="${HOST_CC:-${CC:-cc}}" CC="$tree/tools/kafka-cc.sh" KAFKA_CC="$compiler" KAFKA_FLAGS="$map"
for setting in $settings; do
    case $setting in
        *OPENSSL_INCLUDE_DIR=/usr/include) ;;
        *OPENSSL_INCLUDE_DIR=*) KAFKA_FLAGS+=" -I${setting#*=}" ;;
        *OPENSSL_LIB_DIR=/usr/*) ;;
        *OPENSSL_LIB_DIR=*) KAFKA_FLAGS+=" -L${setting#*=}" ;;
    esac
done
# shellcheck disable=SC2086 # NAME=VALUE words
exec env $settings "${CARGO:-cargo}" "$@"
