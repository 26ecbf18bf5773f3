//! Functions that ask the machine: `uuid`, `dns-resolve-ip`, `getent`.
//!
//! In: rendered arguments. Out: text. Holds nothing. Without an answer, or without one yet, an
//! address is printed itself, and an entry as nothing.
//! Limits: none of its own.

use crate::{renderer::Renderer, template::MachineFunction};
use message::Batch;
use std::net::IpAddr;

/// Appends the answer.
pub(super) fn append(
    question: &MachineFunction,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let machine = renderer.site.machine.clone();
    match question {
        MachineFunction::Uuid => {
            let mut bytes = [0; 16];
            if let Some(machine) = machine {
                machine.fill_random(&mut bytes);
            }
            append_uuid(bytes, out);
        }
        MachineFunction::HostName { lookup, address } => {
            let text = address.value(batch, index, renderer);
            let asked = || {
                let address: IpAddr = std::str::from_utf8(&text).ok()?.trim().parse().ok()?;
                machine.as_deref()?.host_name(address, (*lookup)?)
            };
            match asked() {
                Some(name) => out.extend_from_slice(name.as_bytes()),
                None => out.extend_from_slice(&text),
            }
        }
        MachineFunction::Entry { database, key, member } => {
            let key = key.value(batch, index, renderer);
            let found = std::str::from_utf8(&key)
                .ok()
                .and_then(|key| machine.as_deref().and_then(|machine| machine.entry(*database, key, member)));
            out.extend_from_slice(found.unwrap_or_default().as_bytes());
        }
    }
}

/// Appends a random UUID: version 4 of RFC 9562.
fn append_uuid(mut bytes: [u8; 16], out: &mut Vec<u8>) {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
}
