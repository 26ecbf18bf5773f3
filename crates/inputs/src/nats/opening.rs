//! The greeting of a server, and encryption, which comes behind it.
//!
//! In: a server. Out: an open connection, and what the server says of itself. Holds: nothing.
//! Limits: `timeout` for the greeting, [`LINE_BYTES_MAX`] for its length. A server that is to be encrypted gets nothing of us
//! before.

use crate::broker::Broken;
use std::{io, time::Duration};
use tokio::{io::AsyncReadExt, time::timeout};
use transport::{
    Endpoint,
    endpoint::{Breach, Wire, until_deadline},
    nats::{Greeting, LINE_BYTES_MAX, Line, UnfitServer, decode_line},
};

/// Connects to a server.
pub(super) async fn open(server: &Endpoint, patience: Duration) -> Result<(Box<dyn Wire>, Greeting), Broken> {
    let mut stream = server.open_in_clear(until_deadline).await?;
    let read = timeout(patience, greeting(&mut stream)).await;
    let greeting = read.map_err(|_| Broken::silent(patience))??;
    let refused = |why: UnfitServer| Broken::Refused(why.to_string());
    if let Some(tls) = greeting.encryption(server.tls.as_ref()).map_err(refused)? {
        stream = server.encrypt(stream, tls, until_deadline).await?;
    }
    greeting.check_age().map_err(refused)?;
    Ok((stream, greeting))
}

/// Reads the first line, and nothing behind it: that may be encrypted.
async fn greeting(stream: &mut Box<dyn Wire>) -> Result<Greeting, Broken> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") && line.len() < LINE_BYTES_MAX {
        let byte = stream.read_u8().await.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Broken::Lost("the server closed the connection".to_owned()),
            _ => Broken::Lost(error.to_string()),
        })?;
        line.push(byte);
    }
    match decode_line(&line)? {
        Some((Line::Greeting(json), _)) => Ok(Greeting::parse(json)?),
        Some((Line::Refused(words), _)) => Err(Broken::Lost(words)),
        _ => Err(Breach("it does not greet").into()),
    }
}
