//! The project's own checks and generators: `cargo xtask VERB`.
//!
//! In: the tree, or a folder of samples. Out: findings on standard output, exit status 1 when there are any.
//! Holds nothing. Touches files and starts cargo.

mod architecture;
mod check;
mod compatibility;
mod conformance;
mod picture;
mod tidy;
mod workspace;

use std::{env, fs, path::Path, process::ExitCode};
use workspace::root;

const USAGE: &str = "usage: cargo xtask VERB
  check                                 format, clippy, tidy, tests: the whole gate
  tidy [--lower]                        edges between crates, module cycles, lengths, types, module docs, words; lowers
                                        what is on file in xtask/ratchet to what is found
  reference                             writes docs/reference/options.md from the tables of options
  picture                               writes docs/images/crates.svg from the table of crates in ARCHITECTURE.md
  compatibility DIR                     runs the samples of a folder and writes docs/compatibility.md
  conformance DIR [--explain FAMILY]    runs the samples of a folder and prints a table";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match words.as_slice() {
        ["check"] => check::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["tidy", "--lower"] => tidy::lower(&root()),
        ["reference"] => reference(&root()),
        ["picture"] => picture::write(&root()),
        ["compatibility", folder] => compatibility::run(&root(), folder.as_ref()),
        ["conformance", folder, rest @ ..] => conformance::run(&root(), folder.as_ref(), rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the generated pages of the manual.
fn reference(root: &Path) -> bool {
    let path = root.join("docs/reference/options.md");
    match fs::write(&path, config::options::reference()) {
        Ok(()) => true,
        Err(error) => {
            println!("cannot write {}: {error}", path.display());
            false
        }
    }
}
