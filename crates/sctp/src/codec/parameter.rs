//! Parameters of INIT and INIT ACK.
//!
//! In: a list of items. Out: the known ones by name, others as they are. Limits: a list ends at the first item whose
//! length is impossible.

use super::bytes::{append_item, take_item};
use super::kind::Unrecognized;

const COOKIE: u16 = 7;
const UNRECOGNIZED: u16 = 8;
const SUPPORTED_EXTENSIONS: u16 = 0x8008;
const FORWARD_TSN_SUPPORTED: u16 = 0xC000;
/// Parameters that say nothing to one who has one address and no keys: addresses, the wish for a longer cookie, address
/// types, those of AUTH, padding, the adaptation layer.
const IGNORED: &[u16] = &[5, 6, 9, 12, 0x8002, 0x8003, 0x8004, 0x8005, 0xC006];

/// One parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter<'a> {
    /// The state that the peer has to send back.
    Cookie(&'a [u8]),
    /// A parameter that the peer does not know: the whole of it.
    Unrecognized(&'a [u8]),
    /// Types of chunks above those of RFC 9260.
    SupportedExtensions(&'a [u8]),
    /// FORWARD-TSN is understood (RFC 3758).
    ForwardTsnSupported,
    /// A known one that has no meaning here.
    Ignored(u16),
    /// One that is not known: the type and the whole of it.
    Unknown(u16, &'a [u8]),
}

impl<'a> Parameter<'a> {
    /// Returns how a receiver has to treat an unknown parameter: the two high bits of the type say so.
    pub fn unrecognized(&self) -> Option<Unrecognized> {
        match self {
            Parameter::Unknown(kind, _) => Some(Unrecognized::from_type(kind.to_be_bytes()[0])),
            _ => None,
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let (kind, value): (u16, &[u8]) = match self {
            Parameter::Cookie(value) => (COOKIE, value),
            Parameter::Unrecognized(value) => (UNRECOGNIZED, value),
            Parameter::SupportedExtensions(value) => (SUPPORTED_EXTENSIONS, value),
            Parameter::ForwardTsnSupported => (FORWARD_TSN_SUPPORTED, &[]),
            Parameter::Ignored(kind) => (*kind, &[]),
            Parameter::Unknown(kind, whole) => (*kind, whole.get(4..).unwrap_or_default()),
        };
        append_item(out, kind.to_be_bytes(), |out| out.extend_from_slice(value));
    }
}

/// A list of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Parameters<'a> {
    bytes: &'a [u8],
}

impl<'a> Parameters<'a> {
    /// Reads the list in these bytes.
    pub fn new(bytes: &'a [u8]) -> Parameters<'a> {
        Parameters { bytes }
    }

    /// Returns the bytes of the list.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Parameter<'a>> {
        let item = take_item(&mut self.bytes)?;
        Some(match u16::from_be_bytes(item.head) {
            COOKIE => Parameter::Cookie(item.value),
            UNRECOGNIZED => Parameter::Unrecognized(item.value),
            SUPPORTED_EXTENSIONS => Parameter::SupportedExtensions(item.value),
            FORWARD_TSN_SUPPORTED => Parameter::ForwardTsnSupported,
            kind if IGNORED.contains(&kind) => Parameter::Ignored(kind),
            kind => Parameter::Unknown(kind, item.whole),
        })
    }
}
