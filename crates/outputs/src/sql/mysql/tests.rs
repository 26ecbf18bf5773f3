//! Values on the wire, and the meaning of the errors of servers.

use super::{
    codes::{Step, failure, verdict},
    parameters::{self, Ids},
};
use delivery::{Cell, HoldReason, Row, Verdict, Wait};
use message::RecordId;
use transport::{
    DeadReason,
    endpoint::OpenError,
    sql::mysql::{LoginRefusal, PacketError, ServerError, SessionError},
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

#[test]
fn a_session_that_fails_is_tried_again_or_waits_for_someone() {
    let rows = [
        (SessionError::Packet(PacketError::Protocol("x")), Verdict::Later(Wait::Reopen)),
        (SessionError::Login(LoginRefusal::TooOld), Verdict::Hold(HoldReason::Credentials)),
        (SessionError::Tls(OpenError::Refused("x".to_owned())), Verdict::Hold(HoldReason::Credentials)),
    ];
    for (error, want) in rows {
        let shown = error.to_string();
        assert_eq!(failure(error, Step::Login).verdict, want, "{shown}");
    }
}
