//! The store of the dead letters of one destination.
//!
//! In: letters, numbers of letters to remove. Out: letters, oldest first. Holds: a journal that is opened with the first
//! letter, or at once when there are letters from earlier, and the number below which all are removed; who letters are encrypted
//! for, and private keys that open them. Everything but reading whole letters works without a private key.
//! Limits: `capacity-bytes()` and `max-age()`; when it is full, `on-full()` decides. A letter is durable before its
//! message is acknowledged: a store that cannot be written holds the destination.

mod options;

pub use options::{DeadLetterOptions, OnFull, StoreError};

use crate::{
    letter::{Letter, LetterError, LetterHead},
    sealed::{Opener, Sealer, StoredLetter},
    selection::LetterSelection,
};
use evidence::Keys;
use journal::{CursorFile, Durability, Journal, Options, Read};
use message::{RecordId, Stamp};
use std::{
    collections::{BTreeSet, VecDeque},
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::Counters;

/// Name of the file that says which letters are removed.
pub(crate) const CURSOR: &str = "removed.cursor";
/// Number of files in the capacity, and limits of their size: space is freed one file at a time.
const FILES: u64 = 16;
const FILE_BYTES: std::ops::RangeInclusive<u64> = (64 << 10)..=(16 << 20);

/// Most letters whose messages are known when a queue repeats them after a crash: more than a queue repeats.
const EARLIER_MAX: usize = 65_536;
/// How often to check for letters older than `max-age()`.
const EXPIRES_EVERY: Duration = Duration::from_secs(60);
/// Bytes of letters that are encrypted before the ones they replace are removed.
const ENCRYPTED_BYTES_AT_A_TIME: usize = 4 << 20;

/// Letters that a selection may be about, and that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unread {
    /// Encrypted letters that no given key opens.
    pub locked: u64,
    /// Letters whose bytes were changed.
    pub damaged: u64,
}

/// A store.
pub struct DeadLetters {
    store: Mutex<Store>,
    counters: Arc<Counters>,
}

struct Store {
    options: DeadLetterOptions,
    sealer: Sealer,
    /// Those of `decrypt-key()`.
    keys: Keys,
    files: Option<Files>,
    /// Letters that a failed commit left in the journal: their messages will come again.
    uncommitted: BTreeSet<RecordId>,
    /// The newest letters that were there when the store was opened, [`EARLIER_MAX`] at most: a crash may have come before
    /// the queue knew of them, which then repeats their messages.
    earlier: BTreeSet<RecordId>,
    next_expiry: Instant,
}

struct Files {
    journal: Journal,
    removed: CursorFile,
    /// Letters that are not removed.
    letters: u64,
}

