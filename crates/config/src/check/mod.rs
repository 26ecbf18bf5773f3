//! What a tree means: names resolved, options known.
//!
//! In: a [`Tree`]. Out: findings.

mod nearest;

use crate::diagnostic::Report;
use crate::tree::Tree;
pub(crate) use nearest::nearest;

/// Checks a tree: every name, every driver, every option.
pub fn check(_tree: &Tree, _report: &mut Report) {}
