//! Connections of browsers and programs: encrypted, or plain.
//!
//! In: addresses to listen on, the current TLS settings. Out: requests with their senders. Holds: the listening sockets
//! and the [table](table) of open connections. With TLS a connection that begins like plain HTTP is accepted as well:
//! its requests are redirected to the encrypted address and get nothing else.
//! Limits: those of the table; a handshake within [`HANDSHAKE_WITHIN`], the head of a request within [`HEAD_WITHIN`] of
//! the previous answer, an unread answer for [`STALL_MAX`]; HTTP/1 only, so one request at a time.

mod stream;
mod table;

pub use table::ConnectionLimits;
pub(crate) use table::InRequest;

use crate::state::State;
use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::ConnectInfo,
    http::{Request, Response},
};
use hyper::{
    body::{Frame, Incoming, SizeHint},
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use message::peer_network;
use rustls::ServerConfig;
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};
use stream::Stream;
use table::{Origin, Registration, Table};
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

/// Longest time from connecting to the end of the handshake.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// Longest time from connecting, or from the end of an answer, to the end of the next request's head.
const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// Longest time in which a client takes nothing of its answer.
const STALL_MAX: Duration = Duration::from_secs(300);
/// Most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// The pause when the system is out of descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// First byte of a TLS connection.
const HANDSHAKE: u8 = 0x16;
/// The answer to a plain connection when there is no registration for it.
const NO_PLACE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The TLS settings as they are now; `None`: plain HTTP.
pub type PresentTls = Arc<dyn Fn() -> Option<Arc<ServerConfig>> + Send + Sync>;

/// The peer of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    pub(crate) is_encrypted: bool,
    /// The port where this caller should have called, encrypted.
    pub(crate) belongs_at: Option<u16>,
}

/// A listening socket, and how its connections are handled.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    pub(crate) async fn bind(address: SocketAddr) -> io::Result<Listener> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot listen on {address} for the page: {error}"))
        };
        let socket = TcpListener::bind(address).await.map_err(named)?;
        let address = socket.local_addr()?;
        Ok(Listener { socket, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// State that all listeners share.
#[derive(Clone)]
pub(crate) struct Connections {
    port: u16,
    tls: PresentTls,
    state: Arc<State>,
    service: TowerToHyperService<Router>,
    table: Arc<Table>,
    stop: watch::Receiver<bool>,
}

impl Connections {
    /// Connections to the page at a port.
    pub(crate) fn new(
        port: u16,
        tls: PresentTls,
        limits: ConnectionLimits,
        state: Arc<State>,
        routes: Router,
        stop: watch::Receiver<bool>,
    ) -> Connections {
        let service = TowerToHyperService::new(routes);
        Connections { port, tls, state, service, table: Table::new(limits), stop }
    }

    /// Takes connections until the stop, and then waits for those that are at work.
    pub(crate) fn serve(self, listener: Listener, purpose: Purpose) -> JoinHandle<()> {
        tokio::spawn(async move {
            let mut tasks = JoinSet::new();
            let mut stop = self.stop.clone();
            loop {
                select! {
                    () = stopped(&mut stop) => break,
                    Some(_) = tasks.join_next() => {}
                    accepted = listener.socket.accept() => match accepted {
                        Ok((stream, address)) => self.take(stream, address, purpose, &mut tasks),
                        Err(_) => {
                            self.table.relieve();
                            sleep(PAUSE).await;
                        }
                    },
                }
            }
            drop(listener);
            while tasks.join_next().await.is_some() {}
        })
    }

    fn take(&self, stream: TcpStream, address: SocketAddr, purpose: Purpose, tasks: &mut JoinSet<()>) {
        let is_proxy = self.state.backend().policy().trusts(address.ip());
        let origin = if is_proxy { Origin::Proxy } else { Origin::Caller };
        match self.table.admit(peer_network(address.ip()), origin, Instant::now()) {
            Some(registration) => {
                let connections = self.clone();
                tasks.spawn(async move {
                    select! {
                        () = registration.closed() => {}
                        _ = connections.converse(stream, address, purpose, &registration) => {}
                    }
                });
            }
            None if (self.tls)().is_none() => {
                // If the answer cannot be sent, the connection is just closed.
                let _ = stream.try_write(NO_PLACE);
            }
            None => {}
        }
    }

    /// Serves a connection to its end. One that fails is closed and not reported.
    async fn converse(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        purpose: Purpose,
        registration: &Arc<Registration>,
    ) -> Option<()> {
        let tls = (self.tls)();
        let belongs_at = (purpose == Purpose::Redirect || tls.is_some()).then_some(self.port);
        let plain = Caller { address, is_encrypted: false, belongs_at };
        // Answers are complete when they are written.
        let _ = stream.set_nodelay(true);
        let (stream, caller) = match tls.filter(|_| purpose == Purpose::Page) {
            None => (Stream::plain(stream, STALL_MAX), plain),
            Some(config) => {
                timeout(HANDSHAKE_WITHIN, encrypted(stream, config, plain)).await.ok().flatten()?
            }
        };
        let service = service_fn(|mut request: Request<Incoming>| {
            let in_request = registration.request(Instant::now());
            request.extensions_mut().insert(ConnectInfo(caller));
            request.extensions_mut().insert(in_request.clone());
            let answer = self.service.call(request);
            async move {
                let answer = answer.await?;
                Ok::<Response<Answer>, Infallible>(answer.map(|body| Answer { body, _request: in_request }))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_WITHIN)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service);
        let (mut connection, mut stop) = (pin!(connection), self.stop.clone());
        select! {
            _ = connection.as_mut() => {}
            () = stopped(&mut stop) => {
                connection.as_mut().graceful_shutdown();
                // The grace period of the whole server ends it.
                let _ = connection.await;
            }
        }
        Some(())
    }
}

/// Waits for the stop.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped: stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// The purpose of a listener.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// The page and the API.
    Page,
    /// To redirect callers there.
    Redirect,
}

async fn encrypted(stream: TcpStream, config: Arc<ServerConfig>, plain: Caller) -> Option<(Stream, Caller)> {
    let mut first = [0];
    if stream.peek(&mut first).await.ok()? == 1 && first[0] != HANDSHAKE {
        return Some((Stream::plain(stream, STALL_MAX), plain));
    }
    let stream = TlsAcceptor::from(config).accept(stream).await.ok()?;
    let caller = Caller { is_encrypted: true, belongs_at: None, ..plain };
    Some((Stream::secure(stream, STALL_MAX), caller))
}

/// The body of an answer: its request ends with it.
struct Answer {
    body: Body,
    _request: Arc<InRequest>,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
