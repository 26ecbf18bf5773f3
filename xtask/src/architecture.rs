//! The table of crates in ARCHITECTURE.md.
//!
//! In: that page. Out: its lines: each crate, what it may import, whether it touches the world.

use std::{fs, path::Path};

/// Page that holds the table.
pub(crate) const PAGE: &str = "ARCHITECTURE.md";
/// First cells of the table's first line.
pub(crate) const HEADING: &str = "| crate | in -> out | may import |";

/// A line of the table.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// Our crates that it may import.
    pub(crate) may: Vec<String>,
    /// Set when it opens files or sockets.
    pub(crate) touches_the_world: bool,
}

/// Reads the table of a tree, in its order; nothing when there is none.
pub(crate) fn crates(root: &Path) -> Vec<Crate> {
    table(&fs::read_to_string(root.join(PAGE)).unwrap_or_default())
}

/// Reads the table: a crate in the first cell, names with commas in the third; `-` for none, `all above`, `all but X`.
pub(crate) fn table(page: &str) -> Vec<Crate> {
    let lines = page.lines().skip_while(|line| !line.starts_with(HEADING)).skip(2);
    let rows: Vec<(&str, &str, &str)> = lines.map_while(row).collect();
    let names = |upto: usize| rows[..upto].iter().map(|(name, ..)| (*name).to_owned());
    let crates = rows.iter().enumerate().map(|(at, (name, may, opens))| {
        let may = match may.strip_prefix("all but ") {
            Some(other) => names(rows.len()).filter(|one| one != other && one != name).collect(),
            None if *may == "all above" => names(at).collect(),
            None => may.split(',').map(|one| one.trim().to_owned()).collect(),
        };
        Crate { name: (*name).to_owned(), may, touches_the_world: opens_something(opens) }
    });
    crates.collect()
}

/// The crate of a line of the table, what it may import, without remarks in parentheses, and what it opens.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let mut cells = line.strip_prefix("| `")?.trim_end_matches(" |").split(" | ");
    let name = cells.next()?.strip_suffix('`')?;
    let may = cells.nth(1)?;
    Some((name, may.split('(').next().unwrap_or(may).trim(), cells.next().unwrap_or_default()))
}

/// Looks in a last cell for something that is opened: `no`, threads, and files behind a trait are nothing of that kind.
fn opens_something(cell: &str) -> bool {
    !(cell == "no" || cell.starts_with("threads") || cell.ends_with("through a trait"))
}
