//! Subjects of certificates: whatever the bytes, reading ends, and a name is printed with every part of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use transport::tls::Identity;

fuzz_target!(|bytes: &[u8]| {
    let identity = Identity::of(bytes);
    let name = identity.distinguished_name();
    if let Some(common) = identity.part("CN") {
        assert!(name.contains("CN=") && name.len() >= common.len());
    }
});
