//! Turns characters into tokens, handling pragmas, includes and substitutions.
//!
//! In: a root file and its surroundings. Out: tokens with positions, and raw pieces where the grammar expects text.
//! Holds: the stack of texts, defines, and the report.
//! Limits: see `limits`; at any of them the token stream ends after an error.

mod expression;
mod include;
mod literal;
mod pragma;
mod raw;
mod reader;
mod stream;
mod string;
mod substitute;
pub(crate) mod token;
mod word;

#[cfg(test)]
mod tests;

pub use literal::place_inside;
pub(crate) use reader::Values;
pub(crate) use stream::Lexer;
pub(crate) use word::{is_bare, reads_as};
