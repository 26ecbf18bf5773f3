//! The protocol against servers of a few lines: logins, answers, values; and what no server should say.

use super::{
    answer::{self, Answer, ServerError},
    codes::{Step, failure, verdict},
    greeting::{self, Privacy},
    packet::{self, Fields},
    parameters::{self, Ids},
    session::{Session, SessionError},
};
use crate::sql::options::SqlLogin;
use delivery::{Cell, HoldReason, Row, Verdict, Wait};
use message::RecordId;
use proptest::{collection::vec, prelude::any, proptest};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use transport::{
    DeadReason,
    tls::{SenderTls, TlsOptions},
};

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
                Err(error) => {
                    let failure = failure(error, Step::Login);
                    format!("{:?}: {}", failure.verdict, failure.answer)
                }
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
    let heard = check_login(Privacy::Open, known, "Later(Reopen): the server closed");
    assert_eq!(hex(&heard[1]), SHA2);
    let asks = || vec![greeting(), (2, switch.clone()), (4, vec![1, 4])];
    let heard = check_login(Privacy::Open, asks(), "Hold(Credentials): the server wants the password itself");
    assert_eq!(heard.len(), 2);
    let heard = check_login(Privacy::Private, [asks(), vec![(6, done)]].concat(), "in");
    assert_eq!(heard[2], b"secret\0");
}

#[test]
fn a_login_ends_where_it_must() {
    let greeting = || (0, hello("mysql_native_password"));
    let rows: Vec<(Says, &str)> = vec![
        (vec![(0, refused(1040, "Too many connections"))], "Later(BackOff): 1040 Too many connections"),
        (vec![(0, refused(1130, "Host"))], "Hold(Credentials): 1130 Host"),
        (
            vec![greeting(), (2, refused(1045, "#28000Access denied"))],
            "Hold(Credentials): 1045 (28000) Access denied",
        ),
        (vec![greeting(), (2, refused(1049, "#42000Unknown database 'logs'"))], "Hold(Credentials): 1049"),
        (
            vec![greeting(), (2, b"\xfeclient_ed25519\0n".to_vec())],
            "Hold(Credentials): the server wants a login by",
        ),
        (
            vec![greeting(), (2, vec![0xfe])],
            "Hold(Credentials): the server wants a login by mysql_old_password",
        ),
        (vec![greeting(), (2, vec![0xfb])], "Later(Reopen): this is no MySQL server"),
        (vec![greeting(), (7, DONE.to_vec())], "Later(Reopen): this is no MySQL server: its packets"),
        (vec![(0, b"SSH-2.0-OpenSSH".to_vec())], "Later(Reopen): this is no MySQL server"),
        (vec![(0, vec![])], "Later(Reopen): this is no MySQL server"),
        (vec![], "Later(Reopen): the server closed the connection"),
    ];
    for (says, want) in rows {
        check_login(Privacy::Open, says, want);
    }
    let endless = (2..20).map(|number: u8| (number, KNOWN.to_vec()));
    let says = std::iter::once(greeting()).chain(endless).collect();
    check_login(Privacy::Open, says, "Later(Reopen): this is no MySQL server: its login");
}

