//! No import cycle between the top-level modules of one crate.
//!
//! In: Rust files. Out: a finding for each cycle. Limits: it reads `crate::name` paths outside tests as text.

use super::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Module name to the modules it names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Findings of all crates.
pub(crate) fn check(sources: &[&Source]) -> Vec<String> {
    let mut crates: BTreeMap<String, Graph> = BTreeMap::new();
    for source in sources {
        let path = source.path.to_string_lossy().into_owned();
        let Some((name, inside)) = path.split_once("/src/") else { continue };
        if inside.contains("tests") || matches!(inside, "lib.rs" | "main.rs") {
            continue;
        }
        let module = inside.split(['/', '.']).next().unwrap_or_default().to_owned();
        let graph = crates.entry(name.to_owned()).or_default();
        graph.entry(module.clone()).or_default().extend(named(&source.text).filter(|other| *other != module));
    }
    crates.iter().flat_map(|(name, graph)| cycles(name, graph)).collect()
}

/// The modules that `crate::...` paths of a text name.
fn named(text: &str) -> impl Iterator<Item = String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
        })
        .filter(|word| word.starts_with(|c: char| c.is_lowercase()))
        .collect::<Vec<_>>()
        .into_iter()
}

fn cycles(name: &str, graph: &Graph) -> Vec<String> {
    let mut findings = Vec::new();
    for module in graph.keys() {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = graph[module].iter().collect();
        while let Some(next) = open.pop() {
            if graph.contains_key(next) && reached.insert(next) {
                open.extend(&graph[next]);
            }
        }
        if reached.contains(module) {
            findings.push(format!("{name}: module `{module}` is part of an import cycle"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    //! Rows for cycles.

    use super::{Source, check};

    #[track_caller]
    fn row(files: &[(&str, &str)], want: usize) {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source { path: path.into(), text: (*text).into() }).collect();
        let borrowed: Vec<&Source> = sources.iter().collect();
        assert_eq!(check(&borrowed).len(), want);
    }

    #[test]
    fn finds_cycles() {
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "")], 0);
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "use crate::a::A;")], 2);
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/y/src/b.rs", "use crate::a::A;")], 0);
    }
}
