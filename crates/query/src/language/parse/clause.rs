//! One clause: a word, a phrase, a regular expression, a group, with or without its field.
//!
//! In: the cursor at its first character. Out: a node, the cursor after it.

use super::{
    Parser,
    cursor::{Cursor, ends_term},
};
use crate::language::{
    error::{Hint, QueryError},
    fields, times,
    tree::{Clause, Glyph, LetterCase, Node, NodeKind, Operator, ParameterPosition, Test, Text},
};
use std::net::Ipv6Addr;

impl Parser {
    pub(super) fn primary(&mut self) -> Result<Node, QueryError> {
        let start = self.cursor.skip_blanks();
        self.count_node()?;
        if starts_value(&self.cursor) {
            return self.value(start, None);
        }
        if let Some(name) = self.parameter(ParameterPosition::Word)? {
            return self.finish(start, None, Test::Phrase(Text::plain(&name), None));
        }
        let text = self.term(Start::Bare)?;
        if text.glyphs.is_empty() {
            return Err(self.unexpected());
        }
        let after = self.cursor.position();
        self.cursor.skip_blanks();
        if self.cursor.eat(':') {
            return self.field_value(start, text);
        }
        self.cursor.back_to(after);
        if self.comparison_follows(&text) {
            return self.value(start, Some(text));
        }
        self.hint_lower_case(start, after, &text);
        self.hint_equals(start, after, &text);
        self.after_term(start, None, text)
    }

    /// Parses the value after `field:`.
    fn field_value(&mut self, start: usize, field: Text) -> Result<Node, QueryError> {
        let value = self.cursor.skip_blanks();
        let name = field.shown();
        let reserved = ["AND", "OR", "NOT"].iter().any(|word| self.cursor.starts_with_word(word));
        if self.cursor.at_end() || self.cursor.peek() == Some(')') || reserved {
            let remedy = format!("write {name}:* for any value, or the value in quotes");
            return Err(QueryError::new(start, value - start, format!("no value after {name}:"), remedy));
        }
        if field.as_plain().as_deref() == Some("_exists_") {
            let text = self.term(Start::Value)?;
            if text.glyphs.is_empty() {
                return Err(self.unexpected());
            }
            return self.finish(start, None, Test::Exists(text));
        }
        if starts_value(&self.cursor) || self.cursor.peek() == Some('=') {
            return self.value(start, Some(field));
        }
        if let Some(name) = self.parameter(ParameterPosition::Word)? {
            return self.finish(start, Some(field), Test::Phrase(Text::plain(&name), None));
        }
        if let Some(text) = self.address_or_time() {
            return self.after_term(start, Some(field), text);
        }
        let text = self.term(Start::Value)?;
        if text.glyphs.is_empty() {
            return Err(self.unexpected());
        }
        self.after_term(start, Some(field), text)
    }

    /// Parses a value whose kind its first character shows.
    fn value(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        match self.cursor.peek() {
            Some('(') => self.group(start, field),
            Some('"') => self.phrase(start, field),
            Some('/') => self.regex(start, field),
            Some('[' | '{') => self.range(start, field),
            Some('<' | '>') => self.comparison(start, field),
            Some('=') => self.exact(start, field),
            _ => Err(self.unexpected()),
        }
    }

    fn group(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let open = self.cursor.position();
        self.cursor.advance(1);
        self.deeper(open)?;
        self.cursor.skip_blanks();
        if self.cursor.eat(')') {
            let length = self.cursor.position() - open;
            let remedy = "remove them, or write \\( and \\) to search for them";
            return Err(QueryError::new(open, length, "nothing between the parentheses", remedy));
        }
        if self.cursor.at_end() {
            return Err(unclosed(open));
        }
        let inner = self.chain(Operator::Or)?;
        self.cursor.skip_blanks();
        if self.cursor.at_end() {
            return Err(unclosed(open));
        }
        if !self.cursor.eat(')') {
            return Err(self.unexpected());
        }
        self.depth -= 1;
        let boost = self.boost()?;
        let kind = NodeKind::Group { field, inner: Box::new(inner), boost };
        Ok(Node { place: self.cursor.place_from(start), kind })
    }

    fn phrase(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let mut text = self.quoted()?;
        if self.cursor.eat('*') {
            // Other query languages write an unfinished last word as "first sec"*.
            text.glyphs.push(Glyph::Run);
        }
        let mut slop = None;
        let sign = self.cursor.position();
        if self.cursor.eat('~') {
            let digits = self.number();
            let Ok(moves) = digits.parse() else {
                let remedy = "for example \"port scan\"~5: at most five moves of a word";
                let message = "~ after a phrase needs a whole number";
                return Err(QueryError::new(sign, digits.len() + 1, message, remedy));
            };
            slop = Some(moves);
        }
        self.finish(start, field, Test::Phrase(text, slop))
    }

