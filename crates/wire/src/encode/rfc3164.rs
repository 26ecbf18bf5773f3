//! Lines of RFC 3164, as the `network()` destination writes them.
//!
//! In: a message. Out: `<PRI>STAMP HOST PROGRAM[PID]: MESSAGE`. A received tag is copied unchanged.
//! Limits: none; the RFC's limit of 1024 bytes is obsolete.

use super::Encoder;
use message::{Batch, Field, Priority};

impl Encoder {
    pub(super) fn append_rfc3164(&mut self, batch: &Batch, index: usize, out: &mut Vec<u8>) {
        let message = &batch.messages[index];
        append_pri(message.pri, out);
        self.stamps.append(message.event, out);
        out.push(b' ');
        let host = batch.bytes(message.host);
        out.extend_from_slice(if host.is_empty() { &self.unknown_host } else { host });
        out.push(b' ');
        append_legacy_header(batch, index, out);
        out.extend_from_slice(batch.bytes(message.text));
    }
}

/// Appends `<PRI>`.
pub(super) fn append_pri(pri: Priority, out: &mut Vec<u8>) {
    out.push(b'<');
    append_number(pri.0, out);
    out.push(b'>');
}

fn append_number(number: u16, out: &mut Vec<u8>) {
    if number >= 10 {
        append_number(number / 10, out);
    }
    out.push(b'0' + (number % 10) as u8);
}

/// Appends `${MSGHDR}`: the tag as received, or `PROGRAM[PID]: ` built from the fields.
#[inline]
pub fn append_legacy_header(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let received = batch.fixed(index, Field::LegacyMsghdr);
    if !received.is_empty() {
        out.extend_from_slice(received);
        return;
    }
    let program = batch.fixed(index, Field::Program);
    if program.is_empty() {
        return;
    }
    out.extend_from_slice(program);
    let pid = batch.fixed(index, Field::Pid);
    if !pid.is_empty() {
        out.push(b'[');
        out.extend_from_slice(pid);
        out.push(b']');
    }
    out.extend_from_slice(b": ");
}
