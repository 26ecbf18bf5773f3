//! Functions of paths: `dirname` and `basename`.
//!
//! In: a path. Out: a part of it. Holds nothing. Limits: paths of this system, with `/`.

use super::action::{Action, CompiledFunction, fixed};

pub(super) const NAMES: &[&str] = &["dirname", "basename"];

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    Some(match name {
        "dirname" => fixed(
            words,
            1,
            1,
            Action::text(|args, out| args.iter().for_each(|arg| out.extend_from_slice(parent(arg)))),
        ),
        "basename" => fixed(
            words,
            1,
            1,
            Action::text(|args, out| args.iter().for_each(|arg| out.extend_from_slice(last(arg)))),
        ),
        _ => return None,
    })
}

fn parent(path: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', path) {
        None => b".",
        Some(0) => b"/",
        Some(slash) => &path[..slash],
    }
}

fn last(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    if end == 0 {
        return if path.is_empty() { b"." } else { b"/" };
    }
    let start = memchr::memrchr(b'/', &path[..end]).map_or(0, |slash| slash + 1);
    &path[start..end]
}
