//! The limits of searches and exports.
//!
//! In: the configuration's figures. Out: the same, with defaults. Holds nothing.

/// The limits of searches and exports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes that all searches and exports together may hold.
    pub searches_memory: u64,
    /// Bytes that one of them may hold.
    pub search_memory: u64,
    /// Bytes of results of searches in sealed segments that are kept for the next search; 0: none.
    pub kept_results: u64,
    /// Exports at once, packages included.
    pub exports: usize,
    /// Exports of one user at once.
    pub exports_per_user: usize,
}

/// Exports at once, by default.
pub const EXPORTS_DEFAULT: usize = 8;
/// Exports of one user at once, by default.
pub const EXPORTS_PER_USER_DEFAULT: usize = 2;

impl Limits {
    /// Returns the limits for a machine with `bytes` of memory: a quarter of it for all searches, a quarter
    /// of that for one.
    pub fn of_memory(bytes: u64) -> Limits {
        let searches_memory = bytes / 4;
        Limits {
            searches_memory,
            search_memory: searches_memory / 4,
            kept_results: kept_results(searches_memory),
            exports: EXPORTS_DEFAULT,
            exports_per_user: EXPORTS_PER_USER_DEFAULT,
        }
    }
}

/// Returns the bytes of results that are kept when searches may use `searches_memory` bytes: an eighth more.
pub fn kept_results(searches_memory: u64) -> u64 {
    searches_memory / 8
}

impl Default for Limits {
    /// The limits where the size of the machine is not known: those of one with 4 GiB.
    fn default() -> Limits {
        Limits::of_memory(4 << 30)
    }
}

#[cfg(test)]
mod tests {
    //! Machines of two sizes.

    use super::*;

    #[test]
    fn searches_get_a_quarter_of_the_memory_and_one_a_quarter_of_that() {
        let of = |bytes| {
            let limits = Limits::of_memory(bytes);
            let memory = [limits.searches_memory, limits.search_memory, limits.kept_results];
            (memory.map(|bytes| bytes >> 20), limits.exports, limits.exports_per_user)
        };
        assert_eq!(of(16 << 30), ([4 << 10, 1 << 10, 512], 8, 2));
        assert_eq!(Limits::default(), Limits::of_memory(4 << 30));
    }
}
