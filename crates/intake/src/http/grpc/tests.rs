//! Rows for messages of gRPC and for its answers.

use super::{super::body::BudgetShare, *};

/// Returns the message of a body with a flag, a length and some bytes.
fn message_of(flag: u8, size: u32, bytes: &[u8], encoding: &str) -> Result<Vec<u8>, BodyRefusal> {
    let mut headers = HeaderMap::new();
    if !encoding.is_empty() {
        headers.insert("grpc-encoding", HeaderValue::from_str(encoding).unwrap());
    }
    let bytes = [&[flag][..], &size.to_be_bytes(), bytes].concat();
    let whole = Whole { bytes, share: BudgetShare::none() };
    message(whole, &headers, &HttpOptions::new(1 << 20)).map(|whole| whole.bytes)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_body_is_one_complete_message() {
    let packed = gzip(b"text");
    let size = packed.len() as u32;
    let text = || Ok(b"text".to_vec());
    for (flag, size, bytes, encoding, want) in [
        (0, 4, &b"text"[..], "", text()),
        (0, 4, b"text", "gzip", text()),
        (0, 0, b"", "", Ok(Vec::new())),
        (0, 3, b"text", "", Err(BodyRefusal::Damaged)),
        (0, 5, b"text", "", Err(BodyRefusal::Damaged)),
        (2, 4, b"text", "", Err(BodyRefusal::Damaged)),
        (1, size, &packed, "gzip", text()),
        (1, size, &packed, "", Err(BodyRefusal::Encoding)),
        (1, size, &packed, "br", Err(BodyRefusal::Encoding)),
        (1, 4, b"text", "gzip", Err(BodyRefusal::Damaged)),
    ] {
        assert_eq!(message_of(flag, size, bytes, encoding), want, "{flag} {size} {encoding}");
    }
    for head in [&b""[..], &[0, 0, 0, 0]] {
        let whole = Whole { bytes: head.to_vec(), share: BudgetShare::none() };
        let refused = message(whole, &HeaderMap::new(), &HttpOptions::new(1)).map(drop);
        assert_eq!(refused, Err(BodyRefusal::Damaged), "{head:?}");
    }
}

#[test]
fn the_status_is_in_the_trailers() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (status, reason, code) in [
        (GrpcStatus::Ok, "", "0"),
        (GrpcStatus::InvalidArgument, "bad", "3"),
        (GrpcStatus::ResourceExhausted, "large", "8"),
        (GrpcStatus::Unavailable, "later", "14"),
        (GrpcStatus::Unauthenticated, "who", "16"),
    ] {
        let answer = answer(status, reason);
        assert_eq!(answer.status().as_u16(), 200);
        assert_eq!(answer.headers()[CONTENT_TYPE], "application/grpc");
        let body = runtime.block_on(answer.into_body().collect()).unwrap();
        let trailers = body.trailers().unwrap();
        assert_eq!(trailers["grpc-status"], code);
        let told = trailers.get("grpc-message").map_or("", |value| value.to_str().unwrap());
        assert_eq!(told, reason);
        // Success has an empty message.
        let want = if status == GrpcStatus::Ok { &[0; 5][..] } else { &[] };
        assert_eq!(body.to_bytes(), want);
    }
}
