//! `docs/images/crates.svg`: the crates as boxes, each above all that it imports.
//!
//! In: the table of crates in ARCHITECTURE.md, and a few words about each crate, below. Out: the picture, or a finding when the one
//! on disk is another.

use crate::architecture::{self, Crate};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    fs, io,
    path::Path,
};

/// File of the picture.
const PATH: &str = "docs/images/crates.svg";

/// Texts of the boxes, in two lines of at most 20 characters.
const WORDS: &[(&str, [&str; 2])] = &[
    ("accounts", ["users, passwords,", "rights, API tokens"]),
    ("directory", ["people of a", "company's directory"]),
    ("api", ["HTTP, sessions,", "the page, the manual"]),
    ("config", ["the language:", "text to a tree"]),
    ("delivery", ["files, log servers,", "queues, retries"]),
    ("enrich", ["values looked up", "at other servers"]),
    ("evidence", ["proofs, keys,", "the ledger"]),
    ("inputs", ["other people's", "systems as sources"]),
    ("intake", ["sockets, files,", "programs: messages"]),
    ("journal", ["a log on disk", "with cursors"]),
    ("letters", ["messages that no", "receiver takes"]),
    ("logspace", ["kept, sealed,", "archived, verified"]),
    ("lookup", ["what is looked up", "in segments"]),
    ("message", ["the record, the", "batch, its ack"]),
    ("alerts", ["what rules report", "each once"]),
    ("notify", ["mails and webhooks", "about alerts"]),
    ("objects", ["saved searches", "and their versions"]),
    ("outputs", ["databases, brokers,", "classes in Python"]),
    ("pipeline", ["filter, parse,", "rewrite, route"]),
    ("python", ["classes of users,", "in a process"]),
    ("query", ["Lucene's syntax,", "pipes, live tail"]),
    ("receivers", ["what answers for", "each message"]),
    ("sctp", ["an endpoint", "without sockets"]),
    ("segment", ["columns, words,", "blocks, templates"]),
    ("services", ["systems spoken to", "over HTTP"]),
    ("sltp", ["both ends of SLTP,", "without sockets"]),
    ("template", ["text with macros", "and functions"]),
    ("transport", ["TLS, connections,", "clients, counters"]),
    ("watch", ["rules over what", "is received"]),
    ("wire", ["frames, dialects,", "codecs"]),
];

/// The server's own box, as wide as the picture.
const SERVER: &str = "the command line; a configuration becomes running parts; reload, shutdown";
/// Crates that are in no box: `sim` is for tests.
const LEFT_OUT: &[&str] = &["server", "sim"];

const BOX_WIDTH: usize = 148;
const BOX_HEIGHT: usize = 62;
const GAP: usize = 12;
const MARGIN: usize = 10;
const SERVER_HEIGHT: usize = 44;
/// Fills of crates that open files or sockets, and of those that do not.
const TOUCHES: &str = "#a84a1b";
const PURE: &str = "#5c3a21";

/// Reasons for which there is no picture.
enum PictureError {
    /// A crate without a text for its box.
    NoWords(String),
    Write(io::Error),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWords(name) => {
                write!(f, "{PATH}: say in xtask/src/picture.rs what is written in the box of {name}")
            }
            Self::Write(error) => write!(f, "cannot write {PATH}: {error}"),
        }
    }
}

/// Writes the picture; false when it cannot be made.
pub(crate) fn write(root: &Path) -> bool {
    let written = drawn(root).and_then(|text| fs::write(root.join(PATH), text).map_err(PictureError::Write));
    if let Err(error) = &written {
        println!("{error}");
    }
    written.is_ok()
}

/// A finding when the picture on disk is not that of the table.
pub(crate) fn check(root: &Path) -> Vec<String> {
    match drawn(root) {
        Ok(text) if fs::read_to_string(root.join(PATH)).is_ok_and(|there| there == text) => Vec::new(),
        Ok(_) => vec![format!("{PATH} is not what the table of crates says: `cargo xtask picture`")],
        Err(error) => vec![error.to_string()],
    }
}

