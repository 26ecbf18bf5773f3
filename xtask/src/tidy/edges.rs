//! Which crate may import which: the table of crates in ARCHITECTURE.md.
//!
//! In: that page, the manifests. Out: a finding for every edge that is not in the table.

use std::{collections::BTreeMap, fs, path::Path};

/// Page that holds the table.
const PAGE: &str = "ARCHITECTURE.md";
/// First cells of the table's first line.
const HEADING: &str = "| crate | in -> out | may import |";

/// Maps each crate to our crates that it may import.
type Allowed = BTreeMap<String, Vec<String>>;

/// Findings of the edges.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let page = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    let allowed = table(&page);
    if allowed.is_empty() {
        return vec![format!("{PAGE}: no table that begins with `{HEADING}`")];
    }
    let mut findings = Vec::new();
    let Ok(folders) = fs::read_dir(root.join("crates")) else {
        return vec!["cannot read crates/".into()];
    };
    for folder in folders.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let Ok(manifest) = fs::read_to_string(folder.path().join("Cargo.toml")) else {
            continue;
        };
        if allowed.contains_key(&name) {
            findings.extend(edges(&manifest, &name, &allowed));
        } else {
            findings.push(format!("crates/{name} is not in the table of crates: add it to {PAGE}"));
        }
    }
    findings
}

/// Reads the table: a crate in the first cell, names with commas in the third; `-` for none, `all above`, `all but X`.
fn table(page: &str) -> Allowed {
    let lines = page.lines().skip_while(|line| !line.starts_with(HEADING)).skip(2);
    let rows: Vec<(&str, &str)> = lines.map_while(row).collect();
    let names = |upto: usize| rows[..upto].iter().map(|(name, _)| (*name).to_owned());
    let allowed = rows.iter().enumerate().map(|(at, (name, may))| {
        let may = match may.strip_prefix("all but ") {
            Some(other) => names(rows.len()).filter(|one| one != other && one != name).collect(),
            None if *may == "all above" => names(at).collect(),
            None => may.split(',').map(|one| one.trim().to_owned()).collect(),
        };
        ((*name).to_owned(), may)
    });
    allowed.collect()
}

/// The crate of a line of the table and what it may import, without remarks in parentheses.
fn row(line: &str) -> Option<(&str, &str)> {
    let mut cells = line.strip_prefix("| `")?.split(" | ");
    let name = cells.next()?.strip_suffix('`')?;
    let may = cells.nth(1)?;
    Some((name, may.split('(').next().unwrap_or(may).trim()))
}

/// Findings of one manifest: its ordinary dependencies on our crates.
fn edges(manifest: &str, name: &str, allowed: &Allowed) -> Vec<String> {
    let mut ordinary = false;
    let mut findings = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            ordinary = line.trim() == "[dependencies]";
            continue;
        }
        let target = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let is_allowed = allowed[name].iter().any(|known| known == target);
        if ordinary && allowed.contains_key(target) && !is_allowed {
            findings.push(format!("crates/{name} imports {target}: not in the table of crates of {PAGE}"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    //! Rows for the manifests' edges.

    use super::{HEADING, edges, table};

    const ROWS: &str = "|---|\n| `message` | x | - | no |\n| `wire` | y | message | no |\n\
        | `query` | z | message, wire (a trait) | no |\n| `server` | z | all above | x |\n\
        | `sim` | z | all but server | x |\n\n| `other` | z | - | x |";

    #[track_caller]
    fn check(name: &str, targets: &[&str], want: usize) {
        let table = table(&format!("# Page\n\n{HEADING} world |\n{ROWS}"));
        assert_eq!(table.len(), 5);
        let lines: String = targets.iter().map(|target| format!("{target}.workspace = true\n")).collect();
        let manifest = format!("[dependencies]\n{lines}[dev-dependencies]\nserver = \"1\"\n");
        assert_eq!(edges(&manifest, name, &table).len(), want);
    }

    #[test]
    fn finds_edges_that_are_not_in_the_table() {
        check("message", &["memchr"], 0);
        check("wire", &["message", "query"], 1);
        check("query", &["message", "wire"], 0);
        check("server", &["message", "query", "sim"], 1);
        check("sim", &["message", "query", "server"], 1);
    }
}
