//! The pieces of an rsyslog template.
//!
//! In: the text of a string template, or the items of a list template. Out: constant text and properties with their
//! options.
//! Limits: a part that cannot be read fails the whole template, with the reason.

use crate::rsyslog::calls::{argument, extended, extracted};
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Node, Parameters, Statement, is_on};

/// A piece of a template.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    Property(Box<Property>),
}

/// A property with its options.
#[derive(Clone, Default, Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: String,
    /// Delimiter and number of a field.
    pub(crate) field: Option<(String, usize)>,
    /// The regular expression that takes a part out.
    pub(crate) extract: Option<Extract>,
    /// Options in lower case: `date-rfc3339`, `json`, `uppercase`.
    pub(crate) options: Vec<String>,
    /// The member of the object, for `jsonf`.
    pub(crate) member: String,
}

/// `R,ERE,1,DFLT,0:expression--end`.
#[derive(Clone, Default, Debug)]
pub(crate) struct Extract {
    expression: String,
    is_basic: bool,
    group: usize,
    nth: usize,
    /// `DFLT`, `BLANK`, `ZERO` or `FIELD`.
    otherwise: String,
}

impl Extract {
    /// Reads the words after `R,`, and takes the expression.
    fn read(words: &str, expression: &str) -> Converted<Extract> {
        let mut words = words.split(',').map(str::trim);
        let kind = words.next().unwrap_or_default().to_ascii_uppercase();
        let number = |what: &str, found: Option<&str>| match found.filter(|word| !word.is_empty()) {
            Some(word) => {
                word.parse().map_err(|_| Refusal::malformed(format!("`{word}` is no number of a {what}")))
            }
            None => Ok(0),
        };
        Ok(Extract {
            expression: expression.to_string(),
            is_basic: match kind.as_str() {
                "" | "BRE" => true,
                "ERE" => false,
                other => {
                    return Err(Refusal::unsupported_many(format!("regular expressions of type `{other}`")));
                }
            },
            group: number("group", words.next())?,
            otherwise: words.next().unwrap_or_default().to_ascii_uppercase(),
            nth: number("match", words.next())?,
        })
    }

    /// Returns a template of ours that takes the part out of `text`. Fails when the expression has an option that we do
    /// not have.
    pub(crate) fn of(&self, text: &str) -> Converted<String> {
        let expression = if self.is_basic { extended(&self.expression) } else { self.expression.clone() };
        let otherwise = match self.otherwise.as_str() {
            "" | "DFLT" => argument("**NO MATCH**"),
            "BLANK" => argument(""),
            "ZERO" => "0".to_string(),
            "FIELD" => text.to_string(),
            other => return Err(Refusal::unsupported(format!("`{other}` for texts without a match"))),
        };
        Ok(extracted(&expression, (self.nth, self.group), text, &otherwise))
    }
}

impl Property {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|known| known == option)
    }
}

/// Reads `text %property:from:to:options% text`.
pub(crate) fn parse(text: &str) -> Converted<Vec<Piece>> {
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
                let end = property_end(rest).ok_or(Refusal::Incomplete("a `%` is not closed"))?;
                if !constant.is_empty() {
                    parts.push(Piece::Text(std::mem::take(&mut constant)));
                }
                parts.push(Piece::Property(Box::new(string_property(&rest[..end])?)));
                letters = rest[end + 1..].chars();
            }
            other => constant.push(other),
        }
    }
    if !constant.is_empty() {
        parts.push(Piece::Text(constant));
    }
    Ok(parts)
}

/// Returns the offset of the `%` that ends a property; one inside a regular expression does not end it.
fn property_end(text: &str) -> Option<usize> {
    match text.split('%').next().is_some_and(|head| head.contains(":R,") || head.contains(":R:")) {
        true => text.find("--end").and_then(|end| text[end..].find('%').map(|at| end + at)),
        false => text.find('%'),
    }
}

