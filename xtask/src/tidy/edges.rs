//! Which crate may import which: the table of crates in ARCHITECTURE.md.
//!
//! In: that page, the manifests. Out: a finding for every edge that is not in the table.

use crate::architecture::{self, HEADING, PAGE};
use std::{collections::BTreeMap, fs, path::Path};

/// Maps each crate to our crates that it may import.
type Allowed = BTreeMap<String, Vec<String>>;

/// Findings of the edges.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let allowed: Allowed = architecture::crates(root).into_iter().map(|one| (one.name, one.may)).collect();
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

    use super::edges;
    use crate::architecture::{HEADING, table};

    const ROWS: &str = "|---|\n| `message` | x | - | no |\n| `wire` | y | message | no |\n\
        | `query` | z | message, wire (a trait) | no |\n| `server` | z | all above | x |\n\
        | `sim` | z | all but server | x |\n\n| `other` | z | - | x |";

    #[track_caller]
    fn check(name: &str, targets: &[&str], want: usize) {
        let rows = table(&format!("# Page\n\n{HEADING} world |\n{ROWS}"));
        assert_eq!(
            rows.iter().map(|one| one.touches_the_world).collect::<Vec<_>>(),
            [false, false, false, true, true]
        );
        let table = rows.into_iter().map(|one| (one.name, one.may)).collect();
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
