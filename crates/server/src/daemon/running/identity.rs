//! The identity of this server: `${HOSTID}` and `${RUNID}`, kept across restarts.
//!
//! In: the data folder. Out: the host id, made once, and the number of this run. Holds a small file.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// The two ids.
pub(crate) struct Identity {
    /// 32 bits, made at the first start.
    pub(crate) host_id: u32,
    /// Counts starts, from 1.
    pub(crate) run_id: u32,
}

/// Reads the ids and counts this start. A damaged file leads to a new host id.
pub(crate) fn start(data: &Path) -> io::Result<Identity> {
    let path = data.join("identity");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut words = text.split_whitespace();
    let host_id = words.next().and_then(|word| u32::from_str_radix(word, 16).ok());
    let run_id = words.next().and_then(|word| word.parse::<u32>().ok()).unwrap_or(0);
    let identity = Identity { host_id: host_id.unwrap_or_else(fresh), run_id: run_id.wrapping_add(1) };
    let next = data.join("identity.new");
    // After a power cut, an incomplete file would lead to another host id.
    let mut file = journal::create_private(&next)?;
    file.write_all(format!("{:08x} {}\n", identity.host_id, identity.run_id).as_bytes())?;
    file.sync_all()?;
    fs::rename(next, path)?;
    fs::File::open(data)?.sync_all()?;
    Ok(identity)
}

/// Returns a number that other machines are unlikely to have: the time, mixed. Not a secret.
fn fresh() -> u32 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let mixed = (nanos ^ u64::from(std::process::id()).rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 32) as u32).max(1)
}

#[cfg(test)]
mod tests {
    //! Starts in a folder of the test.

    use super::*;

    #[test]
    fn the_host_stays_and_runs_count() {
        let folder = tempfile::tempdir().unwrap();
        let first = start(folder.path()).unwrap();
        let second = start(folder.path()).unwrap();
        assert_eq!(first.host_id, second.host_id);
        assert_eq!((first.run_id, second.run_id), (1, 2));
        fs::write(folder.path().join("identity"), "garbage").unwrap();
        assert_eq!(start(folder.path()).unwrap().run_id, 1);
    }
}
