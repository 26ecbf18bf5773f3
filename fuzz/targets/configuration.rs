//! The configuration language: any text gives a tree and a report, within its limits.
#![no_main]

use config::Memory;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &[u8]| {
    let surroundings = Memory::default().file("/c", text).with_variable("HOME", "x;y");
    let (tree, mut report) = config::parse(Path::new("/c"), &surroundings);
    config::check(&tree, &mut report);
});
