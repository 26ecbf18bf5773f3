//! tantivy as a log store: what `make bench-store` measures beside ours.
//!
//! In: `take-in CORPUS FOLDER [positions]` reads a file of BSD syslog lines into an index; `ask FOLDER` reads
//! one query a line. Out: JSON, one line each. Limits: no network and no journal, so that nothing but tantivy
//! is measured; both cores are used.

mod answer;
mod ask;
mod error;
mod line;
mod schema;
mod take_in;
mod usage;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["take-in", corpus, folder] => {
            take_in::run(corpus.as_ref(), folder.as_ref(), schema::Positions::Left)
        }
        ["take-in", corpus, folder, "positions"] => {
            take_in::run(corpus.as_ref(), folder.as_ref(), schema::Positions::Kept)
        }
        ["ask", folder] => ask::run(folder.as_ref()),
        _ => Err("take-in CORPUS FOLDER [positions] | ask FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("versus-tantivy: {error}");
            ExitCode::FAILURE
        }
    }
}
