//! What is readable without a key, with it, and with another; letters that were there before.

use super::*;
use crate::sealed::{Opener, Sealer, StoredLetter};
use evidence::Recipient;
use std::fs;

const TEXT: &str = "card 4929-1111 of eva";

fn sealer(recipients: &[&str]) -> Sealer {
    Sealer::new(recipients.iter().map(|text| Recipient::load(text).unwrap()).collect())
}

fn sealed(recipients: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    sealer(recipients).encode(&letter(5, TEXT, 9), &mut bytes).unwrap();
    bytes
}

fn opened(bytes: &[u8], private: &str) -> Result<Letter, LetterError> {
    StoredLetter::read(bytes)?.open(&mut Opener::new(keys(private)))
}

fn contains(bytes: &[u8], part: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(part)
}

/// All bytes of the files of a store.
fn files(folder: &Path) -> Vec<u8> {
    let paths = fs::read_dir(folder.join("dead")).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn each_recipient_opens_it_and_nobody_else() {
    let (first, second, other) = (pair(), Identity::draw().unwrap(), Identity::draw().unwrap());
    let bytes = sealed(&[&first.0, &second.0]);
    for private in [&first.1, &second.1] {
        let letter = opened(&bytes, private).unwrap();
        assert_eq!((text(&letter).as_str(), letter.group.as_str()), (TEXT, "logs"));
        assert_eq!((letter.answer.as_str(), letter.attempts, letter.died_us), ("22P02: no number", 3, 9));
    }
    assert_eq!(opened(&bytes, &other.1).unwrap_err(), LetterError::Locked);
    let stored = StoredLetter::read(&bytes).unwrap();
    assert_eq!((&stored.head, stored.is_encrypted()), (&letter(5, TEXT, 9).head(), true));
    for part in [TEXT, "logs", "22P02", "no number"] {
        assert!(!contains(&bytes, part), "{part} can be read");
    }
}

#[test]
fn changed_bytes_are_no_letter() {
    let bytes = sealed(&[&pair().0]);
    for end in 0..bytes.len() {
        assert!(opened(&bytes[..end], &pair().1).is_err(), "cut at {end}");
    }
    let plain = opened(&bytes, &pair().1).unwrap();
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 1;
        // The name of a recipient is only for people.
        if let Ok(letter) = opened(&changed, &pair().1) {
            assert_eq!((letter.head(), text(&letter)), (plain.head(), text(&plain)), "byte {index}");
        }
    }
    // The head of one letter with the text of another.
    let mut other = Vec::new();
    sealer(&[&pair().0]).encode(&letter(6, TEXT, 9), &mut other).unwrap();
    let length = u32::from_le_bytes(bytes[1..5].try_into().unwrap()) as usize + 5;
    let mixed = [&other[..length], &bytes[length..]].concat();
    assert_eq!(opened(&mixed, &pair().1).unwrap_err(), LetterError::Changed);
}

#[test]
fn heads_need_no_key_and_texts_do() {
    let folder = tempfile::tempdir().unwrap();
    let (letters, counters) = open(folder.path(), FORMS[1]);
    assert!(letters.encrypts());
    letters.store(&[letter(0, TEXT, 1), letter(1, TEXT, 2)], Stamp::default()).unwrap();
    let mut heads = Vec::new();
    letters
        .heads(&mut |number, head| {
            heads.push((number, head.died_us, head.reason));
            true
        })
        .unwrap();
    assert_eq!(heads, [(0, 1, DeadReason::Type), (1, 2, DeadReason::Type)]);
    let without = LetterSelection::default();
    let unread = letters.read(&without, &mut |_, _| panic!("a letter is open")).unwrap();
    assert_eq!((unread, stored(&counters)), (Unread { locked: 2, damaged: 0 }, 2));
    // Only a choice by something encrypted, here the table, needs a key.
    let group = DeadFilter { group: Some("logs".to_owned()), ..DeadFilter::default() };
    let selection = LetterSelection { filter: group.clone(), ..LetterSelection::default() };
    assert_eq!(letters.numbers(&selection).unwrap(), (BTreeSet::new(), Unread { locked: 2, damaged: 0 }));
    assert_eq!(letters.numbers(&of(&group)).unwrap(), (BTreeSet::from([0, 1]), Unread::default()));
    let old = DeadFilter { before_us: Some(2), ..DeadFilter::default() };
    let selection = LetterSelection { filter: old, ..LetterSelection::default() };
    assert_eq!(letters.numbers(&selection).unwrap(), (BTreeSet::from([0]), Unread::default()));
    assert_eq!(replay(&letters, &Settling::default(), &without, &|| false).unwrap().1.locked, 2);
    assert_eq!(
        replay(&letters, &Settling::default(), &everything(), &|| false).unwrap(),
        (2, Unread::default())
    );
    assert!(!contains(&files(folder.path()), TEXT));
}

#[test]
fn the_server_reads_with_a_key_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, &pair().1).unwrap();
    let (letters, _) = open(folder.path(), |options| {
        FORMS[1](options);
        options.decrypt_key = Some(path);
    });
    letters.store(&[letter(0, TEXT, 1)], Stamp::default()).unwrap();
    let mut found = 0;
    let unread = letters.read(&LetterSelection::default(), &mut |_, letter| {
        assert_eq!(text(&letter), TEXT);
        found += 1;
        true
    });
    assert_eq!((found, unread.unwrap()), (1, Unread::default()));
}

