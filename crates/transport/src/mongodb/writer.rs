//! Documents as bytes (BSON, version 1.1).
//!
//! In: names and values. Out: bytes, appended. Holds: where the open documents begin.
//! Limits: a name cannot have a NUL, so callers check; it would be cut there.

/// The byte behind the last element of a document.
const DOCUMENT_END: u8 = 0;

const DOUBLE: u8 = 0x01;
const TEXT: u8 = 0x02;
const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;
const BINARY: u8 = 0x05;
const BOOLEAN: u8 = 0x08;
const DATETIME: u8 = 0x09;
const NULL: u8 = 0x0a;
const INTEGER_32: u8 = 0x10;
const INTEGER_64: u8 = 0x12;
/// Kinds of binary values.
const GENERIC: u8 = 0x00;
const UUID: u8 = 0x04;

/// A value without parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar<'v> {
    /// Text.
    Text(&'v str),
    /// Bytes.
    Binary(&'v [u8]),
    /// An identity of 128 bits.
    Uuid(u128),
    /// True or false.
    Boolean(bool),
    /// A whole number of 32 bits.
    Integer32(i32),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// A time, in milliseconds since 1970.
    Datetime(i64),
    /// No value.
    Null,
}

impl<'v> From<&'v str> for Scalar<'v> {
    fn from(text: &'v str) -> Self {
        Scalar::Text(text)
    }
}

impl From<bool> for Scalar<'_> {
    fn from(is_true: bool) -> Self {
        Scalar::Boolean(is_true)
    }
}

impl From<i32> for Scalar<'_> {
    fn from(number: i32) -> Self {
        Scalar::Integer32(number)
    }
}

impl From<i64> for Scalar<'_> {
    fn from(number: i64) -> Self {
        Scalar::Integer(number)
    }
}

/// Appends the elements of a document.
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Writer<'o> {
    /// Appends to these bytes.
    pub fn new(out: &'o mut Vec<u8>) -> Writer<'o> {
        Writer { out }
    }

    /// Appends a whole document with the elements that `fill` writes.
    pub fn whole(out: &'o mut Vec<u8>, fill: impl FnOnce(&mut Writer<'_>)) {
        Writer::new(out).body(fill);
    }

    fn body(&mut self, fill: impl FnOnce(&mut Writer<'_>)) {
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        fill(&mut Writer::new(self.out));
        self.out.push(DOCUMENT_END);
        let size = (self.out.len() - start) as u32;
        self.out[start..start + 4].copy_from_slice(&size.to_le_bytes());
    }

    fn head(&mut self, kind: u8, name: &[u8]) {
        debug_assert!(!name.contains(&0));
        self.out.push(kind);
        self.out.extend(name.iter().take_while(|byte| **byte != 0));
        self.out.push(0);
    }

    /// Appends elements that are bytes already.
    pub fn elements(&mut self, elements: &[u8]) {
        self.out.extend_from_slice(elements);
    }

    /// Appends a document.
    pub fn document(&mut self, name: &[u8], fill: impl FnOnce(&mut Writer<'_>)) {
        self.head(DOCUMENT, name);
        self.body(fill);
    }

    /// Appends a list of so many values; `fill` writes each under the name that it gets.
    pub fn array(&mut self, name: &[u8], count: usize, mut fill: impl FnMut(&mut Writer<'_>, usize, &[u8])) {
        self.head(ARRAY, name);
        self.body(|writer| {
            for index in 0..count {
                fill(writer, index, index.to_string().as_bytes());
            }
        });
    }

    /// Appends a value.
    pub fn put<'v>(&mut self, name: &[u8], value: impl Into<Scalar<'v>>) {
        match value.into() {
            Scalar::Text(text) => {
                self.head(TEXT, name);
                self.out.extend_from_slice(&(text.len() as u32 + 1).to_le_bytes());
                self.out.extend_from_slice(text.as_bytes());
                self.out.push(0);
            }
            Scalar::Binary(bytes) => self.binary(GENERIC, name, bytes),
            Scalar::Uuid(id) => self.binary(UUID, name, &id.to_be_bytes()),
            Scalar::Boolean(is_true) => self.fixed(BOOLEAN, name, &[u8::from(is_true)]),
            Scalar::Integer32(number) => self.fixed(INTEGER_32, name, &number.to_le_bytes()),
            Scalar::Integer(number) => self.fixed(INTEGER_64, name, &number.to_le_bytes()),
            Scalar::Double(number) => self.fixed(DOUBLE, name, &number.to_le_bytes()),
            Scalar::Datetime(milliseconds) => self.fixed(DATETIME, name, &milliseconds.to_le_bytes()),
            Scalar::Null => self.fixed(NULL, name, &[]),
        }
    }

    fn fixed(&mut self, kind: u8, name: &[u8], bytes: &[u8]) {
        self.head(kind, name);
        self.out.extend_from_slice(bytes);
    }

    fn binary(&mut self, kind: u8, name: &[u8], bytes: &[u8]) {
        self.head(BINARY, name);
        self.out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.out.push(kind);
        self.out.extend_from_slice(bytes);
    }
}
