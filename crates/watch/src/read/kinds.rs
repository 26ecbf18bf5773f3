//! The kind of a rule and the options that belong to it.
//!
//! In: the options of a rule. Out: a kind; what is wrong is noted. Kinds that are planned are refused by their names.

use super::{
    fault::RuleFault,
    node::{Content, Node},
    options::{Options, text_of},
};
use crate::{
    key::{self, place_of},
    rule::{Aggregate, COUNT_MAX, FORGET_US, HYSTERESIS_PERMILLE, KEYS_MAX, Kind, Threshold, Window},
};
use query::Name;

/// The kinds that there are.
const KINDS: &str =
    "match, count, distinct, sum, avg, min, max, absence, new-value, sequence or not-followed";
/// Kinds that there will be.
const PLANNED: &[&str] = &["baseline", "composite", "heartbeat", "percentile", "query"];
/// Time for which values are learnt and remembered, unless the rule says otherwise: one day and 30 days.
const LEARN_US: i64 = 86_400 * 1_000_000;
const REMEMBER_US: i64 = 30 * LEARN_US;
/// Most messages after which a key is expected.
const LEARN_MAX: u64 = 1_000_000;

/// Reads the kind.
pub(super) fn kind(options: &mut Options<'_>, by: &[Name]) -> Option<Kind> {
    let Some(name) = options.required_text("kind") else {
        options.ignore_unknown();
        return None;
    };
    match name.as_str() {
        "match" => Some(Kind::Match { quiet_us: options.duration("resolve-after") }),
        "count" => {
            let (threshold, window) = counted(options)?;
            Some(Kind::Count { threshold, window })
        }
        "distinct" => {
            let field = field(options);
            let (threshold, window) = counted(options)?;
            Some(Kind::Distinct { field: field?, threshold, window })
        }
        "sum" => value(options, Aggregate::Sum),
        "avg" => value(options, Aggregate::Avg),
        "min" => value(options, Aggregate::Min),
        "max" => value(options, Aggregate::Max),
        "absence" => absence(options, by),
        "new-value" => {
            let learn_us = options.duration("learn-for").unwrap_or(LEARN_US);
            let remember_us = options.duration("remember-for").unwrap_or(REMEMBER_US);
            Some(Kind::NewValue { field: field(options)?, learn_us, remember_us })
        }
        "sequence" => {
            let (then, then_by, within_us) = followed(options, by)?;
            Some(Kind::Sequence { then, then_by, within_us })
        }
        "not-followed" => {
            let forget_us = options.duration("forget-after").unwrap_or(FORGET_US);
            let (then, then_by, within_us) = followed(options, by)?;
            Some(Kind::NotFollowed { then, then_by, within_us, forget_us })
        }
        _ => {
            let fault = match PLANNED.contains(&name.as_str()) {
                true => RuleFault::PlannedKind { kind: name },
                false => RuleFault::UnknownWord { word: name, known: KINDS },
            };
            options.fault("kind", fault);
            options.ignore_unknown();
            None
        }
    }
}

/// Returns true if the condition of a kind can be asked to last.
pub(super) fn can_hold(kind: &Kind) -> bool {
    matches!(kind, Kind::Count { .. } | Kind::Distinct { .. } | Kind::Value { .. })
}

fn field(options: &mut Options<'_>) -> Option<Name> {
    let field = options.required_text("field")?;
    if field.starts_with('@') || field.contains('*') {
        options.fault("field", RuleFault::NotAField);
    }
    Some(Name::of(&field))
}

/// Reads the window. `hysteresis` belongs to sliding windows of counts.
fn window(options: &mut Options<'_>) -> Option<Window> {
    let us = options.required_duration("within");
    let hysteresis = options.permille("hysteresis");
    let form = options.text("window").unwrap_or_else(|| "sliding".to_owned());
    match form.as_str() {
        "sliding" => {
            let hysteresis_permille = hysteresis.unwrap_or(HYSTERESIS_PERMILLE);
            Some(Window::Sliding { us: us?, hysteresis_permille })
        }
        "tumbling" => {
            if hysteresis.is_some() {
                options.fault(
                    "hysteresis",
                    RuleFault::UnknownWord {
                        word: "hysteresis of a tumbling window".to_owned(),
                        known: "window: sliding",
                    },
                );
            }
            Some(Window::Tumbling { us: us? })
        }
        _ => {
            options.fault("window", RuleFault::UnknownWord { word: form, known: "sliding or tumbling" });
            None
        }
    }
}

