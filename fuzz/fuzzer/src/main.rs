//! The fuzzer: runs the target that `$FUZZ_TARGET` names with bytes of libFuzzer's making.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

/// The target that was chosen.
fn chosen() -> fn(&[u8]) {
    static CHOSEN: OnceLock<fn(&[u8])> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        fuzz_targets::target(&name).unwrap_or_else(|| panic!("FUZZ_TARGET={name} names no target"))
    })
}

fuzz_target!(|bytes: &[u8]| chosen()(bytes));
