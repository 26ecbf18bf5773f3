//! Evaluates a filter for the messages of a batch.
//!
//! In: an expression, a batch, the messages to test. Out: those for which it is true.
//! Each test runs over all messages that earlier tests left; cheap tests run first. If matches are
//! stored the order of the configuration is kept, message by message, because a later test may read them.
//! Holds: the answers for the last values of a field while it runs: programs and hosts repeat.
//! Limits: [`REMEMBERED_MAX`] values are remembered.

use super::expression::{Expr, Filter, Subject, Test};
use crate::matches;
use message::{Batch, Field, FieldName, Selection, Span};
use std::sync::Arc;
use template::{
    Condition, Renderer, Template,
    pattern::{Groups, Pattern},
};

/// Values whose answers are remembered during one test of one batch: enough for a host's usual programs.
const REMEMBERED_MAX: usize = 8;
/// Patterns cheaper than this are matched again: looking up an earlier answer costs as much.
const REMEMBER_COST: u32 = 30;

impl Filter {
    /// Compiles an expression: where no test stores matches, the cheap ones go first.
    pub fn new(expr: Expr) -> Filter {
        let expr = resolved(expr);
        let stores = stores(&expr);
        let expr = if stores { expr } else { ordered(expr) };
        Filter { expr, stores }
    }

    /// Returns true when a match changes the message: some pattern has `flags(store-matches)`.
    pub fn stores_matches(&self) -> bool {
        self.stores
    }

    /// Returns the messages of `within` for which the expression holds. Stores no matches.
    pub fn select(&self, batch: &Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        select(&self.expr, batch, within, renderer)
    }

    /// Does the work of [`Filter::select`], and stores matches in the messages.
    pub fn select_storing(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
    ) -> Selection {
        let mut groups = Groups::default();
        let mut kept = within.clone();
        // Message by message, not test by test: a later test may read what an earlier one stored.
        for index in within.iter() {
            if !holds_storing(&self.expr, batch, index, renderer, &mut groups) {
                kept.remove(index);
            }
        }
        kept
    }
}

impl Condition for Filter {
    fn holds(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
        holds(&self.expr, batch, index, renderer)
    }
}

/// Reads macros where a value was named: `match("kern" value("FACILITY"))`.
fn resolved(expr: Expr) -> Expr {
    let all = |parts: Vec<Expr>| parts.into_iter().map(resolved).collect();
    match expr {
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::Not(part) => Expr::Not(Box::new(resolved(*part))),
        Expr::Test(Test::Pattern { subject: Subject::Field(name), pattern }) => {
            let subject = match Template::of_macro(name.as_str()) {
                Some(template) => Subject::Template(Arc::new(template)),
                None => Subject::Field(name),
            };
            Expr::Test(Test::Pattern { subject, pattern })
        }
        test => test,
    }
}

fn stores(expr: &Expr) -> bool {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(stores),
        Expr::Not(part) => stores(part),
        Expr::Test(Test::Pattern { pattern, .. }) => pattern.flags().store_matches,
        Expr::Test(Test::Named { filter, .. }) => filter.stores,
        Expr::Test(_) => false,
    }
}

/// Puts cheap parts first; constant comparisons are answered here.
fn ordered(expr: Expr) -> Expr {
    let sorted = |parts: Vec<Expr>| {
        let mut parts: Vec<Expr> = parts.into_iter().map(ordered).collect();
        // A rate limit counts the messages that reach it: nothing may move past it.
        if !parts.iter().any(counts) {
            parts.sort_by_key(cost);
        }
        parts
    };
    match expr {
        Expr::And(parts) => Expr::And(sorted(parts)),
        Expr::Or(parts) => Expr::Or(sorted(parts)),
        Expr::Not(part) => Expr::Not(Box::new(ordered(*part))),
        Expr::Test(Test::Compare(comparison)) => match comparison.constant() {
            Some(true) => Expr::And(Vec::new()),
            Some(false) => Expr::Or(Vec::new()),
            None => Expr::Test(Test::Compare(comparison)),
        },
        test => test,
    }
}

fn counts(expr: &Expr) -> bool {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(counts),
        Expr::Not(part) => counts(part),
        Expr::Test(Test::RateLimit(_)) => true,
        Expr::Test(Test::Named { filter, .. }) => counts(&filter.expr),
        Expr::Test(_) => false,
    }
}

