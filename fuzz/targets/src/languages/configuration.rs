//! The configuration language: any text yields a tree and a report, within its limits, and is or is not a
//! filter expression.

use config::Memory;
use std::path::Path;

/// Runs the target.
pub(crate) fn run(text: &[u8]) {
    let surroundings = Memory::default().file("/c", text).with_variable("HOME", "x;y");
    let (tree, mut report) = config::parse(Path::new("/c"), &surroundings);
    config::check(&tree, &mut report);
    let _ = pipeline::filter::parse(&String::from_utf8_lossy(text), &pipeline::Definitions::default());
}
