//! The outside of DTLS 1.2 (RFC 6347): the kinds of datagrams before any key is known, and the first answer to an
//! unknown peer.
//!
//! In: one datagram. Out: whether it is a peer's hello, and the cookie in it; in the other direction, a
//! HelloVerifyRequest. Holds: nothing; the cookie itself is the caller's.
//! Limits: a hello whose cookie is not within its first fragment is odd; cookies have at most [`COOKIE_BYTES_MAX`] bytes.

/// Bytes before the content of a record.
pub const RECORD_HEADER_BYTES: usize = 13;
/// Longest cookie that every client takes: DTLS 1.0 had no more.
pub const COOKIE_BYTES_MAX: usize = 32;

/// Content types of records.
pub mod content {
    /// The keys change with the next record.
    pub const CHANGE_CIPHER_SPEC: u8 = 20;
    /// A goodbye or a refusal.
    pub const ALERT: u8 = 21;
    /// Part of a handshake.
    pub const HANDSHAKE: u8 = 22;
    /// The payload of the application.
    pub const APPLICATION_DATA: u8 = 23;
}

const CLIENT_HELLO: u8 = 1;
const HELLO_VERIFY_REQUEST: u8 = 3;
/// Major version of every DTLS: one's complement of 1.
const MAJOR: u8 = 0xfe;
/// DTLS 1.0: what a server sends before a version is agreed (RFC 6347, section 4.2.1).
const ANY_VERSION: [u8; 2] = [MAJOR, 0xff];
/// Bytes before the content of a handshake message.
const MESSAGE_HEADER_BYTES: usize = 12;
const RANDOM_BYTES: usize = 32;

/// The beginning of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start<'a> {
    /// A peer wants a new association.
    Hello(Hello<'a>),
    /// A record of an association.
    Record(Record),
    /// Not a complete record of DTLS.
    Odd,
}

/// A ClientHello.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello<'a> {
    /// Epoch and number of its record: the answer has the same.
    pub sequence: [u8; 8],
    /// The client's random number: its hello without and with a cookie have the same.
    pub random: [u8; RANDOM_BYTES],
    /// The cookie, empty in a first hello.
    pub cookie: &'a [u8],
}

/// The outside of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// See [`content`].
    pub content: u8,
    /// 0 until keys are agreed.
    pub epoch: u16,
}

/// Looks at the first record of a datagram.
pub fn start(datagram: &[u8]) -> Start<'_> {
    match record(datagram) {
        Some((Record { content: content::HANDSHAKE, epoch: 0 }, body))
            if body.first() == Some(&CLIENT_HELLO) =>
        {
            hello(datagram, body).map_or(Start::Odd, Start::Hello)
        }
        Some((record, _)) => Start::Record(record),
        None => Start::Odd,
    }
}

fn record(datagram: &[u8]) -> Option<(Record, &[u8])> {
    let (header, rest) = datagram.split_at_checked(RECORD_HEADER_BYTES)?;
    let body = rest.get(..usize::from(u16::from_be_bytes([header[11], header[12]])))?;
    let known = (content::CHANGE_CIPHER_SPEC..=content::APPLICATION_DATA).contains(&header[0]);
    let record = Record { content: header[0], epoch: u16::from_be_bytes([header[3], header[4]]) };
    (known && header[1] == MAJOR).then_some((record, body))
}

/// Reads a ClientHello of which at least the first fragment is there, up to the end of its cookie.
fn hello<'a>(datagram: &[u8], body: &'a [u8]) -> Option<Hello<'a>> {
    let sequence = datagram.get(3..11)?.try_into().ok()?;
    let (header, rest) = body.split_at_checked(MESSAGE_HEADER_BYTES)?;
    let number = |at: usize| header[at..at + 3].iter().fold(0, |sum, byte| 256 * sum + usize::from(*byte));
    let (size, offset, part) = (number(1), number(6), number(9));
    if offset != 0 || part > size || part != rest.len() {
        return None;
    }
    let (version, rest) = rest.split_at_checked(2)?;
    let (random, rest) = rest.split_at_checked(RANDOM_BYTES)?;
    let (_session, rest) = counted(rest)?;
    let (cookie, _) = counted(rest)?;
    (version[0] == MAJOR).then_some(Hello { sequence, random: random.try_into().ok()?, cookie })
}

/// Splits bytes after a count of one byte from the rest.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&size, rest) = bytes.split_first()?;
    rest.split_at_checked(usize::from(size))
}

/// Appends the answer to a hello without a valid cookie: repeat it with this one.
///
/// # Panics
/// When the cookie is longer than [`COOKIE_BYTES_MAX`].
pub fn append_verify_request(sequence: [u8; 8], cookie: &[u8], out: &mut Vec<u8>) {
    assert!(cookie.len() <= COOKIE_BYTES_MAX, "a cookie of {} bytes", cookie.len());
    let part = (ANY_VERSION.len() + 1 + cookie.len()) as u8;
    let header = MESSAGE_HEADER_BYTES as u8;
    out.push(content::HANDSHAKE);
    out.extend_from_slice(&ANY_VERSION);
    out.extend_from_slice(&sequence);
    out.extend_from_slice(&[0, header + part]);
    // Kind, size, number 0, offset 0, size of this fragment.
    out.extend_from_slice(&[HELLO_VERIFY_REQUEST, 0, 0, part, 0, 0, 0, 0, 0, 0, 0, part]);
    out.extend_from_slice(&ANY_VERSION);
    out.push(cookie.len() as u8);
    out.extend_from_slice(cookie);
}

/// Appends an alert without protection: a hint for a peer that waits for an answer and that we have no keys for.
pub fn append_hint(out: &mut Vec<u8>) {
    /// A fatal `unexpected_message`.
    const ALERT: [u8; 2] = [2, 10];
    out.push(content::ALERT);
    out.extend_from_slice(&[MAJOR, 0xfd]);
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&[0, ALERT.len() as u8]);
    out.extend_from_slice(&ALERT);
}

#[cfg(test)]
mod tests;
