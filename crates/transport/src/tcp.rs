//! Keep-alive probes of connections, on both sides.
//!
//! In: values of a configuration. Out: options set on a socket. Holds: nothing.
//! Limits: options that the system does not allow fail at opening.

use socket2::{Socket, TcpKeepalive};
use std::{io, time::Duration};

/// `so-keepalive()` and similar options; `None` leaves the system's value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TcpOptions {
    /// `so-keepalive()`
    pub keepalive: bool,
    /// `tcp-keepalive-time()`
    pub keepalive_time: Option<Duration>,
    /// `tcp-keepalive-intvl()`
    pub keepalive_interval: Option<Duration>,
    /// `tcp-keepalive-probes()`
    pub keepalive_probes: Option<u32>,
}

impl TcpOptions {
    /// Sets them on a TCP socket.
    pub fn set(&self, socket: &Socket) -> io::Result<()> {
        socket.set_keepalive(self.keepalive)?;
        let mut detail = TcpKeepalive::new();
        let mut wanted = false;
        if let Some(time) = self.keepalive_time {
            (detail, wanted) = (detail.with_time(time), true);
        }
        if let Some(interval) = self.keepalive_interval {
            (detail, wanted) = (detail.with_interval(interval), true);
        }
        if let Some(probes) = self.keepalive_probes {
            (detail, wanted) = (detail.with_retries(probes), true);
        }
        if wanted { socket.set_tcp_keepalive(&detail) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
