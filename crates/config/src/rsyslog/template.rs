//! Templates of rsyslog to templates of the language.
//!
//! In: the text of a string template, or the items of a list template. Out: text of our templates, with notes about
//! what is not quite the same.
//! Limits: what has no counterpart fails the whole template, with the reason.

use super::property::{self, Needs};
use super::shape;
use super::syntax::{Node, Parameters, Statement, is_on};

/// A piece of a template.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Property(Box<Property>),
}

/// A property with what is done to it.
#[derive(Clone, Default, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    from: String,
    to: String,
    /// Delimiter and number of a field.
    field: Option<(String, usize)>,
    /// What a regular expression takes out.
    extract: Option<Extract>,
    /// Options in lower case: `date-rfc3339`, `json`, `uppercase`.
    options: Vec<String>,
    /// The member of the object, for `jsonf`.
    pub(super) member: String,
}

/// `R,ERE,1,DFLT,0:expression--end`.
#[derive(Clone, Default, Debug)]
struct Extract {
    expression: String,
    is_basic: bool,
    group: usize,
    nth: usize,
    /// `DFLT`, `BLANK`, `ZERO` or `FIELD`.
    otherwise: String,
}

impl Extract {
    /// From what stands behind `R,`, and the expression.
    fn read(words: &str, expression: &str) -> Result<Extract, String> {
        let mut words = words.split(',').map(str::trim);
        let kind = words.next().unwrap_or_default().to_ascii_uppercase();
        let number = |what: &str, found: Option<&str>| match found.filter(|word| !word.is_empty()) {
            Some(word) => word.parse().map_err(|_| format!("`{word}` is no number of a {what}")),
            None => Ok(0),
        };
        Ok(Extract {
            expression: expression.to_string(),
            is_basic: match kind.as_str() {
                "" | "BRE" => true,
                "ERE" => false,
                other => return Err(format!("regular expressions of type `{other}` are not supported")),
            },
            group: number("group", words.next())?,
            otherwise: words.next().unwrap_or_default().to_ascii_uppercase(),
            nth: number("match", words.next())?,
        })
    }

    /// What it takes out of a text, as text of our templates.
    fn of(&self, text: &str) -> Result<String, String> {
        let expression = if self.is_basic {
            super::condition::extended(&self.expression)
        } else {
            self.expression.clone()
        };
        let otherwise = match self.otherwise.as_str() {
            "" | "DFLT" => argument("**NO MATCH**"),
            "BLANK" => argument(""),
            "ZERO" => "0".to_string(),
            "FIELD" => text.to_string(),
            other => return Err(format!("`{other}` for texts without a match is not supported")),
        };
        Ok(extracted(&expression, (self.nth, self.group), text, &otherwise))
    }
}

/// A call of the template function that takes out what an extended expression matches.
pub(super) fn extracted(
    expression: &str,
    (nth, group): (usize, usize),
    text: &str,
    otherwise: &str,
) -> String {
    let option = |name: &str, number: usize| match number {
        0 => String::new(),
        number => format!("--{name} {number} "),
    };
    let (nth, group) = (option("match", nth), option("group", group));
    format!("$(extract {nth}{group}{} {text} {otherwise})", word(expression))
}

impl Property {
    pub(super) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|known| known == option)
    }
}

/// A converted template.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Converted {
    pub(super) text: String,
    /// Prints times with a fraction.
    pub(super) has_fraction: bool,
    /// Prints all its times in UTC.
    pub(super) is_utc: bool,
    pub(super) notes: Vec<String>,
}

/// Reads `text %property:from:to:options% text`.
pub(super) fn parse(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut constant = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.clone().next() {
                Some('%') => constant.extend(letters.next()),
                _ => constant.push('\\'),
            },
            '%' => {
                let rest = letters.as_str();
                let end = property_end(rest).ok_or("a `%` is not closed")?;
                if !constant.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut constant)));
                }
                parts.push(Part::Property(Box::new(string_property(&rest[..end])?)));
                letters = rest[end + 1..].chars();
            }
            other => constant.push(other),
        }
    }
    if !constant.is_empty() {
        parts.push(Part::Text(constant));
    }
    Ok(parts)
}

/// The place of the `%` that ends a property; one inside of a regular expression does not.
fn property_end(text: &str) -> Option<usize> {
    match text.split('%').next().is_some_and(|head| head.contains(":R,") || head.contains(":R:")) {
        true => text.find("--end").and_then(|end| text[end..].find('%').map(|at| end + at)),
        false => text.find('%'),
    }
}

