//! Structured data: reading ends, and every part lies inside.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for param in message::sd_params(bytes) {
        assert!(param.value().len() <= param.escaped.len());
    }
});
