//! The status of an answer, its words, and when to try again.
//!
//! In: the headers and trailers of an answer. Out: what they say. Holds: nothing.
//! Limits: [`WORDS_CHARACTERS_MAX`]; a pause of an hour.

use super::status::GrpcStatus;
use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hyper::{HeaderMap, header::HeaderValue};
use std::time::Duration;
use wire::protobuf::{Field, Fields, ProtobufError};

/// Longest text of a server that is kept.
const WORDS_CHARACTERS_MAX: usize = 900;
/// Longest details that are read.
const DETAILS_BYTES_MAX: usize = 8 << 10;
/// Least pause requested by a server: with less there would be no pause between requests.
const WAIT_MIN: Duration = Duration::from_millis(250);
/// Longest pause that a server can ask for.
const WAIT_MAX: Duration = Duration::from_secs(3600);
/// The end of the type of the details that say when to try again.
const RETRY_INFO: &[u8] = b"google.rpc.RetryInfo";

const ANY_PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, ANY_PADDING);

/// The head and the end of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrpcAnswer {
    /// The status of HTTP, which is 200 for all answers of gRPC.
    pub http: u16,
    /// The status of gRPC.
    pub status: GrpcStatus,
    /// The words of the server, on one line.
    pub words: String,
    /// The pause that the server asks for.
    pub wait: Option<Duration>,
}

impl GrpcAnswer {
    /// Reads the headers, and the trailers if there are any; without any the headers are all there is. `None` when there is
    /// no status although the answer is one of gRPC.
    pub(super) fn read(http: u16, headers: &HeaderMap, trailers: Option<&HeaderMap>) -> Option<GrpcAnswer> {
        let find = |name: &str| {
            let value = trailers.and_then(|map| map.get(name)).or_else(|| headers.get(name));
            value.map(HeaderValue::as_bytes)
        };
        let words = find("grpc-message").unwrap_or_default();
        let details = find("grpc-status-details-bin").unwrap_or_default();
        GrpcAnswer::of(http, find("grpc-status"), words, details)
    }

    /// Reads the values of `grpc-status`, `grpc-message` and `grpc-status-details-bin`.
    pub fn of(http: u16, status: Option<&[u8]>, words: &[u8], details: &[u8]) -> Option<GrpcAnswer> {
        let status = status.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok()).map(GrpcStatus);
        if http == 200 && status.is_none() {
            return None;
        }
        let details = if details.len() <= DETAILS_BYTES_MAX { details } else { &[] };
        let details = BASE64.decode(details).unwrap_or_default();
        let wait = retry_delay(&details).ok().flatten().map(|wait| wait.clamp(WAIT_MIN, WAIT_MAX));
        Some(GrpcAnswer { http, status: status.unwrap_or(GrpcStatus(2)), words: decoded(words), wait })
    }
}

/// Returns a text of which some bytes are written with percent signs, on one line.
fn decoded(text: &[u8]) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let byte = match &text[at..] {
            [b'%', high, low, ..] => digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(byte.unwrap_or(text[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    String::from_utf8_lossy(&bytes).chars().take(WORDS_CHARACTERS_MAX).map(plain).collect()
}

/// Finds the pause in `Status { repeated Any details = 3 }`, `Any { string type_url = 1; bytes value = 2 }`.
fn retry_delay(details: &[u8]) -> Result<Option<Duration>, ProtobufError> {
    for field in Fields::of(details, 0..details.len()) {
        let (3, Field::Bytes(range)) = field? else { continue };
        let (mut kind, mut value) = (0..0, 0..0);
        for field in Fields::of(details, range) {
            match field? {
                (1, Field::Bytes(range)) => kind = range,
                (2, Field::Bytes(range)) => value = range,
                _ => {}
            }
        }
        if !details[kind].ends_with(RETRY_INFO) {
            continue;
        }
        // `RetryInfo { Duration retry_delay = 1 }`, `Duration { int64 seconds = 1; int32 nanos = 2 }`
        for field in Fields::of(details, value) {
            let (1, Field::Bytes(range)) = field? else { continue };
            let (mut seconds, mut nanos) = (0, 0);
            for field in Fields::of(details, range) {
                match field? {
                    (1, field) => seconds = field.number().unwrap_or(0),
                    (2, field) => nanos = field.number().unwrap_or(0),
                    _ => {}
                }
            }
            let nanos = u32::try_from(nanos).unwrap_or(0).min(999_999_999);
            return Ok(Some(Duration::new(seconds.min(WAIT_MAX.as_secs()), nanos)));
        }
    }
    Ok(None)
}