impl DeadLetters {
    /// Opens a store. Its folder is made with the first letter. Letters in clear text from earlier are encrypted when the options
    /// say so.
    pub fn open(mut options: DeadLetterOptions, counters: Arc<Counters>) -> Result<DeadLetters, StoreError> {
        let (recipients, keys) = options.load_keys()?.clone();
        let mut store = Store {
            options,
            sealer: Sealer::new(recipients),
            keys,
            files: None,
            uncommitted: BTreeSet::new(),
            earlier: BTreeSet::new(),
            next_expiry: Instant::now(),
        };
        if store.options.disk.open(&store.options.folder.join(CURSOR)).is_ok() {
            store.files()?;
        }
        counters.dead.keep();
        let letters = DeadLetters { store: Mutex::new(store), counters };
        letters.publish(&letters.lock());
        Ok(letters)
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, store: &Store) {
        let (letters, bytes) =
            store.files.as_ref().map_or((0, 0), |files| (files.letters, files.journal.file_bytes()));
        self.counters.dead.stored.store(letters, Ordering::Relaxed);
        self.counters.dead.stored_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Takes new options. Letters that are there stay as they are; after an error nothing has changed.
    pub fn configure(&self, mut options: DeadLetterOptions) -> Result<(), StoreError> {
        let (recipients, keys) = options.load_keys()?.clone();
        let mut store = self.lock();
        if store.sealer.recipients() != recipients {
            store.sealer = Sealer::new(recipients);
        }
        (store.keys, store.options) = (keys, options);
        Ok(())
    }

    /// Returns whether letters are encrypted.
    pub fn encrypts(&self) -> bool {
        self.lock().sealer.encrypts()
    }

    /// Stores letters, durably. After an error none of them counts as stored, and the caller passes them again.
    pub fn store(&self, letters: &[Letter], now: Stamp) -> Result<(), StoreError> {
        let mut store = self.lock();
        let result = store.store(letters, now, &self.counters);
        self.publish(&store);
        result
    }

    /// Returns when old letters are to be looked for.
    pub fn next_expiry(&self) -> Option<Instant> {
        let store = self.lock();
        let has_letters = store.files.as_ref().is_some_and(|files| files.letters > 0);
        (has_letters && store.options.max_age.is_some()).then_some(store.next_expiry)
    }

    /// Removes letters that are older than `max-age()`.
    pub fn expire(&self, now: Stamp) -> Result<(), StoreError> {
        let mut store = self.lock();
        store.next_expiry = Instant::now() + EXPIRES_EVERY;
        let result = store.expire(now, &self.counters);
        self.publish(&store);
        result
    }

    /// Calls `each` with the number of every letter and what is known of it without a key, oldest first, until it returns false.
    pub fn heads(&self, each: &mut dyn FnMut(u64, &LetterHead) -> bool) -> Result<(), StoreError> {
        let mut store = self.lock();
        if store.files.is_none() {
            return Ok(());
        }
        store.read(&mut |number, letter| each(number, &letter.head))
    }

    /// Calls `each` with every chosen letter and its number, oldest first, until it returns false. Letters are opened with the
    /// keys of the selection and with `decrypt-key()`. Returns how many could not be read.
    pub fn read(
        &self,
        selection: &LetterSelection,
        each: &mut dyn FnMut(u64, Letter) -> bool,
    ) -> Result<Unread, StoreError> {
        self.read_from(0, selection, each)
    }

    /// Does so from a number on.
    pub(crate) fn read_from(
        &self,
        first: u64,
        selection: &LetterSelection,
        each: &mut dyn FnMut(u64, Letter) -> bool,
    ) -> Result<Unread, StoreError> {
        let (mut unread, mut store) = (Unread::default(), self.lock());
        if store.files.is_none() {
            return Ok(unread);
        }
        let mut opener = Opener::new(selection.keys.and(&store.keys));
        store.read_from(first, &mut |number, letter| {
            if !selection.filter.may_choose(&letter.head) {
                return true;
            }
            match letter.open(&mut opener) {
                Ok(letter) => return !selection.filter.chooses(&letter) || each(number, letter),
                Err(LetterError::Locked) => unread.locked += 1,
                Err(_) => unread.damaged += 1,
            }
            true
        })?;
        Ok(unread)
    }

    /// Returns the numbers of the chosen letters, and how many could not be read. A choice by id, reason or time needs no key.
    pub fn numbers(&self, selection: &LetterSelection) -> Result<(BTreeSet<u64>, Unread), StoreError> {
        let mut numbers = BTreeSet::new();
        if selection.filter.group.is_some() {
            let unread = self.read(selection, &mut |number, _| numbers.insert(number))?;
            return Ok((numbers, unread));
        }
        self.heads(&mut |number, head| {
            if selection.filter.may_choose(head) {
                numbers.insert(number);
            }
            true
        })?;
        Ok((numbers, Unread::default()))
    }

    /// From now on these letters are stored when they come, even those that were there when the store was opened.
    pub(crate) fn expect(&self, letters: &[(u64, Letter)]) {
        let mut store = self.lock();
        letters.iter().for_each(|(_, letter)| {
            store.earlier.remove(&letter.id);
        });
    }

    /// Removes the oldest letters as long as their numbers are in `numbers`, and takes those out of it. The numbers
    /// of the others do not change.
    pub fn remove_first(&self, numbers: &mut BTreeSet<u64>) -> Result<(), StoreError> {
        let mut store = self.lock();
        let mut first = BTreeSet::new();
        if store.files.is_some() {
            store.read(&mut |number, _| numbers.contains(&number) && first.insert(number))?;
            store.remove(&first)?;
        }
        numbers.retain(|number| !first.contains(number));
        self.publish(&store);
        Ok(())
    }

    /// Removes letters by their numbers. Letters that stay after a removed one are renumbered.
    pub fn remove(&self, numbers: &BTreeSet<u64>) -> Result<(), StoreError> {
        let mut store = self.lock();
        let result = if store.files.is_some() { store.remove(numbers) } else { Ok(()) };
        self.publish(&store);
        result
    }
}

impl Store {
    fn failed(folder: &Path) -> impl Fn(io::Error) -> StoreError + use<> {
        let folder = folder.to_owned();
        move |source| StoreError::Io { folder: folder.clone(), source }
    }

