//! The objects that are being made: batches go to the open one of their group, and the others end.
//!
//! In: groups, times. Out: the object for a batch, the objects that are due. Holds: all objects that are not complete, the record of
//! them, and the names that the server refuses. Limits: [`MultipartLimits`] for open objects, as many again that end,
//! [`REFUSED_MAX`] refused names and [`PREFIXES_MAX`] beginnings.

use super::{
    record::{Phase, RecordError, RecordedUpload, UploadRecord},
    upload::Upload,
};
use crate::{
    http::Lane,
    s3::{key, limits::MultipartLimits, shared::Shared},
};
use delivery::{DiskSpace, Row, Staging, Verdict, Wait, failure::Failure};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use transport::{DeadReason, InternalLog};

/// Most names of objects that are known to be refused; the oldest is forgotten.
const REFUSED_MAX: usize = 1000;
/// How long a name is known to be refused.
const REFUSED_FOR: Duration = Duration::from_secs(300);
/// Most beginnings of names whose last time is known; all are forgotten when there are more.
const PREFIXES_MAX: usize = 10_000;
/// How long an object still takes late messages when another has begun for a later time.
const LATE_FOR: Duration = Duration::from_secs(60);
/// Least time between two objects that end because the disk is short.
const RELIEVED_EVERY: Duration = Duration::from_secs(1);
/// Uploads in a row that the server would not complete because of their parts; then the others wait.
pub(super) const BROKEN_MAX: u32 = 3;

/// The objects that are being made.
pub(in crate::s3) struct Uploads {
    pub(super) shared: Arc<Shared>,
    /// `None`: nothing new is begun, what an earlier configuration has begun ends.
    pub(super) limits: Option<MultipartLimits>,
    pub(super) staging: Arc<Staging>,
    pub(super) log: InternalLog,
    /// The connection of those that end.
    pub(super) lane: tokio::sync::Mutex<Lane>,
    /// Uploads in a row that the server would not complete because of their parts.
    pub(super) broken: AtomicU32,
    /// Batches that were staged, to look at the size of the record now and then.
    pub(super) staged: AtomicU32,
    record: Mutex<UploadRecord>,
    table: Mutex<Table>,
}

/// An object, and what others ask of it while it is being worked on.
pub(super) struct Slot {
    pub(super) id: u64,
    pub(super) upload: tokio::sync::Mutex<Upload>,
    /// When it ends, or is tried again.
    due: Mutex<Instant>,
    /// The bytes of its growing part.
    buffered: AtomicUsize,
}

/// All objects.
#[derive(Default)]
struct Table {
    /// Those that grow, by their group.
    open: HashMap<String, Arc<Slot>>,
    /// Those that end.
    ending: BTreeMap<u64, Arc<Slot>>,
    next_id: u64,
    /// Names that the server refuses, with its words.
    refused: HashMap<String, (DeadReason, String, Instant)>,
    /// The groups that came last, by their beginning without the time.
    newest: HashMap<String, String>,
    relieved_at: Option<Instant>,
    /// The reasons why objects are not completed.
    troubles: BTreeMap<u64, String>,
}

impl Slot {
    fn new(upload: Upload, due: Instant) -> Slot {
        let (id, buffered) = (upload.recorded.id, AtomicUsize::new(upload.growing_bytes()));
        Slot { id, upload: tokio::sync::Mutex::new(upload), due: Mutex::new(due), buffered }
    }

