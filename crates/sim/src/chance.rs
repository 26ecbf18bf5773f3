//! Randomness that a seed repeats.
//!
//! In: a seed. Out: numbers (splitmix64). Limits: not for secrets.

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 when the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number().checked_rem(limit).unwrap_or(0)
    }
}
