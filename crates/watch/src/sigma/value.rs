//! Values of fields with their modifiers, as clauses.
//!
//! In: a field, its modifiers, a value. Out: a condition. Texts are compared without regard to case, `*` and `?` are
//! wildcards, a backslash escapes them and itself; regular expressions regard case. What a modifier asks is done or refused.

use super::{expression::Expression, refusal::SigmaRefusal};
use crate::read::{Content, Node, Quoting};
use query::{Glyph, Text};

/// Characters that tools take for the sign of an option.
const DASHES: [char; 5] = ['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'];

/// The modifiers of a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Modifiers {
    form: Form,
    all: Option<()>,
    cased: Option<()>,
    negated: Option<()>,
    windash: Option<()>,
    /// Flags of a regular expression.
    flags: String,
}

/// The comparison of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Form {
    #[default]
    Whole,
    Contains,
    StartsWith,
    EndsWith,
    Regex,
    Network,
    Exists,
    Compare(&'static str),
}

impl Modifiers {
    fn read(names: &[&str]) -> Result<Modifiers, SigmaRefusal> {
        let mut modifiers = Modifiers::default();
        for name in names {
            match *name {
                "contains" => modifiers.form = Form::Contains,
                "startswith" => modifiers.form = Form::StartsWith,
                "endswith" => modifiers.form = Form::EndsWith,
                "re" => modifiers.form = Form::Regex,
                "cidr" => modifiers.form = Form::Network,
                "exists" => modifiers.form = Form::Exists,
                "lt" => modifiers.form = Form::Compare("<"),
                "lte" => modifiers.form = Form::Compare("<="),
                "gt" => modifiers.form = Form::Compare(">"),
                "gte" => modifiers.form = Form::Compare(">="),
                "all" => modifiers.all = Some(()),
                "cased" => modifiers.cased = Some(()),
                "neq" => modifiers.negated = Some(()),
                "windash" => modifiers.windash = Some(()),
                "i" | "m" | "s" if modifiers.form == Form::Regex => modifiers.flags.push_str(name),
                other => return Err(SigmaRefusal::Modifier { name: other.to_owned() }),
            }
        }
        Ok(modifiers)
    }
}

/// Returns the condition of a field with its modifiers, as they are written, and its values.
pub(super) fn field(key: &str, values: &Node) -> Result<Expression, SigmaRefusal> {
    let mut parts = key.split('|');
    let name = parts.next().unwrap_or_default();
    let modifiers = Modifiers::read(&parts.collect::<Vec<_>>())?;
    let each = values.one_or_many().iter().map(|value| one(name, &modifiers, value));
    let each = each.collect::<Result<Vec<_>, _>>()?;
    let joined = match modifiers.all {
        Some(()) => Expression::All(each),
        None => Expression::Any(each),
    };
    Ok(if modifiers.negated.is_some() { Expression::not(joined) } else { joined })
}

/// Returns the condition of one value.
fn one(name: &str, modifiers: &Modifiers, value: &Node) -> Result<Expression, SigmaRefusal> {
    let refused = || SigmaRefusal::Value { value: value.shown() };
    let Content::Text { text, quoting } = &value.content else { return Err(refused()) };
    let plain = *quoting == Quoting::Plain;
    if plain && value.is_null() {
        // A field without a value; a text never is one.
        return match name {
            "" => Err(refused()),
            _ => Ok(Expression::not(Expression::Clause(format!("_exists_:{}", bare(name))))),
        };
    }
    if text.is_empty() {
        return Err(refused());
    }
    let clause = |test: &str| Expression::Clause(format!("{}:{test}", bare(name)));
    match modifiers.form {
        Form::Whole | Form::Contains | Form::StartsWith | Form::EndsWith => {
            let texts = match modifiers.windash {
                Some(()) => with_dashes(text),
                None => vec![text.clone()],
            };
            let each = texts.iter().map(|text| compared(name, modifiers, text)).collect();
            Ok(Expression::Any(each))
        }
        Form::Regex if name.is_empty() => Ok(Expression::Keyword(slashed("message", text, &modifiers.flags))),
        Form::Regex => Ok(Expression::Clause(slashed(&bare(name), text, &modifiers.flags))),
        _ if name.is_empty() => Err(refused()),
        Form::Network => match text.contains('/') {
            true => Ok(clause(&format!("\"{}\"", text.replace(['"', '\\'], "")))),
            false => Err(refused()),
        },
        Form::Exists => match text.as_str() {
            "true" => Ok(Expression::Clause(format!("_exists_:{}", bare(name)))),
            "false" => Ok(Expression::not(Expression::Clause(format!("_exists_:{}", bare(name))))),
            _ => Err(refused()),
        },
        Form::Compare(sign) => match text.parse::<f64>() {
            Ok(_) => Ok(clause(&format!("{sign}{text}"))),
            Err(_) => Err(refused()),
        },
    }
}

