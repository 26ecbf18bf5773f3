//! Questions that the tests of other parsers of Lucene's syntax hold.
//!
//! In: `lucene/vectors.jsonl`. Out: a row a dialect. Our tree is printed as that parser prints its own and compared
//! as text; where its print says nothing about ours (typed schemas), the question must be read, or refused, as
//! there. Left out are constructs that our syntax does not have: other analysers, stop words, sets (`IN [..]`), quotes
//! of one stroke.

mod classic;
mod js;
mod question;
mod run;
mod tantivy;

pub(super) use run::run;
