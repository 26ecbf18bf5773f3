//! Objects of RainerScript: `input(type="imtcp" port="514")`.
//!
//! In: tokens after the word. Out: nodes with parameters and bodies.

use super::reader::{End, Missing, Reader};
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Node, Parameters, Statement};

impl Reader<'_> {
    /// Reads `kind(name="value" ...)` and, for templates and rulesets, `{ ... }`.
    pub(super) fn object(&mut self, kind: &str) -> Converted<Node> {
        self.cursor.advance(kind.len());
        self.cursor.skip_blank();
        if kind == "reload_lookup_table" {
            self.cursor.logical_line();
            return Ok(Node::Refused(Refusal::instead(
                "tables are read again at every reload of the configuration",
            )));
        }
        let parameters = self.parameters()?;
        let mut body = Vec::new();
        self.cursor.skip_spaces();
        if matches!(kind, "template" | "ruleset" | "action") {
            self.cursor.skip_blank();
            if self.cursor.take("{") {
                body = self.deeper(|reader| Ok(reader.statements(End::Brace)))?;
            }
        }
        Ok(Node::Object { kind: kind.to_string(), parameters, body })
    }

    /// Reads `include(file="..." mode="optional")`.
    pub(super) fn include_object(&mut self, statements: &mut Vec<Statement>) -> Converted<Option<Node>> {
        self.cursor.advance("include".len());
        self.cursor.skip_blank();
        let mut parameters = self.parameters()?;
        let missing = match parameters.take("mode").as_deref() {
            Some("optional") => Missing::Empty,
            _ => Missing::Refused,
        };
        match parameters.take("file") {
            Some(file) => Ok(self.include(&file, missing, statements)),
            None => Err(Refusal::Incomplete("an include without file()")),
        }
    }

    /// Reads `(name="value" list=["a", "b"])`.
    fn parameters(&mut self) -> Converted<Parameters> {
        let mut parameters = Parameters::default();
        if !self.cursor.take("(") {
            return Err(Refusal::expected("`(`"));
        }
        loop {
            self.cursor.skip_blank();
            if self.cursor.take(",") {
                continue;
            }
            if self.cursor.take(")") {
                return Ok(parameters);
            }
            let name = self.cursor.name().to_string();
            if name.is_empty() {
                return Err(Refusal::expected("the name of a parameter"));
            }
            self.cursor.skip_blank();
            if !self.cursor.take("=") {
                return Err(Refusal::expected("`=` behind the name of a parameter"));
            }
            self.cursor.skip_blank();
            let values = self.parameter_values()?;
            parameters.add(&name, values);
        }
    }

    fn parameter_values(&mut self) -> Converted<Vec<String>> {
        if !self.cursor.take("[") {
            return Ok(vec![self.parameter_value()?]);
        }
        let mut values = Vec::new();
        loop {
            self.cursor.skip_blank();
            if self.cursor.take(",") {
                continue;
            }
            if self.cursor.take("]") {
                return Ok(values);
            }
            values.push(self.parameter_value()?);
        }
    }

    /// Reads a string; one in backticks names an environment variable, bare words are kept unchanged.
    fn parameter_value(&mut self) -> Converted<String> {
        match self.cursor.peek() {
            Some('"' | '\'') => self.cursor.string(),
            Some('`') => {
                let text = self.cursor.string()?;
                self.echoed(&text)
            }
            _ => match self.cursor.name() {
                "" => Err(Refusal::expected("a value in quotes")),
                word => Ok(word.to_string()),
            },
        }
    }

    /// Replaces environment variables in `echo $NAME text`.
    fn echoed(&self, text: &str) -> Converted<String> {
        let Some(words) = text.trim().strip_prefix("echo ") else {
            return Err(Refusal::malformed(format!("`{text}` asks for the content of a file or a command")));
        };
        let mut out = String::new();
        let mut rest = words;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let (name, tail) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some(found) => found,
                None => after.split_at(after.find(|one| !is_name(one)).unwrap_or(after.len())),
            };
            match self.surroundings.variable(name) {
                Some(value) => out.push_str(&value),
                None => return Err(Refusal::malformed(format!("environment variable `{name}` is not set"))),
            }
            rest = tail;
        }
        out.push_str(rest);
        Ok(out)
    }
}
