//! A JSON object as a message: nested members get names with dots, arrays stay JSON.
//!
//! In: an object of the body. Out: fields of the message in progress. Holds: the name joined so far.
//! Limits: objects nested deeper than [`JOINED_MAX`] stay JSON.

use super::{
    BodyError,
    encoding::json::{Json, Token, unescape},
    entry::{Datum, Entries},
};
use message::{Span, ValueKind};

/// Deepest nesting that becomes part of names.
const JOINED_MAX: usize = 16;

/// The function that stores a field.
pub(super) type Put<'a> = dyn Fn(&mut Entries<'_>, &[u8], Datum) + 'a;

/// Reads the fields of an object whose brace is read; `before` is put before each name.
pub(super) fn object(
    json: &mut Json<'_>,
    bytes: &[u8],
    entries: &mut Entries<'_>,
    before: &[u8],
    put: &Put<'_>,
) -> Result<(), BodyError> {
    let mut name = before.to_vec();
    nested(json, bytes, entries, (&mut name, JOINED_MAX), put)
}

fn nested(
    json: &mut Json<'_>,
    bytes: &[u8],
    entries: &mut Entries<'_>,
    (name, left): (&mut Vec<u8>, usize),
    put: &Put<'_>,
) -> Result<(), BodyError> {
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let length = name.len();
        let raw = &bytes[key.start..key.end];
        match key.escaped {
            true => unescape(raw, name),
            false => name.extend_from_slice(raw),
        }
        let token = json.token()?;
        match token {
            Token::Object if left > 0 => {
                name.push(b'.');
                nested(json, bytes, entries, (name, left - 1), put)?;
            }
            Token::Object | Token::Array => {
                let datum = rest(json, token)?;
                put(entries, name, datum);
            }
            token => {
                let datum = entries.scalar(bytes, token);
                put(entries, name, datum);
            }
        }
        name.truncate(length);
    }
    Ok(())
}

/// Returns the text of an object or array whose bracket is read.
pub(super) fn rest(json: &mut Json<'_>, token: Token) -> Result<Datum, BodyError> {
    let start = json.at - 1;
    json.skip(token)?;
    Ok(Datum { span: Span::received(start, json.at - start), kind: ValueKind::Json })
}

/// Reads an object as a whole message. `json` is after the brace at `start`.
pub(super) fn message(
    json: &mut Json<'_>,
    bytes: &[u8],
    entries: &mut Entries<'_>,
    start: usize,
) -> Result<(), BodyError> {
    entries.begin(Span::EMPTY);
    let read = object(json, bytes, entries, b"", &|entries, name, datum| entries.field(name, datum));
    if let Err(error) = read {
        entries.forget();
        return Err(error);
    }
    entries.message().raw = Span::received(start, json.at - start);
    entries.end();
    Ok(())
}
