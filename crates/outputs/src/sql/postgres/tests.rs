//! What the codes of the server mean, and arrays; requests to a server of the test, which answers each statement as a row
//! says.

use super::*;
use message::RecordId;
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Mutex,
    thread,
};
use tokio::runtime::{Builder, Runtime};
use transport::sql::SqlServer;

#[test]
fn elements_of_an_array_cannot_end_it() {
    let rows = [
        (None, "NULL"),
        (Some(""), "\"\""),
        (Some("NULL"), "\"NULL\""),
        (Some("a,{}b"), "\"a,{}b\""),
        (Some("a\"b\\c"), "\"a\\\"b\\\\c\""),
        (Some("\"\\"), "\"\\\"\\\\\""),
        (Some("ä\"ö"), "\"ä\\\"ö\""),
    ];
    for (value, want) in rows {
        let mut array = String::new();
        put_element(value, &mut array);
        assert_eq!(array, want, "{value:?}");
    }
}

#[test]
fn a_code_says_whether_rows_wait_or_die() {
    let rows = [
        ("08006", Verdict::Later(Wait::Reopen)),
        ("57P01", Verdict::Later(Wait::Reopen)),
        ("57014", Verdict::Later(Wait::BackOff)),
        ("40P01", Verdict::Later(Wait::BackOff)),
        ("53300", Verdict::Later(Wait::BackOff)),
        ("53100", Verdict::Hold(HoldReason::Quota)),
        ("28P01", Verdict::Hold(HoldReason::Credentials)),
        ("3D000", Verdict::Hold(HoldReason::Credentials)),
        ("42501", Verdict::Hold(HoldReason::Access)),
        ("42P01", Verdict::Hold(HoldReason::Schema)),
        ("42601", Verdict::Hold(HoldReason::Schema)),
        ("22P02", Verdict::Split(DeadReason::Type)),
        ("23505", Verdict::Split(DeadReason::Constraint)),
        ("21000", Verdict::Split(DeadReason::Rejected)),
        ("25006", Verdict::Hold(HoldReason::Quota)),
        ("42703", Verdict::Hold(HoldReason::Schema)),
        ("0A000", Verdict::Hold(HoldReason::Schema)),
        ("3F000", Verdict::Hold(HoldReason::Schema)),
        ("40001", Verdict::Later(Wait::BackOff)),
        ("55P03", Verdict::Later(Wait::BackOff)),
        ("55006", Verdict::Later(Wait::BackOff)),
        ("54000", Verdict::Split(DeadReason::TooLarge)),
        ("54001", Verdict::Split(DeadReason::TooLarge)),
        ("54023", Verdict::Split(DeadReason::TooLarge)),
        ("58030", Verdict::Later(Wait::Reopen)),
        ("XX000", Verdict::Later(Wait::Reopen)),
        ("", Verdict::Split(DeadReason::Rejected)),
    ];
    for (code, want) in rows {
        assert_eq!(verdict(code), want, "{code}");
    }
}

#[test]
fn cells_are_sent_as_text() {
    let rows = [
        (Cell::Default, None),
        (Cell::Null, None),
        (Cell::Integer(-7), Some("-7")),
        (Cell::Double(1.5), Some("1.5")),
        (Cell::Boolean(true), Some("true")),
        (Cell::Text("a".to_owned()), Some("a")),
        (Cell::Bytes(vec![0, 0x1f, 0xff]), Some("\\x001fff")),
    ];
    for (cell, want) in rows {
        assert_eq!(text(&cell).0.as_deref(), want, "{cell:?}");
    }
}

/// The answer of the server to a statement.
#[derive(Clone)]
enum Reply {
    Done,
    Refused(&'static str),
    /// Names and types of columns.
    Columns(&'static [(&'static str, u32)]),
    HangUp,
}
use Reply::{Columns, Done, HangUp, Refused};

/// Types of the system, by their numbers.
const TEXT: u32 = 25;
const INT4: u32 = 23;
const TEXTS: u32 = 1009;

/// Answers of the server: the first row whose text begins a statement, and each row as often as it says.
type Script = Vec<(&'static str, usize, Reply)>;

/// A server, and the statements that it heard.
struct Server {
    port: u16,
    script: Arc<Mutex<Script>>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { port, script: Arc::default(), heard: Arc::default() };
        let (script, heard) = (server.script.clone(), server.heard.clone());
        thread::spawn(move || {
            // It ends with the process of the tests.
            while let Ok((peer, _)) = listener.accept() {
                heard.lock().unwrap().push("connect".to_owned());
                let (script, heard) = (script.clone(), heard.clone());
                thread::spawn(move || Peer { peer, script, heard, prepared: HashMap::new() }.serve());
            }
        });
        server
    }
}

