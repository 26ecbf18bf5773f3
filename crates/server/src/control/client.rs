//! The client side of the control socket.
//!
//! In: a command. Out: the server's answer. Limits: waits [`ANSWER_TIMEOUT`], which covers a reload.

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

/// Longest wait for an answer.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The server's reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The answer.
    Done(String),
    /// The reason of a failure.
    Failed(String),
}

fn sent(socket: &Path, command: &str) -> io::Result<UnixStream> {
    let mut peer = UnixStream::connect(socket).map_err(|error| {
        let text = format!("cannot reach the server at {}: {error}; is it running?", socket.display());
        io::Error::new(error.kind(), text)
    })?;
    peer.write_all(command.as_bytes())?;
    peer.write_all(b"\n")?;
    Ok(peer)
}

/// Sends a command with a continuous answer, and passes each line to `take` until that returns false or the
/// server hangs up.
pub(crate) fn follow(
    socket: &Path,
    command: &str,
    take: &mut dyn FnMut(&str) -> io::Result<bool>,
) -> io::Result<Reply> {
    let mut lines = BufReader::new(sent(socket, command)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(Reply::Done(String::new()));
        }
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line));
        if let Some(why) = text.strip_prefix("FAIL ") {
            return Ok(Reply::Failed(format!("{why}\n")));
        }
        if !take(&text)? {
            return Ok(Reply::Done(String::new()));
        }
    }
}

/// Sends one command and reads its answer.
pub(crate) fn ask(socket: &Path, command: &str, within: Duration) -> io::Result<Reply> {
    let peer = sent(socket, command)?;
    peer.set_read_timeout(Some(within))?;
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
