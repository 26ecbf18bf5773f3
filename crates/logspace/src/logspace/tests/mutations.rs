//! A thousand single changes to a small logspace with recoded, archived, restored and removed segments: verification finds
//! each, or the change is shown to be harmless: the answer is true, and the server reads back the same messages, or says what
//! is wrong and does not start.

use super::*;
use crate::{
    Audit, EVIDENCE_DIR, Verdict,
    files::catalog::{CATALOG_NAME, Catalog, Reason},
};
use evidence::{Chain, Record, SigningKey};
use journal::OsDisk;
use std::{collections::BTreeMap, os::unix::fs::symlink};

const CHANGES: u64 = 1000;
const SEED: u64 = 20_261_122;
/// Messages of a segment that is large enough to become smaller, and of the others.
const LARGE: u64 = 200;
const LITTLE: u64 = 20;
const DAY_US: i64 = 86_400_000_000;

/// A file, folder or link at a path.
#[derive(Clone, PartialEq, Eq)]
enum Node {
    File(Vec<u8>),
    Link(PathBuf),
}

/// The files below a folder, but for the journal, which is not part of the evidence.
fn nodes(folder: &Path, found: &mut BTreeMap<PathBuf, Node>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            found.insert(path.clone(), Node::Link(fs::read_link(&path).unwrap()));
        } else if !path.is_dir() {
            found.insert(path.clone(), Node::File(fs::read(&path).unwrap()));
        } else {
            nodes(&path, found);
        }
    }
}

/// A logspace, what else its changes are made of, and how it was.
struct Site {
    home: tempfile::TempDir,
    /// Segments of another logspace, and of this one before they were recoded.
    others: Vec<Vec<u8>>,
    foreign_chain: Chain,
    foreign_key: SigningKey,
    before: BTreeMap<PathBuf, Node>,
    messages: Vec<(u64, String)>,
}

impl Site {
    fn options(home: &Path) -> LogspaceOptions {
        let (recode_after, recode_look) = (Duration::ZERO, Duration::from_millis(5));
        LogspaceOptions { archive_to: Some(home.join("archive")), recode_after, recode_look, ..options() }
    }

    /// Seals some messages, received at a time.
    fn seal(logspace: &Logspace, first: u64, count: u64, received_us: i64) -> u64 {
        store(logspace, first..first + count, received_us);
        assert_eq!(logspace.seal_now(PATIENCE), Some(first + count));
        first + count
    }

    fn new() -> Site {
        let home = tempfile::tempdir().unwrap();
        let (dir, start) = (home.path().join("all"), now_us());
        let plain = LogspaceOptions { recode: false, ..Site::options(home.path()) };
        let logspace = open(&dir, plain.clone());
        let mut next = Site::seal(&logspace, 0, LITTLE, start - 9 * DAY_US);
        for number in 0..2 {
            next = Site::seal(&logspace, next, LARGE, start - 10_000_000 * (9 - number));
        }
        logspace
            .set_retention(Retention { age: Some(Duration::from_secs(8 * 86_400)), ..Retention::default() });
        wait_until("removed", || logspace.stats().segments_removed_total == 1);
        logspace.close();
        let read = |path: &PathBuf| fs::read(path).unwrap();
        let mut others: Vec<Vec<u8>> = layout::segment_files(&dir).unwrap().iter().map(read).collect();
        let logspace = open(&dir, Site::options(home.path()));
        wait_until("recoded", || logspace.stats().segments_recoded_total == 2);
        next = Site::seal(&logspace, next, LITTLE, start - 60_000_000);
        assert_eq!(logspace.archive(Duration::ZERO, PATIENCE).unwrap().segments, 3);
        let second = start - 10_000_000 * 8 - 1..start - 10_000_000 * 8 + 1;
        assert_eq!(logspace.restore(second, PATIENCE).unwrap().segments, 1);
        for number in 0..3 {
            next = Site::seal(&logspace, next, LITTLE, start - 10_000_000 * (4 - number));
        }
        store(&logspace, next..next + 5, start);
        wait_until("searchable", || logspace.snapshot().sequence == next + 5);
        let messages = found(&logspace);
        logspace.close();
        let strange = home.path().join("strange");
        let logspace = open(&strange, plain);
        for number in 0..3 {
            Site::seal(&logspace, number * LITTLE, LITTLE, start);
        }
        logspace.close();
        others.extend(layout::segment_files(&strange).unwrap().iter().map(read));
        let foreign_chain = read_chain(&OsDisk, &strange).unwrap();
        let foreign_key = SigningKey::load(&strange.join(EVIDENCE_DIR).join("sign.key")).unwrap();
        let mut site = Site { home, others, foreign_chain, foreign_key, before: BTreeMap::new(), messages };
        site.before = site.now();
        site
    }

