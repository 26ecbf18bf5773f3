//! Files of version 1, which every later version reads.

use super::*;
use crate::shared_log::{
    in_flight::Settled,
    progress::{Identity, Progress, ProgressFile},
};
use message::codec::shared::{self as entry, Entry};
use std::{env, fs, path::PathBuf};

fn golden(name: &str, made: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    if env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, made).unwrap();
    }
    fs::read(path).unwrap()
}

#[test]
fn an_entry_of_version_1_is_read() {
    let batch = delivery(&["h|one", "h|two", "h|three"], Ack::none(), true).batch;
    let mut some = Selection::none(3);
    [0, 2].into_iter().for_each(|index| some.add(index));
    let parts = [(0, Selection::all(3)), (5, some.clone()), (6, some)];
    let (shares, all) = entry::shares(parts.iter().map(|(number, selection)| (*number, selection)));
    let mut made = Vec::new();
    entry::encode(&batch, &shares, &all, &mut made);
    let bytes = golden("shared-log-entry-version-1.bin", &made);
    let entry = Entry::parse(&bytes).unwrap();
    let batch = entry.batch().unwrap();
    let texts = |number| -> Vec<Vec<u8>> {
        let selection = entry.selection(number).unwrap();
        selection.iter().map(|index| batch.fixed(index, Field::Message).to_vec()).collect()
    };
    assert_eq!((texts(0).len(), texts(5), texts(6)), (3, vec![b"one".to_vec(), b"three".to_vec()], texts(5)));
    assert!(entry.selection(1).is_none());
}

#[test]
fn a_consumer_file_of_version_1_is_read() {
    let path = Path::new("/x.shared/d#0.consumer");
    let identity = Identity { number: 9, incarnation: 0x0123_4567_89ab_cdef };
    let settled = Settled { below: 1000, ranges: vec![1010..1020, 1030..1044] };
    let progress = Progress { settled, end: 1100, waiting: 76, capacity_bytes: 1 << 30 };
    let disk = SimDisk::new();
    drop(ProgressFile::create(&disk, path, identity, &progress).unwrap());
    let bytes = golden("shared-log-consumer-version-1.consumer", &disk.bytes(path).unwrap());
    disk.set_bytes(path, bytes);
    let file = ProgressFile::open(&disk, path).unwrap();
    assert_eq!((file.identity, file.saved), (identity, progress));
}
