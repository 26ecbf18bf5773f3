//! Every verb has its page for man(1) and is completed; transcripts of the verbs.

mod data;
mod databases;
mod page;
mod server;
mod transcript;
mod verbs;

use super::{CommandLine, pages};
use clap::CommandFactory;
use clap_complete::Shell;
use std::{fs, process::ExitCode};

#[test]
fn every_verb_has_a_page_and_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let options = pages::ManOptions { into: Some(folder.path().join("man")) };
    assert_eq!(pages::man(&options, CommandLine::command()), ExitCode::SUCCESS);
    let mut script = Vec::new();
    clap_complete::generate(Shell::Bash, &mut CommandLine::command(), "duramen", &mut script);
    let script = String::from_utf8(script).unwrap();
    let mut count = 0;
    for verb in CommandLine::command().get_subcommands() {
        count += 1;
        let page = folder.path().join(format!("man/duramen-{}.1", verb.get_name()));
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(text.contains(".SH NAME"), "{text}");
        assert!(script.contains(&format!("duramen,{})", verb.get_name())), "{}", verb.get_name());
    }
    assert!(count >= 20, "only {count} verbs");
    let main = fs::read_to_string(folder.path().join("man/duramen.1")).unwrap();
    for section in [".SH SYNOPSIS", ".SH FILES", ".SH SIGNALS", ".SH EXIT STATUS"] {
        assert!(main.contains(section), "{section} is missing");
    }
}
