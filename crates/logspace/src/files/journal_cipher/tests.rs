//! Keys of a journal: what they open, which of them are destroyed, and what is left of one.

use super::*;
use sim::SimDisk;

const DIR: &str = "/l";

fn open(disk: &SimDisk) -> JournalCipher {
    JournalCipher::open(Arc::new(disk.clone()), Path::new(DIR)).unwrap()
}

fn sealed(cipher: &JournalCipher, sequence: u64, text: &[u8]) -> Vec<u8> {
    let mut out = b"before".to_vec();
    cipher.seal(sequence, &mut out, &mut |out| out.extend_from_slice(text));
    assert!(out.starts_with(b"before"));
    out.split_off(6)
}

/// The numbers in the names of the keys' files.
fn numbers(disk: &SimDisk) -> Vec<u64> {
    let names = disk.paths().into_iter().filter(|path| path.starts_with("/l/journal-keys"));
    let mut numbers: Vec<u64> =
        names.map(|path| path.file_stem().unwrap().to_str().unwrap().parse().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_record_is_opened_by_its_key_under_its_number_only() {
    let disk = SimDisk::new();
    let cipher = open(&disk);
    assert!(!cipher.is_ready());
    cipher.renew(10).unwrap();
    assert!(cipher.is_ready());
    let (first, second) = (sealed(&cipher, 10, b"message"), sealed(&cipher, 11, b"message"));
    assert_ne!(first[HEAD_BYTES..], second[HEAD_BYTES..], "the same text twice");
    assert!(memchr::memmem::find(&first, b"message").is_none());
    let again = open(&disk);
    assert!(!again.is_ready(), "each start draws a key of its own");
    for cipher in [&cipher, &again] {
        assert_eq!(cipher.open_record(10, &first).as_deref(), Some(&b"message"[..]));
        assert_eq!(cipher.open_record(11, &second).as_deref(), Some(&b"message"[..]));
        assert_eq!(cipher.open_record(11, &first), None, "moved to another number");
        assert_eq!(cipher.open_record(5, b"plain").as_deref(), Some(&b"plain"[..]));
        for at in 0..first.len() {
            let mut harmed = first.clone();
            harmed[at] ^= 1;
            // Without its first byte it is a plain batch, which has a version of its own.
            let want = (at == 0).then(|| harmed.clone());
            assert_eq!(cipher.open_record(10, &harmed).as_deref(), want.as_deref(), "byte {at}");
            let cut = (at == 0).then(Vec::new);
            assert_eq!(cipher.open_record(10, &first[..at]).as_deref(), cut.as_deref(), "cut at {at}");
        }
    }
}

#[test]
fn keys_of_sealed_messages_are_destroyed() {
    let disk = SimDisk::new();
    let cipher = open(&disk);
    let records: Vec<Vec<u8>> = [0, 10, 20]
        .into_iter()
        .map(|first| {
            cipher.renew(first).unwrap();
            sealed(&cipher, first, b"message")
        })
        .collect();
    let opened = |cipher: &JournalCipher| {
        let open = |(record, first): (&Vec<u8>, u64)| cipher.open_record(first, record).is_some();
        records.iter().zip([0, 10, 20]).map(open).collect::<Vec<_>>()
    };
    for (below, left) in
        [(0, vec![0, 10, 20]), (9, vec![0, 10, 20]), (10, vec![10, 20]), (19, vec![10, 20]), (999, vec![20])]
    {
        cipher.forget(below).unwrap();
        assert_eq!(numbers(&disk), left, "below {below}");
        let want: Vec<bool> = [0, 10, 20].iter().map(|number| left.contains(number)).collect();
        assert_eq!((opened(&cipher), opened(&open(&disk))), (want.clone(), want), "below {below}");
    }
}

#[test]
fn what_is_left_of_a_key_opens_nothing() {
    let disk = SimDisk::new();
    let cipher = open(&disk);
    cipher.renew(7).unwrap();
    let record = sealed(&cipher, 7, b"message");
    let path = Path::new("/l/journal-keys/00000000000000000007.key");
    let key = disk.bytes(path).unwrap();
    let opens = |bytes: &[u8]| {
        disk.set_bytes(path, bytes.to_vec());
        open(&disk).open_record(7, &record).is_some()
    };
    assert!(opens(&key));
    assert!(!opens(&key[..KEY_BYTES - 1]) && !opens(&[]) && !opens(&[0; KEY_BYTES]));
    // A file that is cut off is no key, also when the rest would be zeros.
    assert_eq!(open(&disk).state.lock().unwrap().keys.len(), 0);
    let mut short = key.clone();
    short[KEY_BYTES - 1] = 0;
    disk.set_bytes(path, short[..KEY_BYTES - 1].to_vec());
    assert_eq!(open(&disk).state.lock().unwrap().keys.len(), 0);
    disk.set_bytes(Path::new("/l/journal-keys/note"), key.clone());
    disk.set_bytes(Path::new("/l/journal-keys/x.key"), key);
    assert_eq!(open(&disk).state.lock().unwrap().keys.len(), 0, "files with other names");
    // A key under the same number is drawn again, and never opens the old record.
    let next = open(&disk);
    next.renew(7).unwrap();
    assert_eq!(next.open_record(7, &record), None);
}