    fn dir(&self) -> PathBuf {
        self.home.path().join("all")
    }

    fn now(&self) -> BTreeMap<PathBuf, Node> {
        let mut found = BTreeMap::new();
        nodes(&self.dir(), &mut found);
        nodes(&self.home.path().join("archive"), &mut found);
        found
    }

    /// Makes everything as it was.
    fn undo(&self) {
        let now = self.now();
        for path in now.keys().filter(|path| !self.before.contains_key(*path)) {
            fs::remove_file(path).unwrap();
        }
        for (path, node) in self.before.iter().filter(|(path, node)| now.get(*path) != Some(node)) {
            let _ = fs::remove_file(path);
            match node {
                Node::File(bytes) => fs::write(path, bytes).unwrap(),
                Node::Link(target) => symlink(target, path).unwrap(),
            }
        }
    }

    /// Segment files, those in the archive and links included.
    fn segments(&self) -> Vec<PathBuf> {
        let is_segment = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "ds");
        self.before.keys().filter(is_segment).cloned().collect()
    }

    fn chain_path(&self) -> PathBuf {
        self.dir().join(EVIDENCE_DIR).join("chain")
    }
}

fn pick<'a, T>(chance: &mut Chance, from: &'a [T]) -> &'a T {
    &from[chance.below(from.len() as u64) as usize]
}

