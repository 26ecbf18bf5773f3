//! Preserves damaged queues for inspection.
//!
//! In: a file or folder. Out: a copy or a new name beside it, and a message. Holds: nothing.
//! Limits: a file is copied once; when even that fails, the message says so.

use journal::Damage;
use std::{fs, io, path::Path};
use transport::InternalLog;

/// Renames a folder.
pub(super) fn move_folder(folder: &Path, why: &str, log: &InternalLog) -> io::Result<()> {
    let mut number = 0;
    let free = loop {
        let name = folder.with_extension(format!("corrupted-{number}"));
        if !name.exists() {
            break name;
        }
        number += 1;
    };
    fs::rename(folder, &free)?;
    log.error(&format!(
        "A disk buffer cannot be used, beginning a new one; folder='{}', moved_to='{}', error='{why}'",
        folder.display(),
        free.display()
    ));
    Ok(())
}

/// Copies a damaged file, because the original is removed once it is delivered.
pub(crate) fn keep_file(damage: &Damage, log: &InternalLog) {
    let copy = damage.path.with_extension("corrupted");
    let kept = damage.bytes > 0 && (copy.exists() || fs::copy(&damage.path, &copy).is_ok());
    log.error(&format!(
        "Messages of a disk buffer cannot be read; messages='{}', error='{damage}', copy='{}'",
        damage.lost.end - damage.lost.start,
        if kept { copy.display().to_string() } else { "none".to_owned() }
    ));
}
