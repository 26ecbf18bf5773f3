#!/bin/sh
# Compiles librdkafka for a release, as tools/cargo.sh says: for size, each function apart, so that the linker leaves out what
# a program without a consumer does not call. Other C libraries are compiled for speed, by the compiler itself.
#
# KAFKA_CC: the compiler; KAFKA_FLAGS: words before the others.
# shellcheck disable=SC2086 # words
exec ${KAFKA_CC:-cc} ${KAFKA_FLAGS:-} "$@" -Os -ffunction-sections -fdata-sections
