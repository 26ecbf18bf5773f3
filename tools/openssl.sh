#!/usr/bin/env bash
# Prints where a release takes OpenSSL from, as settings for cargo. It is linked statically.
#
# tools/openssl.sh            for this machine
#   OPENSSL=system   the static library of the machine (Debian's libssl-dev): nothing is compiled
#   OPENSSL=vendored the one that a crate brings: 3.8 minutes of CPU
#   OPENSSL=shared   not a part of the binary: for distributions
# Without it: the machine's, if there is one of 3.0 or newer. tools/openssl.sh TRIPLE     for musl: the one that a crate
# brings, compiled once into target/openssl
set -euo pipefail
cd "$(dirname "$0")/.."

# Compiles the source of the crate. The crate's own build would write the path of its build folder into the library.
compiled() {
    local triple=$1 source into work
    source=$(${CARGO:-cargo} metadata --format-version 1 --locked --filter-platform "$triple" \
        | grep -o '"manifest_path":"[^"]*/openssl-src-[^"]*/Cargo.toml"' | head -n 1 | cut -d '"' -f 4 | xargs dirname)
    into=$PWD/target/openssl/$(basename "$source")-$triple
    # The choices of the crate's own build; musl has neither the kernel's headers (secure memory, engines) nor contexts
    # (async). The second line: algorithms that no TLS suite, certificate or Kafka log-in of ours uses.
    local choices="no-shared no-module no-tests no-apps no-docs no-comp no-zlib no-legacy no-ssl3 no-md2 no-rc5 no-weak-ssl-ciphers
        no-camellia no-idea no-seed no-engine no-async no-quic -DOPENSSL_NO_SECURE_MEMORY
        no-aria no-bf no-cast no-cmp no-gost no-mdc2 no-rc2 no-rc4 no-rmd160 no-sm2 no-sm3 no-sm4 no-srp no-whirlpool"
    if [ "$(cat "$into/.choices" 2>/dev/null)" != "$choices" ]; then
        echo "openssl: compiling $(basename "$source") for $triple" >&2
        work=$(mktemp -d)
        rm -rf "$into"
        mkdir -p "$into"
        cp -r "$source/openssl/." "$work"
        # The build time becomes a part of the library, so it is always the same.
        # shellcheck disable=SC2086 # words
        (
            cd "$work"
            export SOURCE_DATE_EPOCH=1 CC=musl-gcc
            ./Configure "linux-${triple%%-*}" $choices --prefix=/usr --openssldir=/etc/ssl --libdir=lib
            make -s -j "$(nproc)" build_libs
            make -s install_dev DESTDIR="$work/installed"
        ) > "$into/log" 2>&1 || { tail -n 20 "$into/log" >&2; rm -rf "$work"; exit 1; }
        cp -r "$work/installed/usr/." "$into/"
        rm -rf "$work"
        printf '%s' "$choices" > "$into/.choices"
    fi
    local prefix=${triple^^}
    prefix=${prefix//-/_}
    echo "OPENSSL_NO_VENDOR=1 ${prefix}_OPENSSL_STATIC=1 ${prefix}_OPENSSL_LIB_DIR=$into/lib ${prefix}_OPENSSL_INCLUDE_DIR=$into/include"
}

if [ $# -gt 0 ]; then
    compiled "$1"
    exit
fi
folder=$(pkg-config --variable=libdir openssl 2>/dev/null || true)
include=$(pkg-config --variable=includedir openssl 2>/dev/null || true)
if [ -n "$folder" ] && [ -e "$folder/libcrypto.a" ] && pkg-config --atleast-version=3.0 openssl; then found=system; else found=vendored; fi
case ${OPENSSL:-$found} in
    system) echo "OPENSSL_NO_VENDOR=1 OPENSSL_STATIC=1 OPENSSL_LIB_DIR=$folder OPENSSL_INCLUDE_DIR=$include" ;;
    vendored) echo "OPENSSL_NO_VENDOR=0" ;;
    shared) echo "OPENSSL_NO_VENDOR=1" ;;
    *) echo "openssl: OPENSSL is system, vendored or shared, not $OPENSSL" >&2; exit 1 ;;
esac
