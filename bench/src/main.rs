//! Reproduces the figures that the documents print: the rows of the founding documents, with the rivals, in one run.
//!
//! In: rows and subjects to run, or the store (`bench store`). Out: a Markdown table of medians: messages a second, CPU
//! microseconds a message, peak memory, and the ratio to the best rival; the same as a plot, `rows.svg`. Touches loopback sockets, processes, a scratch folder.

mod corpus;
mod database;
mod held;
mod load;
mod measure;
mod plot;
mod rows;
mod sink;
mod site;
mod store;
mod svg;
mod table;
mod tls;
mod udp;
mod versus;
mod warm;

use clap::{Parser, Subcommand};
use plot::Group;
use rows::Row;
use std::{fs, io, path::PathBuf, process::ExitCode};
use table::Measured;
use versus::Subject;

/// Bytes that a run writes or keeps in sockets and buffers, as a multiple of the bytes sent.
const WRITTEN: f64 = 2.0;

/// Measures log servers on this machine, over loopback.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Rows to run: bsd, tls, filter, connections-10 (50, 100, 200), hosts, kv, json, rewrite, patterndb, relay, relay-normal, relay-reliable, udp, udp-runs, held-5000, held-tls-1000; all when left out
    rows: Vec<String>,
    /// Subjects to run: duramen, rsyslog, syslog-ng, copy; all when left out
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Runs of each; the table shows medians
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Messages a run
    #[arg(long, default_value_t = 10_000_000)]
    messages: u64,
    /// Seconds of each trial of the rows udp and udp-runs
    #[arg(long, default_value_t = 2.0)]
    udp_seconds: f64,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    duramen: PathBuf,
    /// Scratch folder: corpora, configurations, outputs
    #[arg(long, default_value = "bench/out")]
    out: PathBuf,
}

/// The measurements outside the rows.
#[derive(Subcommand)]
enum Verb {
    Store(store::Options),
    Users(store::users::Options),
    Scale(store::scale::Options),
}

fn main() -> ExitCode {
    // The copying floor runs as a process of its own, so that its CPU is counted as that of the others.
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, verb, port, file] = arguments.as_slice()
        && verb == "copy-floor"
    {
        return done(versus::copy::serve(port, file.as_ref()));
    }
    if let [_, verb, port, file] = arguments.as_slice()
        && verb == "datagram-floor"
    {
        return done(udp::bare::serve(port, file.as_ref()));
    }
    if let [_, verb, port, next] = arguments.as_slice()
        && verb == "relay-floor"
    {
        return done(versus::copy::pass_on(port, next));
    }
    done(run(&Options::parse()))
}

fn done(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> io::Result<()> {
    match &options.verb {
        None => {}
        Some(Verb::Store(options)) => return store::run(options),
        Some(Verb::Users(options)) => return store::users::run(options),
        Some(Verb::Scale(options)) => return store::scale::run(options),
    }
    if let Some(row) =
        options.rows.iter().find(|row| Row::ALL.iter().all(|known| known.name() != row.as_str()))
    {
        return Err(io::Error::other(format!("there is no row `{row}`")));
    }
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    let duramen = options.duramen.canonicalize()?;
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|word| word == name);
    let subjects: Vec<Box<dyn Subject>> =
        versus::all(&duramen).into_iter().filter(|subject| wanted(&options.only, subject.family())).collect();
    let rows: Vec<Row> = Row::ALL.iter().copied().filter(|row| wanted(&options.rows, row.name())).collect();
    let largest = rows.iter().map(|row| row.corpus().average()).fold(0.0, f64::max);
    warm::memory((options.messages as f64 * largest * WRITTEN) as u64)?;
    let mut groups = Vec::new();
    for row in rows {
        let mut runs = Vec::new();
        for turn in 0..options.runs {
            for subject in subjects.iter().filter(|subject| subject.can(row)) {
                let outcome = match row {
                    Row::Udp | Row::UdpRuns => udp::run(row, subject.as_ref(), options, &out)?,
                    _ => measure::run(row, subject.as_ref(), options.messages, &out)?,
                };
                eprintln!("{} {} run {}: {outcome}", row.name(), subject.name(), turn + 1);
                runs.push(Measured { name: subject.name(), family: subject.family(), outcome });
            }
        }
        let medians = table::medians(&runs);
        println!("{}", table::render(row, options, &medians));
        groups.push(Group { row, medians });
    }
    fs::write(out.join("rows.svg"), plot::draw(&groups))
}