/// Returns the cost of a part, roughly in nanoseconds per message.
fn cost(expr: &Expr) -> u32 {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().map(cost).fold(0, u32::saturating_add),
        Expr::Not(part) => cost(part),
        Expr::Test(test) => match test {
            Test::Facility(_) | Test::Severity(_) => 1,
            Test::Source(_) | Test::Netmask(_) | Test::Netmask6(_) => 3,
            Test::Pattern { subject: Subject::Field(FieldName::Fixed(field)), pattern } => {
                // Texts are longer than the names that costs were measured with.
                let long = matches!(field, Field::Message | Field::Raw);
                if long { pattern.cost().saturating_mul(4) } else { pattern.cost() }
            }
            Test::Pattern { pattern, .. } => pattern.cost().saturating_mul(4) + 50,
            Test::InList { .. } | Test::Tags(_) => 40,
            Test::Named { filter, .. } => cost(&filter.expr),
            Test::Compare(_) => 150,
            Test::RateLimit(_) => 200,
        },
    }
}

/// Returns the messages of `within` for which the expression holds.
fn select(expr: &Expr, batch: &Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
    match expr {
        Expr::And(parts) => {
            let mut left = within.clone();
            for part in parts {
                // Later tests cost more: they run only over the remaining messages.
                if left.is_empty() {
                    break;
                }
                left = select(part, batch, &left, renderer);
            }
            left
        }
        Expr::Or(parts) => {
            let mut found = Selection::none(within.batch_len());
            let mut left = within.clone();
            for part in parts {
                if left.is_empty() {
                    break;
                }
                let holds = select(part, batch, &left, renderer);
                left.subtract(&holds);
                found.or(&holds);
            }
            found
        }
        Expr::Not(part) => {
            let mut left = within.clone();
            left.subtract(&select(part, batch, within, renderer));
            left
        }
        Expr::Test(test) => run(test, batch, within, renderer),
    }
}

/// Runs one test over messages.
fn run(test: &Test, batch: &Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
    match test {
        Test::Facility(set) => keep(within, |index| set.has(batch.messages[index].pri.facility())),
        Test::Severity(set) => keep(within, |index| set.has(batch.messages[index].pri.severity())),
        Test::Pattern { subject: Subject::Field(FieldName::Fixed(field)), pattern } => {
            fixed_field(*field, pattern, batch, within)
        }
        Test::Named { filter, .. } => select(&filter.expr, batch, within, renderer),
        Test::Source(_) | Test::Netmask(_) | Test::Netmask6(_) => of_origin(test, batch, within),
        _ => keep(within, |index| holds_test(test, batch, index, renderer)),
    }
}

/// Returns those of some messages for which a test holds.
#[inline]
fn keep(within: &Selection, mut holds: impl FnMut(usize) -> bool) -> Selection {
    let mut kept = within.clone();
    for index in within.iter() {
        if !holds(index) {
            kept.remove(index);
        }
    }
    kept
}

/// Asks a pattern about a field that every message has.
fn fixed_field(field: Field, pattern: &Pattern, batch: &Batch, within: &Selection) -> Selection {
    let repeats = !matches!(field, Field::Message | Field::Raw | Field::Pid);
    if !repeats || pattern.cost() < REMEMBER_COST {
        return keep(within, |index| pattern.is_match(batch.fixed(index, field)));
    }
    // A batch comes from few programs and hosts: comparing a value with a handful of others is cheaper than a regular
    // expression. Once the table is full, other values are matched each time.
    let mut answers: [(&[u8], bool); REMEMBERED_MAX] = [(b"", false); REMEMBERED_MAX];
    let mut count = 0;
    keep(within, |index| {
        let value = batch.fixed(index, field);
        if let Some((_, answer)) = answers[..count].iter().find(|(known, _)| *known == value) {
            return *answer;
        }
        let answer = pattern.is_match(value);
        if count < REMEMBERED_MAX {
            answers[count] = (value, answer);
            count += 1;
        }
        answer
    })
}

