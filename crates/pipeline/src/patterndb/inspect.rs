//! Inspects a database, for users: its trees, its names, the path of a search.
//!
//! In: a database. Out: text and lists. Holds nothing. Limits: none of its own.

use super::{
    classify::DbParser,
    find::{Finder, Visit, find_all},
    model::Database,
    tree::{ROOT, Tree},
};
use crate::correlation::MadeBatches;
use message::{Batch, FieldName};
use std::fmt::Write;
use template::Renderer;

/// The entries that a dictionary of a database lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dictionary {
    /// Names of values.
    Values,
    /// Tags.
    Tags,
}

/// One step of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchStep {
    /// Text of the node; `None` for the node of a parser.
    pub literal: Option<String>,
    /// Type and name of the parser that took something.
    pub parser: Option<(String, String)>,
    /// Number of bytes that matched.
    pub length: usize,
    /// Offset of the value in the text.
    pub value_at: usize,
    /// Its length in bytes.
    pub value_length: usize,
}

impl Database {
    /// Prints the tree of programs, a node a line.
    pub fn dump_programs(&self, file: &str) -> String {
        self.dump(&self.programs, file, |_| "RULES".to_owned())
    }

    /// Prints the tree of messages of a program, a node a line.
    pub fn dump_rules(&self, program: &str, file: &str) -> Option<String> {
        let tree = self.rules_for(program)?;
        Some(self.dump(tree, file, |rule| {
            let id = self.rules.get(rule as usize).map_or("", |rule| rule.id.as_str());
            format!("rule_id='{id}'")
        }))
    }

    fn rules_for(&self, program: &str) -> Option<&Tree> {
        let number = Finder::default().find(&self.programs, program.as_bytes())?;
        self.rules_of.get(number as usize)
    }

    fn dump(&self, tree: &Tree, file: &str, name: impl Fn(u32) -> String) -> String {
        let mut out = String::new();
        for (id, level) in walk(tree) {
            let node = &tree.nodes[id as usize];
            let parser = node.parser.as_ref().map(|parser| {
                let (line, column) = node.position;
                format!("@{}:{}@ [{file}:{line}:{column}]", parser.type_name, parser.name)
            });
            let literal = String::from_utf8_lossy(&node.literal);
            let value = node.value.map(&name).unwrap_or_default();
            let parser = parser.unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "[{level}]\t{:indent$}{parser}'{literal}' {value}", "", indent = level * 2);
        }
        out
    }

    /// Returns the names of values, or the tags, of all rules or of those of a program.
    pub fn dictionary(&self, program: Option<&str>, kind: Dictionary) -> Vec<String> {
        let mut names = Vec::new();
        match program {
            Some(program) => {
                self.rules_for(program).into_iter().for_each(|tree| self.names_of(tree, kind, &mut names));
            }
            None => {
                for (id, _) in walk(&self.programs) {
                    let node = &self.programs.nodes[id as usize];
                    names.extend(node.value_name().filter(|_| kind == Dictionary::Values).map(str::to_owned));
                    let tree = node.value.and_then(|value| self.rules_of.get(value as usize));
                    tree.into_iter().for_each(|tree| self.names_of(tree, kind, &mut names));
                }
            }
        }
        names
    }

    fn names_of(&self, tree: &Tree, kind: Dictionary, names: &mut Vec<String>) {
        for (id, _) in walk(tree) {
            let node = &tree.nodes[id as usize];
            let rule = node.value.and_then(|value| self.rules.get(value as usize));
            match kind {
                Dictionary::Values => {
                    names.extend(node.value_name().map(str::to_owned));
                    let given = rule.into_iter().flat_map(|rule| &rule.gives.values);
                    names.extend(given.map(|(name, _)| plain_name(name)));
                }
                Dictionary::Tags => {
                    names.extend(rule.into_iter().flat_map(|rule| rule.gives.tags.iter().cloned()));
                }
            }
        }
    }

    /// Returns the ids of all rules that match the whole of a message.
    pub fn matching(&self, program: &str, message: &str) -> Vec<&str> {
        let rules = self.rules_for(program).map_or(Vec::new(), |tree| find_all(tree, message.as_bytes()));
        rules.into_iter().filter_map(|rule| Some(self.rules.get(rule as usize)?.id.as_str())).collect()
    }

    /// Returns the steps of the search for a message.
    pub fn explain(&self, program: &str, message: &[u8]) -> Vec<SearchStep> {
        let Some(tree) = self.rules_for(program) else { return Vec::new() };
        let mut finder = Finder::recording();
        finder.find(tree, message);
        let step = |visit: Visit| {
            let node = &tree.nodes[visit.node as usize];
            let scanner = |id: u32| {
                let scanner = tree.nodes[id as usize].parser.as_ref()?;
                Some((scanner.type_name.to_owned(), scanner.name.clone()))
            };
            let literal = node.parser.is_none().then(|| String::from_utf8_lossy(&node.literal).into_owned());
            SearchStep {
                literal,
                parser: visit.parser.and_then(scanner),
                length: visit.length,
                value_at: visit.value.0,
                value_length: visit.value.1 - visit.value.0,
            }
        };
        finder.visits.unwrap_or_default().into_iter().map(step).collect()
    }
}

impl DbParser {
    /// Ends all contexts as if their time had passed; messages of their rules go to `made`.
    pub fn end_contexts(&self, renderer: &mut Renderer, batches: &mut Vec<Batch>) {
        let inject = self.inject().clone();
        let mut made = MadeBatches::new(batches, &inject);
        self.state().end_all(renderer, &mut made);
        made.finish();
    }
}

fn plain_name(name: &FieldName) -> String {
    name.as_str().to_owned()
}

/// Returns all nodes with their depth: a node, its literal children, its parsers.
fn walk(tree: &Tree) -> Vec<(u32, usize)> {
    let mut walked = Vec::with_capacity(tree.nodes.len());
    let mut waiting = vec![(ROOT, 0)];
    while let Some((id, level)) = waiting.pop() {
        walked.push((id, level));
        let node = &tree.nodes[id as usize];
        // The first child must come last on the list. Bytes above ASCII go first, as syslog-ng prints them.
        let (ascii, other): (Vec<u32>, Vec<u32>) =
            node.literals.iter().partition(|child| tree.nodes[**child as usize].literal[0] < 128);
        waiting.extend(node.parsers.iter().rev().map(|child| (*child, level + 1)));
        waiting.extend(ascii.iter().rev().map(|child| (*child, level + 1)));
        waiting.extend(other.iter().rev().map(|child| (*child, level + 1)));
    }
    walked
}
