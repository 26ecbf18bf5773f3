//! The protocol against servers of a few lines: logins, answers, values; and what no server should say.

use super::{
    answer::{self, Answer, ColumnKind},
    greeting::{self, Privacy},
    packet::{self, Fields},
    session::{Session, SessionError},
};
use crate::{
    sql::SqlLogin,
    tls::{SenderTls, TlsOptions},
};
use proptest::{collection::vec, prelude::any, proptest};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

const NONCE: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];

/// The proof of `secret` for [`NONCE`] by `caching_sha2_password`.
const SHA2: &str = "746ebe205d56a0707acb3e796e834e0dd7b1d61743b26bd5202c7a623230c7c9";
/// The server knew the password.
const KNOWN: &[u8] = &[1, 3];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn login(password: &str) -> SqlLogin {
    SqlLogin {
        host: "localhost".to_owned(),
        port: 0,
        user: "me".to_owned(),
        password: password.to_owned(),
        database: "logs".to_owned(),
        tls: None,
    }
}

/// The first packet of a server that can do everything but TLS.
fn hello(plugin: &str) -> Vec<u8> {
    let mut payload = b"\x0a8.4.0\0\x07\0\0\0".to_vec();
    payload.extend_from_slice(&NONCE[..8]);
    payload.extend_from_slice(&[0, 0xff, 0xf7, 45, 2, 0, 0xff, 0xdf, 21]);
    payload.extend_from_slice(&[0; 10]);
    payload.extend_from_slice(&NONCE[8..]);
    payload.push(0);
    payload.extend_from_slice(plugin.as_bytes());
    payload.push(0);
    payload
}

#[test]
fn a_greeting_is_read() {
    let found = greeting::parse(&hello("caching_sha2_password")).unwrap();
    assert_eq!((found.nonce.as_slice(), found.plugin.as_str()), (NONCE, "caching_sha2_password"));
    assert_eq!(found.abilities, 0xdfff_f7ff);
    // Servers before 4.1 end early, others forget the last zero; one of another protocol is none.
    let whole = hello("x");
    assert_eq!(greeting::parse(&whole[..whole.len() - 1]).unwrap().plugin, "x");
    assert!(greeting::parse(b"\x09old\0").is_none());
    for end in 0..whole.len() - 2 {
        let cut = greeting::parse(&whole[..end]);
        assert!(cut.is_none_or(|greeting| greeting.plugin.is_empty()), "cut at {end}");
    }
}

#[test]
fn a_password_is_proven() {
    let rows: &[(&str, &str, Privacy, Result<&str, &str>)] = &[
        ("mysql_native_password", "secret", Privacy::Open, Ok("b32bb3a583e1340c0a1108d58b1be49781ad8c2f")),
        ("caching_sha2_password", "secret", Privacy::Open, Ok(SHA2)),
        ("mysql_native_password", "", Privacy::Open, Ok("")),
        ("caching_sha2_password", "", Privacy::Open, Ok("")),
        ("unix_socket", "secret", Privacy::Private, Ok("")),
        ("mysql_clear_password", "secret", Privacy::Private, Ok("73656372657400")),
        ("mysql_clear_password", "secret", Privacy::Open, Err("set tls()")),
        ("sha256_password", "secret", Privacy::Open, Err("set tls()")),
        ("client_ed25519", "secret", Privacy::Private, Err("login by client_ed25519")),
        ("mysql_old_password", "secret", Privacy::Private, Err("not supported")),
        ("\u{1b}[2J", "secret", Privacy::Private, Err("login by \\u{1b}[2J,")),
    ];
    for (plugin, password, privacy, want) in rows {
        let found = greeting::proof(plugin, password, NONCE, *privacy);
        match (found, want) {
            (Ok(found), Ok(want)) => assert_eq!(hex(&found), *want, "{plugin}"),
            (Err(found), Err(want)) => assert!(found.to_string().contains(want), "{plugin}: {found}"),
            (found, want) => panic!("{plugin}: {found:?} instead of {want:?}"),
        }
    }
    // A challenge may have a zero at its end.
    let with_zero: Vec<u8> = NONCE.iter().copied().chain([0]).collect();
    let proof = |nonce| greeting::proof("mysql_native_password", "secret", nonce, Privacy::Open).unwrap();
    assert_eq!(proof(NONCE), proof(&with_zero));
}

/// The payloads of a server, with the numbers of their packets.
type Says = Vec<(u8, Vec<u8>)>;

/// A server that says what it is to say, and takes note of what it hears: one payload after each of its own but [`KNOWN`].
async fn server(mut stream: DuplexStream, says: Says) -> Vec<Vec<u8>> {
    let mut heard = Vec::new();
    for (number, payload) in says {
        let mut out = Vec::new();
        packet::frame(&payload, &mut { number }, &mut out);
        if stream.write_all(&out).await.is_err() {
            break;
        }
        let mut head = [0; 4];
        if payload == KNOWN {
            continue;
        }
        if stream.read_exact(&mut head).await.is_err() {
            break;
        }
        let mut payload = vec![0; usize::from(head[0]) | usize::from(head[1]) << 8];
        stream.read_exact(&mut payload).await.unwrap();
        heard.push(payload);
    }
    heard
}

