//! Entries: what each consumer gets back; bytes that are not entries.

use message::{
    Field, Selection,
    codec::shared::{CONSUMERS_MAX, Entry, encode, shares},
};
use transport::testing::delivery;

const MESSAGES: [&str; 5] = ["h|zero", "h|one", "h|two", "h|three", "h|four"];

fn selection(indices: &[usize]) -> Selection {
    let mut selection = Selection::none(MESSAGES.len());
    indices.iter().for_each(|index| selection.add(*index));
    selection
}

fn encoded(parts: &[(usize, &[usize])]) -> Vec<u8> {
    let batch = delivery(&MESSAGES, message::Ack::none(), true).batch;
    let selections: Vec<(usize, Selection)> =
        parts.iter().map(|(number, indices)| (*number, selection(indices))).collect();
    let (shares, all) = shares(selections.iter().map(|(number, selection)| (*number, selection)));
    let mut bytes = Vec::new();
    encode(&batch, &shares, &all, &mut bytes);
    bytes
}

fn texts(bytes: &[u8], number: usize) -> Option<Vec<String>> {
    let entry = Entry::parse(bytes).unwrap();
    let selection = entry.selection(number)?;
    let batch = entry.batch().unwrap();
    let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
    Some(selection.iter().map(text).collect())
}

#[test]
fn each_consumer_gets_its_messages() {
    let bytes = encoded(&[(0, &[0, 1, 2, 3, 4]), (7, &[1, 3]), (63, &[3]), (5, &[1, 3])]);
    let rows: [(usize, Option<&[&str]>); 5] = [
        (0, Some(&["zero", "one", "two", "three", "four"])),
        (7, Some(&["one", "three"])),
        (5, Some(&["one", "three"])),
        (63, Some(&["three"])),
        (1, None),
    ];
    for (number, want) in rows {
        let want = want.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(texts(&bytes, number), want, "consumer {number}");
    }
    assert_eq!(Entry::parse(&bytes).unwrap().consumers().0, 1 | 1 << 5 | 1 << 7 | 1 << 63);
}

#[test]
fn messages_that_nobody_gets_are_left_out() {
    let bytes = encoded(&[(1, &[2]), (2, &[4])]);
    assert_eq!(texts(&bytes, 1).unwrap(), ["two"]);
    assert_eq!(texts(&bytes, 2).unwrap(), ["four"]);
    let is_there = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(is_there(b"two") && is_there(b"four") && !is_there(b"three"));
}

#[test]
fn bytes_that_are_no_entry_are_refused() {
    let whole = encoded(&[(1, &[2]), (2, &[0, 4])]);
    for length in 0..whole.len() {
        let cut = Entry::parse(&whole[..length]).and_then(|entry| entry.batch().map(drop));
        assert!(cut.is_err(), "{length} of {} bytes", whole.len());
    }
    let mut chance = sim::Chance::new(1);
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=chance.below(3) {
            let at = chance.below(bytes.len() as u64) as usize;
            bytes[at] = chance.number() as u8;
        }
        if let Ok(entry) = Entry::parse(&bytes) {
            let counts = (0..CONSUMERS_MAX).map(|number| entry.selection(number).map(|found| found.count()));
            assert!(counts.flatten().all(|count| count <= entry.messages()));
            let _ = entry.batch();
        }
    }
}
