//! Templates that build JSON by hand, as `$(format-json)`.
//!
//! In: parts such as `{"message":"`, `%msg:::json%`, `"}`. Out: a template that prints the same object.
//! Limits: one object; lists inside of it are not supported.

use super::piece::{Piece, Property};
use super::printed::{PrintedTemplate, one};
use super::property::Needs;
use crate::limits::NESTING_MAX;
use crate::rsyslog::calls::{argument, in_quotes};
use crate::rsyslog::refusal::{Converted, Refusal};

/// A piece of the text.
#[derive(Clone, Copy)]
enum Item<'p> {
    Letter(char),
    Property(&'p Property),
}

/// One member: its path, its type, its template.
struct JsonMember {
    path: String,
    kind: &'static str,
    value: String,
}

struct Reader<'p, 'n> {
    items: Vec<Item<'p>>,
    position: usize,
    members: Vec<JsonMember>,
    converted: PrintedTemplate,
    needs: &'n mut Needs,
}

/// Converts a template whose properties are escaped for JSON.
pub(crate) fn convert(parts: &[Piece], needs: &mut Needs) -> Converted<PrintedTemplate> {
    let mut items = Vec::new();
    for part in parts {
        match part {
            Piece::Text(text) => items.extend(text.chars().map(Item::Letter)),
            Piece::Property(property) => items.push(Item::Property(property)),
        }
    }
    let mut reader =
        Reader { items, position: 0, members: Vec::new(), converted: PrintedTemplate::default(), needs };
    reader.object("", 0)?;
    let tail: String = reader.items[reader.position..]
        .iter()
        .map(|item| match item {
            Item::Letter(letter) => *letter,
            Item::Property(_) => '%',
        })
        .collect();
    if !tail.trim().is_empty() {
        return Err(Refusal::unsupported("text behind the JSON object"));
    }
    let mut text = String::from("$(format-json --scope none");
    for member in &reader.members {
        let value = match member.kind {
            "" => member.value.clone(),
            kind => format!("{kind}({})", member.value),
        };
        text.push_str(&format!(" {}={}", argument(&member.path), one_word(&value)));
    }
    text.push(')');
    text.push_str(&tail);
    reader
        .converted
        .notes
        .push("the JSON is made by $(format-json): the same members, sorted by name".to_string());
    Ok(PrintedTemplate { text, ..reader.converted })
}

/// Prints a template as one word of a template function.
fn one_word(text: &str) -> String {
    match text.contains([' ', '"', '\\', '\t', '\n']) || text.is_empty() {
        true => in_quotes(text),
        false => text.to_string(),
    }
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<Item<'_>> {
        self.items.get(self.position).copied()
    }

    fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(Item::Letter(letter)) if letter.is_whitespace()) {
            self.position += 1;
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = matches!(self.peek(), Some(Item::Letter(letter)) if letter == wanted);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Converted<()> {
        self.skip_blank();
        match self.take(wanted) {
            true => Ok(()),
            false => Err(Refusal::malformed("the text around the properties is not one JSON object")),
        }
    }

    fn object(&mut self, prefix: &str, depth: usize) -> Converted<()> {
        if depth > NESTING_MAX {
            return Err(Refusal::too_large("the JSON is nested too deep"));
        }
        self.expect('{')?;
        loop {
            self.skip_blank();
            if self.take(',') {
                continue;
            }
            if self.take('}') {
                return Ok(());
            }
            // A property in the format `jsonf` has its own name.
            if let Some(Item::Property(property)) = self.items.get(self.position).copied() {
                self.position += 1;
                let value = one(property, &mut self.converted, self.needs)?;
                self.members.push(JsonMember {
                    path: format!("{prefix}{}", property.member),
                    kind: "",
                    value,
                });
                continue;
            }
            let name = self.string()?;
            self.expect(':')?;
            self.skip_blank();
            self.value(format!("{prefix}{name}"), depth)?;
        }
    }

    fn value(&mut self, path: String, depth: usize) -> Converted<()> {
        let member = match self.items.get(self.position).copied() {
            Some(Item::Letter('{')) => return self.object(&format!("{path}."), depth + 1),
            Some(Item::Letter('"')) => JsonMember { path, kind: "", value: self.string()? },
            Some(Item::Property(property)) => {
                self.position += 1;
                let value = one(property, &mut self.converted, self.needs)?;
                JsonMember { path, kind: "int64", value }
            }
            Some(Item::Letter(_)) => self.literal(path)?,
            None => return Err(Refusal::malformed("the text around the properties is not one JSON object")),
        };
        self.members.push(member);
        Ok(())
    }

    /// Reads a number, `true` or `false`.
    fn literal(&mut self, path: String) -> Converted<JsonMember> {
        let mut word = String::new();
        while let Some(Item::Letter(letter)) = self.peek() {
            if !letter.is_ascii_alphanumeric() && !"+-.".contains(letter) {
                break;
            }
            word.push(letter);
            self.position += 1;
        }
        let kind = match word.as_str() {
            "true" | "false" => "boolean",
            number if number.parse::<i64>().is_ok() => "int64",
            number if number.parse::<f64>().is_ok() => "double",
            _ => return Err(Refusal::unsupported_many("lists and null in JSON")),
        };
        Ok(JsonMember { path, kind, value: word })
    }

    /// Converts a string of JSON, which may contain properties, to a template.
    fn string(&mut self) -> Converted<String> {
        self.expect('"')?;
        let mut out = String::new();
        loop {
            let item = self.items.get(self.position).copied();
            self.position += 1;
            match item {
                Some(Item::Letter('"')) => return Ok(out),
                Some(Item::Letter('\\')) => {
                    let Some(Item::Letter(letter)) = self.peek() else {
                        return Err(Refusal::malformed("a backslash before a property in JSON"));
                    };
                    self.position += 1;
                    out.push(match letter {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'u' => return Err(Refusal::unsupported_many("characters by number in JSON")),
                        other => other,
                    });
                }
                Some(Item::Letter('$')) => out.push_str("$$"),
                Some(Item::Letter(letter)) => out.push(letter),
                Some(Item::Property(property)) => {
                    let text = one(property, &mut self.converted, self.needs)?;
                    out.push_str(&text);
                }
                None => return Err(Refusal::Incomplete("a string in JSON is not closed")),
            }
        }
    }
}
