//! Connections to the server: TCP, TLS, UDP, DTLS, unix stream, unix datagram.
//!
//! In: options. Out: open connections that take bytes. Limits: [`CONNECT_TIMEOUT`] to connect.

use super::Options;
use delivery::{SecureDatagrams, StreamFraming};
use rustls::{ClientConfig, ClientConnection, StreamOwned, pki_types::ServerName};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::{
    io::{self, Write},
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket},
    os::unix::net::{UnixDatagram, UnixStream},
    sync::Arc,
    time::Duration,
};
use transport::{
    dtls::ClientDtls,
    tls::{ClientTls, PeerVerify, TlsOptions},
};

/// Longest wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The server, resolved once.
pub(super) struct Target {
    address: Address,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    /// Header of the PROXY protocol, sent first.
    proxy: Option<Vec<u8>>,
    /// True to send the PROXY header before the TLS handshake.
    proxy_plain: bool,
    local_port: Option<u16>,
}

enum Address {
    Tcp(SocketAddr),
    Udp(SocketAddr),
    Dtls(SocketAddr, String, Box<ClientDtls>),
    UnixStream(String),
    UnixDatagram(String),
}

/// An open connection.
pub(super) enum Connection {
    /// A byte stream.
    Stream(Box<dyn Write + Send>),
    /// UDP.
    Udp(UdpSocket),
    /// DTLS.
    Dtls(Box<SecureDatagrams>),
    /// A unix datagram socket.
    Unix(UnixDatagram),
}

impl Target {
    pub(super) fn new(options: &Options) -> io::Result<Target> {
        let address = if options.unix {
            let path = options.target.clone();
            if options.dgram { Address::UnixDatagram(path) } else { Address::UnixStream(path) }
        } else {
            let found = resolve(options)?;
            match (options.dtls, options.dgram) {
                (true, _) => Address::Dtls(found, options.target.clone(), Box::new(dtls()?)),
                (false, true) => Address::Udp(found),
                (false, false) => Address::Tcp(found),
            }
        };
        let tls = if options.use_ssl { Some(tls(&options.target)?) } else { None };
        let passes = options.proxied_tls_passthrough.then_some(1);
        let proxy = options.proxied.or(passes).map(|version| proxy_header(options, version)).transpose()?;
        let proxy_plain = options.proxied_tls_passthrough || !options.use_ssl;
        Ok(Target { address, tls, proxy, proxy_plain, local_port: options.client_port })
    }

    /// Opens one connection.
    pub(super) fn open(&self) -> io::Result<Connection> {
        match &self.address {
            Address::Tcp(address) => self.open_tcp(*address).map_err(|error| named(error, address)),
            Address::Udp(address) => self.open_udp(*address).map(Connection::Udp),
            Address::Dtls(address, host, settings) => {
                let socket = Socket::from(self.open_udp(*address)?);
                let framing = StreamFraming::Plain;
                SecureDatagrams::connect(socket, settings, host, framing, CONNECT_TIMEOUT)
                    .map(|secure| Connection::Dtls(Box::new(secure)))
                    .map_err(|error| named(error, address))
            }
            Address::UnixStream(path) => {
                let stream = UnixStream::connect(path).map_err(|error| named(error, path))?;
                Ok(Connection::Stream(Box::new(stream)))
            }
            Address::UnixDatagram(path) => {
                let socket = UnixDatagram::unbound()?;
                socket.connect(path).map_err(|error| named(error, path))?;
                Ok(Connection::Unix(socket))
            }
        }
    }

    fn open_udp(&self, address: SocketAddr) -> io::Result<UdpSocket> {
        let any = if address.is_ipv6() { "[::]" } else { "0.0.0.0" };
        let socket = UdpSocket::bind(format!("{any}:{}", self.local_port.unwrap_or(0)))?;
        socket.connect(address)?;
        Ok(socket)
    }

