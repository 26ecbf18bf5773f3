//! The parts left out so far, and the rounds that leave out more.
//!
//! In: a tree and the errors of a round. Out: a smaller tree. Holds: the parts left out, and the names of removed
//! objects.

use super::{
    cut::{Cut, cut},
    inside::top_place,
    walk,
};
use crate::{
    diagnostic::{Diagnostic, Report},
    text::{Location, Span, Texts},
    tree::{Kind, LogFlag, Name, Statement, Tree},
};
use std::{collections::BTreeSet, fmt};

/// A statement, a driver or a log path that does not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Names it, such as ``destination `d_queue`, driver `kafka()` ``.
    pub what: String,
    /// The file and the line of the statement.
    pub place: Location,
    /// The reason why it does not run.
    pub why: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { name, line, .. } = &self.place;
        write!(out, "{} is not running ({name}:{line}): {}", self.what, self.why)
    }
}

/// Leaves out the parts that the errors of each round concern.
pub struct Skipping {
    left_out: Vec<LeftOut>,
    /// Removed objects, by kind and name.
    gone: BTreeSet<(Kind, String)>,
}

impl Skipping {
    /// Leaves out the statements that could not be read. `None` when some error is not about a word that this program
    /// does not know: then it is not certain where statements begin and end.
    pub fn start(tree: &mut Tree, report: &Report) -> Option<Skipping> {
        let mut skipping = Skipping { left_out: Vec::new(), gone: BTreeSet::new() };
        let explained: usize = tree.unread.iter().map(|unread| unread.errors).sum();
        if explained != report.error_count() || tree.unread.iter().any(|unread| !unread.is_unsupported) {
            return None;
        }
        let unread = std::mem::take(&mut tree.unread);
        for one in &unread {
            let what = match &one.object {
                Some((kind, name)) => {
                    skipping.gone.insert((*kind, name.text.clone()));
                    format!("{} `{}`", kind.word(), name.text)
                }
                None => format!("statement `{}`", tree.texts.slice(one.keyword)),
            };
            let place = tree.texts.location(one.keyword);
            skipping.left_out.push(LeftOut { what, place, why: one.why.clone() });
        }
        let mut index = 0;
        tree.statements.retain(|_| {
            index += 1;
            !unread.iter().any(|one| one.statement == Some(index - 1))
        });
        skipping.drop_users_of_templates(tree);
        Some(skipping)
    }

    /// Leaves out the parts that the errors of a round concern. Returns false when none of them can be left out.
    pub fn round(&mut self, tree: &mut Tree, report: &Report) -> bool {
        let errors: Vec<Diagnostic> = report.errors().cloned().collect();
        // Errors about parts that an earlier one removed are obsolete: the next round shows which remain.
        errors.iter().filter(|error| self.skip(tree, error)).count() > 0
    }

    /// Returns everything that was left out, in the order in which it was found.
    pub fn left_out(self) -> Vec<LeftOut> {
        self.left_out
    }

    fn skip(&mut self, tree: &mut Tree, error: &Diagnostic) -> bool {
        // A name that this configuration never had is a slip of its writer, not a part that is unsupported.
        if error.is_unresolved && !self.is_about_what_is_gone(&tree.texts, error.span) {
            return false;
        }
        let Tree { texts, statements, .. } = tree;
        for index in 0..statements.len() {
            let Some(statement) = statements.get_mut(index) else { break };
            match cut(statement, texts, error) {
                Cut::Elsewhere => {}
                Cut::Part(what) => {
                    let place = top_place(texts, error.span);
                    self.left_out.push(LeftOut { what, place, why: why(texts, error) });
                    return true;
                }
                Cut::Whole => {
                    let statement = statements.remove(index);
                    self.drop_statement(&statement, texts, error);
                    if matches!(statement, Statement::Template(_)) {
                        self.drop_users_of_templates(tree);
                    }
                    return true;
                }
            }
        }
        false
    }

    fn drop_statement(&mut self, statement: &Statement, texts: &Texts, error: &Diagnostic) {
        let mut why = why(texts, error);
        let what = match statement {
            Statement::Log(path) => {
                if path.flags.iter().any(|flag| flag.flag == LogFlag::Final) {
                    why.push_str("; messages that it would have kept from later paths continue to these");
                }
                let line = texts.location(path.span).line;
                path.name.as_ref().map_or(format!("the log path of line {line}"), |name| {
                    format!("log path `{}`", name.text)
                })
            }
            other => match named(other) {
                Some((kind, name)) => {
                    self.gone.insert((kind, name.text.clone()));
                    format!("{} `{}`", kind.word(), name.text)
                }
                None => "a statement".to_owned(),
            },
        };
        self.left_out.push(LeftOut { what, place: top_place(texts, error.span), why });
    }

    /// Leaves out everything that names a missing template, which would be printed as its name.
    fn drop_users_of_templates(&mut self, tree: &mut Tree) {
        let templates: Vec<String> = self
            .gone
            .iter()
            .filter(|(kind, _)| *kind == Kind::Template)
            .map(|(_, name)| name.clone())
            .collect();
        for template in templates {
            for span in walk::mentions(&tree.statements, &template) {
                self.skip(tree, &Diagnostic::error(span, format!("template `{template}` is not there")));
            }
        }
    }

    fn is_about_what_is_gone(&self, texts: &Texts, span: Span) -> bool {
        let name = texts.slice(span).trim_matches(['"', '\'']);
        self.gone.iter().any(|(_, gone)| gone == name)
    }
}

/// Returns the reason for leaving something out.
fn why(texts: &Texts, error: &Diagnostic) -> String {
    match error.is_unresolved {
        true => format!("it uses {}, which is not running", texts.slice(error.span)),
        false => error.message.clone(),
    }
}

/// Returns the kind and name of a statement that others refer to.
fn named(statement: &Statement) -> Option<(Kind, &Name)> {
    match statement {
        Statement::Object(object) => Some((object.kind, &object.name)),
        Statement::Filter(filter) => Some((Kind::Filter, &filter.name)),
        Statement::Template(template) => Some((Kind::Template, &template.name)),
        _ => None,
    }
}
