//! Template functions for paths: `dirname` and `basename`.
//!
//! In: a path. Out: its folder or its last name, as the commands of these names print them. Holds nothing.
//! Limits: names are separated by `/`.

use super::action::{Action, CompiledFunction, fixed};

pub(super) const NAMES: &[&str] = &["dirname", "basename"];

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    Some(match name {
        "dirname" => fixed(
            words,
            1,
            1,
            Action::text(|args, out| args.iter().for_each(|arg| out.extend_from_slice(dirname(arg)))),
        ),
        "basename" => fixed(
            words,
            1,
            1,
            Action::text(|args, out| args.iter().for_each(|arg| out.extend_from_slice(basename(arg)))),
        ),
        _ => return None,
    })
}

fn dirname(path: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', path) {
        None => b".",
        Some(0) => b"/",
        Some(slash) => &path[..slash],
    }
}

fn basename(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    if end == 0 {
        return if path.is_empty() { b"." } else { b"/" };
    }
    let start = memchr::memrchr(b'/', &path[..end]).map_or(0, |slash| slash + 1);
    &path[start..end]
}
