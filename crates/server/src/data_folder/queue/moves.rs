//! `duramen queue relocate`, `assign` and `truncate`: a queue in another folder, for another destination, or without the
//! space that it does not need.
//!
//! In: queues that no server uses. Out: the same queues elsewhere. Holds: the lock of the queue that is moved.
//! Limits: an existing queue is never replaced. To another file system a queue is copied, and only then removed.

use super::error::MoveError;
use clap::Args;
use delivery::{
    LookError, QueueAppender, SharedLogLock, is_consumer_file, is_shared_log, lock_shared_log, queues,
    shrink_queue,
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

/// Options of `queue relocate`.
#[derive(Args, Debug)]
pub(super) struct RelocateOptions {
    /// The folder that gets the queues; it must be there
    #[arg(short = 'n', long, alias = "new_path", value_name = "DIR")]
    new_path: PathBuf,
    /// Queues, logs that destinations share, or folders of them
    #[arg(required = true)]
    queues: Vec<PathBuf>,
}

/// Options of `queue assign`.
#[derive(Args, Debug)]
pub(super) struct AssignOptions {
    /// The destination: its name and the number of its driver, such as d_central#0, or its persist-name()
    #[arg(short = 'n', long, alias = "persist_name", value_name = "NAME")]
    name: OsString,
    /// The queue, or the file of a destination in a log that it shares
    queue: PathBuf,
}

/// Options of `queue truncate`.
#[derive(Args, Debug)]
pub(super) struct TruncateOptions {
    /// Queues, logs that destinations share, or folders of them
    #[arg(required = true)]
    queues: Vec<PathBuf>,
}

/// Runs `relocate`.
pub(super) fn relocate(options: &RelocateOptions) -> Result<(), MoveError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| MoveError::Io { path, source }
    };
    let target = fs::canonicalize(&options.new_path).map_err(failed(&options.new_path))?;
    for folder in &options.queues {
        let found = queues(folder).map_err(failed(folder))?;
        if found.is_empty() {
            return Err(MoveError::NotAQueue(folder.clone()));
        }
        if is_consumer_file(folder) {
            return Err(MoveError::Shared(folder.clone()));
        }
        for queue in folders_of(found) {
            // The name of `.` and the like is that of the folder it stands for.
            let queue = fs::canonicalize(&queue).map_err(failed(&queue))?;
            let name = queue.file_name().ok_or_else(|| MoveError::NotAQueue(queue.clone()))?;
            relocated(&queue, &target.join(name))?;
        }
    }
    Ok(())
}

/// Runs `assign`.
pub(super) fn assign(options: &AssignOptions) -> Result<(), MoveError> {
    let name = Path::new(&options.name);
    let is_plain = name.components().count() == 1 && name.file_name() == Some(&options.name);
    if !is_plain {
        return Err(MoveError::Name(options.name.clone()));
    }
    let failed = |source| MoveError::Io { path: options.queue.clone(), source };
    let queue = fs::canonicalize(&options.queue).map_err(failed)?;
    if queues(&queue).map_err(failed)? != [queue.clone()] {
        return Err(MoveError::NotAQueue(queue));
    }
    let to = match is_consumer_file(&queue) {
        true => {
            let extension = queue.extension().unwrap_or_default();
            let mut file = options.name.clone();
            file.push(".");
            file.push(extension);
            queue.with_file_name(file)
        }
        false => queue.with_file_name(name),
    };
    relocated(&queue, &to)
}

/// Runs `truncate`.
pub(super) fn truncate(options: &TruncateOptions) -> Result<(), MoveError> {
    for folder in &options.queues {
        let failed = |source| MoveError::Io { path: folder.clone(), source };
        let found = queues(folder).map_err(failed)?;
        if found.is_empty() {
            return Err(MoveError::NotAQueue(folder.clone()));
        }
        for queue in folders_of(found) {
            let freed = shrink_queue(&queue).map_err(MoveError::Open)?;
            outln!("{}: {freed} bytes freed", queue.display());
        }
    }
    Ok(())
}

/// Returns the folders of queues, in their order: a log that destinations share is one.
fn folders_of(queues: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for queue in queues {
        let folder = if is_consumer_file(&queue) { parent(&queue).to_owned() } else { queue };
        if folders.last() != Some(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Keeps servers from opening what is moved, until it is dropped.
enum Lock {
    Own { _queue: QueueAppender },
    Shared { _log: SharedLogLock },
}

impl Lock {
    fn of(path: &Path) -> Result<Lock, LookError> {
        if is_consumer_file(path) {
            lock_shared_log(parent(path)).map(|log| Lock::Shared { _log: log })
        } else if is_shared_log(path) {
            lock_shared_log(path).map(|log| Lock::Shared { _log: log })
        } else {
            QueueAppender::open(path).map(|queue| Lock::Own { _queue: queue })
        }
    }
}

/// Moves a queue, and prints where it is.
fn relocated(from: &Path, to: &Path) -> Result<(), MoveError> {
    let failed = |source| MoveError::Io { path: from.to_owned(), source };
    if to.symlink_metadata().is_ok() {
        return Err(MoveError::Exists(to.to_owned()));
    }
    let lock = Lock::of(from).map_err(MoveError::Open)?;
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy(from, to).map_err(failed)?;
            fs::remove_dir_all(from).map_err(failed)?;
        }
        renamed => renamed.map_err(failed)?,
    }
    for folder in [from, to].iter().filter_map(|path| path.parent()) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    drop(lock);
    outln!("{} is now {}", from.display(), to.display());
    Ok(())
}

/// Copies a queue to another file system; it has its name there only once all of it is on the disk.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    match fs::remove_dir_all(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    copy_files(from, &part)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        // The backlogs of a shared log are folders inside of it.
        if entry.file_type()?.is_dir() {
            copy_files(&entry.path(), &part.join(entry.file_name()))?;
        }
    }
    like(from, &part)?;
    fs::rename(&part, to)
}

/// Copies the files of a folder to one that does not exist yet.
fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let copied = to.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            fs::copy(entry.path(), &copied)?;
            like(&entry.path(), &copied)?;
        }
    }
    like(from, to)
}

/// Gives a copy the owner and the rights of the original, and waits until it is on the disk.
fn like(original: &Path, copy: &Path) -> io::Result<()> {
    let wanted = fs::metadata(original)?;
    let now = fs::metadata(copy)?;
    if (now.uid(), now.gid()) != (wanted.uid(), wanted.gid()) {
        chown(copy, Some(wanted.uid()), Some(wanted.gid()))?;
    }
    fs::set_permissions(copy, fs::Permissions::from_mode(wanted.mode() & 0o7777))?;
    File::open(copy)?.sync_all()
}
