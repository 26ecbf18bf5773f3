//! The tables of `logspace()` and `logstore()`.
//!
//! In: nothing. Out: rows.

use crate::options::row::{Row, ValueKind as V, row};

pub(in crate::options::tables) const LOGSPACE: &[Row] = &[
    row("retention-age", V::Age, "0", "age at which messages are deleted; 0 is never"),
    row(
        "retention-size",
        V::Number(0, i64::MAX),
        "0",
        "bytes on disk above which the oldest are deleted; 0 is no limit",
    ),
    row(
        "legal-hold",
        V::YesNo,
        "no",
        "nothing is deleted, even if retention-age() or retention-size() say so",
    ),
    row(
        "clock-jump-wait",
        V::Age,
        "1h",
        "how long the clock must show a new time after a jump before anything is removed by age; 0: not at all",
    ),
    row(
        "segment-memory",
        V::Number(16_000_000, 2 << 30),
        "512 MiB, on smaller machines a sixteenth of the memory; 32 MiB for a name with macros",
        "bytes of memory of the segment being built after which it is sealed; three may be in memory at once",
    ),
    row("archive-to", V::Text, "", "directory of another file system that sealed segments are moved to"),
    row(
        "archive-after",
        V::Age,
        "0",
        "age at which they are moved there; 0: only when `duramen logspace archive` asks for it",
    ),
    row(
        "encrypt-certificate",
        V::Texts,
        "",
        "recipients that sealed segments are encrypted for: files with a certificate or public key, or age1...",
    ),
    row(
        "decrypt-key",
        V::Text,
        "",
        "file with a private key, so that the server searches encrypted segments without being unlocked",
    ),
    row(
        "sign-key",
        V::Text,
        "a key drawn at the first start",
        "file with the private key that signs the chain of evidence",
    ),
    row("timestamp-url", V::Text, "", "HTTP address of a time-stamping authority (RFC 3161)"),
    row(
        "timestamp-freq",
        V::Number(0, 1 << 31),
        "0",
        "least seconds between two time-stamps; each covers everything before it",
    ),
    row("recode", V::YesNo, "yes", "sealed segments are made smaller in the background"),
    row("recode-after", V::Age, "60", "age of its newest message at which a sealed segment is made smaller"),
    row(
        "age-after",
        V::Age,
        "0",
        "age at which the index of a segment keeps, for most words, only the blocks of messages that have them; 0 is never",
    ),
    row(
        "scrub-rate",
        V::Number(0, 1 << 40),
        "8388608",
        "bytes a second that are read to look for damage in sealed segments; 0 is never",
    ),
];

pub(in crate::options::tables) const LOGSPACES: &[Row] = &[
    row(
        "logspaces-max",
        V::Number(1, 1000),
        "250",
        "logspaces that a name with macros may become; messages of further names go to the logspace overflow()",
    ),
    row(
        "overflow",
        V::Text,
        "the name up to its first macro, and `overflow`",
        "logspace for messages whose name gets no logspace of its own",
    ),
    row(
        "combined",
        V::Text,
        "the name up to its first macro, and `all`",
        "name under which all logspaces of a name with macros are searched at once",
    ),
    row(
        "time-reap",
        V::Number(0, 1 << 31),
        "3600",
        "seconds without a message after which a logspace of a name with macros seals what it has in memory; 0 is never",
    ),
    row("local-time-zone", V::Text, "that of each message", "zone of times in the name"),
];

pub(in crate::options::tables) const LOGSTORE: &[Row] = &[
    row("compress", V::Number(0, 9), "3", "level of compression").no_effect("segments are always compressed"),
    row("timestamp-policy", V::Text, "", "policy of the time-stamps")
        .no_effect("the authority's own policy is used, and stands in each time-stamp"),
    row("cipher", V::Text, "", "cipher of the encryption")
        .no_effect("sealed segments are encrypted with a cipher that also authenticates"),
    row("digest", V::Text, "", "digest of the encryption")
        .no_effect("sealed segments are encrypted with a cipher that also authenticates"),
    row("chunk-size", V::Any, "", "size of a chunk").no_effect("segments have chunks of their own size"),
    row("chunk-time", V::Any, "", "time of a chunk")
        .no_effect("messages are durable when they are acknowledged, and searchable within a second"),
    row("journal-block-size", V::Any, "", "size of a block of the journal")
        .no_effect("the journal is bounded by what is sealed"),
    row("journal-block-count", V::Any, "", "blocks of the journal")
        .no_effect("the journal is bounded by what is sealed"),
    row("owner", V::Id, "", "user of the files").no_effect(OWN_FILES),
    row("group", V::Id, "", "group of the files").no_effect(OWN_FILES),
    row("perm", V::Mode, "", "mode of the files").no_effect(OWN_FILES),
    row("dir-owner", V::Id, "", "user of the folders").no_effect(OWN_FILES),
    row("dir-group", V::Id, "", "group of the folders").no_effect(OWN_FILES),
    row("dir-perm", V::Mode, "", "mode of the folders").no_effect(OWN_FILES),
    row("create-dirs", V::YesNo, "yes", "folders are made")
        .no_effect("the folder of a logspace is always made"),
    row("flags", V::Any, "", "flags").no_effect("a logspace keeps every message as it is"),
    row("template", V::Any, "", "text of a message").no_effect("a logspace keeps every message as it is"),
    row("log-fifo-size", V::Any, "", "messages that wait")
        .no_effect("what waits for a logspace is bounded in bytes"),
];

/// Why the owner and the mode of files cannot be set.
const OWN_FILES: &str =
    "files of a logspace are readable by the server's user alone; give users the right to search instead";
