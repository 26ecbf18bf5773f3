//! What an endpoint drops.
//!
//! In: packets. Out: numbers. Limits: none.

/// Counters of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Datagrams that are no packets, or whose first chunk cannot be read.
    pub invalid_packets: u64,
    /// Packets that belong to no association.
    pub stray_packets: u64,
    /// Cookies that are not ours, that were changed, or that do not fit their packet.
    pub forged_cookies: u64,
    /// Cookies that came back too late.
    pub stale_cookies: u64,
    /// Associations that were refused, because there were too many or nobody listens.
    pub refused_associations: u64,
}