/// One connection of the server.
struct Peer {
    peer: TcpStream,
    script: Arc<Mutex<Script>>,
    heard: Arc<Mutex<Vec<String>>>,
    /// The texts of statements by their names.
    prepared: HashMap<String, String>,
}

/// Returns a message of the server.
fn said(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], (body.len() as u32 + 4).to_be_bytes().as_slice(), body].concat()
}

impl Peer {
    fn serve(mut self) -> Option<()> {
        let startup = self.bytes(4)?;
        self.bytes(u32::from_be_bytes(startup.try_into().ok()?) as usize - 4)?;
        let ready = said(b'Z', b"I");
        self.say(&[said(b'R', &[0; 4]), ready.clone()].concat())?;
        let mut is_skipping = false;
        loop {
            let head = self.bytes(5)?;
            let body = self.bytes(u32::from_be_bytes(head[1..].try_into().ok()?) as usize - 4)?;
            let mut texts =
                body.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
            let first = texts.next().unwrap_or_default();
            let mut out = Vec::new();
            match head[0] {
                b'S' => {
                    is_skipping = false;
                    out = ready.clone();
                }
                b'Q' => {
                    out = self.reply("query", &first)?.unwrap_or_else(|error| error);
                    out.extend_from_slice(&ready);
                }
                _ if is_skipping => {}
                b'P' => {
                    let text = texts.next()?;
                    match self.reply("prepare", &text)? {
                        Ok(columns) => {
                            let count = text.matches('$').count() as u16;
                            let types = u32::to_be_bytes(TEXT).repeat(usize::from(count));
                            let parameters = [count.to_be_bytes().as_slice(), &types].concat();
                            out = [said(b'1', b""), said(b't', &parameters), columns].concat();
                        }
                        Err(error) => {
                            out = error;
                            is_skipping = true;
                        }
                    }
                    self.prepared.insert(first, text);
                }
                b'B' => {
                    let text = self.prepared.get(&texts.next()?).cloned()?;
                    match self.reply("execute", &text)? {
                        Ok(_) => out = [said(b'2', b""), said(b'C', b"INSERT 0 1\0")].concat(),
                        Err(error) => {
                            out = error;
                            is_skipping = true;
                        }
                    }
                }
                b'C' => out = said(b'3', b""),
                b'X' => return None,
                _ => {}
            }
            self.say(&out)?;
        }
    }

    /// Returns the answer to a statement, or an error; nothing when the server hangs up.
    fn reply(&self, verb: &str, text: &str) -> Option<Result<Vec<u8>, Vec<u8>>> {
        let text = format!("{verb} {text}");
        let reply = {
            let mut script = self.script.lock().unwrap();
            let found = script.iter_mut().find(|(begin, times, _)| text.starts_with(begin) && *times > 0);
            found.map(|(_, times, reply)| {
                *times -= 1;
                reply.clone()
            })
        };
        let usual = if text.starts_with("prepare SELECT") {
            Columns(&[("host", TEXT), ("size", INT4), ("id", TEXT)])
        } else {
            Done
        };
        self.heard.lock().unwrap().push(text);
        match reply.unwrap_or(usual) {
            HangUp => None,
            Done if verb == "query" => Some(Ok(said(b'C', b"X\0"))),
            Done => Some(Ok(said(b'n', b""))),
            Refused(code) => {
                let error = format!("SERROR\0VERROR\0C{code}\0Mwhy: \"secret\"\0\0");
                Some(Err(said(b'E', error.as_bytes())))
            }
            Columns(columns) => {
                let mut body = (columns.len() as u16).to_be_bytes().to_vec();
                for (name, kind) in columns {
                    body.extend_from_slice(name.as_bytes());
                    body.extend_from_slice(&[0; 7]);
                    body.extend_from_slice(&kind.to_be_bytes());
                    body.extend_from_slice(&[0; 8]);
                }
                Some(Ok(said(b'T', &body)))
            }
        }
    }

    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.peer.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn say(&mut self, bytes: &[u8]) -> Option<()> {
        self.peer.write_all(bytes).ok()
    }
}

fn connection(server: &Server, change: impl FnOnce(&mut Schema)) -> Postgres {
    let column = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
    let login = SqlLogin {
        host: "127.0.0.1".to_owned(),
        port: server.port,
        user: "me".to_owned(),
        password: String::new(),
        database: "logs".to_owned(),
        tls: None,
    };
    let mut schema = Schema {
        server: SqlServer::Postgres(login.clone()),
        columns: vec![column("host", "text"), column("size", "int4")],
        default_columns: Vec::new(),
        indexes: Vec::new(),
        tables: TableMaking::Make,
        session_statements: Vec::new(),
        create_append: String::new(),
        unique_column: None,
    };
    change(&mut schema);
    Postgres::new(login, Arc::new(schema))
}

