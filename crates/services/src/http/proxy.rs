//! A tunnel through an HTTP proxy, for encrypted connections to servers.
//!
//! In: a connection to the proxy, and the target server. Out: the same connection, which then leads to that server.
//! Holds: nothing. Limits: an answer of [`ANSWER_BYTES_MAX`].

use std::io;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Longest answer of a proxy.
const ANSWER_BYTES_MAX: usize = 8 << 10;

/// `CONNECT host:port`
pub(super) async fn tunnel(stream: &mut TcpStream, host: &str, port: u16) -> io::Result<()> {
    let wanted = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
    stream.write_all(wanted.as_bytes()).await?;
    let mut answer = Vec::new();
    // Byte by byte: bytes after the answer come from the server.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() >= ANSWER_BYTES_MAX {
            return Err(io::Error::other("the proxy says too much"));
        }
        answer.push(stream.read_u8().await?);
    }
    let status = answer.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if status.starts_with(b"2") {
        return Ok(());
    }
    Err(io::Error::other(format!("the proxy answered {}", String::from_utf8_lossy(status).trim())))
}