fn drawn(root: &Path) -> Result<String, PictureError> {
    let crates = architecture::crates(root);
    let shown: Vec<&Crate> = crates.iter().filter(|one| !LEFT_OUT.contains(&one.name.as_str())).collect();
    let levels = levels(&shown);
    let mut rows: Vec<Vec<&Crate>> = vec![Vec::new(); levels.values().max().map_or(0, |highest| highest + 1)];
    for one in shown {
        rows[levels[one.name.as_str()]].push(one);
    }
    svg(&rows)
}

/// The row of each crate, from below: one above the highest of those that it imports.
fn levels<'a>(crates: &[&'a Crate]) -> BTreeMap<&'a str, usize> {
    let mut levels: BTreeMap<&str, usize> = crates.iter().map(|one| (one.name.as_str(), 0)).collect();
    // Each round settles at least one further row.
    for _ in crates {
        for one in crates {
            let below = one.may.iter().filter_map(|name| levels.get(name.as_str())).max();
            let level = below.map_or(0, |highest| highest + 1);
            levels.insert(&one.name, level);
        }
    }
    levels
}

fn svg(rows: &[Vec<&Crate>]) -> Result<String, PictureError> {
    let widest = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = widest * (BOX_WIDTH + GAP) - GAP + 2 * MARGIN;
    let height = 2 * MARGIN + SERVER_HEIGHT + rows.len() * (BOX_HEIGHT + GAP);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-labelledby=\"t d\" font-family=\"system-ui, sans-serif\">\n<title id=\"t\">The crates of Duramen</title>\n\
         <desc id=\"d\">{}</desc>\n",
        description(rows)
    );
    rectangle(&mut text, (MARGIN, MARGIN), (width - 2 * MARGIN, SERVER_HEIGHT), TOUCHES);
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"37\" text-anchor=\"middle\" fill=\"#fdeee0\" font-size=\"12.5\"><tspan fill=\"#fff\" font-weight=\"600\" \
         font-size=\"15\">server</tspan>&#160;&#160; {SERVER}</text>",
        width / 2
    );
    for (level, row) in rows.iter().rev().enumerate() {
        let y = MARGIN + SERVER_HEIGHT + GAP + level * (BOX_HEIGHT + GAP);
        let left = (width - (row.len() * (BOX_WIDTH + GAP) - GAP)) / 2;
        for (at, one) in row.iter().enumerate() {
            block(&mut text, one, (left + at * (BOX_WIDTH + GAP), y))?;
        }
    }
    text.push_str("</svg>\n");
    Ok(text)
}

/// One crate: its name and what it is about.
fn block(text: &mut String, one: &Crate, (x, y): (usize, usize)) -> Result<(), PictureError> {
    let Some((_, words)) = WORDS.iter().find(|(name, _)| *name == one.name) else {
        return Err(PictureError::NoWords(one.name.clone()));
    };
    let fill = if one.touches_the_world { TOUCHES } else { PURE };
    rectangle(text, (x, y), (BOX_WIDTH, BOX_HEIGHT), fill);
    let middle = x + BOX_WIDTH / 2;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" fill=\"#fff\" font-weight=\"600\" font-size=\"15\">{}</text>",
        y + 20,
        one.name
    );
    for (words, line) in words.iter().zip([37, 52]) {
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" fill=\"#fdeee0\" font-size=\"12.5\">{words}</text>",
            y + line
        );
    }
    Ok(())
}

fn rectangle(text: &mut String, (x, y): (usize, usize), (width, height): (usize, usize), fill: &str) {
    let _ = writeln!(
        text,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{fill}\"/>"
    );
}

/// The same in words, for those who do not see the picture.
fn description(rows: &[Vec<&Crate>]) -> String {
    let mut text =
        "Boxes in rows; a crate imports only crates of rows below its own. From the top: server".to_owned();
    for row in rows.iter().rev() {
        let names: Vec<&str> = row.iter().map(|one| one.name.as_str()).collect();
        let _ = write!(text, "; {}", names.join(", "));
    }
    text.push('.');
    text
}
