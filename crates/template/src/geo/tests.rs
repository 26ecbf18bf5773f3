//! Rows for facts, with a database made here: 128.0.0.0/1 is known.

use super::*;

fn text(text: &str, out: &mut Vec<u8>) {
    out.push(2 << 5 | text.len() as u8);
    out.extend_from_slice(text.as_bytes());
}

fn map(members: u8, out: &mut Vec<u8>) {
    out.push(7 << 5 | members);
}

fn number(value: u16, out: &mut Vec<u8>) {
    out.push(5 << 5 | 2);
    out.extend_from_slice(&value.to_be_bytes());
}

/// A database in MaxMind's format, version 2.0, whose tree has one node: addresses that begin with a 1 are known.
fn database(country: &str) -> Vec<u8> {
    // Left: nothing. Right: the fact at offset 0, behind the node and the 16 bytes between.
    let mut bytes = vec![0, 0, 1, 0, 0, 17];
    bytes.extend_from_slice(&[0; 16]);
    map(2, &mut bytes);
    text("country", &mut bytes);
    map(1, &mut bytes);
    text("iso_code", &mut bytes);
    text(country, &mut bytes);
    text("codes", &mut bytes);
    // An array is an extended type: its number less seven follows.
    bytes.extend_from_slice(&[2, 4]);
    number(7, &mut bytes);
    number(8, &mut bytes);
    bytes.extend_from_slice(b"\xab\xcd\xefMaxMind.com");
    map(9, &mut bytes);
    text("node_count", &mut bytes);
    bytes.extend_from_slice(&[6 << 5 | 1, 1]);
    text("build_epoch", &mut bytes);
    bytes.extend_from_slice(&[1, 2, 7]);
    for (name, value) in [
        ("record_size", 24),
        ("ip_version", 4),
        ("binary_format_major_version", 2),
        ("binary_format_minor_version", 0),
    ] {
        text(name, &mut bytes);
        number(value, &mut bytes);
    }
    text("database_type", &mut bytes);
    text("test", &mut bytes);
    text("languages", &mut bytes);
    bytes.extend_from_slice(&[0, 4]);
    text("description", &mut bytes);
    map(0, &mut bytes);
    bytes
}

#[test]
fn facts_are_found_by_their_path() {
    let known = GeoDatabase::default();
    let check = |address: &str, path: &[&str], want: Option<&str>| {
        assert_eq!(known.fact(address.parse().unwrap(), path).as_deref(), want, "{address} {path:?}");
    };
    check("192.0.2.1", &["country", "iso_code"], None);
    known.replace(database("HU")).unwrap();
    check("192.0.2.1", &["country", "iso_code"], Some("HU"));
    check("192.0.2.1", &["codes", "1"], Some("8"));
    check("192.0.2.1", &["codes", "2"], None);
    check("192.0.2.1", &["country"], None);
    check("192.0.2.1", &["city"], None);
    check("10.0.0.1", &["country", "iso_code"], None);
    assert!(!known.replace(b"no database".to_vec()).unwrap_err().to_string().is_empty());
    check("192.0.2.1", &["country", "iso_code"], Some("HU"));
    known.replace(database("DE")).unwrap();
    check("192.0.2.1", &["country", "iso_code"], Some("DE"));
}

#[test]
fn a_path_has_one_database_for_all() {
    let databases = GeoDatabases::default();
    let one = databases.get("/a");
    databases.get("/b");
    one.replace(database("HU")).unwrap();
    assert!(databases.get("/a").reader().is_some() && databases.get("/b").reader().is_none());
    let paths: Vec<String> = databases.all().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/a", "/b"]);
    assert_eq!(format!("{databases:?} {one:?}"), "GeoDatabases GeoDatabase");
}

#[test]
fn single_facts_have_text() {
    let check = |json: &str, want: Option<&str>| {
        let fact: Value = serde_json::from_str(json).unwrap();
        assert_eq!(shown(&fact).as_deref(), want, "{json}");
    };
    check("\"HU\"", Some("HU"));
    check("true", Some("true"));
    check("false", Some("false"));
    check("20", Some("20"));
    check("-7", Some("-7"));
    check("47.5", Some("47.500000"));
    check("null", None);
    check("[1]", None);
    check("{\"a\":1}", None);
}
