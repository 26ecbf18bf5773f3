//! The meaning of each element of the format, by the element around it.
//!
//! In: starts, texts and ends of elements. Out: changes of the database being read. Holds: nothing of its own.
//! Limits: an element in the wrong position is an error.

use super::loader::{DatabaseHead, ElementKind, Loader};
use crate::{
    correlation::{Inherit, Scope, Synthetic},
    filter::{self, Filter},
    patterndb::{
        markup::LoadError,
        model::{Action, Content, Example, Rate, Rule, TestValue, Trigger},
    },
};
use message::FieldName;
use std::sync::Arc;
use template::{Template, TypeHint};

type Attributes = [(String, String)];

fn attribute<'x>(attributes: &'x Attributes, name: &str) -> Option<&'x str> {
    attributes.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Reads a number at the start of a text, as C reads it: 0 when there is none.
fn leading_number(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    sign * digits[..end].parse::<i64>().unwrap_or(0)
}

impl Loader<'_> {
    pub(super) fn start(&mut self, name: &str, attributes: &Attributes) -> Result<(), LoadError> {
        let state = match self.open.last().copied() {
            None => self.patterndb(name, attributes)?,
            Some(ElementKind::Patterndb) if name == "ruleset" => {
                self.has_rulesets = true;
                ElementKind::Ruleset
            }
            Some(ElementKind::Ruleset) => match name {
                "patterns" | "urls" => ElementKind::Ruleset,
                "rules" => ElementKind::Rules,
                "pattern" => ElementKind::Program,
                "url" | "description" => ElementKind::Prose,
                _ => {
                    return self
                        .unexpected(name, "<rules>, <urls>, <url>, <description>, <patterns> or <pattern>");
                }
            },
            Some(ElementKind::Rules) if name == "rule" => self.rule(attributes)?,
            Some(ElementKind::Rule) => match name {
                "patterns" | "tags" | "values" | "urls" => ElementKind::Rule,
                "pattern" => ElementKind::Pattern,
                "tag" => ElementKind::Tag,
                "value" => self.value(attributes)?,
                "url" | "description" => ElementKind::Prose,
                "actions" => ElementKind::Actions,
                "examples" => ElementKind::Examples,
                _ => return self.unexpected(name, "<patterns>, <pattern>, <tags>, <tag> or <actions>"),
            },
            Some(ElementKind::Examples) if name == "example" => {
                self.example = Some(Example { rule: self.rules.len() - 1, ..Example::default() });
                ElementKind::Example
            }
            Some(ElementKind::Example) => match name {
                "test_message" => {
                    if let Some(example) = &mut self.example {
                        let program = attribute(attributes, "program").map(str::to_owned);
                        example.program = program.or_else(|| example.program.take());
                    }
                    ElementKind::TestMessage
                }
                "test_values" => ElementKind::TestValues,
                _ => return self.unexpected(name, "<test_message> or <test_values>"),
            },
            Some(ElementKind::TestValues) if name == "test_value" => {
                self.value(attributes)?;
                ElementKind::TestValue
            }
            Some(ElementKind::Actions) if name == "action" => self.action(attributes)?,
            Some(ElementKind::Action) => match name {
                "message" => self.message(attributes)?,
                "create-context" => self.create_context(attributes)?,
                _ => return self.unexpected(name, "<message> or <create-context>"),
            },
            Some(ElementKind::CreateContext) if name == "message" => self.message(attributes)?,
            Some(ElementKind::Message) => match name {
                "values" | "tags" => ElementKind::Message,
                "value" => self.value(attributes)?,
                "tag" => ElementKind::Tag,
                _ => return self.unexpected(name, "<values>, <value>, <tags> or <tag>"),
            },
            Some(state) => return self.unexpected(name, expected(state)),
        };
        self.open.push(state);
        Ok(())
    }

    fn unexpected<T>(&mut self, name: &str, expected: &str) -> Result<T, LoadError> {
        Err(self.markup.error(format!("Unexpected <{name}> tag, expected {expected}")))
    }

    fn patterndb(&mut self, name: &str, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        if name != "patterndb" {
            return self.unexpected(name, "a <patterndb>");
        }
        let version = attribute(attributes, "version").unwrap_or("4");
        match leading_number(version) {
            ..2 => {
                let reason = format!("patterndb version {version} is too old: versions 2 to 6 are read");
                return Err(self.markup.error(reason));
            }
            7.. => {
                let reason = format!("patterndb version {version} is too new: versions 2 to 6 are read");
                return Err(self.markup.error(reason));
            }
            _ => {}
        }
        let pub_date = attribute(attributes, "pub_date").unwrap_or_default().to_owned();
        self.database = Some(DatabaseHead { version: version.to_owned(), pub_date });
        Ok(ElementKind::Patterndb)
    }

    fn rule(&mut self, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        let Some(id) = attribute(attributes, "id") else {
            return Err(self.markup.error("No id attribute for rule element"));
        };
        let class = attribute(attributes, "class").map(str::to_owned);
        let tag = format!(".classifier.{}", class.as_deref().unwrap_or("system"));
        let context = match attribute(attributes, "context-id") {
            Some(text) => Some(self.template(text, "context-id")?),
            None => None,
        };
        let rule = Rule {
            id: id.to_owned(),
            class,
            gives: Synthetic { tags: vec![tag], ..Synthetic::default() },
            context,
            context_timeout_s: leading_number(attribute(attributes, "context-timeout").unwrap_or("0")),
            context_scope: self.scope(attributes)?,
            actions: Vec::new(),
        };
        self.rules.push(rule);
        Ok(ElementKind::Rule)
    }

    fn scope(&mut self, attributes: &Attributes) -> Result<Scope, LoadError> {
        let Some(name) = attribute(attributes, "context-scope") else { return Ok(Scope::default()) };
        Scope::from_name(name).ok_or_else(|| {
            let known = Scope::NAMES.join(", ");
            self.markup.error(format!("Unknown context scope {name}: known are {known}"))
        })
    }

    fn template(&mut self, text: &str, what: &str) -> Result<Arc<Template>, LoadError> {
        let around = self.around;
        Template::parse(text, around).map(Arc::new).map_err(|error| {
            let rule = self.rules.last().map_or("", |rule| rule.id.as_str());
            let reason = format!("Error compiling {what}, rule={rule}, text={text}, error={error}");
            self.markup.error(reason)
        })
    }

    fn value(&mut self, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        let Some(name) = attribute(attributes, "name") else {
            let rule = self.rules.last().map_or("", |rule| rule.id.as_str());
            let reason = format!("a value misses its name attribute in rule {rule}");
            return Err(self.markup.error(reason));
        };
        self.value = (name.to_owned(), attribute(attributes, "type").map(str::to_owned));
        Ok(ElementKind::Value)
    }

    fn action(&mut self, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        let trigger = match attribute(attributes, "trigger") {
            None => Trigger::Match,
            Some("match") => Trigger::Match,
            Some("timeout") => Trigger::Timeout,
            Some(other) => return Err(self.markup.error(format!("Unknown trigger type: {other}"))),
        };
        let condition = match attribute(attributes, "condition") {
            None => None,
            Some(text) => match filter::parse(text, self.around) {
                Ok(expr) => Some(Arc::new(Filter::new(expr))),
                Err(error) => {
                    let reason =
                        format!("Error compiling conditional expression, text={text}, error={error}");
                    return Err(self.markup.error(reason));
                }
            },
        };
        let rate = attribute(attributes, "rate").and_then(rate);
        self.action = Some(Action { trigger, condition, rate, content: Content::Nothing });
        Ok(ElementKind::Action)
    }

    fn message(&mut self, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        let mut message = Synthetic::default();
        for (name, value) in attributes {
            let inherit = match name.as_str() {
                "inherit-mode" => Inherit::from_name(value),
                "inherit-properties" if value.eq_ignore_ascii_case("context") => Some(Inherit::Context),
                "inherit-properties" => match value.as_bytes().first() {
                    Some(b'T' | b't' | b'1') => Some(Inherit::LastMessage),
                    Some(b'F' | b'f' | b'0') => Some(Inherit::None),
                    _ => None,
                },
                _ => continue,
            };
            let Some(inherit) = inherit else {
                return Err(self.markup.error(format!("Unknown {name} {value}")));
            };
            message.inherit = inherit;
        }
        self.message = Some(message);
        Ok(ElementKind::Message)
    }

    fn create_context(&mut self, attributes: &Attributes) -> Result<ElementKind, LoadError> {
        let Some(text) = attribute(attributes, "context-id") else {
            let rule = self.rules.last().map_or("", |rule| rule.id.as_str());
            let reason = format!("context-id attribute is missing from <create-context>, rule={rule}");
            return Err(self.markup.error(reason));
        };
        let id = self.template(text, "create-context context-id")?;
        let timeout_s = leading_number(attribute(attributes, "context-timeout").unwrap_or("0"));
        let scope = self.scope(attributes)?;
        if let Some(action) = &mut self.action {
            action.content = Content::CreateContext { id, timeout_s, scope, message: Synthetic::default() };
        }
        Ok(ElementKind::CreateContext)
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), LoadError> {
        let position = self.markup.position();
        let rule = self.rules.len().saturating_sub(1);
        match self.open.last() {
            Some(ElementKind::Prose | ElementKind::Example) => {}
            Some(ElementKind::Program) => {
                self.patterns
                    .program(text, position)
                    .map_err(|error| self.markup.error(error.to_string()))?;
            }
            Some(ElementKind::Pattern) => self.patterns.message(text, rule, position),
            Some(ElementKind::TestMessage) => {
                if let Some(example) = &mut self.example {
                    example.message = Some(text.to_owned());
                }
            }
            Some(ElementKind::TestValue) => {
                let (name, kind) = self.value.clone();
                if let Some(example) = &mut self.example {
                    example.values.push(TestValue { name, value: text.to_owned(), kind });
                }
            }
            Some(ElementKind::Value) => self.value_text(text)?,
            Some(ElementKind::Tag) => {
                if let Some(target) = self.target() {
                    target.tags.push(text.to_owned());
                }
            }
            _ if text.trim_ascii().is_empty() => {}
            _ => {
                let shown: String = text.trim().chars().take(60).collect();
                return Err(self.markup.error(format!("Unexpected text, text=[[{shown}]]")));
            }
        }
        Ok(())
    }

    /// Returns the message that values and tags belong to: the one of an action, or the rule's own.
    fn target(&mut self) -> Option<&mut Synthetic> {
        match &mut self.message {
            Some(message) => Some(message),
            None => self.rules.last_mut().map(|rule| &mut rule.gives),
        }
    }

    fn value_text(&mut self, text: &str) -> Result<(), LoadError> {
        let (name, kind) = self.value.clone();
        let mut template = self.template(text, "value template")?;
        if let Some(kind) = kind {
            let Some(hint) = TypeHint::from_name(&kind) else {
                return Err(self.markup.error(format!("Unknown type {kind} of value {name}")));
            };
            template = Arc::new(Template::clone(&template).hinted(hint));
        }
        // Only the values of a rule itself have the prefix.
        let prefix = if self.message.is_some() { "" } else { self.prefix };
        let name = FieldName::parse(&format!("{prefix}{name}"));
        if let Some(target) = self.target() {
            target.values.push((name, template));
        }
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<(), LoadError> {
        let closed = self.open.pop();
        // An element that only groups others pushes the enclosing one again, which is then still open.
        if closed == self.open.last().copied() {
            return Ok(());
        }
        match closed {
            Some(ElementKind::Ruleset) => self.patterns.close(self.prefix, &self.rules),
            Some(ElementKind::Example) => self.examples.extend(self.example.take()),
            Some(ElementKind::Message) => {
                let made = self.message.take().unwrap_or_default();
                match self.action.as_mut().map(|action| &mut action.content) {
                    Some(Content::CreateContext { message, .. }) => *message = made,
                    Some(content) => *content = Content::Message(made),
                    None => {}
                }
            }
            Some(ElementKind::Action) => {
                if let (Some(rule), Some(action)) = (self.rules.last_mut(), self.action.take()) {
                    rule.actions.push(action);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads `3/60`: three in sixty seconds; without seconds it is one.
fn rate(text: &str) -> Option<Rate> {
    let (count, seconds) = text.split_once('/').unwrap_or((text, "1"));
    let count = u32::try_from(leading_number(count)).ok().filter(|count| *count > 0)?;
    let seconds = u32::try_from(leading_number(seconds)).unwrap_or(1).max(1);
    Some(Rate { count, seconds })
}

fn expected(state: ElementKind) -> &'static str {
    match state {
        ElementKind::Patterndb => "a <ruleset>",
        ElementKind::Rules => "a <rule>",
        ElementKind::Examples => "an <example>",
        ElementKind::TestValues => "a <test_value>",
        ElementKind::Actions => "an <action>",
        ElementKind::CreateContext => "a <message>",
        _ => "text",
    }
}
