//! Rows of pipes and their memory, and clients that take nothing.

use super::*;
use crate::{
    json::{ids::Id, types::Bars},
    search::searching::CancelOnDrop,
    tests::Server,
};
use query::ParseOptions;
use std::sync::atomic::{AtomicBool, Ordering};

fn shown(server: &Server) -> Shown {
    let scope = Scope { name: "all".to_owned(), kind: crate::ScopeKind::Multiple, members: Vec::new() };
    let query = Query::parse("* | fields host", &ParseOptions::default()).unwrap();
    Shown {
        state: server.state.clone(),
        scope: Arc::new(scope),
        query: Arc::new(query),
        user: "eva".to_owned(),
    }
}

fn memory(server: &Server) -> MemoryBudget {
    server.state.memory().budget(&CancelToken::unlimited())
}

fn made(server: &Server, count: usize, bytes: usize) -> MadeRows {
    let (shown, mut rows) = (shown(server), MadeRows::new(&memory(server)));
    for number in 0..count {
        let host = format!("{number}{}", "x".repeat(bytes)).into_bytes();
        rows.push(&shown, &Document { host, ..Document::default() }).unwrap();
        assert_eq!(rows.count(), number + 1);
        let held: usize = rows.pieces.iter().map(Vec::capacity).sum();
        assert_eq!(rows.memory.used_bytes(), held as u64);
    }
    rows
}

#[test]
fn rows_of_pipes_are_in_pieces_and_in_memory() {
    let server = Server::start();
    assert_eq!(made(&server, 3, 0).pieces, [b"[\"0\"],[\"1\"],[\"2\"]".to_vec()]);
    let large = made(&server, 9, 100 << 10);
    let lengths: Vec<usize> = large.pieces.iter().map(|piece| piece.len() >> 10).collect();
    assert_eq!(lengths, [300, 300, 300], "a piece ends with the row that fills it");
}

fn writer(server: &Server, rows: MadeRows) -> AnswerWriter {
    let head = SearchHead {
        snapshot: Id::Number(7),
        total: 9,
        took_ms: 1.5,
        scanned: 9,
        from_us: 0,
        to_us: 1,
        bars: Bars::default(),
        table: None,
    };
    let tail =
        SearchTail { facets: Vec::new(), hints: Vec::new(), unread: Vec::new(), searched_from_us: None };
    let cancel = CancelToken::unlimited();
    AnswerWriter::new(shown(server), &head, AnswerRows::Made(rows), tail, &memory(server), &cancel)
}

#[test]
fn answers_come_in_pieces_whose_memory_is_given_back() {
    let server = Server::start();
    let mut answer = writer(&server, made(&server, 9, 100 << 10));
    let mut text = Vec::new();
    let mut pieces = Vec::new();
    while let Some(piece) = answer.piece(1 << 10).unwrap() {
        assert_eq!(answer.in_flight.used_bytes(), piece.len() as u64);
        pieces.push(piece.len() >> 10);
        text.extend(piece);
    }
    assert_eq!(pieces, [300, 300, 300, 0]);
    assert!(answer.is_done());
    let AnswerRows::Made(rows) = &answer.rows else { panic!("made rows") };
    assert_eq!(rows.memory.used_bytes(), 0);
    let answer: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(answer["rows"].as_array().unwrap().len(), 9);
    assert!(answer["facets"].is_array() && answer["total"] == 9);
}

#[test]
fn rows_are_forgotten_when_their_client_takes_nothing_for_a_minute() {
    let server = Server::start();
    let start = Instant::now();
    let waiting = Waiting { writer: Mutex::new((Some(writer(&server, made(&server, 1, 0))), start)) };
    waiting.drop_stalled(start + Duration::from_secs(60));
    assert!(waiting.locked().0.is_some());
    waiting.drop_stalled(start + Duration::from_millis(60_001));
    assert!(waiting.locked().0.is_none());
    let error = server.runtime.block_on(waiting.next()).unwrap_err();
    assert_eq!(error.to_string(), "the client took nothing for too long");
}

#[test]
fn work_is_cancelled_with_its_call_unless_that_has_ended() {
    let flag = || Arc::new(AtomicBool::new(false));
    let (gone, ended) = (flag(), flag());
    drop(CancelOnDrop(gone.clone()));
    CancelOnDrop(ended.clone()).disarm();
    assert_eq!((gone.load(Ordering::Relaxed), ended.load(Ordering::Relaxed)), (true, false));
}
