//! Queues on disk of lanes that a destination no longer has.
//!
//! In: the folders of the queues of a configuration. Out: a warning for each queue beside them that has the name of a lane,
//! and messages, but no destination. Holds: nothing. Limits: a queue that somebody uses is not examined.

use crate::spool::{QueueDrain, is_queue};
use message::Severity;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};
use transport::{InternalLog, stats::SEVERITIES};

/// Reports the queues with messages of lanes that the destinations with these queues had before.
pub(super) fn report(folders: &HashSet<PathBuf>, log: &InternalLog) {
    for path in folders.iter().flat_map(|folder| lanes(folder)).filter(|path| !folders.contains(path)) {
        let waiting = waiting(&path);
        if waiting > 0 {
            log.warning(&format!(
                "Messages wait in a disk buffer of a lane that is no longer configured: configure it again, or give its queue to \
                 a destination with `duramen queue assign`; folder='{}', messages='{waiting}'",
                path.display()
            ));
        }
    }
}

/// Returns the folders that the lanes beside a queue would have.
fn lanes(folder: &Path) -> Vec<PathBuf> {
    let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let of = |severity: u8| folder.with_file_name(format!("{name}.{}", Severity(severity).name()));
    (0..SEVERITIES as u8).map(of).collect()
}

fn waiting(folder: &Path) -> u64 {
    if !is_queue(folder) {
        return 0;
    }
    QueueDrain::open(folder).ok().flatten().map_or(0, |queue| queue.waiting())
}

#[cfg(test)]
mod tests {
    //! Queues beside others.

    use super::*;
    use crate::spool::QueueAppender;
    use message::{Ack, Batch, Message, Origin, Stamp};
    use std::sync::Arc;

    #[test]
    fn a_lane_without_destination_is_known_by_its_name_and_its_messages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d#0");
        assert_eq!(lanes(&path)[3], folder.path().join("d#0.err"));
        assert_eq!(waiting(&lanes(&path)[3]), 0);
        let mut queue = QueueAppender::open(&lanes(&path)[3]).unwrap();
        let mut batch =
            Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
        batch.messages = vec![Message::default(); 3];
        queue.append(&batch).unwrap();
        // It is in use.
        assert_eq!(waiting(&lanes(&path)[3]), 0);
        queue.close().unwrap();
        assert_eq!(waiting(&lanes(&path)[3]), 3);
        assert_eq!(waiting(&lanes(&path)[4]), 0);
    }
}
