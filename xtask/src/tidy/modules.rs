//! Import cycles, between the top-level modules of a crate and between the modules of a folder.
//!
//! In: parsed files. Out: for each crate and folder how many modules are part of a cycle. What a folder's own file
//! (`x.rs` beside `x/`) defines is a node of that folder, called `(self)`.

use super::{
    ratchet::Tally,
    tree::{ModulePath, Parsed, Tree},
};
use std::collections::{BTreeMap, BTreeSet};

/// The node of what a folder's own file defines.
const OWN: &str = "(self)";

/// Module to the modules that it needs.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Modules in cycles, by crate and folder.
pub(crate) fn check(files: &[Parsed<'_>]) -> Tally {
    let mut crates: BTreeMap<&str, Vec<(&str, &syn::File)>> = BTreeMap::new();
    for parsed in files {
        let Some((name, inside)) = parsed.source.path.to_str().and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        crates.entry(name).or_default().push((inside, &parsed.file));
    }
    let mut tally = Tally::default();
    for (name, files) in crates {
        let tree = Tree::new(files.into_iter());
        for (folder, graph) in graphs(&tree) {
            let folder: Vec<&str> = [name].into_iter().chain(folder.iter().map(String::as_str)).collect();
            for module in in_cycles(&graph) {
                tally.add(folder.join("/"), module);
            }
        }
    }
    tally
}

/// The graph of each folder: an import joins the two modules below the folder that both have in common.
fn graphs(tree: &Tree) -> BTreeMap<ModulePath, Graph> {
    let mut graphs: BTreeMap<ModulePath, Graph> = BTreeMap::new();
    for (from, owners) in tree.imports() {
        for to in owners {
            let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            let node = |path: &ModulePath| path.get(common).cloned().unwrap_or_else(|| OWN.into());
            let graph = graphs.entry(from[..common].to_vec()).or_default();
            graph.entry(node(from)).or_default().insert(node(&to));
        }
    }
    graphs
}

/// The modules from which imports lead back to themselves.
fn in_cycles(graph: &Graph) -> Vec<&String> {
    let leads_back = |module: &&String| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = graph[*module].iter().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(graph.get(next).into_iter().flatten());
            }
        }
        reached.contains(module)
    };
    graph.keys().filter(leads_back).collect()
}

#[cfg(test)]
mod tests {
    //! Rows for cycles.

    use super::check;
    use crate::tidy::{source::Source, tree};

    #[track_caller]
    fn row(files: &[(&str, &str)], want: usize) {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source { path: path.into(), text: (*text).into() }).collect();
        let borrowed: Vec<&Source> = sources.iter().collect();
        assert_eq!(check(&tree::parse(&borrowed)).total(), want);
    }

    #[test]
    fn finds_cycles_between_top_level_modules() {
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "")], 0);
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "use crate::a::A;")], 2);
        row(&[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/y/src/b.rs", "use crate::a::A;")], 0);
    }

    #[test]
    fn expands_groups() {
        row(
            &[
                ("crates/x/src/a.rs", "use crate::{b::{B, C}, c};"),
                ("crates/x/src/b.rs", "use super::{a::A};"),
            ],
            2,
        );
    }

    #[test]
    fn follows_re_exports_to_their_owners() {
        let library = ("crates/x/src/lib.rs", "mod a; mod b; pub use a::A; pub(crate) use b::B as C;");
        row(&[library, ("crates/x/src/a.rs", "use crate::C;"), ("crates/x/src/b.rs", "use crate::A;")], 2);
        row(&[library, ("crates/x/src/a.rs", "use crate::C;"), ("crates/x/src/b.rs", "")], 0);
    }

    #[test]
    fn reads_paths_in_code() {
        let one = ("crates/x/src/a.rs", "fn f() { crate::b::g() }");
        row(&[one, ("crates/x/src/b.rs", "fn g(a: super::a::A) {}")], 2);
    }

    #[test]
    fn looks_into_folders() {
        let own = ("crates/x/src/a.rs", "mod b; mod c; pub(crate) struct Own;");
        let back = ("crates/x/src/a/c.rs", "use super::b::B;");
        row(&[own, ("crates/x/src/a/b.rs", "use super::c::C;"), back], 2);
        row(&[own, ("crates/x/src/a/b.rs", "use super::Own;"), back], 0);
        let calls = ("crates/x/src/a.rs", "mod b; use b::B; struct Own;");
        row(&[calls, ("crates/x/src/a/b.rs", "use super::Own;")], 2);
    }

    #[test]
    fn tests_do_not_count() {
        let tested = "#[cfg(test)] mod tests { use crate::b::B; }";
        row(&[("crates/x/src/a.rs", tested), ("crates/x/src/b.rs", "use crate::a::A;")], 0);
        row(&[("crates/x/src/a/tests.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "use crate::a::A;")], 0);
    }
}
