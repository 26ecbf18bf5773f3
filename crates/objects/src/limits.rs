//! Limits of saved objects.
//!
//! They keep a list small enough to be read whole, and one user from filling the disk.

/// Longest name of an object, in characters: it is one line of a menu.
pub const NAME_CHARS_MAX: usize = 200;
/// Longest path of a folder, in characters.
pub const FOLDER_CHARS_MAX: usize = 200;
/// Longest description, in characters.
pub const DESCRIPTION_CHARS_MAX: usize = 4_000;
/// Longest remark about a change, in characters.
pub const COMMENT_CHARS_MAX: usize = 500;
/// Most tags of an object.
pub const TAGS_MAX: usize = 32;
/// Longest tag, in characters.
pub const TAG_CHARS_MAX: usize = 64;
/// Largest specification, as JSON. A query has at most some thousand characters.
pub const SPEC_BYTES_MAX: usize = 64 << 10;
/// Most people that an object is shared with.
pub const ACL_ENTRIES_MAX: usize = 200;
/// Most objects of one owner, with deleted ones: so many can be listed in some milliseconds.
pub const OBJECTS_PER_OWNER_MAX: u64 = 5_000;
/// Most versions of an object; the oldest ones beyond it are removed.
pub const VERSIONS_MAX: u64 = 1_000;
/// Time for which a deleted object can be restored.
pub const DELETED_KEPT_US: i64 = 30 * 86_400 * 1_000_000;
/// Longest list of one answer.
pub const LISTED_MAX: usize = 1_000;
/// Largest file of an object: its parts at their limits, with escapes.
pub const FILE_BYTES_MAX: u64 = 256 << 10;
/// Most files of a folder of objects.
pub const FILES_MAX: usize = 5_000;
/// Largest size of all files of an import or an export: both are in memory at once.
pub const FILES_BYTES_MAX: usize = 16 << 20;
/// Most rules of one owner: each costs time for every message.
pub const RULES_PER_OWNER_MAX: u64 = 200;
/// Most rules of all owners.
pub const RULES_MAX: u64 = 1_000;
