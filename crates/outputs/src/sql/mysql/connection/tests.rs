//! Requests to a server of the test, which answers each statement as a row says.

use super::*;
use delivery::Cell;
use message::RecordId;
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Mutex,
    thread,
};
use tokio::runtime::{Builder, Runtime};
use transport::{sql::SqlServer, testing::eventually};

/// The answer of the server to a statement.
#[derive(Clone)]
enum Reply {
    Done(u8),
    Refused(u16),
    Columns(&'static [&'static str]),
    /// A table of one value.
    Value(&'static str),
    Number(u64),
    HangUp,
}
use Reply::{Columns, Done, HangUp, Number, Refused, Value};

const END: &[u8] = &[0xfe, 0, 0, 2, 0];

impl Reply {
    /// Returns the packets of the answer.
    fn packets(&self) -> Vec<Vec<u8>> {
        let definition = |name: &str| {
            let mut payload = vec![0; 4];
            payload.push(name.len() as u8);
            payload.extend_from_slice(name.as_bytes());
            // Its own name, the size of the rest, characters, length, type, flags, decimals.
            payload.extend_from_slice(&[0, 12, 45, 0, 0, 0, 0, 0, 253, 0, 0, 0, 0, 0]);
            payload
        };
        match self {
            Done(rows) => vec![vec![0, *rows, 0, 2, 0, 0, 0]],
            Refused(number) => {
                let [low, high] = number.to_le_bytes();
                vec![[&[0xff, low, high], b"#HY000why".as_slice()].concat()]
            }
            Columns(names) => {
                let mut packets = vec![vec![names.len() as u8]];
                packets.extend(names.iter().map(|name| definition(name)));
                packets.extend([END.to_vec(), END.to_vec()]);
                packets
            }
            Value(text) => {
                let row = [&[text.len() as u8], text.as_bytes()].concat();
                vec![vec![1], definition("x"), END.to_vec(), row, END.to_vec()]
            }
            Number(number) => {
                let row = [&[0, 0], number.to_le_bytes().as_slice()].concat();
                vec![vec![1], definition("x"), END.to_vec(), row, END.to_vec()]
            }
            HangUp => Vec::new(),
        }
    }
}

/// Answers of the server: the first row whose text begins a command, and each row as often as it says.
type Script = Vec<(&'static str, usize, Reply)>;

/// A server, and the commands that it heard.
struct Server {
    port: u16,
    script: Arc<Mutex<Script>>,
    heard: Arc<Mutex<Vec<String>>>,
    /// Statements that it is to forget. They have no answer, so they may come after that of the request.
    closed: Arc<Mutex<Vec<u32>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { port, script: Arc::default(), heard: Arc::default(), closed: Arc::default() };
        let (script, heard, closed) = (server.script.clone(), server.heard.clone(), server.closed.clone());
        thread::spawn(move || {
            // It ends with the process of the tests.
            while let Ok((peer, _)) = listener.accept() {
                heard.lock().unwrap().push("connect".to_owned());
                let (script, heard, closed) = (script.clone(), heard.clone(), closed.clone());
                thread::spawn(move || serve(peer, &script, &heard, &closed));
            }
        });
        server
    }

    /// Sets the answers of a request, and returns its outcome and what the server heard, but the beginnings of sessions.
    fn send(
        &self,
        runtime: &Runtime,
        mysql: &mut Mysql,
        rows: &[Row],
        script: Script,
    ) -> (String, Vec<String>) {
        *self.script.lock().unwrap() = script;
        self.heard.lock().unwrap().clear();
        let judgements = runtime.block_on(mysql.send("m", rows));
        assert_eq!(judgements.len(), 1, "a request has one outcome: {judgements:?}");
        assert_eq!(judgements[0].rows, rows.len());
        let judgement = &judgements[0];
        let outcome = match judgement.verdict {
            Verdict::Delivered => "delivered".to_owned(),
            verdict => format!("{verdict:?}: {}", judgement.answer),
        };
        (outcome, std::mem::take(&mut *self.heard.lock().unwrap()))
    }
}

