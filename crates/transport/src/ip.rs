//! Options of internet sockets that listeners and senders share.
//!
//! In: values of a configuration. Out: options set on a socket. Holds: nothing.
//! Limits: options that the system does not allow fail at opening.

use socket2::Socket;
use std::{io, net::SocketAddr};

/// `ip-tos()`, `ip-ttl()`, `ip-freebind()`, `interface()`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IpOptions {
    /// `ip-tos()`: type of service, traffic class in IPv6.
    pub tos: Option<u32>,
    /// `ip-ttl()`: time to live, hop limit in IPv6.
    pub ttl: Option<u32>,
    /// `ip-freebind()`: bind to an address that the machine does not have yet.
    pub freebind: bool,
    /// `interface()`: only this network interface.
    pub interface: Option<String>,
}

impl IpOptions {
    /// Sets them on a socket that is not bound yet; the address determines the version of IP.
    pub fn set(&self, socket: &Socket, address: &SocketAddr) -> io::Result<()> {
        let is_v4 = address.is_ipv4();
        if let Some(tos) = self.tos {
            if is_v4 { socket.set_tos_v4(tos)? } else { socket.set_tclass_v6(tos)? }
        }
        if let Some(ttl) = self.ttl {
            if is_v4 { socket.set_ttl_v4(ttl)? } else { socket.set_unicast_hops_v6(ttl)? }
        }
        if self.freebind {
            if is_v4 { socket.set_freebind_v4(true)? } else { socket.set_freebind_v6(true)? }
        }
        if let Some(interface) = &self.interface {
            socket.bind_device(Some(interface.as_bytes()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
