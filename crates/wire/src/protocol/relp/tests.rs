//! Rows for RELP: complete, split and broken frames, offers, responses.

use super::*;

/// The frames as `TXNR/COMMAND/DATA`, whatever the size of the pieces they come in.
fn read(bytes: &[u8], limit: usize, piece: usize) -> (String, Option<RelpError>) {
    let mut reader = RelpReader::new(limit);
    let (mut kept, mut shown) = (Vec::new(), Vec::new());
    for part in bytes.chunks(piece) {
        kept.extend_from_slice(part);
        let mut at = 0;
        loop {
            match reader.next(&kept, at) {
                Err(error) => return (shown.join(" "), Some(error)),
                Ok((None, done)) => {
                    kept.drain(..done);
                    break;
                }
                Ok((Some(frame), done)) => {
                    let data = String::from_utf8_lossy(&kept[frame.data.clone()]).into_owned();
                    let cut = if frame.cut { "+" } else { "" };
                    shown.push(format!("{}/{:?}/{data}{cut}", frame.txnr, frame.command));
                    at = done;
                }
            }
        }
        assert!(kept.len() <= limit + 64, "{} bytes are kept", kept.len());
    }
    (shown.join(" "), None)
}

#[track_caller]
fn check(text: &str, want: &str, error: Option<RelpError>) {
    for piece in [1, 2, 7, 1000] {
        assert_eq!(read(text.as_bytes(), 20, piece), (want.to_owned(), error), "in pieces of {piece}");
    }
}

#[test]
fn reads_frames() {
    check("1 open 5 a=b\nc\n", "1/Open/a=b\nc", None);
    check("2 syslog 3 <1>\n3 syslog 0\n4 close 0\n", "2/Syslog/<1> 3/Syslog/ 4/Close/", None);
    check("2 syslog 0 \n", "2/Syslog/", None);
    check("0 serverclose 0\n5 rsp 6 200 OK\n", "0/ServerClose/ 5/Response/200 OK", None);
    check("999999999 starttls 0\n", "999999999/Other/", None);
    check("2 syslog 3 a", "", None);
    check("2 syslog 4 a\n\nb\n3 syslog 1 c\n", "2/Syslog/a\n\nb 3/Syslog/c", None);
}

#[test]
fn refuses_what_is_no_relp() {
    check("hello", "", Some(RelpError::Number));
    check("1234567890 syslog 1 a\n", "", Some(RelpError::Number));
    check(" syslog 1 a\n", "", Some(RelpError::Number));
    check("-1 syslog 1 a\n", "", Some(RelpError::Number));
    check("1\tsyslog 1 a\n", "", Some(RelpError::Number));
    check("1  1 a\n", "", Some(RelpError::Command));
    check("1 sys1og 1 a\n", "", Some(RelpError::Command));
    check(&format!("1 {} 1 a\n", "x".repeat(33)), "", Some(RelpError::Command));
    check("1 syslog x\n", "", Some(RelpError::Length));
    check("1 syslog 5\n", "", Some(RelpError::Length));
    check("1 syslog 4294967296 a\n", "", Some(RelpError::Length));
    check("1 syslog 1 ab\n", "", Some(RelpError::Trailer));
    check("1 syslog 1 a\n2 syslog 1 bc", "1/Syslog/a", Some(RelpError::Trailer));
}

#[test]
fn cuts_and_passes_over_what_is_too_long() {
    let long = "x".repeat(50);
    let kept = "x".repeat(20);
    check(&format!("1 syslog 50 {long}\n2 syslog 1 b\n"), &format!("1/Syslog/{kept}+ 2/Syslog/b"), None);
    check(&format!("1 syslog 50 {long}x\n"), &format!("1/Syslog/{kept}+"), Some(RelpError::Trailer));
    check(&format!("1 syslog 999999999 {long}"), &format!("1/Syslog/{kept}+"), None);
}

