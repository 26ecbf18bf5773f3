//! Logspaces: those that a configuration writes to, one or many by one name, and those defined on others.
//!
//! In: their options. Out: descriptions for opening and searching them. Holds: nothing.

use message::Render;
use std::{path::PathBuf, time::Duration};

/// A logspace that a configuration writes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LogspaceSpec {
    /// `d_store#0`: name of the statement and number of the driver.
    pub(crate) id: String,
    /// Its name: the folder below the folder of logspaces.
    pub(crate) name: String,
    /// `retention-age()`.
    pub(crate) retention_age: Option<Duration>,
    /// `retention-size()`.
    pub(crate) retention_bytes: Option<u64>,
    /// `legal-hold()`.
    pub(crate) legal_hold: bool,
    /// `clock-jump-wait()`.
    pub(crate) clock_wait: Option<Duration>,
    /// `segment-memory()`, bytes.
    pub(crate) segment_memory: Option<u64>,
    /// Options of sealing.
    pub(crate) sealing: SealingSpec,
}

/// The options of sealing a logspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SealingSpec {
    /// `encrypt-certificate()`.
    pub(crate) recipients: Vec<String>,
    /// `decrypt-key()`.
    pub(crate) decrypt_key: Option<PathBuf>,
    /// `sign-key()`.
    pub(crate) sign_key: Option<PathBuf>,
    /// `timestamp-url()`.
    pub(crate) timestamp_url: Option<String>,
    /// `timestamp-freq()`.
    pub(crate) timestamp_gap: Duration,
    /// `recode()`.
    pub(crate) recode: bool,
    /// `recode-after()`.
    pub(crate) recode_after: Option<Duration>,
    /// `age-after()`.
    pub(crate) age_after: Option<Duration>,
    /// `scrub-rate()`.
    pub(crate) scrub_bytes_a_second: Option<u64>,
    /// `archive-to()`.
    pub(crate) archive_to: Option<PathBuf>,
    /// `archive-after()`.
    pub(crate) archive_after: Option<Duration>,
}

/// The logspaces of a name with macros, such as `log-$HOST`: one for each text that the name comes to.
pub(crate) struct FamilySpec {
    /// The options of each; its name is the one with macros.
    pub(crate) base: LogspaceSpec,
    /// Renders the name.
    pub(crate) names: Box<dyn Render>,
    /// `overflow()`: the logspace for messages whose name gets none of its own.
    pub(crate) overflow: String,
    /// `combined()`: the name under which all are searched at once.
    pub(crate) combined: String,
    /// `logspaces-max()`.
    pub(crate) logspaces_max: usize,
    /// `time-reap()`.
    pub(crate) idle_after: Option<Duration>,
}

/// A filtered or multiple logspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ViewSpec {
    /// The name under which it is searched.
    pub(crate) name: String,
    /// True for a multiple logspace, false for a filtered one.
    pub(crate) is_multiple: bool,
    /// The local logspaces that it consists of, each once.
    pub(crate) members: Vec<ViewMember>,
}

/// A local logspace of a view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ViewMember {
    /// The name under which its rows are shown.
    pub(crate) shown: String,
    /// Its own name.
    pub(crate) base: String,
    /// Lists of queries: a message is visible if it matches every query of at least one list. `None`: all messages are
    /// visible.
    pub(crate) ways: Option<Vec<Vec<String>>>,
}
