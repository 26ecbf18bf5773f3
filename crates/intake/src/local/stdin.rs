//! `stdin()`.
//!
//! In: standard input, of whatever kind. Out: batches. Holds: a thread that waits for it.
//! Limits: its end is the end of the source.

use super::{Local, origin_of};
use crate::session::{self, End, Stream};
use std::{io, os::unix::net::UnixStream as StdUnixStream, thread};
use tokio::net::UnixStream;

/// Reads standard input to its end, or until it is stopped.
pub(crate) async fn read_stdin(here: Local) {
    let mut stop = here.stop.clone();
    let end = match open() {
        Ok(mut stream) => {
            session::run(&mut stream, &mut here.batch_reader(), origin_of(String::new()), &mut stop, None)
                .await
        }
        Err(error) => End::Failed(error),
    };
    if let End::Failed(error) = end {
        here.log.error(&format!("Error reading standard input; error='{error}'"));
    }
}

/// Files cannot be waited for; a thread that copies can read anything.
fn open() -> io::Result<Stream> {
    let (ours, mut theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    // The copy ends with the input, or with the reader.
    thread::Builder::new().name("stdin".to_owned()).spawn(move || io::copy(&mut io::stdin(), &mut theirs))?;
    Ok(Stream::Unix(UnixStream::from_std(ours)?))
}
