//! Rows for records: their layout, and bytes that cannot be one.

use super::*;

const SALT: u32 = 0x0403_0201;

/// A record of three bytes: two messages from 256 on, with everything below 255 durable.
fn record() -> Vec<u8> {
    let mut bytes = vec![0; RECORD_HEADER_BYTES];
    bytes.extend(b"abc");
    finish_record(&mut bytes, 0, SALT, 2, 256, 255);
    bytes
}

/// The record with other bytes at an offset and the right checksum.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = record();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    let crc = crc32fast::hash(&changed[4..]);
    changed[..4].copy_from_slice(&crc.to_le_bytes());
    changed
}

#[track_caller]
fn check(bytes: &[u8], want: Option<(u64, u32, u64)>) {
    let decoded = decode_record(bytes, SALT);
    assert_eq!(decoded.map(|(header, _)| (header.sequence, header.count, header.durable)), want);
    if let Some((header, payload)) = decoded {
        assert_eq!((payload, header.total_bytes()), (&b"abc"[..], 35));
        assert_eq!(header.end(), header.sequence + u64::from(header.count));
    }
}

#[test]
fn a_record_is_laid_out_as_described() {
    let fields = [3, 0, 0, 0, 1, 2, 3, 4, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(record()[4..], [&fields[..], b"abc"].concat());
    assert_eq!(record()[..4], crc32fast::hash(&record()[4..]).to_le_bytes());
    let mut second = record();
    second.resize(35 + RECORD_HEADER_BYTES, 0);
    second.extend(b"abc");
    finish_record(&mut second, 35, SALT, 2, 256, 255);
    assert_eq!(second, record().repeat(2));
}

#[test]
fn every_field_has_its_limits() {
    check(&record(), Some((256, 2, 255)));
    check(&[&record()[..], b"more"].concat(), Some((256, 2, 255)));
    for at in 0..record().len() {
        let mut damaged = record();
        damaged[at] ^= 1;
        check(&damaged, None);
        check(&record()[..at], None);
    }
    check(&changed(8, &[9]), None);
    check(&changed(24, &256_u64.to_le_bytes()), Some((256, 2, 256)));
    check(&changed(24, &257_u64.to_le_bytes()), None);
    check(&changed(16, &(u64::MAX - 2).to_le_bytes()), Some((u64::MAX - 2, 2, 255)));
    check(&changed(16, &(u64::MAX - 1).to_le_bytes()), None);
    check(&changed(12, &[0]), Some((256, 0, 255)));
    let header = |length: usize| RecordHeader::decode(&changed(4, &(length as u32).to_le_bytes()), SALT);
    assert_eq!(header(RECORD_BYTES_MAX).unwrap().total_bytes(), RECORD_BYTES_MAX + 32);
    assert_eq!(header(RECORD_BYTES_MAX + 1), None);
}
