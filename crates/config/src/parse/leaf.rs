//! The tests of a filter expression.
//!
//! In: tokens. Out: [`FilterLeaf`]s with facilities, severities, pattern types and flags resolved.

use super::parser::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::{
    Arg, Call, Comparison, FacilitySet, Filter, FilterLeaf, Match, MatchFlag, MatchTarget, MatchType, Name,
    Operand, SeveritySet,
};
use crate::words::{FACILITIES, SEVERITIES, TYPES, facility, keyword, nearest, severity};

/// The tests that run, and those that are only known.
const TESTS: &[&str] = &[
    "facility",
    "filter",
    "host",
    "in-list",
    "level",
    "match",
    "message",
    "netmask",
    "netmask6",
    "priority",
    "program",
    "rate-limit",
    "selector",
    "severity",
    "source",
    "tags",
    "throttle",
];
const TESTS_LATER: &[&str] = &["cidr", "config-version", "python"];

/// Words between the sides of a comparison.
const OPERATORS: &[&str] =
    &["==", "!=", "===", "!==", "<", "<=", ">", ">=", "eq", "ne", "lt", "le", "gt", "ge"];

impl Parser<'_> {
    /// Reads one test.
    pub(super) fn filter_leaf(&mut self) -> Parsed<Filter> {
        let token = self.peek().clone();
        let Token::Word(word) = &token.kind else { return self.comparison(None) };
        if self.at_sign() {
            return Err(self.unexpected("a filter"));
        }
        let key = keyword(word);
        let name = Name { text: word.clone(), span: token.span };
        self.next();
        if !self.at('(') || TYPES.contains(&key.as_str()) {
            return self.comparison(Some(name));
        }
        if self.expand(&["filter"], &name)? {
            return self.deeper(name.span, |parser| parser.filter_one());
        }
        let call = self.call(name, None)?;
        let span = call.span;
        if key == "selector" {
            return self.selector(&call);
        }
        Ok(Filter::Leaf(self.test(&key, call)?, span))
    }

    fn test(&mut self, key: &str, call: Call) -> Parsed<FilterLeaf> {
        Ok(match key {
            "facility" => FilterLeaf::Facility(self.facilities(&call)?),
            "severity" | "level" | "priority" => FilterLeaf::Severity(self.severities(&call)?),
            "host" => FilterLeaf::Match(self.pattern(&call, Some("HOST"))?),
            "program" => FilterLeaf::Match(self.pattern(&call, Some("PROGRAM"))?),
            "message" => FilterLeaf::Match(self.pattern(&call, Some("MESSAGE"))?),
            "match" => FilterLeaf::Match(self.pattern(&call, None)?),
            "netmask" => FilterLeaf::Netmask(self.one(&call, "a network such as `10.0.0.0/8`")?),
            "netmask6" => FilterLeaf::Netmask6(self.one(&call, "a network such as `fe80::/10`")?),
            "tags" => FilterLeaf::Tags(self.several(&call, "a tag")?),
            "source" if call.options().next().is_none() => {
                FilterLeaf::Source(self.one(&call, "the name of a source")?)
            }
            "source" => {
                let has_type = call.option("type").is_some();
                let found = self.pattern(&call, Some("SOURCE"))?;
                FilterLeaf::Match(if has_type { found } else { Match { kind: MatchType::Text, ..found } })
            }
            "filter" => FilterLeaf::Named(self.one(&call, "the name of a filter")?),
            "in-list" => self.in_list(&call)?,
            "rate-limit" | "throttle" => self.rate_limit(&call)?,
            _ if TESTS_LATER.contains(&key) => FilterLeaf::Later(call),
            _ => return Err(self.unknown_test(key, &call)),
        })
    }

    fn unknown_test(&mut self, key: &str, call: &Call) -> Failed {
        let mut diagnostic =
            Diagnostic::error(call.name.span, format!("unknown filter `{}`", call.name.text));
        diagnostic = match nearest(key, TESTS.iter().copied()) {
            Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("one of {}", TESTS.join(", "))),
        };
        self.error(diagnostic.unsupported())
    }

    fn facilities(&mut self, call: &Call) -> Parsed<FacilitySet> {
        let set = self.codes(call, "facility", facility, FACILITIES.iter().map(|(name, _)| *name))?;
        Ok(FacilitySet(set))
    }

    fn severities(&mut self, call: &Call) -> Parsed<SeveritySet> {
        let known = SEVERITIES.iter().map(|(name, _)| *name);
        let set = self.codes(call, "severity", |name| severity(name).map(u32::from), known)?;
        Ok(SeveritySet(set as u8))
    }

    /// Reads a set of numbered names: lists and ranges.
    fn codes<'n>(
        &mut self,
        call: &Call,
        noun: &str,
        code: impl Fn(&str) -> Option<u32>,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Parsed<u32> {
        let mut set = 0u32;
        if call.args.is_empty() {
            return Err(self.needs(call, &format!("a {noun}")));
        }
        for arg in &call.args {
            let number = |parser: &mut Self, name: &str, span: Span| {
                code(name).ok_or_else(|| parser.unknown_code(noun, name, span, known.clone()))
            };
            match arg {
                Arg::Word(name) | Arg::Text(name) => set |= 1 << number(self, &name.text, name.span)?,
                Arg::Number(value, span) => set |= 1 << number(self, &value.to_string(), *span)?,
                Arg::Range(first, last) => {
                    let first = number(self, &first.text, first.span)?;
                    let last = number(self, &last.text, last.span)?;
                    set |= (first.min(last)..=first.max(last)).fold(0, |set, bit| set | 1 << bit);
                }
                other => {
                    return Err(
                        self.error(Diagnostic::error(other.span(), format!("expected the name of a {noun}")))
                    );
                }
            }
        }
        Ok(set)
    }

    fn unknown_code<'n>(
        &mut self,
        noun: &str,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Failed {
        let mut diagnostic = Diagnostic::error(span, format!("unknown {noun} `{name}`"))
            .help(format!("one of {}", known.clone().collect::<Vec<_>>().join(", ")));
        if let Some(near) = nearest(name, known) {
            diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
        }
        self.error(diagnostic.unsupported())
    }

    fn needs(&mut self, call: &Call, wanted: &str) -> Failed {
        self.error(Diagnostic::error(call.span, format!("`{}()` needs {wanted}", call.name.text)))
    }

    /// Returns all arguments as names.
    fn several(&mut self, call: &Call, wanted: &str) -> Parsed<Vec<Name>> {
        let mut names = Vec::new();
        for arg in &call.args {
            match self.as_name(arg) {
                Some(name) => names.push(name),
                None => {
                    return Err(self.error(Diagnostic::error(arg.span(), format!("expected {wanted}"))));
                }
            }
        }
        if names.is_empty() { Err(self.needs(call, wanted)) } else { Ok(names) }
    }

    /// Returns the only argument as a name.
    fn one(&mut self, call: &Call, wanted: &str) -> Parsed<Name> {
        let mut names = self.several(call, wanted)?;
        if let [_, extra, ..] = names.as_slice() {
            let message = format!("`{}()` takes one argument", call.name.text);
            return Err(self.error(Diagnostic::error(extra.span, message)));
        }
        Ok(names.remove(0))
    }

    fn as_name(&self, arg: &Arg) -> Option<Name> {
        match arg {
            Arg::Word(name) | Arg::Text(name) => Some(name.clone()),
            Arg::Number(_, span) | Arg::Float(_, span) => {
                Some(Name { text: self.lexer.texts.slice(*span).to_string(), span: *span })
            }
            _ => None,
        }
    }

    fn rate_limit(&mut self, call: &Call) -> Parsed<FilterLeaf> {
        const OPTIONS: &[&str] = &["rate", "template"];
        for option in call.options() {
            if !OPTIONS.contains(&option.key().as_str()) {
                let span = option.name.span;
                return Err(self.unknown_code("option", &option.name.text, span, OPTIONS.iter().copied()));
            }
        }
        let key = match call.option("template").cloned() {
            Some(option) => Some(self.one(&option, "a template")?),
            None => None,
        };
        let rate = call.option("rate").and_then(Call::number).and_then(|rate| u32::try_from(rate).ok());
        match rate.filter(|rate| *rate > 0) {
            Some(rate) if call.plain().next().is_none() => Ok(FilterLeaf::RateLimit { key, rate }),
            _ => Err(self.needs(call, "`rate(...)`: messages a second, at least 1")),
        }
    }

    fn in_list(&mut self, call: &Call) -> Parsed<FilterLeaf> {
        let file = call.plain().next().and_then(|arg| self.as_name(arg));
        let value = call.option("value").cloned();
        let (Some(file), Some(value)) = (file, value) else {
            return Err(self.needs(call, "a file and `value(\"NAME\")`"));
        };
        Ok(FilterLeaf::InList { file, value: self.one(&value, "the name of a value")? })
    }

    /// Reads `host()`, `program()`, `message()`, `match()`: a pattern with options.
    fn pattern(&mut self, call: &Call, field: Option<&str>) -> Parsed<Match> {
        let Some(pattern) = call.plain().next().and_then(|arg| self.as_name(arg)) else {
            return Err(self.needs(call, "a pattern"));
        };
        let mut found = Match {
            target: match field {
                Some(field) => MatchTarget::Value(Name { text: field.to_string(), span: call.name.span }),
                None => MatchTarget::Line,
            },
            pattern,
            kind: MatchType::Pcre,
            flags: Vec::new(),
        };
        if let Some(extra) = call.plain().nth(1) {
            let message = format!("`{}()` takes one pattern", call.name.text);
            return Err(self.error(Diagnostic::error(extra.span(), message)));
        }
        let known: &[&str] = match field {
            Some(_) => &["type", "flags"],
            None => &["type", "flags", "value", "template"],
        };
        for option in call.options() {
            match (option.key().as_str(), field) {
                ("type", _) => found.kind = self.match_type(option)?,
                ("flags", _) => found.flags = self.match_flags(option)?,
                ("value", None) => found.target = MatchTarget::Value(self.value_name(option)?),
                ("template", None) => found.target = MatchTarget::Template(self.one(option, "a template")?),
                (key, _) => return Err(self.unknown_match_option(key, option, known)),
            }
        }
        Ok(found)
    }

    /// Returns the name of a value; a `$` before it is not part of it.
    fn value_name(&mut self, option: &Call) -> Parsed<Name> {
        let mut name = self.one(option, "the name of a value")?;
        let bare = name.text.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
        if name.text.starts_with('$') {
            let bare = bare.to_string();
            self.warn(
                Diagnostic::warning(
                    name.span,
                    format!("`{}` is a macro where the name of a value belongs", name.text),
                )
                .help(format!("write {bare}")),
            );
            name.text = bare;
        }
        Ok(name)
    }

    fn unknown_match_option(&mut self, key: &str, option: &Call, known: &[&str]) -> Failed {
        let mut diagnostic =
            Diagnostic::error(option.name.span, format!("unknown option `{}`", option.name.text))
                .help(format!("one of {}", known.join(", ")));
        if let Some(near) = nearest(key, known.iter().copied()) {
            diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
        }
        self.error(diagnostic.unsupported())
    }

    fn match_type(&mut self, option: &Call) -> Parsed<MatchType> {
        let name = self.one(option, "a type of pattern")?;
        let key = name.key();
        if key == "posix" {
            self.warn(Diagnostic::posix_pattern(name.span));
            return Ok(MatchType::Pcre);
        }
        let found = MatchType::ALL.iter().find(|(word, _)| *word == key).map(|(_, kind)| *kind);
        found.ok_or_else(|| {
            self.unknown_code(
                "type of pattern",
                &name.text,
                name.span,
                MatchType::ALL.iter().map(|(word, _)| *word),
            )
        })
    }

    fn match_flags(&mut self, option: &Call) -> Parsed<Vec<MatchFlag>> {
        let mut flags = Vec::new();
        for arg in &option.args {
            let Some(name) = self.as_name(arg) else {
                return Err(self.error(Diagnostic::error(arg.span(), "expected a flag of a pattern")));
            };
            let key = name.key();
            match MatchFlag::ALL.iter().find(|(word, _)| *word == key) {
                Some((_, flag)) => flags.push(*flag),
                None => {
                    let known = MatchFlag::ALL.iter().map(|(word, _)| *word);
                    return Err(self.unknown_code("flag of a pattern", &name.text, name.span, known));
                }
            }
        }
        Ok(flags)
    }

    /// Reads `left op right`. The first word of the left side may have been consumed.
    fn comparison(&mut self, word: Option<Name>) -> Parsed<Filter> {
        let left = self.operand(word)?;
        let token = self.peek().clone();
        let key = match &token.kind {
            Token::Word(word) if self.lexer.in_expression() => word.to_ascii_lowercase(),
            Token::Word(word) => word.clone(),
            _ => String::new(),
        };
        let operator = match OPERATORS.contains(&key.as_str()) {
            true => Name { text: key, span: token.span },
            false => return Err(self.unexpected(&format!("an operator ({})", OPERATORS.join(", ")))),
        };
        self.next();
        let right = self.operand(None)?;
        let span = left.value.span().to(right.value.span());
        Ok(Filter::Leaf(FilterLeaf::Compare(Box::new(Comparison { left, operator, right })), span))
    }

    /// Returns true when a sign such as `==` is next, which in a standalone expression can only be an operator.
    fn at_sign(&mut self) -> bool {
        let is_sign = |word: &str| OPERATORS.contains(&word) && !word.starts_with(char::is_alphabetic);
        self.lexer.in_expression() && matches!(&self.peek().kind, Token::Word(word) if is_sign(word))
    }

    fn operand(&mut self, word: Option<Name>) -> Parsed<Operand> {
        if word.is_none() && self.at_sign() {
            return Err(self.unexpected("a value"));
        }
        let token = self.peek().clone();
        let name = match (word, token.kind) {
            (Some(name), _) => name,
            (None, Token::Word(text)) => {
                self.next();
                Name { text, span: token.span }
            }
            (None, Token::Text(text)) => {
                self.next();
                return Ok(Operand { cast: None, value: Arg::Text(Name { text, span: token.span }) });
            }
            (None, Token::Number(number)) => {
                self.next();
                return Ok(Operand { cast: None, value: Arg::Number(number, token.span) });
            }
            (None, Token::Float(number)) => {
                self.next();
                return Ok(Operand { cast: None, value: Arg::Float(number, token.span) });
            }
            _ => return Err(self.unexpected("a filter such as `facility()`, or a template to compare")),
        };
        if !self.at('(') {
            return Ok(Operand { cast: None, value: Arg::Word(name) });
        }
        if !TYPES.contains(&name.key().as_str()) {
            return Err(self.unknown_code("type", &name.text, name.span, TYPES.iter().copied()));
        }
        self.next();
        let value = self.name("a value")?;
        self.expect(')')?;
        Ok(Operand { cast: Some(name), value: Arg::Text(value) })
    }
}
