//! `duramen rules import`: rules of the Sigma project as a file of rules.
//!
//! In: files and folders of Sigma rules. Out: a file of rules; on standard error each rule that cannot be expressed, with
//! the reason, and a summary. A rule is imported only if it matches the same messages. Limits: [`DEPTH_MAX`],
//! [`FILE_BYTES_MAX`].

use super::files::FilesError;
use crate::terminal;
use clap::Args;
use serde_json::json;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use watch::{SigmaRefusal, SigmaRule};

/// Deepest nesting of folders.
const DEPTH_MAX: usize = 32;
/// Longest file of a rule: the longest public one has 200 KB.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Options of `import`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Sigma rules: YAML files, or folders with such files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// File of rules to write; standard output when left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The rules imported so far, and the reasons why others were not.
#[derive(Default)]
struct Import {
    rules: Vec<SigmaRule>,
    ids: HashSet<String>,
    refusals: BTreeMap<String, usize>,
}

/// Imports rules; returns false when some were refused.
pub(super) fn run(options: &Options) -> Result<bool, FilesError> {
    let mut paths = Vec::new();
    for path in &options.paths {
        collect(path, 0, &mut paths).map_err(|source| FilesError::Read { path: path.clone(), source })?;
    }
    let mut import = Import::default();
    paths.iter().try_for_each(|path| import.file(path))?;
    let text = text(&import.rules);
    match &options.output {
        Some(path) => {
            fs::write(path, text).map_err(|source| FilesError::Write { path: path.clone(), source })?;
        }
        None => {
            // A reader that has seen enough closes the pipe.
            let _ = terminal::output().write_all(terminal::lines(&text).as_bytes());
        }
    }
    let refused: usize = import.refusals.values().sum();
    errln!("{} rules imported, {refused} refused", import.rules.len());
    for (reason, count) in &import.refusals {
        errln!("{count:>6}  {reason}");
    }
    Ok(refused == 0)
}

/// Collects the files of a folder, in the order of their names.
fn collect(path: &Path, depth: usize, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() || depth > DEPTH_MAX {
        into.push(path.to_owned());
        return Ok(());
    }
    let mut entries =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        let is_rule = entry.extension().is_some_and(|end| end == "yml" || end == "yaml");
        if entry.is_dir() || is_rule {
            collect(&entry, depth + 1, into)?;
        }
    }
    Ok(())
}

impl Import {
    fn file(&mut self, path: &Path) -> Result<(), FilesError> {
        let named = |source| FilesError::Read { path: path.to_owned(), source };
        if fs::metadata(path).map_err(named)?.len() > FILE_BYTES_MAX {
            self.refuse(path, "the file is longer than 4 MiB".to_owned(), "it is too long");
            return Ok(());
        }
        let bytes = fs::read(path).map_err(named)?;
        let text = String::from_utf8(bytes).map_err(|_| FilesError::NotUtf8 { path: path.to_owned() })?;
        match watch::import_sigma(&text) {
            Ok(rule) if !self.ids.insert(rule.id.clone()) => {
                self.refuse(path, format!("another rule has the id {}", rule.id), "its id is there twice");
            }
            Ok(rule) => self.rules.push(rule),
            Err(refusal) => self.refuse(path, refusal.to_string(), kind(&refusal)),
        }
        Ok(())
    }

    fn refuse(&mut self, path: &Path, reason: String, kind: &str) {
        errln!("{}: {reason}", path.display());
        *self.refusals.entry(kind.to_owned()).or_default() += 1;
    }
}

/// Returns the reason of a refusal for the summary.
fn kind(refusal: &SigmaRefusal) -> &'static str {
    match refusal {
        SigmaRefusal::Yaml(_) => "the YAML cannot be read",
        SigmaRefusal::Malformed { .. } => "a part is missing",
        SigmaRefusal::Correlation => "it is a correlation",
        SigmaRefusal::Modifier { .. } => "a modifier cannot be expressed",
        SigmaRefusal::Value { .. } => "a value cannot be expressed",
        SigmaRefusal::Condition { .. } => "the condition cannot be read",
        SigmaRefusal::Source => "words in messages of a source that cannot be told from others",
        SigmaRefusal::Query(_) => "the query is refused",
    }
}

/// Returns the text of a file of rules: a rule a line, in JSON, which YAML includes.
fn text(rules: &[SigmaRule]) -> String {
    let mut text = String::from("rules:\n");
    for SigmaRule { id, title, description, severity, query } in rules {
        let rule = json!({
            "id": id,
            "title": title,
            "description": description,
            "severity": severity.name(),
            "query": query,
            "kind": "match",
        });
        text.push_str(&format!("- {rule}\n"));
    }
    if rules.is_empty() { "rules: []\n".to_owned() } else { text }
}
