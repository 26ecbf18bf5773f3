//! Bodies in every compression, on both sides of their limits, and their share of the budget.

use super::*;
use hyper::header::HeaderValue;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).unwrap()
}

fn snappy(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(bytes).unwrap()
}

fn unpacked(bytes: Vec<u8>, encoding: Encoding, options: &HttpOptions) -> Result<Vec<u8>, BodyRefusal> {
    let whole = Whole { bytes, share: BudgetShare::none() };
    unpack(whole, encoding, options).map(|whole| whole.bytes)
}

type Pack = fn(&[u8]) -> Vec<u8>;

const PACKINGS: [(Encoding, Pack); 7] = [
    (Encoding::Gzip, gzip),
    (Encoding::Deflate, zlib),
    (Encoding::Zstd, zstd),
    (Encoding::Snappy, snappy),
    (Encoding::Sniffed, gzip),
    (Encoding::Sniffed, zlib),
    (Encoding::Sniffed, zstd),
];

#[test]
fn a_body_unpacks_to_the_limit_and_no_further() {
    for max in [10, 256 << 10, 300_000] {
        let options = HttpOptions { body_bytes_max: max, ..HttpOptions::new(4 << 20) };
        let text = vec![b'x'; max + 1];
        for (encoding, pack) in PACKINGS {
            let fits = unpacked(pack(&text[1..]), encoding, &options);
            assert!(fits.is_ok_and(|bytes| bytes == text[1..]), "{encoding:?} {max}");
            assert_eq!(unpacked(pack(&text), encoding, &options), Err(BodyRefusal::TooLarge), "{encoding:?}");
        }
    }
}

#[test]
fn damage_is_distinguished_from_size() {
    let options = HttpOptions::new(1 << 20);
    for (encoding, pack) in PACKINGS {
        let packed = pack(b"a text that is long enough to be cut");
        let cut = packed[..packed.len() - 6].to_vec();
        assert_eq!(unpacked(cut, encoding, &options), Err(BodyRefusal::Damaged), "{encoding:?}");
    }
}

#[test]
fn the_budget_bounds_the_decompressed_size_of_all_bodies() {
    let text = vec![b'x'; 1 << 20];
    for (encoding, pack) in PACKINGS {
        let options = HttpOptions::new(600 << 10);
        let all = options.budget.available_permits();
        assert_eq!(unpacked(pack(&text), encoding, &options), Err(BodyRefusal::Busy), "{encoding:?}");
        assert_eq!(options.budget.available_permits(), all, "what was taken came back");
        let whole = Whole { bytes: pack(&text[..100 << 10]), share: BudgetShare::none() };
        let whole = unpack(whole, encoding, &options).ok().unwrap();
        assert!(options.budget.available_permits() <= all - 100, "{encoding:?}");
        drop(whole);
        assert_eq!(options.budget.available_permits(), all);
    }
}

#[test]
fn a_share_grows_by_what_is_missing() {
    let options = HttpOptions::new(4 * BUDGET_UNIT);
    let mut share = BudgetShare::none();
    for (bytes, left) in [(0, 4), (1, 3), (BUDGET_UNIT, 3), (BUDGET_UNIT + 1, 2), (5, 2)] {
        share.grow(bytes, &options).unwrap();
        assert_eq!(options.budget.available_permits(), left, "{bytes}");
    }
    assert_eq!(share.grow(5 * BUDGET_UNIT, &options), Err(BodyRefusal::Busy));
    assert_eq!(share.grow(usize::MAX, &options), Err(BodyRefusal::TooLarge));
    drop(share);
    assert_eq!(options.budget.available_permits(), 4);
}

#[test]
fn encodings_have_names() {
    for (name, want) in [
        ("", Ok(None)),
        ("identity", Ok(None)),
        (" GZIP ", Ok(Some(Encoding::Gzip))),
        ("x-gzip", Ok(Some(Encoding::Gzip))),
        ("deflate", Ok(Some(Encoding::Deflate))),
        ("zlib", Ok(Some(Encoding::Deflate))),
        ("zstd", Ok(Some(Encoding::Zstd))),
        ("snappy", Ok(Some(Encoding::Snappy))),
        ("gzip,deflate", Ok(Some(Encoding::Sniffed))),
        ("gzip, deflate", Ok(Some(Encoding::Sniffed))),
        ("br", Err(BodyRefusal::Encoding)),
        ("\u{e9}", Err(BodyRefusal::Encoding)),
    ] {
        let value = HeaderValue::from_bytes(name.as_bytes()).unwrap();
        assert_eq!(encoding(&HeaderMap::from_iter([(CONTENT_ENCODING, value)])), want, "{name}");
    }
    assert_eq!(encoding(&HeaderMap::new()), Ok(None));
}

#[test]
fn a_slow_sender_has_the_time_that_its_bytes_need() {
    for (bytes, seconds) in [(0, 0), ((16 << 10) - 1, 0), (16 << 10, 1), (1 << 20, 64)] {
        assert_eq!(time_for(bytes), Duration::from_secs(seconds), "{bytes}");
    }
}

#[test]
fn a_content_type_has_its_word_in_it() {
    let headers = |kind| HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
    assert!(is_of(&headers("application/json; charset=utf-8"), "json"));
    assert!(!is_of(&headers("text/plain"), "json") && !is_of(&HeaderMap::new(), "json"));
}
