//! The store, measured from a device's line to an answer: `bench store`.
//!
//! In: the binary under test and a number of messages. Out: a Markdown table of what taking them in costs and what questions
//! cost, beside the targets and beside ripgrep over the plain file. Every count is compared with one made apart from the server.

mod client;
mod count;
mod plain;
mod questions;
mod report;
mod rivals;
mod server;

use crate::measure::{cpu, memory};
use client::Client;
use server::Server;
use std::{
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Runs of each question after the first.
const REPEATS: usize = 9;
/// Longest time without one more message found.
const STILL: Duration = Duration::from_secs(60);
/// How often the server is asked how far it is.
const POLL: Duration = Duration::from_millis(50);

/// What taking in cost.
pub(crate) struct Intake {
    pub(crate) messages: u64,
    pub(crate) corpus_bytes: u64,
    /// From the first byte sent until the last message was found.
    pub(crate) seconds: f64,
    /// CPU seconds of the server until then, and until all was sealed.
    pub(crate) cpu_s: f64,
    pub(crate) settled_cpu_s: f64,
    /// Until all was sealed, from the first byte.
    pub(crate) settled_s: f64,
    pub(crate) memory_mib: f64,
    /// Messages and bytes in sealed segments.
    pub(crate) sealed: (u64, u64),
    pub(crate) journal_bytes: u64,
}

/// What one question cost.
pub(crate) struct Asked {
    pub(crate) question: &'static questions::Question,
    pub(crate) total: u64,
    pub(crate) expected: u64,
    pub(crate) first_ms: f64,
    pub(crate) median_ms: f64,
    /// Inside the server, as it says.
    pub(crate) inside_ms: f64,
    pub(crate) ripgrep: Option<rivals::Found>,
}

/// Measures and prints; an error when a count is wrong.
pub(crate) fn run(duramen: &Path, messages: u64, out: &Path) -> io::Result<()> {
    let corpus = plain::corpus(out, messages)?;
    let expected = count::counts(&corpus, questions::ALL)?;
    let mut server = Server::start(duramen, &out.join("store"))?;
    let client = server.client()?;
    let intake = take_in(&mut server, &client, &corpus, messages)?;
    eprintln!("{}", report::intake(&intake));
    let mut asked = Vec::new();
    for (question, expected) in questions::ALL.iter().zip(expected) {
        asked.push(ask(&client, question, expected, &corpus)?);
        eprint!("{}", asked.last().map(report::row).unwrap_or_default());
    }
    println!("{}\n{}", report::intake(&intake), report::questions(&asked));
    server.stop()?;
    match asked.iter().filter(|asked| asked.total != asked.expected).count() {
        0 => Ok(()),
        wrong => Err(io::Error::other(format!("{wrong} counts are not those of the plain file"))),
    }
}

fn take_in(server: &mut Server, client: &Client, corpus: &Path, messages: u64) -> io::Result<Intake> {
    let before = cpu(server.id())?;
    let start = Instant::now();
    let port = server.port();
    let path = corpus.to_owned();
    let sender = thread::spawn(move || plain::send(&path, port));
    let (mut seen, mut since) = (0, Instant::now());
    while seen < messages {
        thread::sleep(POLL);
        let total = client.total()?;
        if total > seen {
            (seen, since) = (total, Instant::now());
        } else if since.elapsed() > STILL {
            return Err(io::Error::other(format!(
                "{seen} of {messages} messages are found, and no more come"
            )));
        }
        if seen > messages {
            return Err(io::Error::other(format!("{seen} messages are found, {messages} were sent")));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let cpu_s = cpu(server.id())? - before;
    sender.join().map_err(|_| io::Error::other("the sender ended by a bug"))??;
    let (sealed, settled) = server.settle()?;
    Ok(Intake {
        messages,
        corpus_bytes: corpus.metadata()?.len(),
        seconds,
        cpu_s,
        settled_cpu_s: cpu(server.id())? - before,
        settled_s: settled.duration_since(start).as_secs_f64(),
        memory_mib: memory(server.id())?,
        sealed,
        journal_bytes: server.journal_bytes()?,
    })
}

fn ask(
    client: &Client,
    question: &'static questions::Question,
    expected: u64,
    corpus: &Path,
) -> io::Result<Asked> {
    let first = client.ask(question)?;
    let mut answers = Vec::new();
    for _ in 0..REPEATS {
        answers.push(client.ask(question)?);
    }
    let ripgrep = question.ripgrep.map(|words| rivals::ripgrep(words, corpus)).transpose()?;
    Ok(Asked {
        question,
        total: first.total,
        expected,
        first_ms: first.wall_ms,
        median_ms: crate::table::median(answers.iter().map(|answer| answer.wall_ms).collect()),
        inside_ms: crate::table::median(answers.iter().map(|answer| answer.inside_ms).collect()),
        ripgrep,
    })
}