fn rows(count: u64) -> Vec<Row> {
    let row = |sequence| Row {
        id: RecordId { incarnation: 1, sequence },
        cells: vec![Cell::Text("web".to_owned()), Cell::Integer(7)],
    };
    (0..count).map(row).collect()
}

/// Sends requests one after the other, and compares their outcomes and what the server heard.
#[track_caller]
fn check(change: impl FnOnce(&mut Schema), requests: Vec<(u64, Script, &str, &[&str])>) {
    let server = Server::start();
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut postgres = connection(&server, change);
    for (count, script, outcome, want) in requests {
        *server.script.lock().unwrap() = script;
        server.heard.lock().unwrap().clear();
        let judgements = runtime.block_on(postgres.send("m", &rows(count)));
        assert_eq!(judgements.iter().map(|judgement| judgement.rows as u64).sum::<u64>(), count);
        let found = match judgements[0].verdict {
            Verdict::Delivered => "delivered".to_owned(),
            verdict => format!("{verdict:?}: {}", judgements[0].answer),
        };
        let heard = std::mem::take(&mut *server.heard.lock().unwrap());
        assert!(found.starts_with(outcome), "{found} instead of {outcome}: {heard:#?}");
        let is_like =
            heard.len() == want.len() && heard.iter().zip(want).all(|(heard, want)| heard.starts_with(want));
        assert!(is_like, "{heard:#?} instead of {want:#?}");
    }
}

const LOOK: &str = "prepare SELECT * FROM \"m\" WHERE 0=1";
const ARRAYS: &str = "prepare INSERT INTO \"m\" (\"host\", \"size\") SELECT * FROM unnest($1::\"pg_catalog\".\"text\"[], $2::\"pg_catalog\".\"int4\"[])";
const VALUES: &str = "prepare INSERT INTO \"m\" (\"host\", \"size\") VALUES ($1, $2)";
const RUN: &str = "execute INSERT INTO \"m\"";

#[test]
fn a_table_is_looked_at_once_and_statements_are_prepared_once() {
    check(
        |_| {},
        vec![
            (1, vec![], "delivered", &["connect", LOOK, LOOK, ARRAYS, RUN]),
            (5, vec![], "delivered", &[RUN]),
        ],
    );
}

#[test]
fn a_column_that_is_an_array_gets_its_values_one_by_one() {
    let array = || vec![(LOOK, 9, Columns(&[("host", TEXTS), ("size", INT4)]))];
    let first = ["connect", LOOK, LOOK, "query BEGIN", VALUES, RUN, "query COMMIT"];
    check(
        |_| {},
        vec![
            (1, array(), "delivered", &first),
            (1, array(), "delivered", &["query BEGIN", RUN, "query COMMIT"]),
        ],
    );
    let bad = vec![(LOOK, 9, Columns(&[("host", TEXTS), ("size", INT4)])), (RUN, 1, Refused("22P02"))];
    let last = ["connect", LOOK, LOOK, "query BEGIN", VALUES, RUN, "query ROLLBACK"];
    let next = ["query BEGIN", RUN, "query COMMIT"];
    check(|_| {}, vec![(1, bad, "Split(Type): 22P02 why", &last), (1, array(), "delivered", &next)]);
}

#[test]
fn tables_are_made_and_widened() {
    let look = |reply| vec![(LOOK, 1, reply)];
    let made = ["connect", LOOK, "query CREATE TABLE IF NOT EXISTS \"m\" (", LOOK, ARRAYS, RUN];
    check(|_| {}, vec![(1, look(Refused("42P01")), "delivered", &made)]);
    let widened = ["connect", LOOK, "query ALTER TABLE \"m\" ADD COLUMN \"size\" int4", LOOK, ARRAYS, RUN];
    check(|_| {}, vec![(1, look(Columns(&[("host", TEXT)])), "delivered", &widened)]);
    for code in ["42P07", "42701", "42710", "23505"] {
        let at_once = vec![(LOOK, 1, Columns(&[("host", TEXT)])), ("query ALTER", 1, Refused(code))];
        check(|_| {}, vec![(1, at_once, "delivered", &widened)]);
    }
    let refused = vec![(LOOK, 1, Columns(&[("host", TEXT)])), ("query ALTER", 1, Refused("42501"))];
    check(|_| {}, vec![(1, refused, "Hold(Access): 42501 why: \"secret\"", &widened[..3])]);
    let leave = |schema: &mut Schema| schema.tables = TableMaking::Leave;
    let lacks = "Hold(Schema): table m has no column size";
    check(leave, vec![(1, look(Columns(&[("host", TEXT)])), lacks, &["connect", LOOK])]);
    check(leave, vec![(1, look(Refused("42P01")), "Hold(Schema): 42P01", &["connect", LOOK])]);
}

