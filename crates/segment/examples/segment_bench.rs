//! Times building, sealing and searching of segments.
//!
//! In: `build FILE DIR [messages a segment]`, a file of RFC 3164 lines; then `query DIR [threads]`, `verify DIR`; `active FILE`.
//! Out: CPU and bytes per message, peak memory; milliseconds per query with count, 30 buckets and the newest 200
//! messages.
//! `$RECIPIENT` (age1...) encrypts, `$KEY` (a file) opens.
//! Each batch counts as received one millisecond per line after the previous one.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use evidence::{Identity, Keys, Recipient};
use lookup::{Bitmap, CancelToken, Column, Pattern, Phrase, SegmentView};
use message::{Ack, Batch, Message, Origin, Priority, Selection, Span, Stamp, ZoneQuality};
use segment::{Active, SealReport, Sealed, Sealing};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    time::Instant,
};

const BATCH_BYTES: usize = 256 << 10;
const SEGMENT: u32 = 1_000_000;
const START_US: i64 = 1_793_491_200_000_000;
const REPEATS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u32| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(or);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["build", file, dir, ..] => build(Path::new(file), Path::new(dir), number(3, SEGMENT)),
        ["query", dir, ..] => query(&open(Path::new(dir)), number(2, 1) as usize),
        ["verify", dir] => verify(Path::new(dir)),
        ["active", file, ..] => query(&[active(Path::new(file), number(2, SEGMENT))], 1),
        _ => println!(
            "usage: segment_bench build FILE DIR [messages] | query DIR [threads] | verify DIR | active FILE [messages]"
        ),
    }
}

/// The recipients of `build`: `$RECIPIENT`, an `age1...`; none when it is not set.
fn recipients() -> Vec<Recipient> {
    std::env::var("RECIPIENT").iter().map(|text| Recipient::load(text).unwrap()).collect()
}

/// Returns the keys that `query` and `verify` open segments with: those of the key file `$KEY`.
fn keys() -> Keys {
    let load = |path: &String| Identity::load(Path::new(path), None).unwrap();
    Keys::of(std::env::var("KEY").iter().map(load).collect())
}

/// Reads a file in batches.
struct Batches {
    file: File,
    rest: Vec<u8>,
    lines: i64,
    origins: Vec<Arc<Origin>>,
}

impl Batches {
    fn open(file: &Path) -> Batches {
        let origin = Origin {
            source: "s_net".into(),
            peer: Some("192.0.2.7:514".parse().unwrap()),
            tags: vec![".source.s_net".into()],
            ..Origin::default()
        };
        Batches {
            file: File::open(file).unwrap(),
            rest: Vec::new(),
            lines: 0,
            origins: vec![Arc::new(origin)],
        }
    }
}

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut bytes = std::mem::take(&mut self.rest);
        let filled = bytes.len();
        bytes.resize(BATCH_BYTES, 0);
        let mut at = filled;
        while at < BATCH_BYTES {
            match self.file.read(&mut bytes[at..]).unwrap() {
                0 => break,
                count => at += count,
            }
        }
        let end = memchr::memrchr(b'\n', &bytes[..at]).map(|end| end + 1)?;
        self.rest = bytes[end..at].to_vec();
        bytes.truncate(end);
        let received_us = START_US + self.lines * 1000;
        let mut messages = Vec::with_capacity(BATCH_BYTES / 150);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &bytes) {
            messages.push(split(&bytes, start, end));
            start = end + 1;
        }
        self.lines += messages.len() as i64;
        let stamp = Stamp::known(received_us, 0);
        let mut batch = Batch::new(Arc::new(bytes), self.origins.clone(), stamp, Ack::none());
        batch.messages = messages;
        Some(batch)
    }
}

/// The header of `<PRI>Nov dd hh:mm:ss host program[pid]: text`.
fn split(bytes: &[u8], start: usize, end: usize) -> Message {
    let line = &bytes[start..end];
    let number = |digits: &[u8]| digits.iter().fold(0i64, |sum, digit| sum * 10 + i64::from(digit & 15));
    let span = |from: usize, to: usize| Span::received(start + from, to - from);
    let mut message = Message::default();
    message.raw = span(0, line.len());
    let time = memchr::memchr(b'>', line).unwrap() + 1;
    message.pri = Priority(number(&line[1..time - 1]) as u16);
    let field = |at: usize| number(&line[time + at..time + at + 2]);
    let seconds = ((field(4) - 1) * 24 + field(7)) * 3600 + field(10) * 60 + field(13);
    message.event =
        Stamp { unix_us: START_US + seconds * 1_000_000, offset_s: 0, quality: ZoneQuality::YearGuessed };
    let host = time + 16;
    let program = host + memchr::memchr(b' ', &line[host..]).unwrap() + 1;
    message.host = span(host, program - 1);
    let colon = program + memchr::memchr(b':', &line[program..]).unwrap();
    let name = memchr::memchr(b'[', &line[program..colon]).map_or(colon, |at| program + at);
    message.program = span(program, name);
    if name < colon {
        message.pid = span(name + 1, colon - 1);
    }
    message.text = span((colon + 2).min(line.len()), line.len());
    message
}

