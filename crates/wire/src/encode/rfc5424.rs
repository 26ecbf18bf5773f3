//! Lines of RFC 5424, as the `syslog()` destination writes them.
//!
//! In: a message. Out: `<PRI>1 STAMP HOST APP-NAME PROCID MSGID SDATA MSG`; NIL for what is unknown.
//! A BOM precedes a text that is known to be UTF-8, as section 6.4 requires.
//! Limits: fields are cut at the RFC's lengths, and at a blank, which would shift all that follows.

use super::{Encoder, append_sdata, append_sdata_numbered, rfc3164::append_pri};
use message::Batch;

const HOST_BYTES_MAX: usize = 255;
const APP_NAME_BYTES_MAX: usize = 48;
const PROCID_BYTES_MAX: usize = 128;
const MSGID_BYTES_MAX: usize = 32;
const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Encoder {
    pub(super) fn append_rfc5424(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: Option<u64>,
        out: &mut Vec<u8>,
    ) {
        let message = &batch.messages[index];
        append_pri(message.pri, out);
        out.extend_from_slice(b"1 ");
        self.stamps.append(message.event, out);
        let host = batch.bytes(message.host);
        append_column(if host.is_empty() { &self.unknown_host } else { host }, HOST_BYTES_MAX, out);
        append_column(batch.bytes(message.program), APP_NAME_BYTES_MAX, out);
        append_column(batch.bytes(message.pid), PROCID_BYTES_MAX, out);
        append_column(batch.bytes(message.msgid), MSGID_BYTES_MAX, out);
        out.push(b' ');
        let before = out.len();
        match sequence {
            Some(sequence) => append_sdata_numbered(batch, index, sequence, out),
            None => append_sdata(batch, index, out),
        }
        if out.len() == before {
            out.push(b'-');
        }
        let text = batch.bytes(message.text);
        if !text.is_empty() {
            out.push(b' ');
            if message.utf8 {
                out.extend_from_slice(BOM);
            }
            out.extend_from_slice(text);
        }
    }
}

/// Appends a blank and a field up to its first blank or control character; NIL when nothing is left.
fn append_column(value: &[u8], bytes_max: usize, out: &mut Vec<u8>) {
    out.push(b' ');
    let value = &value[..value.len().min(bytes_max)];
    let length = value.iter().position(|byte| *byte <= b' ' || *byte == 0x7f).unwrap_or(value.len());
    out.extend_from_slice(if length == 0 { b"-" } else { &value[..length] });
}
