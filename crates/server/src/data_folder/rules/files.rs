//! Files of rules.
//!
//! In: paths. Out: rules, or everything that is wrong with the files. Limits: those of a file of rules.

use crate::terminal;
use std::{
    collections::HashMap,
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};
use watch::{Notifications, RULES_BYTES_MAX, Rule};

/// The reason why rules cannot be used.
#[derive(Debug)]
pub(super) enum FilesError {
    /// A file cannot be read.
    Read { path: PathBuf, source: io::Error },
    /// A file cannot be written.
    Write { path: PathBuf, source: io::Error },
    /// A file is no text.
    NotUtf8 { path: PathBuf },
    /// The rules of the files have errors, which have been printed.
    Wrong { count: usize },
    /// The parts of texts that the rules require need too much memory.
    TooMany,
}

impl fmt::Display for FilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilesError::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            FilesError::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            FilesError::NotUtf8 { path } => write!(f, "{} is not UTF-8", path.display()),
            FilesError::Wrong { count: 1 } => f.write_str("1 error"),
            FilesError::Wrong { count } => write!(f, "{count} errors"),
            FilesError::TooMany => f.write_str("the rules need too much memory: split them"),
        }
    }
}

impl std::error::Error for FilesError {}

/// The rules of a file.
pub(super) struct RulesFile {
    pub(super) path: PathBuf,
    pub(super) rules: Vec<Arc<Rule>>,
}

/// Reads files of rules; prints what is wrong with them. No two rules of all files may have the same id.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<RulesFile>, FilesError> {
    let mut files = Vec::new();
    let mut owners: HashMap<Arc<str>, &Path> = HashMap::new();
    let mut count = 0;
    for path in paths {
        let rules = match watch::read(&text(path)?) {
            Ok(rules) => rules,
            Err(errors) => {
                count += errors.len();
                for error in errors {
                    errln!("{}:{}", path.display(), terminal::line(&error.to_string()));
                }
                continue;
            }
        };
        for rule in &rules {
            if let Some(other) = owners.insert(Arc::clone(&rule.id), path) {
                count += 1;
                errln!("{}: a rule of {} has the id {} as well", path.display(), other.display(), rule.id);
            }
        }
        files.push(RulesFile { path: path.clone(), rules });
    }
    if count == 0 { Ok(files) } else { Err(FilesError::Wrong { count }) }
}

/// Reads a file of channels and routes; prints what is wrong with it.
pub(super) fn read_notifications(path: &Path) -> Result<Notifications, FilesError> {
    watch::read_notifications(&text(path)?).map_err(|errors| {
        for error in &errors {
            errln!("{}:{}", path.display(), terminal::line(&error.to_string()));
        }
        FilesError::Wrong { count: errors.len() }
    })
}

/// Returns the text of a file.
fn text(path: &Path) -> Result<String, FilesError> {
    let named = |source| FilesError::Read { path: path.to_owned(), source };
    let file = fs::File::open(path).map_err(named)?;
    let mut bytes = Vec::new();
    // One byte more than a file may have: then it is refused as too long.
    file.take(RULES_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(named)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| FilesError::NotUtf8 { path: path.to_owned() })
}