/// Nanoseconds that this thread has run.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap()
}

fn build(file: &Path, dir: &Path, segment: u32) {
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir).unwrap();
    let began = Instant::now();
    let (queue, sealing) = mpsc::sync_channel::<(Active, PathBuf)>(0);
    let sealer = std::thread::spawn(move || {
        let mut reports = Vec::new();
        let before = cpu_ns();
        for (active, path) in sealing {
            reports.push(active.seal_as(&path, &Sealing::for_recipients(&recipients())).unwrap());
        }
        (reports, cpu_ns() - before)
    });
    let (mut append_ns, mut count, mut raw) = (0, 0u64, 0u64);
    let mut active = Active::new(0, None);
    for batch in Batches::open(file) {
        raw += batch.received_bytes.len() as u64;
        let before = cpu_ns();
        active.append(&batch, &Selection::all(batch.len()));
        append_ns += cpu_ns() - before;
        count += batch.len() as u64;
        if active.len() >= segment {
            let learned = active.learned();
            let first = active.first_sequence();
            let full = std::mem::replace(&mut active, Active::new(count, learned));
            queue.send((full, dir.join(format!("{first:012}.segment")))).unwrap();
        }
    }
    if !active.is_empty() {
        let path = dir.join(format!("{:012}.segment", active.first_sequence()));
        queue.send((active, path)).unwrap();
    }
    drop(queue);
    let (reports, seal_ns) = sealer.join().unwrap();
    let each = |total: u64| total as f64 / count as f64;
    println!("{count} messages of {:.1} bytes, {:.1} s", each(raw), began.elapsed().as_secs_f64());
    println!("append {:.3} us, seal {:.3} us of CPU a message", each(append_ns) / 1e3, each(seal_ns) / 1e3);
    let sum = |part: fn(&SealReport) -> u64| each(reports.iter().map(part).sum());
    println!(
        "bytes a message: {:.2} = blocks {:.2} + columns {:.2} + terms {:.2} + postings {:.2} + templates {:.2}",
        sum(|report| report.file),
        sum(|report| report.blocks),
        sum(|report| report.columns),
        sum(|report| report.terms),
        sum(|report| report.postings),
        sum(|report| report.templates),
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("peak memory {}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or(""));
}

fn open(dir: &Path) -> Vec<Arc<dyn SegmentView>> {
    let began = Instant::now();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let open = |path: &PathBuf| Arc::new(Sealed::unlock(path, &keys()).unwrap()) as Arc<dyn SegmentView>;
    let segments: Vec<_> = paths.iter().map(open).collect();
    println!("{} segments opened in {:.1} ms", segments.len(), began.elapsed().as_secs_f64() * 1e3);
    segments
}

/// Checks all checksums and reads all messages.
fn verify(dir: &Path) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let sealed = Sealed::unlock(&entry.unwrap().path(), &keys()).unwrap();
        let before = cpu_ns();
        let report = sealed.verify(&CancelToken::unlimited()).unwrap();
        let ns = (cpu_ns() - before) as f64 / report.documents as f64;
        println!("{} messages read back, {:.3} us of CPU each", report.documents, ns / 1e3);
    }
}

fn active(file: &Path, count: u32) -> Arc<dyn SegmentView> {
    let mut active = Active::new(0, None);
    for batch in Batches::open(file) {
        active.append(&batch, &Selection::all(batch.len()));
        if active.len() >= count {
            break;
        }
    }
    active.view()
}

enum Ask {
    Word(Pattern),
    Phrase(Phrase),
    And(Vec<Ask>),
    Or(Vec<Ask>),
    Without(Box<Ask>, Box<Ask>),
    All,
    Is(Column, Pattern),
    Top(Box<Ask>, Column),
}

fn word(text: &str) -> Ask {
    Ask::Word(Pattern::Exact(text.into()))
}

fn wild(text: &str) -> Ask {
    Ask::Word(Pattern::Wildcard(text.into()))
}