    fn open_tcp(&self, address: SocketAddr) -> io::Result<Connection> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        if let Some(port) = self.local_port {
            socket.set_reuse_address(true)?;
            let any: SocketAddr = match address {
                SocketAddr::V4(_) => ([0, 0, 0, 0], port).into(),
                SocketAddr::V6(_) => ([0u16; 8], port).into(),
            };
            socket.bind(&SockAddr::from(any))?;
        }
        socket.connect_timeout(&SockAddr::from(address), CONNECT_TIMEOUT)?;
        let mut stream: TcpStream = socket.into();
        let (before, after) = match &self.proxy {
            Some(header) if self.proxy_plain => (header.as_slice(), [].as_slice()),
            Some(header) => ([].as_slice(), header.as_slice()),
            None => ([].as_slice(), [].as_slice()),
        };
        stream.write_all(before)?;
        let Some((config, name)) = &self.tls else {
            return Ok(Connection::Stream(Box::new(stream)));
        };
        let session = ClientConnection::new(config.clone(), name.clone()).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(session, stream);
        stream.write_all(after)?;
        Ok(Connection::Stream(Box::new(Encrypted(stream))))
    }
}

/// Returns the header of a connection over TCP, in version 1 (a line) or 2 (binary) of the PROXY protocol.
pub(super) fn proxy_header(options: &Options, version: u8) -> io::Result<Vec<u8>> {
    const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
    /// Version 2, command PROXY.
    const COMMAND: u8 = 0x21;
    let ports = (options.proxy_src_port, options.proxy_dst_port);
    let (family, code, addresses) = match (options.proxy_src_ip, options.proxy_dst_ip) {
        (IpAddr::V4(source), IpAddr::V4(target)) => {
            ("TCP4", 0x11, [source.octets(), target.octets()].concat())
        }
        (IpAddr::V6(source), IpAddr::V6(target)) => {
            ("TCP6", 0x21, [source.octets(), target.octets()].concat())
        }
        _ => {
            let message = "--proxy-src-ip and --proxy-dst-ip must both be of IPv4 or both of IPv6";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    };
    if version == 1 {
        let (source, target) = (options.proxy_src_ip, options.proxy_dst_ip);
        return Ok(format!("PROXY {family} {source} {target} {} {}\r\n", ports.0, ports.1).into_bytes());
    }
    let body = [addresses, ports.0.to_be_bytes().to_vec(), ports.1.to_be_bytes().to_vec()].concat();
    // Two addresses and two ports: 12 or 36 bytes.
    let length = u16::try_from(body.len()).map_err(io::Error::other)?;
    Ok([SIGNATURE.as_slice(), &[COMMAND, code], &length.to_be_bytes(), &body].concat())
}

/// A TLS stream that sends a close notification: without it the peer must treat the end as an attack (RFC 8446,
/// section 6.1).
struct Encrypted(StreamOwned<ClientConnection, TcpStream>);

impl Write for Encrypted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        self.0.conn.send_close_notify();
        // A peer that has gone needs no close notification.
        let _ = self.0.flush();
    }
}

fn named(error: io::Error, target: impl std::fmt::Display) -> io::Error {
    io::Error::new(error.kind(), format!("cannot connect to {target}: {error}"))
}

/// Looks up the address of the target.
fn resolve(options: &Options) -> io::Result<SocketAddr> {
    let (host, ipv6) = (options.target.as_str(), options.ipv6);
    let found = (host, options.port.unwrap_or(514)).to_socket_addrs().map_err(|error| named(error, host))?;
    let fits = |address: &SocketAddr| address.is_ipv6() == ipv6;
    found.into_iter().find(fits).ok_or_else(|| {
        let family = if ipv6 { "IPv6" } else { "IPv4 (try --ipv6)" };
        io::Error::new(io::ErrorKind::NotFound, format!("{host} has no {family} address"))
    })
}

/// A load generator measures; it trusts any certificate, as its help says.
fn unchecked() -> TlsOptions {
    TlsOptions { peer_verify: PeerVerify::OptionalUntrusted, ..TlsOptions::default() }
}

fn dtls() -> io::Result<ClientDtls> {
    ClientDtls::load(&unchecked()).map_err(io::Error::other)
}

fn tls(host: &str) -> io::Result<(Arc<ClientConfig>, ServerName<'static>)> {
    let settings = ClientTls::load(&unchecked()).map_err(io::Error::other)?;
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok((settings.config().clone(), name))
}
