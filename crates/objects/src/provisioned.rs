//! The folder of objects: files that an administrator keeps beside the configuration.
//!
//! In: a folder. Out: its objects, which can only be read here, and the problems of those files that are none. Holds both.
//! Limits: [`FILES_MAX`] files of [`FILE_BYTES_MAX`]; other endings than `.json` are left alone, folders inside are not read.
//! A file with a fault costs itself only.

mod built_in;

pub(crate) use built_in::BUILT_IN;

use crate::{
    acl::UserId,
    file::{FileError, FileObject, ObjectFile},
    id::ObjectId,
    limits::{FILE_BYTES_MAX, FILES_MAX},
};
use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// A file of the folder that is no object.
#[derive(Debug)]
pub struct Problem {
    /// The file, or the folder.
    pub path: PathBuf,
    /// The fault.
    pub reason: ProblemReason,
}

/// The faults of files.
#[derive(Debug)]
pub enum ProblemReason {
    /// It cannot be read.
    Io(io::Error),
    /// It is no ordinary file.
    Irregular,
    /// It is larger than a file of an object can be.
    Size,
    /// There are too many files; this one and those after it are not read.
    Count,
    /// Its bytes are no object.
    Content(FileError),
    /// Another file has the same id.
    Id {
        /// The other file.
        other: PathBuf,
    },
    /// Another file has the same kind, owner, folder and name.
    Name {
        /// The other file.
        other: PathBuf,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.reason {
            ProblemReason::Content(error) => write!(f, ":{error}"),
            reason => write!(f, ": {reason}"),
        }
    }
}

impl fmt::Display for ProblemReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemReason::Io(error) => error.fmt(f),
            ProblemReason::Irregular => f.write_str("it is no ordinary file"),
            ProblemReason::Size => write!(f, "it has more than {FILE_BYTES_MAX} bytes"),
            ProblemReason::Count => write!(f, "only the first {FILES_MAX} files are read"),
            ProblemReason::Content(error) => error.fmt(f),
            ProblemReason::Id { other } => write!(f, "{} has the same id", other.display()),
            ProblemReason::Name { other } => write!(f, "{} has the same name", other.display()),
        }
    }
}

impl std::error::Error for Problem {}

/// The objects of a folder.
#[derive(Default, Debug)]
pub(crate) struct Provisioned {
    pub(crate) objects: BTreeMap<ObjectId, (PathBuf, FileObject)>,
    pub(crate) problems: Vec<Problem>,
}

impl Provisioned {
    /// Reads a folder; one that is not there has no objects.
    pub(crate) fn read(folder: &Path) -> Provisioned {
        let mut provisioned = Provisioned::default();
        match files(folder) {
            Ok(files) => provisioned.take(files.into_iter().map(|path| {
                let object = bytes_of(&path).and_then(|bytes| decoded(&bytes));
                (path, object)
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => provisioned.refuse(folder, ProblemReason::Io(error)),
        }
        provisioned
    }

    /// Adds the objects that are a part of the program, unless files have their ids or names.
    pub(crate) fn add_built_in(&mut self) {
        for object in built_in::objects() {
            let is_named = self.objects.values().any(|(_, other)| {
                let (one, other_content) = (&object.content, &other.content);
                other.owner == object.owner
                    && (one.kind, &one.folder, &one.name)
                        == (other_content.kind, &other_content.folder, &other_content.name)
            });
            if !is_named {
                self.objects.entry(object.id.clone()).or_insert_with(|| (PathBuf::from(BUILT_IN), object));
            }
        }
    }

    /// Reads files whose bytes are known.
    pub(crate) fn of_files(files: &[ObjectFile]) -> Provisioned {
        let mut provisioned = Provisioned::default();
        provisioned.take(files.iter().map(|file| (file.path.clone(), decoded(&file.bytes))));
        provisioned
    }

    fn refuse(&mut self, path: &Path, reason: ProblemReason) {
        self.problems.push(Problem { path: path.to_owned(), reason });
    }

    fn take(&mut self, files: impl Iterator<Item = (PathBuf, Result<FileObject, ProblemReason>)>) {
        let mut names: BTreeMap<(&str, UserId, String, String), PathBuf> = BTreeMap::new();
        for (number, (path, object)) in files.enumerate() {
            if number == FILES_MAX {
                return self.refuse(&path, ProblemReason::Count);
            }
            let object = match object {
                Ok(object) => object,
                Err(reason) => {
                    self.refuse(&path, reason);
                    continue;
                }
            };
            let content = &object.content;
            let owner = object.owner.clone();
            let name = (content.kind.name, owner, content.folder.clone(), content.name.clone());
            if let Some((other, _)) = self.objects.get(&object.id) {
                let other = other.clone();
                self.refuse(&path, ProblemReason::Id { other });
            } else if let Some(other) = names.get(&name) {
                let other = other.clone();
                self.refuse(&path, ProblemReason::Name { other });
            } else {
                names.insert(name, path.clone());
                self.objects.insert(object.id.clone(), (path.clone(), object));
            }
        }
    }
}

/// The files of a folder that end in `.json`, sorted, so that the same one of two is taken each time.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.extension().is_some_and(|ending| ending == "json") && !is_hidden {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Reads the bytes of a file.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, ProblemReason> {
    // Opening a pipe would wait for its writer.
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(ProblemReason::Io)?;
    if !file.metadata().map_err(ProblemReason::Io)?.is_file() {
        return Err(ProblemReason::Irregular);
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(ProblemReason::Io)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ProblemReason::Size);
    }
    Ok(bytes)
}

/// Reads the object of a file's bytes.
fn decoded(bytes: &[u8]) -> Result<FileObject, ProblemReason> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ProblemReason::Size);
    }
    FileObject::decode(bytes).map_err(ProblemReason::Content)
}
