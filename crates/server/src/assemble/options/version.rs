//! Defaults that changed with the version of the language: `@version` decides which ones apply.
//!
//! In: the version of a configuration. Out: its defaults. Holds: nothing. Differences in filters and
//! templates are in their own files. Limits: configurations for versions before 3.0 are refused.

use super::globals::Globals;
use config::tree::Version;

/// First version in which unix sockets and pipes do not expect a host name in a message.
pub(crate) const LOCAL_WITHOUT_HOST: Version = Version { major: 3, minor: 2 };
/// First version in which `syslog(transport(udp))` uses port 514.
const SYSLOG_UDP_514: Version = Version { major: 3, minor: 3 };
/// First version in which the fields of the journal have a prefix.
pub(crate) const JOURNAL_PREFIX: Version = Version { major: 3, minor: 8 };
/// First version in which the files of a disk buffer keep a share of their size.
pub(crate) const TRUNCATES_TO_RATIO: Version = Version { major: 3, minor: 33 };

impl Globals<'_> {
    /// Returns true if the configuration is written for a version before this one.
    pub(crate) fn is_older(&self, version: Version) -> bool {
        self.version.is_some_and(|written| written < version)
    }

    /// Returns the default port of `network()`, `syslog()` or an old spelling, by name.
    pub(crate) fn usual_port(&self, driver: &str, transport: &str) -> u16 {
        match (driver, transport) {
            ("syslog", "udp") if self.is_older(SYSLOG_UDP_514) => 601,
            ("syslog", "udp") => 514,
            ("syslog", transport) if transport.contains("tls") => 6514,
            ("syslog", _) => 601,
            _ => 514,
        }
    }
}
