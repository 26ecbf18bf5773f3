//! Structured data on its way out (RFC 5424, section 6.3): as received, with what processing set.
//!
//! In: a message. Out: `[id name="value" ...]...`, nothing when there is none. Unchanged data is copied as a slice.
//! Limits: bytes that names cannot hold become `%HH`, as in syslog-ng.

use message::{Batch, FieldName, Span, sd_params};

const PREFIX: &[u8] = b".SDATA.";

/// One parameter: id, name, plain value. An element without parameters has an empty name.
type Param<'a> = (&'a [u8], &'a [u8], std::borrow::Cow<'a, [u8]>);

/// `${SDATA}`: the structured data as received, changed and completed by `.SDATA.<id>.<param>` values.
pub fn append_sdata(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let received = batch.messages[index].sdata;
    if !batch.has_values(index) {
        out.extend_from_slice(batch.bytes(received));
        return;
    }
    let set: Vec<(&[u8], &[u8])> = batch
        .values(index)
        .into_iter()
        .rev()
        .filter_map(|(name, value, _)| Some((name.strip_prefix(PREFIX)?, value)))
        .collect();
    let params = current_params(batch, index, received);
    if set.is_empty() && params.len() == sd_params(batch.bytes(received)).count() {
        out.extend_from_slice(batch.bytes(received));
        return;
    }
    append_elements(with_new_params(params, &set), out);
}

/// Like [`append_sdata`], with `meta.sequenceId` (RFC 5424, section 7.3.1) when the message brought none: what a
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
            // The id is a slice of `out`: its distance from the start is its place.
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

/// The received parameters with their present values; those that were unset are left out.
fn current_params<'a>(batch: &'a Batch, index: usize, received: Span) -> Vec<Param<'a>> {
    let mut params = Vec::new();
    for param in sd_params(batch.bytes(received)) {
        if param.name.is_empty() {
            params.push((param.id, param.name, Default::default()));
            continue;
        }
        let (id, name) = (String::from_utf8_lossy(param.id), String::from_utf8_lossy(param.name));
        if let Some(value) = batch.field(index, &FieldName::parse(&format!(".SDATA.{id}.{name}"))) {
            params.push((param.id, param.name, value));
        }
    }
    params
}

/// Adds parameters that were not received, each behind the others of its element.
fn with_new_params<'a>(mut params: Vec<Param<'a>>, set: &[(&'a [u8], &'a [u8])]) -> Vec<Param<'a>> {
    for (path, value) in set {
        let known = |param: &Param<'_>| {
            path.strip_prefix(param.0).is_some_and(|rest| rest.strip_prefix(b".") == Some(param.1))
        };
        if params.iter().any(known) {
            continue;
        }
        // Ids may hold dots: an element that is there is preferred to a cut at the last dot.
        let element = params
            .iter()
            .rposition(|param| path.strip_prefix(param.0).is_some_and(|rest| rest.starts_with(b".")));
        let (id, place) = match element {
            Some(at) => (params[at].0, at + 1),
            None => (&path[..memchr::memrchr(b'.', path).unwrap_or(path.len())], params.len()),
        };
        let name = path.get(id.len() + 1..).unwrap_or_default();
        params.insert(place, (id, name, (*value).into()));
    }
    params
}

fn append_elements(params: Vec<Param<'_>>, out: &mut Vec<u8>) {
    let mut open: Option<&[u8]> = None;
    for (id, name, value) in &params {
        if open != Some(id) {
            if open.is_some() {
                out.push(b']');
            }
            out.push(b'[');
            append_name(id, out);
            open = Some(id);
        }
        if !name.is_empty() {
            out.push(b' ');
            append_name(name, out);
            out.extend_from_slice(b"=\"");
            append_escaped(value, out);
            out.push(b'"');
        }
    }
    if open.is_some() {
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
