//! Reads a filter expression written as text: the condition of `$(if ...)` and `$(grep ...)`.
//!
//! In: `facility(local3) and "$PID" eq "1"`. Out: the expression. Holds: the position in the text.
//! Limits: [`DEPTH_MAX`] levels of nesting; `in-list()` needs a file and is refused here.

use super::{
    compare::{CompareOp, Comparison},
    expression::{DEPTH_MAX, Expr, FacilitySet, Filter, SeveritySet, Subject, Test},
    netmask::{Netmask, Netmask6},
    rate::RateLimit,
};
use message::{Facility, Field, FieldName, Severity};
use std::{fmt, sync::Arc};
use template::{
    Surroundings, Template, TypeHint,
    pattern::{Pattern, PatternFlags, PatternKind},
};

/// The definitions that an expression may refer to.
pub trait Names {
    /// Returns the definitions that its templates may refer to.
    fn surroundings(&self) -> &dyn Surroundings;
    /// Returns the filter of a name.
    fn filter(&self, name: &str) -> Option<Arc<Filter>>;
}

/// Error in the text of a filter expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterTextError {
    /// Byte of the text at which it is wrong.
    pub offset: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for FilterTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {} of the expression)", self.reason, self.offset)
    }
}

impl std::error::Error for FilterTextError {}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Word(String),
    Quoted(String),
    Sign(String),
    End,
}

