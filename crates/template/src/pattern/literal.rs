//! Patterns of `type("string")`.
//!
//! In: text and flags. Out: the engine that searches it. Holds nothing.
//! Limits: letters beyond ASCII have case only with `utf8`.

use super::{dialect, engine::Engine, options::PatternFlags};
use memchr::memmem::Finder;

/// Compiles a string: the whole text must be equal, or with flags a part or the start of it.
pub(super) fn compile(text: &str, flags: PatternFlags) -> Engine {
    let bytes = text.as_bytes().to_vec();
    if flags.ignore_case {
        let (start, end) = match flags {
            PatternFlags { substring: true, .. } => ("", ""),
            PatternFlags { prefix: true, .. } => (r"\A", ""),
            _ => (r"\A", r"\z"),
        };
        let quoted = format!("{start}{}{end}", regex::escape(text));
        let flags = PatternFlags { ignore_case: true, utf8: flags.utf8, ..PatternFlags::default() };
        return dialect::compile(&quoted, flags).unwrap_or(Engine::Nothing);
    }
    match flags {
        PatternFlags { substring: true, .. } => Engine::Contains(Box::new(Finder::new(&bytes).into_owned())),
        PatternFlags { prefix: true, .. } => Engine::Starts(vec![bytes]),
        _ => Engine::OneOf(vec![bytes]),
    }
}
