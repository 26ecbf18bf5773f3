//! The reference page, made from the tables.
//!
//! In: the tables. Out: `docs/reference/options.md`.

use std::{collections::HashSet, fmt::Write};

use super::lookup::{drivers, global};
use super::row::{Driver, Plain, Row, Standing, ValueKind};
use super::tables::later::later;
use crate::tree::Kind;

/// Returns the text of `docs/reference/options.md`.
pub fn reference() -> String {
    let mut out = String::from(
        "# Options\n\nMade from the tables in `crates/config/src/options` by `cargo xtask reference`; \
         change those, not this page.\n\nIn names, `_` and `-` are the same.\n",
    );
    section(&mut out, "Global options");
    out.push_str("`options { name(value); ... };`\n\n");
    table(&mut out, global());
    for (kind, title) in [
        (Kind::Source, "Sources"),
        (Kind::Destination, "Destinations"),
        (Kind::Parser, "Parsers"),
        (Kind::Rewrite, "Rewrite rules"),
    ] {
        section(&mut out, title);
        for driver in drivers(kind) {
            describe(&mut out, driver);
        }
        let names: Vec<String> = later(kind).iter().map(|name| format!("`{name}()`")).collect();
        if !names.is_empty() {
            push(&mut out, format_args!("Known and refused, not supported yet: {}.\n", names.join(", ")));
        }
    }
    out
}

fn section(out: &mut String, title: &str) {
    push(out, format_args!("\n## {title}\n\n"));
}

fn describe(out: &mut String, driver: &Driver) {
    push(out, format_args!("### {}\n\n{}.", usage(driver), sentence(driver.help)));
    if !driver.aliases.is_empty() {
        push(out, format_args!(" Also called {}.", driver.aliases.join(", ")));
    }
    if !driver.required.is_empty() {
        push(out, format_args!(" Needs {}.", driver.required.join(", ")));
    }
    out.push_str("\n\n");
    table(out, driver.options);
}

fn usage(driver: &Driver) -> String {
    match driver.plain {
        Plain::None => format!("`{}()`", driver.name),
        Plain::Optional(what, _) => format!("`{}([{what}])`", driver.name),
        Plain::One(what, _) => format!("`{}({what})`", driver.name),
        Plain::Two(first, second) => format!("`{}({first} {second})`", driver.name),
        Plain::Some(what) => format!("`{}({what} ...)`", driver.name),
    }
}

fn table(out: &mut String, tables: &[&[Row]]) {
    out.push_str("| option | takes | default | |\n|---|---|---|---|\n");
    let mut listed = HashSet::new();
    for row in tables.iter().flat_map(|table| table.iter()) {
        // A driver's own row is found before that of a table that it shares with others.
        if listed.insert(row.name) {
            option(out, row, "");
        }
    }
    out.push('\n');
}

/// Prints one option, and then the options inside it.
fn option(out: &mut String, row: &Row, depth: &str) {
    let note = match row.standing {
        Standing::Honoured => sentence(row.help),
        Standing::NoEffect(why) => format!("{}. No effect: {why}", sentence(row.help)),
        Standing::Renamed(to) => format!("Old name of {to}"),
        Standing::Later => format!("{}. Not supported yet", sentence(row.help)),
    };
    // A tag of HTML otherwise.
    let note = note.replace('<', "\\<");
    push(out, format_args!("| {depth}{} | {} | {} | {note} |\n", row.name, takes(row.kind), row.default));
    if let ValueKind::Options(inner) | ValueKind::TextOr(inner) = row.kind {
        let depth = format!("{depth}. ");
        inner.iter().copied().flatten().for_each(|row| option(out, row, &depth));
    }
}

fn takes(kind: ValueKind) -> String {
    match kind {
        ValueKind::Any => String::new(),
        ValueKind::Options(_) => "options".to_string(),
        ValueKind::TextOr(_) => "text, or options".to_string(),
        kind => kind.describe().replace('|', "\\|"),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes everything");
}