fn refused(number: u16, text: &str) -> Vec<u8> {
    let mut payload = vec![0xff];
    payload.extend_from_slice(&number.to_le_bytes());
    payload.extend_from_slice(text.as_bytes());
    payload
}

/// Returns the end of a login, `in` or the failure, and the payloads that the server heard.
fn log_in(login: &SqlLogin, privacy: Privacy, says: Says) -> (String, Vec<Vec<u8>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (ours, theirs) = duplex(1 << 16);
        let ours = async {
            match Session::greet(ours, login, privacy).await {
                Ok(_) => "in".to_owned(),
                Err(error) => match &error {
                    SessionError::Server(_) => format!("Server: {error}"),
                    SessionError::Login(_) => format!("Login: {error}"),
                    SessionError::Packet(_) => format!("Packet: {error}"),
                    SessionError::Tls(_) => format!("Tls: {error}"),
                },
            }
        };
        let (said, heard) = tokio::join!(ours, server(theirs, says));
        (said, heard)
    })
}

#[track_caller]
fn check_login(privacy: Privacy, says: Says, want: &str) -> Vec<Vec<u8>> {
    let (found, heard) = log_in(&login("secret"), privacy, says);
    assert!(found.starts_with(want), "{found:?} instead of {want:?}");
    heard
}

const DONE: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

#[test]
fn a_login_goes_the_way_that_the_server_wants() {
    let done = DONE.to_vec();
    let heard =
        check_login(Privacy::Open, vec![(0, hello("mysql_native_password")), (2, done.clone())], "in");
    let first = String::from_utf8_lossy(&heard[0]).into_owned();
    assert!(first.ends_with("logs\0mysql_native_password\0") && first.contains("me\0\u{14}"), "{first:?}");
    let ours = Fields(&heard[0]).number(4).unwrap();
    assert_eq!(ours & (1 << 7 | 1 << 16 | 1 << 17), 0, "neither files of ours nor several statements");
    // The user has another way than the server's default.
    let mut switch = b"\xfecaching_sha2_password\0".to_vec();
    switch.extend_from_slice(NONCE);
    switch.push(0);
    let greeting = || (0, hello("dialog"));
    let known = vec![greeting(), (2, switch.clone()), (4, KNOWN.to_vec())];
    let heard = check_login(Privacy::Open, known, "Packet: the server closed");
    assert_eq!(hex(&heard[1]), SHA2);
    let asks = || vec![greeting(), (2, switch.clone()), (4, vec![1, 4])];
    let heard = check_login(Privacy::Open, asks(), "Login: the server wants the password itself");
    assert_eq!(heard.len(), 2);
    let heard = check_login(Privacy::Private, [asks(), vec![(6, done)]].concat(), "in");
    assert_eq!(heard[2], b"secret\0");
}

#[test]
fn a_login_ends_where_it_must() {
    let greeting = || (0, hello("mysql_native_password"));
    let rows: Vec<(Says, &str)> = vec![
        (vec![(0, refused(1040, "Too many connections"))], "Server: 1040 Too many connections"),
        (vec![(0, refused(1130, "Host"))], "Server: 1130 Host"),
        (vec![greeting(), (2, refused(1045, "#28000Access denied"))], "Server: 1045 (28000) Access denied"),
        (vec![greeting(), (2, refused(1049, "#42000Unknown database 'logs'"))], "Server: 1049"),
        (vec![greeting(), (2, b"\xfeclient_ed25519\0n".to_vec())], "Login: the server wants a login by"),
        (vec![greeting(), (2, vec![0xfe])], "Login: the server wants a login by mysql_old_password"),
        (vec![greeting(), (2, vec![0xfb])], "Packet: this is no MySQL server"),
        (vec![greeting(), (7, DONE.to_vec())], "Packet: this is no MySQL server: its packets"),
        (vec![(0, b"SSH-2.0-OpenSSH".to_vec())], "Packet: this is no MySQL server"),
        (vec![(0, vec![])], "Packet: this is no MySQL server"),
        (vec![], "Packet: the server closed the connection"),
    ];
    for (says, want) in rows {
        check_login(Privacy::Open, says, want);
    }
    let endless = (2..20).map(|number: u8| (number, KNOWN.to_vec()));
    let says = std::iter::once(greeting()).chain(endless).collect();
    check_login(Privacy::Open, says, "Packet: this is no MySQL server: its login");
}

