//! How many files and sockets this process may have open.
//!
//! In: the limits of the system. Out: the soft limit, raised to the hard one. Holds nothing.
//! Limits: [`DESCRIPTORS_MAX`]: some programs that we start look at every number below the limit.

use message::Severity;
use relay::InternalLog;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most that the soft limit is raised to.
const DESCRIPTORS_MAX: u64 = 1 << 20;
/// Below this the log says that it is little: a thousand senders and a thousand files want more.
const FEW: u64 = 4_096;

/// Raises the soft limit; how many descriptors there are then.
pub(crate) fn raise(log: &InternalLog) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let present = limit.current.unwrap_or(DESCRIPTORS_MAX);
    let wanted = limit.maximum.unwrap_or(DESCRIPTORS_MAX).min(DESCRIPTORS_MAX);
    let mut descriptors = present;
    if wanted > present {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum }) {
            Ok(()) => descriptors = wanted,
            Err(error) => log.write(
                Severity(4),
                &format!("The limit of open files cannot be raised; limit='{present}', error='{error}'"),
            ),
        }
    }
    if descriptors < FEW {
        let text = "The limit of open files is low: few senders can be connected; raise it with LimitNOFILE= or ulimit";
        log.write(Severity(4), &format!("{text}; limit='{descriptors}'"));
    }
    descriptors
}
