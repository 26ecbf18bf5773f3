//! Opening sockets: bound, with options, owner and mode, or taken over from the service manager.
//!
//! In: the options of a listener. Out: listening, non-blocking sockets. Holds: nothing.
//! Limits: a stale unix socket is removed; anything else under that name is left alone and refused.

use crate::options::{DatagramListener, ListenAddress, StreamListener};
use socket2::{Domain, SockAddr, SockFilter, Socket, Type};
use std::{
    fs, io,
    os::{
        fd::AsFd,
        unix::fs::{FileTypeExt, PermissionsExt, chown},
    },
    path::Path,
};
use transport::{FilePermissions, IpOptions, folders, sys};

/// Classic BPF: keeps only packets addressed to this host, whose type (`SKF_AD_OFF + SKF_AD_PKTTYPE`) is 0.
/// Rejected packets are copies, but the kernel counts them as dropped.
const UNICAST_ONLY: [SockFilter; 4] = [
    SockFilter::new(0x30, 0, 0, 0xffff_f004),
    SockFilter::new(0x15, 0, 1, 0),
    SockFilter::new(0x06, 0, 0, 0xffff_ffff),
    SockFilter::new(0x06, 0, 0, 0),
];

/// An open socket of a source.
pub(crate) struct Listening {
    pub(crate) socket: Socket,
    /// Further sockets of the same port: the kernel spreads the senders over all of them.
    pub(crate) others: Vec<Socket>,
    /// The service manager opened it: its path is not ours to remove.
    pub(crate) inherited: bool,
}

/// Opens a listener for streams.
pub(crate) fn open_stream(options: &StreamListener) -> io::Result<Listening> {
    let binding = Binding {
        address: &options.address,
        kind: Type::STREAM,
        reuse_port: options.reuse_port,
        permissions: &options.permissions,
        above: options.folders.as_ref(),
    };
    let listening = open(&binding, |socket| {
        set_ip(socket, &options.ip, &options.address)?;
        set_receive_buffer(socket, options.receive_buffer)
    })?;
    if !listening.inherited {
        let backlog = i32::try_from(options.backlog).unwrap_or(i32::MAX);
        listening.socket.listen(backlog)?;
    }
    Ok(listening)
}

/// Opens a listener for datagrams, with up to `count` sockets that share a port.
pub(crate) fn open_datagram(options: &DatagramListener, count: usize) -> io::Result<Listening> {
    let binding = Binding {
        address: &options.address,
        kind: Type::DGRAM,
        reuse_port: options.reuse_port,
        permissions: &options.permissions,
        above: options.folders.as_ref(),
    };
    let one = |binding: &Binding<'_>| {
        open(binding, |socket| {
            if options.credentials && matches!(options.address, ListenAddress::Unix(_)) {
                socket.set_passcred(true)?;
            }
            set_ip(socket, &options.ip, &options.address)?;
            set_receive_buffer(socket, options.receive_buffer)
        })
    };
    let is_shared = match options.address {
        // Each socket of a port gets its own copy of a multicast datagram.
        ListenAddress::Ip(address) => count > 1 && address.port() != 0 && !address.ip().is_multicast(),
        ListenAddress::Unix(_) => false,
    };
    let first = one(&binding)?;
    if first.inherited || !is_shared {
        return Ok(first);
    }
    // The port is free, or shared with consent: only then may our sockets share it.
    drop(first);
    let shared = Binding { reuse_port: true, ..binding };
    let mut listening = one(&shared)?;
    for _ in 1..count {
        let other = one(&shared)?.socket;
        // Of a broadcast, too, each socket gets a copy: only the first one keeps it.
        other.attach_filter(&UNICAST_ONLY)?;
        listening.others.push(other);
    }
    Ok(listening)
}

/// Applies changed options to a socket that outlives a reload.
pub(crate) fn adjust(socket: &Socket, receive_buffer: usize, backlog: Option<u32>) -> io::Result<()> {
    set_receive_buffer(socket, receive_buffer)?;
    match backlog {
        Some(backlog) => socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX)),
        None => Ok(()),
    }
}

/// An address to bind a socket to, and the options for it.
struct Binding<'a> {
    address: &'a ListenAddress,
    kind: Type,
    /// `so-reuseport()`
    reuse_port: bool,
    /// Permissions of a unix socket.
    permissions: &'a FilePermissions,
    /// Those of the folders above it that do not exist yet.
    above: Option<&'a FilePermissions>,
}

fn open(binding: &Binding<'_>, set: impl FnOnce(&Socket) -> io::Result<()>) -> io::Result<Listening> {
    let Binding { address, kind, reuse_port, permissions, above } = *binding;
    let (domain, target) = match address {
        ListenAddress::Ip(address) => (Domain::for_address(*address), SockAddr::from(*address)),
        ListenAddress::Unix(path) => (Domain::UNIX, SockAddr::unix(path)?),
    };
    if let Some(socket) = sys::inherited_socket(&target, kind) {
        set(&socket)?;
        socket.set_nonblocking(true)?;
        return Ok(Listening { socket, others: Vec::new(), inherited: true });
    }
    let socket = Socket::new(domain, kind, None)?;
    set(&socket)?;
    match address {
        ListenAddress::Ip(_) => {
            socket.set_reuse_address(kind == Type::STREAM)?;
            if reuse_port {
                socket.set_reuse_port(true)?;
            }
            socket.bind(&target)?;
        }
        ListenAddress::Unix(path) => {
            folders::create_above(path, above)?;
            bind_unix(&socket, path, &target, permissions)?;
        }
    }
    socket.set_nonblocking(true)?;
    Ok(Listening { socket, others: Vec::new(), inherited: false })
}

fn bind_unix(
    socket: &Socket,
    path: &Path,
    target: &SockAddr,
    permissions: &FilePermissions,
) -> io::Result<()> {
    if let Ok(metadata) = fs::symlink_metadata(path) {
        if !metadata.file_type().is_socket() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "a file that is no socket has this name",
            ));
        }
        fs::remove_file(path)?;
    }
    socket.bind(target)?;
    if permissions.owner.is_some() || permissions.group.is_some() {
        chown(path, permissions.owner, permissions.group)?;
    }
    match permissions.mode {
        Some(mode) => fs::set_permissions(path, fs::Permissions::from_mode(mode)),
        None => Ok(()),
    }
}

fn set_ip(socket: &Socket, options: &IpOptions, address: &ListenAddress) -> io::Result<()> {
    match address {
        ListenAddress::Ip(address) => options.set(socket, address),
        ListenAddress::Unix(_) => Ok(()),
    }
}

/// Past the system's limit where we may, else as far as it lets us.
fn set_receive_buffer(socket: &Socket, size: usize) -> io::Result<()> {
    if size == 0 || sys::force_receive_buffer(socket.as_fd(), size).is_ok() {
        return Ok(());
    }
    socket.set_recv_buffer_size(size)
}
