//! A logspace: takes messages in, acknowledges them once they are durable, makes them searchable within a second,
//! seals them, and finally removes them.
//!
//! In: deliveries of the pipeline. Out: acknowledgements, snapshots for queries, a live tail, statistics.
//! Holds: a directory under a lock and three threads: journal, builder, sealer; others that recode, scrub and stamp.
//! Limits: see [`LogspaceOptions`]; every queue between the threads is bounded, and a full one holds back the
//! threads that fill it, up to the sources.

use crate::evidence_log::EvidenceLog;
use crate::files::journal_cipher::JournalCipher;
use crate::files::layout::JOURNAL_DIR;
use crate::files::numbers::{NumberMark, UNSYNCED_MAX};
use crate::files::{
    catalog::Catalog,
    clock::{self, Clock, ClockGuard, ClockReading, OsClock},
};
use crate::package::{MessageSelector, PackagePart};
use crate::segments::Indexed;
use crate::shared::moves::Move;
use crate::shared::queue::Queue;
use crate::shared::segment_set::{SegmentSet, Starting};
use crate::shared::{Retention, Shared};
use crate::threads::builder::Builder;
use crate::threads::sealer::{self, Sealer};
use crate::threads::writer::Writer;
use crate::{
    evidence_log,
    files::taken::TakenNumbers,
    opening::{self, OpenLogspaceError, Opening},
    options::{LogspaceOptions, Notice, Notices},
    segments::{Growing, Segments, Unlocked},
    shared::{
        live::Subscription,
        moves::{MoveError, Moved},
        stats::LogspaceStats,
    },
    threads::{recoder, scrub, stamper},
};
use evidence::{KeyError, Keys, SigningKey, package::View};
use journal::{Disk, Journal, OsDisk};
use lookup::Snapshot;
use message::{Delivery, Outlet, WriteBudget};
use std::{
    fs, io,
    ops::Range,
    path::Path,
    sync::{Arc, atomic::Ordering::Relaxed, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

/// The machine that a logspace runs on: the disk with journal and catalog, and the clocks.
pub struct Host {
    /// Holds the journal, the catalog and the chain of evidence.
    pub disk: Arc<dyn Disk>,
    /// Determines what is old, and when a day is over.
    pub clock: Arc<dyn Clock>,
}

impl Default for Host {
    fn default() -> Host {
        Host { disk: Arc::new(OsDisk), clock: Arc::new(OsClock) }
    }
}

/// An open logspace. Dropping it closes it.
pub struct Logspace {
    shared: Arc<Shared>,
    segments: Arc<dyn Segments>,
    seals: Arc<Queue<Box<dyn Growing>>>,
    writer: Option<JoinHandle<()>>,
    builder: Option<JoinHandle<()>>,
    sealer: Option<JoinHandle<()>>,
    scrubber: Option<JoinHandle<()>>,
    recoder: Option<JoinHandle<()>>,
    stamper: Option<JoinHandle<()>>,
    /// Closed when scrubber and stamper must end.
    ended: Arc<Queue<()>>,
}

impl Logspace {
    /// Opens a logspace, creating it when it is missing. Messages that were acknowledged and are not sealed are read
    /// back from the journal before this returns, or later when that takes longer than `replay_wait`.
    pub fn open(
        dir: &Path,
        options: LogspaceOptions,
        notices: Arc<dyn Notices>,
    ) -> Result<Logspace, OpenLogspaceError> {
        Logspace::open_on(Host::default(), Arc::new(Indexed), dir, options, notices)
    }

    /// Opens a logspace on another machine, with segments of another kind, for tests. Sealed segments are files of the
    /// operating system in any case.
    pub fn open_on(
        Host { disk, clock }: Host,
        segments: Arc<dyn Segments>,
        dir: &Path,
        options: LogspaceOptions,
        notices: Arc<dyn Notices>,
    ) -> Result<Logspace, OpenLogspaceError> {
        let failed = |source| OpenLogspaceError::Io { path: dir.to_owned(), source };
        make_folder(dir).map_err(failed)?;
        let mut journal = open_journal(&disk, dir, &options, &*notices)?;
        let (sign_key, now_us) = (options.sign_key.as_deref(), clock.wall_us());
        let mut evidence_log = EvidenceLog::open(Arc::clone(&disk), dir, sign_key, now_us, &*notices)
            .map_err(OpenLogspaceError::Evidence)?;
        evidence_log.tie(options.ledger.clone());
        let cipher = Arc::new(JournalCipher::open(Arc::clone(&disk), dir).map_err(failed)?);
        let found = opening::find_segments(Opening {
            disk: &*disk,
            segments: &*segments,
            keys: &options.keys,
            evidence_log: &mut evidence_log,
            journal: &journal,
            cipher: &cipher,
            dir,
            now_us,
            notices: &*notices,
        })
        .map_err(|error| error.of(dir))?;
        let sealed_below = found.write(&*disk, dir).map_err(failed)?;
        journal.advance(sealed_below);
        let guard = open_clock(&*disk, &*clock, dir, &options, &found.catalog);
        let (guard, run) = guard.map_err(failed)?;
        let mark = open_mark(&*disk, dir, &mut journal, run).map_err(failed)?;
        let end = journal.next_sequence();
        let starting = (end > sealed_below).then(|| Starting { end, until_us: clock.wall_us() });
        let segment_set = SegmentSet::new(found.sealed, sealed_below, evidence_log.losses(), starting);
        let shared = Arc::new(Shared::new(dir, options, clock, notices, segment_set, sealed_below));
        let taken = open_taken(&disk, &journal, &cipher, &shared).map_err(failed)?;
        shared.counters.stand(found.troubles);
        let seals = Arc::new(Queue::new(1));
        let sealer = Sealer::new(
            Arc::clone(&shared),
            Arc::clone(&disk),
            Arc::clone(&segments),
            Arc::clone(&seals),
            sealer::RecoveredState {
                catalog: found.catalog,
                evidence_log,
                foreign: found.foreign,
                clock: guard,
            },
        );
        let mut logspace = Logspace::without_threads(&shared, &segments, &seals);
        logspace.sealer = Some(spawn(&shared, "logspace-seal", move || sealer.run()).map_err(failed)?);
        let builder = Builder::new(Arc::clone(&shared), seals, &*segments, sealed_below);
        let reader = journal.reader(sealed_below);
        let (done, replayed) = mpsc::sync_channel(0);
        let build = {
            let cipher = Arc::clone(&cipher);
            move || builder.run(reader, end, &cipher, &done)
        };
        logspace.builder = Some(spawn(&shared, "logspace-build", build).map_err(failed)?);
        if let Ok(result) = replayed.recv_timeout(shared.options.replay_wait) {
            result.map_err(OpenLogspaceError::Replay)?;
        }
        drop(replayed);
        logspace.start_upkeep(disk).map_err(failed)?;
        let writer = Writer::new(journal, Arc::clone(&shared), cipher, mark, taken);
        logspace.writer = Some(spawn(&shared, "logspace-write", move || writer.run()).map_err(failed)?);
        Ok(logspace)
    }

    fn without_threads(
        shared: &Arc<Shared>,
        segments: &Arc<dyn Segments>,
        seals: &Arc<Queue<Box<dyn Growing>>>,
    ) -> Logspace {
        Logspace {
            shared: Arc::clone(shared),
            segments: Arc::clone(segments),
            seals: Arc::clone(seals),
            writer: None,
            builder: None,
            sealer: None,
            scrubber: None,
            recoder: None,
            stamper: None,
            ended: Arc::new(Queue::new(1)),
        }
    }

    fn start_upkeep(&mut self, disk: Arc<dyn Disk>) -> io::Result<()> {
        self.start_scrubber()?;
        self.start_recoder()?;
        self.start_stamper(disk)
    }

    fn start_scrubber(&mut self) -> io::Result<()> {
        if self.shared.options.scrub_bytes_a_second > 0 {
            let (shared, ended) = (Arc::clone(&self.shared), Arc::clone(&self.ended));
            let run = move || scrub::run(&shared, &ended);
            self.scrubber = Some(spawn(&self.shared, "logspace-scrub", run)?);
        }
        Ok(())
    }

    fn start_recoder(&mut self) -> io::Result<()> {
        if self.shared.options.recode {
            let (shared, segments) = (Arc::clone(&self.shared), Arc::clone(&self.segments));
            let (seals, ended) = (Arc::clone(&self.seals), Arc::clone(&self.ended));
            let run = move || recoder::run(&shared, &*segments, &seals, &ended);
            self.recoder = Some(spawn(&self.shared, "logspace-recode", run)?);
        }
        Ok(())
    }

    fn start_stamper(&mut self, disk: Arc<dyn Disk>) -> io::Result<()> {
        if let Some(authority) = self.shared.options.authority.clone() {
            let (shared, ended) = (Arc::clone(&self.shared), Arc::clone(&self.ended));
            let run = move || stamper::run(&shared, &*disk, &*authority, &ended);
            self.stamper = Some(spawn(&self.shared, "logspace-stamp", run)?);
        }
        Ok(())
    }

    /// Returns the current segments.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.segment_set.snapshot()
    }

    /// Returns the current segments for a caller whose keys open some that are locked for others.
    pub fn snapshot_for(&self, unlocked: &Unlocked) -> Arc<Snapshot> {
        let snapshot = self.shared.segment_set.snapshot();
        if snapshot.locked.is_empty() {
            return snapshot;
        }
        let open = |path: &Path| unlocked.open(&*self.segments, &self.shared.dir.join(path));
        Arc::new(self.shared.segment_set.snapshot_with(&open))
    }

    /// Returns true when its sealed segments are encrypted.
    pub fn is_encrypted(&self) -> bool {
        !self.shared.options.recipients.is_empty()
    }

    /// Returns true when everything that it took is visible in a snapshot that is taken from now on.
    pub fn is_quiet(&self) -> bool {
        self.shared.is_quiet()
    }

    /// Changes the retention, from its next check on.
    pub fn set_retention(&self, retention: Retention) {
        *self.shared.retention() = retention;
    }

    /// Confirms that an operator knows what is wrong and what time it is: the clock is accepted as right, and
    /// losses are no longer listed among what is wrong. Searches still report them.
    pub fn confirm(&self) {
        self.shared.is_confirmed.store(true, Relaxed);
        self.shared.troubles.confirm();
        self.seals.nudge();
    }

    /// Opens locked segments with these keys, including those that are sealed from now on, until
    /// [`Logspace::lock`]. Returns how many were opened and how many stay locked.
    pub fn unlock(&self, keys: &Keys) -> (usize, usize) {
        *self.shared.session_keys() = keys.clone();
        let opened = self
            .shared
            .segment_set
            .unlock(&|path| self.segments.open(&self.shared.dir.join(path), keys).ok());
        (opened, self.shared.segment_set.snapshot().locked.len())
    }

    /// Forgets the keys of [`Logspace::unlock`]: the segments that they opened are locked again. Searches that are
    /// running may still read them.
    pub fn lock(&self) {
        *self.shared.session_keys() = Keys::default();
        self.shared.segment_set.lock();
    }

    /// Moves sealed segments whose newest message is at least `age` old to the archive, with a record of each in
    /// the chain, and waits until that is done.
    pub fn archive(&self, age: Duration, timeout: Duration) -> Result<Moved, MoveError> {
        self.move_segments(Move::Archive(i64::try_from(age.as_micros()).unwrap_or(i64::MAX)), timeout)
    }

    /// Brings back archived segments that hold messages received in a range. They stay until they are explicitly
    /// archived again.
    pub fn restore(&self, received_us: Range<i64>, timeout: Duration) -> Result<Moved, MoveError> {
        self.move_segments(Move::Restore(received_us.start, received_us.end), timeout)
    }

    fn move_segments(&self, what: Move, timeout: Duration) -> Result<Moved, MoveError> {
        let done = self.shared.moves.ask(what).ok_or(MoveError::TooMany)?;
        self.seals.nudge();
        done.recv_timeout(timeout).map_err(|_| MoveError::InBackground)?
    }

    /// Starts using the archive. Returns how many segments are archived, and how many of them are away.
    pub fn attach_archive(&self) -> (u64, u64) {
        self.shared.is_detached.store(false, Relaxed);
        self.look_for_archive()
    }

    /// Stops using the archive so that it can be unmounted. Returns the same as [`Logspace::attach_archive`].
    pub fn detach_archive(&self) -> (u64, u64) {
        self.shared.is_detached.store(true, Relaxed);
        self.look_for_archive()
    }

    fn look_for_archive(&self) -> (u64, u64) {
        sealer::look_for_archive(&self.shared, &*self.segments);
        self.shared.segment_set.archived()
    }

    /// Completes the active segment and waits until everything that is durable now is sealed; returns the sequence
    /// number below which everything is. None when that takes longer than `timeout`, or the logspace closes.
    pub fn seal_now(&self, timeout: Duration) -> Option<u64> {
        let durable = self.shared.durable_below.load(Relaxed);
        let done = self.shared.seal_waiters.add(durable)?;
        self.shared.unbuilt.nudge();
        done.recv_timeout(timeout).ok()
    }

    /// Returns this logspace's part of an evidence package for a caller with these keys, to be signed with the
    /// logspace's own key.
    pub fn part<'a>(
        &self,
        local: &str,
        view: Option<View>,
        unlocked: Option<&Unlocked>,
        wanted: Box<MessageSelector<'a>>,
    ) -> Result<PackagePart<'a>, KeyError> {
        let own = self.shared.options.keys.and(&self.shared.session_keys());
        let keys = unlocked.map_or_else(|| own.clone(), |unlocked| own.and(unlocked.keys()));
        let dir = self.shared.dir.clone();
        let signer = self.signing_key()?;
        Ok(PackagePart { local: local.to_owned(), view, dir, keys, signer, wanted })
    }

    /// Returns the key that signs the logspace's records.
    pub fn signing_key(&self) -> Result<SigningKey, KeyError> {
        let path = evidence_log::sign_key(&self.shared.dir, self.shared.options.sign_key.as_deref());
        SigningKey::load(&path)
    }

    /// Returns a subscription to the messages that arrive from now on, once they are durable.
    pub fn subscribe(&self) -> Subscription {
        self.shared.live.subscribe()
    }

    /// Returns the counters.
    pub fn stats(&self) -> LogspaceStats {
        self.shared.stats()
    }

    /// Stops taking messages, stores those that wait, and ends the threads. Messages that are not sealed are read
    /// back from the journal at the next start.
    pub fn close(self) {
        drop(self);
    }
}

