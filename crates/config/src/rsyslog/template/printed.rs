//! Properties of an rsyslog template as text of ours.
//!
//! In: a property with its positions, fields, expressions and options. Out: a macro, or calls of template functions.
//! Limits: an option without a counterpart fails, by name.

use super::piece::Property;
use super::property::{self, Needs};
use crate::parse::quoted;
use crate::rsyslog::calls::argument;
use crate::rsyslog::refusal::{Converted, Refusal};

/// A converted template.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct PrintedTemplate {
    pub(crate) text: String,
    /// Prints times with a fraction.
    pub(crate) has_fraction: bool,
    /// Prints all its times in UTC.
    pub(crate) is_utc: bool,
    pub(crate) notes: Vec<String>,
}

/// Prints one property as text of our templates.
pub(crate) fn one(
    property: &Property,
    converted: &mut PrintedTemplate,
    needs: &mut Needs,
) -> Converted<String> {
    let key = property.name.to_ascii_lowercase();
    if let Some(text) = property.name.strip_prefix('=') {
        return Ok(text.replace('$', "$$"));
    }
    let mut text = match property::time(&key) {
        Some(prefix) => time(property, prefix, converted, needs)?,
        None if property.has("subtree") && !matches!(key.as_str(), "$!" | "$!all-json") => {
            property::subtree(&property.name)?
        }
        None => property::property(&property.name, needs)?.template,
    };
    if let Some((delimiter, number)) = &property.field {
        if !(property.from.is_empty() && property.to.is_empty()) {
            return Err(Refusal::unsupported_many("positions inside of a field"));
        }
        let missing = argument("**FIELD NOT FOUND**");
        text = format!("$(field {} {number} {text} {missing})", argument(delimiter));
    }
    if let Some(extract) = &property.extract {
        text = extract.of(&text)?;
    }
    // `%syslogtag:1:32%` is in the old form of forwarded messages; tags are not cut here.
    let is_old_tag = key == "syslogtag" && property.from == "1" && property.to == "32";
    let is_whole = property.from.is_empty() && property.to.is_empty();
    if !is_whole && !is_old_tag {
        text = cut(&text, property)?;
    }
    wrapped(text, property)
}

/// Cuts a text at `position.from` and `position.to`: counted from 1, the last one included.
fn cut(text: &str, property: &Property) -> Converted<String> {
    let from: i64 = match property.from.as_str() {
        "" => 1,
        number => number.parse().map_err(|_| Refusal::unsupported(format!("position `{number}`")))?,
    };
    let start = (from - 1).max(0);
    match property.to.as_str() {
        "" | "$" => Ok(format!("$(substr {text} {start})")),
        number => {
            let to: i64 = number.parse().map_err(|_| Refusal::unsupported(format!("position `{number}`")))?;
            let (start, to) = if to >= 0 && to < from { ((to - 1).max(0), from) } else { (start, to) };
            let length = if to < 0 { to } else { to - start };
            Ok(format!("$(substr {text} {start} {length})"))
        }
    }
}

fn wrapped(mut text: String, property: &Property) -> Converted<String> {
    for option in &property.options {
        text = match option.as_str() {
            "uppercase" => format!("$(uppercase {text})"),
            "lowercase" => format!("$(lowercase {text})"),
            "compressspace" => format!("$(compress-blanks {text})"),
            "csv" => format!("$(quote-csv {text})"),
            "secpath-replace" => {
                format!("$(sanitize --no-ctrl-chars --invalid-chars / --replacement _ {text})")
            }
            "secpath-drop" => {
                format!("$(sanitize --no-ctrl-chars --invalid-chars / --replacement \"\" {text})")
            }
            "space-cc" => format!("$(sanitize --invalid-chars \"\" --replacement \" \" {text})"),
            "drop-cc" => format!("$(sanitize --invalid-chars \"\" --replacement \"\" {text})"),
            "sp-if-no-1st-sp" => format!("$(if match(\"^[^ ]\" template({})) \" \" \"\")", quoted(&text)),
            // A message ends before its line feed here, and date formats are done.
            "subtree" | "drop-last-lf" | "json" | "jsonf" | "jsonr" | "jsonfr" | "mandatory" => text,
            date if date.starts_with("date-") => text,
            other => return Err(Refusal::unsupported(format!("option `{other}` of %{}%", property.name))),
        };
    }
    Ok(text)
}

/// Prints a time in one of rsyslog's formats.
fn time(
    property: &Property,
    prefix: &str,
    converted: &mut PrintedTemplate,
    needs: &mut Needs,
) -> Converted<String> {
    let format =
        property.options.iter().filter_map(|option| option.strip_prefix("date-")).find(|one| *one != "utc");
    let macros = |names: &str| {
        let mut out = String::new();
        for piece in names.split_inclusive(|letter: char| !letter.is_ascii_uppercase() && letter != '_') {
            let name = piece.trim_end_matches(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
            if !name.is_empty() {
                out.push_str(&format!("${{{prefix}{name}}}"));
            }
            out.push_str(piece[name.len()..].trim_end_matches('|'));
        }
        out
    };
    let names = match format.unwrap_or("rfc3164") {
        "rfc3164" | "rfc3164-buggyday" => "DATE",
        "rfc3339" if prefix.is_empty() && !property.has("date-utc") => {
            needs.iso = true;
            return Ok(format!("$(template {})", property::ISO_TEMPLATE));
        }
        "rfc3339" => {
            converted.has_fraction = true;
            "ISODATE"
        }
        "unixtimestamp" => "UNIXTIME",
        "mysql" => "YEAR|MONTH|DAY|HOUR|MIN|SEC",
        "pgsql" => "YEAR-MONTH-DAY HOUR:MIN:SEC",
        "year" => "YEAR",
        "month" => "MONTH",
        "day" => "DAY",
        "hour" => "HOUR",
        "minute" => "MIN",
        "second" => "SEC",
        "subseconds" if prefix.is_empty() => {
            needs.iso = true;
            return Ok(format!("$(template {})", property::SUBSECONDS_TEMPLATE));
        }
        "subseconds" => "USEC",
        "wdayname" => "WEEK_DAY_ABBREV",
        "wday" => return Ok(format!("$(- ${{{prefix}WEEK_DAY}} 1)")),
        "ordinal" => "YEAR_DAY",
        // Weeks begin on Sunday, and the first one with the first of January.
        "week" => {
            let (day, weekday) = (format!("${{{prefix}YEAR_DAY}}"), format!("${{{prefix}WEEK_DAY}}"));
            let first = format!("$(% $(+ 371 $(- {weekday} {day})) 7)");
            let week = format!("$(+ 1 $(/ $(+ $(- {day} 1) {first}) 7))");
            return Ok(format!("$(substr \"0{week}\" -2)"));
        }
        "iso-week" => "ISOWEEK",
        other => return Err(Refusal::unsupported(format!("date format `{other}`"))),
    };
    Ok(macros(names))
}