    pub(super) fn due(&self) -> Instant {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_due(&self, due: Instant) {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = due;
    }

    /// Notes the size of its growing part.
    pub(super) fn note_size(&self, upload: &Upload) {
        self.buffered.store(upload.growing_bytes(), Ordering::Relaxed);
    }
}

impl Uploads {
    pub(super) fn new(
        (shared, limits): (Arc<Shared>, Option<MultipartLimits>),
        staging: Arc<Staging>,
        record: UploadRecord,
        log: InternalLog,
    ) -> Uploads {
        Uploads {
            shared,
            limits,
            staging,
            log,
            lane: tokio::sync::Mutex::default(),
            broken: AtomicU32::new(0),
            staged: AtomicU32::new(0),
            record: Mutex::new(record),
            table: Mutex::new(Table { next_id: 1, ..Table::default() }),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes or reads the record. While that is not possible, messages wait.
    pub(super) fn record<T>(
        &self,
        work: impl FnOnce(&mut UploadRecord) -> Result<T, RecordError>,
    ) -> Result<T, Failure> {
        work(&mut self.lock_record())
            .map_err(|error| Failure { verdict: Verdict::Later(Wait::Busy), answer: error.to_string() })
    }

    pub(super) fn lock_record(&self) -> MutexGuard<'_, UploadRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an object that was made earlier.
    pub(super) fn add(&self, upload: Upload, due: Instant) {
        let mut table = self.table();
        table.next_id = table.next_id.max(upload.recorded.id + 1);
        let (group, takes_more) = (upload.recorded.prefix.clone(), upload.takes_more());
        let slot = Arc::new(Slot::new(upload, due));
        if takes_more && !table.open.contains_key(&group) {
            table.open.insert(group, slot);
        } else {
            table.ending.insert(slot.id, slot);
        }
    }

    /// Returns the open object of a group, or a new one.
    pub(super) fn slot(
        &self,
        group: &str,
        rows: &[Row],
        limits: &MultipartLimits,
    ) -> Result<Arc<Slot>, Failure> {
        let mut table = self.table();
        if let Some(slot) = table.open.get(group) {
            return Ok(slot.clone());
        }
        if table.ending.len() >= limits.uploads_max {
            let why = table.troubles.values().next();
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            let answer = format!("{} objects wait to be completed{why}", table.ending.len());
            return Err(Failure { verdict: Verdict::Later(Wait::Busy), answer });
        }
        if table.open.len() >= limits.uploads_max {
            table.end_first();
        }
        let id = table.next_id;
        table.next_id += 1;
        let first = rows.first().map(|row| row.id).unwrap_or_default();
        let mut salt = [0; 4];
        getrandom::fill(&mut salt)
            .map_err(|error| Failure { verdict: Verdict::Later(Wait::Busy), answer: error.to_string() })?;
        let recorded = RecordedUpload {
            id,
            address: self.shared.address.clone(),
            prefix: group.to_owned(),
            object: key::begun_name(group, first, salt, &self.shared.suffix),
            upload: None,
            began_s: Timestamp::now().as_second(),
            phase: Phase::Open,
        };
        let slot = Arc::new(Slot::new(Upload::new(recorded), Instant::now() + limits.wait));
        table.open.insert(group.to_owned(), slot.clone());
        Ok(slot)
    }

    /// Ends an object: what comes for its group begins another.
    pub(super) fn end(&self, slot: &Arc<Slot>, due: Instant) {
        slot.set_due(due);
        let mut table = self.table();
        table.open.retain(|_, open| open.id != slot.id);
        table.ending.insert(slot.id, slot.clone());
    }

    /// Ends the object that keeps the oldest message.
    pub(super) fn end_oldest(&self) {
        self.table().end_first();
    }

    /// Forgets an object.
    pub(super) fn remove(&self, id: u64) {
        let mut table = self.table();
        table.open.retain(|_, open| open.id != id);
        table.ending.remove(&id);
        table.troubles.remove(&id);
    }

    /// Returns the bytes of all growing parts.
    pub(super) fn buffered(&self) -> usize {
        let table = self.table();
        let all = table.open.values().chain(table.ending.values());
        all.map(|slot| slot.buffered.load(Ordering::Relaxed)).sum()
    }

    /// Returns the objects that are to be worked on, and takes those out of the open ones that end.
    pub(super) fn take_due(&self, now: Instant) -> Vec<Arc<Slot>> {
        let mut table = self.table();
        let due = table.open.extract_if(|_, slot| slot.due() <= now).map(|(_, slot)| slot);
        let due: Vec<Arc<Slot>> = due.collect();
        table.ending.extend(due.into_iter().map(|slot| (slot.id, slot)));
        if self.staging.disk_space() == DiskSpace::Short && table.may_relieve(now) {
            table.relieved_at = Some(now);
            table.end_first();
        }
        table.ending.values().filter(|slot| slot.due() <= now).cloned().collect()
    }

    /// Returns when something is due.
    pub(in crate::s3) fn next_due(&self) -> Option<Instant> {
        let table = self.table();
        let is_short = self.staging.disk_space() == DiskSpace::Short && !table.open.is_empty();
        let now = Instant::now();
        let relief = is_short.then(|| table.relieved_at.map_or(now, |at| at + RELIEVED_EVERY));
        table.open.values().chain(table.ending.values()).map(|slot| slot.due()).chain(relief).min()
    }

    /// Returns all objects.
    pub(super) fn all(&self) -> Vec<Arc<Slot>> {
        let table = self.table();
        table.open.values().chain(table.ending.values()).cloned().collect()
    }

    /// Returns whether all objects are complete.
    pub(in crate::s3) fn is_empty(&self) -> bool {
        let table = self.table();
        table.open.is_empty() && table.ending.is_empty()
    }

    /// Notes the group of a message whose name has a time after `prefix`. The object of the time before takes late messages for a
    /// minute.
    pub(in crate::s3) fn note_time(&self, prefix: &str, group: &str) {
        let mut table = self.table();
        if table.newest.get(prefix).is_some_and(|newest| newest == group) {
            return;
        }
        if table.newest.len() >= PREFIXES_MAX {
            table.newest.clear();
        }
        let before = table.newest.insert(prefix.to_owned(), group.to_owned());
        if let Some(slot) = before.and_then(|before| table.open.get(&before)) {
            slot.set_due(slot.due().min(Instant::now() + LATE_FOR));
        }
    }

    /// Notes that the server refuses the name of a group.
    pub(super) fn refuse(&self, group: &str, reason: DeadReason, answer: &str) {
        let mut table = self.table();
        if table.refused.len() >= REFUSED_MAX
            && let Some((oldest, _)) = table.refused.iter().min_by_key(|(_, (_, _, since))| *since)
        {
            let oldest = oldest.clone();
            table.refused.remove(&oldest);
        }
        table.refused.insert(group.to_owned(), (reason, answer.to_owned(), Instant::now()));
    }

    /// Returns how the server refuses the name of a group.
    pub(super) fn refusal(&self, group: &str) -> Option<Failure> {
        let table = self.table();
        let (reason, answer, since) = table.refused.get(group)?;
        let is_fresh = since.elapsed() < REFUSED_FOR;
        is_fresh.then(|| Failure { verdict: Verdict::Dead(*reason), answer: answer.clone() })
    }

    /// Notes why an object is not complete, or that nothing hinders it any more.
    pub(super) fn set_trouble(&self, id: u64, trouble: Option<String>) {
        let mut table = self.table();
        match trouble {
            Some(trouble) => drop(table.troubles.insert(id, trouble)),
            None => drop(table.troubles.remove(&id)),
        }
    }

    /// Returns, for users, why objects are not completed.
    pub(in crate::s3) fn trouble(&self) -> Option<String> {
        self.table().troubles.values().next().cloned()
    }
}

#[cfg(test)]
impl Uploads {
    /// Makes everything that ends due now.
    pub(in crate::s3) fn hurry(&self) {
        self.table().ending.values().for_each(|slot| slot.set_due(Instant::now()));
    }

    /// Returns whether nothing ends.
    pub(in crate::s3) fn has_nothing_to_do(&self) -> bool {
        self.table().ending.is_empty()
    }
}

impl Table {
    /// Ends the open object that was begun first.
    fn end_first(&mut self) {
        let first = self.open.iter().min_by_key(|(_, slot)| slot.id).map(|(group, _)| group.clone());
        if let Some(slot) = first.and_then(|group| self.open.remove(&group)) {
            slot.set_due(Instant::now());
            self.ending.insert(slot.id, slot);
        }
    }

    fn may_relieve(&self, now: Instant) -> bool {
        self.relieved_at.is_none_or(|at| at + RELIEVED_EVERY <= now)
    }
}
