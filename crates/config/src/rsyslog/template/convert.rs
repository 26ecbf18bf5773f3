//! Converts templates of rsyslog to templates of the language.
//!
//! In: the pieces of a template. Out: text of our templates, with notes about differences.
//! Limits: a part without a counterpart fails the whole template, with the reason.

use super::json;
use super::piece::{Piece, Property, properties};
use super::printed::{PrintedTemplate, one};
use super::property::{self, Needs};
use crate::rsyslog::refusal::Converted;

/// Parts as one template. A template that builds JSON becomes `$(format-json)`, which escapes what needs it.
pub(crate) fn convert(parts: &[Piece], needs: &mut Needs) -> Converted<PrintedTemplate> {
    let is_json = |part: &Piece| match part {
        Piece::Property(property) => {
            ["json", "jsonf", "jsonr", "jsonfr"].iter().any(|option| property.has(option))
        }
        Piece::Text(_) => false,
    };
    if parts.iter().any(is_json) {
        return json::convert(parts, needs);
    }
    let mut converted = PrintedTemplate::default();
    let mut rest = parts;
    while let Some((part, after)) = rest.split_first() {
        rest = after;
        match part {
            Piece::Text(text) => converted.text.push_str(&text.replace('$', "$$")),
            Piece::Property(property) => match idiom(property, after, needs) {
                Some((text, taken)) => {
                    converted.text.push_str(text);
                    rest = &after[taken..];
                }
                None => {
                    let text = one(property, &mut converted, needs)?;
                    converted.text.push_str(&text);
                }
            },
        }
    }
    let times: Vec<&Property> =
        properties(parts).filter(|one| property::time(&one.name.to_ascii_lowercase()).is_some()).collect();
    let in_utc = times.iter().filter(|time| time.has("date-utc")).count();
    if converted.has_fraction {
        // The digits after the second are for the other times of the template.
        for prefix in ["", "R_"] {
            let macro_name = format!("${{{prefix}UNIXTIME}}");
            converted.text = converted.text.replace(&macro_name, &format!("$(substr {macro_name} 0 10)"));
        }
    }
    converted.is_utc = in_utc > 0;
    if in_utc > 0 && in_utc < times.len() {
        converted.notes.push("all times of the template are in UTC, not only some".to_string());
    }
    Ok(converted)
}

/// Returns our text for an idiom that takes rsyslog several properties, and the number of properties after the first
/// that belong to it.
fn idiom(first: &Property, after: &[Piece], needs: &mut Needs) -> Option<(&'static str, usize)> {
    let is = |part: Option<&Piece>, name: &str, option: &str| match part {
        Some(Piece::Property(property)) => {
            property.name.eq_ignore_ascii_case(name)
                && property.field.is_none()
                && (option.is_empty() && property.from.is_empty() || property.has(option))
        }
        _ => false,
    };
    let name = first.name.to_ascii_lowercase();
    let is_space = is(after.first(), "msg", "sp-if-no-1st-sp");
    if name == "syslogtag" && is_space && is(after.get(1), "msg", "") {
        needs.tag = true;
        return Some(("$(template rsyslog_tag) ${MESSAGE}", 2));
    }
    if name == "msg" && first.has("sp-if-no-1st-sp") && is(after.first(), "msg", "") {
        return Some((" ${MESSAGE}", 1));
    }
    None
}