impl Outlet for Logspace {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        self.shared.deliver(delivery);
    }
}

impl Drop for Logspace {
    fn drop(&mut self) {
        // From the last queue to the first, so that no thread waits for space that is never freed.
        self.shared.inbox.close();
        self.shared.unbuilt.close();
        self.seals.close();
        self.ended.close();
        self.shared.drafts.close();
        let threads = [
            &mut self.writer,
            &mut self.builder,
            &mut self.sealer,
            &mut self.recoder,
            &mut self.scrubber,
            &mut self.stamper,
        ];
        for thread in threads.into_iter().filter_map(Option::take) {
            // A thread that panicked has reported it; the others still end in order.
            let _ = thread.join();
        }
        self.shared.live.close();
    }
}

/// Opens the journal, and reports what a crash left at its end.
fn open_journal(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: &LogspaceOptions,
    notices: &dyn Notices,
) -> Result<Journal, OpenLogspaceError> {
    let journal_options = journal::Options {
        file_bytes_max: options.journal_file_bytes_max,
        durability: options.durability,
        ..journal::Options::default()
    };
    let (journal, recovery) = Journal::open(Arc::clone(disk), &dir.join(JOURNAL_DIR), journal_options)
        .map_err(OpenLogspaceError::Journal)?;
    if recovery.cut_bytes > 0 {
        notices.notice(Notice::TailCut { bytes: recovery.cut_bytes });
    }
    Ok(journal)
}

