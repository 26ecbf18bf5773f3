//! Objects of RainerScript: `input(type="imtcp" port="514")`.
//!
//! In: tokens after the word. Out: nodes with parameters and bodies.

use super::{BadSyntax, Parsed, Reader};
use crate::rsyslog::syntax::{Node, Parameters, Statement};

/// The words that start an object.
const OBJECTS: &[&str] = &[
    "action",
    "constant",
    "dyn_stats",
    "global",
    "input",
    "lookup_table",
    "main_queue",
    "module",
    "parser",
    "percentile_stats",
    "property",
    "ratelimit",
    "reload_lookup_table",
    "ruleset",
    "template",
    "timezone",
];

/// Returns true when a word before a parenthesis starts an object.
pub(super) fn is_object(word: &str) -> bool {
    OBJECTS.contains(&word)
}

impl Reader<'_> {
    /// Reads `kind(name="value" ...)` and, for templates and rulesets, `{ ... }`.
    pub(super) fn object(&mut self, kind: &str) -> Parsed<Node> {
        self.cursor.advance(kind.len());
        self.cursor.skip_blank();
        if kind == "reload_lookup_table" {
            self.cursor.logical_line();
            return Ok(Node::Refused(
                "tables are read again at every reload of the configuration".to_string(),
            ));
        }
        let parameters = self.parameters()?;
        let mut body = Vec::new();
        self.cursor.skip_spaces();
        if matches!(kind, "template" | "ruleset" | "action") {
            self.cursor.skip_blank();
            if self.cursor.take("{") {
                body = self.deeper(|reader| Ok(reader.statements(true)))?;
            }
        }
        Ok(Node::Object { kind: kind.to_string(), parameters, body })
    }

    /// Reads `include(file="..." mode="optional")`.
    pub(super) fn include_object(&mut self, statements: &mut Vec<Statement>) -> Parsed<Option<Node>> {
        self.cursor.advance("include".len());
        self.cursor.skip_blank();
        let mut parameters = self.parameters()?;
        let optional = parameters.take("mode").is_some_and(|mode| mode == "optional");
        match parameters.take("file") {
            Some(file) => Ok(self.include(&file, optional, statements)),
            None => Err(BadSyntax("an include without file()".to_string())),
        }
    }

    /// Reads `(name="value" list=["a", "b"])`.
    fn parameters(&mut self) -> Parsed<Parameters> {
        let mut parameters = Parameters::default();
        if !self.cursor.take("(") {
            return Err(BadSyntax::new("`(`"));
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
                return Err(BadSyntax::new("the name of a parameter"));
            }
            self.cursor.skip_blank();
            if !self.cursor.take("=") {
                return Err(BadSyntax::new("`=` behind the name of a parameter"));
            }
            self.cursor.skip_blank();
            let values = self.parameter_values()?;
            parameters.add(&name, values);
        }
    }

    fn parameter_values(&mut self) -> Parsed<Vec<String>> {
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
    fn parameter_value(&mut self) -> Parsed<String> {
        match self.cursor.peek() {
            Some('"' | '\'') => self.cursor.string(),
            Some('`') => {
                let text = self.cursor.string()?;
                self.echoed(&text)
            }
            _ => match self.cursor.name() {
                "" => Err(BadSyntax::new("a value in quotes")),
                word => Ok(word.to_string()),
            },
        }
    }

    /// Replaces environment variables in `echo $NAME text`.
    fn echoed(&self, text: &str) -> Parsed<String> {
        let Some(words) = text.trim().strip_prefix("echo ") else {
            return Err(BadSyntax(format!("`{text}` asks for the content of a file or a command")));
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
                None => return Err(BadSyntax(format!("environment variable `{name}` is not set"))),
            }
            rest = tail;
        }
        out.push_str(rest);
        Ok(out)
    }
}