/// `name:R,words:expression--end:options`. None: it is no such property.
fn string_extract(text: &str) -> Result<Option<Property>, String> {
    let Some((name, rest)) = text.split_once(':') else { return Ok(None) };
    let Some((words, rest)) =
        rest.split_once(':').filter(|(words, _)| *words == "R" || words.starts_with("R,"))
    else {
        return Ok(None);
    };
    let (expression, options) = rest.split_once("--end").ok_or("a regular expression without its `--end`")?;
    let options = options.trim_start_matches(':').to_ascii_lowercase();
    Ok(Some(Property {
        name: name.trim().to_string(),
        extract: Some(Extract::read(words.trim_start_matches('R').trim_start_matches(','), expression)?),
        options: options
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(str::to_string)
            .collect(),
        ..Property::default()
    }))
}

/// `name:from:to:options`.
fn string_property(text: &str) -> Result<Property, String> {
    if let Some(property) = string_extract(text)? {
        return Ok(property);
    }
    let mut pieces = text.splitn(4, ':');
    let mut piece = || pieces.next().unwrap_or_default().trim().to_string();
    let mut property = Property { name: piece(), from: piece(), to: piece(), ..Property::default() };
    let options = piece().to_ascii_lowercase();
    property.options =
        options.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_string).collect();
    if let Some(delimiter) = property.from.strip_prefix('F') {
        let code = delimiter.trim_start_matches(',').split(',').next().unwrap_or_default();
        let code: u32 =
            if code.is_empty() { 9 } else { code.parse().map_err(|_| "a field without a delimiter")? };
        let number = property.to.split(',').next().and_then(|number| number.trim().parse().ok());
        let delimiter = char::from_u32(code).ok_or("a field without a delimiter")?.to_string();
        property.field = Some((delimiter, number.ok_or("a field without a number")?));
        property.from.clear();
        property.to.clear();
    }
    Ok(property)
}

/// Reads the items of a list template.
pub(super) fn list(items: &[Statement]) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for item in items {
        let Node::Object { kind, parameters, .. } = &item.node else {
            return Err("a list template holds only constant() and property()".to_string());
        };
        let mut parameters = parameters.clone();
        match kind.as_str() {
            "constant" => {
                let text = parameters.take("value").unwrap_or_default();
                parts.push(match parameters.take("outname") {
                    Some(member) => Part::Property(Box::new(Property {
                        name: format!("={text}"),
                        member,
                        options: vec!["jsonf".to_string()],
                        ..Property::default()
                    })),
                    None => Part::Text(text),
                });
            }
            "property" => parts.push(Part::Property(Box::new(list_property(parameters)?))),
            other => return Err(format!("`{other}()` in a list template is not supported")),
        }
    }
    Ok(parts)
}

fn list_property(mut parameters: Parameters) -> Result<Property, String> {
    let mut property = Property {
        name: parameters.take("name").ok_or("a property without a name")?,
        from: parameters.take("position.from").unwrap_or_default(),
        to: parameters.take("position.to").unwrap_or_default(),
        ..Property::default()
    };
    property.member =
        parameters.take("outname").unwrap_or_else(|| property.name.trim_start_matches("$!").to_string());
    let mut option = |name: &str, make: fn(&str) -> String| {
        if let Some(value) = parameters.take(name) {
            property.options.push(make(&value.to_ascii_lowercase()));
        }
    };
    option("dateformat", |value| format!("date-{value}"));
    option("caseconversion", |value| format!("{value}case"));
    option("format", str::to_string);
    option("securepath", |value| format!("secpath-{value}"));
    option("controlcharacters", |value| format!("{value}-cc"));
    for (name, word) in [
        ("date.inutc", "date-utc"),
        ("droplastlf", "drop-last-lf"),
        ("spifno1stsp", "sp-if-no-1st-sp"),
        ("compressspace", "compressspace"),
    ] {
        if parameters.take(name).is_some_and(|value| is_on(&value)) {
            property.options.push(word.to_string());
        }
    }
    if let Some(expression) = parameters.take("regex.expression") {
        let mut taken = |name: &str| parameters.take(name).unwrap_or_default();
        let (kind, group, otherwise, nth) =
            (taken("regex.type"), taken("regex.submatch"), taken("regex.nomatchmode"), taken("regex.match"));
        property.extract = Some(Extract::read(&format!("{kind},{group},{otherwise},{nth}"), &expression)?);
    }
    if let Some(number) = parameters.take("field.number") {
        let code = parameters.take("field.delimiter").and_then(|code| code.parse().ok()).unwrap_or(9);
        let delimiter = char::from_u32(code).ok_or("a field without a delimiter")?.to_string();
        property.field = Some((delimiter, number.parse().map_err(|_| "a field without a number")?));
    }
    match parameters.unused().first() {
        Some(unknown) => Err(format!("`{unknown}` of a property is not supported")),
        None => Ok(property),
    }
}

