//! The login: the server's greeting, our answer, and proof of the password.
//!
//! In: payloads of the login. Out: ours. Holds: nothing.
//! Limits: a password itself goes over encrypted connections and unix sockets only; unsupported login methods are
//! refused.

use super::packet::Fields;
use crate::sql::SqlLogin;
use aws_lc_rs::digest::{self, Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256};

/// Abilities of the two sides. We neither send files of this machine nor several statements at once.
pub(super) mod able {
    pub(in super::super) const LONG_PASSWORD: u32 = 1;
    pub(in super::super) const CONNECT_WITH_DB: u32 = 1 << 3;
    pub(in super::super) const PROTOCOL_41: u32 = 1 << 9;
    pub(in super::super) const TLS: u32 = 1 << 11;
    pub(in super::super) const TRANSACTIONS: u32 = 1 << 13;
    pub(in super::super) const SECURE_CONNECTION: u32 = 1 << 15;
    pub(in super::super) const PLUGIN_AUTH: u32 = 1 << 19;
}

/// Abilities that a server must have: all since MySQL 5.5 are.
const NEEDED: u32 = able::PROTOCOL_41 | able::SECURE_CONNECTION | able::PLUGIN_AUTH;
/// Longest payload that we say we send; the server's own limit rules.
const PAYLOAD_BYTES_MAX: u32 = 1 << 30;
/// `utf8mb4_general_ci`: every character, as text is ours.
const CHARACTERS: u8 = 45;
/// Bytes of the server's challenge.
const NONCE_BYTES: usize = 20;

/// The first packet of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Greeting {
    pub(super) abilities: u32,
    pub(super) nonce: Vec<u8>,
    pub(super) plugin: String,
}

/// The privacy of the connection to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Privacy {
    /// Nobody: TLS, or a unix socket.
    Private,
    /// Anyone between us and the server.
    Open,
}

/// A login that we do not continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoginRefusal {
    /// The server requests the password itself.
    PasswordInClear,
    /// The server requests an unsupported login method.
    Plugin(String),
    /// The server is too old.
    TooOld,
    /// There is `tls()`, and the server has none.
    NoTls,
}

impl std::fmt::Display for LoginRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoginRefusal::PasswordInClear => f.write_str(
                "the server wants the password itself, which is sent over TLS or a unix socket only: set tls()",
            ),
            LoginRefusal::Plugin(name) => {
                write!(f, "the server wants a login by {}, which is not supported", name.escape_debug())
            }
            LoginRefusal::TooOld => f.write_str("the server is older than MySQL 5.5"),
            LoginRefusal::NoTls => f.write_str("the server does not speak TLS, and there is tls()"),
        }
    }
}

/// Reads the first packet.
pub(super) fn parse(payload: &[u8]) -> Option<Greeting> {
    let mut fields = Fields(payload);
    (fields.number(1)? == 10).then_some(())?;
    fields.until_zero()?;
    fields.bytes(4)?;
    let mut nonce = fields.bytes(8)?.to_vec();
    fields.bytes(1)?;
    let mut abilities = fields.number(2)?;
    if fields.0.is_empty() {
        return Some(Greeting { abilities: u32::try_from(abilities).ok()?, nonce, plugin: String::new() });
    }
    fields.bytes(3)?;
    abilities |= fields.number(2)? << 16;
    let size = usize::try_from(fields.number(1)?).ok()?;
    fields.bytes(10)?;
    nonce.extend_from_slice(fields.bytes(size.saturating_sub(8).max(13))?);
    nonce.truncate(NONCE_BYTES);
    // Some servers forget the zero at the end.
    let plugin = fields.until_zero().unwrap_or(fields.0);
    let plugin = String::from_utf8_lossy(plugin).into_owned();
    Some(Greeting { abilities: u32::try_from(abilities).ok()?, nonce, plugin })
}

