//! Reproduces the figures in the documentation: the rows of throughput beside rivals in one run, and the
//! store.
//!
//! In: rows and subjects to run, or the store (`bench store`, `bench users`, `bench scale`). Out: tables in Markdown, and plots.
//! Touches loopback sockets, processes, a scratch folder.

mod median;
mod process;
mod rows;
mod site;
mod store;
mod svg;
mod tls;
mod warm;

use clap::{Parser, Subcommand};
use std::{io, process::ExitCode};

/// Measures log servers on this machine, over loopback.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    rows: rows::Options,
}

/// The measurements outside the rows.
#[derive(Subcommand)]
enum Verb {
    Store(store::Options),
    Users(store::users::Options),
    Scale(store::scale::Options),
}

fn main() -> ExitCode {
    // The copying floor runs as a process of its own, so that its CPU is measured like that of the others.
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, verb, port, file] = arguments.as_slice()
        && verb == "copy-floor"
    {
        return done(rows::versus::copy::serve(port, file.as_ref()));
    }
    if let [_, verb, port, file] = arguments.as_slice()
        && verb == "datagram-floor"
    {
        return done(rows::udp::bare::serve(port, file.as_ref()));
    }
    if let [_, verb, port, next] = arguments.as_slice()
        && verb == "relay-floor"
    {
        return done(rows::versus::copy::pass_on(port, next));
    }
    done(run(&Arguments::parse()))
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

fn run(arguments: &Arguments) -> io::Result<()> {
    match &arguments.verb {
        None => rows::run(&arguments.rows),
        Some(Verb::Store(options)) => store::run(options),
        Some(Verb::Users(options)) => store::users::run(options),
        Some(Verb::Scale(options)) => store::scale::run(options),
    }
}