fn questions() -> Vec<(&'static str, Ask)> {
    let host = || Ask::Is(Column::Host, Pattern::Exact("fra1-srv-005".into()));
    let words = |texts: &[&str]| texts.iter().map(|text| word(text)).collect::<Vec<_>>();
    let phrase = |texts: &[&str]| Phrase {
        words: texts.iter().map(|t| Pattern::Exact((*t).into())).collect(),
        slop: 0,
    };
    let number = |value| lookup::Bound::Number { value, inclusive: true };
    vec![
        ("Q1 rare token", word("deadbeefcafe4711deadbeefcafe4711")),
        ("Q2 blocked", word("blocked")),
        ("Q3 user (20 %)", word("user")),
        ("Q4 failed AND root", Ask::And(words(&["failed", "root"]))),
        ("Q5 OR of four", Ask::Or(words(&["failed", "invalid", "deny", "blocked"]))),
        ("Q6 failed NOT root", Ask::Without(Box::new(word("failed")), Box::new(word("root")))),
        ("Q7 syst*", Ask::Word(Pattern::Prefix("syst".into()))),
        ("Q8 *pple", wild("*pple")),
        ("Q8b *beefcafe4711", wild("*beefcafe4711")),
        ("Q9 *ail*", wild("*ail*")),
        ("Q10 all", Ask::All),
        ("Q10b *a*", wild("*a*")),
        ("Q11 phrase", Ask::Phrase(phrase(&["authentication", "failure"]))),
        ("Q12 fuzzy 1", Ask::Word(Pattern::Fuzzy { text: "autentication".into(), distance: 1 })),
        ("Q12b fuzzy 2", Ask::Word(Pattern::Fuzzy { text: "autentication".into(), distance: 2 })),
        ("Q13 top hosts of failed", Ask::Top(Box::new(word("failed")), Column::Host)),
        ("Q13b top programs of all", Ask::Top(Box::new(Ask::All), Column::Program)),
        ("Q13c top pids of all", Ask::Top(Box::new(Ask::All), Column::Pid)),
        ("Q14 host AND failed", Ask::And(vec![host(), word("failed")])),
        ("Q15 severity err", Ask::Is(Column::Severity, Pattern::Exact("err".into()))),
        (
            "Q16 pid 1000 to 2000",
            Ask::Is(Column::Pid, Pattern::Range { lower: number(1000.0), upper: number(2000.0) }),
        ),
    ]
}

fn eval(ask: &Ask, view: &dyn SegmentView) -> Bitmap {
    let cancel = CancelToken::unlimited();
    match ask {
        Ask::Word(pattern) => view.words(pattern, &cancel).unwrap(),
        Ask::Phrase(phrase) => view.phrase(phrase, &cancel).unwrap().documents,
        Ask::All => Bitmap::all(view.len()),
        Ask::Is(column, pattern) => view.values(column, pattern, &cancel).unwrap(),
        Ask::Top(inner, _) => eval(inner, view),
        Ask::And(asks) | Ask::Or(asks) => {
            let mut parts = asks.iter().map(|ask| eval(ask, view));
            let mut found = parts.next().unwrap();
            match ask {
                Ask::And(_) => parts.for_each(|part| found.and(&part)),
                _ => parts.for_each(|part| found.or(&part)),
            }
            found
        }
        Ask::Without(ask, not) => {
            let mut found = eval(ask, view);
            found.and_not(&eval(not, view));
            found
        }
    }
}

/// Count, buckets, facet.
fn analyse(ask: &Ask, view: &dyn SegmentView, edges: &[i64]) -> (Bitmap, u64, Vec<u64>, usize) {
    let found = eval(ask, view);
    let starts = view.received_edges(edges);
    let bars = starts.windows(2).map(|pair| found.count_range(pair[0]..pair[1])).collect();
    let mut distinct = 0;
    if let Ask::Top(_, column) = ask {
        view.count_values(column, &found, &CancelToken::unlimited(), &mut |_, _| distinct += 1).unwrap();
    }
    let count = found.count();
    (found, count, bars, distinct)
}

fn query(segments: &[Arc<dyn SegmentView>], threads: usize) {
    let (first, last) = (segments[0].received_range().0, segments[segments.len() - 1].received_range().1);
    let edges: Vec<i64> = (0..=30).map(|bar| first + (last - first + 1) * bar / 30).collect();
    for (name, ask) in questions() {
        let mut times = Vec::new();
        let mut count = 0;
        for _ in 0..REPEATS {
            let began = Instant::now();
            let next = AtomicUsize::new(0);
            let found = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(index) = segments.len().checked_sub(1 + next.fetch_add(1, Relaxed)) {
                            let part = analyse(&ask, &*segments[index], &edges);
                            found.lock().unwrap().push((index, part));
                        }
                    });
                }
            });
            let mut found = found.into_inner().unwrap();
            found.sort_by_key(|(index, _)| usize::MAX - index);
            count = found.iter().map(|(_, part)| part.1).sum::<u64>();
            let searched = began.elapsed();
            let mut left = 200;
            for (index, part) in &found {
                let mut newest = part.0.iter_rev().take(left);
                segments[*index]
                    .read(&mut newest, &CancelToken::unlimited(), &mut |_, document| {
                        std::hint::black_box(&document.raw);
                        left -= 1;
                        left > 0
                    })
                    .unwrap();
                if left == 0 {
                    break;
                }
            }
            times.push((began.elapsed().as_secs_f64() * 1e3, searched.as_secs_f64() * 1e3));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (total, searched) = times[times.len() / 2];
        println!(
            "{name:<26} {count:>9} hits {total:>8.2} ms, search {searched:>8.2} ms, best {:>8.2}",
            times[0].0
        );
    }
}
