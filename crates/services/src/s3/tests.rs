//! Signatures as Amazon publishes them, names that hostile messages make, contents, and exchanges with a server of prepared
//! answers.

mod exchanges;

use super::{
    address::{AddressError, bucket_address},
    body::{self, Content},
    key,
    options::{S3Checksum, S3Compression, S3Login, S3Target},
    receiver::S3Receiver,
    signature::{Signer, Unsigned},
};
use crate::{
    testing::{Long, Timed, row},
    url::encoded,
};
use delivery::{Batches, Cell, Receiver, RequestLimits, Row};
use message::{RecordId, Render};
use proptest::{collection::vec, prelude::any, proptest};
use std::{io::Read, time::Duration};
use transport::{
    testing::Text,
    tls::{SenderTls, TlsOptions},
};

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn login(access_key: &str, secret_key: &str) -> S3Login {
    S3Login { access_key: access_key.to_owned(), secret_key: secret_key.to_owned(), session_token: None }
}

/// Checks the signature of a request, `METHOD PATH`, and the names of its headers.
#[track_caller]
fn check_signature(
    (service, time): (&str, &str),
    request: &str,
    headers: &[(&str, &str)],
    body_sha256: &str,
    (names, want): (&str, &str),
) {
    let (method, path) = request.split_once(' ').unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let login = match service {
        "s3" => login("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        _ => login("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    };
    let signer = Signer { login: &login, region: "us-east-1", service };
    let unsigned = Unsigned { method, path, query, headers: headers.to_vec(), body_sha256 };
    let want = format!(
        "AWS4-HMAC-SHA256 Credential={}/{}/us-east-1/{service}/aws4_request, SignedHeaders={names}, Signature={want}",
        login.access_key,
        &time[..8]
    );
    assert_eq!(signer.authorization(&unsigned, time), want);
}

/// The examples of the reference of Amazon S3, "Signature Calculations for the Authorization Header".
#[test]
fn the_examples_of_the_reference_of_s3_are_signed() {
    let (host, time) = (("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", "20130524T000000Z"));
    check_signature(
        ("s3", time.1),
        "GET /test.txt",
        &[host, ("range", "bytes=0-9"), ("x-amz-content-sha256", EMPTY), time],
        EMPTY,
        (
            "host;range;x-amz-content-sha256;x-amz-date",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
    );
    let content = Content::of(b"Welcome to Amazon S3.".to_vec(), S3Compression::None, 0);
    assert_eq!(content.sha256_hex, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
    let path = format!("PUT /{}", encoded("test$file.text"));
    let headers = [
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ("date", "Fri, 24 May 2013 00:00:00 GMT"),
        host,
        ("x-amz-content-sha256", content.sha256_hex.as_str()),
        time,
    ];
    let want = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd";
    let names = "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class";
    check_signature(("s3", time.1), &path, &headers, &content.sha256_hex, (names, want));
    let queries = [
        ("GET /?lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("GET /?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ];
    for (request, signature) in queries {
        let headers = [host, ("x-amz-content-sha256", EMPTY), time];
        check_signature(
            ("s3", time.1),
            request,
            &headers,
            EMPTY,
            ("host;x-amz-content-sha256;x-amz-date", signature),
        );
    }
}

/// `get-vanilla`, `post-vanilla` and `get-header-value-trim` of the test suite of Signature Version 4.
#[test]
fn the_test_suite_of_the_signature_is_signed() {
    let (host, time) = (("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z"));
    let check = |request, headers: &[_], names, want| {
        check_signature(("service", time.1), request, headers, EMPTY, (names, want));
    };
    let plain = "host;x-amz-date";
    check("GET /", &[host, time], plain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    check("POST /", &[host, time], plain, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    check(
        "GET /",
        &[host, ("my-header1", " value1"), ("my-header2", "  \"a   b   c\""), time],
        "host;my-header1;my-header2;x-amz-date",
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    );
}

#[test]
fn a_secret_is_not_shown() {
    assert_eq!(format!("{:?}", login("id", "hidden")), "S3Login(id)");
}

#[track_caller]
fn check_address(url: Option<&str>, bucket: &str, want: Result<&str, AddressError>) {
    assert_eq!(bucket_address(url, bucket, "eu-west-1"), want.map(str::to_owned), "{url:?} {bucket}");
}

#[test]
fn a_bucket_is_part_of_the_path_or_of_the_host() {
    check_address(None, "logs-1", Ok("https://logs-1.s3.eu-west-1.amazonaws.com"));
    check_address(None, "my.logs", Ok("https://s3.eu-west-1.amazonaws.com/my.logs"));
    check_address(None, "Logs", Ok("https://s3.eu-west-1.amazonaws.com/Logs"));
    check_address(Some("http://127.0.0.1:8333"), "logs", Ok("http://127.0.0.1:8333/logs"));
    check_address(Some("https://[::1]:8333/s3/"), "logs", Ok("https://[::1]:8333/s3/logs"));
    for bucket in ["", ".", "..", "a/b", "a b", "a\nb", "ä", ".a", &"a".repeat(256)] {
        check_address(None, bucket, Err(AddressError::Bucket));
    }
    for url in [
        "",
        "h",
        "ftp://h",
        "http://",
        "http://u:p@h",
        "http://h?x=y",
        "http://h/#a",
        "http://h/%41",
        "http://h h",
    ] {
        check_address(Some(url), "logs", Err(AddressError::Url));
    }
    for region in ["", "eu.west", "eu/../x"] {
        assert_eq!(bucket_address(None, "logs", region), Err(AddressError::Region));
    }
}

#[track_caller]
fn check_cleaned(rendered: &[u8], want: &str) {
    assert_eq!(key::cleaned(rendered), want);
}

#[test]
fn no_name_leads_out_of_its_prefix() {
    check_cleaned(b"logs/web", "logs/web");
    check_cleaned(b"logs/../other", "logs/__/other");
    check_cleaned(b"logs/./x/..", "logs/_/x/__");
    check_cleaned(b"logs//x/", "logs/_/x/_");
    check_cleaned(b"/x", "_/x");
    check_cleaned(b"", "_");
    check_cleaned(b"a\0b\r\nc\x7fd\\e", "a_b__c_d_e");
    check_cleaned("a\u{85}b".as_bytes(), "a_b");
    check_cleaned(b"a\xffb...", "a\u{fffd}b...");
}

proptest! {
    #[test]
    fn whatever_a_message_says_a_name_is_plain(rendered in vec(any::<u8>(), 0..40)) {
        let name = key::cleaned(&rendered);
        let parts: Vec<&str> = name.split('/').collect();
        assert!(parts.iter().all(|part| !matches!(*part, "" | "." | "..")), "{name:?}");
        assert!(!name.contains(char::is_control), "{name:?}");
        let path = format!("http://h/{}", encoded(&name));
        assert_eq!(path.parse::<hyper::Uri>().unwrap().path(), &path[8..]);
    }
}

#[test]
fn a_name_is_written_in_a_url_with_percent_signs() {
    assert_eq!(
        encoded("a/b-c_d.e~f g+h%i?j#k&l=m:n@ä"),
        "a/b-c_d.e~f%20g%2Bh%25i%3Fj%23k%26l%3Dm%3An%40%C3%A4"
    );
}

pub(super) fn rows(sequences: &[u64]) -> Vec<Row> {
    let row = |sequence: &u64| {
        let id = RecordId { incarnation: 0xab, sequence: *sequence };
        Row { id, cells: vec![Cell::Bytes(format!("m{sequence}\n").into_bytes())] }
    };
    sequences.iter().map(row).collect()
}

#[test]
fn equal_batches_have_equal_names_and_others_have_others() {
    let name = |sequences: &[u64]| key::name("logs", &rows(sequences), ".log");
    let one = name(&[1, 5, 255]);
    assert!(one.starts_with("logs-00000000000000ab-000000000001-0000000000ff-"), "{one}");
    assert!(one.ends_with(".log") && one.len() == "logs-".len() + 16 + 2 * 13 + 9 + ".log".len(), "{one}");
    assert_eq!(one, name(&[1, 5, 255]));
    for other in [&[1, 4, 255][..], &[1, 255], &[1, 5], &[5, 255], &[1, 5, 5, 255]] {
        assert_ne!(one, name(other), "{other:?}");
    }
    let mut foreign = rows(&[1, 5, 255]);
    foreign[1].id.incarnation = 1;
    assert_ne!(one, key::name("logs", &foreign, ".log"));
    let longest = key::name("", &rows(&[u64::MAX, u64::MAX]), "");
    assert!(key::check_size(&"x".repeat(1024 - longest.len()), "").is_ok());
    assert!(key::check_size(&"x".repeat(1024 - longest.len()), "y").is_err());
}

#[test]
fn contents_are_packed_as_asked() {
    let text = body::texts(&rows(&[1, 2, 3]));
    assert_eq!(text, b"m1\nm2\nm3\n");
    let plain = Content::of(text.clone(), S3Compression::None, 9);
    assert_eq!(plain.bytes, text);
    let mut unpacked = Vec::new();
    let gzip = Content::of(text.clone(), S3Compression::Gzip, 9);
    flate2::read::GzDecoder::new(&gzip.bytes[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!((&unpacked, body::suffix(S3Compression::Gzip)), (&text, ".gz"));
    let zstd = Content::of(text.clone(), S3Compression::Zstd, 9);
    assert_eq!(zstd::stream::decode_all(&zstd.bytes[..]).unwrap(), text);
    let empty = Content::of(Vec::new(), S3Compression::None, 0);
    assert_eq!(empty.sha256_base64, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

pub(super) fn target(key: Box<dyn Render>, text: Box<dyn Render>) -> S3Target {
    S3Target {
        address: "http://127.0.0.1:1/logs".to_owned(),
        bucket: "logs".to_owned(),
        region: "us-east-1".to_owned(),
        login: login("id", "hidden"),
        key,
        key_timestamp: None,
        key_suffix: ".log".to_owned(),
        text,
        compression: S3Compression::None,
        compression_level: 6,
        headers: vec![("content-type", "text/plain".to_owned())],
        checksum: S3Checksum::Sent,
        timeout: Duration::from_secs(2),
        tls: SenderTls::new(TlsOptions::default()),
        batches: Batches {
            lines: 5,
            bytes: 77,
            wait: Some(Duration::from_secs(3)),
            workers: 2,
            retries: Some(4),
        },
        multipart: None,
    }
}

#[test]
fn a_row_is_a_text_in_the_group_of_its_object() {
    let mut receiver = S3Receiver::new(target(Text::boxed("a/$HOST"), Text::boxed("<$MSG>\n")));
    assert_eq!(row(&mut receiver, "h|x"), "a/h: <x>\n");
    assert_eq!(row(&mut receiver, "..|x"), "a/__: <x>\n");
    assert_eq!(row(&mut receiver, "../b/c|x"), "a/.._b_c: <x>\n");
    assert_eq!(row(&mut receiver, "|"), "a/_: <>\n");
    let mut timed = target(Box::<Timed>::default(), Box::<Timed>::default());
    timed.key_timestamp = Some(Box::<Timed>::default());
    assert_eq!(row(&mut S3Receiver::new(timed), "h|x"), "t77n9-t77n9: t77n9");
}

#[test]
fn names_and_texts_have_longest_lengths() {
    let of = |key: usize, text: usize| S3Receiver::new(target(Box::new(Long(key)), Box::new(Long(text))));
    let most = 1024 - 60 - ".log".len();
    assert!(row(&mut of(most, 3), "h|").ends_with(": xxx"));
    let why = "BadName: the name of the object would have more than 1,024 bytes";
    assert_eq!(row(&mut of(most + 1, 3), "h|"), why);
    assert!(row(&mut of(1, 64 << 20), "h|").ends_with("long"));
    assert_eq!(row(&mut of(1, (64 << 20) + 1), "h|"), "TooLarge: the text has more than 67108864 bytes");
}

#[test]
fn the_configuration_is_kept() {
    let mut kept = target(Text::boxed("k"), Text::boxed("$MSG"));
    kept.compression = S3Compression::Gzip;
    let receiver = S3Receiver::new(kept);
    let limits = RequestLimits { rows: 5, bytes: 77, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 2, Some(4)));
    assert_eq!(receiver.instance(), "s3,logs,k");
    let settings = receiver.settings().join("; ");
    let want = "http://127.0.0.1:1/logs us-east-1 S3Login(id); Some(\"k\") false .log.gz; Gzip 6 Sent; \
                [(\"content-type\", \"text/plain\")]; 2s 2 Some(4)";
    assert_eq!(settings, want);
    assert_eq!(receiver.describe("k", &[Cell::Bytes(b"\xffv".to_vec())]), "s3 logs/k: \u{fffd}v");
    assert_eq!(receiver.describe("k", &[]), "s3,logs,k");
    let receiver = S3Receiver::new(target(Text::boxed("$HOST"), Text::boxed("$MSG")));
    assert_eq!(receiver.instance(), "s3,logs,a template");
}
