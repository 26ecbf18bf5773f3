//! The complete gate, the same on every machine: format, clippy, tidy, tests.
//!
//! In: the tree. Out: the output of the tools; false at the first step that fails.

use std::{
    path::Path,
    process::{Command, Stdio},
};

const STEPS: &[&[&str]] = &[
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"],
    &["test", "--workspace", "--quiet"],
];

/// Runs the gate.
pub(crate) fn run(root: &Path) -> bool {
    crate::tidy::run(root) && STEPS.iter().all(|step| cargo(root, step))
}

fn cargo(root: &Path, arguments: &[&str]) -> bool {
    println!("cargo {}", arguments.join(" "));
    let status = Command::new(env!("CARGO")).args(arguments).current_dir(root).stdin(Stdio::null()).status();
    matches!(status, Ok(status) if status.success())
}
