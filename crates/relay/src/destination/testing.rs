//! What the tests of this folder share.
//!
//! In: nothing. Out: renderings that are easy to read. Holds: nothing. Limits: none.

use super::Rendering;
use transport::testing::Text;

/// `$MSG` and a line feed.
pub(crate) fn lines() -> Rendering {
    Rendering { template: Text::boxed("$MSG\n") }
}