    /// Parses text in quotes with its wildcards, from the opening quote.
    pub(super) fn quoted(&mut self) -> Result<Text, QueryError> {
        let open = self.cursor.position();
        self.cursor.advance(1);
        let mut text = Text::default();
        loop {
            let glyph = match self.cursor.next() {
                Some('"') => return Ok(text),
                Some('\\') => Glyph::Plain(self.cursor.escaped()?),
                Some('*') => Glyph::Run,
                Some('?') => Glyph::One,
                Some(c) => Glyph::Plain(c),
                None => {
                    let remedy = "add \" at the end, or write \\\" to search for it";
                    return Err(QueryError::new(open, 1, "missing closing quote", remedy));
                }
            };
            text.glyphs.push(glyph);
        }
    }

    fn regex(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let open = self.cursor.position();
        self.cursor.advance(1);
        let mut pattern = String::new();
        loop {
            match self.cursor.next() {
                Some('/') => break,
                Some('\\') => {
                    pattern.push('\\');
                    pattern.extend(self.cursor.next());
                }
                Some(c) => pattern.push(c),
                None => {
                    let remedy = "add / at the end, or put the text in quotes to search for it as it is";
                    let message = "missing / that ends the regular expression";
                    return Err(QueryError::new(open, 1, message, remedy));
                }
            }
        }
        let case = if self.cursor.eat('i') { LetterCase::Ignored } else { LetterCase::Exact };
        let length = self.cursor.position() - open;
        if self.cursor.peek().is_some_and(|c| !ends_term(c)) {
            let remedy = "a path goes in quotes, \"/var/log\"; inside an expression write \\/ for /";
            let message = "text follows the end of the regular expression";
            return Err(QueryError::new(open, length + 1, message, remedy));
        }
        if pattern.is_empty() {
            let remedy = "write \\/\\/ to search for two slashes";
            return Err(QueryError::new(open, length, "an empty regular expression", remedy));
        }
        self.finish(start, field, Test::Regex { pattern, case })
    }

    /// A word with its wildcards.
    fn term(&mut self, start: Start) -> Result<Text, QueryError> {
        let mut text = Text::default();
        while let Some(c) = self.cursor.peek() {
            let sign = text.glyphs.is_empty() && start == Start::Bare && matches!(c, '+' | '-' | '!');
            let compared = start == Start::Bare && matches!(c, '<' | '>') && self.comparison_follows(&text);
            if ends_term(c) || sign || compared || self.cursor.starts_with("&&") {
                break;
            }
            self.cursor.advance(1);
            text.glyphs.push(match c {
                '\\' => Glyph::Plain(self.cursor.escaped()?),
                '*' => Glyph::Run,
                '?' => Glyph::One,
                c => Glyph::Plain(c),
            });
        }
        Ok(text)
    }