/// Returns the condition of a text with wildcards.
fn compared(name: &str, modifiers: &Modifiers, text: &str) -> Expression {
    let mut glyphs = glyphs(text);
    if matches!(modifiers.form, Form::Contains | Form::EndsWith) && glyphs.first() != Some(&Glyph::Run) {
        glyphs.insert(0, Glyph::Run);
    }
    if matches!(modifiers.form, Form::Contains | Form::StartsWith) && glyphs.last() != Some(&Glyph::Run) {
        glyphs.push(Glyph::Run);
    }
    if name.is_empty() {
        // A keyword is found anywhere in the text.
        let flags = if modifiers.cased.is_some() { "" } else { "i" };
        return Expression::Keyword(slashed("message", &pattern(trimmed(&glyphs)), flags));
    }
    if modifiers.cased.is_some() {
        return Expression::Clause(slashed(&bare(name), &format!("^(?s:{})$", pattern(&glyphs)), ""));
    }
    let mut written = String::new();
    Text { glyphs }.print_bare(&mut written);
    Expression::Clause(format!("{}:{written}", bare(name)))
}

/// Reads a text with wildcards.
fn glyphs(text: &str) -> Vec<Glyph> {
    let mut glyphs = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        glyphs.push(match c {
            '*' => Glyph::Run,
            '?' => Glyph::One,
            '\\' => match chars.next_if(|next| matches!(next, '*' | '?' | '\\')) {
                Some(escaped) => Glyph::Plain(escaped),
                None => Glyph::Plain('\\'),
            },
            plain => Glyph::Plain(plain),
        });
    }
    glyphs
}

/// Returns glyphs without the wildcards at both ends.
fn trimmed(glyphs: &[Glyph]) -> &[Glyph] {
    let first = glyphs.iter().position(|glyph| *glyph != Glyph::Run).unwrap_or(glyphs.len());
    let last = glyphs.iter().rposition(|glyph| *glyph != Glyph::Run).map_or(first, |last| last + 1);
    &glyphs[first..last]
}

/// Returns the regular expression of a text with wildcards.
fn pattern(glyphs: &[Glyph]) -> String {
    let mut pattern = String::new();
    for glyph in glyphs {
        match glyph {
            Glyph::Run => pattern.push_str(".*"),
            Glyph::One => pattern.push('.'),
            Glyph::Plain(c) => {
                if c.is_ascii_punctuation() {
                    pattern.push('\\');
                }
                pattern.push(*c);
            }
        }
    }
    pattern
}

/// Writes a clause with a regular expression.
fn slashed(name: &str, pattern: &str, flags: &str) -> String {
    let mut escaped = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                escaped.push('\\');
                escaped.extend(chars.next());
            }
            '/' => escaped.push_str("\\/"),
            other => escaped.push(other),
        }
    }
    let case = if flags.contains('i') { "i" } else { "" };
    let inline: String = flags.chars().filter(|flag| *flag != 'i').collect();
    let inline = if inline.is_empty() { inline } else { format!("(?{inline})") };
    format!("{name}:/{inline}{escaped}/{case}")
}

/// Returns a text with each sign of an option at the start of a word, and as it is.
fn with_dashes(text: &str) -> Vec<String> {
    let is_sign = |index: usize, c: char| {
        let before = text[..index].chars().next_back();
        matches!(c, '-' | '/') && before.is_none_or(|before| before == ' ')
    };
    let mut texts = vec![text.to_owned()];
    for dash in DASHES {
        let replaced: String =
            text.char_indices().map(|(index, c)| if is_sign(index, c) { dash } else { c }).collect();
        if !texts.contains(&replaced) {
            texts.push(replaced);
        }
    }
    texts
}

/// Writes the name of a field.
fn bare(name: &str) -> String {
    let mut written = String::new();
    Text::plain(name).print_bare(&mut written);
    written
}
