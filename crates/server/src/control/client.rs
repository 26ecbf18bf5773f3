//! The asking side of the control socket.
//!
//! In: a command. Out: the server's answer. Limits: waits [`ANSWER_TIMEOUT`], which covers a reload.

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

/// Longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// What the server said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The answer.
    Done(String),
    /// Why not.
    Failed(String),
}

/// Sends one command and reads its answer.
pub(crate) fn ask(socket: &Path, command: &str) -> io::Result<Reply> {
    let mut peer = UnixStream::connect(socket).map_err(|error| {
        let text = format!("cannot reach the server at {}: {error}; is it running?", socket.display());
        io::Error::new(error.kind(), text)
    })?;
    peer.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    peer.write_all(command.as_bytes())?;
    peer.write_all(b"\n")?;
    let mut text = String::new();
    for line in BufReader::new(peer).lines() {
        let line = line?;
        if line == "." {
            return Ok(match text.strip_prefix("FAIL ") {
                Some(why) => Reply::Failed(why.to_owned()),
                None => Reply::Done(text),
            });
        }
        text.push_str(&line);
        text.push('\n');
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up before it answered"))
}
