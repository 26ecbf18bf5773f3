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
            exports: EXPORTS_DEFAULT,
            exports_per_user: EXPORTS_PER_USER_DEFAULT,
        }
    }
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
            let Limits { searches_memory, search_memory, exports, exports_per_user } =
                Limits::of_memory(bytes);
            (searches_memory >> 20, search_memory >> 20, exports, exports_per_user)
        };
        assert_eq!(of(16 << 30), (4 << 10, 1 << 10, 8, 2));
        assert_eq!(Limits::default(), Limits::of_memory(4 << 30));
    }
}