#[test]
fn frames_round_trip() {
    let mut out = Vec::new();
    append_relp(7, RelpCommand::Syslog, b"<13>x\ny", &mut out);
    append_relp(8, RelpCommand::Response, b"200 OK", &mut out);
    append_relp(0, RelpCommand::ServerClose, b"", &mut out);
    append_relp(9, RelpCommand::Other, b"never", &mut out);
    let want = "7/Syslog/<13>x\ny 8/Response/200 OK 0/ServerClose/";
    assert_eq!(read(&out, 100, 3), (want.to_owned(), None));
    assert_eq!((next_txnr(1), next_txnr(TXNR_MAX)), (2, 1));
}

#[test]
fn offers_and_responses() {
    let offers = |text: &str| check_offers(text.as_bytes());
    assert_eq!(offers(&relp_offers(1, "1")), Ok(1));
    assert_eq!(offers("commands=close,syslog\r\nrelp_version=0"), Ok(0));
    assert_eq!(offers("relp_version=2\ncommands=syslog"), Err(OfferError::Version));
    assert_eq!(offers("commands=syslog"), Err(OfferError::Version));
    assert_eq!(offers("relp_version=1\ncommands=event"), Err(OfferError::NoSyslog));
    assert_eq!(relp_response(b"200 OK\nrelp_version=1"), (200, &b"OK\nrelp_version=1"[..]));
    assert_eq!(relp_response(b"500"), (500, &b""[..]));
    assert_eq!(relp_response(b"20"), (500, &b""[..]));
    assert_eq!(relp_response(b"").0, 500);
}

#[test]
fn limits_of_frames() {
    check("999999999 syslog 1 a\n", "999999999/Syslog/a", None);
    check("0999999999 syslog 1 a\n", "", Some(RelpError::Number));
    check(&format!("1 {} 1 a\n", "x".repeat(32)), "1/Other/a", None);
    check(
        &format!("1 syslog 20 {}\n2 close 0\n", "x".repeat(20)),
        &format!("1/Syslog/{} 2/Close/", "x".repeat(20)),
        None,
    );
    check(
        &format!("1 syslog 21 {}\n2 close 0\n", "x".repeat(21)),
        &format!("1/Syslog/{}+ 2/Close/", "x".repeat(20)),
        None,
    );
    check("1 syslog 0\n2 close 0 \n", "1/Syslog/ 2/Close/", None);
    check("1 syslog 0 a\n", "", Some(RelpError::Trailer));
    check("1 syslog \n", "", Some(RelpError::Length));
    check("1 syslog 0000000001 a\n", "", Some(RelpError::Length));
    let mut reader = RelpReader::new(0);
    let (frame, done) = reader.next(b"1 syslog 2 ab\n", 0).unwrap();
    assert_eq!((frame.map(|frame| (frame.data, frame.cut)), done), (Some((11..12, true)), 12));
}

#[test]
fn errors_and_numbers_of_relp() {
    for (error, want) in [
        (RelpError::Number, "a frame does not begin with a transaction number"),
        (RelpError::Command, "a frame has no command"),
        (RelpError::Length, "a frame has no length"),
        (RelpError::Trailer, "a frame does not end with a line feed"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    for (error, want) in [
        (OfferError::Version, "the peer speaks no version of RELP that is known here"),
        (OfferError::NoSyslog, "the peer does not offer the command syslog"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    for (txnr, next) in [(0, 1), (1, 2), (999_999_998, 999_999_999), (999_999_999, 1), (u32::MAX, 1)] {
        assert_eq!(next_txnr(txnr), next);
    }
    let commands =
        ["open", "syslog", "close", "rsp", "serverclose"].map(|word| RelpCommand::of(word.as_bytes()));
    let mut out = Vec::new();
    commands.into_iter().for_each(|command| append_relp(1, command, b"", &mut out));
    assert_eq!(out, b"1 open 0\n1 syslog 0\n1 close 0\n1 rsp 0\n1 serverclose 0\n");
    assert_eq!(relp_offers(0, "1.2"), "relp_version=0\nrelp_software=duramen,1.2\ncommands=syslog");
    assert_eq!(
        (relp_response(b"404 no").0, relp_response(b"1999").0, relp_response(b"2x0").0),
        (404, 199, 500)
    );
}
