//! Sets of files that are included under one name.
//!
//! In: a name. Out: the texts of its files, and the set that defines a block.

use crate::tree::Version;

/// Files that are included together.
pub(crate) struct Set {
    /// Its name in `@include`.
    pub(crate) name: &'static str,
    /// Its files, read in this order.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// The files that differ between versions, read first: up to syslog-ng's last version, and from AxoSyslog's first on.
const OLD: (&str, &str) = ("scl/until-4.11.conf", include_str!("until-4.11.conf"));
const NEW: (&str, &str) = ("scl/since-4.12.conf", include_str!("since-4.12.conf"));

impl Set {
    /// Returns its files for configurations of a version, in the order of reading.
    pub(crate) fn files_of(&self, version: Version) -> Vec<(&'static str, &'static str)> {
        let differing = if version > Version::CURRENT { NEW } else { OLD };
        std::iter::once(differing).chain(self.files.iter().copied()).collect()
    }
}

/// All sets.
pub(crate) const SETS: &[Set] = &[Set {
    name: "scl.conf",
    files: &[
        ("scl/devices.conf", include_str!("devices.conf")),
        ("scl/panos.conf", include_str!("panos.conf")),
        ("scl/programs.conf", include_str!("programs.conf")),
        ("scl/network.conf", include_str!("network.conf")),
        ("scl/web.conf", include_str!("web.conf")),
        ("scl/containers.conf", include_str!("containers.conf")),
        ("scl/destinations.conf", include_str!("destinations.conf")),
    ],
}];

/// Returns the set that defines a block, by the context and the name of its use in keyword spelling.
pub(crate) fn set_with(context: &str, block: &str) -> Option<&'static str> {
    let defines = |content: &str| content.lines().any(|line| defined(line) == Some((context, block)));
    SETS.iter().find(|set| set.files.iter().any(|(_, content)| defines(content))).map(|set| set.name)
}

/// Returns the context and the name of the block whose definition starts on a line.
fn defined(line: &str) -> Option<(&str, &str)> {
    let (context, rest) = line.strip_prefix("block ")?.split_once(' ')?;
    let (name, _) = rest.split_once('(')?;
    Some((context, name))
}
