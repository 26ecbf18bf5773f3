//! Letters through their bytes and their store, in clear text and encrypted.

mod encrypted;

use super::*;
use evidence::{Identity, Keys};
use message::{Ack, Batch, Delivery, Message, Origin, Outlet, RecordId, Stamp, WriteBudget};
use sim::{Chance, SimDisk};
use std::{
    cell::Cell,
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};
use transport::{Counters, DeadReason};

fn letter(number: u64, text: &str, died_us: i64) -> Letter {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::known(died_us, 0), Ack::none());
    for text in ["another message", text] {
        let mut message = Message::default();
        message.text = batch.add_extra(text.as_bytes());
        batch.messages.push(message);
    }
    let id = RecordId { incarnation: 7, sequence: number };
    Letter::of(&batch, 1, (id, 3, Stamp::known(died_us, 0)), ("logs", DeadReason::Type, "22P02: no number"))
}

fn text(letter: &Letter) -> String {
    String::from_utf8_lossy(letter.batch.fixed(0, message::Field::Message)).into_owned()
}

/// A recipient, and the private key that opens what is for it.
fn pair() -> &'static (String, String) {
    static PAIR: OnceLock<(String, String)> = OnceLock::new();
    PAIR.get_or_init(|| Identity::draw().unwrap())
}

fn keys(private: &str) -> Keys {
    Keys::of(vec![Identity::parse(private, None).unwrap()])
}

fn everything() -> LetterSelection {
    LetterSelection { keys: keys(&pair().1), ..LetterSelection::default() }
}

/// Options with which a store keeps letters in clear text, and with which it encrypts them.
const FORMS: [fn(&mut DeadLetterOptions); 2] =
    [|_| (), |options| options.recipients = vec![pair().0.clone()]];

fn open(folder: &Path, change: impl FnOnce(&mut DeadLetterOptions)) -> (DeadLetters, Arc<Counters>) {
    let mut options = DeadLetterOptions::new(folder.join("dead"));
    change(&mut options);
    let counters = Arc::new(Counters::default());
    (DeadLetters::open(options, counters.clone()).unwrap(), counters)
}

fn all(letters: &DeadLetters) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    letters
        .read(&everything(), &mut |number, letter| {
            found.push((number, text(&letter)));
            true
        })
        .unwrap();
    found
}

