//! The named patterns: those of the library, and those of users.
//!
//! In: the name of a set; lines `NAME regular expression`. Out: expressions by name; a later one of a name replaces
//! an earlier one. The texts are those of logstash-patterns-core, see `patterns/NOTICE`.
//! Limits: [`LINE_BYTES_MAX`] bytes a line.

use std::{collections::HashMap, fmt};

/// Longest line of a pattern file.
const LINE_BYTES_MAX: usize = 64 << 10;

const LEGACY: &[&str] = &[
    include_str!("patterns/legacy/aws"),
    include_str!("patterns/legacy/bacula"),
    include_str!("patterns/legacy/bind"),
    include_str!("patterns/legacy/bro"),
    include_str!("patterns/legacy/exim"),
    include_str!("patterns/legacy/firewalls"),
    include_str!("patterns/legacy/grok-patterns"),
    include_str!("patterns/legacy/haproxy"),
    include_str!("patterns/legacy/httpd"),
    include_str!("patterns/legacy/java"),
    include_str!("patterns/legacy/junos"),
    include_str!("patterns/legacy/linux-syslog"),
    include_str!("patterns/legacy/maven"),
    include_str!("patterns/legacy/mcollective"),
    include_str!("patterns/legacy/mcollective-patterns"),
    include_str!("patterns/legacy/mongodb"),
    include_str!("patterns/legacy/nagios"),
    include_str!("patterns/legacy/postgresql"),
    include_str!("patterns/legacy/rails"),
    include_str!("patterns/legacy/redis"),
    include_str!("patterns/legacy/ruby"),
    include_str!("patterns/legacy/squid"),
];

const ECS_V1: &[&str] = &[
    include_str!("patterns/ecs-v1/aws"),
    include_str!("patterns/ecs-v1/bacula"),
    include_str!("patterns/ecs-v1/bind"),
    include_str!("patterns/ecs-v1/bro"),
    include_str!("patterns/ecs-v1/exim"),
    include_str!("patterns/ecs-v1/firewalls"),
    include_str!("patterns/ecs-v1/grok-patterns"),
    include_str!("patterns/ecs-v1/haproxy"),
    include_str!("patterns/ecs-v1/httpd"),
    include_str!("patterns/ecs-v1/java"),
    include_str!("patterns/ecs-v1/junos"),
    include_str!("patterns/ecs-v1/linux-syslog"),
    include_str!("patterns/ecs-v1/maven"),
    include_str!("patterns/ecs-v1/mcollective"),
    include_str!("patterns/ecs-v1/mongodb"),
    include_str!("patterns/ecs-v1/nagios"),
    include_str!("patterns/ecs-v1/postgresql"),
    include_str!("patterns/ecs-v1/rails"),
    include_str!("patterns/ecs-v1/redis"),
    include_str!("patterns/ecs-v1/ruby"),
    include_str!("patterns/ecs-v1/squid"),
    include_str!("patterns/ecs-v1/zeek"),
];

/// A set of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GrokSet {
    /// Names of the Elastic Common Schema: `[source][ip]`.
    #[default]
    EcsV1,
    /// The names of old: `clientip`.
    Legacy,
}

impl GrokSet {
    /// All names, for messages to users.
    pub const NAMES: [&str; 2] = ["ecs-v1", "legacy"];

    /// Returns the set of a name.
    pub fn from_name(name: &str) -> Option<GrokSet> {
        match name {
            "ecs-v1" => Some(GrokSet::EcsV1),
            "legacy" => Some(GrokSet::Legacy),
            _ => None,
        }
    }
}

/// Error in a line of a pattern file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryError {
    /// Its number, from 1.
    pub line: usize,
    /// The fault in it.
    pub reason: String,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.reason)
    }
}

impl std::error::Error for LibraryError {}

/// Patterns by name.
#[derive(Clone, Debug, Default)]
pub struct GrokLibrary {
    patterns: HashMap<String, String>,
}

impl GrokLibrary {
    /// Returns the patterns of a set.
    pub fn of(set: GrokSet) -> GrokLibrary {
        let files = match set {
            GrokSet::EcsV1 => ECS_V1,
            GrokSet::Legacy => LEGACY,
        };
        let mut library = GrokLibrary::default();
        for file in files {
            let read = library.add_file(file);
            debug_assert_eq!(read, Ok(()));
        }
        library
    }

    /// Adds the patterns of a file.
    pub fn add_file(&mut self, text: &str) -> Result<(), LibraryError> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let error = |reason: String| LibraryError { line: number + 1, reason };
            if line.len() > LINE_BYTES_MAX {
                return Err(error(format!("line of {} bytes is longer than {LINE_BYTES_MAX}", line.len())));
            }
            let Some((name, pattern)) = line.split_once([' ', '\t']) else {
                return Err(error(format!("a pattern is missing after the name {line}")));
            };
            if !is_name(name) {
                return Err(error(format!("{name} is no name: letters, digits and _ are")));
            }
            self.add(name, pattern.trim_start());
        }
        Ok(())
    }

    /// Adds one pattern.
    pub fn add(&mut self, name: &str, pattern: &str) {
        self.patterns.insert(name.to_owned(), pattern.to_owned());
    }

    /// Returns the pattern of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.patterns.get(name).map(String::as_str)
    }

    /// Returns all names, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.patterns.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
