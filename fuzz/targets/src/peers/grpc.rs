//! Answers of servers of gRPC: whatever the bytes, an answer has one line of words and a pause of bounded length.
//!
//! The bytes are read as the words of an answer, as its details, and as the message that OpenTelemetry's receivers answer with.

use services::GrpcAnswer;
use std::time::Duration;
use wire::OtlpRejection;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let (status, rest) = bytes.split_at(bytes.len().min(1));
    let answer = GrpcAnswer::of(200, Some(b"8"), rest, rest).expect("an answer with a status");
    assert!(!answer.words.contains(char::is_control));
    assert!(answer.wait.is_none_or(|wait| wait <= Duration::from_secs(3600)));
    let _ = GrpcAnswer::of(503, Some(status), &[], &[]);
    if let Ok(rejection) = OtlpRejection::read(rest) {
        assert!(!rejection.text.contains(char::is_control));
    }
}
