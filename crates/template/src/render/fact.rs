//! `geoip2`: a fact about an address.
//!
//! In: a rendered address. Out: text. Holds nothing: the call holds the database. A text that is not an address and
//! an unknown fact yield nothing. Limits: none of its own.

use crate::{renderer::Renderer, template::AddressFact};
use message::Batch;
use std::net::IpAddr;

/// Appends the fact.
pub(super) fn append(
    fact: &AddressFact,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let text = fact.address.value(batch, index, renderer);
    let address = str::from_utf8(&text).ok().and_then(|text| text.trim().parse::<IpAddr>().ok());
    let path: Vec<&str> = fact.field.iter().map(String::as_str).collect();
    let found = address.and_then(|address| fact.database.fact(address, &path));
    out.extend_from_slice(found.unwrap_or_default().as_bytes());
}