/// Opens the numbers of messages that the journal has, and has those dropped that come again.
fn open_taken(
    disk: &Arc<dyn Disk>,
    journal: &Journal,
    cipher: &JournalCipher,
    shared: &Shared,
) -> io::Result<TakenNumbers> {
    let (taken, repeats) = TakenNumbers::open(Arc::clone(disk), &shared.dir, journal, cipher)?;
    shared.set_repeats(repeats);
    Ok(taken)
}

/// Opens the mark of the assigned numbers. No number is assigned twice, whatever happened to the journal.
fn open_mark(disk: &dyn Disk, dir: &Path, journal: &mut Journal, run: MachineRun) -> io::Result<NumberMark> {
    let mut mark = NumberMark::open(disk, dir)?;
    if mark.end() > journal.next_sequence() {
        let unsynced = match run {
            MachineRun::Same => 0,
            MachineRun::Another => UNSYNCED_MAX,
        };
        journal.advance(mark.end() + unsynced);
    }
    mark.save(journal.next_sequence())?;
    Ok(mark)
}

/// The boot of the machine, compared with the one in which the logspace was last open.
#[derive(Clone, Copy)]
enum MachineRun {
    /// The same boot: nothing that was written is lost, synced or not.
    Same,
    /// The machine was restarted, or that is not known.
    Another,
}

