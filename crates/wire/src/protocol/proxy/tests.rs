//! Headers as proxies send them, cut anywhere, and bytes that are not a header.

use super::{Start, start};

fn show(bytes: &[u8]) -> String {
    match start(bytes) {
        Start::Partial => "partial".to_owned(),
        Start::Other => "other".to_owned(),
        Start::Header(header) => match header.ends {
            Some((source, target)) => format!("{} {source} {target}", header.size),
            None => format!("{} unknown", header.size),
        },
    }
}

#[track_caller]
fn check(bytes: &[u8], want: &str) {
    assert_eq!(show(bytes), want);
    // More bytes after a header change nothing, fewer make it partial.
    if let Start::Header(header) = start(bytes) {
        assert_eq!(show(&[bytes, b"<13>text"].concat()), want);
        for size in 0..header.size {
            assert_eq!(show(&bytes[..size]), "partial", "the first {size} bytes");
        }
    }
}

fn binary(kind: u8, family: u8, rest: &[u8]) -> Vec<u8> {
    let mut bytes = b"\r\n\r\n\0\r\nQUIT\n".to_vec();
    bytes.extend([kind, family]);
    bytes.extend((rest.len() as u16).to_be_bytes());
    bytes.extend(rest);
    bytes
}

#[test]
fn reads_lines() {
    check(b"PROXY TCP4 192.0.2.1 198.51.100.2 1234 514\r\n", "44 192.0.2.1:1234 198.51.100.2:514");
    check(b"PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\n", "44 [2001:db8::1]:1 [2001:db8::2]:65535");
    check(b"PROXY UNKNOWN\r\n", "15 unknown");
    check(b"PROXY UNKNOWN ffff::1 whatever 1 2\r\n", "36 unknown");
}

#[test]
fn reads_binary() {
    let v4 = [192, 0, 2, 1, 198, 51, 100, 2, 4, 210, 2, 2];
    check(&binary(0x21, 0x11, &v4), "28 192.0.2.1:1234 198.51.100.2:514");
    check(
        &binary(0x21, 0x11, &[&v4[..], &[3, 0, 4, 1, 2, 3, 4]].concat()),
        "35 192.0.2.1:1234 198.51.100.2:514",
    );
    check(&binary(0x20, 0x00, &[]), "16 unknown");
    check(&binary(0x20, 0x11, &v4), "28 unknown");
    check(&binary(0x21, 0x00, &[]), "16 unknown");
    check(&binary(0x21, 0x31, &[0; 216]), "232 unknown");
    let mut v6 = [0_u8; 36];
    (v6[0], v6[15], v6[31], v6[33], v6[35]) = (0x20, 1, 2, 7, 9);
    check(&binary(0x21, 0x21, &v6), "52 [2000::1]:7 [::2]:9");
}

#[test]
fn refuses_others() {
    for bytes in [
        &b"<13>hello"[..],
        b"PROXY TCP4 192.0.2.1 198.51.100.2 1234\r\n",
        b"PROXY TCP4 192.0.2.1 198.51.100.2 1234 514 9\r\n",
        b"PROXY TCP4 192.0.2.1 198.51.100.2 1234 514\n",
        b"PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n",
        b"PROXY TCP4 192.0.2.1 2001:db8::2 1 2\r\n",
        b"PROXY TCP4 192.0.2.1 198.51.100.2 1234 65536\r\n",
        b"PROXY UDP4 192.0.2.1 198.51.100.2 1 2\r\n",
        b"PROXY \xff\r\n",
        b"proxy tcp4",
        &[b'P'; 200],
        &[b"PROXY ", &[b'x'; 120][..]].concat(),
        &binary(0x31, 0x11, &[0; 12]),
        &binary(0x22, 0x11, &[0; 12]),
        &binary(0x21, 0x11, &[0; 11]),
        &binary(0x21, 0x21, &[0; 12]),
        &binary(0x21, 0x11, &[0; 5000]),
    ] {
        check(bytes, "other");
    }
    check(b"", "partial");
}
