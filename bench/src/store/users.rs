//! The Store Box's two cases: messages come in over TLS while more and more users search: `bench users`.

mod options;
mod plot;
mod report;
mod run;
mod trial;

pub(crate) use options::Options;
pub(crate) use run::run;

#[cfg(test)]
mod tests;
