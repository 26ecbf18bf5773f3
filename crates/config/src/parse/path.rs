//! Log paths: steps, junctions, conditions, flags.
//!
//! In: tokens. Out: [`Path`]s.

use super::parser::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::Raw;
use crate::tree::{
    Arm, Branch, Condition, Filter, FilterLeaf, Flag, Junction, Kind, LogFlag, Name, Path, Reference, Step,
};
use crate::words::nearest;

/// The words that start a step.
const STEPS: &[&str] = &[
    "channel",
    "destination",
    "filter",
    "filterx",
    "flags",
    "if",
    "junction",
    "log",
    "parallelize",
    "parser",
    "rewrite",
    "source",
];

/// A step, or the flags of the path.
enum PathItem {
    Step(Step),
    Flags(Vec<Flag>),
}

impl Parser<'_> {
    /// Reads an optional name and the body after `log`.
    pub(super) fn log(&mut self, keyword: Span) -> Parsed<Path> {
        let name = match self.peek().kind {
            Token::Word(_) | Token::Text(_) => Some(self.name("the name of the path")?),
            _ => None,
        };
        Ok(Path { name, ..self.path(keyword)? })
    }

    /// Reads `{ steps }`.
    fn path(&mut self, keyword: Span) -> Parsed<Path> {
        let opening = self.expect('{')?;
        let (items, _) = self.deeper(opening, |parser| {
            parser.braced(opening, |parser, items| {
                if let Some(item) = parser.path_item()? {
                    items.push(item);
                    parser.expect_semicolon()?;
                }
                Ok(())
            })
        })?;
        let mut path = Path { name: None, steps: Vec::new(), flags: Vec::new(), span: keyword };
        for item in items {
            match item {
                PathItem::Step(step) => path.steps.push(step),
                PathItem::Flags(flags) => path.flags.extend(flags),
            }
        }
        Ok(path)
    }

    /// Reads one item of a path. `None`: a block was used, its body is next.
    fn path_item(&mut self) -> Parsed<Option<PathItem>> {
        let token = self.peek().clone();
        if token.keyword().as_deref() == Some("flags") {
            self.next();
            return Ok(Some(PathItem::Flags(self.log_flags()?)));
        }
        Ok(self.step()?.map(PathItem::Step))
    }

    /// Reads one step. `None`: a block was used, its body is next.
    pub(super) fn step(&mut self) -> Parsed<Option<Step>> {
        let token = self.peek().clone();
        let Some(key) = token.keyword() else { return Err(self.unexpected("a step of the path or `}`")) };
        self.next();
        Ok(Some(match key.as_str() {
            "source" => Step::Use(self.reference(Kind::Source, token.span)?),
            "destination" => Step::Use(self.reference(Kind::Destination, token.span)?),
            "parser" => Step::Use(self.reference(Kind::Parser, token.span)?),
            "rewrite" => Step::Use(self.reference(Kind::Rewrite, token.span)?),
            "filter" => Step::Filter(self.filter_step()?),
            "log" => Step::Log(self.deeper(token.span, |parser| parser.log(token.span))?),
            "channel" => Step::Channel(self.deeper(token.span, |parser| parser.log(token.span))?),
            "junction" => Step::Junction(self.junction(token.span)?),
            "if" => Step::If(self.condition(token.span)?),
            "parallelize" => {
                let name = Name { text: key, span: token.span };
                Step::Parallelize(self.call(name, None)?)
            }
            "filterx" => {
                let span = self.raw_body()?;
                Step::Later(Name { text: key, span: token.span }, Raw { span })
            }
            _ => {
                let name = Name { text: self.lexer.texts.slice(token.span).to_string(), span: token.span };
                if self.at('(') && self.expand(&["log"], &name)? {
                    return Ok(None);
                }
                return Err(self.unknown_step(&key, token.span));
            }
        }))
    }

    fn unknown_step(&mut self, key: &str, span: Span) -> Failed {
        let mut diagnostic = Diagnostic::error(span, format!("`{key}` cannot stand in a log path"));
        diagnostic = match (key, nearest(key, STEPS.iter().copied())) {
            ("elif" | "else", _) => {
                diagnostic.help("it follows the `}` of an `if` directly, without a `;` between them")
            }
            (_, Some(near)) => diagnostic.label(format!("did you mean `{near}`?")).unsupported(),
            (_, None) => {
                diagnostic.help(format!("a step starts with one of {}", STEPS.join(", "))).unsupported()
            }
        };
        self.error(diagnostic)
    }

    /// Reads `(name)` or `{ drivers }`.
    fn reference(&mut self, kind: Kind, keyword: Span) -> Parsed<Reference> {
        if self.at('{') {
            let opening = self.expect('{')?;
            return Ok(Reference::InPlace(kind, self.items(kind, opening)?, keyword));
        }
        Ok(Reference::Named(kind, self.reference_name(kind)?))
    }

    fn reference_name(&mut self, kind: Kind) -> Parsed<Name> {
        if !self.at('(') {
            return Err(self.unexpected("`(` and a name, or `{`"));
        }
        self.next();
        let name = self.name(&format!("the name of a {}", kind.word()))?;
        self.expect(')')?;
        Ok(name)
    }

    fn filter_step(&mut self) -> Parsed<Filter> {
        if self.at('{') {
            let opening = self.expect('{')?;
            return self.filter_body(opening);
        }
        let name = self.reference_name(Kind::Filter)?;
        let span = name.span;
        Ok(Filter::Leaf(FilterLeaf::Named(name), span))
    }

    fn junction(&mut self, keyword: Span) -> Parsed<Junction> {
        let opening = self.expect('{')?;
        let (branches, _) = self.deeper(opening, |parser| {
            parser.braced(opening, |parser, branches| {
                let token = parser.peek().clone();
                if !matches!(token.keyword().as_deref(), Some("channel" | "log")) {
                    return Err(parser.unexpected("`channel` or `}`"));
                }
                parser.next();
                branches.push(Branch { path: parser.log(token.span)? });
                parser.expect_semicolon()
            })
        })?;
        Ok(Junction { branches, span: keyword })
    }

    /// Reads a condition after `if`.
    fn condition(&mut self, keyword: Span) -> Parsed<Condition> {
        let mut arms = vec![self.arm(keyword)?];
        let mut otherwise = None;
        loop {
            let token = self.peek().clone();
            match token.keyword().as_deref() {
                Some("elif") => {
                    self.next();
                    arms.push(self.arm(token.span)?);
                }
                Some("else") => {
                    self.next();
                    otherwise = Some(self.path(token.span)?);
                    break;
                }
                _ => break,
            }
        }
        Ok(Condition { arms, otherwise, span: keyword })
    }

    fn arm(&mut self, keyword: Span) -> Parsed<Arm> {
        let test = if self.at('(') {
            let opening = self.expect('(')?;
            let test = self.deeper(opening, |parser| parser.filter_expression())?;
            self.expect(')')?;
            Some(test)
        } else {
            None
        };
        Ok(Arm { test, path: self.path(keyword)? })
    }

    fn log_flags(&mut self) -> Parsed<Vec<Flag>> {
        let opening = self.expect('(')?;
        let mut flags = Vec::new();
        while !self.at(')') {
            if self.take(',') {
                continue;
            }
            if self.at_end() {
                return Err(self.not_closed(opening, ')'));
            }
            let name = self.name("a flag of the log path")?;
            let key = name.key();
            match LogFlag::ALL.iter().find(|(word, _)| *word == key) {
                Some((_, flag)) => flags.push(Flag { flag: *flag, span: name.span }),
                None => {
                    let words = LogFlag::ALL.iter().map(|(word, _)| *word);
                    let told = format!("unknown flag `{}` of a log path: it changes nothing", name.text);
                    let mut diagnostic = Diagnostic::warning(name.span, told)
                        .help(format!("one of {}", words.clone().collect::<Vec<_>>().join(", ")));
                    if let Some(near) = nearest(&key, words) {
                        diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
                    }
                    self.warn(diagnostic);
                }
            }
        }
        self.expect(')')?;
        Ok(flags)
    }
}
