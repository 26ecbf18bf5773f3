//! gRPC, one call: a message in, a message out.
//!
//! In: the body of a call. Out: its message; answers with the status in the trailers. Holds: nothing.
//! Limits: one message per call, with or without gzip.

use super::{
    answer::Answer,
    body::{BodyRefusal, Encoding, Whole, unpack},
};
use crate::options::HttpOptions;
use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Response,
    body::{Body, Bytes, Frame},
    header::{CONTENT_TYPE, HeaderValue},
};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

/// Status of a gRPC call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GrpcStatus {
    Ok,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
    Unauthenticated,
}

impl GrpcStatus {
    fn code(self) -> &'static str {
        match self {
            GrpcStatus::Ok => "0",
            GrpcStatus::InvalidArgument => "3",
            GrpcStatus::ResourceExhausted => "8",
            GrpcStatus::Unavailable => "14",
            GrpcStatus::Unauthenticated => "16",
        }
    }
}

/// Takes the message out of a body: a flag, four bytes of length, the message.
pub(super) fn message(body: Whole, headers: &HeaderMap, options: &HttpOptions) -> Result<Whole, BodyRefusal> {
    let Whole { mut bytes, share } = body;
    let Some(head) = bytes.first_chunk::<5>().copied() else { return Err(BodyRefusal::Damaged) };
    let size = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if size != bytes.len() - head.len() {
        return Err(BodyRefusal::Damaged);
    }
    bytes.drain(..head.len());
    let whole = Whole { bytes, share };
    match head[0] {
        0 => Ok(whole),
        1 => match headers.get("grpc-encoding").map(HeaderValue::as_bytes) {
            Some(b"gzip") => unpack(whole, Encoding::Gzip, options),
            Some(b"zstd") => unpack(whole, Encoding::Zstd, options),
            _ => Err(BodyRefusal::Encoding),
        },
        _ => Err(BodyRefusal::Damaged),
    }
}

/// The frames of an answer: an empty message where there is success, then the trailers.
struct Frames(std::vec::IntoIter<Frame<Bytes>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

/// An answer.
pub(super) fn answer(status: GrpcStatus, reason: &'static str) -> Answer {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static(status.code()));
    if !reason.is_empty() {
        trailers.insert("grpc-message", HeaderValue::from_static(reason));
    }
    let mut frames = Vec::new();
    if status == GrpcStatus::Ok {
        // An empty response: all records were taken.
        frames.push(Frame::data(Bytes::from_static(&[0; 5])));
    }
    frames.push(Frame::trailers(trailers));
    let mut response = Response::new(Frames(frames.into_iter()).boxed());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

#[cfg(test)]
mod tests;
