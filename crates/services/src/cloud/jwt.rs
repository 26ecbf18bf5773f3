//! A token signed with the key of a service account of Google (RFC 7515, RFC 7519).
//!
//! In: the file of the key. Out: a token and how long it may be used. Holds: nothing: the file is read for each token, so that a new key
//! is used soon. Limits: [`KEY_BYTES_MAX`].

use super::{issuer::Token, options::ServiceAccount};
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use delivery::{HoldReason, Verdict, failure::Failure};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{fmt, fs::File, io::Read, time::Duration};
use tokio::task::spawn_blocking;
use tokio_rustls::rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};

/// Longest file of a key.
const KEY_BYTES_MAX: u64 = 64 << 10;
/// How long before its end a token is replaced.
const OFFSET: Duration = Duration::from_secs(60);

/// The fault of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyError {
    Closed,
    Unread,
    NotJson,
    NoEmail,
    NoKey,
    NotPem,
    NotRsa,
    Unsigned,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyError::Closed => "it cannot be opened",
            KeyError::Unread => "it cannot be read",
            KeyError::NotJson => "it is not JSON",
            KeyError::NoEmail => "it has no client_email",
            KeyError::NoKey => "it has no private_key",
            KeyError::NotPem => "its private_key is no PEM",
            KeyError::NotRsa => "its private_key is no RSA key",
            KeyError::Unsigned => "it does not sign",
        })
    }
}

/// Signs a token of now.
pub(super) async fn signed(account: ServiceAccount) -> Result<Token, Failure> {
    let validity = account.validity;
    let name = account.key.display().to_string();
    let hold = |fault: KeyError| Failure {
        verdict: Verdict::Hold(HoldReason::Credentials),
        answer: format!("the key of the service account, {name}: {fault}"),
    };
    let done = spawn_blocking(move || token(&account, Timestamp::now())).await;
    match done {
        Ok(Ok(text)) => Ok(Token { text, lifetime: validity.saturating_sub(OFFSET).max(OFFSET) }),
        Ok(Err(fault)) => Err(hold(fault)),
        Err(_) => Err(hold(KeyError::Unsigned)),
    }
}

/// Makes a token of a time, or names the fault of the key.
pub(super) fn token(account: &ServiceAccount, now: Timestamp) -> Result<String, KeyError> {
    let mut bytes = Vec::new();
    let file = File::open(&account.key).map_err(|_| KeyError::Closed)?;
    file.take(KEY_BYTES_MAX).read_to_end(&mut bytes).map_err(|_| KeyError::Unread)?;
    let key: Value = serde_json::from_slice(&bytes).map_err(|_| KeyError::NotJson)?;
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let email = text("client_email").ok_or(KeyError::NoEmail)?;
    let pem = text("private_key").ok_or(KeyError::NoKey)?;
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| KeyError::NotPem)?;
    let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| KeyError::NotRsa)?;
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = text("private_key_id") {
        header["kid"] = id.into();
    }
    let begin = now.as_second();
    let end = begin.saturating_add(i64::try_from(account.validity.as_secs()).unwrap_or(3600));
    let claims = json!({"iss": email, "sub": email, "aud": account.audience, "iat": begin, "exp": end});
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = format!("{}.{}", part(&header), part(&claims));
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), unsigned.as_bytes(), &mut signature)
        .map_err(|_| KeyError::Unsigned)?;
    Ok(format!("{unsigned}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
