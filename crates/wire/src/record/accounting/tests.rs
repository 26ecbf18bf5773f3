//! Rows for records of process accounting.

use super::*;
use message::{Ack, Field, Origin, Stamp};
use std::sync::Arc;

/// A record as the kernel writes it, in one byte order or the other.
fn record(is_big_endian: bool, command: &[u8]) -> Vec<u8> {
    let half = |number: u16| if is_big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
    let word = |number: u32| if is_big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
    let mut bytes = vec![0x03, if is_big_endian { 0x83 } else { 3 }];
    bytes.extend(half(34_816));
    for number in [256, 1000, 100, 4711, 1, 1_700_000_000, 2.5f32.to_bits()] {
        bytes.extend(word(number));
    }
    // 8191 is the largest without an exponent; 0x2000 | 1 is 1 times 8.
    for number in [8191, 0x2001, 0xffff, 0, 7, 9, 11, 0] {
        bytes.extend(half(number));
    }
    bytes.extend(command);
    bytes.resize(ACCOUNTING_BYTES, 0);
    bytes
}

#[track_caller]
fn check(record: Vec<u8>, want: &str) {
    let size = record.len();
    let mut batch =
        Batch::new(Arc::new(record), vec![Arc::<Origin>::default()], Stamp::known(9, 0), Ack::none());
    push_accounting(&mut batch, Span::received(0, size), Priority(13), 0);
    assert_eq!(batch.len(), 1);
    let mut shown = String::from_utf8_lossy(batch.fixed(0, Field::Message)).into_owned();
    for tag in batch.messages[0].marks.tags() {
        shown += &format!(" !{tag}");
    }
    let mut values: Vec<String> = batch
        .values(0)
        .iter()
        .map(|(name, value, _)| {
            let name = String::from_utf8_lossy(name);
            format!(" {}={}", name.trim_start_matches(".pacct.ac_"), String::from_utf8_lossy(value))
        })
        .collect();
    values.sort();
    assert_eq!(shown + &values.concat(), want);
}

const WHOLE: &str = " btime=1700000000.00 comm=cc1plus etime=     2.50 exitcode=256 flag=03 gid=100 io=0 majflt=11 \
                     mem=17177772032 minflt=9 pid=4711 ppid=1 rw=7 stime=8.00 swaps=0 tty=34816 uid=1000 utime=8191.00";

#[test]
fn reads_records_of_either_byte_order() {
    check(record(false, b"cc1plus"), WHOLE);
    check(record(true, b"cc1plus"), WHOLE);
    check(record(false, b"sixteen-letters-"), &WHOLE.replace("cc1plus", "sixteen-letters-"));
}

#[test]
fn what_is_no_record_is_a_message_that_says_so() {
    let of = |version: u8| {
        let mut bytes = record(false, b"x");
        bytes[1] = version;
        bytes
    };
    let other = "only version 3 of process accounting is read, this record is of version";
    check(of(2), &format!("{other} 2 !message.parse_error"));
    check(of(0x86), &format!("{other} 6 !message.parse_error"));
    let short = "a record of process accounting has 64 bytes, this one";
    check(vec![3; 63], &format!("{short} 63 !message.parse_error"));
    check(Vec::new(), &format!("{short} 0 !message.parse_error"));
}
