//! Structured data: reading ends, and every part lies inside.

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    for param in message::sd_params(bytes) {
        assert!(param.value().len() <= param.escaped.len());
    }
}
