//! Fields to bytes.
//!
//! In: numbers and values of fields. Out: their bytes, appended. Holds: nothing. Limits: none.

/// Appends a number or flag.
pub fn push_varint(number: u32, value: u64, out: &mut Vec<u8>) {
    push_number(u64::from(number) << 3, out);
    push_number(value, out);
}

/// Appends eight bytes: a number or the bits of a double.
pub fn push_fixed64(number: u32, value: u64, out: &mut Vec<u8>) {
    push_number(u64::from(number) << 3 | 1, out);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends four bytes.
pub fn push_fixed32(number: u32, value: u32, out: &mut Vec<u8>) {
    push_number(u64::from(number) << 3 | 5, out);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends text, bytes, or a message that is complete.
pub fn push_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    push_number(u64::from(number) << 3 | 2, out);
    push_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends a message whose fields `fields` appends.
pub fn push_message(number: u32, out: &mut Vec<u8>, fields: impl FnOnce(&mut Vec<u8>)) {
    push_number(u64::from(number) << 3 | 2, out);
    let start = out.len();
    fields(out);
    // Most messages are shorter than 128 bytes: their length is one byte.
    let mut size = Vec::with_capacity(1);
    push_number((out.len() - start) as u64, &mut size);
    out.splice(start..start, size);
}

fn push_number(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
