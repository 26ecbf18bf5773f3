//! The journal: whatever its file contains, opening ends, and reading yields records or reports damage.

use journal::{Journal, Options, OsDisk, Read};
use std::{fs, sync::Arc};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let name = format!("journal-{:020}.dj", 0);
    fs::write(folder.path().join(name), bytes).expect("memory takes a file");
    let Ok((mut journal, _)) = Journal::open(Arc::new(OsDisk), folder.path(), Options::default()) else {
        return;
    };
    let mut reader = journal.reader(0);
    for _ in 0..10_000 {
        match reader.read() {
            Ok(Read::End) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let _ = journal.append(1, &mut |out| out.extend_from_slice(b"one more"));
    let _ = journal.commit();
}
