//! Files of saved objects as JSON.
//!
//! In: texts of files. Out: files, the effect of each, their problems with places. Holds nothing.

use crate::error::ErrorDetail;
use objects::{ObjectFile, Outcome, Problem, ProblemReason, Step};
use serde::{Deserialize, Serialize};
use std::path::Path;
use utoipa::ToSchema;

/// Files of objects.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilesDocument {
    /// The files.
    pub(crate) files: Vec<FileItem>,
}

/// A file of an object.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileItem {
    /// Its name, which errors give.
    name: String,
    /// Its content.
    text: String,
}

/// The effects of an import.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlanAnswer {
    /// The effects, by file.
    pub(crate) steps: Vec<PlanStep>,
}

/// The effect of one file.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlanStep {
    /// The file.
    file: String,
    /// The id of the object.
    id: String,
    /// Its kind.
    kind: &'static str,
    /// Its name.
    name: String,
    /// `create`, `change` or `same`.
    outcome: &'static str,
    /// The members that a change gives other values; `deleted` for an object that comes back.
    members: Vec<String>,
}

/// The answer when files cannot be imported.
#[derive(Serialize, ToSchema)]
pub(crate) struct FilesRefused {
    /// The error, `bad_request`.
    pub(crate) error: ErrorDetail,
    /// The problems of the files.
    pub(crate) problems: Vec<FileProblem>,
}

/// A problem of a file.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileProblem {
    /// The file.
    file: String,
    /// The line, from 1; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The character in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The problem.
    message: String,
}

impl FileProblem {
    /// A problem of a whole file.
    pub(crate) fn of_file(path: &Path, message: String) -> FileProblem {
        FileProblem { file: path.display().to_string(), line: None, column: None, message }
    }
}

impl From<&Problem> for FileProblem {
    fn from(problem: &Problem) -> FileProblem {
        match &problem.reason {
            ProblemReason::Content(error) => FileProblem {
                file: problem.path.display().to_string(),
                line: Some(error.line),
                column: Some(error.column),
                message: error.fault.to_string(),
            },
            reason => FileProblem::of_file(&problem.path, reason.to_string()),
        }
    }
}

impl From<FileItem> for ObjectFile {
    fn from(file: FileItem) -> ObjectFile {
        ObjectFile { path: file.name.into(), bytes: file.text.into_bytes() }
    }
}

impl From<ObjectFile> for FileItem {
    fn from(file: ObjectFile) -> FileItem {
        let name = file.path.display().to_string();
        FileItem { name, text: String::from_utf8_lossy(&file.bytes).into_owned() }
    }
}

impl From<Step> for PlanStep {
    fn from(step: Step) -> PlanStep {
        PlanStep {
            file: step.path.display().to_string(),
            id: step.id.to_string(),
            kind: step.kind,
            name: step.name,
            outcome: match step.outcome {
                Outcome::Create => "create",
                Outcome::Change => "change",
                Outcome::Same => "same",
            },
            members: step.members,
        }
    }
}