/// Reads the saved clock readings, and returns whether the machine kept running since then.
fn open_clock(
    disk: &dyn Disk,
    clock: &dyn Clock,
    dir: &Path,
    options: &LogspaceOptions,
    catalog: &Catalog,
) -> io::Result<(ClockGuard, MachineRun)> {
    let boot_id = clock.boot_id();
    let last_boot_id = clock::last_boot_id(disk, dir)?;
    let is_same = !boot_id.is_empty() && last_boot_id.as_ref() == Some(&boot_id);
    let run = if is_same { MachineRun::Same } else { MachineRun::Another };
    let newest_us = catalog.segments.iter().map(|entry| entry.last_us).max();
    let seen = (boot_id, ClockReading::of(clock));
    Ok((ClockGuard::open(disk, dir, options.clock_wait, newest_us, seen)?, run))
}

/// Creates a folder, durable in its parent.
fn make_folder(dir: &Path) -> io::Result<()> {
    journal::make_private_folders(dir)?;
    match dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => fs::File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// Notifies the operator when a thread panics.
struct Alarm(Arc<Shared>, &'static str);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.complain(Notice::Broken { thread: self.1 });
        }
    }
}

fn spawn(
    shared: &Arc<Shared>,
    name: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let alarm = Alarm(Arc::clone(shared), name);
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let _alarm = alarm;
        work();
    })
}

#[cfg(test)]
mod tests;
