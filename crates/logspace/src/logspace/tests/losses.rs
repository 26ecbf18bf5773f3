//! What becomes of acknowledged messages whose journal was deleted, emptied, cut or changed behind the server's back.

use super::*;
use evidence::Event;
use lookup::Locked;

/// Messages of each row: twelve batches of ten.
const STORED: u64 = 120;

fn journal_files(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join(JOURNAL_DIR)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "dj")).collect();
    files.sort();
    files
}

fn gaps(dir: &Path) -> Vec<(u64, u64)> {
    let chain = read_chain(&OsDisk, dir).unwrap();
    let gaps = chain.records().iter().filter(|record| record.event == Event::Gap);
    gaps.map(|record| (record.segment.first, record.end())).collect()
}

fn lost(logspace: &Logspace) -> Vec<(u64, u64)> {
    let snapshot = logspace.snapshot();
    snapshot.lost.iter().map(|Locked { first, count, .. }| (*first, first + count)).collect()
}

/// Stores messages, lets `harm` at the journal's files, and expects these losses, in this life and the next.
#[track_caller]
fn check_loss(harm: impl Fn(&[PathBuf]), want: &[(u64, u64)]) {
    let dir = tempfile::tempdir().unwrap();
    let small = LogspaceOptions { journal_file_bytes_max: 4000, ..options() };
    let logspace = open(dir.path(), small.clone());
    (0..STORED / 10).for_each(|round| store(&logspace, round * 10..round * 10 + 10, NEW_YEAR_US));
    logspace.close();
    harm(&journal_files(dir.path()));
    for life in 0..3 {
        let heard = Arc::new(Heard::default());
        let logspace =
            Logspace::open(dir.path(), small.clone(), Arc::clone(&heard) as Arc<dyn Notices>).unwrap();
        let next = STORED + life * 10;
        assert_eq!(lost(&logspace), want, "life {life}");
        wait_until("recorded", || gaps(dir.path()) == want);
        let error = logspace.stats().last_error;
        let is_new = life == 0 && !want.is_empty();
        assert_eq!(error.is_some_and(|error| error.contains("are lost")), is_new, "life {life}");
        assert_eq!(heard.has("acknowledged messages are lost"), is_new, "life {life}");
        logspace.confirm();
        assert_eq!(logspace.stats().last_error, None);
        // No number is given twice.
        store(&logspace, next..next + 10, NEW_YEAR_US);
        wait_until("searchable", || logspace.snapshot().sequence == next + 10);
        let is_lost = |number: u64| want.iter().any(|(from, to)| (*from..*to).contains(&number));
        let kept: Vec<(u64, String)> =
            (0..next + 10).filter(|number| !is_lost(*number)).map(|number| (number, line(number))).collect();
        assert_eq!(found(&logspace), kept, "life {life}");
        logspace.close();
    }
}

fn first_of(path: &Path) -> u64 {
    path.file_stem().unwrap().to_str().unwrap().strip_prefix("journal-").unwrap().parse().unwrap()
}

#[test]
fn l4_a_deleted_journal_shows() {
    check_loss(|files| files.iter().for_each(|path| fs::remove_file(path).unwrap()), &[(0, STORED)]);
}

#[test]
fn l4_an_emptied_journal_shows() {
    check_loss(|files| files.iter().for_each(|path| drop(fs::File::create(path).unwrap())), &[(0, STORED)]);
}

#[test]
fn l4_a_deleted_last_file_shows() {
    // Files of 4,000 bytes hold three batches each.
    let harm = |files: &[PathBuf]| fs::remove_file(files.last().unwrap()).unwrap();
    let first = first_of_last();
    check_loss(harm, &[(first, STORED)]);
}

#[test]
fn l4_a_deleted_first_file_shows() {
    let second = first_of_second();
    check_loss(|files| fs::remove_file(&files[0]).unwrap(), &[(0, second)]);
}

#[test]
fn l4_a_cut_last_file_shows() {
    let first = first_of_last();
    // The header and half a record stay.
    let harm = |files: &[PathBuf]| {
        fs::File::options().write(true).open(files.last().unwrap()).unwrap().set_len(200).unwrap();
    };
    check_loss(harm, &[(first, STORED)]);
}

#[test]
fn l4_a_changed_byte_shows() {
    let harm = |files: &[PathBuf]| {
        let mut bytes = fs::read(&files[0]).unwrap();
        let at = bytes.windows(3).position(|part| part == b"n15").unwrap();
        bytes[at] ^= 1;
        fs::write(&files[0], bytes).unwrap();
    };
    check_loss(harm, &[(10, 20)]);
}

#[test]
fn l4_a_whole_journal_loses_nothing() {
    check_loss(|_| {}, &[]);
}

/// First numbers of the journal files that the rows begin with.
fn firsts() -> Vec<u64> {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), LogspaceOptions { journal_file_bytes_max: 4000, ..options() });
    (0..STORED / 10).for_each(|round| store(&logspace, round * 10..round * 10 + 10, NEW_YEAR_US));
    logspace.close();
    let firsts: Vec<u64> = journal_files(dir.path()).iter().map(|path| first_of(path)).collect();
    assert!(firsts.len() > 2, "{firsts:?}");
    firsts
}

fn first_of_last() -> u64 {
    firsts().pop().unwrap()
}

fn first_of_second() -> u64 {
    firsts()[1]
}

#[test]
fn l5_what_is_still_being_read_back_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let stuck = Arc::new(plain::Stuck::default());
    let open = |replay_wait| {
        let options = LogspaceOptions { replay_wait, ..options() };
        let segments = Arc::clone(&stuck) as Arc<dyn Segments>;
        Logspace::open_on(Host::default(), segments, dir.path(), options, Arc::new(Unheard)).unwrap()
    };
    let logspace = open(PATIENCE);
    assert_eq!(logspace.snapshot().starting, None);
    store(&logspace, 0..30, NEW_YEAR_US);
    logspace.close();
    stuck.hold();
    let logspace = open(Duration::ZERO);
    let (snapshot, stats) = (logspace.snapshot(), logspace.stats());
    // Released first: a failed assertion must not wait for a builder that is held.
    stuck.release();
    let starting = snapshot.starting.unwrap();
    assert_eq!((snapshot.sequence, starting.first, starting.count), (0, 0, 30));
    assert!(starting.received_us.0 < LONG_AGO_US && starting.received_us.1 > LONG_AGO_US, "{starting:?}");
    assert_eq!((stats.starting_messages, stats.last_error), (30, None));
    wait_until("started", || logspace.snapshot().starting.is_none());
    check_found(&logspace, 30);
}
