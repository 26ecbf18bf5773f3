//! Sorts the patterns of rulesets into trees.
//!
//! In: patterns of programs and of messages, ruleset by ruleset. Out: a tree of programs, and a tree of messages for
//! each set of programs. Rulesets of one set of programs share a tree; those without programs are for any.
//! Holds: the trees so far. Limits: those of the trees.

use crate::patterndb::{
    model::{Finding, Rule},
    tree::{InsertError, Tree},
};
use std::{collections::HashMap, fmt};

/// Line and column.
type Position = (usize, usize);

/// A ruleset names a program of another ruleset, whose other programs it does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MismatchedPrograms {
    program: String,
}

impl fmt::Display for MismatchedPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Joining rulesets with mismatching program name sets, program={}", self.program)
    }
}

/// The patterns that were read, sorted into their trees.
pub(super) struct Patterns {
    /// Programs in the order of the file, with the number of their tree.
    programs: Vec<(String, u32, Position)>,
    by_program: HashMap<String, u32>,
    trees: Vec<Tree>,
    /// The tree of the ruleset that is open.
    tree: Option<u32>,
    /// Its patterns and their rules.
    waiting: Vec<(String, u32, Position)>,
    findings: Vec<Finding>,
}

impl Patterns {
    pub(super) fn new() -> Patterns {
        Patterns {
            programs: Vec::new(),
            by_program: HashMap::new(),
            trees: vec![Tree::new()],
            tree: None,
            waiting: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Adds a program of the open ruleset. The first one chooses the tree; the others must have the same.
    pub(super) fn program(&mut self, program: &str, position: Position) -> Result<(), MismatchedPrograms> {
        let known = self.by_program.get(program).copied();
        let tree = match (self.tree, known) {
            (Some(tree), Some(known)) if tree != known => {
                return Err(MismatchedPrograms { program: program.to_owned() });
            }
            (Some(tree), _) | (None, Some(tree)) => tree,
            (None, None) => {
                self.trees.push(Tree::new());
                self.trees.len() as u32 - 1
            }
        };
        self.tree = Some(tree);
        if known.is_none() {
            self.by_program.insert(program.to_owned(), tree);
            self.programs.push((program.to_owned(), tree, position));
        }
        Ok(())
    }

    /// Adds a pattern of a rule of the open ruleset.
    pub(super) fn message(&mut self, pattern: &str, rule: usize, position: Position) {
        self.waiting.push((pattern.to_owned(), rule as u32, position));
    }

    /// Ends the ruleset.
    pub(super) fn close(&mut self, prefix: &str, rules: &[Rule]) {
        let tree = self.tree.take().unwrap_or(0);
        for (pattern, rule, position) in std::mem::take(&mut self.waiting) {
            let result = self.trees[tree as usize].insert(&pattern, rule, prefix, position);
            let name = |rule: u32| rules.get(rule as usize).map_or("", |rule| rule.id.as_str());
            match result {
                Ok(()) => {}
                Err(InsertError::Duplicate { value }) => {
                    let reason = format!("the same pattern is in rule {} already", name(value));
                    self.leave_out(&pattern, name(rule), position, &reason);
                }
                Err(error) => self.leave_out(&pattern, name(rule), position, &error.to_string()),
            }
        }
    }

    fn leave_out(&mut self, pattern: &str, rule: &str, (line, column): Position, reason: &str) {
        let reason = format!("pattern '{pattern}' of rule {rule} is left out: {reason}");
        self.findings.push(Finding { line, column, reason });
    }

    /// Returns the tree of programs, the trees of messages, and the parts that were left out.
    pub(super) fn finish(mut self, prefix: &str) -> (Tree, Vec<Tree>, Vec<Finding>) {
        let mut programs = Tree::new();
        programs.nodes[0].value = Some(0);
        for (program, tree, position) in std::mem::take(&mut self.programs) {
            if let Err(error) = programs.insert(&program, tree, prefix, position) {
                let reason = format!("program '{program}' is left out: {error}");
                self.findings.push(Finding { line: position.0, column: position.1, reason });
            }
        }
        (programs, self.trees, self.findings)
    }
}