    /// Returns the open files.
    fn files(&mut self) -> Result<&mut Files, StoreError> {
        if self.files.is_none() {
            let (files, earlier) = self.open()?;
            (self.files, self.earlier) = (Some(files), earlier);
        }
        Ok(self.files.as_mut().expect("it was just set"))
    }

    /// Opens the files. Returns the ids of the newest letters with them.
    fn open(&mut self) -> Result<(Files, BTreeSet<RecordId>), StoreError> {
        let DeadLetterOptions { folder, disk, capacity_bytes, .. } = &self.options;
        let failed = Store::failed(folder);
        let file_bytes_max = (capacity_bytes / FILES).clamp(*FILE_BYTES.start(), *FILE_BYTES.end());
        let options = Options { file_bytes_max, durability: Durability::Device, spare_files_max: 0 };
        let (mut journal, _) =
            Journal::open(disk.clone(), folder, options).map_err(|error| failed(io::Error::other(error)))?;
        let removed = CursorFile::open(&**disk, &folder.join(CURSOR)).map_err(&failed)?;
        journal.advance(removed.sequence());
        let mut files = Files { letters: 0, journal, removed };
        files.encrypt(&mut self.sealer).map_err(&failed)?;
        let (mut count, mut newest) = (0, VecDeque::new());
        files
            .read(&mut |_, letter| {
                count += 1;
                newest.push_back(letter.head.id);
                if newest.len() > EARLIER_MAX {
                    newest.pop_front();
                }
                true
            })
            .map_err(&failed)?;
        files.letters = count;
        Ok((files, newest.into_iter().collect()))
    }

