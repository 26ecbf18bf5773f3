//! rsyslog's configuration language: any text is converted, and the result can be parsed by our own language.

use config::{Memory, rsyslog};
use std::path::Path;

/// Runs the target.
pub(crate) fn run(text: &[u8]) {
    let surroundings = Memory::default().file("/c", text).with_variable("HOME", "x;y");
    let Ok(conversion) = rsyslog::convert(Path::new("/c"), &surroundings, |_| None) else { return };
    let converted = Memory::default().file("/d", conversion.text.clone());
    let (tree, report) = config::parse(Path::new("/d"), &converted);
    assert!(report.is_usable(), "{}\n{}", conversion.text, report.render_plain(&tree.texts));
}
