//! Messages that a broker delivers: the method before each, its properties and headers (specification, section 4.2.6.1).
//!
//! In: payloads of frames. Out: places, properties, headers. Holds: nothing.
//! Limits: tables within tables [`DEPTH_MAX`] deep, [`HEADERS_MAX`] headers.

use super::frame::Values;
use crate::endpoint::Breach;

const BASIC_DELIVER: (u16, u16) = (60, 60);
/// Tables within tables.
const DEPTH_MAX: usize = 8;
/// Most headers of a message that are read.
const HEADERS_MAX: usize = 1000;
/// Properties by their bits: the flags of a header have one for each.
const HEADERS_BIT: u16 = 13;
const MESSAGE_ID_BIT: u16 = 7;
const TIMESTAMP_BIT: u16 = 6;
/// Properties that are texts.
const TEXTS: [(u16, &str); 9] = [
    (15, "content-type"),
    (14, "content-encoding"),
    (10, "correlation-id"),
    (9, "reply-to"),
    (8, "expiration"),
    (MESSAGE_ID_BIT, "message-id"),
    (5, "type"),
    (4, "user-id"),
    (3, "app-id"),
];

/// `basic.deliver`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery<'a> {
    /// The number that acknowledges it.
    pub tag: u64,
    /// True when the broker may have delivered it before.
    pub is_repeated: bool,
    /// The exchange that it was published to.
    pub exchange: &'a [u8],
    /// The routing key that it was published with.
    pub routing_key: &'a [u8],
}

/// Reads the payload of a method that is `basic.deliver`; `None` when it is another one.
pub fn decode_delivery(payload: &[u8]) -> Result<Option<Delivery<'_>>, Breach> {
    let mut values = Values(payload);
    if (values.short()?, values.short()?) != BASIC_DELIVER {
        return Ok(None);
    }
    values.short_text()?;
    Ok(Some(Delivery {
        tag: values.long_long()?,
        is_repeated: values.octet()? & 1 != 0,
        exchange: values.short_text()?,
        routing_key: values.short_text()?,
    }))
}

/// The header of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContentHeader<'a> {
    /// Bytes of the text that follows.
    pub bytes: u64,
    /// When it was published, in seconds, if the publisher said so.
    pub timestamp: Option<u64>,
    texts: Vec<(u16, &'a [u8])>,
    headers: &'a [u8],
}

impl<'a> ContentHeader<'a> {
    /// Reads the payload of a header.
    pub fn decode(payload: &'a [u8]) -> Result<ContentHeader<'a>, Breach> {
        let mut values = Values(payload);
        values.long()?;
        let bytes = values.long_long()?;
        let flags = values.short()?;
        let mut more = flags;
        while more & 1 != 0 {
            more = values.short()?;
        }
        let mut header = ContentHeader { bytes, timestamp: None, texts: Vec::new(), headers: b"" };
        for bit in (2..16).rev().filter(|bit| flags & 1 << bit != 0) {
            match bit {
                HEADERS_BIT => header.headers = values.long_text()?,
                12 | 11 => drop(values.octet()?),
                TIMESTAMP_BIT => header.timestamp = Some(values.long_long()?),
                _ => header.texts.push((bit, values.short_text()?)),
            }
        }
        Ok(header)
    }

    /// Returns the id that the publisher gave it.
    pub fn message_id(&self) -> Option<&'a [u8]> {
        self.texts.iter().find(|(bit, _)| *bit == MESSAGE_ID_BIT).map(|(_, text)| *text)
    }

    /// Returns the properties that are texts, by their names.
    pub fn properties(&self) -> impl Iterator<Item = (&'static str, &'a [u8])> + '_ {
        let name = |bit: u16| TEXTS.iter().find(|(known, _)| *known == bit).map(|(_, name)| *name);
        self.texts.iter().filter_map(move |(bit, text)| Some((name(*bit)?, *text)))
    }

    /// Calls `found` with name and value of each header. A header within another one has a name of both with a dot between; one
    /// of a list has its number. Fails behind what could be read.
    pub fn headers(&self, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), Breach> {
        let mut reader = TableReader { found, left: HEADERS_MAX };
        reader.table(self.headers, &mut Vec::new(), 0)
    }

    /// Returns how often a quorum queue has delivered it before.
    pub fn delivery_count(&self) -> Option<u64> {
        let mut count = None;
        let read = self.headers(&mut |name, value| {
            if name == b"x-delivery-count" {
                count = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            }
        });
        read.ok().and(count)
    }
}

/// Reads the values of a table.
struct TableReader<'f> {
    found: &'f mut dyn FnMut(&[u8], &[u8]),
    left: usize,
}

impl TableReader<'_> {
    fn table(&mut self, entries: &[u8], name: &mut Vec<u8>, depth: usize) -> Result<(), Breach> {
        let mut values = Values(entries);
        while !values.0.is_empty() {
            let own = values.short_text()?;
            self.named(&mut values, own, name, depth)?;
        }
        Ok(())
    }

    fn list(&mut self, items: &[u8], name: &mut Vec<u8>, depth: usize) -> Result<(), Breach> {
        let mut values = Values(items);
        let mut index = 0_usize;
        while !values.0.is_empty() {
            self.named(&mut values, index.to_string().as_bytes(), name, depth)?;
            index += 1;
        }
        Ok(())
    }

    /// Reads a value whose name is this one behind that of what it is in.
    fn named(
        &mut self,
        values: &mut Values<'_>,
        own: &[u8],
        name: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), Breach> {
        let size = name.len();
        if size > 0 {
            name.push(b'.');
        }
        name.extend_from_slice(own);
        self.value(values, name, depth)?;
        name.truncate(size);
        Ok(())
    }

    fn value(&mut self, values: &mut Values<'_>, name: &mut Vec<u8>, depth: usize) -> Result<(), Breach> {
        self.left = self.left.checked_sub(1).ok_or(Breach("a message has too many headers"))?;
        let shown = match values.octet()? {
            b'F' | b'A' if depth == DEPTH_MAX => return Err(Breach("its headers are too deep")),
            b'F' => return self.table(values.long_text()?, name, depth + 1),
            b'A' => return self.list(values.long_text()?, name, depth + 1),
            b'S' | b'x' => {
                (self.found)(name, values.long_text()?);
                return Ok(());
            }
            b't' => (values.octet()? != 0).to_string(),
            b'b' => i8::from_be_bytes([values.octet()?]).to_string(),
            b'B' => values.octet()?.to_string(),
            b's' | b'U' => values.short()?.cast_signed().to_string(),
            b'u' => values.short()?.to_string(),
            b'I' => values.long()?.cast_signed().to_string(),
            b'i' => values.long()?.to_string(),
            b'l' | b'L' => values.long_long()?.cast_signed().to_string(),
            b'T' => values.long_long()?.to_string(),
            b'f' => f32::from_bits(values.long()?).to_string(),
            b'd' => f64::from_bits(values.long_long()?).to_string(),
            b'D' => decimal(values.octet()?, values.long()?.cast_signed()),
            b'V' => String::new(),
            _ => return Err(Breach("a header has an unknown type")),
        };
        (self.found)(name, shown.as_bytes());
        Ok(())
    }
}

/// Writes a number with so many digits behind the point.
fn decimal(digits: u8, number: i32) -> String {
    let digits = usize::from(digits.min(32));
    let sign = if number < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", number.unsigned_abs(), width = digits + 1);
    let (whole, rest) = text.split_at(text.len() - digits);
    match rest {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}
