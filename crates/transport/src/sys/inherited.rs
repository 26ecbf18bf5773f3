//! Sockets that the service manager opened for us (`LISTEN_FDS`, sd_listen_fds(3)).
//!
//! In: the environment at the start. Out: sockets by their address, each given out once. Holds: those not yet taken.
//! Limits: [`INHERITED_MAX`] descriptors.
#![allow(unsafe_code)]

use socket2::{SockAddr, Socket, Type};
use std::{
    env,
    os::fd::FromRawFd,
    sync::{Mutex, OnceLock, PoisonError},
};

/// First descriptor of the protocol.
const FIRST: i32 = 3;
/// More would not be ours.
const INHERITED_MAX: i32 = 64;

static SOCKETS: OnceLock<Mutex<Vec<Socket>>> = OnceLock::new();

/// The socket that was opened for this address, if any.
pub fn inherited_socket(address: &SockAddr, kind: Type) -> Option<Socket> {
    let sockets = SOCKETS.get_or_init(|| Mutex::new(all()));
    let mut sockets = sockets.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |socket: &Socket| {
        socket.local_addr().is_ok_and(|local| {
            local == *address || local.as_pathname().is_some_and(|path| Some(path) == address.as_pathname())
        }) && socket.r#type().is_ok_and(|known| known == kind)
    };
    let index = sockets.iter().position(fits)?;
    Some(sockets.swap_remove(index))
}

fn all() -> Vec<Socket> {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<i32>().ok());
    if number("LISTEN_PID") != i32::try_from(std::process::id()).ok() {
        return Vec::new();
    }
    let count = number("LISTEN_FDS").unwrap_or(0).clamp(0, INHERITED_MAX);
    // SAFETY: the protocol hands descriptors 3 to 3 + count - 1 to this very process (its id was checked), nobody
    // else here owns them, and this runs once.
    (FIRST..FIRST + count).map(|descriptor| unsafe { Socket::from_raw_fd(descriptor) }).collect()
}

#[cfg(test)]
mod tests;
