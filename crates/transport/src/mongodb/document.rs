//! Documents that a server sends (BSON, version 1.1).
//!
//! In: bytes. Out: names and values that lie in them. Holds: nothing.
//! Limits: an element is read when it is asked for, and a document within it only then: nothing is recursive, nothing is copied.

use crate::endpoint::Breach;

/// Bytes of the smallest document: its size, and the byte at its end.
const DOCUMENT_BYTES_MIN: usize = 5;

/// A document: its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Document<'a>(&'a [u8]);

/// A value of a document.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// A number with a fraction.
    Double(f64),
    /// Text.
    Text(&'a [u8]),
    /// A document.
    Document(Document<'a>),
    /// A list; its names are `0`, `1`, and so on.
    Array(Document<'a>),
    /// Bytes.
    Binary(&'a [u8]),
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A value of another type.
    Other,
}

impl<'a> Value<'a> {
    /// Returns the number, if it is one: servers send numbers of any type.
    pub fn number(self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(number),
            Value::Double(number) => Some(number as i64),
            Value::Boolean(is_true) => Some(i64::from(is_true)),
            _ => None,
        }
    }

    /// Returns the text, if it is one.
    pub fn text(self) -> Option<String> {
        match self {
            Value::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    }

    /// Returns the document or list, if it is one.
    pub fn document(self) -> Option<Document<'a>> {
        match self {
            Value::Document(document) | Value::Array(document) => Some(document),
            _ => None,
        }
    }
}

impl<'a> Document<'a> {
    /// Reads the document at the beginning of some bytes, and returns what follows it.
    pub fn split(bytes: &'a [u8]) -> Result<(Document<'a>, &'a [u8]), Breach> {
        let mut rest = bytes;
        let document = document(&mut rest)?;
        Ok((document, rest))
    }

    /// Returns the elements. The first that cannot be read is the last.
    pub fn elements(self) -> impl Iterator<Item = Result<(&'a [u8], Value<'a>), Breach>> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let found = element(&mut rest);
            if found.is_err() {
                rest = &[];
            }
            Some(found)
        })
    }

    /// Returns the value of a name.
    pub fn get(self, name: &str) -> Result<Option<Value<'a>>, Breach> {
        for element in self.elements() {
            let (found, value) = element?;
            if found == name.as_bytes() {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Returns the number of a name.
    pub fn number(self, name: &str) -> Result<Option<i64>, Breach> {
        Ok(self.get(name)?.and_then(Value::number))
    }

    /// Returns the text of a name.
    pub fn text(self, name: &str) -> Result<Option<String>, Breach> {
        Ok(self.get(name)?.and_then(Value::text))
    }

    /// Returns the document or list of a name.
    pub fn document(self, name: &str) -> Result<Option<Document<'a>>, Breach> {
        Ok(self.get(name)?.and_then(Value::document))
    }

    /// Returns the texts in the list of a name.
    pub fn texts(self, name: &str) -> Result<Vec<String>, Breach> {
        let Some(list) = self.document(name)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for element in list.elements() {
            found.extend(element?.1.text());
        }
        Ok(found)
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], Breach> {
    let (taken, after) = rest.split_at_checked(count).ok_or(Breach("a document ends too early"))?;
    *rest = after;
    Ok(taken)
}

fn array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Breach> {
    let (taken, after) = rest.split_first_chunk::<N>().ok_or(Breach("a document ends too early"))?;
    *rest = after;
    Ok(*taken)
}

fn size(rest: &mut &[u8]) -> Result<usize, Breach> {
    usize::try_from(i32::from_le_bytes(array(rest)?)).map_err(|_| Breach("a size is negative"))
}

fn name<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Breach> {
    let end = rest.iter().position(|byte| *byte == 0).ok_or(Breach("a name has no end"))?;
    let name = take(rest, end)?;
    take(rest, 1)?;
    Ok(name)
}

fn text<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Breach> {
    let size = size(rest)?;
    take(rest, size)?.strip_suffix(&[0]).ok_or(Breach("a text has no end"))
}

fn document<'a>(rest: &mut &'a [u8]) -> Result<Document<'a>, Breach> {
    let mut head = *rest;
    let size = size(&mut head)?;
    if size < DOCUMENT_BYTES_MIN {
        return Err(Breach("a document is too short"));
    }
    let elements = take(rest, size)?[4..].strip_suffix(&[0]).ok_or(Breach("a document has no end"))?;
    Ok(Document(elements))
}

fn element<'a>(rest: &mut &'a [u8]) -> Result<(&'a [u8], Value<'a>), Breach> {
    let [kind] = array(rest)?;
    let name = name(rest)?;
    let other = |rest: &mut &'a [u8], count| take(rest, count).map(|_| Value::Other);
    let value = match kind {
        0x01 => Value::Double(f64::from_le_bytes(array(rest)?)),
        0x02 => Value::Text(text(rest)?),
        0x03 => Value::Document(document(rest)?),
        0x04 => Value::Array(document(rest)?),
        0x05 => {
            let size = size(rest)?;
            take(rest, 1)?;
            Value::Binary(take(rest, size)?)
        }
        0x08 => Value::Boolean(array::<1>(rest)? != [0]),
        0x10 => Value::Integer(i32::from_le_bytes(array(rest)?).into()),
        0x12 => Value::Integer(i64::from_le_bytes(array(rest)?)),
        // Undefined, null, the smallest and the largest key.
        0x06 | 0x0a | 0x7f | 0xff => Value::Other,
        // A time, a time stamp.
        0x09 | 0x11 => other(rest, 8)?,
        // An id, a decimal number.
        0x07 => other(rest, 12)?,
        0x13 => other(rest, 16)?,
        // A regular expression and its options.
        0x0b => {
            self::name(rest)?;
            self::name(rest)?;
            Value::Other
        }
        // A pointer, code, a symbol.
        0x0c => {
            text(rest)?;
            other(rest, 12)?
        }
        0x0d | 0x0e => {
            text(rest)?;
            Value::Other
        }
        // Code with its variables: its size counts itself.
        0x0f => {
            let size = size(rest)?.checked_sub(4).ok_or(Breach("a size is too small"))?;
            other(rest, size)?
        }
        _ => return Err(Breach("a value is of no known type")),
    };
    Ok((name, value))
}