/// Serves one connection.
fn serve(
    mut peer: TcpStream,
    script: &Mutex<Script>,
    heard: &Mutex<Vec<String>>,
    closed: &Mutex<Vec<u32>>,
) -> Option<()> {
    let mut hello = b"\x0a8.4.0\0\x07\0\0\x0012345678\0\xff\xf7-\x02\0\xff\xdf\x15".to_vec();
    hello.extend_from_slice(&[0; 10]);
    hello.extend_from_slice(b"123456789012\0mysql_native_password\0");
    say(&mut peer, 0, &[hello])?;
    hear(&mut peer)?;
    say(&mut peer, 2, &Done(0).packets())?;
    let mut prepared = 0_u32;
    loop {
        let payload = hear(&mut peer)?;
        let (command, rest) = payload.split_first()?;
        let id = || rest.get(..4).map_or(0, |id| u32::from_le_bytes(id.try_into().unwrap()));
        let text = match command {
            0x03 => format!("query {}", String::from_utf8_lossy(rest)),
            0x16 => format!("prepare {}", String::from_utf8_lossy(rest)),
            0x17 => format!("execute {}", id()),
            0x19 => {
                closed.lock().unwrap().push(id());
                continue;
            }
            0x0e => "ping".to_owned(),
            other => format!("{other}"),
        };
        let reply = {
            let mut script = script.lock().unwrap();
            let found = script.iter_mut().find(|(begin, times, _)| text.starts_with(begin) && *times > 0);
            found.map(|(_, times, reply)| {
                *times -= 1;
                reply.clone()
            })
        };
        // The beginnings of all sessions are alike.
        let is_usual = text == "query SELECT @@max_allowed_packet" || text.starts_with("query SET ");
        if !is_usual {
            heard.lock().unwrap().push(text.clone());
        }
        let packets = match (reply, command) {
            (Some(HangUp), _) => return None,
            (Some(reply), _) => reply.packets(),
            (None, 0x16) => {
                prepared += 1;
                let id = prepared.to_le_bytes();
                vec![[&[0], id.as_slice(), &[0; 7]].concat()]
            }
            (None, _) if text.starts_with("query SELECT * FROM") => {
                Columns(&["host", "SIZE", "id"]).packets()
            }
            (None, _) => Done(200).packets(),
        };
        say(&mut peer, 1, &packets)?;
    }
}

fn say(peer: &mut TcpStream, first: u8, payloads: &[Vec<u8>]) -> Option<()> {
    let (mut number, mut out) = (first, Vec::new());
    for payload in payloads {
        // The head of a packet: its size, and its number.
        out.extend_from_slice(&(payload.len() as u32).to_le_bytes()[..3]);
        out.push(number);
        out.extend_from_slice(payload);
        number = number.wrapping_add(1);
    }
    peer.write_all(&out).ok()
}

fn hear(peer: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 4];
    peer.read_exact(&mut head).ok()?;
    let mut payload = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    peer.read_exact(&mut payload).ok()?;
    Some(payload)
}

fn connection(server: &Server, change: impl FnOnce(&mut Schema)) -> Mysql {
    let column = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
    let login = SqlLogin {
        host: "127.0.0.1".to_owned(),
        port: server.port,
        user: "me".to_owned(),
        password: "secret".to_owned(),
        database: "logs".to_owned(),
        tls: None,
    };
    let mut schema = Schema {
        server: SqlServer::Mysql(login.clone()),
        columns: vec![column("host", "text"), column("size", "int")],
        default_columns: Vec::new(),
        indexes: Vec::new(),
        tables: TableMaking::Make,
        session_statements: Vec::new(),
        create_append: String::new(),
        unique_column: None,
    };
    change(&mut schema);
    Mysql::new(login, Arc::new(schema))
}

