//! Sources that read what another system stores.
//!
//! In: their options. Out: inputs. Holds: nothing. Limits: see each.

mod s3;
mod sql;