/// Reads `name:R,words:expression--end:options`. `None`: it is another property.
fn string_extract(text: &str) -> Converted<Option<Property>> {
    let Some((name, rest)) = text.split_once(':') else { return Ok(None) };
    let Some((words, rest)) =
        rest.split_once(':').filter(|(words, _)| *words == "R" || words.starts_with("R,"))
    else {
        return Ok(None);
    };
    let (expression, options) =
        rest.split_once("--end").ok_or(Refusal::Incomplete("a regular expression without its `--end`"))?;
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

/// Reads `name:from:to:options`.
fn string_property(text: &str) -> Converted<Property> {
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
        // `F,44,2:3,7`: characters 2 to 7 of the third piece between commas.
        let (delimiter, to) = (delimiter.trim_start_matches(',').to_string(), property.to.clone());
        let (code, from) = delimiter.split_once(',').unwrap_or((&delimiter, ""));
        let (number, to) = to.split_once(',').unwrap_or((&to, ""));
        property.field = Some(field(code, number)?);
        (property.from, property.to) = (from.trim().to_string(), to.trim().to_string());
    }
    Ok(property)
}

/// Makes a template that is one variable with all that is below it.
pub(crate) fn subtree(name: String) -> Piece {
    Piece::Property(Box::new(Property { name, options: vec!["subtree".to_string()], ..Property::default() }))
}

/// Reads the delimiter of pieces, by its decimal code, and the number of a piece.
fn field(code: &str, number: &str) -> Converted<(String, usize)> {
    if code.ends_with('+') {
        return Err(Refusal::unsupported_many("delimiters that count as one when they follow each other"));
    }
    let code = if code.is_empty() { Some(9) } else { code.trim().parse::<u8>().ok() };
    let delimiter = code.ok_or(Refusal::Incomplete("a field without a delimiter"))?;
    let number = number.trim().parse().map_err(|_| Refusal::Incomplete("a field without a number"))?;
    Ok((char::from(delimiter).to_string(), number))
}

/// Reads the items of a list template.
pub(crate) fn list(items: &[Statement]) -> Converted<Vec<Piece>> {
    let mut parts = Vec::new();
    for item in items {
        let Node::Object { kind, parameters, .. } = &item.node else {
            return Err(Refusal::malformed("a list template holds only constant() and property()"));
        };
        let mut parameters = parameters.clone();
        match kind.as_str() {
            "constant" => {
                let text = parameters.take("value").unwrap_or_default();
                parts.push(match parameters.take("outname") {
                    Some(member) => Piece::Property(Box::new(Property {
                        name: format!("={text}"),
                        member,
                        options: vec!["jsonf".to_string()],
                        ..Property::default()
                    })),
                    None => Piece::Text(text),
                });
            }
            "property" => parts.push(Piece::Property(Box::new(list_property(parameters)?))),
            other => return Err(Refusal::unsupported(format!("`{other}()` in a list template"))),
        }
    }
    Ok(parts)
}

fn list_property(mut parameters: Parameters) -> Converted<Property> {
    let mut property = Property {
        name: parameters.take("name").ok_or(Refusal::Incomplete("a property without a name"))?,
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
        let delimiter =
            char::from_u32(code).ok_or(Refusal::Incomplete("a field without a delimiter"))?.to_string();
        property.field =
            Some((delimiter, number.parse().map_err(|_| Refusal::Incomplete("a field without a number"))?));
    }
    match parameters.unused().first() {
        Some(unknown) => Err(Refusal::unsupported(format!("`{unknown}` of a property"))),
        None => Ok(property),
    }
}

/// Returns the properties among the pieces.
pub(crate) fn properties(parts: &[Piece]) -> impl Iterator<Item = &Property> {
    parts.iter().filter_map(|part| match part {
        Piece::Property(property) => Some(&**property),
        Piece::Text(_) => None,
    })
}
