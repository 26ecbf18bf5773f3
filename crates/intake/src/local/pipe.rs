//! `pipe()`, and `file()` of a device (`/proc/kmsg`).
//!
//! In: a path. Out: batches. Holds: the open pipe. Limits: an error is tried again after [`AGAIN`].

use super::{Local, origin_of};
use crate::{
    options::PipeSource,
    session::{self, End, Stream},
    source::{SettingsCell, SourceDriver},
};
use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::net::unix::pipe;
use transport::{folders, sys};

/// Pause after an error.
const AGAIN: Duration = Duration::from_secs(10);
/// Mode of created pipes, as syslog-ng's.
const PIPE_MODE: u32 = 0o600;
/// The kernel's messages: a regular file by its type, a device by its nature.
const KERNEL_MESSAGES: &str = "/proc/kmsg";

/// Returns whether a path is a pipe or device, which is waited for and not followed.
pub(crate) fn is_device(path: &Path) -> bool {
    let is_special = |metadata: fs::Metadata| {
        let kind = metadata.file_type();
        kind.is_char_device() || kind.is_fifo()
    };
    path == Path::new(KERNEL_MESSAGES) || fs::metadata(path).is_ok_and(is_special)
}

/// Reads a pipe or device until it is stopped.
pub(crate) async fn read_pipe(mut here: Local, path: PathBuf) {
    let options = options(&here.cell);
    let origin = origin_of(path.display().to_string());
    loop {
        let mut stop = here.stop.clone();
        let end = match open(&path, options.as_ref()) {
            Ok(mut stream) => {
                session::run(&mut stream, &mut here.batch_reader(), &origin, &mut stop, None).await
            }
            Err(error) => End::Failed(error),
        };
        match end {
            End::Stopped => return,
            End::Failed(error) => here.log.error(&format!(
                "Error reading a pipe, trying again; filename='{}', error='{error}'",
                path.display()
            )),
            End::Closed | End::Cut | End::Idle => {}
        }
        if !here.pause(AGAIN).await {
            return;
        }
    }
}

fn options(cell: &Arc<SettingsCell>) -> Option<PipeSource> {
    match &cell.settings().driver {
        SourceDriver::Pipe(options) => Some(options.clone()),
        _ => None,
    }
}

fn open(path: &Path, options: Option<&PipeSource>) -> io::Result<Stream> {
    if let Some(PipeSource { permissions, folders: above, .. }) = options {
        if !path.exists() {
            folders::create_above(path, above.as_ref())?;
            sys::make_pipe(path, permissions.mode.unwrap_or(PIPE_MODE))?;
        }
        if permissions.owner.is_some() || permissions.group.is_some() {
            chown(path, permissions.owner, permissions.group)?;
        }
        if let Some(mode) = permissions.mode {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
    }
    if fs::metadata(path)?.file_type().is_fifo() {
        // Open for writing too: the end of one writer is not the end of the pipe.
        return Ok(Stream::Pipe(pipe::OpenOptions::new().read_write(true).open_receiver(path)?));
    }
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    Ok(Stream::Device(sys::readiness(file)?))
}