/// Reads an expression.
pub fn parse(text: &str, names: &dyn Names) -> Result<Expr, FilterTextError> {
    let mut reader = Reader { text, next: 0, at: 0, token: Token::End, names };
    reader.advance()?;
    let expr = reader.or(0)?;
    match reader.token {
        Token::End => Ok(expr),
        _ => reader.wrong("the end of the expression expected"),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Offset at which reading continues.
    next: usize,
    /// Offset of the token.
    at: usize,
    token: Token,
    names: &'a dyn Names,
}

type Result<T, E = FilterTextError> = std::result::Result<T, E>;

impl Reader<'_> {
    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(FilterTextError { offset: self.at, reason: reason.into() })
    }

    fn advance(&mut self) -> Result<Token> {
        let rest = &self.text[self.next..];
        let blank = rest.len() - rest.trim_start().len();
        self.at = self.next + blank;
        let rest = &self.text[self.at..];
        let sign = ["===", "!==", "==", "!=", "<=", ">=", "..", "<", ">", "(", ")", ",", ";"];
        let (token, length) = match rest.chars().next() {
            None => (Token::End, 0),
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            Some(_) => match sign.into_iter().find(|sign| rest.starts_with(sign)) {
                Some(sign) => (Token::Sign(sign.to_owned()), sign.len()),
                None => {
                    let length = word_length(rest);
                    (Token::Word(rest[..length].to_owned()), length)
                }
            },
        };
        self.next = self.at + length;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn quoted(&self, quote: char) -> Result<(Token, usize)> {
        let mut value = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        loop {
            match chars.next() {
                None => return self.wrong("this quote is not closed"),
                Some((offset, char)) if char == quote => return Ok((Token::Quoted(value), offset + 2)),
                Some((_, '\\')) if quote == '"' => match escaped(chars.as_str()) {
                    Some((char, length)) => {
                        value.push(char);
                        chars.by_ref().take(length).for_each(drop);
                    }
                    None => return self.wrong("this quote is not closed"),
                },
                Some((_, char)) => value.push(char),
            }
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(&self.token, Token::Sign(found) if found == sign)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if !self.is_sign(sign) {
            return self.wrong(format!("{sign} expected"));
        }
        self.advance().map(drop)
    }

    fn or(&mut self, depth: usize) -> Result<Expr> {
        let mut parts = vec![self.and(depth)?];
        while self.is_word("or") {
            self.advance()?;
            parts.push(self.and(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn and(&mut self, depth: usize) -> Result<Expr> {
        let mut parts = vec![self.not(depth)?];
        while self.is_word("and") {
            self.advance()?;
            parts.push(self.not(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn not(&mut self, depth: usize) -> Result<Expr> {
        if depth > DEPTH_MAX {
            return self.wrong(format!("nested deeper than {DEPTH_MAX} levels"));
        }
        if self.is_word("not") {
            self.advance()?;
            return Ok(Expr::Not(Box::new(self.not(depth + 1)?)));
        }
        if self.is_sign("(") {
            self.advance()?;
            let inner = self.or(depth + 1)?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.test()
    }

    /// Reads a test like `program(...)`, or the left side of a comparison.
    fn test(&mut self) -> Result<Expr> {
        let start = self.at;
        let token = self.advance()?;
        let call = self.is_sign("(");
        match token {
            Token::Word(word) if call && TypeHint::from_name(&word).is_none() => {
                self.advance()?;
                let test = self.call(&word.replace('_', "-"), start)?;
                self.expect(")")?;
                Ok(Expr::Test(test))
            }
            Token::Word(_) | Token::Quoted(_) => {
                let left = self.side(token, start)?;
                self.comparison(left)
            }
            Token::Sign(_) | Token::End => {
                Err(FilterTextError { offset: start, reason: "a filter expected".to_owned() })
            }
        }
    }

    fn comparison(&mut self, left: Template) -> Result<Expr> {
        let operator = match &self.token {
            Token::Word(word) | Token::Sign(word) => CompareOp::from_text(&word.to_ascii_lowercase()),
            _ => None,
        };
        let Some(operator) = operator else {
            return self.wrong("a comparison like == or eq expected");
        };
        self.advance()?;
        let start = self.at;
        let token = self.advance()?;
        let right = self.side(token, start)?;
        let version = self.names.surroundings().version();
        let comparison = Comparison::new(Arc::new(left), operator, Arc::new(right), version);
        Ok(Expr::Test(Test::Compare(Arc::new(comparison))))
    }

    /// Reads one side of a comparison: a template, maybe in a type hint. A bare number is a whole number.
    fn side(&mut self, token: Token, start: usize) -> Result<Template> {
        let (text, hint) = match token {
            Token::Quoted(text) => (text, None),
            Token::Word(word) if self.is_sign("(") => {
                let hint = TypeHint::from_name(&word);
                self.advance()?;
                let text = self.text_argument()?;
                self.expect(")")?;
                (text, hint)
            }
            Token::Word(word) => {
                let hint = if word.parse::<i64>().is_ok() {
                    TypeHint::from_name("int")
                } else if word.parse::<f64>().is_ok() {
                    TypeHint::from_name("double")
                } else {
                    None
                };
                (word, hint)
            }
            _ => return Err(FilterTextError { offset: start, reason: "a value expected".to_owned() }),
        };
        let template = self.template(&text, start)?;
        Ok(match hint {
            Some(hint) => template.hinted(hint),
            None => template,
        })
    }

    fn template(&self, text: &str, offset: usize) -> Result<Template> {
        Template::parse(text, self.names.surroundings())
            .map_err(|error| FilterTextError { offset, reason: error.to_string() })
    }

    fn text_argument(&mut self) -> Result<String> {
        match self.advance()? {
            Token::Word(text) | Token::Quoted(text) => Ok(text),
            _ => self.wrong("a value expected"),
        }
    }

    fn list(&mut self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        while !self.is_sign(")") {
            if self.is_sign(",") {
                self.advance()?;
                continue;
            }
            found.push(self.text_argument()?);
        }
        Ok(found)
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Test> {
        let wrong = |reason: String| Err(FilterTextError { offset: start, reason });
        match name {
            "facility" => {
                let mut set = FacilitySet::default();
                self.ranges(facility, |first, last| set.add_range(first, last))?;
                Ok(Test::Facility(set))
            }
            "severity" | "level" | "priority" => {
                let mut set = SeveritySet::default();
                self.ranges(severity, |first, last| set.add_range(first, last))?;
                Ok(Test::Severity(set))
            }
            "program" => self.pattern(Subject::Field(FieldName::Fixed(Field::Program))),
            "host" => self.pattern(Subject::Field(FieldName::Fixed(Field::Host))),
            "message" => self.pattern(Subject::Field(FieldName::Fixed(Field::Message))),
            "match" => self.pattern(Subject::HeaderAndMessage),
            "source" => Ok(Test::Source(self.text_argument()?)),
            "tags" => Ok(Test::Tags(self.list()?)),
            "netmask" => match Netmask::parse(&self.text_argument()?) {
                Ok(network) => Ok(Test::Netmask(network)),
                Err(error) => wrong(error.to_string()),
            },
            "netmask6" => match Netmask6::parse(&self.text_argument()?) {
                Ok(network) => Ok(Test::Netmask6(network)),
                Err(error) => wrong(error.to_string()),
            },
            "filter" => {
                let name = self.text_argument()?;
                match self.names.filter(&name) {
                    Some(filter) => Ok(Test::Named { name, filter }),
                    None => wrong(format!("there is no filter {name}")),
                }
            }
            "rate-limit" | "throttle" => self.rate_limit(name, start),
            "in-list" => wrong("in-list() needs a file and cannot stand in a template".to_owned()),
            _ => wrong(format!("unknown filter {name}")),
        }
    }

    /// Reads `rate-limit(template("...") rate(100))`.
    fn rate_limit(&mut self, name: &str, offset: usize) -> Result<Test> {
        let (mut key, mut rate) = (Template::literal(""), None);
        while !self.is_sign(")") {
            let start = self.at;
            let option = self.text_argument()?;
            self.expect("(")?;
            let text = self.text_argument()?;
            self.expect(")")?;
            match option.as_str() {
                "template" => key = self.template(&text, start)?,
                "rate" => rate = text.parse().ok().filter(|rate| *rate > 0),
                _ => {
                    let reason = format!("unknown option {option}; known are template, rate");
                    return Err(FilterTextError { offset: start, reason });
                }
            }
        }
        match rate {
            Some(rate) => Ok(Test::RateLimit(Arc::new(RateLimit::new(Arc::new(key), rate)))),
            None => Err(FilterTextError { offset, reason: format!("{name} needs rate(...)") }),
        }
    }

    fn ranges<T: Copy>(&mut self, read: fn(&str) -> Option<T>, mut add: impl FnMut(T, T)) -> Result<()> {
        while !self.is_sign(")") {
            if self.is_sign(",") {
                self.advance()?;
                continue;
            }
            let first = self.code(read)?;
            let last = if self.is_sign("..") {
                self.advance()?;
                self.code(read)?
            } else {
                first
            };
            add(first, last);
        }
        Ok(())
    }

    fn code<T>(&mut self, read: fn(&str) -> Option<T>) -> Result<T> {
        let offset = self.at;
        let text = self.text_argument()?;
        read(&text).ok_or_else(|| FilterTextError { offset, reason: format!("unknown name {text}") })
    }

    fn pattern(&mut self, mut subject: Subject) -> Result<Test> {
        let offset = self.at;
        let text = self.text_argument()?;
        let (mut kind, mut flags) = (PatternKind::default(), PatternFlags::default());
        while !self.is_sign(")") {
            let start = self.at;
            let option = self.text_argument()?;
            self.expect("(")?;
            let fail = |reason: String| FilterTextError { offset: start, reason };
            match option.as_str() {
                "type" => {
                    let name = self.text_argument()?;
                    kind = PatternKind::from_name(&name)
                        .ok_or_else(|| fail(format!("unknown type {name}; known are pcre, string, glob")))?;
                }
                "flags" => {
                    for flag in self.list()? {
                        flags.set(&flag).map_err(|error| fail(error.to_string()))?;
                    }
                }
                "value" => subject = Subject::Field(FieldName::parse(&self.text_argument()?)),
                "template" => {
                    let text = self.text_argument()?;
                    subject = Subject::Template(Arc::new(self.template(&text, start)?));
                }
                _ => {
                    return Err(fail(format!(
                        "unknown option {option}; known are type, flags, value, template"
                    )));
                }
            }
            self.expect(")")?;
        }
        let pattern = Pattern::compile(&text, kind, flags)
            .map_err(|error| FilterTextError { offset, reason: error.to_string() })?;
        Ok(Test::Pattern { subject, pattern: Arc::new(pattern) })
    }
}

/// Returns the length of a word: up to a blank, a parenthesis, a comma, a comparison sign or `..`. Braces keep
/// what is in them together.
fn word_length(rest: &str) -> usize {
    let mut in_braces = false;
    let bytes = rest.as_bytes();
    let end = bytes.iter().enumerate().position(|(at, byte)| match byte {
        b'{' => {
            in_braces = true;
            false
        }
        b'}' => {
            in_braces = false;
            false
        }
        _ if in_braces => false,
        b'.' => bytes.get(at + 1) == Some(&b'.'),
        b'!' => bytes.get(at + 1) == Some(&b'='),
        b'(' | b')' | b',' | b';' | b'<' | b'>' | b'=' | b'"' | b'\'' => true,
        byte => byte.is_ascii_whitespace(),
    });
    // A sign that starts no operator is a token of its own.
    end.unwrap_or(rest.len()).max(rest.chars().next().map_or(0, char::len_utf8))
}

/// Reads the escape after a backslash in double quotes. Returns its value and the number of characters it takes.
fn escaped(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    let (radix, digits) = match first {
        'x' => (16, 2),
        'o' => (8, 3),
        'a' => return Some(('\x07', 1)),
        'n' => return Some(('\n', 1)),
        'r' => return Some(('\r', 1)),
        't' => return Some(('\t', 1)),
        'v' => return Some(('\x0b', 1)),
        other => return Some((other, 1)),
    };
    let code = text.get(1..=digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let code = code.and_then(|code| u8::from_str_radix(code, radix).ok());
    Some(code.map_or((first, 1), |code| (char::from(code), 1 + digits)))
}

fn facility(text: &str) -> Option<Facility> {
    text.parse().ok().map(Facility).or_else(|| Facility::from_name(text))
}

fn severity(text: &str) -> Option<Severity> {
    let number = text.parse().ok().filter(|code| *code < 8).map(Severity);
    number.or_else(|| Severity::from_name(text))
}