/// Returns the capabilities of the session.
pub(super) fn abilities(greeting: &Greeting, login: &SqlLogin) -> Result<u32, LoginRefusal> {
    if greeting.abilities & NEEDED != NEEDED {
        return Err(LoginRefusal::TooOld);
    }
    if login.tls.is_some() && greeting.abilities & able::TLS == 0 {
        return Err(LoginRefusal::NoTls);
    }
    let tls = if login.tls.is_some() { able::TLS } else { 0 };
    let database = if login.database.is_empty() { 0 } else { able::CONNECT_WITH_DB };
    Ok(NEEDED | able::LONG_PASSWORD | able::TRANSACTIONS | tls | database)
}

/// Makes the beginning of our answer, which is also all that is said before a connection becomes encrypted.
pub(super) fn opening(abilities: u32) -> Vec<u8> {
    let mut payload = abilities.to_le_bytes().to_vec();
    payload.extend_from_slice(&PAYLOAD_BYTES_MAX.to_le_bytes());
    payload.push(CHARACTERS);
    payload.resize(payload.len() + 23, 0);
    payload
}

/// Makes our answer to the first packet.
pub(super) fn response(
    greeting: &Greeting,
    abilities: u32,
    login: &SqlLogin,
    privacy: Privacy,
) -> Result<Vec<u8>, LoginRefusal> {
    // With an unsupported method the server still learns the user, and requests the method of that user.
    let is_known = proof(&greeting.plugin, &login.password, &greeting.nonce, Privacy::Open).is_ok();
    let plugin = if is_known { greeting.plugin.as_str() } else { "mysql_native_password" };
    let proof = proof(plugin, &login.password, &greeting.nonce, privacy)?;
    let mut payload = opening(abilities);
    payload.extend_from_slice(login.user.as_bytes());
    payload.push(0);
    payload.push(u8::try_from(proof.len()).expect("no proof is longer than a digest"));
    payload.extend_from_slice(&proof);
    if abilities & able::CONNECT_WITH_DB != 0 {
        payload.extend_from_slice(login.database.as_bytes());
        payload.push(0);
    }
    payload.extend_from_slice(plugin.as_bytes());
    payload.push(0);
    Ok(payload)
}

/// Makes what proves the password in one of the ways to log in.
pub(super) fn proof(
    plugin: &str,
    password: &str,
    nonce: &[u8],
    privacy: Privacy,
) -> Result<Vec<u8>, LoginRefusal> {
    let nonce = nonce.strip_suffix(&[0]).filter(|nonce| nonce.len() >= NONCE_BYTES).unwrap_or(nonce);
    match plugin {
        // The server gets our identity from the kernel.
        "unix_socket" | "auth_socket" => Ok(Vec::new()),
        "mysql_native_password" | "caching_sha2_password" if password.is_empty() => Ok(Vec::new()),
        "mysql_native_password" => {
            let once = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[password.as_bytes()]);
            let twice = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[&once]);
            Ok(masked(once, &digest(&SHA1_FOR_LEGACY_USE_ONLY, &[nonce, &twice])))
        }
        "caching_sha2_password" => {
            let once = digest(&SHA256, &[password.as_bytes()]);
            let twice = digest(&SHA256, &[&once]);
            Ok(masked(once, &digest(&SHA256, &[&twice, nonce])))
        }
        "mysql_clear_password" | "sha256_password" => clear(password, privacy),
        other => Err(LoginRefusal::Plugin(other.chars().take(64).collect())),
    }
}

/// Returns the password itself, if nobody can read along.
pub(super) fn clear(password: &str, privacy: Privacy) -> Result<Vec<u8>, LoginRefusal> {
    if privacy == Privacy::Open {
        return Err(LoginRefusal::PasswordInClear);
    }
    let mut bytes = password.as_bytes().to_vec();
    bytes.push(0);
    Ok(bytes)
}

fn digest(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Vec<u8> {
    let mut context = digest::Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

fn masked(mut bytes: Vec<u8>, mask: &[u8]) -> Vec<u8> {
    for (byte, mask) in bytes.iter_mut().zip(mask) {
        *byte ^= mask;
    }
    bytes
}
