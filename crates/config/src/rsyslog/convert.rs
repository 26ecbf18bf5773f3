//! Converts a whole configuration.
//!
//! In: a file and all that it includes, and a judge of our language. Out: a conversion that passes the judge.
//! Holds: nothing between calls.

use std::fmt;
use std::path::Path;

use super::expression::lookup::Tables;
use super::file::ReadError;
use super::read::read;
use super::report::{Conversion, Judge};
use super::statement::converter::Converter;
use super::template::templates::Templates;
use crate::surroundings::Surroundings;

/// A configuration that cannot be converted at all.
#[derive(Debug)]
pub enum ConvertError {
    /// Its first file cannot be read.
    Read(ReadError),
    /// No part of it can be used: its conversion has an error even without the statements that are not supported.
    Unusable {
        /// The first file, as it was named.
        name: String,
        /// The first error of the conversion.
        error: String,
    },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Read(error) => error.fmt(out),
            ConvertError::Unusable { name, error } => write!(out, "{name} cannot be converted: {error}"),
        }
    }
}

impl std::error::Error for ConvertError {}

/// Converts a file and all that it includes. The result passes the judge: when the conversion as a whole does not,
/// every statement is judged, and those that do not pass are left out.
pub fn convert(
    path: &Path,
    surroundings: &dyn Surroundings,
    judge: Judge,
) -> Result<Conversion, ConvertError> {
    let statements = read(path, surroundings).map_err(ConvertError::Read)?;
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
        Some(error) => Err(ConvertError::Unusable { name, error }),
    }
}
