//! `wildcard-file()`: follows every file of a folder whose name matches.
//!
//! In: a folder and a pattern. Out: one follower per file. Holds: the set of followed files.
//! Limits: `max-files()`, logged once when reached; folders [`DEPTH_MAX`] deep; links to folders are not entered.

use super::{Following, Track, follow};
use crate::{
    batch_reader::BatchReader,
    options::WildcardSource,
    positions::{PositionOwner, Positions},
    source::SettingsCell,
};
use std::{
    collections::HashSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;
use transport::{InternalLog, Reactors};

/// Deepest folder below the base that is searched.
const DEPTH_MAX: usize = 16;

/// The files to follow, and the parts that their readers share.
pub(crate) struct FollowingAll {
    pub(crate) options: WildcardSource,
    pub(crate) cell: Arc<SettingsCell>,
    pub(crate) positions: Positions,
    pub(crate) owner: PositionOwner,
    pub(crate) reactors: Reactors,
    pub(crate) log: InternalLog,
}

type Followed = Arc<Mutex<HashSet<PathBuf>>>;

/// Looks for files until it is stopped.
pub(crate) async fn follow_all(what: FollowingAll, mut stop: watch::Receiver<bool>) {
    let followed = Followed::default();
    let mut appeared = Appeared::Before;
    let mut full = false;
    loop {
        let mut found = Vec::new();
        search(&what.options.folder, &what.options, 0, &mut found);
        found.sort();
        for path in found {
            let mut known = followed.lock().unwrap_or_else(PoisonError::into_inner);
            if known.contains(&path) {
                continue;
            }
            if known.len() >= what.options.files_max {
                if !full {
                    what.log.warning(&format!(
                        "Number of allowed monitored file is reached, rejecting read file; source='{}', filename='{}', max_files='{}'",
                        what.cell.settings().id, path.display(), what.options.files_max
                    ));
                }
                full = true;
                break;
            }
            known.insert(path.clone());
            drop(known);
            start(&what, path, appeared, followed.clone(), stop.clone());
        }
        appeared = Appeared::Later;
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(what.options.poll_every) => {}
        }
    }
}

/// Since when a file exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Appeared {
    /// Since before the source was started.
    Before,
    Later,
}

fn start(
    what: &FollowingAll,
    path: PathBuf,
    appeared: Appeared,
    followed: Followed,
    stop: watch::Receiver<bool>,
) {
    let following = Following {
        poll_every: what.options.poll_every,
        // A file that appears later is read from its start, whatever holds for those that were there.
        from_start: what.options.from_start || appeared == Appeared::Later,
        ends_when_gone: true,
        track: Track::new(what.owner.position_name(&path), what.positions.clone()),
        batch_reader: BatchReader::new(&what.cell),
        log: what.log.clone(),
        path: path.clone(),
    };
    what.reactors.spawn_on_files(async move {
        follow(following, stop).await;
        followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&path);
    });
}

fn search(folder: &Path, options: &WildcardSource, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            if options.recursive && depth < DEPTH_MAX {
                search(&path, options, depth + 1, found);
            }
            continue;
        }
        if is_wanted(options, &entry.file_name()) && path.is_file() {
            found.push(path);
        }
    }
}

/// Returns whether the name of a file fits the patterns.
fn is_wanted(options: &WildcardSource, name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let excluded = options.excluded.as_ref().is_some_and(|pattern| fits(pattern.as_bytes(), name));
    fits(options.pattern.as_bytes(), name) && !excluded
}

/// Returns whether a source would find a file with this path if it existed.
pub(crate) fn looks_for(options: &WildcardSource, path: &Path) -> bool {
    let below = path.parent().and_then(|folder| folder.strip_prefix(&options.folder).ok());
    let depth = below.map(|below| below.components().count());
    let is_near = depth.is_some_and(|depth| depth == 0 || options.recursive && depth <= DEPTH_MAX);
    is_near && path.file_name().is_some_and(|name| is_wanted(options, name))
}

/// Returns whether a name fits a pattern of `*` and `?`.
pub(super) fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    // The position of the last star, and how much of the name it consumes.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((star_at, swallowed)) => {
                    star = Some((star_at, swallowed + 1));
                    at = star_at + 1;
                    in_name = swallowed + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}