#[test]
fn a_server_without_tls_hears_nothing() {
    let encrypted = SqlLogin { tls: Some(SenderTls::new(TlsOptions::default())), ..login("secret") };
    let (found, heard) = log_in(&encrypted, Privacy::Open, vec![(0, hello("mysql_native_password"))]);
    assert_eq!(found, "Login: the server does not speak TLS, and there is tls()");
    assert_eq!(heard, Vec::<Vec<u8>>::new());
}

#[test]
fn a_server_gets_no_file_of_ours() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (found, heard) = runtime.block_on(async {
        let (ours, theirs) = duplex(1 << 16);
        let ours = async {
            let mut session = Session::greet(ours, &login(""), Privacy::Open).await.unwrap();
            session.query("SET NAMES utf8mb4").await.unwrap_err()
        };
        let says =
            vec![(0, hello("mysql_native_password")), (2, DONE.to_vec()), (1, b"\xfb/etc/passwd".to_vec())];
        tokio::join!(ours, server(theirs, says))
    });
    assert!(matches!(found, SessionError::Packet(_)), "{found:?}");
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[test]
fn long_payloads_are_several_packets() {
    let sizes = |payload: usize| {
        let (mut number, mut out) = (0, Vec::new());
        packet::frame(&vec![7; payload], &mut number, &mut out);
        let mut rest = Fields(&out);
        let mut found = Vec::new();
        while let (Some(size), Some(number)) = (rest.number(3), rest.number(1)) {
            rest.bytes(usize::try_from(size).unwrap()).unwrap();
            found.push((size, number));
        }
        (found, number)
    };
    assert_eq!(sizes(0), (vec![(0, 0)], 1));
    assert_eq!(sizes(0xff_fffe), (vec![(0xff_fffe, 0)], 1));
    assert_eq!(sizes(0xff_ffff), (vec![(0xff_ffff, 0), (0, 1)], 2));
    assert_eq!(sizes(0x100_0000), (vec![(0xff_ffff, 0), (1, 1)], 2));
}

#[test]
fn answers_are_read() {
    assert_eq!(answer::parse(&[0, 0xfc, 0x2c, 1, 0, 2, 0, 0, 0]).unwrap(), Answer::Done { rows: 300 });
    assert_eq!(answer::parse(&[3]).unwrap(), Answer::Columns(3));
    assert_eq!(answer::parse(b"\xfbx").unwrap(), Answer::File);
    assert_eq!(answer::parse(&[3, 1]).unwrap(), Answer::Other(&[3, 1]));
    assert!(
        answer::parse(&[]).is_err() && answer::parse(&[0]).is_err() && answer::parse(&[0xff, 1]).is_err()
    );
    let column = |kind: u8, characters: u8| {
        let mut payload = b"\x03def\0\x01t\x01t\x04name\x04name\x0c".to_vec();
        payload.extend_from_slice(&[characters, 0, 0, 1, 0, 0, kind, 0, 0, 0, 0, 0]);
        answer::column(&payload).map(|column| (column.name, column.kind))
    };
    let kinds = [
        (8, 63, ColumnKind::Integer),
        (5, 63, ColumnKind::Double),
        (252, 63, ColumnKind::Bytes),
        (252, 45, ColumnKind::Text),
        (12, 63, ColumnKind::Text),
        (246, 63, ColumnKind::Text),
    ];
    for (kind, characters, want) in kinds {
        assert_eq!(column(kind, characters), Some(("name".to_owned(), want)), "{kind} {characters}");
    }
    assert_eq!(answer::column(b"\x03def\0\x01t\x01t\x09name"), None);
    let row = |payload| answer::texts(payload, 3);
    assert_eq!(row(b"\x01a\xfb\0"), Some(vec![Some(b"a".as_slice()), None, Some(b"")]));
    assert_eq!(row(b"\x01a\xfb"), None, "a value is missing");
    assert_eq!(row(b"\x01a\xfb\0\0"), None, "there is one too many");
    assert_eq!(answer::only_number(&[0, 0, 2, 1, 0, 0, 0, 0, 0, 0]), Some(258));
    assert_eq!(answer::only_number(&[0, 4]), None, "NULL");
}

proptest! {
    #[test]
    fn no_answer_makes_reading_fail(payload in vec(any::<u8>(), 0..200)) {
        let _ = (answer::parse(&payload), answer::error(&payload), answer::column(&payload));
        let _ = (answer::texts(&payload, 3), answer::only_number(&payload), answer::prepared(&payload));
        let _ = greeting::parse(&payload);
    }

    #[test]
    fn counted_numbers_come_back(number in any::<u32>(), more in any::<u64>()) {
        for number in [number as usize, more as usize, number as usize & 0xffff, number as usize & 0xff] {
            let mut out = Vec::new();
            packet::put_counted_number(number, &mut out);
            let mut fields = Fields(&out);
            assert_eq!((fields.counted_number(), fields.0.len()), (Some(number as u64), 0));
        }
    }
}
