//! Applications, which `app-parser()` recognizes in messages.
//!
//! In: `application NAME[TOPIC] { filter { ... }; parser { ... }; };`, and a use of `app-parser(topic(TOPIC))`.
//! Out: an [`Application`] remembered, and for a use a junction with one channel for each application of the topic, in
//! the order of their definitions, pushed on the lexer. The first that claims a message gives it `${.app.name}` and a
//! tag; a message that none claims fails the parser. With `allow-overlaps(yes)` every application sees every message,
//! one after the other, no tag is set and none has to claim it.
//! Limits: those of the lexer.

use std::sync::Arc;

use super::parser::{Failed, Parsed, Parser};
use super::record::quoted;
use crate::diagnostic::Diagnostic;
use crate::text::Span;
use crate::tree::{Application, Call, Kind, Name, Raw, Statement};
use crate::words::nearest;

/// The topic of an application whose bodies replace those that it lacks under other topics.
const ANY_TOPIC: &str = "*";

/// The options of `app-parser()`.
const OPTIONS: &[&str] =
    &["topic", "auto-parse", "auto-parse-exclude", "auto-parse-include", "allow-overlaps"];

/// The options of one `app-parser()`.
struct AppOptions {
    topic: Name,
    is_on: bool,
    /// True when every application of the topic may claim a message, not only the first.
    overlaps: bool,
    exclude: Vec<String>,
    include: Option<Vec<String>>,
}

impl AppOptions {
    fn takes(&self, application: &Application) -> bool {
        let name = &application.name.text;
        application.topic.text == self.topic.text
            && !self.exclude.contains(name)
            && self.include.as_ref().is_none_or(|include| include.contains(name))
    }
}

