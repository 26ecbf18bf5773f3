//! The converter from statements to steps of log paths.
//!
//! In: the tree. Out: sources, destinations, templates and the steps of every ruleset, with a finding for every statement.
//! Holds: the statements converted so far.

use std::collections::{BTreeMap, BTreeSet};

use super::state::State;
use crate::parse::quoted;
use crate::rsyslog::expression::condition;
use crate::rsyslog::expression::lookup::Tables;
use crate::rsyslog::expression::value;
use crate::rsyslog::name::identifier;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::report::Judge;
use crate::rsyslog::report::{Finding, Outcome};
use crate::rsyslog::syntax::{Expression, Node, Parameters, Statement, Test};
use crate::rsyslog::template::property::{self, Needs};
use crate::rsyslog::template::templates::Templates;

/// The ruleset of inputs that name none.
pub(crate) const DEFAULT_RULESET: &str = "RSYSLOG_DefaultRuleset";

/// Name of the filter that nothing passes.
const STOP: &str = "filter(f_stop);";

/// Reason for leaving out a statement inside another.
const BELONGS: &str = "it belongs to a test that is not supported";

/// The steps of a ruleset.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ruleset {
    pub(crate) steps: Vec<String>,
    /// Rulesets that it calls.
    pub(crate) calls: BTreeSet<String>,
}

/// A source driver.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) ruleset: String,
    /// The text of `%inputname%`.
    pub(crate) input: String,
    /// `network(transport("tcp") port(514)`, without flags and closing parenthesis.
    pub(crate) driver: String,
    pub(crate) flags: Vec<&'static str>,
    /// Rewrite rules for its messages only.
    pub(crate) steps: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Converter {
    /// Checks the conversion of every statement; without it nothing is checked.
    pub(crate) judge: Option<Judge>,
    /// The names of all rulesets, wherever they are defined.
    ruleset_names: BTreeSet<String>,
    /// The names of rulesets with a queue of their own.
    queued_rulesets: BTreeSet<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) needs: Needs,
    pub(crate) templates: Templates,
    pub(crate) tables: Tables,
    pub(crate) state: State,
    /// Global options.
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) sources: Vec<Source>,
    /// Name and body of every destination.
    pub(crate) destinations: Vec<(String, String)>,
    pub(crate) rulesets: BTreeMap<String, Ruleset>,
    /// The ruleset that statements outside of rulesets belong to.
    pub(crate) current: String,
    /// Rulesets whose inputs only know RFC 3164.
    pub(crate) traditional_rulesets: BTreeSet<String>,
    /// `!program` and `+host` in force, as filters.
    pub(crate) tags: BTreeMap<char, String>,
    /// Notes about the statement being converted.
    pub(crate) notes: Vec<String>,
}

impl Converter {
    pub(crate) fn new(templates: Templates, tables: Tables, statements: &[Statement]) -> Converter {
        let mut options = BTreeMap::new();
        // The defaults of rsyslog.
        options.insert("keep-hostname".to_string(), "yes".to_string());
        options.insert("create-dirs".to_string(), "yes".to_string());
        options.insert("perm".to_string(), "0644".to_string());
        options.insert("dir-perm".to_string(), "0700".to_string());
        Converter {
            judge: None,
            ruleset_names: ruleset_names(statements, |_| true),
            queued_rulesets: ruleset_names(statements, |parameters| {
                let kind = parameters.take("queue.type");
                kind.is_some_and(|kind| !kind.eq_ignore_ascii_case("direct"))
            }),
            findings: Vec::new(),
            needs: Needs { objects: property::objects(statements), ..Needs::default() },
            templates,
            tables,
            state: State::default(),
            options,
            sources: Vec::new(),
            destinations: Vec::new(),
            rulesets: BTreeMap::from([(DEFAULT_RULESET.to_string(), Ruleset::default())]),
            current: DEFAULT_RULESET.to_string(),
            traditional_rulesets: BTreeSet::new(),
            tags: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Converts all statements outside of rulesets.
    pub(crate) fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            let ruleset = self.current.clone();
            let steps = self.statement(statement, &ruleset);
            let steps = self.tagged(steps);
            self.rulesets.entry(ruleset).or_default().steps.extend(steps);
        }
    }

    /// Puts steps under the current `!program` and `+host`.
    fn tagged(&self, steps: Vec<String>) -> Vec<String> {
        if steps.is_empty() || self.tags.is_empty() {
            return steps;
        }
        let tests: Vec<&str> = self.tags.values().map(String::as_str).collect();
        braced(&format!("if ({})", tests.join(" and ")), steps)
    }

