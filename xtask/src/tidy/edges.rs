//! Which crate may import which: the table of ARCHITECTURE.md, section 3.
//!
//! In: the manifests. Out: a finding for every edge that is not in the table.

use std::{fs, path::Path};

/// Crate and what it may import, in the order of the walk of a message.
const ALLOWED: &[(&str, &[&str])] = &[
    ("message", &[]),
    ("wire", &["message"]),
    ("config", &[]),
    ("pipeline", &["message", "wire"]),
    ("journal", &[]),
    ("store", &["message", "journal"]),
    ("query", &["message", "store"]),
    ("relay", &["message", "wire", "pipeline", "journal"]),
    ("api", &["message", "query", "store"]),
    ("server", &["message", "wire", "config", "pipeline", "journal", "store", "query", "relay", "api"]),
    ("sim", &["message", "wire", "config", "pipeline", "journal", "store", "query", "relay", "api"]),
];

/// Findings of the edges.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    let Ok(folders) = fs::read_dir(root.join("crates")) else {
        return vec!["cannot read crates/".into()];
    };
    for folder in folders.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let Ok(manifest) = fs::read_to_string(folder.path().join("Cargo.toml")) else {
            continue;
        };
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            findings.push(format!(
                "crates/{name} is not in the plan: add it to ARCHITECTURE.md and to xtask/src/tidy/edges.rs"
            ));
            continue;
        };
        findings.extend(edges(&manifest, &name, allowed));
    }
    findings
}

/// Findings of one manifest: its ordinary dependencies on crates of the house.
fn edges(manifest: &str, name: &str, allowed: &[&str]) -> Vec<String> {
    let mut ordinary = false;
    let mut findings = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            ordinary = line.trim() == "[dependencies]";
            continue;
        }
        let target = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let ours = ALLOWED.iter().any(|(known, _)| *known == target);
        if ordinary && ours && !allowed.contains(&target) {
            findings
                .push(format!("crates/{name} imports {target}: not an edge of ARCHITECTURE.md, section 3"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    //! Rows for the manifests' edges.

    use super::edges;

    #[test]
    fn finds_edges_that_are_not_in_the_plan() {
        let manifest = "[dependencies]\nmessage.workspace = true\nstore.workspace = true\n[dev-dependencies]\nrelay = \"1\"\n";
        assert_eq!(edges(manifest, "wire", &["message"]).len(), 1);
        assert!(edges(manifest, "query", &["message", "store"]).is_empty());
    }
}
