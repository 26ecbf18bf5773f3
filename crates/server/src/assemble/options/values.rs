//! Pairs of a name and a value with a type.
//!
//! In: an option such as `values("name" => int("5"))`. Out: its pairs. Holds: nothing.
//! Limits: an argument that is not a pair is left out.

use config::tree::{Arg, Call};
use message::ValueKind;
use template::TypeHint;

/// Returns the pairs of `values("name" => int("5"))`: name, type, text.
pub(crate) fn values(option: &Call) -> Vec<(String, ValueKind, Vec<u8>)> {
    let value = |arg: &Arg| match arg {
        Arg::Pair(name, value) => {
            let (kind, text) = match &**value {
                Arg::Call(typed) => (
                    TypeHint::from_name(&typed.key()).map_or(ValueKind::String, TypeHint::kind),
                    typed.texts().into_iter().next()?,
                ),
                Arg::Number(number, _) => (ValueKind::Integer, number.to_string()),
                Arg::Float(number, _) => (ValueKind::Double, number.to_string()),
                other => (ValueKind::String, other.text()?.to_owned()),
            };
            Some((name.text.clone(), kind, text.into_bytes()))
        }
        _ => None,
    };
    option.args.iter().filter_map(value).collect()
}
