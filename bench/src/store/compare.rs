//! The store, measured from a device's line to an answer, beside others: `bench store`.
//!
//! In: the binary under test, a number of messages, the engines to run. Out: Markdown tables of the cost of
//! receiving messages and of queries, beside the targets. Every count is compared with one made independently
//! of any engine; ours must be right.

use super::{
    count,
    engine::{self, Engine},
    engines::{
        duramen::Duramen,
        grep::{Grep, Tool},
        server::Setup,
        tantivy::{Positions, Tantivy},
        victorialogs::VictoriaLogs,
    },
    plain::Corpus,
    questions, report,
    results::{Measured, QuestionResult, ask},
};
use crate::warm;
use clap::Args;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Measure storing and searching beside other engines.
#[derive(Args)]
pub(crate) struct Options {
    /// Messages to store
    #[arg(long, default_value_t = 10_000_000)]
    messages: u64,
    /// Engines to run: duramen, encrypted, tantivy, tantivy-positions, ripgrep, zstdgrep, victorialogs; all when left out
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// One more logspace of ours: a name, and options of logspace(); may be given several times
    #[arg(long, value_name = "NAME=OPTIONS")]
    with: Vec<String>,
    /// Runs of each query after the first
    #[arg(long, default_value_t = 9)]
    repeats: usize,
    /// Keep our logspaces, and query those that the last run kept instead of storing messages
    #[arg(long)]
    keep: bool,
    /// Run only the queries with these numbers, such as Q4,Q7
    #[arg(long, value_delimiter = ',')]
    question: Vec<String>,
    /// Also run each query in a new process with the page cache dropped (as root)
    #[arg(long)]
    cold: bool,
    /// VictoriaLogs' binary; it is not measured when left out
    #[arg(long)]
    victorialogs: Option<PathBuf>,
    /// The program of bench/versus/tantivy
    #[arg(long, default_value = "target/versus/release/versus-tantivy")]
    tantivy: PathBuf,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    duramen: PathBuf,
    /// Scratch folder: corpora and stores
    #[arg(long, default_value = "bench/out")]
    out: PathBuf,
}

/// An engine, and its kind.
struct Candidate {
    word: &'static str,
    is_ours: bool,
    is_encrypted: bool,
    engine: Box<dyn Engine>,
}

/// Measures and prints; an error when a count of ours is wrong.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    std::fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    if options.cold {
        engine::drop_caches()?;
    }
    warm::memory(warm::MOST_BYTES)?;
    let candidates = candidates(options, &out)?;
    let corpus = Corpus::of(&out, options.messages)?;
    let expected = count::counts(&corpus.path, questions::ALL)?;
    let mut measured = Vec::new();
    for candidate in candidates {
        let name = candidate.engine.name();
        eprintln!("{name}: taking in {} messages", corpus.messages);
        measured.push(measure(candidate, options, &corpus, &expected)?);
        // Earlier results stay on the screen when a later engine fails.
        eprintln!("{}", report::intake(&measured, corpus.messages, corpus.bytes));
    }
    println!("{}", report::intake(&measured, corpus.messages, corpus.bytes));
    println!("{}", report::questions(&measured, corpus.messages, options.repeats));
    if options.cold {
        println!("{}", report::cold(&measured, corpus.messages));
    }
    let asked = measured.iter().filter(|one| one.is_ours).flat_map(|one| &one.answers);
    let timed = asked.filter_map(|asked| asked.timing.map(|timing| (timing.total, asked.expected)));
    match timed.filter(|(total, expected)| total != expected).count() {
        0 => Ok(()),
        wrong => Err(io::Error::other(format!("{wrong} counts are not those of the plain file"))),
    }
}

fn candidates(options: &Options, out: &Path) -> io::Result<Vec<Candidate>> {
    let binary = options.duramen.canonicalize()?;
    let ours = |word, name: &str, setup: Setup| Candidate {
        word,
        is_ours: true,
        is_encrypted: setup.encrypted,
        engine: Box::new(Duramen::new(name, setup, &binary, out)),
    };
    let other =
        |word, engine: Box<dyn Engine>| Candidate { word, is_ours: false, is_encrypted: false, engine };
    let mut all = vec![
        ours("duramen", "duramen", Setup::default()),
        ours("encrypted", "duramen, encrypted", Setup { encrypted: true, ..Setup::default() }),
    ];
    for with in &options.with {
        let (name, logspace) = with.split_once('=').ok_or_else(|| {
            io::Error::other(format!("--with {with}: a name, `=` and options of logspace()"))
        })?;
        let setup = Setup { logspace: logspace.to_owned(), ..Setup::default() };
        all.push(ours("", &format!("duramen, {name}"), setup));
    }
    all.extend([
        other("tantivy", Box::new(Tantivy::new(&options.tantivy, Positions::Left, out))),
        other("tantivy-positions", Box::new(Tantivy::new(&options.tantivy, Positions::Kept, out))),
        other("ripgrep", Box::new(Grep::new(Tool::Ripgrep, out))),
        other("zstdgrep", Box::new(Grep::new(Tool::Zstdgrep, out))),
    ]);
    if let Some(binary) = &options.victorialogs {
        all.push(other("victorialogs", Box::new(VictoriaLogs::new(&binary.canonicalize()?, out))));
    }
    if let Some(word) = options.only.iter().find(|word| all.iter().all(|one| one.word != word.as_str())) {
        return Err(io::Error::other(format!("there is no engine `{word}`, or it needs its own option")));
    }
    all.retain(|one| {
        one.word.is_empty() || options.only.is_empty() || options.only.iter().any(|word| word == one.word)
    });
    Ok(all)
}

fn measure(
    candidate: Candidate,
    options: &Options,
    corpus: &Corpus,
    expected: &[u64],
) -> io::Result<Measured> {
    let Candidate { is_ours, is_encrypted, mut engine, .. } = candidate;
    let name = engine.name();
    let is_kept = options.keep && engine.take_up(corpus)?;
    let intake = if is_kept { None } else { Some(engine.take_in(corpus)?) };
    let mut answers = Vec::new();
    for (question, expected) in questions::ALL.iter().zip(expected) {
        let is_asked =
            options.question.is_empty() || options.question.iter().any(|one| one == question.number);
        let timing = if is_asked { ask(engine.as_mut(), question, options.repeats)? } else { None };
        if let Some(timing) = timing {
            eprintln!(
                "{name}: {}: {} of {expected}, {:.1} / {:.1} ms",
                question.name, timing.total, timing.first_ms, timing.median_ms
            );
        }
        answers.push(QuestionResult { expected: *expected, timing, cold_ms: None });
    }
    let memory_mib = engine.memory_mib();
    if options.cold {
        let timed = questions::ALL.iter().zip(&mut answers).filter(|(_, asked)| asked.timing.is_some());
        for (question, asked) in timed {
            engine.pause()?;
            engine::drop_caches()?;
            engine.resume()?;
            asked.cold_ms = engine.ask(question)?.map(|answer| answer.ms);
        }
    }
    if options.keep {
        engine.leave()?
    } else {
        engine.remove()?
    };
    Ok(Measured { name, is_ours, is_encrypted, intake, memory_mib, answers })
}
