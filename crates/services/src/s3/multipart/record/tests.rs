//! The record over restarts, and the first version of its file.

use super::*;
use std::{fs, ops::Range};

fn set(run: Range<u64>) -> SequenceSet {
    let mut set = SequenceSet::default();
    set.insert_run(run);
    set
}

fn upload(id: u64, phase: Phase) -> RecordedUpload {
    RecordedUpload {
        id,
        address: "http://h/logs".to_owned(),
        prefix: "k".to_owned(),
        object: format!("k-{id}.log"),
        upload: None,
        began_s: 77,
        phase,
    }
}

fn part(number: u32, places: Range<u64>) -> UploadedPart {
    let messages = places.end - places.start;
    let (etag, checksum, places) = ("\"e\"".to_owned(), "c".to_owned(), set(places));
    UploadedPart { number, etag, checksum, size: 100, messages, bytes: 10 * messages, places }
}

#[test]
fn a_record_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut record = UploadRecord::open(&path).unwrap();
    record.begin(&upload(1, Phase::Open)).unwrap();
    record.created(1, "id/1").unwrap();
    record.add_part(1, &part(2, 5..9)).unwrap();
    record.add_part(1, &part(1, 0..5)).unwrap();
    record.begin_whole(&upload(2, Phase::Closing), &part(0, 20..22)).unwrap();
    record.begin(&upload(3, Phase::Open)).unwrap();
    drop(record);
    let mut record = UploadRecord::open(&path).unwrap();
    let begun = RecordedUpload { upload: Some("id/1".to_owned()), ..upload(1, Phase::Open) };
    assert_eq!(record.uploads().unwrap(), [begun, upload(2, Phase::Closing), upload(3, Phase::Open)]);
    let numbers =
        |record: &UploadRecord| record.parts(1).unwrap().iter().map(|part| part.number).collect::<Vec<_>>();
    assert_eq!((numbers(&record), record.places(1).unwrap()), (vec![1, 2], set(0..9)));
    assert!(record.places_bytes().unwrap() == 6 && record.settled().unwrap().is_empty());
    // The messages of a complete upload stay settled until the queue has passed them.
    record.complete(1, 0).unwrap();
    assert_eq!((record.settled().unwrap(), record.uploads().unwrap().len()), (set(0..9), 2));
    record.settle(&set(12..13), 5).unwrap();
    record.settle(&SequenceSet::default(), 100).unwrap();
    assert_eq!(record.settled().unwrap().count(), 5);
    // The messages of a lost upload are returned, to be read again; the upload is to be removed.
    assert_eq!(record.lose(2).unwrap(), set(20..22));
    assert_eq!(record.uploads().unwrap()[0], upload(2, Phase::Aborting));
    record.forget(2).unwrap();
    record.set_phase(3, Phase::Closing).unwrap();
    assert_eq!(record.uploads().unwrap(), [upload(3, Phase::Closing)]);
}

#[test]
fn the_first_version_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fs::copy("testdata/s3-uploads-1.sqlite", &path).unwrap();
    let record = UploadRecord::open(&path).unwrap();
    let uploads = record.uploads().unwrap();
    let shown = |upload: &RecordedUpload| {
        format!("{} {} {:?} {:?}", upload.id, upload.object, upload.upload, upload.phase)
    };
    assert_eq!(
        uploads.iter().map(shown).collect::<Vec<_>>(),
        ["3 k-1.log Some(\"id/1\") Open", "4 l-2.log None Closing"]
    );
    let mut places = set(5..7);
    places.insert(9);
    assert_eq!(record.places(3).unwrap(), places);
    assert_eq!(record.settled().unwrap(), set(300..301));
    assert_eq!(record.parts(3).unwrap()[0].size, 5 << 20);
}

#[test]
fn what_we_did_not_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let record = UploadRecord::open(&path).unwrap();
    record.database.execute("INSERT INTO uploads VALUES (1, '', '', '', NULL, 0, 9)", []).unwrap();
    record.database.execute("INSERT INTO parts VALUES (0, 1, '', '', 0, 0, 0, 0, X'05')", []).unwrap();
    assert!(matches!(record.uploads(), Err(RecordError::Damaged)));
    assert!(matches!(record.settled(), Err(RecordError::Damaged)));
    record.database.pragma_update(None, "user_version", 2).unwrap();
    drop(record);
    assert!(matches!(UploadRecord::open(&path), Err(RecordError::Version(2))));
    fs::write(&path, "no database, but longer than the header of one").unwrap();
    assert!(matches!(UploadRecord::open(&path), Err(RecordError::Database(_))));
}
