//! The environment of compiling a configuration: this machine, and state that continues across reloads.
//!
//! In: a check, a trial or the running server. Out: the surroundings of each. Holds: shared counters and state, which
//! survive the configuration.

use super::reload_state::ReloadState;
use jiff::tz::TimeZone;
use pipeline::{correlation::Sink, parser::Probes};
use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
};
use template::Site;
use transport::{InternalLog, tls::Passwords};

/// The surroundings that a configuration is compiled for.
#[derive(Clone)]
pub(crate) struct Environment {
    /// Host name, host id, run id and environment for macros.
    pub(crate) site: Arc<Site>,
    /// Zone of this machine.
    pub(crate) zone: TimeZone,
    /// The counter behind `${RCPTID}`; it continues across reloads.
    pub(crate) rcptid: Arc<AtomicU64>,
    /// Folder of the queues on disk unless they name another.
    pub(crate) data: PathBuf,
    /// Passwords of private keys; given passwords stay valid over reloads.
    pub(crate) passwords: Passwords,
    /// True if names of hosts, users and files may be looked up; a check does not.
    pub(crate) looks_up: bool,
    /// State of parsers, counters and taps that continues over reloads.
    pub(crate) reload_state: ReloadState,
    /// The counters of metrics-probe(); they continue over reloads.
    pub(crate) probes: Arc<Probes>,
    /// Receives the messages that parsers make for `internal()`.
    pub(crate) inject: Sink,
    /// Our own log, for parts that work in the background.
    pub(crate) log: InternalLog,
    /// True for the running server: only there messages wait for a class that cannot be loaded.
    pub(crate) waits_for_classes: bool,
    /// True if paths and steps get labels, for [`Router::take_traced`].
    pub(crate) labels: bool,
}

impl Environment {
    /// Makes one for checks: nothing is looked up.
    pub(crate) fn for_check() -> Environment {
        Environment {
            site: Arc::default(),
            zone: TimeZone::UTC,
            rcptid: Arc::default(),
            passwords: Passwords::default(),
            data: PathBuf::new(),
            looks_up: false,
            reload_state: ReloadState::default(),
            probes: Arc::default(),
            inject: Sink(Arc::new(drop)),
            log: InternalLog::new("", None),
            waits_for_classes: false,
            labels: false,
        }
    }

    /// Makes one for trying out paths: files are read, nothing else is looked up, and steps have labels.
    pub(crate) fn for_trial(inject: Sink) -> Environment {
        let site = Site {
            loghost: machine_name(),
            environment: std::env::vars().collect(),
            zone: Some(TimeZone::system()),
            ..Site::default()
        };
        let (site, zone) = (Arc::new(site), TimeZone::system());
        Environment { site, zone, looks_up: true, labels: true, inject, ..Environment::for_check() }
    }
}

/// Returns the name of this machine, as the kernel knows it.
pub(crate) fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".into() } else { name.into() }
}
