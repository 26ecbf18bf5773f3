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
    /// What became of every statement, in the order of the original.
    pub findings: Vec<Finding>,
}

/// Converts a file and all that it includes. An error: the file cannot be read at all.
pub fn convert(path: &Path, surroundings: &dyn Surroundings) -> Result<Conversion, String> {
    let statements = read::read(path, surroundings)?;
    let mut converter =
        Converter::new(Templates::collect(&statements), Tables::collect(&statements, surroundings));
    converter.run(&statements);
    Ok(converter.finish(&path.display().to_string()))
}

/// A string in double quotes that our language reads as `text`.
fn quoted(text: &str) -> String {
    crate::parse::quoted(text)
}

/// A word that is a name in both languages.
fn identifier(text: &str) -> String {
    let word: String = text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect();
    let word = word.trim_matches('_');
    match word.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => word.to_string(),
        false => format!("n{word}"),
    }
}