/// Puts bytes in the place of whatever is there; nothing is written through a link.
fn put(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// Flips a bit, cuts, appends, or changes a run of bytes.
fn change_bytes(chance: &mut Chance, path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = chance.below(bytes.len() as u64) as usize;
    match chance.below(4) {
        0 => bytes.truncate(at),
        1 => bytes.extend((0..=chance.below(40)).map(|_| chance.number() as u8).collect::<Vec<_>>()),
        2 => bytes[at] ^= 1 << chance.below(8),
        _ => bytes[at..].iter_mut().take(9).for_each(|byte| *byte = byte.wrapping_add(1)),
    }
    fs::write(path, bytes).unwrap();
}

/// Changes the records of the chain; each keeps a valid sum.
fn change_records(chance: &mut Chance, site: &Site) {
    let mut records: Vec<Record> = read_chain(&OsDisk, &site.dir()).unwrap().records().to_vec();
    let count = records.len() as u64;
    let at = chance.below(count) as usize;
    match chance.below(9) {
        0 => drop(records.remove(at)),
        1 => records.swap(at, (at + 1 + chance.below(count - 1) as usize) % count as usize),
        2 => records.truncate(at),
        3 => drop(records.drain(..at.max(1))),
        4 => records.push(records[at].clone()),
        5 => records.push(pick(chance, site.foreign_chain.records()).clone()),
        6 => {
            // Another key says that a segment was removed.
            let mut record = records[at].clone();
            (record.number, record.previous) = (count, records[count as usize - 1].digest());
            record.event = evidence::Event::Removal("age".to_owned());
            record.signer = site.foreign_key.public().fingerprint();
            record.signature = site.foreign_key.sign(record.statement().as_bytes()).unwrap();
            records.push(record);
        }
        7 => records[at].signature[0] ^= 1,
        _ => match chance.below(6) {
            0 => records[at].at_us -= 1,
            1 => records[at].segment.count += 1,
            2 => records[at].segment.messages.0[3] ^= 1,
            3 => records[at].logspace[0] ^= 1,
            4 => records[at].event = evidence::Event::Archive(format!("sha256:{} /x", "0".repeat(64))),
            _ => records[at].number += 1,
        },
    }
    let text: String = records.iter().map(Record::print).collect();
    fs::write(site.chain_path(), text).unwrap();
}

/// Changes the catalog, which keeps a valid sum.
fn change_catalog(chance: &mut Chance, site: &Site) {
    let mut catalog = Catalog::read(&OsDisk, &site.dir()).unwrap().unwrap();
    let at = chance.below(catalog.segments.len() as u64) as usize;
    match chance.below(8) {
        0 => drop(catalog.segments.remove(at)),
        1 => catalog.segments[at].count += 1,
        2 => catalog.segments[at].bytes += 1,
        3 => catalog.segments[at].path = PathBuf::from("2026/01-01/00000000000000000000.ds"),
        4 => catalog.bury(catalog.segments[at].first, Reason::Age, 7),
        5 => catalog.tombstones.clear(),
        6 => catalog.tombstones[0].entry.count += 1 << chance.below(40),
        _ => {
            let mut entry = catalog.segments[at].clone();
            entry.first += 1_000_000;
            catalog.add(entry);
        }
    }
    catalog.write(&OsDisk, &site.dir()).unwrap();
}

/// A kind of change, and how one is made.
type Kind = (&'static str, fn(&mut Chance, &Site));

const KINDS: [Kind; 12] = [
    ("bytes of a segment", |chance, site| {
        let path = pick(chance, &site.segments()).clone();
        change_bytes(chance, &path);
    }),
    ("bytes of the chain", |chance, site| change_bytes(chance, &site.chain_path())),
    ("bytes of the catalog", |chance, site| change_bytes(chance, &site.dir().join(CATALOG_NAME))),
    ("records of the chain", change_records),
    ("entries of the catalog", change_catalog),
    ("two files swapped", |chance, site| {
        let segments = site.segments();
        let at = chance.below(segments.len() as u64) as usize;
        let other = (at + 1 + chance.below(segments.len() as u64 - 1) as usize) % segments.len();
        let aside = segments[at].with_extension("aside");
        fs::rename(&segments[at], &aside).unwrap();
        fs::rename(&segments[other], &segments[at]).unwrap();
        fs::rename(&aside, &segments[other]).unwrap();
    }),
    ("one file over another", |chance, site| {
        let segments = site.segments();
        let bytes = fs::read(pick(chance, &segments)).unwrap();
        put(pick::<PathBuf>(chance, &segments), &bytes);
    }),
    ("a file deleted", |chance, site| {
        let all: Vec<PathBuf> = site
            .before
            .keys()
            .filter(|path| !path.starts_with(site.dir().join("journal")))
            .cloned()
            .collect();
        fs::remove_file(pick::<PathBuf>(chance, &all)).unwrap();
    }),
    ("a link in the place of a file", |chance, site| {
        let segments = site.segments();
        let path = pick(chance, &segments);
        let outside = site.home.path().join("outside.ds");
        put(&outside, &fs::read(path).unwrap());
        let target = match chance.below(4) {
            0 => PathBuf::from("/nonexistent"),
            1 => outside,
            2 => site.home.path().join("archive/all").join("2026/01-01/00000000000000000777.ds"),
            _ => pick(chance, &segments).clone(),
        };
        fs::remove_file(path).unwrap();
        symlink(target, path).unwrap();
    }),
    ("a copy from elsewhere over a file", |chance, site| {
        put(pick::<PathBuf>(chance, &site.segments()), pick::<Vec<u8>>(chance, &site.others));
    }),
    ("an extra file", |chance, site| {
        let name = match chance.below(3) {
            0 => format!("{:020}.ds", chance.below(2000)),
            1 => format!("{:020}.ds", site.messages.len() as u64 + LITTLE - 5),
            _ => "extra.ds".to_owned(),
        };
        let path = pick(chance, &site.segments()).with_file_name(name);
        if !site.before.contains_key(&path) {
            put(&path, pick::<Vec<u8>>(chance, &site.others));
        }
    }),
    ("keys and other files", |chance, site| {
        let others: Vec<PathBuf> = site
            .before
            .keys()
            .filter(|path| {
                let is_key = path.starts_with(site.dir().join(EVIDENCE_DIR)) && !path.ends_with("chain");
                is_key || path.ends_with(archive::MARKER)
            })
            .cloned()
            .collect();
        let path = pick(chance, &others).clone();
        change_bytes(chance, &path);
    }),
];

/// Counts of the outcomes of changes.
#[derive(Clone, Copy, Default, Debug)]
struct Outcomes {
    found: u64,
    harmless: u64,
    refused: u64,
}

/// Verifies; what is not found must be harmless.
fn judge(site: &Site, what: &str, outcomes: &mut Outcomes) {
    let report = Audit::default().run(&site.dir(), &CancelToken::unlimited()).unwrap();
    if report.verdict() == Verdict::NotGood {
        outcomes.found += 1;
        return;
    }
    let is_read = report.messages == site.messages.len() as u64 - 5;
    let expects = if report.verdict() == Verdict::Complete { is_read } else { report.away == 2 && !is_read };
    assert!(expects, "{what}: {:?}, {} messages, {:?}", report.verdict(), report.messages, report.findings);
    let plain = LogspaceOptions { recode: false, ..Site::options(site.home.path()) };
    let logspace = match Logspace::open(&site.dir(), plain, Arc::new(Unheard)) {
        Ok(logspace) => logspace,
        Err(_) => {
            outcomes.refused += 1;
            return;
        }
    };
    wait_until("read back", || logspace.snapshot().sequence > site.messages.last().unwrap().0);
    let snapshot = logspace.snapshot();
    let away: u64 = snapshot.away.iter().map(|extent| extent.count).sum();
    assert_eq!(away > 0, report.verdict() == Verdict::GoodForWhatIsHere, "{what}");
    let is_away = |number: u64| {
        snapshot.away.iter().any(|part| (part.first..part.first + part.count).contains(&number))
    };
    let want: Vec<_> = site.messages.iter().filter(|(number, _)| !is_away(*number)).cloned().collect();
    assert!(found(&logspace) == want, "{what}: other messages are read back");
    logspace.close();
    outcomes.harmless += 1;
}

#[test]
fn no_change_of_a_logspace_is_silent() {
    let site = Site::new();
    let report = Audit::default().run(&site.dir(), &CancelToken::unlimited()).unwrap();
    assert_eq!(report.verdict(), Verdict::Complete, "{:?}", report.findings);
    assert_eq!(report.messages, site.messages.len() as u64 - 5);
    println!("seed {SEED}");
    let mut chance = Chance::new(SEED);
    let (mut table, mut changed) = (BTreeMap::<&str, Outcomes>::new(), 0);
    for number in 0.. {
        if changed == CHANGES {
            break;
        }
        let (kind, change) = KINDS[(number % KINDS.len() as u64) as usize];
        change(&mut chance, &site);
        let now = site.now();
        if now != site.before {
            changed += 1;
            let differs = |path: &&PathBuf| now.get(*path) != site.before.get(*path);
            let paths: Vec<_> = now.keys().chain(site.before.keys()).filter(differs).collect();
            judge(
                &site,
                &format!("seed {SEED}, change {number}, {kind}: {paths:?}"),
                table.entry(kind).or_default(),
            );
        }
        site.undo();
    }
    for (kind, Outcomes { found, harmless, refused }) in &table {
        println!("{kind:36} {found:4} found {harmless:4} harmless {refused:4} refused at the start");
    }
    let found: u64 = table.values().map(|outcomes| outcomes.found).sum();
    assert!(found > CHANGES / 2, "only {found} were found: the test shows too little");
}
