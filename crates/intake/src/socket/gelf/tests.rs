//! Payloads in every compression, and bytes that only look like one.

use super::*;
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[track_caller]
fn check(datagram: &[u8], want: Option<&str>) {
    let (mut assembler, mut seen) = (Assembler::new(), None);
    let show = |text: &[u8]| seen = Some(String::from_utf8_lossy(text).into_owned());
    let taken = assembler.take(datagram, None, Instant::now(), show);
    assert_eq!((taken, seen.as_deref()), (want.is_some(), want));
}

#[test]
fn unpacks() {
    check(b"{\"a\":1}", Some("{\"a\":1}"));
    check(&gzip(b"{}"), Some("{}"));
    check(&zlib(b"{}"), Some("{}"));
    check(b"text", Some("text"));
    check(&gzip(b"{}")[..12], None);
    check(b"\x78\x9cgarbage", None);
}

#[test]
fn a_bomb_is_refused() {
    let bytes = vec![b' '; UNPACKED_BYTES_MAX + 1];
    check(&gzip(&bytes), None);
    check(&zlib(&bytes), None);
    check(&zlib(&bytes[1..]), Some(&" ".repeat(UNPACKED_BYTES_MAX)));
}
