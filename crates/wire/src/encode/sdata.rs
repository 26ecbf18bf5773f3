//! Writes structured data (RFC 5424, section 6.3): as received, with values set by processing.
//!
//! In: a message. Out: `[id name="value" ...]...`, or nothing when there is none. Unchanged data is copied as a slice.
//! Limits: bytes that names cannot hold become `%HH`, as in syslog-ng.

use message::{Batch, SdParam, sd_params};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

const PREFIX: &[u8] = b".SDATA.";

/// An element with the names and plain values of its parameters.
struct Element<'a> {
    id: &'a [u8],
    params: Vec<(&'a [u8], Cow<'a, [u8]>)>,
}

/// Appends `${SDATA}`: the structured data as received, changed and completed by `.SDATA.<id>.<param>` values.
pub fn append_sdata(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let received = batch.bytes(batch.messages[index].sdata);
    if !batch.has_values(index) {
        out.extend_from_slice(received);
        return;
    }
    let set: Vec<(&[u8], &[u8])> = batch
        .values(index)
        .into_iter()
        .rev()
        .filter_map(|(name, value, _)| Some((name.strip_prefix(PREFIX)?, value)))
        .collect();
    let params = batch.sd_params_now(index);
    if set.is_empty() && params.iter().all(|(_, value)| value.is_some()) {
        out.extend_from_slice(received);
        return;
    }
    append_elements(&elements(params, &set), out);
}

/// Like [`append_sdata`], with `meta.sequenceId` (RFC 5424, section 7.3.1) when the message has none: this is what a
/// destination does for the messages of its own host.
pub fn append_sdata_numbered(batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
    let start = out.len();
    append_sdata(batch, index, out);
    let mut meta_end = None;
    for param in sd_params(&out[start..]) {
        if param.id == b"meta" {
            if param.name == b"sequenceId" && !param.escaped.is_empty() {
                return;
            }
            // The id is a slice of `out`: its distance from the start is its offset.
            let id_end = param.id.as_ptr() as usize - out.as_ptr() as usize + param.id.len();
            meta_end.get_or_insert(id_end);
        }
    }
    match meta_end {
        Some(at) => {
            out.splice(at..at, format!(" sequenceId=\"{sequence}\"").into_bytes());
        }
        None => out.extend_from_slice(format!("[meta sequenceId=\"{sequence}\"]").as_bytes()),
    }
}

/// Returns the elements as received with the present values of their parameters, without those that were unset; then
/// those that were not received, each after the others of its element.
fn elements<'a>(
    params: Vec<(SdParam<'a>, Option<Cow<'a, [u8]>>)>,
    set: &[(&'a [u8], &'a [u8])],
) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    // By id, the last element that has it.
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut received: HashSet<Vec<u8>> = HashSet::new();
    for (param, value) in params {
        let Some(value) = value else { continue };
        if elements.last().is_none_or(|last| last.id != param.id) {
            places.insert(param.id, elements.len());
            elements.push(Element { id: param.id, params: Vec::new() });
        }
        if let (Some(last), false) = (elements.last_mut(), param.name.is_empty()) {
            last.params.push((param.name, value));
            received.insert([param.id, b".", param.name].concat());
        }
    }
    for (path, value) in set.iter().filter(|(path, _)| !received.contains(*path)) {
        // Ids may hold dots: an element that is there is preferred to a cut at the last dot.
        let dots = memchr::memchr_iter(b'.', path);
        let known = dots.filter_map(|dot| places.get(&path[..dot]).copied()).max();
        let place = known.unwrap_or_else(|| {
            let id = &path[..memchr::memrchr(b'.', path).unwrap_or(path.len())];
            places.insert(id, elements.len());
            elements.push(Element { id, params: Vec::new() });
            elements.len() - 1
        });
        let element = &mut elements[place];
        let name = path.get(element.id.len() + 1..).unwrap_or_default();
        element.params.push((name, (*value).into()));
    }
    elements
}

fn append_elements(elements: &[Element<'_>], out: &mut Vec<u8>) {
    for Element { id, params } in elements {
        out.push(b'[');
        append_name(id, out);
        for (name, value) in params.iter().filter(|(name, _)| !name.is_empty()) {
            out.push(b' ');
            append_name(name, out);
            out.extend_from_slice(b"=\"");
            append_escaped(value, out);
            out.push(b'"');
        }
        out.push(b']');
    }
}

fn append_name(name: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in name {
        if byte.is_ascii_graphic() && !b"=[]\"".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

fn append_escaped(value: &[u8], out: &mut Vec<u8>) {
    for byte in value {
        if matches!(byte, b'"' | b'\\' | b']') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
}