#[test]
fn other_recipients_are_for_new_letters() {
    let folder = tempfile::tempdir().unwrap();
    let (letters, _) = open(folder.path(), FORMS[1]);
    letters.store(&[letter(0, "a", 1)], Stamp::default()).unwrap();
    let other = Identity::draw().unwrap();
    let mut options = DeadLetterOptions::new(folder.path().join("dead"));
    options.recipients = vec![other.0];
    letters.configure(options).unwrap();
    letters.store(&[letter(1, "b", 1)], Stamp::default()).unwrap();
    for (private, want, locked) in [(&pair().1, "a", 1), (&other.1, "b", 1)] {
        let selection = LetterSelection { keys: keys(private), ..LetterSelection::default() };
        let mut found = String::new();
        let unread = letters.read(&selection, &mut |_, letter| {
            found += &text(&letter);
            true
        });
        assert_eq!((found.as_str(), unread.unwrap().locked), (want, locked));
    }
    // Wrong options change nothing.
    let mut wrong = DeadLetterOptions::new(folder.path().join("dead"));
    wrong.recipients = vec!["age1nobody".to_owned()];
    assert!(letters.configure(wrong.clone()).unwrap_err().to_string().contains("is not a recipient"));
    wrong.recipients.clear();
    wrong.decrypt_key = Some(folder.path().join("missing"));
    assert!(letters.configure(wrong.clone()).unwrap_err().to_string().contains("cannot read"));
    assert!(letters.encrypts() && DeadLetters::open(wrong, Arc::default()).is_err());
}

#[test]
fn letters_in_clear_text_are_encrypted_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let (letters, _) = open(folder.path(), FORMS[0]);
    // Three parts of them.
    let long = format!("{TEXT}{}", "x".repeat(3 << 20));
    let four: Vec<Letter> = (0..4).map(|number| letter(number, &long, 1)).collect();
    letters.store(&four, Stamp::default()).unwrap();
    drop(letters);
    assert!(contains(&files(folder.path()), TEXT));
    let (letters, counters) = open(folder.path(), FORMS[1]);
    assert!(!contains(&files(folder.path()), TEXT));
    assert_eq!((ids(&letters), stored(&counters)), (vec![(5, 0), (6, 1), (7, 2), (8, 3)], 4));
    assert!(all(&letters).iter().all(|(_, text)| *text == long));
    // Without recipients they stay as they are, and new ones are in clear text.
    drop(letters);
    let (letters, _) = open(folder.path(), FORMS[0]);
    letters.store(&[letter(4, TEXT, 1)], Stamp::default()).unwrap();
    assert_eq!(letters.read(&LetterSelection::default(), &mut |_, _| true).unwrap().locked, 4);
    assert_eq!(ids(&letters).len(), 5);
}

#[test]
fn power_may_fail_while_letters_are_encrypted() {
    let mut chance = Chance::new(5);
    for cut in 1..12 {
        let disk = SimDisk::new();
        let open = |disk: &SimDisk, form: fn(&mut DeadLetterOptions)| {
            let mut options = DeadLetterOptions::new("/dead".into());
            options.disk = Arc::new(disk.clone());
            form(&mut options);
            DeadLetters::open(options, Arc::default())
        };
        let some: Vec<Letter> = (0..5).map(|number| letter(number, "a", 1)).collect();
        open(&disk, FORMS[0]).unwrap().store(&some, Stamp::default()).unwrap();
        disk.cut_power_at_sync(cut);
        drop(open(&disk, FORMS[1]));
        let letters = open(&disk.after_power_cut(&mut chance), FORMS[1]).unwrap();
        let found: BTreeSet<u64> = ids(&letters).into_iter().map(|(_, id)| id).collect();
        assert_eq!(found, BTreeSet::from([0, 1, 2, 3, 4]), "power cut at sync {cut}");
        assert_eq!(
            letters.read(&LetterSelection::default(), &mut |_, _| true).unwrap().locked,
            ids(&letters).len() as u64
        );
    }
}

#[test]
fn a_file_that_was_cut_costs_what_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (letters, _) = open(folder.path(), FORMS[1]);
    (0..3).for_each(|number| letters.store(&[letter(number, TEXT, 1)], Stamp::default()).unwrap());
    drop(letters);
    let files = fs::read_dir(folder.path().join("dead")).unwrap().map(|entry| entry.unwrap().path());
    let path = files.filter(|path| path.extension().is_some_and(|ending| ending == "dj")).max().unwrap();
    let bytes = fs::read(&path).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(end as u64 - 20).unwrap();
    let (letters, _) = open(folder.path(), FORMS[1]);
    assert_eq!(ids(&letters).into_iter().map(|(_, id)| id).collect::<Vec<_>>(), [0, 1]);
    letters.store(&[letter(7, TEXT, 1)], Stamp::default()).unwrap();
    assert_eq!(ids(&letters).len(), 3);
}

#[test]
fn letters_of_every_version_stay_readable() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let (first, second, key) =
        (folder.join("letter-1.bin"), folder.join("letter-2.bin"), folder.join("letter-2.key"));
    if std::env::var_os("UPDATE").is_some() {
        let mut bytes = Vec::new();
        letter(5, TEXT, 9).encode(&mut bytes);
        fs::write(&first, bytes).unwrap();
        fs::write(&second, sealed(&[&pair().0])).unwrap();
        fs::write(&key, format!("{}\n", pair().1)).unwrap();
    }
    let private = fs::read_to_string(key).unwrap();
    for path in [first, second] {
        let letter = opened(&fs::read(path).unwrap(), &private).unwrap();
        assert_eq!((letter.head(), text(&letter).as_str()), (super::letter(5, TEXT, 9).head(), TEXT));
    }
}