/// Parts as one template. A template that builds JSON becomes `$(format-json)`, which escapes what needs it.
pub(super) fn convert(parts: &[Part], needs: &mut Needs) -> Result<Converted, String> {
    let is_json = |part: &Part| match part {
        Part::Property(property) => {
            ["json", "jsonf", "jsonr", "jsonfr"].iter().any(|option| property.has(option))
        }
        Part::Text(_) => false,
    };
    if parts.iter().any(is_json) {
        return shape::convert(parts, needs);
    }
    let mut converted = Converted::default();
    let mut rest = parts;
    while let Some((part, after)) = rest.split_first() {
        rest = after;
        match part {
            Part::Text(text) => converted.text.push_str(&text.replace('$', "$$")),
            Part::Property(property) => match idiom(property, after, needs) {
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
        // The digits behind the second are for the other times of the template.
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

pub(super) fn properties(parts: &[Part]) -> impl Iterator<Item = &Property> {
    parts.iter().filter_map(|part| match part {
        Part::Property(property) => Some(&**property),
        Part::Text(_) => None,
    })
}

/// What rsyslog needs several properties for, and how many of those behind the first belong to it.
fn idiom(first: &Property, after: &[Part], needs: &mut Needs) -> Option<(&'static str, usize)> {
    let is = |part: Option<&Part>, name: &str, option: &str| match part {
        Some(Part::Property(property)) => {
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

/// One property as text of our templates.
pub(super) fn one(
    property: &Property,
    converted: &mut Converted,
    needs: &mut Needs,
) -> Result<String, String> {
    let key = property.name.to_ascii_lowercase();
    if let Some(text) = property.name.strip_prefix('=') {
        return Ok(text.replace('$', "$$"));
    }
    let mut text = match property::time(&key) {
        Some(prefix) => time(property, prefix, converted, needs)?,
        None if key == "msg" && property.from == "2" && matches!(property.to.as_str(), "" | "$") => {
            converted.notes.push("${MESSAGE} has no blank in front that had to be cut off".to_string());
            return wrapped("${MESSAGE}".to_string(), property);
        }
        None => property::property(&property.name, needs)?.template,
    };
    if let Some((delimiter, number)) = &property.field {
        let missing = argument("**FIELD NOT FOUND**");
        text = format!("$(field {} {number} {text} {missing})", argument(delimiter));
    }
    if let Some(extract) = &property.extract {
        text = extract.of(&text)?;
    }
    // `%syslogtag:1:32%` stands in the old form of forwarded messages; tags are not cut here.
    let is_old_tag = key == "syslogtag" && property.from == "1" && property.to == "32";
    let is_whole = property.from.is_empty() && property.to.is_empty();
    if !is_whole && !is_old_tag {
        text = cut(&text, property)?;
    }
    wrapped(text, property)
}

/// `position.from` and `position.to`: counted from 1, the last one belongs to it.
fn cut(text: &str, property: &Property) -> Result<String, String> {
    let from: i64 = match property.from.as_str() {
        "" => 1,
        number => number.parse().map_err(|_| format!("position `{number}` is not supported"))?,
    };
    let start = (from - 1).max(0);
    match property.to.as_str() {
        "" | "$" => Ok(format!("$(substr {text} {start})")),
        number => {
            let to: i64 = number.parse().map_err(|_| format!("position `{number}` is not supported"))?;
            let (start, to) = if to >= 0 && to < from { ((to - 1).max(0), from) } else { (start, to) };
            let length = if to < 0 { to } else { to - start };
            Ok(format!("$(substr {text} {start} {length})"))
        }
    }
}

fn wrapped(mut text: String, property: &Property) -> Result<String, String> {
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
            // A message ends before its line feed here, and date formats are done.
            "drop-last-lf" | "json" | "jsonf" | "jsonr" | "jsonfr" | "mandatory" => text,
            date if date.starts_with("date-") => text,
            other => return Err(format!("option `{other}` of %{}% is not supported", property.name)),
        };
    }
    Ok(text)
}

/// A time in one of rsyslog's formats.
fn time(
    property: &Property,
    prefix: &str,
    converted: &mut Converted,
    needs: &mut Needs,
) -> Result<String, String> {
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
        "rfc3164" => "DATE",
        "rfc3164-buggyday" => {
            converted.notes.push("days have a blank in front, not a 0".to_string());
            "DATE"
        }
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
        "subseconds" => "USEC",
        "wdayname" => "WEEK_DAY_ABBREV",
        "wday" => return Ok(format!("$(- ${{{prefix}WEEK_DAY}} 1)")),
        "ordinal" => "YEAR_DAY",
        "week" => "WEEK",
        "iso-week" => "ISOWEEK",
        other => return Err(format!("date format `{other}` is not supported")),
    };
    Ok(macros(names))
}

/// A word of a template function that is read as it is: a pattern.
fn word(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A word of a template function.
pub(super) fn argument(text: &str) -> String {
    let is_plain =
        !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || "_.-/*".contains(one));
    match is_plain {
        true => text.to_string(),
        false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$")),
    }
}