fn rows(count: u64) -> Vec<Row> {
    let row = |sequence| Row {
        id: RecordId { incarnation: 1, sequence },
        cells: vec![Cell::Text("web".to_owned()), Cell::Integer(7)],
    };
    (0..count).map(row).collect()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Sends requests one after the other, and compares their outcomes and what the server heard.
#[track_caller]
fn check(change: impl FnOnce(&mut Schema), requests: Vec<(u64, Script, &str, &[&str])>) {
    let (server, runtime) = (Server::start(), runtime());
    let mut mysql = connection(&server, change);
    for (count, script, outcome, want) in requests {
        let (found, heard) = server.send(&runtime, &mut mysql, &rows(count), script);
        assert!(found.starts_with(outcome), "{found} instead of {outcome}: {heard:?}");
        let is_like =
            heard.len() == want.len() && heard.iter().zip(want).all(|(heard, want)| heard.starts_with(want));
        assert!(is_like, "{heard:#?} instead of {want:#?}");
    }
}

const LOOK: &str = "query SELECT * FROM `m` WHERE 0=1";
const INSERT: &str = "prepare INSERT INTO `m` (`host`, `size`) VALUES (?, ?)";

fn unique(schema: &mut Schema) {
    schema.unique_column = Some("id".to_owned());
}

#[test]
fn a_table_is_looked_at_once_and_statements_are_prepared_once() {
    check(
        |_| {},
        vec![
            (1, vec![], "delivered", &["connect", LOOK, INSERT, "execute 1"]),
            (1, vec![], "delivered", &["execute 1"]),
            (
                2,
                vec![],
                "delivered",
                &["prepare INSERT INTO `m` (`host`, `size`) VALUES (?, ?), (?, ?)", "execute 2"],
            ),
            // A power of two of rows in a statement, all of them in one transaction.
            (3, vec![], "delivered", &["query START TRANSACTION", "execute 2", "execute 1", "query COMMIT"]),
        ],
    );
}

#[test]
fn tables_are_made_and_widened() {
    let look = |reply| vec![(LOOK, 1, reply)];
    let made = ["connect", LOOK, "query CREATE TABLE IF NOT EXISTS `m` (", INSERT, "execute 1"];
    check(|_| {}, vec![(1, look(Refused(1146)), "delivered", &made)]);
    let widened = ["connect", LOOK, "query ALTER TABLE `m` ADD COLUMN `size` int", INSERT, "execute 1"];
    check(|_| {}, vec![(1, look(Columns(&["host"])), "delivered", &widened)]);
    for number in [1050, 1060, 1061] {
        let at_once = vec![(LOOK, 1, Columns(&["host"])), ("query ALTER", 1, Refused(number))];
        check(|_| {}, vec![(1, at_once, "delivered", &widened)]);
    }
    // Who may only insert need not look.
    for number in [1142, 1143] {
        check(|_| {}, vec![(1, look(Refused(number)), "delivered", &["connect", LOOK, INSERT, "execute 1"])]);
    }
    let refused = vec![(LOOK, 1, Columns(&["host"])), ("query ALTER", 1, Refused(1142))];
    check(|_| {}, vec![(1, refused, "Hold(Access): 1142", &widened[..3])]);
    let leave = |schema: &mut Schema| schema.tables = TableMaking::Leave;
    check(
        leave,
        vec![(1, look(Columns(&["host"])), "Hold(Schema): table m has no column size", &["connect", LOOK])],
    );
    check(leave, vec![(1, look(Refused(1146)), "Hold(Schema): 1146", &["connect", LOOK])]);
    check(leave, vec![(1, vec![], "delivered", &["connect", LOOK, INSERT, "execute 1"])]);
}

#[test]
fn a_table_that_goes_away_is_made_again_by_the_next_try() {
    let gone = || vec![("execute", 1, Refused(1146))];
    let first = (1, vec![], "delivered", &["connect", LOOK, INSERT, "execute 1"] as &[&str]);
    let again = (
        1,
        vec![(LOOK, 1, Refused(1146))],
        "delivered",
        &[LOOK, "query CREATE", INSERT, "execute 2"] as &[&str],
    );
    check(|_| {}, vec![first.clone(), (1, gone(), "Later(BackOff): 1146", &["execute 1"]), again]);
    // It was there a moment ago: somebody takes it away again and again.
    check(|_| {}, vec![(1, gone(), "Hold(Schema): 1146", &["connect", LOOK, INSERT, "execute 1"])]);
    let leave = |schema: &mut Schema| schema.tables = TableMaking::Leave;
    check(leave, vec![first, (1, gone(), "Hold(Schema): 1146", &["execute 1"])]);
}

#[test]
fn a_request_is_written_whole_or_not_at_all() {
    let begin = ["connect", LOOK];
    let bad = || vec![("execute 2", 1, Refused(1366))];
    let two = [
        &begin[..],
        &["query START TRANSACTION", INSERT, "execute 1", INSERT, "execute 2", "query ROLLBACK"],
    ]
    .concat();
    check(|_| {}, vec![(3, bad(), "Split(Type): 1366", &two), (1, vec![], "delivered", &["execute 2"])]);
    let alone = [&begin[..], &[INSERT, "execute 1"]].concat();
    check(|_| {}, vec![(1, vec![("execute", 1, Refused(1366))], "Split(Type): 1366", &alone)]);
    // Without an answer nobody knows whether the rows are there: another session tries again.
    let mut script = bad();
    script.push(("query ROLLBACK", 1, Refused(1158)));
    check(
        |_| {},
        vec![
            (3, script, "Later(Reopen): 1366", &two),
            (1, vec![], "delivered", &["connect", LOOK, INSERT, "execute 1"]),
        ],
    );
    let cut = vec![("execute 2", 1, HangUp)];
    check(
        |_| {},
        vec![
            (3, cut, "Later(Reopen)", &two[..two.len() - 1]),
            (1, vec![], "delivered", &["connect", LOOK, INSERT, "execute 1"]),
        ],
    );
}

#[test]
fn rows_that_are_there_already_are_counted() {
    const WITH_IDS: &str =
        "prepare INSERT INTO `m` (`host`, `size`, `id`) VALUES (?, ?, ?), (?, ?, ?) ON DUPLICATE";
    const COUNT: &str = "prepare SELECT COUNT(*) FROM `m` WHERE `id` IN (?, ?)";
    let begin = ["connect", LOOK, "query START TRANSACTION", WITH_IDS, "execute 1"];
    let all = [&begin[..], &["query COMMIT"]].concat();
    check(unique, vec![(2, vec![("execute 1", 1, Done(2))], "delivered", &all)]);
    let counted = [&begin[..], &[COUNT, "execute 2"]].concat();
    let counts = |number| vec![("execute 1", 1, Done(1)), ("execute 2", 1, Number(number))];
    check(unique, vec![(2, counts(2), "delivered", &[&counted[..], &["query COMMIT"]].concat())]);
    let other_key = "Split(Constraint): 1062 (23000) another unique key";
    check(unique, vec![(2, counts(1), other_key, &[&counted[..], &["query ROLLBACK"]].concat())]);
}

#[test]
fn statements_are_as_long_as_the_server_takes() {
    // A row has some 20 bytes.
    let limit = |text| vec![("query SELECT @@max", 1, Value(text))];
    let pairs = [
        "connect",
        LOOK,
        "query START TRANSACTION",
        "prepare INSERT",
        "execute 1",
        "execute 1",
        "query COMMIT",
    ];
    let size: usize = rows(1).iter().map(parameters::size).sum();
    let texts = [PACKET_HEAD_BYTES + 2 * size, PACKET_HEAD_BYTES + 4 * size, PACKET_HEAD_BYTES + size - 1]
        .map(|bytes| &*bytes.to_string().leak());
    check(|_| {}, vec![(4, limit(texts[0]), "delivered", &pairs)]);
    check(|_| {}, vec![(4, limit(texts[1]), "delivered", &["connect", LOOK, INSERT, "execute 1"])]);
    let large = format!(
        "Split(TooLarge): a row has about {size} bytes, and max_allowed_packet of the server is {}",
        texts[2]
    );
    check(|_| {}, vec![(4, limit(texts[2]), &large, &["connect", LOOK])]);
}

#[test]
fn sessions_begin_with_their_statements() {
    let with = |schema: &mut Schema| schema.session_statements = vec!["CALL begin()".to_owned()];
    check(
        with,
        vec![(1, vec![], "delivered", &["connect", "query CALL begin()", LOOK, INSERT, "execute 1"])],
    );
    let refused = || vec![("query CALL", 1, Refused(1305))];
    let want = ["connect", "query CALL begin()"];
    check(with, vec![(1, refused(), "Later(Reopen): 1305", &want), (1, refused(), "Later(Reopen)", &want)]);
    check(
        |_| {},
        vec![(1, vec![("query SET NAMES", 1, Refused(1045))], "Hold(Credentials): 1045", &["connect"])],
    );
}

#[test]
fn a_session_without_rights_or_that_was_idle_is_not_trusted() {
    let again: &[&str] = &["connect", LOOK, INSERT, "execute 1"];
    let read_only = vec![("execute", 1, Refused(1142))];
    check(
        |_| {},
        vec![
            (1, read_only, "Hold(Access)", &["connect", LOOK, INSERT, "execute 1"]),
            (1, vec![], "delivered", again),
        ],
    );
    let (server, runtime) = (Server::start(), runtime());
    let mut mysql = connection(&server, |_| {});
    assert_eq!(server.send(&runtime, &mut mysql, &rows(1), vec![]).1.len(), 4);
    let mut idle = |seconds: u64, script| {
        let open = mysql.open.as_mut().unwrap();
        open.used = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        server.send(&runtime, &mut mysql, &rows(1), script).1
    };
    assert_eq!(idle(IDLE_MOST.as_secs() - 5, vec![]), ["execute 1"]);
    assert_eq!(idle(IDLE_MOST.as_secs(), vec![]), ["ping", "execute 1"]);
    assert_eq!(idle(IDLE_MOST.as_secs(), vec![("ping", 1, HangUp)]).len(), 5);
    assert_eq!(idle(IDLE_MOST.as_secs(), vec![("ping", 1, Refused(1053))]).len(), 5);
}

#[test]
fn the_server_forgets_statements_of_tables_that_went_away() {
    let (server, runtime) = (Server::start(), runtime());
    let mut mysql = connection(&server, |_| {});
    for count in [1, 2] {
        server.send(&runtime, &mut mysql, &rows(count), vec![]);
    }
    server.send(&runtime, &mut mysql, &rows(1), vec![("execute", 1, Refused(1146))]);
    eventually("both statements are closed", || {
        let mut closed = server.closed.lock().unwrap().clone();
        closed.sort_unstable();
        closed == [1, 2]
    });
}

#[test]
fn a_connection_that_was_closed_is_opened_again() {
    let (server, runtime) = (Server::start(), runtime());
    let mut mysql = connection(&server, |_| {});
    for _ in 0..2 {
        let (found, heard) = server.send(&runtime, &mut mysql, &rows(1), vec![]);
        assert_eq!((found.as_str(), heard[0].as_str()), ("delivered", "connect"));
        mysql.close();
    }
}
