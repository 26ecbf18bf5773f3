//! What a server of Riemann says to a message: `ok` and `error` of `Msg`.
//!
//! In: bytes of a stream. Out: an answer. Holds: nothing. Limits: who decodes says how long an answer may be; its other fields are
//! passed over.

use crate::endpoint::Breach;

const OK: u64 = 2;
const ERROR: u64 = 3;

/// The answer to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was taken.
    Taken,
    /// It was not, with the words of the server.
    Refused(String),
}

/// Reads an answer of at most `limit` bytes from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode(bytes: &[u8], limit: usize) -> Result<Option<(Answer, usize)>, Breach> {
    let Some((size, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let size = u32::from_be_bytes(*size) as usize;
    if size > limit {
        return Err(Breach("its answer is too long, or this is no server of Riemann"));
    }
    let Some(message) = rest.get(..size) else { return Ok(None) };
    Ok(Some((answer(message)?, 4 + size)))
}

fn answer(mut message: &[u8]) -> Result<Answer, Breach> {
    let (mut is_ok, mut error) = (None, None);
    while !message.is_empty() {
        let key = varint(&mut message)?;
        match (key >> 3, key & 7) {
            (OK, 0) => is_ok = Some(varint(&mut message)? != 0),
            (ERROR, 2) => error = Some(String::from_utf8_lossy(bytes(&mut message)?).into_owned()),
            (_, 0) => {
                varint(&mut message)?;
            }
            (_, 1) => {
                take(&mut message, 8)?;
            }
            (_, 2) => {
                bytes(&mut message)?;
            }
            (_, 5) => {
                take(&mut message, 4)?;
            }
            _ => return Err(Breach("an answer has a field of no known kind")),
        }
    }
    match (is_ok, error) {
        (Some(false), error) => Ok(Answer::Refused(error.unwrap_or_default())),
        (_, Some(error)) if !error.is_empty() => Ok(Answer::Refused(error)),
        _ => Ok(Answer::Taken),
    }
}

fn varint(rest: &mut &[u8]) -> Result<u64, Breach> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first().ok_or(Breach("an answer ends too early"))?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Breach("a number has no end"))
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Breach> {
    let size = usize::try_from(varint(rest)?).map_err(|_| Breach("an answer ends too early"))?;
    take(rest, size)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], Breach> {
    let (taken, after) = rest.split_at_checked(count).ok_or(Breach("an answer ends too early"))?;
    *rest = after;
    Ok(taken)
}
