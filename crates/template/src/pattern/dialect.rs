//! Regular expressions of PCRE2, compiled to the cheapest engine that answers the same.
//!
//! In: a pattern and flags. Out: an engine, or the position of the error that PCRE2 reports.
//! Patterns in the common part of both languages are translated for the linear-time engine, byte by byte, so
//! that nothing means something else there; `$` becomes the end of the text, and texts that end in a newline go
//! to PCRE2. All other patterns stay with PCRE2.
//! Limits: [`MATCH_STEPS_MAX`].

mod analyse;
mod translate;

use super::{
    engine::{Engine, Expression},
    options::{PatternError, PatternFlags},
};

/// Most backtracking steps of one PCRE2 match: about 10 ms. A line that needs more does not match, so
/// that a crafted line cannot stop the server.
pub const MATCH_STEPS_MAX: u32 = 1_000_000;

/// Most stack of a compiled PCRE2 match. The default of 32 KiB ends at lines of a few kilobytes.
const JIT_STACK_BYTES_MAX: usize = 1 << 20;

/// Compiles a pattern.
pub(super) fn compile(text: &str, flags: PatternFlags) -> Result<Engine, PatternError> {
    let translated = translate::translate(text, flags);
    let linear = translated.as_ref().and_then(|translated| regex::bytes::Regex::new(&translated.text).ok());
    // Beside the linear-time engine PCRE2 runs for texts that end in a newline at most: that needs no machine code.
    let pcre = build(text, PatternFlags { disable_jit: flags.disable_jit || linear.is_some(), ..flags })?;
    let names = pcre.capture_names().iter().enumerate();
    let names = names.filter_map(|(group, name)| Some((name.clone()?, group))).collect();
    let dollar = translated.as_ref().is_some_and(|translated| translated.dollar);
    let analysed = match (&linear, translated) {
        (Some(_), Some(translated)) => analyse::analyse(&translated),
        _ => analyse::Analysis::default(),
    };
    let quick = analysed.quick.map(Box::new);
    let expression = Expression { quick, linear, dollar, required: analysed.required, pcre, names };
    Ok(Engine::Regex(Box::new(expression)))
}

/// Always compiles with PCRE2 as well, because users know its error messages.
fn build(text: &str, flags: PatternFlags) -> Result<pcre2::bytes::Regex, PatternError> {
    let mut prefix = format!("(*LIMIT_MATCH={MATCH_STEPS_MAX})");
    if flags.newline {
        prefix.push_str("(*ANYCRLF)");
    }
    if flags.dupnames {
        prefix.push_str("(?J)");
    }
    let jit = !flags.disable_jit;
    let built = pcre2::bytes::RegexBuilder::new()
        .caseless(flags.ignore_case)
        .utf(flags.utf8)
        .jit_if_available(jit)
        .max_jit_stack_size(jit.then_some(JIT_STACK_BYTES_MAX))
        .build(&format!("{prefix}{text}"));
    built.map_err(|error| PatternError::Syntax {
        offset: error.offset().unwrap_or(0).saturating_sub(prefix.len()),
        reason: error.to_string().rsplit(": ").next().unwrap_or_default().to_owned(),
    })
}
