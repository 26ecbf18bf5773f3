//! Connections to servers: resolved, bound, with options, encrypted if configured.
//!
//! In: a target and a server. Out: a connection. Holds: nothing.
//! Limits: looking up the name takes at most [`LOOK_UP_WITHIN`], connecting and a handshake [`CONNECT_WITHIN`] each.
//! All of them end early when the destination must stop.

use super::dtls::SecureDatagrams;
use crate::{
    options::{Server, SocketKind, SocketTarget},
    stopping,
};
use socket2::{Domain, SockAddr, Socket, Type};
use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};
use transport::sending::stream::Secure;

/// Longest time to connect.
pub(super) const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Longest time to look up a name: the system's resolver asks several servers several times.
const LOOK_UP_WITHIN: Duration = Duration::from_secs(60);
/// How often a pending connection is checked.
const CONNECTING_LOOKED_AT_EVERY: Duration = Duration::from_millis(20);
/// The shortest wait that the system knows.
const NO_TIME: Duration = Duration::from_millis(1);
/// After this time without progress the thread checks whether it must stop.
const STALL: Duration = Duration::from_millis(200);

/// An open connection.
pub(super) enum Connection {
    Plain(Socket),
    Secure(Box<Secure>),
    Datagrams(Socket),
    SecureDatagrams(Box<SecureDatagrams>),
}

/// Connects. `server` is one of the target's servers, for internet sockets.
pub(super) fn connect(target: &SocketTarget, server: &Server) -> io::Result<Connection> {
    match &target.kind {
        SocketKind::Tcp(..) => {
            let socket = connect_to_any(target, server, Type::STREAM)?;
            match &target.tls {
                None => Ok(Connection::Plain(socket)),
                Some(tls) => {
                    let settings = tls.settings().map_err(io::Error::other)?;
                    Ok(Connection::Secure(Box::new(Secure::connect(
                        socket,
                        settings,
                        &server.host,
                        CONNECT_WITHIN,
                    )?)))
                }
            }
        }
        SocketKind::Udp(..) => connect_to_any(target, server, Type::DGRAM).map(Connection::Datagrams),
        SocketKind::Dtls(_, _, dtls) => {
            let settings = dtls.settings().map_err(io::Error::other)?;
            let socket = connect_to_any(target, server, Type::DGRAM)?;
            let secure =
                SecureDatagrams::connect(socket, settings, &server.host, target.framing, CONNECT_WITHIN)?;
            Ok(Connection::SecureDatagrams(Box::new(secure)))
        }
        SocketKind::UnixStream(path) => {
            connect_unix(target, &SockAddr::unix(path)?, Type::STREAM).map(Connection::Plain)
        }
        SocketKind::UnixDatagram(path) => {
            connect_unix(target, &SockAddr::unix(path)?, Type::DGRAM).map(Connection::Datagrams)
        }
    }
}

/// Connects to the first server of a target that speaks a protocol of its own.
pub(super) fn connect_first(target: &SocketTarget) -> io::Result<Connection> {
    let server = target.servers().into_iter().next().unwrap_or_default();
    connect(target, &server)
}

/// Tries the addresses of a name, those of the wanted family first.
fn connect_to_any(target: &SocketTarget, server: &Server, kind: Type) -> io::Result<Socket> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, format!("{} has no address", server.host));
    for address in addresses(target, server)? {
        match connect_to(target, address, kind) {
            Ok(socket) => return Ok(socket),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The addresses of a server, those of the wanted family first.
pub(super) fn addresses(target: &SocketTarget, server: &Server) -> io::Result<Vec<SocketAddr>> {
    let mut addresses = look_up(&server.host, server.port)?;
    addresses.sort_by_key(|address| address.is_ipv6() != target.ipv6);
    Ok(addresses)
}

/// Looks up a name. The system's resolver is slow when no server answers, and cannot be interrupted: it runs on a
/// thread of its own, which is abandoned at a stop.
fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (tell, told) = mpsc::sync_channel(1);
    let name = host.to_owned();
    let look = move || {
        let found: io::Result<Vec<SocketAddr>> =
            (name.as_str(), port).to_socket_addrs().map(Iterator::collect);
        // The caller may have gone.
        let _ = tell.send(found);
    };
    thread::Builder::new().name("lookup".to_owned()).spawn(look)?;
    let deadline = Instant::now() + LOOK_UP_WITHIN;
    loop {
        let left = stopping::patience(deadline);
        match told.recv_timeout(left.min(STALL)) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
            Err(_) => {
                let reason = format!("the name {host} could not be looked up in time");
                return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
            }
        }
    }
}

fn connect_to(target: &SocketTarget, address: SocketAddr, kind: Type) -> io::Result<Socket> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, kind, None)?;
    set_send_buffer(target, &socket)?;
    target.ip.set(&socket, &address)?;
    if target.broadcast {
        socket.set_broadcast(true)?;
    }
    if let Some(local) = target.local.filter(|local| Domain::for_address(*local) == domain) {
        socket.set_reuse_address(true)?;
        socket.bind(&local.into())?;
    }
    if kind == Type::STREAM {
        target.tcp.set(&socket)?;
        connect_until_stop(&socket, &address.into())?;
    } else {
        socket.connect(&address.into())?;
    }
    socket.set_write_timeout(Some(STALL))?;
    Ok(socket)
}

/// Connects within [`CONNECT_WITHIN`], or until the destination of this thread must stop because nobody answers.
fn connect_until_stop(socket: &Socket, address: &SockAddr) -> io::Result<()> {
    let deadline = Instant::now() + CONNECT_WITHIN;
    match socket.connect_timeout(address, stopping::patience(deadline).clamp(NO_TIME, STALL)) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
        result => return result,
    }
    socket.set_nonblocking(true)?;
    loop {
        // On a connecting socket this returns the progress.
        let code = match socket.connect(address) {
            Ok(()) => break,
            Err(error) => match error.raw_os_error() {
                Some(libc::EISCONN) => break,
                Some(libc::EALREADY | libc::EINPROGRESS | libc::EINTR) => error,
                _ => return Err(error),
            },
        };
        if stopping::patience(deadline).is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("nobody answers: {code}")));
        }
        std::thread::sleep(CONNECTING_LOOKED_AT_EVERY);
    }
    socket.set_nonblocking(false)
}

fn connect_unix(target: &SocketTarget, address: &SockAddr, kind: Type) -> io::Result<Socket> {
    let socket = Socket::new(Domain::UNIX, kind, None)?;
    set_send_buffer(target, &socket)?;
    socket.connect(address)?;
    socket.set_write_timeout(Some(STALL))?;
    Ok(socket)
}

fn set_send_buffer(target: &SocketTarget, socket: &Socket) -> io::Result<()> {
    if target.send_buffer > 0 { socket.set_send_buffer_size(target.send_buffer) } else { Ok(()) }
}
