//! What nobody else may guess or make: random numbers, cookies.
//!
//! In: a seed. Out: tags, TSNs, cookies. Holds: two secrets.

mod cookie;
mod random;

pub(crate) use cookie::{Abilities, Agreement, Cookie, CookieSecrets};
pub(crate) use random::Random;
