//! Numbers that come round: TSNs on the wire have 32 bits, inside 64.
//!
//! In: a number of 32 bits and one near to it. Out: 64 bits. Limits: right as long as both are less than 2^31 apart.

/// Returns the number of 64 bits nearest to `near` that ends in `number`.
pub(crate) fn unwrap(near: u64, number: u32) -> u64 {
    let distance = number.wrapping_sub(wrap(near)).cast_signed();
    near.saturating_add_signed(i64::from(distance))
}

/// Returns the lower 32 bits.
pub(crate) fn wrap(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}

/// Returns the 64 bits with which a first TSN is counted: far from 0, so that older ones have numbers too.
pub(crate) fn first(tsn: u32) -> u64 {
    (1 << 32) + u64::from(tsn)
}
