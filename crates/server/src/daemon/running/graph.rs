//! The graph of a configuration: `duramen ctl export-config-graph`.
//!
//! In: a tree. Out: JSON with `nodes` and `arcs`, the shape that syslog-ng-ctl prints. Holds: nothing.
//! Limits: an object that is used in several places is one node.

use config::tree::{Filter, FilterLeaf, Kind, Path, Reference, Statement, Step, Tree};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns the graph of a configuration.
pub(super) fn of(tree: &Tree) -> String {
    let mut graph = Graph { tree, nodes: BTreeSet::new(), arcs: Vec::new() };
    for statement in &tree.statements {
        if let Statement::Log(path) = statement {
            let name = graph.path_name("log", path);
            graph.path(&name, path);
        }
    }
    let nodes: Vec<Value> =
        graph.nodes.iter().map(|(node, label)| json!({ "node": node, "labels": [label] })).collect();
    format!("{}\n", json!({ "nodes": nodes, "arcs": graph.arcs }))
}

struct Graph<'t> {
    tree: &'t Tree,
    nodes: BTreeSet<(String, String)>,
    arcs: Vec<Value>,
}

impl Graph<'_> {
    fn path_name(&self, word: &str, path: &Path) -> String {
        let place = self.tree.texts.location(path.span);
        match &path.name {
            Some(name) => format!("{word} {}", name.text),
            None => format!("{word} {}:{}:{}", place.name, place.line, place.column),
        }
    }

    fn node(&mut self, node: &str, label: &str) {
        self.nodes.insert((node.to_owned(), label.to_owned()));
    }

    fn arc(&mut self, from: &str, to: &str) {
        let arc = json!({ "from": from, "to": to, "type": "next-hop" });
        if !self.arcs.contains(&arc) {
            self.arcs.push(arc);
        }
    }

    /// Joins the steps of a path: sources lead to it, and each step to the next one.
    fn path(&mut self, name: &str, path: &Path) {
        self.node(name, "log path");
        let mut at = name.to_owned();
        for step in &path.steps {
            match step {
                Step::Use(reference) => {
                    let (kind, to) = self.object(reference);
                    self.node(&to, kind.word());
                    match kind {
                        Kind::Source => self.arc(&to, name),
                        Kind::Destination => self.arc(&at, &to),
                        _ => {
                            self.arc(&at, &to);
                            at = to;
                        }
                    }
                }
                Step::Filter(filter) => {
                    let to = self.filter(filter);
                    self.node(&to, "filter");
                    self.arc(&at, &to);
                    at = to;
                }
                Step::Junction(junction) => {
                    junction.branches.iter().for_each(|branch| self.branch(&at, "channel", &branch.path));
                }
                Step::Channel(path) => self.branch(&at, "channel", path),
                Step::Log(path) => self.branch(&at, "log", path),
                Step::If(condition) => {
                    condition.arms.iter().for_each(|arm| self.branch(&at, "if", &arm.path));
                    condition.otherwise.iter().for_each(|path| self.branch(&at, "else", path));
                }
                Step::Parallelize(_) | Step::Later(_, _) => {}
            }
        }
    }

    fn branch(&mut self, from: &str, word: &str, path: &Path) {
        let name = self.path_name(word, path);
        self.arc(from, &name);
        self.path(&name, path);
    }

    fn object(&self, reference: &Reference) -> (Kind, String) {
        let kind = reference.kind();
        let name = match reference {
            Reference::Named(_, name) => name.text.clone(),
            Reference::InPlace(_, _, span) => {
                let place = self.tree.texts.location(*span);
                format!("{}:{}:{}", place.name, place.line, place.column)
            }
        };
        (kind, format!("{} {name}", kind.word()))
    }

    fn filter(&self, filter: &Filter) -> String {
        match filter {
            Filter::Leaf(FilterLeaf::Named(name), _) => format!("filter {}", name.text),
            filter => {
                let place = self.tree.texts.location(filter.span());
                format!("filter {}:{}:{}", place.name, place.line, place.column)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Objects and branches as nodes and arcs.

    use super::*;
    use config::Memory;

    const CONFIG: &str = "@version: 4.8
source s { stdin(); };
filter f { host(a); };
destination d { file(\"/x\"); };
log named { source(s); filter(f); filter { program(b); };
  junction { channel { filter(f); }; channel { rewrite { set-tag(t); }; }; };
  if (host(c)) { destination(d); } else { log { destination(d); }; };
  channel { filter(f); };
};
log { source(s); destination(d); };
";

    #[test]
    fn branches_hang_on_the_step_before_them() {
        let checked = crate::assemble::check(std::path::Path::new("m"), &Memory::default().file("m", CONFIG));
        let graph: Value = serde_json::from_str(&of(&checked.tree)).unwrap();
        let arcs: Vec<String> = graph["arcs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arc| format!("{} > {}", arc["from"].as_str().unwrap(), arc["to"].as_str().unwrap()))
            .collect();
        let nodes: Vec<String> = graph["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| {
                format!("{}: {}", node["node"].as_str().unwrap(), node["labels"][0].as_str().unwrap())
            })
            .collect();
        crate::terminal::testing::golden::check(
            "graph.txt",
            &(arcs.join("\n") + "\n\n" + &nodes.join("\n") + "\n"),
        );
    }
}
