//! The limits of one configuration.
//!
//! In: nothing. Out: constants. Exceeding any of them is an error with a position, never in a crash or an endless loop.

/// Largest single file. A hand-written or generated configuration is far smaller; a log file given by mistake is larger.
pub const FILE_BYTES_MAX: usize = 32 << 20;

/// All text read and made by expansion together: bounds the memory of a hostile configuration.
pub const TEXT_BYTES_MAX: usize = 128 << 20;

/// Files included from files. Real trees are three or four deep; a file that includes itself stops here.
pub const INCLUDE_DEPTH_MAX: usize = 16;

/// Blocks used inside blocks. A block that uses itself stops here.
pub const EXPANSION_DEPTH_MAX: usize = 64;

/// Block uses and substitutions in one configuration, which bounds blocks that double at every level.
pub const EXPANSIONS_MAX: usize = 100_000;

/// Tokens of one configuration, after expansion: bounds the tree.
pub const TOKENS_MAX: usize = 4_000_000;

/// Parentheses, braces and operators inside each other. The parser recurses; this keeps it far from the stack's end.
pub const NESTING_MAX: usize = 128;

/// Diagnostics stored for one configuration; the rest are counted.
pub const DIAGNOSTICS_MAX: usize = 500;
