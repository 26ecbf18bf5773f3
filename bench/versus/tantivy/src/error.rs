//! The errors of this program: a caller only needs their text.

use std::error::Error;

/// Result of any step here.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;
