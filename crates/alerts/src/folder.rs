//! The folder of rules: files that an administrator keeps beside the configuration.
//!
//! In: a folder; rules that people keep on the server. Out: the rules of its files, or everything that is wrong with them: they
//! are used as a whole. Holds nothing. Limits: [`FILES_MAX`] files, [`RULES_MAX`] rules, [`watch::RULES_BYTES_MAX`] bytes a file; other endings than
//! `.yaml`, `.yml` and `.json` are left alone, folders inside are not read.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt, fs,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};
use watch::{RULES_BYTES_MAX, Rule, RuleError};

/// Most files of a folder.
const FILES_MAX: usize = 1_000;
/// Most rules of a folder: as many as are measured.
const RULES_MAX: usize = 20_000;
/// A file of rules that is a pipe must not be waited for.
const O_NONBLOCK: i32 = 0o4000;

/// Rules with the texts that they were read from.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// Files and their texts.
    pub(crate) texts: Vec<(String, String)>,
    /// The rules, in the order of the files.
    pub rules: Vec<Arc<Rule>>,
}

/// Text before the id of an object, in the place of the path of a file.
const SAVED: &str = "object:";

/// A rule that somebody keeps on the server, and not in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedRule {
    /// Its id, which is that of the object.
    pub id: String,
    /// The logspaces that it watches; empty: all.
    pub logspaces: Vec<String>,
    /// The rule as the text of a file of rules.
    pub text: String,
}

/// Returns the id of the object that a text is of; none for that of a file.
pub(crate) fn saved_id(path: &str) -> Option<&str> {
    path.strip_prefix(SAVED)
}

/// A reason why the rules of a folder cannot be used.
#[derive(Debug)]
pub enum FolderProblem {
    /// The folder or a file cannot be read.
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file is no text.
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// There are more files than can be read.
    Files,
    /// There are more rules than can be evaluated.
    Rules,
    /// A rule is wrong.
    Rule {
        /// The file.
        path: PathBuf,
        /// The error with its place.
        error: RuleError,
    },
    /// Two files have rules with the same id.
    SameId {
        /// The file.
        path: PathBuf,
        /// The other file.
        other: PathBuf,
        /// The id.
        id: Arc<str>,
    },
}

impl fmt::Display for FolderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderProblem::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            FolderProblem::NotUtf8 { path } => write!(f, "{} is not UTF-8", path.display()),
            FolderProblem::Files => write!(f, "there are more than {FILES_MAX} files of rules"),
            FolderProblem::Rules => write!(f, "there are more than {RULES_MAX} rules"),
            FolderProblem::Rule { path, error } => write!(f, "{}:{error}", path.display()),
            FolderProblem::SameId { path, other, id } => {
                write!(f, "{}: a rule of {} has the id {id} as well", path.display(), other.display())
            }
        }
    }
}

impl std::error::Error for FolderProblem {}

