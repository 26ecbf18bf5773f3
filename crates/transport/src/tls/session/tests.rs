//! Sessions between our two sides, byte by byte and record by record.

use super::*;
use crate::{
    testing::Pki,
    tls::{ClientTls, Fingerprint, ServerTls, TlsOptions, TlsVersions, describe, material::certificates},
};
use std::fs;

/// Both ends of a session whose handshake is over.
fn open(server: &TlsOptions, client: &TlsOptions) -> (Session, Session) {
    let mut server = ServerTls::load(server).unwrap().session().unwrap();
    let mut client = ClientTls::load(client).unwrap().session("logs.example").unwrap();
    assert_eq!(client.take(&mut [], &mut Vec::new()), Ok(SessionState::Handshaking));
    while client.is_handshaking() || server.is_handshaking() || !client.outgoing().is_empty() {
        carry(&mut client, &mut server).unwrap();
        carry(&mut server, &mut client).unwrap();
    }
    (server, client)
}

/// Delivers the bytes of one end to the other; returns the text and the state.
fn carry(from: &mut Session, to: &mut Session) -> Result<(Vec<u8>, SessionState), Error> {
    let mut text = Vec::new();
    let mut bytes = std::mem::take(from.outgoing());
    let state = to.take(&mut bytes, &mut text)?;
    Ok((text, state))
}

#[test]
fn each_end_knows_the_other_and_the_version() {
    let pki = Pki::new();
    for (versions, is_tls13) in [(TlsVersions::Only12, false), (TlsVersions::Only13, true)] {
        let options = TlsOptions { versions, ..pki.options("client") };
        let (server, client) = open(&pki.options("server"), &options);
        for (session, name) in [(&server, "client"), (&client, "server")] {
            let leaf = certificates(&pki.path(&format!("{name}.pem"))).unwrap().remove(0);
            let (identity, fingerprint) = session.peer().unwrap();
            assert_eq!((identity.part("CN"), fingerprint), (Some(name), Fingerprint::of(&leaf)));
            assert_eq!(session.is_tls13(), is_tls13);
        }
    }
    let fresh = ServerTls::load(&pki.options("server")).unwrap().session().unwrap();
    assert!(fresh.peer().is_none() && fresh.is_handshaking() && !fresh.is_tls13());
}

#[test]
fn texts_of_any_size_arrive_whole() {
    let pki = Pki::new();
    let (mut server, mut client) = open(&pki.options("server"), &pki.options("client"));
    for size in [0, 1, 16_384, 16_385, 500_000] {
        let text: Vec<u8> = (0..size).map(|index| index as u8).collect();
        client.encrypt(&text).unwrap();
        let sent = client.outgoing().len();
        assert!(sent >= size && sent <= size + 22 * (size / 16_384 + 1), "{size}: {sent}");
        assert_eq!(carry(&mut client, &mut server), Ok((text.clone(), SessionState::Open)));
        server.encrypt(&text).unwrap();
        assert_eq!(carry(&mut server, &mut client), Ok((text, SessionState::Open)));
    }
}

#[test]
fn records_may_arrive_in_pieces() {
    let pki = Pki::new();
    let (mut server, mut client) = open(&pki.options("server"), &pki.options("client"));
    client.encrypt(b"first").unwrap();
    client.encrypt(b"second").unwrap();
    let bytes = std::mem::take(client.outgoing());
    let mut text = Vec::new();
    for byte in &bytes {
        assert_eq!(server.take(&mut [*byte], &mut text), Ok(SessionState::Open));
    }
    assert_eq!(text, b"firstsecond");
    // One and a half records, then the rest.
    client.encrypt(b"third").unwrap();
    let half = client.outgoing().len() + 3;
    client.encrypt(b"fourth").unwrap();
    let mut bytes = std::mem::take(client.outgoing());
    let (mut early, mut late) = (Vec::new(), Vec::new());
    server.take(&mut bytes[..half], &mut early).unwrap();
    server.take(&mut bytes[half..], &mut late).unwrap();
    assert_eq!((early.as_slice(), late.as_slice()), (&b"third"[..], &b"fourth"[..]));
}

