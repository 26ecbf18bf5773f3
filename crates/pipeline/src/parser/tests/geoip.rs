//! Rows for `geoip2()`, with a database made here: 10.0.0.0/8 is known.

use super::{batch, renderer, shown};
use crate::{
    Definitions,
    parser::{Geoip, Input, Parser},
};
use message::Selection;
use std::sync::Arc;
use template::{Template, geo::GeoDatabase};

/// Nodes of the tree: one for each bit of the known prefix.
const NODES: u32 = 8;
/// The first byte of the known addresses.
const KNOWN: u8 = 10;

fn text(text: &str, out: &mut Vec<u8>) {
    out.push(2 << 5 | text.len() as u8);
    out.extend_from_slice(text.as_bytes());
}

fn map(members: usize, out: &mut Vec<u8>) {
    out.push(7 << 5 | members as u8);
}

fn number(value: u16, out: &mut Vec<u8>) {
    out.push(5 << 5 | 2);
    out.extend_from_slice(&value.to_be_bytes());
}

/// A database in MaxMind's format, version 2.0: a search tree, facts, and the metadata that describes them.
fn database() -> Vec<u8> {
    let mut bytes = Vec::new();
    for node in 0..NODES {
        let next = if node + 1 < NODES { node + 1 } else { NODES + 16 };
        let is_one = KNOWN >> (7 - node) & 1 == 1;
        for record in if is_one { [NODES, next] } else { [next, NODES] } {
            bytes.extend_from_slice(&record.to_be_bytes()[1..]);
        }
    }
    bytes.extend_from_slice(&[0; 16]);
    map(3, &mut bytes);
    text("country", &mut bytes);
    map(1, &mut bytes);
    text("iso_code", &mut bytes);
    text("HU", &mut bytes);
    text("location", &mut bytes);
    map(2, &mut bytes);
    text("latitude", &mut bytes);
    bytes.push(3 << 5 | 8);
    bytes.extend_from_slice(&47.5f64.to_be_bytes());
    text("radius", &mut bytes);
    number(20, &mut bytes);
    text("areas", &mut bytes);
    // An array is an extended type: its number less seven follows.
    bytes.extend_from_slice(&[2, 4]);
    text("a", &mut bytes);
    // So is a boolean.
    bytes.extend_from_slice(&[1, 7]);
    bytes.extend_from_slice(b"\xab\xcd\xefMaxMind.com");
    map(9, &mut bytes);
    text("node_count", &mut bytes);
    bytes.push(6 << 5 | 4);
    bytes.extend_from_slice(&NODES.to_be_bytes());
    for (name, value) in [
        ("record_size", 24),
        ("ip_version", 4),
        ("binary_format_major_version", 2),
        ("binary_format_minor_version", 0),
    ] {
        text(name, &mut bytes);
        number(value, &mut bytes);
    }
    text("build_epoch", &mut bytes);
    bytes.extend_from_slice(&[1, 2, 7]);
    text("database_type", &mut bytes);
    text("Test", &mut bytes);
    text("languages", &mut bytes);
    bytes.extend_from_slice(&[0, 4]);
    text("description", &mut bytes);
    map(0, &mut bytes);
    bytes
}

#[test]
fn facts_about_addresses_are_values() {
    let known = Arc::new(GeoDatabase::default());
    let parser = Geoip { input: Input::message(), prefix: "g.".into(), database: known.clone() };
    let read = |lines: &[&[u8]]| {
        let mut batch = batch(lines);
        let all = Selection::all(lines.len());
        assert_eq!(parser.parse(&mut batch, &all, &mut renderer()), all);
        (0..lines.len()).map(|index| shown(&batch, index)).collect::<Vec<_>>()
    };
    assert_eq!(read(&[b"10.1.2.3"]), [""]);
    known.replace(database()).unwrap();
    let facts =
        "g.country.iso_code=HU|g.location.latitude=47.500000|g.location.radius=20|g.areas.0=a|g.areas.1=true";
    assert_eq!(
        read(&[b"10.1.2.3", b"11.0.0.1", b" 10.9.9.9 ", b"no address", b"::1", b"\xff"]),
        [facts, "", facts, "", "", ""]
    );
    assert!(known.replace(b"no database".to_vec()).is_err());
    assert_eq!(read(&[b"10.0.0.1"]), [facts]);
}

#[test]
fn a_template_asks_for_one_fact() {
    let definitions = Definitions::default();
    let templates = [
        "$(geoip2 --database /known.mmdb $MESSAGE)",
        "$(geoip2 --database=/known.mmdb --field location.radius ${MESSAGE})",
        "$(geoip2 --database /known.mmdb --field areas.1 $MESSAGE)",
        "$(geoip2 --database /known.mmdb --field country $MESSAGE)",
    ];
    let templates = templates.map(|text| Template::parse(text, &definitions).unwrap());
    let render = |line: &[u8]| {
        let batch = batch(&[line]);
        let texts = templates.iter().map(|template| {
            let mut out = Vec::new();
            template.render(&batch, 0, &mut renderer(), &mut out);
            String::from_utf8(out).unwrap()
        });
        texts.collect::<Vec<_>>().join(",")
    };
    assert_eq!(render(b"10.1.2.3"), ",,,");
    let known = definitions.geo.all();
    assert_eq!(known.len(), 1);
    known[0].1.replace(database()).unwrap();
    assert_eq!(render(b"10.1.2.3"), "HU,20,true,");
    assert_eq!(render(b"11.0.0.1"), ",,,");
    assert_eq!(render(b"no address"), ",,,");
    assert!(Template::parse("$(geoip2 $MESSAGE)", &definitions).is_err());
}
