//! Documents in pieces, from offsets on, with encodings and messages of several lines.

use super::*;
use crate::{
    Settings, SettingsCell, SourceDriver, SourceOptions,
    testing::{here, source_options},
};
use message::{Field, Outcome};
use std::sync::Mutex;
use transport::{stats::Registry, testing::Collected};
use wire::{CharacterSet, Framing, Oversize, ParseFlags};

/// Remembers the offsets that were acknowledged.
struct Offset(u64, Arc<Mutex<Vec<u64>>>);

impl Completion for Offset {
    fn complete(&self, outcome: Outcome) {
        assert_eq!(outcome, Outcome::Done);
        self.1.lock().unwrap().push(self.0);
    }
}

fn options() -> SourceOptions {
    let mut options = source_options();
    options.framing = Framing::Newline;
    options.decode.flags = options.decode.flags.with(ParseFlags::NO_PARSE);
    options
}

/// Reads the pieces of a document from an offset on. Returns the texts of its messages, and the offsets.
fn read(options: SourceOptions, offset: u64, pieces: &[&[u8]]) -> (Vec<String>, Vec<u64>) {
    let collected = Collected::new();
    let settings = Settings {
        id: "s#0".to_owned(),
        component: "s3".to_owned(),
        driver: SourceDriver::Stream(crate::StreamListener::new(here(1))),
        options: Arc::new(options),
        intake: collected.clone(),
        counters: Registry::default().register("src.s3", "s#0", ""),
    };
    let mut reader = DocumentReader::new(BatchReader::new(&SettingsCell::new(settings)));
    let (origin, offsets) = (Arc::new(Origin::default()), Arc::new(Mutex::new(Vec::new())));
    let completion = |at| Box::new(Offset(at, offsets.clone())) as Box<dyn Completion>;
    reader.begin(offset);
    for piece in pieces {
        reader.add(piece, &origin, completion);
    }
    reader.finish(&origin, completion);
    let texts = collected.batches(|batches| {
        let places = batches.iter().flat_map(|batch| (0..batch.len()).map(move |index| (batch, index)));
        let text = |(batch, index): (&message::Batch, usize)| batch.fixed(index, Field::Message).to_vec();
        places.map(|place| String::from_utf8(text(place)).unwrap()).collect()
    });
    let offsets = offsets.lock().unwrap().clone();
    (texts, offsets)
}

#[track_caller]
fn check(options: SourceOptions, offset: u64, pieces: &[&[u8]], texts: &[&str], offsets: &[u64]) {
    let (found, at) = read(options, offset, pieces);
    assert_eq!(
        (found.iter().map(String::as_str).collect::<Vec<_>>(), at.as_slice()),
        (texts.to_vec(), offsets)
    );
}

#[test]
fn lines_end_where_they_end_whatever_the_pieces_are() {
    check(options(), 0, &[b"one\ntwo\n"], &["one", "two"], &[8]);
    check(options(), 0, &[b"one\ntw", b"o\nthree"], &["one", "two", "three"], &[4, 8, 13]);
    check(options(), 100, &[b"o", b"n", b"e", b"\n\n\n"], &["one"], &[106]);
    check(options(), 0, &[b"", b"\n\n", b""], &[], &[]);
    check(options(), 0, &[], &[], &[]);
}

#[test]
fn a_line_without_an_end_is_cut_or_split() {
    let mut cut = options();
    (cut.message_bytes_max, cut.oversize) = (4, Oversize::Cut);
    let (texts, offsets) = read(cut, 0, &[b"0123", b"4567", b"89\nab\n"]);
    assert_eq!((texts.as_slice(), offsets.last()), (["0123", "ab"].map(str::to_owned).as_slice(), Some(&14)));
    let mut split = options();
    (split.message_bytes_max, split.oversize) = (4, Oversize::Split);
    let (texts, offsets) = read(split, 0, &[b"0123", b"4567", b"89\nab\n"]);
    assert_eq!((texts.concat().as_str(), texts.len(), offsets.last()), ("0123456789ab", 4, Some(&14)));
}

#[test]
fn offsets_are_those_of_the_document_and_not_of_its_text() {
    let mut latin = options();
    latin.encoding = CharacterSet::from_name("iso-8859-1");
    assert!(latin.encoding.is_some());
    check(latin, 0, &[b"\xfcml\xe4ut\nx", b"y\n"], &["\u{fc}ml\u{e4}ut", "xy"], &[7, 10]);
}
