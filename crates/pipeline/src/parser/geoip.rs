//! `geoip2()`: adds data about an address from a database.
//!
//! In: a text that is an IP address; a database in MaxMind's format. Out: a value for each fact, its names joined as in the
//! database: `country.iso_code`, `subdivisions.0.names.en`. Messages without a known address pass unchanged.
//! Holds: the database, which may be replaced at any time; results are cached for the duration of a batch.
//! Limits: [`FACTS_MAX`] facts per address.

use super::{Input, Parser, reader::JoinedName};
use maxminddb::Reader;
use message::{Batch, FIELD_NAME_BYTES_MAX, Selection, Span, ValueKind};
use serde_json::Value;
use std::{collections::HashMap, net::IpAddr, sync::Arc};
use template::{
    Renderer,
    geo::{GeoDatabase, shown},
};

/// Most facts about one address.
const FACTS_MAX: usize = 512;

/// Adds what is known about addresses.
pub struct Geoip {
    /// The text that is read as an address.
    pub input: Input,
    /// Prefix of all names.
    pub prefix: String,
    /// The database.
    pub database: Arc<GeoDatabase>,
}

impl Parser for Geoip {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let Some(reader) = self.database.reader() else { return within.clone() };
        // Entries are found by their offset in the database: many addresses share one.
        let mut known: HashMap<usize, Vec<(Span, Span)>> = HashMap::new();
        for index in within.iter() {
            let place = self.input.span(batch, index, renderer);
            let Some(address) =
                str::from_utf8(batch.bytes(place)).ok().and_then(|text| text.trim().parse().ok())
            else {
                continue;
            };
            let Some((entry, facts)) = lookup(&reader, address, &known) else { continue };
            if let Some(facts) = facts {
                let mut name = JoinedName::new(b'.');
                let mut places = Vec::new();
                flatten(&facts, &mut name, &mut |name, value| {
                    if places.len() < FACTS_MAX {
                        places.push(self.keep(batch, name, value));
                    }
                });
                known.insert(entry, places);
            }
            for &(name, value) in known.get(&entry).into_iter().flatten() {
                batch.push_value(index, name, value, ValueKind::String);
            }
        }
        within.clone()
    }
}

impl Geoip {
    fn keep(&self, batch: &mut Batch, name: &[u8], value: &[u8]) -> (Span, Span) {
        let start = batch.extra.len();
        batch.extra.extend_from_slice(self.prefix.as_bytes());
        let left = FIELD_NAME_BYTES_MAX.saturating_sub(self.prefix.len());
        batch.extra.extend_from_slice(&name[..name.len().min(left)]);
        let name = Span::extra(start, batch.extra.len() - start);
        (name, batch.add_extra(value))
    }
}

/// Returns the offset of an address's entry in the database, and the facts in it when they are not known yet.
fn lookup(
    reader: &Reader<Vec<u8>>,
    address: IpAddr,
    known: &HashMap<usize, Vec<(Span, Span)>>,
) -> Option<(usize, Option<Value>)> {
    let found = reader.lookup(address).ok()?;
    let entry = found.offset()?;
    if known.contains_key(&entry) {
        return Some((entry, None));
    }
    Some((entry, Some(found.decode().ok()??)))
}

/// Passes every fact with its joined name to `give`. Databases are not deep: their format is checked on reading.
fn flatten(value: &Value, name: &mut JoinedName, give: &mut dyn FnMut(&[u8], &[u8])) {
    match value {
        Value::Object(members) => {
            for (part, inner) in members {
                let before = name.push(part.as_bytes());
                flatten(inner, name, give);
                name.pop_to(before);
            }
        }
        Value::Array(elements) => {
            for (position, inner) in elements.iter().enumerate() {
                let before = name.push(position.to_string().as_bytes());
                flatten(inner, name, give);
                name.pop_to(before);
            }
        }
        fact => {
            if let Some(text) = shown(fact) {
                give(name.joined(), text.as_bytes());
            }
        }
    }
}
