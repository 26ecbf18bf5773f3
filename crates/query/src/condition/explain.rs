//! Shows a condition in words, so that users see how a query was understood.
//!
//! In: a condition. Out: one line. Limits: as deep as the condition.

use crate::condition::{Condition, ValueTest};
use crate::language::fields::column_name;
use lookup::{Bound, Pattern, Phrase};
use std::net::Ipv6Addr;

/// The condition in words.
pub(crate) fn show(condition: &Condition) -> String {
    match condition {
        Condition::All => "all".to_owned(),
        Condition::Never => "never".to_owned(),
        Condition::And(members) => join(members, " AND "),
        Condition::Or(members) => join(members, " OR "),
        Condition::Not(inner) => format!("NOT {}", show(inner)),
        Condition::Word(word) => format!("word {}", pattern(word)),
        Condition::Phrase(words) => format!("text {}", phrase(words)),
        Condition::CasePhrase { words, exact } => {
            let exact: Vec<_> = exact.iter().map(|word| text(word)).collect();
            format!("text {} case {}", phrase(words), exact.join(" "))
        }
        Condition::Value(column, test) => format!("{} {}", column_name(column), value(test)),
        Condition::Values(names, test) => format!("{} {}", names.shown(), value(test)),
        Condition::TextRegex { regex, tokens } => format!("text matches {regex} ({})", patterns(tokens)),
        Condition::RawRegex(regex) => format!("raw matches {regex}"),
        Condition::TextHas { bytes, tokens } => format!("text has {} ({})", text(bytes), patterns(tokens)),
        Condition::RawHas(bytes) => format!("raw has {}", text(bytes)),
        Condition::Received(from, to) => format!("received {from}..{to}"),
        Condition::Event(from, to) => format!("event {from}..{to}"),
        Condition::Skew(from, to) => format!("skew {from}..{to}"),
    }
}

fn join(members: &[Condition], sign: &str) -> String {
    let members: Vec<String> = members.iter().map(show).collect();
    format!("({})", members.join(sign))
}

fn value(test: &ValueTest) -> String {
    match test {
        ValueTest::Pattern(test) => format!("is {}", pattern(test)),
        ValueTest::Regex(regex) => format!("matches {regex}"),
    }
}

fn phrase(phrase: &Phrase) -> String {
    let words: Vec<String> = phrase.words.iter().map(pattern).collect();
    let slop = if phrase.slop == 0 { String::new() } else { format!("~{}", phrase.slop) };
    format!("\"{}\"{slop}", words.join(" "))
}

fn patterns(list: &[Pattern]) -> String {
    let list: Vec<String> = list.iter().map(pattern).collect();
    list.join(", ")
}

fn pattern(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Exact(bytes) => text(bytes),
        Pattern::CaseExact(bytes) => format!("exactly {}", text(bytes)),
        Pattern::Prefix(bytes) => format!("{}*", text(bytes)),
        Pattern::Wildcard(bytes) => format!("~{}", text(bytes)),
        Pattern::Fuzzy { text: bytes, distance } => format!("fuzzy{distance} {}", text(bytes)),
        Pattern::Any => "any".to_owned(),
        Pattern::Number(number) => format!("the number {number}"),
        Pattern::Range { lower, upper } => {
            let open = if includes(lower) { '[' } else { '{' };
            let close = if includes(upper) { ']' } else { '}' };
            format!("{open}{} TO {}{close}", bound(lower), bound(upper))
        }
        Pattern::Network { address, bits } => {
            let address = Ipv6Addr::from(*address);
            match address.to_ipv4_mapped() {
                Some(v4) if *bits >= 96 => format!("{v4}/{}", bits - 96),
                _ => format!("{address}/{bits}"),
            }
        }
    }
}

fn includes(bound: &Bound) -> bool {
    matches!(bound, Bound::Number { inclusive: true, .. } | Bound::Text { inclusive: true, .. })
}

fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Open => "*".to_owned(),
        Bound::Number { value, .. } => value.to_string(),
        Bound::Text { value, .. } => text(value),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
