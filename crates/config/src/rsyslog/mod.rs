//! `duramen convert rsyslog`: a configuration of rsyslog as one of ours.
//!
//! In: the path of an rsyslog.conf and the surroundings it may look at. Out: the text of a configuration, and for every
//! statement what became of it.
//! Holds: nothing between calls. What is not supported is left out and told, and a rule never takes more messages
//! than it did.
//! Limits: those of the reader; includes and nesting are bounded.

mod action;
mod calls;
mod condition;
mod directive;
mod forward;
mod input;
mod lookup;
mod output;
mod part;
mod printed;
mod property;
mod read;
mod report;
mod script;
mod shape;
mod state;
mod syntax;
mod template;
mod templates;
mod value;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::surroundings::Surroundings;
use lookup::Tables;
pub use report::{Finding, Outcome};
use script::Converter;
pub use syntax::Place;
use templates::Templates;

/// A converted configuration.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Its text, in our language.
    pub text: String,
    /// The outcome of every statement, in the order of the original.
    pub findings: Vec<Finding>,
}

/// Says what is wrong with a configuration in our language; none when it can be used.
pub type Judge = fn(&str) -> Option<String>;

/// Converts a file and all that it includes. What is made passes the judge: when the conversion as a whole does not,
/// every statement is judged, and those that do not pass are left out. An error: the file cannot be read at all, or
/// nothing of it can be used.
pub fn convert(path: &Path, surroundings: &dyn Surroundings, judge: Judge) -> Result<Conversion, String> {
    let statements = read::read(path, surroundings)?;
    let converter = || {
        let mut templates = Templates::collect(&statements);
        templates.refuse_same_names();
        Converter::new(templates, Tables::collect(&statements, surroundings), &statements)
    };
    let name = path.display().to_string();
    let mut whole = converter();
    whole.run(&statements);
    let conversion = whole.finish(&name);
    if judge(&conversion.text).is_none() {
        return Ok(conversion);
    }
    let mut careful = converter();
    careful.templates.refuse_wrong(judge);
    careful.judge = Some(judge);
    careful.run(&statements);
    let conversion = careful.finish(&name);
    match judge(&conversion.text) {
        None => Ok(conversion),
        Some(error) => Err(format!("{name} cannot be converted: {error}")),
    }
}

/// Returns a string in double quotes that our language reads as `text`.
fn quoted(text: &str) -> String {
    crate::parse::quoted(text)
}

/// Returns a word that is a name in both languages.
fn identifier(text: &str) -> String {
    let word: String = text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect();
    let word = word.trim_matches('_');
    match word.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => word.to_string(),
        false => format!("n{word}"),
    }
}