#[test]
fn close_notify_follows_the_text() {
    let pki = Pki::new();
    let (mut server, mut client) = open(&pki.options("server"), &pki.options("client"));
    client.encrypt(b"last").unwrap();
    client.say_goodbye();
    assert_eq!(carry(&mut client, &mut server), Ok((b"last".to_vec(), SessionState::Over)));
    assert_eq!(server.take(&mut [], &mut Vec::new()), Ok(SessionState::Over), "it stays so");
}

#[test]
fn a_changed_record_ends_the_session_for_good() {
    let pki = Pki::new();
    let (mut server, mut client) = open(&pki.options("server"), &pki.options("client"));
    client.encrypt(b"text").unwrap();
    let mut bytes = std::mem::take(client.outgoing());
    *bytes.last_mut().unwrap() ^= 1;
    let mut text = Vec::new();
    let error = server.take(&mut bytes, &mut text).unwrap_err();
    assert_eq!((describe(&error).as_str(), text.len()), ("a record was changed on its way", 0));
    assert_eq!(server.take(&mut [], &mut text), Err(error.clone()));
    assert_eq!(server.encrypt(b"x"), Err(error));
    // The other end is notified of it, and gets nothing else.
    server.say_goodbye();
    let heard = carry(&mut server, &mut client).unwrap_err();
    assert_eq!(describe(&heard), "the peer refused with the alert BadRecordMac");
    assert!(server.outgoing().is_empty());
}

#[test]
fn nothing_is_sent_before_the_handshake_is_over() {
    let pki = Pki::new();
    let mut server = ServerTls::load(&pki.options("server")).unwrap().session().unwrap();
    assert_eq!(server.encrypt(b"early"), Err(Error::HandshakeNotComplete));
    server.say_goodbye();
    assert!(server.outgoing().is_empty());
}

#[test]
fn a_handshake_that_never_ends_is_cut_off() {
    let pki = Pki::new();
    // A ClientHello of 16 MiB whose end never arrives.
    let mut record = vec![0x16, 3, 1, 0x40, 0];
    record.resize(5 + 0x4000, 0);
    let mut session = ServerTls::load(&pki.options("server")).unwrap().session().unwrap();
    let mut first = record.clone();
    first[5..9].copy_from_slice(&[1, 0xff, 0xff, 0xff]);
    let (mut taken, mut size) = (session.take(&mut first, &mut Vec::new()), record.len());
    while taken == Ok(SessionState::Handshaking) && size < 4 * HANDSHAKE_BYTES_MAX {
        taken = session.take(&mut record.clone(), &mut Vec::new());
        size += record.len();
    }
    assert!(taken.is_err() && size <= 2 * HANDSHAKE_BYTES_MAX, "{taken:?} after {size} bytes");
    assert_eq!(session.take(&mut [], &mut Vec::new()), taken, "it stays so");
}

#[test]
fn secrets_are_written_for_those_who_ask() {
    let pki = Pki::new();
    let path = pki.path("secrets");
    let options = TlsOptions { keylog_file: Some(path.clone()), ..pki.options("client") };
    open(&pki.options("server"), &options);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() >= 4, "{text}");
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [label, random, secret] = words[..] else { panic!("{line}") };
        assert!(label.ends_with("_SECRET") || label.ends_with("SECRET_0"), "{line}");
        assert_eq!(random.len(), 64, "{line}");
        assert!(secret.len() >= 64 && secret.bytes().all(|digit| digit.is_ascii_hexdigit()), "{line}");
    }
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    // A second session adds to the file.
    open(&pki.options("server"), &options);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2 * text.lines().count());
    let unwritable = TlsOptions { keylog_file: Some(pki.path("none/secrets")), ..pki.options("client") };
    assert!(ClientTls::load(&unwritable).unwrap_err().to_string().starts_with("cannot read "));
    assert!(
        ServerTls::load(&TlsOptions { keylog_file: unwritable.keylog_file, ..pki.options("server") })
            .is_err()
    );
}
