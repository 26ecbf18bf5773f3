//! `duramen version`: the version of the program.
//!
//! In: nothing. Out: the version, or details of the build as one JSON object. Holds nothing.

use super::old_names::LANGUAGE;
use clap::Args;
use serde_json::{Value, json};
use std::{env::consts, process::ExitCode};

/// Options of `version`.
#[derive(Args, Debug)]
pub(super) struct VersionOptions {
    /// Print one JSON object: version, target, libraries
    #[arg(long)]
    json: bool,
}

/// Prints the version.
pub(super) fn run(options: &VersionOptions) -> ExitCode {
    match options.json {
        true => outln!("{}", facts()),
        false => outln!("duramen {}", env!("CARGO_PKG_VERSION")),
    }
    ExitCode::SUCCESS
}

/// The version, the version of syslog-ng's language that is read, and the target of the build.
pub(super) fn facts() -> Value {
    let linked = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    let libc = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
    let allocator = if cfg!(target_env = "musl") { "jemalloc" } else { "glibc" };
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    json!({
        "name": "duramen",
        "version": env!("CARGO_PKG_VERSION"),
        "language": LANGUAGE,
        "api": "v1",
        "os": consts::OS,
        "architecture": consts::ARCH,
        "libc": libc,
        "linked": linked,
        "allocator": allocator,
        "build": build,
        "openssl": openssl::version::version(),
    })
}
