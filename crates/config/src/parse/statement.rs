//! Statements at the top of a configuration.
//!
//! In: tokens. Out: [`Statement`]s; the reader continues after a statement that cannot be read.

use super::parser::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::Raw;
use crate::tree::{
    Call, Item, Kind, Later, LogspaceView, Name, NamedFilter, Object, PythonCode, Statement, Template, Unread,
};
use crate::words::keyword;
use crate::words::nearest;

/// The words that start a statement.
const STATEMENTS: &[&str] = &[
    "application",
    "block",
    "destination",
    "filter",
    "filterx",
    "log",
    "logspace",
    "options",
    "parser",
    "python",
    "rewrite",
    "source",
    "template",
    "template-function",
    "transformation",
];

impl Parser<'_> {
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            if self.take(';') {
                continue;
            }
            if self.at_end() {
                return statements;
            }
            let keyword = self.peek().span;
            let (errors, count) = (self.lexer.report.error_count(), statements.len());
            self.object = None;
            match self.statement() {
                Ok(Some(statement)) => {
                    statements.push(statement);
                    if !self.take(';') {
                        self.unexpected("`;`");
                        self.skip_to_statement();
                    }
                }
                Ok(None) => {}
                Err(Failed) => self.skip_to_statement(),
            }
            if self.lexer.report.error_count() > errors {
                let statement = (statements.len() > count).then_some(count);
                self.note_unread(keyword, statement, errors);
            }
        }
    }

    /// Records a statement with errors; `before` is the number of errors before it.
    fn note_unread(&mut self, keyword: Span, statement: Option<usize>, before: usize) {
        let count = self.lexer.report.error_count() - before;
        let errors: Vec<&Diagnostic> = self.lexer.report.errors().skip(before).collect();
        self.unread.push(Unread {
            keyword,
            object: self.object.take(),
            statement,
            errors: count,
            is_unsupported: errors.len() == count && errors.iter().all(|error| error.is_unsupported),
            why: errors.first().map_or_else(String::new, |error| error.message.clone()),
        });
    }

    /// Reads one statement, without its `;`. `None`: a block was used, its body is next.
    fn statement(&mut self) -> Parsed<Option<Statement>> {
        let mark = self.mark();
        let token = self.peek().clone();
        let Some(key) = token.keyword() else { return Err(self.unexpected("a statement")) };
        let word = Name { text: key.clone(), span: token.span };
        self.next();
        Ok(Some(match key.as_str() {
            "source" => self.object(Kind::Source)?,
            "destination" => self.object(Kind::Destination)?,
            "parser" => self.object(Kind::Parser)?,
            "rewrite" => self.object(Kind::Rewrite)?,
            "filter" => self.named_filter()?,
            "template" => Statement::Template(self.template()?),
            "template-function" => Statement::TemplateFunction(self.template()?),
            "options" => self.global_options()?,
            "log" => Statement::Log(self.log(token.span)?),
            "logspace" => {
                let name = self.name("the name of the logspace")?;
                let opening = self.expect('{')?;
                Statement::Logspace(LogspaceView { name, options: self.option_list(opening, &[])? })
            }
            "block" => {
                let block = self.block(token.span)?;
                self.take_back(mark);
                block
            }
            "application" => {
                let application = self.application()?;
                self.take_back(mark);
                application
            }
            "filterx" => {
                self.name("the name of the filterx rule")?;
                self.later(word)?
            }
            "python" => Statement::Python(PythonCode { body: Raw { span: self.python_body()? } }),
            "transformation" => {
                self.name("the name of the transformation")?;
                self.expect('[')?;
                self.name("the topic of the transformation")?;
                self.expect(']')?;
                self.later(word)?
            }
            "include" => {
                let file = self.name("a file, a folder or a pattern")?;
                self.expect(';')?;
                self.take_back(mark);
                self.lexer.include(&file.text, file.span);
                return Ok(None);
            }
            _ => {
                let name = Name { text: self.lexer.texts.slice(token.span).to_string(), span: token.span };
                if self.expand(&["root"], &name)? {
                    return Ok(None);
                }
                return Err(self.unknown_statement(&key, token.span));
            }
        }))
    }

    fn unknown_statement(&mut self, key: &str, span: Span) -> Failed {
        let mut diagnostic = Diagnostic::error(span, format!("unknown statement `{key}`"));
        diagnostic = match nearest(key, STATEMENTS.iter().copied()) {
            Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("a statement starts with one of {}", STATEMENTS.join(", "))),
        };
        self.error(diagnostic.unsupported())
    }

    /// Skips a broken statement: up to its `;`, its closing brace, or the next statement's word.
    fn skip_to_statement(&mut self) {
        let mut depth = 0usize;
        loop {
            let token = self.peek().clone();
            match token.kind {
                Token::End => return,
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.next();
                        self.take(';');
                        return;
                    }
                }
                Token::Mark(';') if depth == 0 => {
                    self.next();
                    return;
                }
                Token::Word(word) if depth == 0 && STATEMENTS.contains(&keyword(&word).as_str()) => return,
                _ => {}
            }
            self.next();
        }
    }

    /// Reads an object after its keyword, such as `source`.
    fn object(&mut self, kind: Kind) -> Parsed<Statement> {
        let name = self.name(&format!("the name of the {}", kind.word()))?;
        self.object = Some((kind, name.clone()));
        let opening = self.expect('{')?;
        let items = self.items(kind, opening)?;
        Ok(Statement::Object(Object { kind, name, items }))
    }

    /// Reads the drivers of an object, up to and with the closing brace.
    pub(super) fn items(&mut self, kind: Kind, opening: Span) -> Parsed<Vec<Item>> {
        let (items, _) =
            self.deeper(opening, |parser| parser.braced(opening, |parser, items| parser.item(kind, items)))?;
        Ok(items)
    }

    fn item(&mut self, kind: Kind, items: &mut Vec<Item>) -> Parsed<()> {
        let token = self.peek().clone();
        match token.keyword().as_deref() {
            Some("channel" | "junction" | "if") => {
                if let Some(step) = self.step()? {
                    items.push(Item::Step(step));
                }
            }
            Some(_) => {
                let name = self.name("a driver")?;
                if self.expand(&[kind.word()], &name)? {
                    return Ok(());
                }
                if kind == Kind::Parser && name.key() == "app-parser" {
                    return self.use_applications(name);
                }
                items.push(Item::Call(self.call(name, Some(kind))?));
            }
            None => return Err(self.unexpected(&format!("a {} driver or `}}`", kind.word()))),
        }
        self.expect_semicolon()
    }

    fn named_filter(&mut self) -> Parsed<Statement> {
        let name = self.name("the name of the filter")?;
        self.object = Some((Kind::Filter, name.clone()));
        let opening = self.expect('{')?;
        let filter = self.filter_body(opening)?;
        Ok(Statement::Filter(NamedFilter { name, filter }))
    }

    /// Reads `NAME "text"` or `NAME { template("text"); ... }`.
    fn template(&mut self) -> Parsed<Template> {
        let name = self.name("the name of the template")?;
        self.object = Some((Kind::Template, name.clone()));
        if matches!(self.peek().kind, Token::Text(_) | Token::Word(_)) {
            let text = self.name("the template")?;
            let span = text.span;
            let call = Call {
                name: Name { text: "template".to_string(), span },
                args: vec![crate::tree::Arg::Text(text)],
                span,
            };
            return Ok(Template { name, options: vec![call] });
        }
        let opening = self.expect('{')?;
        let options = self.option_list(opening, &[])?;
        Ok(Template { name, options })
    }

    fn global_options(&mut self) -> Parsed<Statement> {
        let opening = self.expect('{')?;
        Ok(Statement::Options(self.option_list(opening, &["options"])?))
    }

    /// Reads `name(arguments); ...}`.
    fn option_list(&mut self, opening: Span, contexts: &[&str]) -> Parsed<Vec<Call>> {
        let (options, _) = self.braced(opening, |parser, options| {
            if !matches!(parser.peek().kind, Token::Word(_)) {
                return Err(parser.unexpected("an option or `}`"));
            }
            let name = parser.name("an option")?;
            if parser.expand(contexts, &name)? {
                return Ok(());
            }
            options.push(parser.call(name, None)?);
            parser.expect_semicolon()
        })?;
        Ok(options)
    }

    /// Reads a statement with a body that is kept unparsed.
    fn later(&mut self, keyword: Name) -> Parsed<Statement> {
        let span = self.raw_body()?;
        Ok(Statement::Later(Later { keyword, body: Raw { span } }))
    }
}
