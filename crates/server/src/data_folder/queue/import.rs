//! `duramen queue import`: takes over what waits in the disk buffers of syslog-ng, or for a destination in a log that it
//! shared.
//!
//! In: their files, and a queue of ours that no server uses. Out: the same messages, at the end of the queue; the
//! files, renamed, so that they are not taken over twice. Limits: `capacity-bytes()` is not looked at. Interrupted
//! between the last message of a file and its renaming, messages come twice if it is run again.

use super::{
    diskq::{self, DiskqSummary},
    error::{ImportError, QueueError},
};
use clap::Args;
use delivery::{QueueAppender, SharedQueue, is_consumer_file};
use std::{
    fs,
    os::unix::fs::{MetadataExt, lchown},
    path::{Path, PathBuf},
};

/// Added to the names of files that were taken over.
const DONE: &str = ".imported";

/// Options of `queue import`.
#[derive(Args, Debug)]
pub(super) struct ImportOptions {
    /// The queue that gets the messages, such as /var/lib/duramen/disk-buffers/d_central#0; created if it is missing
    #[arg(long, value_name = "QUEUE")]
    into: PathBuf,
    /// Leave the files as they are
    #[arg(long)]
    keep: bool,
    /// Queue files of syslog-ng (.rqf, .qf), the oldest first; files of destinations in shared logs (.consumer)
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs the verb.
pub(super) fn run(options: &ImportOptions) -> Result<(), QueueError> {
    for file in &options.files {
        fs::metadata(file).map_err(|source| QueueError::Folder { path: file.clone(), source })?;
        if !diskq::is_diskq(file) && !is_consumer_file(file) {
            return Err(QueueError::Import(ImportError::NotAQueue(file.clone())));
        }
    }
    let mut queue = open(&options.into).map_err(QueueError::Import)?;
    let mut errors = Vec::new();
    for file in &options.files {
        if is_consumer_file(file) {
            match take_consumer(file, &mut queue, options) {
                Ok(damages) => errors.extend(damages.into_iter().map(QueueError::Damaged)),
                Err(error) => {
                    errors.push(QueueError::Import(error));
                    break;
                }
            }
            continue;
        }
        match take_over(file, &mut queue) {
            Ok(found) => {
                outln!("{}: {} messages", file.display(), found.messages);
                errors.extend(found.damages.into_iter().map(QueueError::Damaged));
                if !options.keep {
                    errors.extend(rename(file).err().map(QueueError::Import));
                }
            }
            Err(error) => {
                errors.push(error);
                break;
            }
        }
    }
    let appended = queue.appended();
    let closed = queue.close().map_err(ImportError::Append).and_then(|()| give_to_owner(&options.into));
    errors.extend(closed.err().map(QueueError::Import));
    outln!("{}: {appended} messages added", options.into.display());
    if errors.is_empty() { Ok(()) } else { Err(QueueError::Several(errors)) }
}

/// Opens the queue. The folder above it must be there: otherwise the name is probably wrong.
fn open(folder: &Path) -> Result<QueueAppender, ImportError> {
    let above = above(folder);
    fs::metadata(above).map_err(|error| ImportError::Above(above.to_owned(), error))?;
    QueueAppender::open(folder).map_err(ImportError::Open)
}

fn above(folder: &Path) -> &Path {
    folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn take_over(file: &Path, queue: &mut QueueAppender) -> Result<DiskqSummary, QueueError> {
    let mut failed = None;
    let found = diskq::read(file, &mut |batch| {
        failed = queue.append(batch).err();
        failed.is_none()
    });
    match failed {
        Some(error) => Err(QueueError::Import(ImportError::Append(error))),
        None => found.map_err(QueueError::Diskq),
    }
}

/// Takes over what waits for a destination in a shared log, and removes the destination from the log. Returns its
/// damaged parts.
fn take_consumer(
    file: &Path,
    queue: &mut QueueAppender,
    options: &ImportOptions,
) -> Result<Vec<String>, ImportError> {
    let shared = SharedQueue::open(file).map_err(ImportError::Shared)?;
    let mut failed = Ok(());
    let found = shared.read(&mut |batch, _| {
        if failed.is_ok() {
            failed = queue.append(batch);
        }
    });
    failed.map_err(ImportError::Append)?;
    let found = found.map_err(ImportError::Shared)?;
    outln!("{}: {} messages", file.display(), found.messages);
    if !options.keep {
        shared.remove().map_err(|error| ImportError::Forget(file.to_owned(), error))?;
    }
    Ok(found.damages)
}

/// Gives the queue to the owner of the folder above it: the server may run as another user than this command.
fn give_to_owner(folder: &Path) -> Result<(), ImportError> {
    let failed = |error| ImportError::Owner(folder.to_owned(), error);
    let wanted = fs::metadata(above(folder)).map_err(failed)?;
    let mut paths = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    for path in paths {
        let now = fs::symlink_metadata(&path).map_err(failed)?;
        if (now.uid(), now.gid()) != (wanted.uid(), wanted.gid()) {
            lchown(&path, Some(wanted.uid()), Some(wanted.gid())).map_err(failed)?;
        }
    }
    Ok(())
}

fn rename(file: &Path) -> Result<(), ImportError> {
    let mut name = file.as_os_str().to_owned();
    name.push(DONE);
    fs::rename(file, name).map_err(|error| ImportError::Rename(file.to_owned(), error))
}
