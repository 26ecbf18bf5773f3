//! Queries from the tests of other parsers of Lucene's syntax.
//!
//! In: `lucene/vectors.jsonl`. Out: a row for each dialect. Our tree is printed as that parser prints its own
//! and compared as text; where such a comparison makes no sense (typed schemas), the query must be accepted
//! or refused like there. Constructs that our syntax does not have are left out: other analysers, stop words,
//! sets (`IN [..]`), single quotes.

mod classic;
mod js;
mod question;
mod run;
mod tantivy;

pub(super) use run::run;
