//! How much memory this program may use.
//!
//! In: `/proc/meminfo`, and the limits of its control group (version 2). Out: the smallest of them.
//! Holds: nothing. Limits: a limit that cannot be read counts as none.

use std::{fs, path::Path};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// Returns the bytes of memory that this program may use; none when the system does not say.
pub(super) fn usable_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_bytes(&text));
    let group = fs::read_to_string("/proc/self/cgroup").ok();
    let group = group.as_deref().and_then(group_path).and_then(|path| group_bytes(Path::new(GROUPS), path));
    machine.into_iter().chain(group).min()
}

/// The line `MemTotal:  24684964 kB`, in bytes.
fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The path of the control group: the line `0::/system.slice/duramen.service`.
fn group_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::/"))
}

/// The smallest limit of a group and those above it.
fn group_bytes(root: &Path, path: &str) -> Option<u64> {
    let limit = |folder: &Path| {
        let text = fs::read_to_string(root.join(folder).join("memory.max")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    Path::new(path).ancestors().filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_counts() {
        assert_eq!(total_bytes("MemFree: 1 kB\nMemTotal:       24684964 kB\n"), Some(24_684_964 << 10));
        assert_eq!(total_bytes("MemTotal: many kB\n"), None);
        assert_eq!(group_path("1:x:/y\n0::/a.slice/b.service\n"), Some("a.slice/b.service"));
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a.slice/b.service")).unwrap();
        assert_eq!(group_bytes(root.path(), "a.slice/b.service"), None);
        fs::write(root.path().join("a.slice/memory.max"), "1000\n").unwrap();
        fs::write(root.path().join("a.slice/b.service/memory.max"), "max\n").unwrap();
        assert_eq!(group_bytes(root.path(), "a.slice/b.service"), Some(1000));
    }
}
