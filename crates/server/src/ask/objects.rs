//! `duramen objects`: saved objects of a running server as files.
//!
//! In: a folder. Out: what an import would do, or did; files. Exit status of `plan`: 0 when nothing would change, 3 when
//! something would, 1 for an error. Limits: [`FILES_BYTES_MAX`] for all files.

use super::{
    api::Session,
    error::AskError,
    options::{FolderOptions, ObjectsOptions, ObjectsVerb},
};
use crate::terminal;
use objects::{ObjectFile, limits::FILES_BYTES_MAX, read_folder, write_folder};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Exit status of a plan with changes.
const CHANGES: u8 = 3;
/// Largest answer: the files at their limit, with the escapes of JSON.
const ANSWER_BYTES_MAX: u64 = 2 * FILES_BYTES_MAX as u64 + (1 << 20);

/// Runs the verb.
pub(crate) fn objects(options: &ObjectsOptions) -> ExitCode {
    let done = match &options.verb {
        ObjectsVerb::Plan(options) => import(options, "plan").map(|changes| match changes {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::from(CHANGES),
        }),
        ObjectsVerb::Apply(options) => import(options, "apply").map(|_| ExitCode::SUCCESS),
        ObjectsVerb::Export(options) => export(options).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        errln!("duramen: {}", terminal::lines(&error.to_string()));
        ExitCode::FAILURE
    })
}

/// Sends the files of a folder; returns the number of changes.
fn import(options: &FolderOptions, verb: &str) -> Result<usize, AskError> {
    let files = read_folder(&options.folder).map_err(AskError::Folder)?;
    let files = files.iter().map(sent).collect::<Result<Vec<Value>, AskError>>()?;
    let session = Session::open(&options.login)?;
    let answer = session.post(&format!("object-files/{verb}"), &json!({"files": files}));
    let answer = answer.map_err(|error| error.in_folder(&options.folder))?;
    let steps = answer["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = |outcome: &str| steps.iter().filter(|step| step["outcome"] == outcome).count();
    let (created, changed, same) = (count("create"), count("change"), count("same"));
    if options.json {
        outln!("{answer}");
        return Ok(created + changed);
    }
    for step in steps.iter().filter(|step| step["outcome"] != "same") {
        outln!("{}", line(step, &options.folder));
    }
    match verb {
        "plan" => outln!("{created} to create, {changed} to change, {same} unchanged"),
        _ => outln!("{created} created, {changed} changed, {same} unchanged"),
    }
    Ok(created + changed)
}

/// A file as the API takes it.
fn sent(file: &ObjectFile) -> Result<Value, AskError> {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    match str::from_utf8(&file.bytes) {
        Ok(text) => Ok(json!({"name": name, "text": text})),
        Err(error) => {
            let before = &file.bytes[..error.valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
            Err(AskError::Encoding { path: file.path.clone(), line, column })
        }
    }
}

/// One effect in a line.
fn line(step: &Value, folder: &Path) -> String {
    let text = |member: &str| terminal::line(step[member].as_str().unwrap_or_default()).into_owned();
    let members = step["members"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let members: Vec<&str> = members.collect();
    let members = if members.is_empty() { String::new() } else { format!(": {}", members.join(", ")) };
    let file = folder.join(text("file"));
    let (outcome, kind, name) = (text("outcome"), text("kind"), text("name"));
    format!("{outcome} {kind} {name:?} ({}){members}", file.display())
}

/// Writes the files of all objects.
fn export(options: &FolderOptions) -> Result<(), AskError> {
    let answer = Session::open(&options.login)?.large("object-files", ANSWER_BYTES_MAX)?;
    let files = answer["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |file: &Value, member: &str| file[member].as_str().unwrap_or_default().to_owned();
    let file = |file: &Value| ObjectFile {
        path: PathBuf::from(text(file, "name")),
        bytes: text(file, "text").into_bytes(),
    };
    let files: Vec<ObjectFile> = files.iter().map(file).collect();
    let others = write_folder(&options.folder, &files).map_err(AskError::Folder)?;
    if options.json {
        let names: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
        let others: Vec<String> = others.iter().map(|path| path.display().to_string()).collect();
        outln!("{}", json!({"files": names, "others": others}));
        return Ok(());
    }
    for other in others {
        errln!("duramen: {} is of no object of the server; it stays", other.display());
    }
    outln!("{} objects in {}", files.len(), options.folder.display());
    Ok(())
}