#[test]
fn a_table_that_somebody_changed_is_looked_at_again() {
    let first = || (1, vec![], "delivered", &["connect", LOOK, LOOK, ARRAYS, RUN] as &[&str]);
    let once = || vec![(RUN, 1, Refused("22P02"))];
    check(|_| {}, vec![first(), (1, once(), "delivered", &[RUN, LOOK, LOOK, ARRAYS, RUN])]);
    let twice = vec![(RUN, 2, Refused("22P02"))];
    check(|_| {}, vec![first(), (1, twice, "Split(Type): 22P02 why", &[RUN, LOOK, LOOK, ARRAYS, RUN])]);
    // A table that was seen just now has not changed.
    check(|_| {}, vec![(1, once(), "Split(Type): 22P02 why", &["connect", LOOK, LOOK, ARRAYS, RUN])]);
    let gone = vec![(RUN, 1, Refused("42P01"))];
    check(
        |_| {},
        vec![
            first(),
            (1, gone, "Hold(Schema)", &[RUN]),
            (1, vec![], "delivered", &[LOOK, LOOK, ARRAYS, RUN]),
        ],
    );
}

#[test]
fn a_refused_row_is_searched_in_one_transaction() {
    const BEGIN: &str = "query BEGIN; SAVEPOINT";
    const KEEP: &str = "query RELEASE SAVEPOINT duramen; SAVEPOINT duramen";
    const UNDO: &str = "query ROLLBACK TO SAVEPOINT";
    let first = || (2, vec![], "delivered", &["connect", LOOK, LOOK, ARRAYS, RUN] as &[&str]);
    let refused = |times| vec![(RUN, times, Refused("22P02"))];
    let fresh = [RUN, LOOK, LOOK, BEGIN, ARRAYS, RUN];
    let one = [&fresh[..], &[UNDO, RUN, KEEP, "query COMMIT"]].concat();
    let next = [LOOK, LOOK, BEGIN, ARRAYS, RUN, KEEP, RUN, KEEP, "query COMMIT"];
    check(
        |_| {},
        vec![
            first(),
            (2, refused(2), "Dead(Type): 22P02 why", &one),
            // Requests are tried as a whole again when enough rows were accepted.
            (3, vec![], "delivered", &next),
            (4, vec![], "delivered", &[RUN]),
        ],
    );
    // Rows are delivered only after COMMIT was answered: a connection that ends before leaves all of them undelivered.
    let lost = [&fresh[..], &[KEEP, RUN, KEEP, "query COMMIT"]].concat();
    let script = vec![(RUN, 1, Refused("22P02")), ("query COMMIT", 1, HangUp)];
    check(|_| {}, vec![first(), (2, script, "Later(Reopen)", &lost)]);
    let busy = [&fresh[..], &["query ROLLBACK"]].concat();
    let script = vec![(RUN, 1, Refused("22P02")), (RUN, 1, Refused("40001"))];
    check(|_| {}, vec![first(), (2, script, "Later(BackOff): 40001", &busy)]);
}

#[test]
fn a_session_that_is_lost_is_opened_again() {
    let first = ["connect", LOOK, LOOK, ARRAYS, RUN];
    for reply in [HangUp, Refused("57P01")] {
        check(
            |_| {},
            vec![(1, vec![(RUN, 1, reply)], "Later(Reopen)", &first), (1, vec![], "delivered", &first)],
        );
    }
    check(
        |_| {},
        vec![
            (1, vec![(RUN, 1, Refused("40001"))], "Later(BackOff)", &first),
            (1, vec![], "delivered", &[LOOK, LOOK, ARRAYS, RUN]),
        ],
    );
}

#[test]
fn sessions_begin_with_their_statements() {
    let with = |schema: &mut Schema| schema.session_statements = vec!["CALL begin()".to_owned()];
    check(with, vec![(1, vec![], "delivered", &["connect", "query CALL begin()", LOOK, LOOK, ARRAYS, RUN])]);
    let refused = vec![("query CALL", 1, Refused("42883"))];
    check(with, vec![(1, refused, "Later(Reopen): 42883", &["connect", "query CALL begin()"])]);
}

#[test]
fn a_connection_that_was_closed_is_opened_again() {
    let server = Server::start();
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut postgres = connection(&server, |_| {});
    for _ in 0..2 {
        server.heard.lock().unwrap().clear();
        assert_eq!(runtime.block_on(postgres.send("m", &rows(1))), Judgement::delivered(1));
        assert_eq!(server.heard.lock().unwrap()[0], "connect");
        postgres.close();
    }
}
