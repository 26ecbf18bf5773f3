//! Queries of templates to their machine: `$(uuid)`, `$(dns-resolve-ip ...)`, `$(getent ...)`.
//!
//! In: queries. Out: answers of the program around the pipeline. Holds nothing: this is only the interface. Limits:
//! an answer must be immediate: if waiting would be needed it is `None`, and the query is repeated later.

use std::{fmt::Debug, net::IpAddr};

/// The machine, seen from a template.
pub trait Machine: Send + Sync + Debug {
    /// Fills bytes at random.
    fn fill_random(&self, bytes: &mut [u8]);

    /// Returns the name of an address.
    fn host_name(&self, address: IpAddr, lookup: NameLookup) -> Option<String>;

    /// Returns a member of an entry of one of the system's databases; an empty member means the default one.
    fn entry(&self, database: Database, key: &str, member: &str) -> Option<String>;
}

/// Options for looking up and showing the name of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameLookup {
    /// True to use only the hosts file and no name server.
    pub hosts_only: bool,
    /// True when answers are cached.
    pub cached: bool,
    /// The name is shown with its domain.
    pub full: bool,
    /// The name is shown in lower case.
    pub lower: bool,
}

impl Default for NameLookup {
    fn default() -> Self {
        NameLookup { hosts_only: false, cached: true, full: false, lower: false }
    }
}

/// The databases of `$(getent ...)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Database {
    /// Users.
    Passwd,
    /// Groups.
    Group,
    /// Ports of services.
    Services,
    /// Numbers of protocols.
    Protocols,
}

impl Database {
    /// Returns the database of a name, and its members.
    pub(crate) fn from_name(name: &str) -> Option<(Database, &'static [&'static str])> {
        Some(match name {
            "passwd" => (Database::Passwd, &["name", "uid", "gid", "gecos", "dir", "shell"]),
            "group" => (Database::Group, &["name", "gid", "members"]),
            "services" => (Database::Services, &[]),
            "protocols" => (Database::Protocols, &[]),
            _ => return None,
        })
    }
}