/// Reads the rules of a folder; one that is not there has none.
pub fn read_folder(folder: &Path) -> Result<RuleSet, Vec<FolderProblem>> {
    let files = match files(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(RuleSet::default()),
        Err(source) => return Err(vec![FolderProblem::Io { path: folder.to_owned(), source }]),
    };
    if files.len() > FILES_MAX {
        return Err(vec![FolderProblem::Files]);
    }
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for path in files.into_iter().filter(|path| !is_of_notifications(path)) {
        match text(&path) {
            Ok(text) => texts.push((path.to_string_lossy().into_owned(), text)),
            Err(problem) => problems.push(problem),
        }
    }
    match RuleSet::of(texts) {
        Ok(set) if problems.is_empty() => Ok(set),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

impl RuleSet {
    /// Reads the rules of texts.
    pub(crate) fn of(texts: Vec<(String, String)>) -> Result<RuleSet, Vec<FolderProblem>> {
        let (mut rules, mut problems) = (Vec::new(), Vec::new());
        let mut owners: HashMap<Arc<str>, &str> = HashMap::new();
        for (path, text) in &texts {
            let read = match watch::read(text) {
                Ok(read) => read,
                Err(errors) => {
                    let named = |error| FolderProblem::Rule { path: path.into(), error };
                    problems.extend(errors.into_iter().map(named));
                    continue;
                }
            };
            for rule in read {
                if let Some(other) = owners.insert(Arc::clone(&rule.id), path) {
                    let id = Arc::clone(&rule.id);
                    problems.push(FolderProblem::SameId { path: path.into(), other: other.into(), id });
                }
                rules.push(rule);
            }
        }
        if rules.len() > RULES_MAX {
            problems.push(FolderProblem::Rules);
        }
        if problems.is_empty() { Ok(RuleSet { texts, rules }) } else { Err(problems) }
    }

    /// Reads the rules of files among texts that a logspace's thread had adopted; none when they cannot be read any more.
    pub(crate) fn of_files(mut texts: Vec<(String, String)>) -> Option<RuleSet> {
        texts.retain(|(path, _)| saved_id(path).is_none());
        RuleSet::of(texts).ok()
    }

    /// Returns the files with the rules that they have, by their ids.
    pub fn files(&self) -> BTreeMap<String, PathBuf> {
        let of_file = |(path, text): &(String, String)| {
            let rules = watch::read(text).unwrap_or_default();
            let path = PathBuf::from(path);
            rules.into_iter().map(move |rule| (rule.id.to_string(), path.clone())).collect::<Vec<_>>()
        };
        self.texts.iter().flat_map(of_file).collect()
    }

    /// Returns the set for a logspace: all files, and the rules of objects that watch it. A rule of a file counts when an
    /// object has its id. Returns what was left out as well.
    pub(crate) fn with_saved(&self, saved: &[SavedRule], logspace: &str) -> (RuleSet, Vec<FolderProblem>) {
        let (mut set, mut problems) = (self.clone(), Vec::new());
        let ids: HashSet<&str> = self.rules.iter().map(|rule| rule.id.as_ref()).collect();
        let is_here =
            |one: &&SavedRule| one.logspaces.is_empty() || one.logspaces.iter().any(|name| name == logspace);
        for one in saved.iter().filter(|one| !ids.contains(one.id.as_str())).filter(is_here) {
            let path = format!("{SAVED}{}", one.id);
            match watch::read(&one.text) {
                Ok(rules) => {
                    set.rules.extend(rules);
                    set.texts.push((path, one.text.clone()));
                }
                Err(errors) => {
                    let named = |error| FolderProblem::Rule { path: PathBuf::from(&path), error };
                    problems.extend(errors.into_iter().map(named));
                }
            }
        }
        if set.rules.len() > RULES_MAX {
            problems.push(FolderProblem::Rules);
            return (self.clone(), problems);
        }
        (set, problems)
    }

    /// Returns the rules that watch a logspace.
    pub(crate) fn watching(&self, logspace: &str) -> Vec<Arc<Rule>> {
        self.rules.iter().filter(|rule| rule.watches(logspace)).cloned().collect()
    }
}

/// Returns true for the file of channels and routes, which stands among those of rules.
pub fn is_of_notifications(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "notifications")
}

/// Reads the text of the file of channels and routes in a folder; none when there is no such file.
pub fn read_notifications_text(folder: &Path) -> Result<Option<(PathBuf, String)>, FolderProblem> {
    let found = match files(folder) {
        Ok(files) => files.into_iter().find(|path| is_of_notifications(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(FolderProblem::Io { path: folder.to_owned(), source }),
    };
    found.map(|path| text(&path).map(|text| (path, text))).transpose()
}

/// The files of rules in a folder, sorted, so that their order is always the same.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_of_rules = path
            .extension()
            .is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known));
        if is_of_rules && !is_hidden {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Returns the text of a file.
fn text(path: &Path) -> Result<String, FolderProblem> {
    let named = |source| FolderProblem::Io { path: path.to_owned(), source };
    let opened = fs::OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path);
    let file = opened.map_err(named)?;
    let mut bytes = Vec::new();
    // One byte more than a file may have: then it is refused as too long.
    file.take(RULES_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(named)?;
    String::from_utf8(bytes).map_err(|_| FolderProblem::NotUtf8 { path: path.to_owned() })
}
