//! Pseudo-random numbers that repeat with the seed.
//!
//! In: a seed. Out: numbers with a uniform or a 1/x distribution. Holds: 128 bits (xorshift128+).

/// The sequence of one seed.
pub(super) struct Random(u64, u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(mix(seed), mix(seed.wrapping_add(1)) | 1)
    }

    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        let (mut first, second) = (self.0, self.1);
        let sum = first.wrapping_add(second);
        self.0 = second;
        first ^= first << 23;
        self.1 = first ^ second ^ (first >> 18) ^ (second >> 5);
        sum
    }
}

/// Mixes the bits of a number, to make a number from a key.
#[inline]
pub(super) fn mix(key: u64) -> u64 {
    let mut bits = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A number below `limit`, all with the same probability.
#[inline]
pub(super) fn even(bits: u64, limit: u64) -> u64 {
    ((u128::from(bits) * u128::from(limit)) >> 64) as u64
}

/// A number below `limit`, where the probability of the x-th is proportional to 1/x.
#[inline]
pub(super) fn skewed(bits: u64, limit: u64) -> u64 {
    let place = (limit as f64 + 1.0).powf(unit(bits)) as u64;
    place.clamp(1, limit) - 1
}

/// From 0 to 1.
#[inline]
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
