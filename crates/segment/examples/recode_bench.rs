//! Recodes a segment and prints cost and savings; then runs the same queries on both files.
//!
//! In: `SEGMENT NEW`, a sealed segment that is not encrypted (`segment_bench build` makes some) and a path for the new one;
//! the aged one is written beside it.
//! Out: CPU and bytes per message by part; milliseconds for rows and words, of the old file and the new one.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use evidence::Keys;
use lookup::{CancelToken, Pattern, SegmentView};
use segment::{RecodeReport, Recoding, Sealed};
use std::path::Path;

const REPEATS: usize = 7;
const ROWS: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [old, new] = arguments.as_slice() else { return println!("usage: recode_bench SEGMENT NEW") };
    let (sealed, new) = (Sealed::open(Path::new(old)).unwrap(), Path::new(new));
    let _ = std::fs::remove_file(new);
    recode(&sealed, new);
    let aged = new.with_extension("aged");
    let _ = std::fs::remove_file(&aged);
    let recoded = Sealed::open(new).unwrap();
    age(&recoded, &aged);
    for sealed in [&sealed, &recoded, &Sealed::open(&aged).unwrap()] {
        println!("{}:", sealed.path().display());
        read(sealed);
        words(sealed);
    }
}

/// Nanoseconds that this thread has run.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap()
}

fn recode(sealed: &Sealed, new: &Path) {
    let (keys, cancel) = (Keys::default(), CancelToken::unlimited());
    let before = cpu_ns();
    let mut recoding = Recoding { recipients: &[], keys: &keys, cancel: &cancel, pace: &mut || () };
    let draft = sealed.recode(new, &mut recoding).unwrap();
    let report = draft.finish(&|_| Some(String::new())).unwrap();
    show(&report, before);
}

fn age(recoded: &Sealed, aged: &Path) {
    let (keys, cancel) = (Keys::default(), CancelToken::unlimited());
    let before = cpu_ns();
    let mut recoding = Recoding { recipients: &[], keys: &keys, cancel: &cancel, pace: &mut || () };
    let draft = recoded.age(aged, &mut recoding).unwrap();
    show(&draft.finish(&|_| Some(String::new())).unwrap(), before);
}

fn show(report: &RecodeReport, before: u64) {
    let each = |bytes: u64| bytes as f64 / report.messages as f64;
    println!("{:.2} us of CPU a message", each(cpu_ns() - before) / 1e3);
    println!(
        "bytes a message: {:.2}, before {:.2}; groups {:.2} + columns {:.2} + terms {:.2} + postings {:.2} + templates {:.2}",
        each(report.file),
        each(report.before),
        each(report.groups),
        each(report.columns),
        each(report.terms),
        each(report.postings),
        each(report.templates),
    );
}

fn best_ms(mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let before = cpu_ns();
        work();
        cpu_ns() - before
    };
    (0..REPEATS).map(once).min().unwrap_or(0) as f64 / 1e6
}

fn read(sealed: &Sealed) {
    let rows = |step: usize, count: usize| {
        let mut which = (0..sealed.len()).rev().step_by(step).take(count);
        sealed
            .read(&mut which, &CancelToken::unlimited(), &mut |_, document| {
                std::hint::black_box(&document.raw);
                true
            })
            .unwrap();
    };
    let all = best_ms(|| rows(1, usize::MAX));
    println!("  all messages: {:.3} us each", all * 1e3 / f64::from(sealed.len()));
    for step in [1, 100, 1000, 5000] {
        println!("  {ROWS} rows, one of {step}: {:.2} ms", best_ms(|| rows(step, ROWS)));
    }
}

fn words(sealed: &Sealed) {
    let exact = |text: &str| Pattern::Exact(text.into());
    let wild = |text: &str| Pattern::Wildcard(text.into());
    let patterns = [
        ("rare", exact("deadbeefcafe4711deadbeefcafe4711")),
        ("blocked", exact("blocked")),
        ("syst*", Pattern::Prefix("syst".into())),
        ("*ail*", wild("*ail*")),
        ("*pple", wild("*pple")),
    ];
    for (name, pattern) in patterns {
        let ask = || sealed.words(&pattern, &CancelToken::unlimited()).unwrap().count();
        let ms = best_ms(|| (0..20).for_each(|_| assert!(ask() <= u64::from(sealed.len())))) / 20.0;
        println!("  {name}: {} found, {ms:.3} ms", ask());
    }
}
