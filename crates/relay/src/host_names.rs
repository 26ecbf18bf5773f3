//! Names of addresses for whoever else needs them: the cache that listeners use, without ever waiting.
//!
//! In: addresses. Out: names; the address as text while the name is not known. Holds: a cache and its asking thread.
//! Limits: those of the cache.

use crate::source::{HostPolicy, feed::Names};
use std::{fmt, io, net::IpAddr};

/// A cache of names. Clones share it.
#[derive(Clone)]
pub struct HostNames(Names);

impl fmt::Debug for HostNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostNames")
    }
}

impl HostNames {
    /// Starts the asking thread.
    pub fn start() -> io::Result<HostNames> {
        Names::start().map(HostNames)
    }

    /// The name of an address, at once: a name that is not known yet is asked for, and is there the next time.
    pub fn name(&self, address: IpAddr, policy: &HostPolicy) -> String {
        self.0.name(address, policy)
    }
}
