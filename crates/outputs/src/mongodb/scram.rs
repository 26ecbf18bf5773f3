//! The login with a password that is not sent (SCRAM, RFC 5802 and 7677; MongoDB's own digest of passwords for SHA-1).
//!
//! In: user, password, what the server says. Out: what we say, and whether the server knows the password as well. Holds: nothing.
//! Limits: [`ITERATIONS_MIN`] and [`ITERATIONS_MAX`] rounds.

use super::options::{Mechanism, MongodbLogin};
use aws_lc_rs::{constant_time, digest, hmac, pbkdf2};
use base64::{Engine, engine::general_purpose::STANDARD};
use md5::{Digest, Md5};
use std::num::NonZeroU32;

/// Fewest rounds: fewer are no protection, and only a wrong server asks for them.
const ITERATIONS_MIN: u32 = 4096;
/// Most rounds: a wrong server could make us count for long.
const ITERATIONS_MAX: u32 = 1_000_000;
/// The head of what we say: no channel binding, no other identity; and the same in Base64.
const HEAD: &str = "n,,";
const HEAD_BASE64: &str = "biws";

/// The reason why a login cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScramError(pub(super) &'static str);

/// Says who we are; the server's answer is in it.
pub(super) struct Final {
    /// The words for the server.
    pub(super) message: String,
    server_signature: Vec<u8>,
}

/// Returns our first words, without their head.
fn first_bare(user: &str, nonce: &str) -> String {
    format!("n={},r={nonce}", user.replace('=', "=3D").replace(',', "=2C"))
}

/// Returns our first words.
pub(super) fn first(user: &str, nonce: &str) -> String {
    format!("{HEAD}{}", first_bare(user, nonce))
}

/// Returns the secret that a password is for a mechanism.
fn secret(login: &MongodbLogin, mechanism: Mechanism) -> Result<String, ScramError> {
    match mechanism {
        Mechanism::Sha1 => {
            let digest = Md5::digest(format!("{}:mongo:{}", login.user, login.password));
            Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
        }
        Mechanism::Sha256 => match stringprep::saslprep(&login.password) {
            Ok(password) => Ok(password.into_owned()),
            Err(_) => Err(ScramError("the password has characters that no password may have")),
        },
    }
}

/// Returns our last words, from the first words of the server.
pub(super) fn last(
    login: &MongodbLogin,
    mechanism: Mechanism,
    nonce: &str,
    server_first: &str,
) -> Result<Final, ScramError> {
    let field = |name: &str| server_first.split(',').find_map(|field| field.strip_prefix(name));
    let unreadable = ScramError("the server's part of the login cannot be read");
    let (Some(joined), Some(salt), Some(rounds)) = (field("r="), field("s="), field("i=")) else {
        return Err(unreadable);
    };
    if !joined.starts_with(nonce) || joined.len() == nonce.len() {
        return Err(ScramError("the server answers another login"));
    }
    let salt = STANDARD.decode(salt).map_err(|_| unreadable)?;
    let rounds: NonZeroU32 = rounds.parse().map_err(|_| unreadable)?;
    if !(ITERATIONS_MIN..=ITERATIONS_MAX).contains(&rounds.get()) {
        return Err(ScramError("the server wants too few or too many rounds of the digest"));
    }
    let (pbkdf2, hmac, digest) = match mechanism {
        Mechanism::Sha1 => {
            (pbkdf2::PBKDF2_HMAC_SHA1, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &digest::SHA1_FOR_LEGACY_USE_ONLY)
        }
        Mechanism::Sha256 => (pbkdf2::PBKDF2_HMAC_SHA256, hmac::HMAC_SHA256, &digest::SHA256),
    };
    let signed = |key: &[u8], text: &[u8]| hmac::sign(&hmac::Key::new(hmac, key), text);
    let mut salted = vec![0; digest.output_len];
    pbkdf2::derive(pbkdf2, rounds, &salt, secret(login, mechanism)?.as_bytes(), &mut salted);
    let client_key = signed(&salted, b"Client Key");
    let stored_key = digest::digest(digest, client_key.as_ref());
    let without_proof = format!("c={HEAD_BASE64},r={joined}");
    let dialogue = format!("{},{server_first},{without_proof}", first_bare(&login.user, nonce));
    let signature = signed(stored_key.as_ref(), dialogue.as_bytes());
    let proof: Vec<u8> =
        client_key.as_ref().iter().zip(signature.as_ref()).map(|(key, signature)| key ^ signature).collect();
    let server_key = signed(&salted, b"Server Key");
    Ok(Final {
        message: format!("{without_proof},p={}", STANDARD.encode(proof)),
        server_signature: signed(server_key.as_ref(), dialogue.as_bytes()).as_ref().to_vec(),
    })
}

impl Final {
    /// Checks that the server knows the password, by its last words.
    pub(super) fn check(&self, server_last: &str) -> Result<(), ScramError> {
        let signature = server_last.split(',').find_map(|field| field.strip_prefix("v="));
        let signature = signature.and_then(|signature| STANDARD.decode(signature).ok()).unwrap_or_default();
        constant_time::verify_slices_are_equal(&signature, &self.server_signature)
            .map_err(|_| ScramError("the server does not know the password: it is another server"))
    }
}