/// Evaluates tests of the origin once for each origin.
fn of_origin(test: &Test, batch: &Batch, within: &Selection) -> Selection {
    let holds: Vec<bool> = batch.origins.iter().map(|origin| holds_origin(test, origin)).collect();
    match holds.as_slice() {
        // Nearly every batch has one origin: no message is examined.
        [true] => within.clone(),
        [false] => Selection::none(within.batch_len()),
        _ => keep(within, |index| holds[usize::from(batch.messages[index].origin)]),
    }
}

fn holds_origin(test: &Test, origin: &message::Origin) -> bool {
    match test {
        Test::Source(name) => origin.source_name() == name,
        Test::Netmask(network) => network.has(origin.peer),
        Test::Netmask6(network) => network.has(origin.peer),
        _ => false,
    }
}

/// Returns true when an expression holds for one message.
fn holds(expr: &Expr, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
    match expr {
        Expr::And(parts) => parts.iter().all(|part| holds(part, batch, index, renderer)),
        Expr::Or(parts) => parts.iter().any(|part| holds(part, batch, index, renderer)),
        Expr::Not(part) => !holds(part, batch, index, renderer),
        Expr::Test(test) => holds_test(test, batch, index, renderer),
    }
}

fn holds_test(test: &Test, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
    match test {
        Test::Facility(set) => set.has(batch.messages[index].pri.facility()),
        Test::Severity(set) => set.has(batch.messages[index].pri.severity()),
        Test::Source(_) | Test::Netmask(_) | Test::Netmask6(_) => holds_origin(test, batch.origin(index)),
        Test::Pattern { subject, pattern } => subject_is_match(subject, pattern, batch, index, renderer),
        Test::Tags(tags) => tags.iter().any(|tag| batch.has_tag(index, tag)),
        Test::InList { field, lines } => {
            batch.field(index, field).is_some_and(|value| lines.contains(&*value))
        }
        Test::Named { filter, .. } => holds(&filter.expr, batch, index, renderer),
        Test::Compare(comparison) => comparison.holds(batch, index, renderer),
        Test::RateLimit(limit) => limit.passes(batch, index, renderer),
    }
}

fn subject_is_match(
    subject: &Subject,
    pattern: &Pattern,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
) -> bool {
    match subject {
        Subject::Field(FieldName::Fixed(field)) => pattern.is_match(batch.fixed(index, *field)),
        _ => pattern.is_match(&subject_bytes(subject, batch, index, renderer)),
    }
}

fn subject_bytes(subject: &Subject, batch: &Batch, index: usize, renderer: &mut Renderer) -> Vec<u8> {
    match subject {
        Subject::Field(name) => batch.field(index, name).unwrap_or_default().into_owned(),
        Subject::Template(template) => template.value(batch, index, renderer).into_owned(),
        Subject::HeaderAndMessage => {
            let mut bytes = template::header(batch, index);
            bytes.extend_from_slice(batch.fixed(index, Field::Message));
            bytes
        }
    }
}

fn holds_storing(
    expr: &Expr,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
    groups: &mut Groups,
) -> bool {
    match expr {
        Expr::And(parts) => parts.iter().all(|part| holds_storing(part, batch, index, renderer, groups)),
        Expr::Or(parts) => parts.iter().any(|part| holds_storing(part, batch, index, renderer, groups)),
        Expr::Not(part) => !holds_storing(part, batch, index, renderer, groups),
        Expr::Test(Test::Named { filter, .. }) => holds_storing(&filter.expr, batch, index, renderer, groups),
        Expr::Test(Test::Pattern { subject, pattern }) if pattern.flags().store_matches => {
            let text = subject_span(subject, batch, index, renderer);
            let found = pattern.find(batch.bytes(text), 0, groups);
            if found {
                matches::store_named(pattern, batch, index, text, groups);
            }
            found
        }
        Expr::Test(test) => holds_test(test, batch, index, renderer),
    }
}

/// Returns the span of the text that a pattern is matched against; rendered text is added to the batch first.
fn subject_span(subject: &Subject, batch: &mut Batch, index: usize, renderer: &mut Renderer) -> Span {
    if let Subject::Field(name) = subject {
        return matches::span_of(batch, index, name).unwrap_or(Span::EMPTY);
    }
    let bytes = subject_bytes(subject, batch, index, renderer);
    batch.add_extra(&bytes)
}
