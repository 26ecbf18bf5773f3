//! Connections of browsers and programs: encrypted, or plain.
//!
//! In: addresses to listen on, the present TLS settings. Out: connections that speak HTTP, and who is at their ends.
//! Holds: the listening sockets. With TLS a connection that begins like plain HTTP is taken as well: its requests are
//! sent to the encrypted address and get nothing else.
//! Limits: [`HANDSHAKES_MAX`] handshakes at a time, each for [`HANDSHAKE_WITHIN`] at most; then others wait in the
//! kernel.

use axum::{extract::connect_info::Connected, serve::IncomingStream};
use rustls::ServerConfig;
use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// Handshakes at a time.
const HANDSHAKES_MAX: usize = 256;
/// Longest time from connecting to the end of the handshake.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// Connections that are ready and not served yet.
const READY_MAX: usize = 16;
/// The pause when the system gives no connection: it is out of descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// What a TLS connection begins with.
const HANDSHAKE: u8 = 0x16;

/// The TLS settings as they are now; `None`: plain HTTP.
pub type PresentTls = Arc<dyn Fn() -> Option<Arc<ServerConfig>> + Send + Sync>;

/// Who is at the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    pub(crate) is_encrypted: bool,
    /// The port where this caller should have called, encrypted.
    pub(crate) belongs_at: Option<u16>,
}

impl Connected<IncomingStream<'_, Connections>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Connections>) -> Caller {
        *stream.remote_addr()
    }
}

/// One connection.
pub(crate) enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

/// All that come.
pub(crate) struct Connections {
    address: SocketAddr,
    ready: mpsc::Receiver<(Stream, Caller)>,
    tasks: Vec<JoinHandle<()>>,
}

impl Connections {
    /// Listens; `redirects` only send callers on to `address`.
    pub(crate) async fn open(
        address: SocketAddr,
        redirects: &[SocketAddr],
        tls: PresentTls,
    ) -> io::Result<Connections> {
        let main = bind(address).await?;
        let address = main.local_addr()?;
        let (sender, ready) = mpsc::channel(READY_MAX);
        let mut connections = Connections { address, ready, tasks: Vec::new() };
        let hall = Hall {
            port: address.port(),
            tls,
            ready: sender,
            slots: Arc::new(Semaphore::new(HANDSHAKES_MAX)),
        };
        for redirect in redirects {
            let hall = hall.clone();
            connections.tasks.push(tokio::spawn(hall.serve(bind(*redirect).await?, true)));
        }
        connections.tasks.push(tokio::spawn(hall.serve(main, false)));
        Ok(connections)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl axum::serve::Listener for Connections {
    type Io = Stream;
    type Addr = Caller;

    async fn accept(&mut self) -> (Stream, Caller) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // The listening tasks live as long as this does.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Caller> {
        Ok(Caller { address: self.address, is_encrypted: false, belongs_at: None })
    }
}

async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot listen on {address} for the page: {error}"))
    })
}

/// What every listening task has.
#[derive(Clone)]
struct Hall {
    port: u16,
    tls: PresentTls,
    ready: mpsc::Sender<(Stream, Caller)>,
    slots: Arc<Semaphore>,
}

impl Hall {
    async fn serve(self, listener: TcpListener, only_redirects: bool) {
        loop {
            // The semaphore is never closed.
            let Ok(slot) = self.slots.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, address)) => {
                    let hall = self.clone();
                    tokio::spawn(async move {
                        hall.admit(stream, address, only_redirects).await;
                        drop(slot);
                    });
                }
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// Makes a connection ready. One that fails on the way is nobody's loss: it is closed.
    async fn admit(&self, stream: TcpStream, address: SocketAddr, only_redirects: bool) {
        let tls = (self.tls)();
        let belongs_at = (only_redirects || tls.is_some()).then_some(self.port);
        let plain = Caller { address, is_encrypted: false, belongs_at };
        let ready = match tls.filter(|_| !only_redirects) {
            None => Some((Stream::Plain(stream), plain)),
            Some(config) => timeout(HANDSHAKE_WITHIN, encrypted(stream, config, plain)).await.ok().flatten(),
        };
        if let Some(ready) = ready {
            // Nobody takes it any more when the server stops.
            let _ = self.ready.send(ready).await;
        }
    }
}

async fn encrypted(stream: TcpStream, config: Arc<ServerConfig>, plain: Caller) -> Option<(Stream, Caller)> {
    let mut first = [0];
    if stream.peek(&mut first).await.ok()? == 1 && first[0] != HANDSHAKE {
        return Some((Stream::Plain(stream), plain));
    }
    let stream = TlsAcceptor::from(config).accept(stream).await.ok()?;
    let caller = Caller { is_encrypted: true, belongs_at: None, ..plain };
    Some((Stream::Secure(Box::new(stream)), caller))
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, bytes),
            Stream::Secure(stream) => Pin::new(stream).poll_read(context, bytes),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Secure(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Secure(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Secure(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
