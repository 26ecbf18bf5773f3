//! The number of files and sockets that this process may have open.
//!
//! In: the limits of the system. Out: the soft limit, raised to the hard one, and its division. Holds
//! nothing.
//! Limits: [`DESCRIPTORS_MAX`]: some programs that we start try every number below the limit.

use api::ConnectionLimits;
use message::Severity;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use transport::InternalLog;

/// Most descriptors that the soft limit is raised to.
const DESCRIPTORS_MAX: u64 = 1 << 20;
/// Below this number the log warns: a thousand senders and a thousand files need more.
const FEW: u64 = 4_096;

/// Fewest and most descriptors that are reserved for files: journals, segments, buffers and outputs, and for the
/// control socket and connections of our own.
const FILES_MIN: u64 = 96;
const FILES_MAX: u64 = 4_096;
/// Senders that may be connected whatever the limit is.
const SENDERS_MIN: u64 = 16;

/// The division of the descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shares {
    /// Connections of the page.
    pub(crate) page: ConnectionLimits,
    /// Connections of senders, over all listeners.
    pub(crate) senders: usize,
}

impl Shares {
    /// Divides `descriptors`. Senders get the rest that the page and files leave.
    pub(crate) fn of(descriptors: u64) -> Shares {
        let page = ConnectionLimits::of_descriptors(descriptors);
        let files = (descriptors / 8).clamp(FILES_MIN, FILES_MAX);
        let senders = descriptors.saturating_sub(page.total as u64 + files).max(SENDERS_MIN);
        Shares { page, senders: usize::try_from(senders).unwrap_or(usize::MAX) }
    }
}

/// Raises the soft limit, and returns the number of descriptors there are then.
pub(crate) fn raise(log: &InternalLog) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let present = limit.current.unwrap_or(DESCRIPTORS_MAX);
    let wanted = limit.maximum.unwrap_or(DESCRIPTORS_MAX).min(DESCRIPTORS_MAX);
    let mut descriptors = present;
    if wanted > present {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum }) {
            Ok(()) => descriptors = wanted,
            Err(error) => log.write(
                Severity::WARNING,
                &format!("The limit of open files cannot be raised; limit='{present}', error='{error}'"),
            ),
        }
    }
    if descriptors < FEW {
        let text = "The limit of open files is low: few senders can be connected; raise it with LimitNOFILE= or ulimit";
        log.write(Severity::WARNING, &format!("{text}; limit='{descriptors}'"));
    }
    descriptors
}

#[cfg(test)]
mod tests {
    //! Shares of small and large limits.

    use super::*;

    #[test]
    fn h6_the_page_and_files_keep_their_share() {
        let of = |descriptors| {
            let shares = Shares::of(descriptors);
            (shares.page.total, shares.senders)
        };
        assert_eq!([of(64), of(256), of(1_024)], [(32, 16), (64, 96), (256, 640)]);
        assert_eq!([of(65_536), of(1 << 20)], [(4_096, 57_344), (4_096, 1_040_384)]);
    }
}