impl Parser<'_> {
    /// Reads `NAME[TOPIC] { filter { ... }; parser { ... }; }`.
    pub(super) fn application(&mut self) -> Parsed<Statement> {
        let name = self.name("the name of the application")?;
        self.expect('[')?;
        let topic = self.name("the topic of the application")?;
        self.expect(']')?;
        let opening = self.expect('{')?;
        let (bodies, _) = self.braced(opening, |parser, bodies| {
            let part = parser.name("`filter` or `parser`")?;
            if !matches!(part.key().as_str(), "filter" | "parser" | "filterx") {
                return Err(parser.error(
                    Diagnostic::error(part.span, format!("unexpected `{}` in an application", part.text))
                        .help("an application has a filter and a parser"),
                ));
            }
            let span = parser.raw_body()?;
            bodies.push((part, Raw { span }));
            parser.expect_semicolon()
        })?;
        let application = Application { name, topic, bodies };
        let is_same = |other: &Arc<Application>| {
            other.name.text == application.name.text && other.topic.text == application.topic.text
        };
        if let Some(first) = self.applications.iter().find(|other| is_same(other)) {
            let message = format!("application `{}` is defined again", application.name.text);
            let related = first.name.span;
            self.warn(
                Diagnostic::warning(application.name.span, message)
                    .related(related, "the first definition counts"),
            );
        } else {
            self.applications.push(Arc::new(application.clone()));
        }
        Ok(Statement::Application(application))
    }

    /// Reads the options after the word `app-parser`, and continues in the junction.
    pub(super) fn use_applications(&mut self, name: Name) -> Parsed<()> {
        let mark = self.mark().saturating_sub(1);
        let call = self.call(name, Some(Kind::Parser))?;
        self.take_back(mark);
        let options = self.app_options(&call)?;
        let applications: Vec<Arc<Application>> = match options.is_on {
            true => {
                self.applications.iter().filter(|application| options.takes(application)).cloned().collect()
            }
            false => Vec::new(),
        };
        if applications.is_empty() && options.is_on {
            let topics = self.applications.iter().map(|application| application.topic.text.as_str());
            let message = format!("there is no application of topic `{}`", options.topic.text);
            let diagnostic = Diagnostic::warning(options.topic.span, message);
            let diagnostic = match nearest(&options.topic.text, topics) {
                Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
                None if self.lexer.includes.is_empty() => {
                    diagnostic.help("ready-made applications come with `@include \"scl.conf\"`")
                }
                None => diagnostic,
            };
            self.warn(diagnostic);
        }
        let mut pieces = Pieces::default();
        if options.overlaps && options.is_on {
            pieces.glue("channel {\n");
            for application in &applications {
                pieces.glue("if {\n");
                self.bodies(application, &mut pieces);
                pieces.glue("};\n");
            }
            pieces.glue("}");
        } else {
            pieces.glue("channel { junction {\n");
            for application in &applications {
                self.claim(application, &mut pieces);
            }
            pieces.glue("channel { filter { tags(\".app.doesnotexist\"); }; flags(final); };\n}; }");
        }
        self.push_pieces(&call, pieces)
    }

    /// Adds the channel of one application, when only one may claim a message.
    fn claim(&self, application: &Application, pieces: &mut Pieces) {
        let name = &application.name.text;
        pieces.glue("channel {\n");
        self.bodies(application, pieces);
        pieces.glue(&format!(
            "rewrite {{ set-tag({}); set({} value(\".app.name\")); }}; flags(final); }};\n",
            quoted(&format!(".app.{name}")),
            quoted(name),
        ));
    }

    /// Adds the parts of an application: its filter and its parser.
    fn bodies(&self, application: &Application, pieces: &mut Pieces) {
        let name = &application.name.text;
        for part in ["filter", "filterx", "parser"] {
            let Some(body) = self.body(application, part) else { continue };
            pieces.glue(&format!("{part} {{"));
            pieces.0.push(Piece::Body(name.clone(), body));
            pieces.glue("};\n");
        }
    }

    /// Returns the body of an application, or of the one with its name under every topic.
    fn body(&self, application: &Application, part: &str) -> Option<Span> {
        let own = |application: &Application| {
            application.bodies.iter().find(|(name, _)| name.key() == part).map(|(_, raw)| raw.span)
        };
        let is_base = |other: &&Arc<Application>| {
            other.topic.text == ANY_TOPIC && other.name.text == application.name.text
        };
        own(application).or_else(|| own(self.applications.iter().find(is_base)?))
    }

    /// Pushes pieces so that the first is read first.
    fn push_pieces(&mut self, call: &Call, pieces: Pieces) -> Parsed<()> {
        for piece in pieces.0.into_iter().rev() {
            match piece {
                Piece::Glue(text) => {
                    let span = self.lexer.made(text, "app-parser()", call.name.span).ok_or(Failed)?;
                    self.lexer.read_on(span, "app-parser()", call.name.span);
                }
                Piece::Body(name, span) => {
                    self.lexer.read_on(span, &format!("application `{name}`"), call.name.span);
                }
            }
        }
        Ok(())
    }

    fn app_options(&mut self, call: &Call) -> Parsed<AppOptions> {
        for option in call.options() {
            if !OPTIONS.contains(&option.key().as_str()) {
                let message = format!("unknown option of app-parser(): `{}`", option.name.text);
                let diagnostic = Diagnostic::error(option.name.span, message);
                return Err(self.error(match nearest(&option.key(), OPTIONS.iter().copied()) {
                    Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("one of {}", OPTIONS.join(", "))),
                }));
            }
        }
        let topic = call.option("topic").and_then(|option| {
            let text = option.text().filter(|text| !text.is_empty())?;
            Some(Name { text: text.to_string(), span: option.args.first()?.span() })
        });
        let Some(topic) = topic else {
            let diagnostic = Diagnostic::error(call.name.span, "`app-parser()` needs `topic()`");
            return Err(self.error(diagnostic.help("topic(syslog)")));
        };
        let truth = |name: &str, default: bool| call.option(name).and_then(Call::truth).unwrap_or(default);
        let words = |name: &str| call.option(name).map(|option| split(&option.texts()));
        Ok(AppOptions {
            topic,
            is_on: truth("auto-parse", true),
            overlaps: truth("allow-overlaps", false),
            exclude: words("auto-parse-exclude").unwrap_or_default(),
            include: words("auto-parse-include").filter(|include| !include.is_empty()),
        })
    }
}

/// A part of the expansion of a use.
enum Piece {
    /// Text that is in no file.
    Glue(String),
    /// The body of an application, by its name.
    Body(String, Span),
}

/// The parts of one use.
#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn glue(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Glue(glue)) => glue.push_str(text),
            _ => self.0.push(Piece::Glue(text.to_string())),
        }
    }
}

/// Returns names that are written one by one, or several in one string.
fn split(texts: &[String]) -> Vec<String> {
    let names = texts.iter().flat_map(|text| text.split([' ', ',']));
    names.filter(|name| !name.is_empty()).map(str::to_string).collect()
}
