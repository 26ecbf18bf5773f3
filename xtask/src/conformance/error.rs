//! The reasons why a family of samples cannot run.
//!
//! In: failed steps of a run. Out: one readable line.

use std::{fmt, io, path::Path};

/// A family that cannot run.
#[derive(Debug)]
pub(crate) enum RunError {
    /// The system refuses a step.
    Io {
        /// The step: `read x.jsonl`.
        step: String,
        source: io::Error,
    },
    /// A text that should be JSON is not valid JSON.
    Json {
        /// The file or the program that the text comes from.
        origin: String,
        source: serde_json::Error,
    },
    /// There is no program to run.
    NotBuilt,
    /// A program or a part of the run misbehaves.
    Failed {
        /// The program or the part.
        what: String,
        /// Its error message.
        said: String,
    },
}

impl RunError {
    /// Makes the error of a step.
    pub(crate) fn io(step: impl Into<String>) -> impl FnOnce(io::Error) -> RunError {
        let step = step.into();
        move |source| RunError::Io { step, source }
    }

    /// Makes the error of reading a file.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> RunError {
        RunError::io(format!("read {}", path.display()))
    }

    /// Makes the error of writing a file.
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> RunError {
        RunError::io(format!("write {}", path.display()))
    }

    /// Makes the error of a text that is not JSON.
    pub(crate) fn json(origin: &Path) -> impl FnOnce(serde_json::Error) -> RunError {
        let origin = origin.display().to_string();
        move |source| RunError::Json { origin, source }
    }

    /// Makes the error of a program or a part of the run.
    pub(crate) fn failed(what: impl Into<String>, said: impl fmt::Display) -> RunError {
        RunError::Failed { what: what.into(), said: said.to_string() }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Io { step, source } => write!(out, "cannot {step}: {source}"),
            RunError::Json { origin, source } => write!(out, "{origin}: {source}"),
            RunError::NotBuilt => out.write_str("the program is not built: cargo build --release -p duramen"),
            RunError::Failed { what, said } => write!(out, "{what}: {said}"),
        }
    }
}

impl std::error::Error for RunError {}