    /// Converts a statement to steps of a path, and adds its finding.
    pub(crate) fn statement(&mut self, statement: &Statement, ruleset: &str) -> Vec<String> {
        let index = self.findings.len();
        self.findings.push(Finding {
            place: statement.place.clone(),
            words: statement.words.clone(),
            outcome: Outcome::Kept,
            notes: Vec::new(),
        });
        let before = self.judge.map(|judge| (judge, self.clone()));
        let outer = std::mem::take(&mut self.notes);
        let mut converted = self.node(&statement.node, ruleset);
        let notes = std::mem::replace(&mut self.notes, outer);
        if let (Some((judge, before)), Ok(steps)) = (before, &converted)
            && let Some(error) = judge(&self.with_steps(steps))
        {
            self.go_back_to(before, index);
            converted = Err(Refusal::Invalid(error));
        }
        let finding = &mut self.findings[index];
        let steps = match converted {
            Ok(steps) => {
                finding.outcome = if notes.is_empty() { Outcome::Kept } else { Outcome::Changed };
                finding.notes = notes;
                steps
            }
            Err(why) => {
                finding.outcome = Outcome::Unsupported;
                finding.notes = vec![why.to_string()];
                Vec::new()
            }
        };
        self.fold(index, statement);
        steps
    }

    /// Returns the text of the present configuration with more steps.
    fn with_steps(&self, steps: &[String]) -> String {
        let mut trial = self.clone();
        let default = trial.rulesets.entry(DEFAULT_RULESET.to_string()).or_default();
        default.steps.extend(steps.iter().cloned());
        trial.finish("").text
    }

    /// Drops the definitions that a statement added, but not the fact that it existed.
    fn go_back_to(&mut self, before: Converter, index: usize) {
        let mut findings = std::mem::take(&mut self.findings);
        for inner in findings.iter_mut().skip(index + 1) {
            if inner.outcome != Outcome::Unsupported {
                inner.outcome = Outcome::Unsupported;
                inner.notes = vec![BELONGS.to_string()];
            }
        }
        *self = Converter { findings, ..before };
    }

    /// Returns the ruleset that comes before this one in the order of names and has the same name here.
    pub(crate) fn is_name_taken(&self, ruleset: &str) -> Option<&String> {
        let first = self.ruleset_names.iter().find(|name| identifier(name) == identifier(ruleset));
        first.filter(|first| *first != ruleset)
    }

    /// Joins the finding of an action with that of its rule when both are on one line: they are one construct.
    fn fold(&mut self, index: usize, statement: &Statement) {
        let is_rule =
            matches!(statement.node, Node::If { test: Test::Selector(_) | Test::Property { .. }, .. });
        let inner = self.findings.get(index + 1..).unwrap_or_default();
        let is_one = inner.len() == 1
            && inner.iter().all(|one| statement.words.ends_with(&one.words) || one.place == statement.place);
        if !is_rule || !is_one {
            return;
        }
        if let Some(action) = self.findings.pop() {
            let rule = &mut self.findings[index];
            rule.outcome = rule.outcome.max(action.outcome);
            rule.notes.extend(action.notes);
        }
    }

    fn node(&mut self, node: &Node, ruleset: &str) -> Converted<Vec<String>> {
        match node {
            Node::Directive { name, value } => self.directive(name, value).map(|()| Vec::new()),
            Node::Object { kind, parameters, body } => self.object(kind, parameters.clone(), body),
            Node::If { test, then, otherwise } => self.condition(test, then, otherwise, ruleset),
            Node::Legacy(text) => self.legacy_action(text),
            Node::Set { variable, value } => self.set(variable, value),
            Node::Unset(variable) => {
                let name = property::variable(variable)?;
                // Unsetting a branch of the tree unsets the leaves below it.
                let below = quoted(&format!("{name}.*"));
                Ok(vec![format!(
                    "rewrite {{ unset(value({})); groupunset(values({below})); }};",
                    quoted(&name)
                )])
            }
            Node::Call(name) => {
                if let Some(other) = self.is_name_taken(name) {
                    return Err(Refusal::same_name("ruleset", name, other));
                }
                self.rulesets.entry(ruleset.to_string()).or_default().calls.insert(name.clone());
                let step = format!("{}();", block_name(name));
                // A ruleset with a queue works on a copy: its changes and stops do not affect the original.
                Ok(match self.queued_rulesets.contains(name) {
                    true => vec![
                        "junction {".to_string(),
                        format!("    channel {{ {step} {} }};", self.stop()),
                        "    channel { };".to_string(),
                        "};".to_string(),
                    ],
                    false => vec![step],
                })
            }
            Node::Stop => Ok(vec![self.stop()]),
            Node::Continue => Ok(Vec::new()),
            Node::Tag(text) => self.tag(text).map(|()| Vec::new()),
            Node::Refused(why) => Err(why.clone()),
        }
    }

    /// Returns the step that ends a path.
    pub(crate) fn stop(&mut self) -> String {
        self.needs.stop = true;
        STOP.to_string()
    }

