//! Rows for the names and headers of journal files.

use super::*;

#[track_caller]
fn check_name(name: &str, first: Option<u64>) {
    let parsed = JournalFile::parse(Path::new("/dir"), name);
    assert_eq!(parsed.as_ref().map(|file| file.first), first, "{name}");
    if let Some(file) = parsed {
        assert_eq!(file, JournalFile::new(Path::new("/dir"), file.first), "{name}");
    }
}

#[test]
fn names_have_twenty_digits() {
    check_name("journal-00000000000000000007.dj", Some(7));
    check_name("journal-18446744073709551615.dj", Some(u64::MAX));
    check_name("journal-18446744073709551616.dj", None);
    check_name("journal-0000000000000000007.dj", None);
    check_name("journal-000000000000000000007.dj", None);
    check_name("journal-+0000000000000000007.dj", None);
    check_name("journal-00000000000000000007.tmp", None);
    check_name("spare-00000000000000000007.dj", None);
    let spare = JournalFile::new(Path::new("/dir"), 7).spare_path();
    assert_eq!(spare, Path::new("/dir/spare-00000000000000000007.dj"));
    let name = spare.file_name().unwrap().to_str().unwrap();
    assert_eq!(JournalFile::parse_spare(Path::new("/dir"), name).unwrap().first, 7);
}

#[test]
fn every_changed_byte_of_a_header_shows() {
    for history in [FileHistory::New, FileHistory::Recycled] {
        let header = encode_header(u64::MAX - 5, 0x8765_4321, history);
        let ours = Header::Ours { salt: 0x8765_4321, first: u64::MAX - 5, history };
        assert_eq!(decode_header(&header), ours);
        for at in 0..header.len() {
            let mut changed = header;
            changed[at] ^= 1;
            assert_eq!(decode_header(&changed), Header::Bad, "byte {at}");
            assert_eq!(decode_header(&header[..at]), Header::Bad, "{at} bytes");
        }
    }
}

/// A header with another number at an offset and the right checksum.
#[track_caller]
fn check_number(at: usize, number: u16, want: Header) {
    let mut header = encode_header(3, 4, FileHistory::New);
    header[at..at + 2].copy_from_slice(&number.to_le_bytes());
    let crc = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(decode_header(&header), want, "{number} at {at}");
}

#[test]
fn other_versions_and_algorithms_are_not_read() {
    let ours = Header::Ours { salt: 4, first: 3, history: FileHistory::New };
    check_number(8, VERSION, ours);
    check_number(8, VERSION + 1, Header::Foreign { version: VERSION + 1 });
    check_number(10, CHECKSUM_CRC32 + 1, Header::Foreign { version: VERSION });
    check_number(12, PLAIN + 1, Header::Foreign { version: VERSION });
    check_number(14, PLAIN + 1, Header::Foreign { version: VERSION });
    check_number(0, 0, Header::Bad);
}
