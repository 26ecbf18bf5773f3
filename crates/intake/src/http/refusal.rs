//! Requests that fail, in the words of the protocol that was spoken.
//!
//! In: why. Out: an answer. Holds: nothing. Limits: none.

use super::{
    address::Endpoint,
    answer::{self, Answer},
    body::{self, BodyRefusal},
    collector,
    credentials::Standing,
    elastic,
    grpc::{self, GrpcStatus},
};
use hyper::{HeaderMap, StatusCode};
use wire::BodyError;

/// The reason why a request fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// No credentials, or wrong ones.
    Credentials(Standing),
    /// Its body was not taken.
    Body(BodyRefusal),
    /// Its body cannot be read.
    Unreadable(BodyError),
    /// No more can be accepted now.
    Busy,
    /// A destination gave up, or has not answered in time.
    Unsafe,
}

/// A refusal, in the words of the protocol.
pub(super) fn refused(endpoint: &Endpoint, headers: &HeaderMap, refusal: Refusal) -> Answer {
    let (status, reason) = status_and_reason(refusal);
    match endpoint {
        Endpoint::Bulk { .. } | Endpoint::Document { .. } | Endpoint::Elastic => {
            let kind = match status {
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                    "es_rejected_execution_exception"
                }
                StatusCode::UNAUTHORIZED => "security_exception",
                _ => "illegal_argument_exception",
            };
            // Its clients retry after 429; 503 makes some of them abandon the node.
            let status = if status == StatusCode::SERVICE_UNAVAILABLE {
                StatusCode::TOO_MANY_REQUESTS
            } else {
                status
            };
            elastic::error(status, kind, &reason)
        }
        Endpoint::HecEvents | Endpoint::HecRaw | Endpoint::HecAck => match refusal {
            Refusal::Credentials(Standing::Unknown) => {
                collector::code(StatusCode::UNAUTHORIZED, "Token is required", 2)
            }
            Refusal::Credentials(_) => collector::code(StatusCode::FORBIDDEN, "Invalid token", 4),
            Refusal::Unreadable(error) => collector::unreadable(error.reason),
            Refusal::Busy | Refusal::Unsafe | Refusal::Body(BodyRefusal::Busy) => {
                collector::code(StatusCode::SERVICE_UNAVAILABLE, "Server is busy", 9)
            }
            Refusal::Body(_) => collector::code(status, "Invalid data format", 6),
        },
        Endpoint::OtlpGrpc => grpc_refused(refusal),
        Endpoint::Otlp if !body::is_of(headers, "json") => {
            let mut body = vec![2 << 3 | 2, reason.len().min(127) as u8];
            body.extend_from_slice(&reason.as_bytes()[..reason.len().min(127)]);
            answer::of(status, answer::PROTOBUF, body)
        }
        Endpoint::Otlp => answer::json(status, format!("{{\"message\":{}}}", answer::quoted(&reason))),
        _ => answer::text(status, reason + "\n"),
    }
}

pub(super) fn status_and_reason(refusal: Refusal) -> (StatusCode, String) {
    let (status, reason) = match refusal {
        Refusal::Credentials(Standing::Unknown) => (StatusCode::UNAUTHORIZED, "credentials are needed"),
        Refusal::Credentials(_) => (StatusCode::UNAUTHORIZED, "wrong credentials"),
        Refusal::Body(BodyRefusal::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
        Refusal::Body(BodyRefusal::TooSlow) => (StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
        Refusal::Body(BodyRefusal::Encoding) => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "this content encoding is not known")
        }
        Refusal::Body(BodyRefusal::Damaged) => (StatusCode::BAD_REQUEST, "the body cannot be unpacked"),
        Refusal::Body(BodyRefusal::Broken) => (StatusCode::BAD_REQUEST, "the body broke off"),
        Refusal::Busy | Refusal::Body(BodyRefusal::Busy) => {
            (StatusCode::TOO_MANY_REQUESTS, "too much is in work, come again")
        }
        Refusal::Unsafe => {
            (StatusCode::SERVICE_UNAVAILABLE, "the messages are not safe yet, send them again")
        }
        Refusal::Unreadable(error) => return (StatusCode::BAD_REQUEST, error.to_string()),
    };
    (status, reason.to_owned())
}

fn grpc_refused(refusal: Refusal) -> Answer {
    let (status, reason) = match refusal {
        Refusal::Credentials(_) => (GrpcStatus::Unauthenticated, "credentials are needed"),
        Refusal::Body(BodyRefusal::TooLarge) => (GrpcStatus::ResourceExhausted, "the message is too large"),
        Refusal::Body(BodyRefusal::Busy | BodyRefusal::TooSlow | BodyRefusal::Broken)
        | Refusal::Busy
        | Refusal::Unsafe => (GrpcStatus::Unavailable, "come again"),
        Refusal::Body(_) | Refusal::Unreadable(_) => {
            (GrpcStatus::InvalidArgument, "the message cannot be read")
        }
    };
    grpc::answer(status, reason)
}

#[cfg(test)]
mod tests;