#[test]
fn a_server_without_tls_hears_nothing() {
    let encrypted = SqlLogin { tls: Some(SenderTls::new(TlsOptions::default())), ..login("secret") };
    let (found, heard) = log_in(&encrypted, Privacy::Open, vec![(0, hello("mysql_native_password"))]);
    assert_eq!(found, "Hold(Credentials): the server does not speak TLS, and there is tls()");
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
fn values_are_sent_with_their_types() {
    let cells = vec![
        Cell::Integer(-2),
        Cell::Null,
        Cell::Text("ä".to_owned()),
        Cell::Bytes(vec![0, 0xff]),
        Cell::Boolean(true),
        Cell::Double(0.5),
    ];
    let row = Row { id: RecordId { incarnation: 1, sequence: 2 }, cells };
    let mut out = Vec::new();
    parameters::of_rows(7, std::slice::from_ref(&row), Ids::Left, &mut out);
    let want = concat!(
        "1707000000", // Execute statement 7,
        "0001000000", // once.
        "02",         // The second is NULL.
        "01",         // Types follow.
        "08000600fd00fc0001000500",
        "feffffffffffffff",
        "02c3a4",
        "0200ff",
        "01",
        "000000000000e03f"
    );
    assert_eq!(hex(&out), want);
    assert!(parameters::size(&row) >= out.len() - 12);
    // An estimate that is far too large would cost requests.
    let texts = Row { cells: vec![Cell::Text("x".repeat(1_000)); 10], ..row.clone() };
    assert!((10_000..12_000).contains(&parameters::size(&texts)));
    let id = Row { cells: vec![Cell::Null; 8], ..row };
    parameters::of_rows(7, &[id.clone(), id.clone()], Ids::Sent, &mut out);
    // Nine values a row: the ids are the ninth and the eighteenth.
    assert_eq!(hex(&out[10..13]), "fffe01");
    let text = b"\x2000000000000000010000000000000002";
    assert!(out.ends_with(&text.repeat(2)), "{}", hex(&out));
    parameters::of_ids(7, &[id.clone(), id], &mut out);
    assert_eq!(hex(&out[10..12]), "0001");
    assert!(out.ends_with(&text.repeat(2)));
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
    assert_eq!(answer::column_name(b"\x03def\0\x01t\x01t\x04name\x04name").as_deref(), Some("name"));
    assert_eq!(answer::column_name(b"\x03def\0\x01t\x01t\x09name"), None);
    assert_eq!(answer::only_number(&[0, 0, 2, 1, 0, 0, 0, 0, 0, 0]), Some(258));
    assert_eq!(answer::only_number(&[0, 4]), None, "NULL");
}

#[test]
fn a_number_says_whether_rows_wait_or_die() {
    let hold = Verdict::Hold;
    let split = Verdict::Split;
    let rows = [
        (1045, "28000", Step::Login, hold(HoldReason::Credentials)),
        (1049, "42000", Step::Login, hold(HoldReason::Credentials)),
        (1040, "08004", Step::Login, Verdict::Later(Wait::BackOff)),
        (1053, "08S01", Step::Login, Verdict::Later(Wait::Reopen)),
        (9999, "HY000", Step::Login, hold(HoldReason::Credentials)),
        (1142, "42000", Step::Table, hold(HoldReason::Access)),
        (1064, "42000", Step::Table, hold(HoldReason::Schema)),
        (1118, "42000", Step::Table, hold(HoldReason::Schema)),
        (1213, "40001", Step::Table, Verdict::Later(Wait::BackOff)),
        (9999, "08S01", Step::Table, Verdict::Later(Wait::Reopen)),
        (1146, "42S02", Step::Rows, hold(HoldReason::Schema)),
        (1364, "HY000", Step::Rows, hold(HoldReason::Schema)),
        (1049, "42000", Step::Rows, hold(HoldReason::Schema)),
        (1044, "42000", Step::Rows, hold(HoldReason::Access)),
        (1290, "HY000", Step::Rows, hold(HoldReason::Quota)),
        (1114, "HY000", Step::Rows, hold(HoldReason::Quota)),
        (1205, "HY000", Step::Rows, Verdict::Later(Wait::BackOff)),
        (1047, "08S01", Step::Rows, Verdict::Later(Wait::Reopen)),
        (1406, "22001", Step::Rows, split(DeadReason::Type)),
        (1366, "HY000", Step::Rows, split(DeadReason::Type)),
        (1062, "23000", Step::Rows, split(DeadReason::Constraint)),
        (3819, "HY000", Step::Rows, split(DeadReason::Constraint)),
        (1153, "08S01", Step::Rows, split(DeadReason::TooLarge)),
        (1644, "45000", Step::Rows, split(DeadReason::Rejected)),
        (9999, "22007", Step::Rows, split(DeadReason::Type)),
        (9999, "23000", Step::Rows, split(DeadReason::Constraint)),
        (9999, "42000", Step::Rows, hold(HoldReason::Schema)),
        (9999, "", Step::Rows, split(DeadReason::Rejected)),
    ];
    for (number, state, step, want) in rows {
        let error = ServerError { number, state: state.to_owned(), message: String::new() };
        assert_eq!(verdict(&error, step), want, "{number} {state} {step:?}");
    }
}

#[test]
fn words_of_messages_stay_out_of_the_log() {
    let rows = [
        (
            1366,
            "Incorrect integer value: 'five' for column `l`.`m`.`size` at row 1",
            "1366 (HY000) Incorrect integer value",
        ),
        (1062, "Duplicate entry 'a'b' for key 'x'", "1062 (HY000) Duplicate entry"),
        (
            1406,
            "Data too long for column 'text' at row 1",
            "1406 (HY000) Data too long for column 'text' at row 1",
        ),
        (1146, "Table 'logs.m' doesn't exist", "1146 (HY000) Table 'logs.m' doesn't exist"),
    ];
    for (number, message, want) in rows {
        let error = ServerError { number, state: "HY000".to_owned(), message: message.to_owned() };
        assert_eq!(failure(SessionError::Server(error), Step::Rows).answer, want);
    }
}

proptest! {
    #[test]
    fn no_answer_makes_reading_fail(payload in vec(any::<u8>(), 0..200)) {
        let _ = (answer::parse(&payload), answer::error(&payload), answer::column_name(&payload));
        let _ = (answer::first_text(&payload), answer::only_number(&payload), answer::prepared(&payload));
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
