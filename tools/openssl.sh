#!/usr/bin/env bash
# Prints where a release takes OpenSSL from, as settings for cargo. It is always a part of the binary.
#
# OPENSSL=system   the static library of the machine (Debian's libssl-dev): nothing is compiled
# OPENSSL=vendored the one that a crate brings: 3.8 minutes of CPU
# OPENSSL=shared   not a part of the binary: for distributions
# Without it: the machine's, where there is one of 3.0 or newer.
set -euo pipefail
folder=$(pkg-config --variable=libdir openssl 2>/dev/null || true)
include=$(pkg-config --variable=includedir openssl 2>/dev/null || true)
if [ -n "$folder" ] && [ -e "$folder/libcrypto.a" ] && pkg-config --atleast-version=3.0 openssl; then found=system; else found=vendored; fi
case ${OPENSSL:-$found} in
    system) echo "OPENSSL_NO_VENDOR=1 OPENSSL_STATIC=1 OPENSSL_LIB_DIR=$folder OPENSSL_INCLUDE_DIR=$include" ;;
    vendored) echo "OPENSSL_NO_VENDOR=0" ;;
    shared) echo "OPENSSL_NO_VENDOR=1" ;;
    *) echo "openssl: OPENSSL is system, vendored or shared, not $OPENSSL" >&2; exit 1 ;;
esac
