//! `DEAD` on the control socket: the dead letters of running destinations.
//!
//! In: a request. Out: lines that begin with `M`, then `Nend`, or a line that begins with `E`. Holds: the stores of the
//! configuration in use. Limits: those of a store; a client that disconnects ends a replay after the letters in flight.

use crate::{
    data_folder::dead_letters::{DeadRequest, DeadStore},
    taps::is_gone,
};
use pipeline::Definitions;
use std::{
    cell::RefCell,
    io::{self, Write},
    os::unix::net::UnixStream,
    sync::Arc,
    time::Duration,
};
use template::Site;

/// Longest time for a client to accept output.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Carries a request out for a client.
pub(super) fn serve(
    request: &DeadRequest,
    stores: &[DeadStore],
    (definitions, site): (&Definitions, &Arc<Site>),
    peer: UnixStream,
) -> io::Result<()> {
    peer.set_write_timeout(Some(CLIENT_TIMEOUT))?;
    peer.set_read_timeout(Some(Duration::from_millis(1)))?;
    let peer = RefCell::new(peer);
    let mut print = |line: &str| {
        // A line feed inside would be another line of the protocol.
        let line = line.replace(['\n', '\r'], " ");
        peer.borrow_mut().write_all(format!("M{line}\n").as_bytes())
    };
    let is_stopped = || is_gone(&mut peer.borrow_mut());
    let done = request.work(stores, definitions, site, &mut print, &is_stopped);
    let last = match done {
        Ok(()) => "Nend\n".to_owned(),
        Err(error) => format!("E{}\n", error.to_string().replace('\n', " ")),
    };
    peer.borrow_mut().write_all(last.as_bytes())
}
