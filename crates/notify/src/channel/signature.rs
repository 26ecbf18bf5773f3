//! The headers of Standard Webhooks (https://www.standardwebhooks.com, specification 1.0): the id of the message, the time of the
//! attempt, and a signature over both and the body.
//!
//! In: a secret, an id, a time, a body. Out: headers. Holds nothing.

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use base64::{Engine, engine::general_purpose::STANDARD};

/// Sizes of keys that the specification allows, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Returns the key of a secret: `whsec_` and base64. `None` when it is no such.
fn key(secret: &str) -> Option<Key> {
    let bytes = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    KEY_BYTES.contains(&bytes.len()).then(|| Key::new(HMAC_SHA256, &bytes))
}

/// Returns the headers of an attempt. Several secrets, separated by blanks, give several signatures: receivers accept any, so
/// that a secret can be exchanged. `None` when one of them is no secret.
pub(super) fn headers(secrets: &str, id: &str, seconds: i64, body: &[u8]) -> Option<Vec<(String, String)>> {
    let mut signed = format!("{id}.{seconds}.").into_bytes();
    signed.extend_from_slice(body);
    let mut signatures = Vec::new();
    for secret in secrets.split_ascii_whitespace() {
        signatures.push(format!("v1,{}", STANDARD.encode(sign(&key(secret)?, &signed))));
    }
    let header = |name: &str, value: String| (name.to_owned(), value);
    let mut headers =
        vec![header("webhook-id", id.to_owned()), header("webhook-timestamp", seconds.to_string())];
    if !signatures.is_empty() {
        headers.push(header("webhook-signature", signatures.join(" ")));
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    //! The example of the specification, and secrets that are none.

    use super::*;

    #[test]
    fn the_example_of_the_specification_is_signed_alike() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let body = br#"{"test": 2432232314}"#;
        let got = headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        let signature = got.and_then(|headers| headers.get(2).map(|(_, value)| value.clone()));
        assert_eq!(signature.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }

    #[test]
    fn two_secrets_give_two_signatures_and_wrong_ones_none() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let got = headers(&format!("{secret} {secret}"), "msg_a", 1, b"x").unwrap();
        assert_eq!(got[2].1.split(' ').count(), 2);
        for wrong in ["secret", "whsec_", "whsec_AAAA", "whsec_*", &format!("{secret} x")] {
            assert_eq!(headers(wrong, "msg_a", 1, b"x"), None, "{wrong}");
        }
        assert_eq!(headers("", "msg_a", 1, b"x").map(|headers| headers.len()), Some(2));
    }
}
