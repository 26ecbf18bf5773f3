//! Subjects of certificates: whatever the bytes, reading ends, and a name is printed with all its parts.

use transport::tls::Identity;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let identity = Identity::of(bytes);
    let name = identity.distinguished_name();
    if let Some(common) = identity.part("CN") {
        assert!(name.contains("CN=") && name.len() >= common.len());
    }
}
