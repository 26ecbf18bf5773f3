//! The memory that this program may use.
//!
//! In: `/proc` and `/sys/fs/cgroup`. Out: the smallest limit of our control group and those around it, or the
//! memory of the machine. Limits: a file that cannot be read counts as no limit.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the bytes of memory that this program may use; none when the system does not say.
pub(super) fn usable_bytes() -> Option<u64> {
    bytes_under(Path::new("/"))
}

fn bytes_under(root: &Path) -> Option<u64> {
    let of_machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| total(&text));
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|line| limit_files(root, line)).filter_map(|file| {
        // `max` is not a number: there is no limit.
        fs::read_to_string(file).ok()?.trim().parse().ok()
    });
    limits.chain(of_machine).min()
}

/// `MemTotal:       24576000 kB`
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the files with the limits of a line of `/proc/self/cgroup`, `0::/a/b` or `9:memory:/a/b`: those of
/// the group and of the groups around it. In a container the last one is the container's limit.
fn limit_files(root: &Path, line: &str) -> Vec<PathBuf> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (folder, name) = match parts.next() {
        Some("") => ("sys/fs/cgroup", "memory.max"),
        Some(kinds) if kinds.split(',').any(|kind| kind == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let group = parts.next().unwrap_or_default().trim_start_matches('/');
    Path::new(group).ancestors().map(|group| root.join(folder).join(group).join(name)).collect()
}

#[cfg(test)]
mod tests {
    //! Rows for control groups.

    use super::*;

    #[track_caller]
    fn check(groups: &str, limits: &[(&str, &str)], want: Option<u64>) {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/meminfo", "MemTotal:        1000 kB\nMemFree:  10 kB\n");
        write("proc/self/cgroup", groups);
        limits.iter().for_each(|(path, text)| write(&format!("sys/fs/cgroup/{path}"), text));
        assert_eq!(bytes_under(root.path()), want, "{groups:?} {limits:?}");
    }

    #[test]
    fn h5_the_smallest_limit_counts() {
        let unit = "0::/system.slice/duramen.service\n";
        check(unit, &[], Some(1_024_000));
        check(unit, &[("system.slice/duramen.service/memory.max", "5000\n")], Some(5_000));
        check(unit, &[("system.slice/duramen.service/memory.max", "max\n")], Some(1_024_000));
        check(unit, &[("system.slice/memory.max", "7000\n")], Some(7_000));
        check(unit, &[("memory.max", "6000\n")], Some(6_000));
        check("9:cpu,memory:/a\n", &[("memory/a/memory.limit_in_bytes", "4096\n")], Some(4_096));
        check(
            "9:memory:/a\n",
            &[("memory/a/memory.limit_in_bytes", "9223372036854771712\n")],
            Some(1_024_000),
        );
        assert_eq!(bytes_under(Path::new("/nowhere")), None);
    }
}
