//! Paths of hostile messages, addresses, what lengths and answers mean.

use super::{
    files::{Doubt, FILES_MAX, Files, OpenFile, Remainder},
    operations::{NameNodeError, name_node_address},
    path,
    verdict::RemoteError,
};
use delivery::{HoldReason, Verdict, Wait};
use message::RecordId;
use std::time::{Duration, Instant};
use transport::DeadReason;

#[track_caller]
fn check_path(rendered: &[u8], want: &str) {
    assert_eq!(path::cleaned(rendered, 20), want);
}

#[test]
fn no_path_leads_out_of_what_the_configuration_writes() {
    check_path(b"/logs/web/all.log", "/logs/web/all.log");
    check_path(b"logs/x", "/logs/x");
    check_path(b"/logs/../x/./y", "/logs/__/x/_/y");
    check_path(b"/logs//x/", "/logs/_/x/_");
    check_path(b"", "/_");
    check_path(b"/a:b\\c\nd\0e", "/a_b_c_d_e");
    check_path(b"/long/0123456789012345678901234567890", "/long/01234567890123456789");
    check_path(
        "/x/\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}a\u{e4}".as_bytes(),
        "/x/\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}a",
    );
    check_path(b"/x/\xff", "/x/\u{fffd}");
}

#[test]
fn name_nodes_have_addresses_of_webhdfs() {
    let rows = [
        ("http://nn:9870", "http://nn:9870/webhdfs/v1"),
        ("https://nn:9871/", "https://nn:9871/webhdfs/v1"),
        ("webhdfs://nn:50070", "http://nn:50070/webhdfs/v1"),
        ("swebhdfs://nn:9871", "https://nn:9871/webhdfs/v1"),
        ("hdfs://nn:8020", "http://nn:9870/webhdfs/v1"),
        ("hdfs://nn/", "http://nn:9870/webhdfs/v1"),
        ("hdfs://[::1]:8020", "http://[::1]:9870/webhdfs/v1"),
    ];
    for (uri, want) in rows {
        assert_eq!(name_node_address(uri).as_deref(), Ok(want), "{uri}");
    }
    for uri in ["", "nn", "ftp://nn", "http://u:p@nn:1", "http://nn:1/path", "hdfs://", "http://nn:1?x=y"] {
        assert_eq!(name_node_address(uri), Err(NameNodeError), "{uri}");
    }
}

fn id(sequence: u64) -> RecordId {
    RecordId { incarnation: 7, sequence }
}

fn doubtful() -> OpenFile {
    let mut file = OpenFile::new("/x".to_owned(), 100);
    file.doubt = Some(Doubt { ids: vec![id(1), id(2)], bytes: b"one\ntwo\n".to_vec() });
    file
}

#[test]
fn a_length_says_what_of_an_attempt_is_there() {
    let rows = [
        (100, Remainder::From(0)),
        (103, Remainder::From(3)),
        (108, Remainder::From(8)),
        (109, Remainder::Foreign),
        (99, Remainder::Foreign),
    ];
    for (length, want) in rows {
        assert_eq!(doubtful().remainder(length), want, "{length}");
    }
    assert_eq!(OpenFile::new(String::new(), 5).remainder(5), Remainder::From(0));
}

#[test]
fn an_attempt_counts_for_the_messages_that_it_had() {
    let rows: [(&[u64], usize); 5] = [(&[1, 2], 2), (&[1, 2, 3], 2), (&[1], 0), (&[2, 3], 0), (&[], 0)];
    for (next, want) in rows {
        let mut file = doubtful();
        let ids: Vec<RecordId> = next.iter().map(|sequence| id(*sequence)).collect();
        assert_eq!(file.settle(ids.into_iter()), want, "{next:?}");
        assert_eq!((file.length, file.doubt), (108, None));
    }
}

#[test]
fn the_file_that_rested_longest_is_forgotten_first() {
    let mut files = Files::default();
    let start = Instant::now();
    let at = |number: u64| start + Duration::from_secs(number);
    for number in 0..FILES_MAX as u64 {
        let file = OpenFile { last: at(number), ..OpenFile::new(format!("/{number}"), 0) };
        assert_eq!(files.put(&number.to_string(), file), None);
    }
    // One in doubt is kept.
    let first = files.take("0").unwrap();
    files.put("0", OpenFile { doubt: doubtful().doubt, ..first });
    let forgotten = files.put("new", OpenFile { last: at(9999), ..OpenFile::new("/new".to_owned(), 0) });
    assert_eq!(forgotten.map(|file| file.path), Some("/1".to_owned()));
    let reap = Duration::from_secs(10);
    assert_eq!(files.next_reap(reap), Some(at(12)));
    assert_eq!(files.take_idle(reap, at(11)), None);
    assert_eq!(files.take_idle(reap, at(12)).map(|file| file.path), Some("/2".to_owned()));
}

#[track_caller]
fn check_error(status: u16, exception: &str, want: Verdict) {
    let body =
        format!("{{\"RemoteException\":{{\"exception\":\"{exception}\",\"message\":\"why\\nat x\"}}}}");
    let failure = RemoteError::read(status, body.as_bytes()).failure();
    assert_eq!(failure.verdict, want, "{status} {exception}");
    assert_eq!(failure.answer, format!("the server answered {status}: {exception}: why"));
}

#[test]
fn what_may_come_after_the_last_byte_leaves_doubt() {
    let rows = [
        (403, "AlreadyBeingCreatedException", true),
        (403, "AccessControlException", true),
        (404, "FileNotFoundException", true),
        (403, "SafeModeException", false),
        (403, "StandbyException", false),
        (403, "RetriableException", false),
        (403, "IOException", false),
        (502, "", false),
        (500, "", false),
    ];
    for (status, exception, want) in rows {
        let body = format!("{{\"RemoteException\":{{\"exception\":\"{exception}\"}}}}");
        assert_eq!(RemoteError::read(status, body.as_bytes()).is_of_opening(), want, "{status} {exception}");
    }
}

#[test]
fn exceptions_have_verdicts() {
    let busy = Verdict::Later(Wait::Busy);
    check_error(403, "StandbyException", busy);
    check_error(403, "SafeModeException", busy);
    check_error(403, "AlreadyBeingCreatedException", busy);
    check_error(403, "RecoveryInProgressException", busy);
    check_error(403, "IOException", busy);
    check_error(500, "Anything", busy);
    check_error(403, "AccessControlException", Verdict::Hold(HoldReason::Access));
    check_error(401, "SecurityException", Verdict::Hold(HoldReason::Credentials));
    check_error(403, "DSQuotaExceededException", Verdict::Hold(HoldReason::Quota));
    check_error(403, "ParentNotDirectoryException", Verdict::Hold(HoldReason::Schema));
    check_error(400, "IllegalArgumentException", Verdict::Dead(DeadReason::BadName));
    check_error(400, "UnknownException", Verdict::Hold(HoldReason::Schema));
    for body in ["", "<html>", "{}", "{\"RemoteException\":7}", "[[[["] {
        let error = RemoteError::read(503, body.as_bytes());
        assert!(error.is_of_another_node());
        assert_eq!(error.failure().answer, "the server answered 503");
    }
}
