//! The table of parsers.
//!
//! In: nothing. Out: rows. None runs yet; all that the language has are in `later`.

use super::row::Driver;

pub(super) const DRIVERS: &[Driver] = &[];