    /// Returns true if a comparison such as `name>=5` starts here: a name, a sign, then a number, a quote or `now`.
    /// After `>=` and `<=`, which are rare in text, a word is accepted too.
    fn comparison_follows(&self, name: &Text) -> bool {
        let named = name.as_plain().is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '@'))
        });
        if !named || !matches!(self.cursor.peek(), Some('<' | '>')) {
            return false;
        }
        let is_long = self.cursor.peek_at(1) == Some('=');
        let ahead = 1 + usize::from(is_long);
        match self.cursor.peek_at(ahead) {
            Some('-') => self.cursor.peek_at(ahead + 1).is_some_and(|c| c.is_ascii_digit()),
            Some('n') if !is_long => {
                self.cursor.peek_at(ahead + 1) == Some('o') && self.cursor.peek_at(ahead + 2) == Some('w')
            }
            Some('$') => self.cursor.peek_at(ahead + 1) == Some('{'),
            Some(c) => c.is_ascii_digit() || c == '"' || is_long && c.is_alphabetic(),
            None => false,
        }
    }

    /// An IPv6 address, a network or a time, whose colons need no quotes.
    fn address_or_time(&mut self) -> Option<Text> {
        let start = self.cursor.position();
        let mut end = start;
        while self.cursor.char_at(end).is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '"')) {
            end += 1;
        }
        let run = self.cursor.slice(start, end);
        let address = run.split('/').next().unwrap_or_default();
        let known = run.contains(':')
            && (address.parse::<Ipv6Addr>().is_ok() || times::parse_time(&run, 0, 0).is_some());
        known.then(|| {
            self.cursor.advance(end - start);
            Text::plain(&run)
        })
    }

    /// `~1` and `^2` after a word, in either order: Lucene's grammar is `Term [Fuzzy] [^boost [Fuzzy]]`.
    fn after_term(&mut self, start: usize, field: Option<Text>, text: Text) -> Result<Node, QueryError> {
        let early = self.early_boost()?;
        let sign = self.cursor.position();
        if !self.cursor.eat('~') {
            if field.is_none() && text.glyphs == [Glyph::Run] && self.cursor.peek() != Some('^') {
                return Ok(Node { place: self.cursor.place_from(start), kind: NodeKind::All });
            }
            return self.finish(start, field, Test::Term(text));
        }
        let distance = self.number();
        let length = distance.len() + 1;
        if text.has_wildcard() {
            let message = "a word with wildcards cannot be fuzzy too";
            return Err(QueryError::new(sign, length, message, "leave out one of the two"));
        }
        let value: f64 = if distance.is_empty() { 2.0 } else { distance.parse().unwrap_or(f64::NAN) };
        if value.is_nan() || value > 2.0 || (value > 1.0 && value.fract() != 0.0) {
            let message = "the distance of a fuzzy word is 0, 1 or 2 edits";
            return Err(QueryError::new(sign, length, message, "write ~1 or ~2, or ~ alone for 2"));
        }
        match early {
            None => self.finish(start, field, Test::Fuzzy(text, distance)),
            Some(boost) => self.boosted(start, field, Test::Fuzzy(text, distance), Some(boost)),
        }
    }

    /// The boost before `~`; nothing is read when no `~` follows.
    fn early_boost(&mut self) -> Result<Option<String>, QueryError> {
        let start = self.cursor.position();
        let mut end = start + 1;
        while self.cursor.char_at(end).is_some_and(|c| c.is_ascii_digit() || c == '.') {
            end += 1;
        }
        match self.cursor.char_at(end) {
            Some('~') if self.cursor.peek() == Some('^') => self.boost(),
            _ => Ok(None),
        }
    }

    /// The boost, the end of the clause, and what may not follow it.
    pub(super) fn finish(
        &mut self,
        start: usize,
        field: Option<Text>,
        test: Test,
    ) -> Result<Node, QueryError> {
        let boost = self.boost()?;
        self.boosted(start, field, test, boost)
    }

    fn boosted(
        &mut self,
        start: usize,
        field: Option<Text>,
        test: Test,
        boost: Option<String>,
    ) -> Result<Node, QueryError> {
        if matches!(self.cursor.peek(), Some(':' | '~' | '^')) {
            return Err(self.unexpected());
        }
        let kind = NodeKind::Clause(Clause { field, test, boost });
        Ok(Node { place: self.cursor.place_from(start), kind })
    }

    fn boost(&mut self) -> Result<Option<String>, QueryError> {
        let start = self.cursor.position();
        if !self.cursor.eat('^') {
            return Ok(None);
        }
        let number = self.number();
        if number.parse::<f64>().is_err() {
            let remedy = "write \\^ to search for the character";
            return Err(QueryError::new(start, number.len() + 1, "^ needs a number after it", remedy));
        }
        let message = "boosts change nothing here: rows come newest first".to_owned();
        self.hints.push(Hint { position: start, length: number.len() + 1, message });
        Ok(Some(number))
    }

    fn number(&mut self) -> String {
        let start = self.cursor.position();
        while self.cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
            self.cursor.advance(1);
        }
        self.cursor.slice(start, self.cursor.position())
    }

    /// Adds a hint: `host=h` is a word of the text, but the user may mean the field.
    fn hint_equals(&mut self, start: usize, end: usize, text: &Text) {
        let Some(written) = text.as_plain() else { return };
        let Some((name, value)) = written.split_once('=') else { return };
        if value.is_empty() || !fields::is_fixed(name) {
            return;
        }
        let message = format!("{written} is looked for in the text; for the field write {name}:{value}");
        self.hints.push(Hint { position: start, length: end - start, message });
    }

    fn hint_lower_case(&mut self, start: usize, end: usize, text: &Text) {
        let advice = match text.shown().as_str() {
            "and" => "\"and\" in lower case is a word; write AND to join",
            "or" => "\"or\" in lower case is a word; write OR for either",
            "not" => "\"not\" in lower case is a word; write NOT to leave out",
            _ => return,
        };
        self.hints.push(Hint { position: start, length: end - start, message: advice.to_owned() });
    }
}

/// The position of a word: a bare one cannot start with a sign, and may turn out to be the name before `>=`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Bare,
    Value,
}

/// Returns true if the next character starts a value that is not a word.
fn starts_value(cursor: &Cursor) -> bool {
    matches!(cursor.peek(), Some('(' | '"' | '/' | '[' | '{' | '<' | '>'))
}

fn unclosed(open: usize) -> QueryError {
    let remedy = "add ) at the end, or write \\( to search for it";
    QueryError::new(open, 1, "missing closing parenthesis", remedy)
}
