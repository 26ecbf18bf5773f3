//! The part of a connection before its messages: a PROXY header, a TLS handshake, or one after the other.
//!
//! In: an accepted connection. Out: a stream of messages, and the identity of its peer.
//! Holds: nothing after it. Limits: [`GREETING_WITHIN`]; an invalid header ends the connection. A peer that has sent
//! nothing yet costs only its descriptor; with its first bytes it waits for a permit of the listener.

use super::{
    admission::{ConnectionPermit, HandshakePermits},
    peer::{canonical, peer_values},
};
use crate::{
    options::{Encryption, ProxyHeader, StreamListener},
    secure::SecureStream,
    session::Stream,
};
use std::{future::Future, io, net::SocketAddr, time::Duration};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use transport::stats::RefusalReason;
use wire::proxy::{self, Start};

/// Longest time for header and handshake: a slower peer may only be holding connections open.
const GREETING_WITHIN: Duration = Duration::from_secs(20);
/// First byte of the record that begins a session of TLS: no message in text begins with it.
const HANDSHAKE: u8 = 0x16;
/// Bytes of one read while a header is awaited.
const PIECE_BYTES: usize = 512;

/// A connection that may now send messages.
pub(super) struct Greeted {
    pub(super) stream: Stream,
    pub(super) is_encrypted: bool,
    /// The true ends, when a proxy named them.
    pub(super) ends: Option<(SocketAddr, SocketAddr)>,
    /// Names and values that are known of the peer in addition to its address.
    pub(super) values: Vec<(String, Vec<u8>)>,
}

impl Greeted {
    /// A connection without a greeting.
    pub(super) fn plain(stream: Stream) -> Greeted {
        Greeted { stream, is_encrypted: false, ends: None, values: Vec::new() }
    }
}

/// The reason why there is no session.
#[derive(Debug)]
pub(super) enum GreetError {
    /// There are too many handshakes.
    Refused(RefusalReason),
    /// The peer or the system failed.
    Failed(io::Error),
}

impl From<io::Error> for GreetError {
    fn from(error: io::Error) -> GreetError {
        GreetError::Failed(error)
    }
}

/// Takes the greeting of a connection.
pub(super) async fn greet(
    socket: TcpStream,
    hop: SocketAddr,
    options: &StreamListener,
    door: (&ConnectionPermit, &HandshakePermits),
) -> Result<Greeted, GreetError> {
    if options.tls.is_some() && options.encryption == Encryption::Detected {
        // Plain connections may be silent as long as others are.
        let first = first_byte(&socket);
        let first = match options.idle_timeout {
            Some(limit) => {
                timeout(limit, first).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??
            }
            None => first.await?,
        };
        if first != Some(HANDSHAKE) {
            return Ok(Greeted::plain(Stream::Tcp(socket)));
        }
    }
    if options.tls.is_none() && options.proxy == ProxyHeader::None {
        return Ok(Greeted::plain(Stream::Tcp(socket)));
    }
    door.0.handshake_begins();
    let greeted = steps(socket, hop, options, door).await;
    door.0.handshake_ends();
    greeted
}

/// Waits for a step of the greeting.
async fn within<T>(deadline: Instant, step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match timeout_at(deadline, step).await {
        Ok(done) => done,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the peer began no session in time")),
    }
}

/// The first byte of a connection, which stays unread; nothing when there will be none.
async fn first_byte(socket: &TcpStream) -> io::Result<Option<u8>> {
    let mut first = [0];
    Ok((socket.peek(&mut first).await? > 0).then_some(first[0]))
}

async fn steps(
    socket: TcpStream,
    hop: SocketAddr,
    options: &StreamListener,
    (connection, handshakes): (&ConnectionPermit, &HandshakePermits),
) -> Result<Greeted, GreetError> {
    let deadline = Instant::now() + GREETING_WITHIN;
    let (mut first, mut values) = (Vec::new(), Vec::new());
    let mut stream = Stream::Tcp(socket);
    let mut proxied = match options.proxy {
        ProxyHeader::First => Some(within(deadline, read_header(&mut stream, &mut first)).await?),
        ProxyHeader::None | ProxyHeader::Encrypted => None,
    };
    stream = match (&options.tls, stream) {
        (Some(tls), Stream::Tcp(socket)) => {
            let settings = tls.settings().map_err(io::Error::other)?;
            let received = std::mem::take(&mut first);
            if received.is_empty() {
                within(deadline, socket.readable()).await?;
            }
            let refused = GreetError::Refused(RefusalReason::Handshakes);
            let permit = timeout_at(deadline, handshakes.take(connection.peer(), options.handshakes)).await;
            let Ok(permit) = permit else { return Err(refused) };
            let accepted = SecureStream::accept(socket, settings, received, &mut first);
            let secure = tokio::select! {
                biased;
                secure = within(deadline, accepted) => secure?,
                () = permit.outstayed() => return Err(refused),
            };
            values = secure.session().peer().map(peer_values).unwrap_or_default();
            Stream::Tls(Box::new(secure))
        }
        (_, stream) => stream,
    };
    if options.proxy == ProxyHeader::Encrypted {
        proxied = Some(within(deadline, read_header(&mut stream, &mut first)).await?);
    }
    let ends =
        proxied.and_then(|header| header.ends).map(|(source, target)| (canonical(source), canonical(target)));
    if options.proxy != ProxyHeader::None {
        values.extend(proxy_values(hop, ends));
    }
    let is_encrypted = matches!(stream, Stream::Tls(_));
    if !first.is_empty() {
        stream = Stream::After(first, Box::new(stream));
    }
    Ok(Greeted { stream, is_encrypted, ends, values })
}

/// Reads a header; bytes after it stay in `first`.
async fn read_header(stream: &mut Stream, first: &mut Vec<u8>) -> io::Result<proxy::Header> {
    loop {
        match proxy::start(first) {
            Start::Header(header) => {
                first.drain(..header.size);
                return Ok(header);
            }
            Start::Partial => {}
            Start::Other => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the peer sent no PROXY header"));
            }
        }
        stream.readable().await?;
        first.reserve(PIECE_BYTES);
        match stream.read(first) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            _ => {}
        }
    }
}

/// Returns the values that describe the proxy and the original connection.
fn proxy_values(hop: SocketAddr, ends: Option<(SocketAddr, SocketAddr)>) -> Vec<(String, Vec<u8>)> {
    let mut values =
        vec![(".proxy.peer_ip", hop.ip().to_string()), (".proxy.peer_port", hop.port().to_string())];
    if let Some((source, target)) = ends {
        values.extend([
            ("PROXIED_SRCIP", source.ip().to_string()),
            ("PROXIED_SRCPORT", source.port().to_string()),
            ("PROXIED_DSTIP", target.ip().to_string()),
            ("PROXIED_DSTPORT", target.port().to_string()),
            ("PROXIED_IP_VERSION", if source.is_ipv6() { "6" } else { "4" }.to_owned()),
        ]);
    }
    values.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect()
}

#[cfg(test)]
mod tests;