/// Reads threshold and window of a count.
fn counted(options: &mut Options<'_>) -> Option<(Threshold, Window)> {
    let threshold = options.threshold();
    let window = window(options);
    let (threshold, window) = (threshold?, window?);
    let within = |count: u64| (1..=COUNT_MAX).contains(&count);
    let fits = match window {
        Window::Sliding { .. } => threshold.count_from().is_some_and(within),
        Window::Tumbling { .. } => threshold.count_cap() <= 1 << 32,
    };
    if !fits {
        options.fault("window", RuleFault::SlidingCount);
    }
    Some((threshold, window))
}

/// Reads a rule on figures of numbers.
fn value(options: &mut Options<'_>, aggregate: Aggregate) -> Option<Kind> {
    let field = field(options);
    let threshold = options.threshold();
    let resolve = options.threshold_in("resolve");
    let window = window(options);
    if options.value("hysteresis").is_some() {
        options.fault("hysteresis", RuleFault::NotForKind { kind: aggregate.name() });
    }
    Some(Kind::Value { aggregate, field: field?, threshold: threshold?, resolve, window: window? })
}

fn absence(options: &mut Options<'_>, by: &[Name]) -> Option<Kind> {
    let within_us = options.required_duration("within");
    let learn = options.count("learn", 1, LEARN_MAX).unwrap_or(1) as u32;
    let forget_us = options.duration("forget-after").unwrap_or(FORGET_US);
    let keys = match options.value("keys") {
        None => Vec::new(),
        Some(node) => expected(options, node, by),
    };
    Some(Kind::Absence { within_us: within_us?, learn, keys, forget_us })
}

/// Reads the keys that a rule expects.
fn expected(options: &mut Options<'_>, node: &Node, by: &[Name]) -> Vec<Box<[u8]>> {
    let keys = match &node.content {
        _ if by.is_empty() => Err(RuleFault::Unexpected),
        Content::List(list) if list.len() > KEYS_MAX => Err(RuleFault::TooManyExpected),
        Content::List(list) => {
            let keys: Option<Vec<_>> = list.iter().map(|key| expected_key(key, by.len())).collect();
            keys.ok_or(RuleFault::BadExpected)
        }
        Content::Text { .. } | Content::Map(_) => Err(RuleFault::BadExpected),
    };
    keys.unwrap_or_else(|fault| {
        options.fault("keys", fault);
        Vec::new()
    })
}

/// Encodes an expected key: a text, or a list of as many texts as there are fields.
fn expected_key(node: &Node, count: usize) -> Option<Box<[u8]>> {
    let values = match &node.content {
        Content::Text { text, .. } => vec![text.clone()],
        Content::List(list) => list.iter().map(text_of).collect::<Option<Vec<_>>>()?,
        Content::Map(_) => return None,
    };
    if values.len() != count || values.iter().any(String::is_empty) {
        return None;
    }
    let mut key = Vec::new();
    for (index, value) in values.iter().enumerate() {
        key::append(&mut key, value.as_bytes(), place_of(index, count));
    }
    Some(key.into())
}

/// Reads the second message of a sequence.
fn followed(options: &mut Options<'_>, by: &[Name]) -> Option<(query::Query, Vec<Name>, i64)> {
    let then = options.query("then");
    let within_us = options.required_duration("within");
    let then_by = match options.value("then-by") {
        None => by.to_vec(),
        Some(_) => options.names("then-by"),
    };
    if then_by.len() != by.len() {
        options.fault("then-by", RuleFault::OtherCount);
    }
    Some((then?, then_by, within_us?))
}