    fn store(&mut self, letters: &[Letter], now: Stamp, counters: &Counters) -> Result<(), StoreError> {
        self.files()?;
        // A failed removal is no reason not to write.
        let _ = self.expire(now, counters);
        for letter in letters {
            if self.uncommitted.contains(&letter.id) || self.earlier.remove(&letter.id) {
                continue;
            }
            let mut bytes = Vec::new();
            self.sealer.encode(letter, &mut bytes).map_err(Store::failed(&self.options.folder))?;
            if !self.make_room(bytes.len() as u64, counters)? {
                counters.dead.evicted.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let folder = self.options.folder.clone();
            let files = self.files()?;
            files
                .journal
                .append(1, &mut |out| out.extend_from_slice(&bytes))
                .map_err(|error| Store::failed(&folder)(io::Error::other(error)))?;
            self.uncommitted.insert(letter.id);
        }
        self.commit()
    }

    /// Makes what was added durable, and counts it.
    fn commit(&mut self) -> Result<(), StoreError> {
        let failed = Store::failed(&self.options.folder);
        let staged = self.uncommitted.len() as u64;
        let files = self.files()?;
        files.journal.commit().map_err(|error| failed(io::Error::other(error)))?;
        files.letters += staged;
        self.uncommitted.clear();
        Ok(())
    }

    /// Makes space for a letter; returns false when it must not be stored.
    fn make_room(&mut self, size: u64, counters: &Counters) -> Result<bool, StoreError> {
        let (capacity_bytes, on_full) = (self.options.capacity_bytes, self.options.on_full);
        loop {
            let files = self.files()?;
            let bytes = files.journal.file_bytes() + files.journal.staged_bytes() as u64;
            if bytes + size <= capacity_bytes || files.letters == 0 {
                return Ok(true);
            }
            match on_full {
                OnFull::DropNewest => return Ok(false),
                OnFull::Hold => {
                    let folder = self.options.folder.clone();
                    return Err(StoreError::Full { folder, capacity_bytes });
                }
                OnFull::DropOldest => {
                    let gone = self.drop_oldest_file()?;
                    counters.dead.evicted.fetch_add(gone, Ordering::Relaxed);
                }
            }
        }
    }

    /// Removes letters from the front until a file goes. Returns how many.
    fn drop_oldest_file(&mut self) -> Result<u64, StoreError> {
        self.commit()?;
        let failed = Store::failed(&self.options.folder);
        let files = self.files()?;
        let mut numbers = BTreeSet::new();
        let share = files.letters.div_ceil(FILES).max(1);
        files
            .read(&mut |number, _| {
                numbers.insert(number);
                (numbers.len() as u64) < share
            })
            .map_err(&failed)?;
        let end = numbers.last().map_or(files.journal.next_sequence(), |last| last + 1);
        files.release(end, numbers.len() as u64).map_err(&failed)?;
        Ok(numbers.len() as u64)
    }

    fn expire(&mut self, now: Stamp, counters: &Counters) -> Result<(), StoreError> {
        let Some(max_age) = self.options.max_age else { return Ok(()) };
        let failed = Store::failed(&self.options.folder);
        let Some(files) = &mut self.files else { return Ok(()) };
        let oldest_us = now.unix_us.saturating_sub(i64::try_from(max_age.as_micros()).unwrap_or(i64::MAX));
        let (mut end, mut gone) = (None, 0);
        files
            .read(&mut |number, letter| {
                let is_old = letter.head.died_us < oldest_us;
                if is_old {
                    (end, gone) = (Some(number + 1), gone + 1);
                }
                is_old
            })
            .map_err(&failed)?;
        let Some(end) = end else { return Ok(()) };
        counters.dead.evicted.fetch_add(gone, Ordering::Relaxed);
        files.release(end, gone).map_err(&failed)
    }

    fn read(&mut self, each: &mut dyn FnMut(u64, &StoredLetter<'_>) -> bool) -> Result<(), StoreError> {
        self.read_from(0, each)
    }

    fn read_from(
        &mut self,
        first: u64,
        each: &mut dyn FnMut(u64, &StoredLetter<'_>) -> bool,
    ) -> Result<(), StoreError> {
        let failed = Store::failed(&self.options.folder);
        self.files()?.read_from(first, each).map_err(failed)
    }

    /// Removes letters. Letters that stay after a removed one are written again at the end, so that one number
    /// separates removed and remaining letters.
    fn remove(&mut self, numbers: &BTreeSet<u64>) -> Result<(), StoreError> {
        let failed = Store::failed(&self.options.folder);
        let end = self.files()?.journal.next_sequence();
        let (mut stay, mut removed, mut gone, mut prefix_end) = (Vec::new(), Vec::new(), 0, None);
        self.read(&mut |number, letter| {
            if numbers.contains(&number) {
                removed.push(letter.head.id);
                gone += 1;
                if stay.is_empty() {
                    prefix_end = Some(number + 1);
                }
            } else {
                stay.push((number, letter.bytes.to_vec()));
            }
            true
        })?;
        removed.iter().for_each(|id| {
            self.earlier.remove(id);
        });
        let last_removed = numbers.range(..end).next_back().copied();
        let is_prefix = last_removed.is_none_or(|last| stay.iter().all(|(number, _)| *number > last));
        if gone == 0 {
            return Ok(());
        }
        if is_prefix {
            let end = prefix_end.unwrap_or(end);
            return self.files()?.release(end, gone).map_err(failed);
        }
        let files = self.files()?;
        for (_, letter) in &stay {
            files
                .journal
                .append(1, &mut |out| out.extend_from_slice(letter))
                .map_err(|error| failed(io::Error::other(error)))?;
        }
        self.commit()?;
        self.files()?.release(end, gone).map_err(failed)
    }
}

impl Files {
    fn read(&mut self, each: &mut dyn FnMut(u64, &StoredLetter<'_>) -> bool) -> io::Result<()> {
        self.read_from(0, each)
    }

    fn read_from(
        &mut self,
        first: u64,
        each: &mut dyn FnMut(u64, &StoredLetter<'_>) -> bool,
    ) -> io::Result<()> {
        let mut reader = self.journal.reader(first.max(self.removed.sequence()));
        loop {
            match reader.read().map_err(|error| error.source)? {
                Read::End => return Ok(()),
                // Damaged letters cannot be replayed; the rest can.
                Read::Damage(_) => {}
                Read::Record(record) => {
                    let number = record.sequence;
                    if let Ok(letter) = StoredLetter::read(record.payload)
                        && number >= self.removed.sequence()
                        && !each(number, &letter)
                    {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Records that every letter below a number is removed, `gone` in all.
    fn release(&mut self, end: u64, gone: u64) -> io::Result<()> {
        self.removed.save(end)?;
        self.removed.sync()?;
        self.journal.release(end)?;
        self.letters = self.letters.saturating_sub(gone);
        Ok(())
    }

    /// Encrypts the letters that are in clear text, when letters are encrypted. All letters are written again to new files, in their
    /// order, a part at a time, and the files before them are removed. A crash in between leaves letters of one part there twice.
    fn encrypt(&mut self, sealer: &mut Sealer) -> io::Result<()> {
        let mut has_plain = false;
        if sealer.encrypts() {
            self.read(&mut |_, letter| {
                has_plain = !letter.is_encrypted();
                !has_plain
            })?;
        }
        if !has_plain {
            return Ok(());
        }
        let end = self.journal.next_sequence() + 1;
        self.journal.advance(end);
        loop {
            let (mut part, mut size, mut below) = (Vec::new(), 0, end);
            self.read(&mut |number, letter| {
                if number >= end || size > ENCRYPTED_BYTES_AT_A_TIME {
                    below = number.min(end);
                    return false;
                }
                size += letter.bytes.len();
                part.push(letter.bytes.to_vec());
                true
            })?;
            for bytes in &part {
                let again = sealed_again(bytes, sealer)?;
                self.journal.append(1, &mut |out| out.extend_from_slice(&again)).map_err(io::Error::other)?;
            }
            self.journal.commit().map_err(io::Error::other)?;
            self.release(below, 0)?;
            if below == end {
                return Ok(());
            }
        }
    }
}

/// Returns the bytes of a stored letter, encrypted if they were not and can be read.
fn sealed_again(bytes: &[u8], sealer: &mut Sealer) -> io::Result<Vec<u8>> {
    let plain = StoredLetter::read(bytes).ok().filter(|letter| !letter.is_encrypted());
    let Some(letter) = plain.and_then(|_| Letter::decode(bytes).ok()) else { return Ok(bytes.to_vec()) };
    let mut out = Vec::new();
    sealer.encode(&letter, &mut out)?;
    Ok(out)
}
