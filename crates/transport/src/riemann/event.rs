//! Events as bytes: `Event` and `Msg` of Riemann's published protobuf definition (`proto.proto`).
//!
//! In: values. Out: bytes, appended. Holds: the event in the making. Limits: none of its own.

/// Numbers of fields of an event.
const TIME: u64 = 1;
const STATE: u64 = 2;
const SERVICE: u64 = 3;
const HOST: u64 = 4;
const DESCRIPTION: u64 = 5;
const TAGS: u64 = 7;
const TTL: u64 = 8;
const ATTRIBUTES: u64 = 9;
const TIME_MICROS: u64 = 10;
const METRIC_INTEGER: u64 = 13;
const METRIC_DOUBLE: u64 = 14;
/// Numbers of fields of an attribute.
const KEY: u64 = 1;
const VALUE: u64 = 2;
/// The number of the events of a message.
const EVENTS: u64 = 6;
/// Kinds of values.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const BYTES: u64 = 2;
const FIXED_32: u64 = 5;

/// The number that an event is about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Metric {
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
}

/// Writes an event.
#[derive(Default)]
pub struct EventWriter {
    out: Vec<u8>,
}

impl EventWriter {
    /// Sets its time, in seconds since 1970.
    pub fn seconds(&mut self, seconds: i64) {
        number(TIME, seconds as u64, &mut self.out);
    }

    /// Sets its time, in microseconds since 1970.
    pub fn microseconds(&mut self, microseconds: i64) {
        number(TIME_MICROS, microseconds as u64, &mut self.out);
    }

    /// Sets its state.
    pub fn state(&mut self, text: &[u8]) {
        bytes(STATE, text, &mut self.out);
    }

    /// Sets what it is about.
    pub fn service(&mut self, text: &[u8]) {
        bytes(SERVICE, text, &mut self.out);
    }

    /// Sets where it was.
    pub fn host(&mut self, text: &[u8]) {
        bytes(HOST, text, &mut self.out);
    }

    /// Sets its text.
    pub fn description(&mut self, text: &[u8]) {
        bytes(DESCRIPTION, text, &mut self.out);
    }

    /// Adds a tag.
    pub fn tag(&mut self, tag: &[u8]) {
        bytes(TAGS, tag, &mut self.out);
    }

    /// Sets for how many seconds it counts.
    pub fn ttl(&mut self, seconds: f32) {
        varint(TTL << 3 | FIXED_32, &mut self.out);
        self.out.extend_from_slice(&seconds.to_le_bytes());
    }

    /// Sets its number.
    pub fn metric(&mut self, metric: Metric) {
        match metric {
            // Zigzag: small negative numbers are short as well.
            Metric::Integer(whole) => {
                number(METRIC_INTEGER, ((whole << 1) ^ (whole >> 63)) as u64, &mut self.out)
            }
            Metric::Double(double) => {
                varint(METRIC_DOUBLE << 3 | FIXED_64, &mut self.out);
                self.out.extend_from_slice(&double.to_le_bytes());
            }
        }
    }

    /// Adds a value of another name.
    pub fn attribute(&mut self, name: &[u8], value: &[u8]) {
        let mut attribute = Vec::with_capacity(name.len() + value.len() + 16);
        bytes(KEY, name, &mut attribute);
        bytes(VALUE, value, &mut attribute);
        bytes(ATTRIBUTES, &attribute, &mut self.out);
    }

    /// Returns the event.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Appends an event to a message.
pub fn append_event(event: &[u8], message: &mut Vec<u8>) {
    bytes(EVENTS, event, message);
}

/// Returns a message as a stream has it: behind its size.
pub fn framed(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + message.len());
    out.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(message);
    out
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3 | VARINT, out);
    varint(value, out);
}

fn bytes(field: u64, value: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | BYTES, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}
