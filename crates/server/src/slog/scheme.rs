//! One line: sealed with AES-256-GCM, and added to a MAC over all lines; then the key evolves, and the old one is gone.
//!
//! In: a host's key, the MAC so far, a line. Out: the encrypted line, the next key, the next MAC. Every key is
//! derived from the previous one by a pseudo-random function of AES-256-CMAC: someone who gets today's key cannot
//! read or forge yesterday's lines.

use super::error::SlogError;
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    cmac, digest, rand,
};
use base64::{Engine, prelude::BASE64_STANDARD};

pub(super) const KEY_BYTES: usize = 32;
pub(super) const MAC_BYTES: usize = 16;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
/// Characters of a line's number: the base64 of eight bytes, the lowest first.
pub(super) const NUMBER_CHARACTERS: usize = 12;

/// The bytes from which the keys of encryption, of the MAC and of the next line are derived.
const FOR_ENCRYPTION: u8 = 0x36;
const FOR_MAC: u8 = 0x5c;
const FOR_NEXT: u8 = 0x6a;

pub(super) type Key = [u8; KEY_BYTES];
pub(super) type Mac = [u8; MAC_BYTES];

/// The key of a host's next line.
#[derive(Clone)]
pub(super) struct HostKey {
    pub(super) key: Key,
    /// Lines that were encrypted before.
    pub(super) lines: u64,
}

/// A decrypted line.
pub(super) struct OpenedLine {
    pub(super) text: Vec<u8>,
    /// Nonce, tag and encrypted text: the input of the MAC.
    sealed: Vec<u8>,
}

/// Generates a master key.
pub(super) fn draw_key() -> Result<Key, SlogError> {
    let mut key = [0; KEY_BYTES];
    rand::fill(&mut key).map_err(|_| SlogError::Randomness)?;
    Ok(key)
}

/// Derives the first key of a host.
pub(super) fn host_key(master: &Key, address: &str, serial: &str) -> Key {
    let mut hash = digest::Context::new(&digest::SHA256);
    [&master[..], address.as_bytes(), serial.as_bytes()].iter().for_each(|part| hash.update(part));
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(hash.finish().as_ref());
    key
}

/// AES-256-CMAC.
pub(super) fn cmac_of(key: &Key, parts: &[&[u8]]) -> Mac {
    let key = cmac::Key::new(cmac::AES_256, key).expect("the key has the length of AES-256");
    let mut context = cmac::Context::with_key(&key);
    parts.iter().for_each(|part| context.update(part).expect("memory is there"));
    let tag = context.sign().expect("memory is there");
    let mut mac = [0; MAC_BYTES];
    mac.copy_from_slice(tag.as_ref());
    mac
}

/// Derives a key for a purpose: two CMACs, the second of a block whose last byte is one more.
fn derived(key: &Key, purpose: u8) -> Key {
    let mut block = [purpose; MAC_BYTES];
    let first = cmac_of(key, &[&block]);
    block[MAC_BYTES - 1] += 1;
    let second = cmac_of(key, &[&block]);
    let mut made = [0; KEY_BYTES];
    made[..MAC_BYTES].copy_from_slice(&first);
    made[MAC_BYTES..].copy_from_slice(&second);
    made
}

/// Replaces the key by that of the next line.
pub(super) fn evolve(host: &mut HostKey) {
    host.key = derived(&host.key, FOR_NEXT);
    host.lines += 1;
}

/// Returns the MAC with one more line.
pub(super) fn add(key: &Key, number: u64, mac: &Mac, opened: &OpenedLine) -> Mac {
    add_sealed(key, number, mac, &opened.sealed)
}

fn add_sealed(key: &Key, number: u64, mac: &Mac, sealed: &[u8]) -> Mac {
    let key = derived(key, FOR_MAC);
    // The first line has no MAC before it.
    if number == 0 { cmac_of(&key, &[sealed]) } else { cmac_of(&key, &[mac, sealed]) }
}

fn cipher(key: &Key) -> LessSafeKey {
    let key = UnboundKey::new(&AES_256_GCM, &derived(key, FOR_ENCRYPTION));
    LessSafeKey::new(key.expect("the key has the length of AES-256"))
}

/// `NUMBER:BASE64`, without a line end.
pub(super) fn seal(host: &mut HostKey, mac: &mut Mac, line: &[u8]) -> Result<String, SlogError> {
    let mut sealed = vec![0; NONCE_BYTES + TAG_BYTES];
    let mut nonce = [0; NONCE_BYTES];
    rand::fill(&mut nonce).map_err(|_| SlogError::Randomness)?;
    let mut text = line.to_vec();
    let nonce_of_line = Nonce::assume_unique_for_key(nonce);
    let tag = cipher(&host.key).seal_in_place_separate_tag(nonce_of_line, Aad::empty(), &mut text);
    let tag = tag.map_err(|_| SlogError::TooLong)?;
    sealed[..NONCE_BYTES].copy_from_slice(&nonce);
    sealed[NONCE_BYTES..].copy_from_slice(tag.as_ref());
    sealed.extend_from_slice(&text);
    *mac = add_sealed(&host.key, host.lines, mac, &sealed);
    let number = BASE64_STANDARD.encode(host.lines.to_le_bytes());
    evolve(host);
    Ok(format!("{number}:{}", BASE64_STANDARD.encode(sealed)))
}

/// Decrypts the text after the number and the colon; none when it was not sealed with this key.
pub(super) fn open(key: &Key, text: &[u8]) -> Option<OpenedLine> {
    let sealed = BASE64_STANDARD.decode(text).ok()?;
    let (nonce, rest) = sealed.split_at_checked(NONCE_BYTES)?;
    let (tag, hidden) = rest.split_at_checked(TAG_BYTES)?;
    let mut text = vec![0; hidden.len()];
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    cipher(key).open_separate_gather(nonce, Aad::empty(), hidden, tag, &mut text).ok()?;
    Some(OpenedLine { text, sealed })
}

/// Returns the number of a line.
pub(super) fn number(line: &[u8]) -> Option<u64> {
    let bytes = BASE64_STANDARD.decode(line.get(..NUMBER_CHARACTERS)?).ok()?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