fn stored(counters: &Counters) -> u64 {
    counters.dead.stored.load(std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn a_letter_survives_its_bytes() {
    let letter = letter(5, "what it said", 1_700_000_000_000_000);
    let mut bytes = Vec::new();
    letter.encode(&mut bytes);
    let read = Letter::decode(&bytes).unwrap();
    assert_eq!((read.id, read.reason, read.attempts), (letter.id, DeadReason::Type, 3));
    assert_eq!((read.group.as_str(), read.answer.as_str()), ("logs", "22P02: no number"));
    assert_eq!((read.died_us, text(&read)), (1_700_000_000_000_000, "what it said".to_owned()));
    for end in 0..bytes.len() {
        assert!(Letter::decode(&bytes[..end]).is_err(), "cut at {end}");
    }
    bytes[0] = 9;
    assert_eq!(Letter::decode(&bytes).unwrap_err(), LetterError::Version(9));
}

#[test]
fn a_long_answer_is_cut_between_characters() {
    let batch = letter(0, "x", 0).batch;
    let answer = "é".repeat(ANSWER_BYTES_MAX);
    let cut = Letter::of(
        &batch,
        0,
        (RecordId::default(), 1, Stamp::default()),
        ("", DeadReason::Rejected, &answer),
    );
    assert_eq!(cut.answer.len(), ANSWER_BYTES_MAX);
    let cut = Letter::of(
        &batch,
        0,
        (RecordId::default(), 1, Stamp::default()),
        ("", DeadReason::Rejected, &format!("x{answer}")),
    );
    assert_eq!(cut.answer.len(), ANSWER_BYTES_MAX - 1);
}

#[test]
fn letters_outlive_the_server_and_no_folder_is_made_without_one() {
    for form in FORMS {
        let folder = tempfile::tempdir().unwrap();
        let (letters, counters) = open(folder.path(), form);
        assert_eq!((all(&letters), stored(&counters)), (Vec::new(), 0));
        assert!(!folder.path().join("dead").exists());
        letters.store(&[letter(0, "a", 1), letter(1, "b", 2)], Stamp::default()).unwrap();
        letters.store(&[letter(2, "c", 3)], Stamp::default()).unwrap();
        drop(letters);
        let (letters, counters) = open(folder.path(), form);
        assert_eq!(all(&letters), [(0, "a".to_owned()), (1, "b".to_owned()), (2, "c".to_owned())]);
        assert_eq!(stored(&counters), 3);
        assert_eq!(dead_folders(folder.path()).unwrap(), [folder.path().join("dead")]);
        let error = look_at_dead(&folder.path().join("dead")).err().unwrap().to_string();
        assert!(error.contains("another process"), "{error}");
    }
}

#[test]
fn what_a_queue_repeats_after_a_crash_is_one_letter() {
    for form in FORMS {
        let folder = tempfile::tempdir().unwrap();
        let store = |letters: &DeadLetters, names: &[(u64, &str)]| {
            let some: Vec<Letter> = names.iter().map(|(number, text)| letter(*number, text, 1)).collect();
            letters.store(&some, Stamp::default()).unwrap();
        };
        let texts = |letters: &DeadLetters| {
            all(letters).into_iter().map(|(_, text)| text).collect::<Vec<_>>().concat()
        };
        let (letters, _) = open(folder.path(), form);
        store(&letters, &[(0, "a"), (1, "b"), (2, "c")]);
        // Without a crash nothing is repeated: who comes twice is there twice.
        store(&letters, &[(2, "c")]);
        assert_eq!(texts(&letters), "abcc");
        drop(letters);
        let (letters, counters) = open(folder.path(), form);
        store(&letters, &[(1, "b"), (2, "c"), (3, "d")]);
        assert_eq!((texts(&letters).as_str(), stored(&counters)), ("abccd", 5));
        // One that was removed, or is on its way again, is a letter when it is refused.
        letters.remove(&BTreeSet::from([0])).unwrap();
        store(&letters, &[(0, "a")]);
        assert_eq!(texts(&letters), "bccda");
        drop(letters);
        let (letters, _) = open(folder.path(), form);
        letters.expect(&[(1, letter(1, "b", 1))]);
        store(&letters, &[(1, "b"), (3, "d")]);
        assert_eq!(texts(&letters), "bccdab");
    }
}

#[test]
fn removed_letters_are_gone_and_the_others_stay() {
    for (remove, want) in [
        (vec![0, 1], vec!["c", "d"]),
        (vec![0], vec!["b", "c", "d"]),
        (vec![1], vec!["a", "c", "d"]),
        (vec![3], vec!["a", "b", "c"]),
        (vec![0, 2], vec!["b", "d"]),
        (vec![0, 1, 2, 3], vec![]),
        (vec![], vec!["a", "b", "c", "d"]),
        (vec![17], vec!["a", "b", "c", "d"]),
    ] {
        for form in FORMS {
            let folder = tempfile::tempdir().unwrap();
            let (letters, counters) = open(folder.path(), form);
            let four: Vec<Letter> =
                ["a", "b", "c", "d"].iter().zip(0..).map(|(text, number)| letter(number, text, 1)).collect();
            letters.store(&four, Stamp::default()).unwrap();
            letters.remove(&remove.iter().copied().collect::<BTreeSet<u64>>()).unwrap();
            let texts =
                |letters: &DeadLetters| all(letters).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
            assert_eq!(
                (texts(&letters), stored(&counters)),
                (want.iter().map(|text| (*text).to_owned()).collect(), want.len() as u64)
            );
            drop(letters);
            assert_eq!(texts(&open(folder.path(), form).0), want, "after a restart");
        }
    }
}

#[test]
fn a_full_store_does_what_the_option_says() {
    let long = "x".repeat(20_000);
    let letters: Vec<Letter> = (0..80).map(|number| letter(number, &long, 1)).collect();
    for ((on_full, want), form) in
        [(OnFull::Hold, None), (OnFull::DropNewest, Some(0)), (OnFull::DropOldest, Some(79))]
            .into_iter()
            .zip([FORMS[1], FORMS[0], FORMS[1]])
    {
        let folder = tempfile::tempdir().unwrap();
        let (store, counters) = open(folder.path(), |options| {
            form(options);
            options.on_full = on_full;
            options.capacity_bytes = DeadLetterOptions::CAPACITY_BYTES_MIN;
        });
        let mut held = None;
        for letter in &letters {
            if let Err(error) = store.store(std::slice::from_ref(letter), Stamp::default()) {
                held = Some(error.to_string());
                break;
            }
        }
        let mut numbers = Vec::new();
        store
            .read(&everything(), &mut |_, letter| {
                numbers.push(letter.id.sequence);
                true
            })
            .unwrap();
        let evicted = counters.dead.evicted.load(std::sync::atomic::Ordering::Relaxed);
        match want {
            None => {
                assert!(held.unwrap().contains("are full"));
                assert_eq!((numbers.len() as u64, evicted), (stored(&counters), 0));
            }
            Some(known) => {
                assert!(held.is_none() && numbers.contains(&known));
                assert_eq!(numbers.len() as u64 + evicted, 80);
            }
        }
        assert!(counters.dead.stored_bytes.load(std::sync::atomic::Ordering::Relaxed) <= 1 << 20);
    }
}

#[test]
fn old_letters_expire() {
    for form in FORMS {
        let folder = tempfile::tempdir().unwrap();
        let (letters, counters) = open(folder.path(), |options| {
            form(options);
            options.max_age = Some(Duration::from_secs(10));
        });
        let seconds = |count: i64| count * 1_000_000;
        letters
            .store(&[letter(0, "a", seconds(1)), letter(1, "b", seconds(5))], Stamp::known(seconds(5), 0))
            .unwrap();
        letters.expire(Stamp::known(seconds(11), 0)).unwrap();
        assert_eq!(stored(&counters), 2);
        letters.expire(Stamp::known(seconds(12), 0)).unwrap();
        assert_eq!(all(&letters), [(1, "b".to_owned())]);
        assert_eq!(counters.dead.evicted.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}

#[test]
fn what_is_stored_survives_the_loss_of_power_at_every_sync() {
    let folder = Path::new("/dead");
    let open = |disk: &SimDisk, form: fn(&mut DeadLetterOptions)| {
        let mut options = DeadLetterOptions::new(folder.to_owned());
        options.disk = Arc::new(disk.clone());
        form(&mut options);
        DeadLetters::open(options, Arc::new(Counters::default()))
    };
    let mut chance = Chance::new(11);
    for (cut, form) in (1..40).flat_map(|cut| FORMS.map(|form| (cut, form))) {
        let disk = SimDisk::new();
        disk.cut_power_at_sync(cut);
        let (mut safe, mut removed) = (BTreeSet::new(), BTreeSet::new());
        if let Ok(letters) = open(&disk, form) {
            for number in 0..12 {
                if letters.store(&[letter(number, "a", 1)], Stamp::default()).is_err() {
                    break;
                }
                safe.insert(number);
                // Every third round one from the middle goes.
                if number % 3 == 2 {
                    let (at, id) = ids(&letters)[1];
                    if letters.remove(&BTreeSet::from([at])).is_err() {
                        removed.insert(id);
                        break;
                    }
                    safe.remove(&id);
                    removed.insert(id);
                }
            }
        }
        let letters = open(&disk.after_power_cut(&mut chance), form).unwrap();
        let found: BTreeSet<u64> = ids(&letters).into_iter().map(|(_, id)| id).collect();
        let lost: Vec<&u64> = safe.difference(&found).filter(|id| !removed.contains(id)).collect();
        assert!(lost.is_empty(), "power cut at sync {cut}: {lost:?} are lost");
    }
}

fn ids(letters: &DeadLetters) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    letters
        .read(&everything(), &mut |number, letter| {
            found.push((number, letter.id.sequence));
            true
        })
        .unwrap();
    found
}

/// An outlet that settles deliveries as their texts say: `keep` fails, all else is done, and `slow` waits for what comes last.
#[derive(Default)]
struct Settling {
    ids: Mutex<Vec<u64>>,
    slow: Mutex<Vec<Ack>>,
}

impl Outlet for Settling {
    fn deliver(&self, delivery: Delivery, _: &WriteBudget) {
        self.ids.lock().unwrap().push(delivery.first.unwrap().sequence);
        match delivery.batch.fixed(0, message::Field::Message) {
            b"keep" => delivery.ack.fail(),
            b"slow" => self.slow.lock().unwrap().push(delivery.ack),
            b"last" => self.slow.lock().unwrap().clear(),
            _ => drop(delivery.ack),
        }
    }
}

fn of(filter: &DeadFilter) -> LetterSelection {
    LetterSelection { filter: filter.clone(), ..everything() }
}

/// Compares how many of some letters left the store by a replay, which, and what stayed.
#[track_caller]
fn check_replay(filter: &DeadFilter, stop: usize, want: (usize, &[u64], &[&str])) {
    let folder = tempfile::tempdir().unwrap();
    let (letters, _) = open(folder.path(), FORMS[1]);
    let texts = ["a", "slow", "keep", "b", "last"];
    let stored: Vec<Letter> = (0..).zip(texts).map(|(number, text)| letter(number, text, 5)).collect();
    letters.store(&stored, Stamp::known(5, 0)).unwrap();
    let (outlet, asked) = (Settling::default(), Cell::new(0));
    let is_stopped = || {
        asked.set(asked.get() + 1);
        asked.get() > stop
    };
    let replayed = replay(&letters, &outlet, &of(filter), &is_stopped).unwrap().0;
    let left: Vec<String> = all(&letters).into_iter().map(|(_, text)| text).collect();
    let ids = outlet.ids.lock().unwrap().clone();
    assert_eq!(
        (replayed, ids.as_slice(), left),
        (want.0, want.1, want.2.iter().map(|text| (*text).to_owned()).collect())
    );
}

#[test]
fn a_replay_gives_each_letter_once_and_keeps_what_fails() {
    let all = DeadFilter::default();
    check_replay(&all, usize::MAX, (4, &[0, 1, 2, 3, 4], &["keep"]));
    check_replay(&all, 0, (0, &[], &["a", "slow", "keep", "b", "last"]));
    let none = DeadFilter { reason: Some(DeadReason::Cast), ..DeadFilter::default() };
    check_replay(&none, usize::MAX, (0, &[], &["a", "slow", "keep", "b", "last"]));
}

#[test]
fn a_replay_that_is_stopped_keeps_what_is_on_its_way() {
    for form in FORMS {
        let folder = tempfile::tempdir().unwrap();
        let (letters, _) = open(folder.path(), form);
        let stored = [letter(0, "a", 5), letter(1, "slow", 5), letter(2, "b", 5)];
        letters.store(&stored, Stamp::known(5, 0)).unwrap();
        let (outlet, asked) = (Settling::default(), Cell::new(0));
        let is_stopped = || {
            asked.set(asked.get() + 1);
            asked.get() > 1
        };
        assert_eq!(replay(&letters, &outlet, &everything(), &is_stopped).unwrap().0, 2);
        assert_eq!(all(&letters).into_iter().map(|(_, text)| text).collect::<Vec<_>>(), ["slow"]);
    }
}

#[test]
fn more_letters_than_are_on_their_way_at_a_time_go_in_turns() {
    let folder = tempfile::tempdir().unwrap();
    let (letters, _) = open(folder.path(), FORMS[0]);
    let stored: Vec<Letter> = (0..2_300).map(|number| letter(number, "a", 5)).collect();
    letters.store(&stored, Stamp::known(5, 0)).unwrap();
    let outlet = Settling::default();
    assert_eq!(replay(&letters, &outlet, &everything(), &|| false).unwrap().0, 2_300);
    assert!(outlet.ids.lock().unwrap().iter().copied().eq(0..2_300));
    assert!(all(&letters).is_empty());
}

#[test]
fn errors_have_words() {
    for (error, want) in [
        (LetterError::Version(9), "dead letter of format version 9"),
        (LetterError::Form, "bytes that are no dead letter"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    let shown = format!("{:?}", DeadLetterOptions::new("/x/dead".into()));
    assert!(shown.starts_with("DeadLetterOptions(/x/dead, capacity="), "{shown}");
}