    fn condition(
        &mut self,
        test: &Test,
        then: &[Statement],
        otherwise: &[Statement],
        ruleset: &str,
    ) -> Converted<Vec<String>> {
        let filter = match condition::filter(test, &mut self.needs) {
            Ok(filter) => filter,
            Err(why) => {
                let inner = then.iter().chain(otherwise);
                inner.for_each(|statement| self.left_out(statement));
                return Err(why);
            }
        };
        let mut steps: Vec<String> = then.iter().flat_map(|one| self.statement(one, ruleset)).collect();
        let rest: Vec<String> = otherwise.iter().flat_map(|one| self.statement(one, ruleset)).collect();
        let Some(filter) = filter else { return Ok(steps) };
        if steps == [STOP] && rest.is_empty() {
            return Ok(vec![format!("filter {{ not ({filter}); }};")]);
        }
        if steps.is_empty() && rest.is_empty() {
            return Ok(Vec::new());
        }
        if steps.len() == 1 && rest.is_empty() && !steps[0].contains('\n') && !steps[0].starts_with("if ") {
            return Ok(vec![format!("if ({filter}) {{ {} }};", steps.remove(0))]);
        }
        let mut out = braced(&format!("if ({filter})"), steps);
        if !rest.is_empty() {
            out.pop();
            out.extend(braced("} else", rest));
        }
        Ok(out)
    }

    /// Reports a statement inside one that is not supported.
    fn left_out(&mut self, statement: &Statement) {
        self.findings.push(Finding {
            place: statement.place.clone(),
            words: statement.words.clone(),
            outcome: Outcome::Unsupported,
            notes: vec![BELONGS.to_string()],
        });
    }

    fn set(&mut self, variable: &str, expression: &Expression) -> Converted<Vec<String>> {
        if let Some(steps) = self.tables.looked_up(variable, expression, &mut self.needs) {
            return steps;
        }
        let name = property::variable(variable)?;
        let operand = value::operand(expression, &mut self.needs)?;
        let is_literal_number = operand.is_number && operand.literal.is_some();
        let template = quoted(&value::printed(operand, &mut self.needs));
        let template = if is_literal_number { format!("int64({template})") } else { template };
        Ok(vec![format!("rewrite {{ set({template} value({})); }};", quoted(&name))])
    }

    /// Sets the current tag: `!program`, `!-program`, `!*`, `+host`, `-host`, `+*`.
    fn tag(&mut self, text: &str) -> Converted<()> {
        let (kind, names) = text.split_at(1);
        let names = names.trim();
        let (kind, function) = if kind == "!" { ('!', "program") } else { ('+', "host") };
        let (negated, names) = match names.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (text.starts_with('-'), names.trim_start_matches('+')),
        };
        if names == "*" {
            self.tags.remove(&kind);
            return Ok(());
        }
        let tests: Vec<String> = names
            .split(',')
            .map(|name| format!("{function}({} type(\"string\"))", quoted(name.trim())))
            .collect();
        let any = format!("({})", tests.join(" or "));
        self.tags.insert(kind, if negated { format!("not {any}") } else { any });
        Ok(())
    }

    /// Returns the name of a destination with this body; the same body is the same destination.
    pub(crate) fn destination(&mut self, hint: &str, body: String) -> String {
        if let Some((name, _)) = self.destinations.iter().find(|(_, known)| *known == body) {
            return format!("destination({name});");
        }
        let base = format!("d_{}", identifier(hint));
        let is_taken = |name: &str| self.destinations.iter().any(|(known, _)| known == name);
        let name = match is_taken(&base) {
            false => base,
            true => {
                let mut number = 2;
                while is_taken(&format!("{base}_{number}")) {
                    number += 1;
                }
                format!("{base}_{number}")
            }
        };
        self.destinations.push((name.clone(), body));
        format!("destination({name});")
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

fn ruleset_names(statements: &[Statement], wanted: fn(&mut Parameters) -> bool) -> BTreeSet<String> {
    let names = statements.iter().filter_map(|statement| match &statement.node {
        Node::Object { kind, parameters, .. } if kind == "ruleset" => {
            let mut parameters = parameters.clone();
            wanted(&mut parameters).then(|| parameters.take("name")).flatten()
        }
        _ => None,
    });
    names.collect()
}

/// Returns the name of the block that a called ruleset becomes.
pub(crate) fn block_name(ruleset: &str) -> String {
    format!("ruleset-{}", identifier(ruleset))
}

/// Prints steps in braces after a head, one level deeper.
pub(crate) fn braced(head: &str, steps: Vec<String>) -> Vec<String> {
    let mut out = vec![format!("{head} {{")];
    out.extend(steps.into_iter().map(|step| format!("    {step}")));
    out.push("};".to_string());
    out
}
