//! Stream listeners: TCP and unix-stream connections.
//!
//! In: connections. Out: sessions, each on one reactor. Holds: which connections are open.
//! Limits: those of [`Admission`]: a connection above them is closed at once, counted, and logged now and then.

use super::{
    admission::{Admission, ConnectionBudget, ConnectionPermit, HandshakePermits, PeerKey},
    greeting::{GreetError, Greeted, greet},
    peer::{canonical, process_values},
    refusals::RefusalLog,
};
use crate::{
    batch_reader::BatchReader,
    dialogue::{beats, numbered, relp},
    http,
    options::{Dialogue, StreamListener},
    session::{self, End, Stream},
    source::{Settings, SettingsCell, SourceDriver},
};
use message::{Origin, Transport};
use sltp::Streams;
use socket2::{SockRef, Socket};
use std::{
    net::SocketAddr,
    os::{fd::OwnedFd, unix::net::UnixStream as StdUnixStream},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{net, sync::watch};
use transport::{
    HostNames, InternalLog, LogPause, Reactors, own_name,
    stats::{self, RefusalReason},
    sys,
};

/// Pause after an error of `accept`, for instance too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Time between two log lines about errors of `accept`.
const ERROR_LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The parts that a task needs to accept connections.
#[derive(Clone)]
pub(crate) struct Accepting {
    pub(crate) cell: Arc<SettingsCell>,
    pub(crate) names: HostNames,
    pub(crate) reactors: Reactors,
    pub(crate) log: InternalLog,
    pub(crate) budget: ConnectionBudget,
    /// The streams of senders of SLTP, which outlive their connections.
    pub(crate) streams: Streams,
    pub(crate) stop: watch::Receiver<bool>,
}

/// State that the connections of one listener share.
pub(super) struct Door {
    budget: ConnectionBudget,
    admission: Arc<Admission>,
    pub(super) handshakes: HandshakePermits,
    refusals: RefusalLog,
}

impl Door {
    fn new(here: &Accepting) -> Arc<Door> {
        Arc::new(Door {
            budget: here.budget.clone(),
            admission: Admission::new(here.budget.clone()),
            handshakes: HandshakePermits::default(),
            refusals: RefusalLog::new(here.log.clone()),
        })
    }

    fn admit(
        &self,
        peer: PeerKey,
        client: Option<SocketAddr>,
        settings: &Settings,
    ) -> Option<Arc<ConnectionPermit>> {
        let options = listener(settings)?;
        match self.admission.admit(peer, options.connections, Instant::now()) {
            Ok(permit) => Some(permit),
            Err(reason) => {
                self.refused(reason, client, settings);
                None
            }
        }
    }

    /// Counts and logs that a connection was refused, or was closed to make room.
    fn refused(&self, reason: RefusalReason, client: Option<SocketAddr>, settings: &Settings) {
        let Some(options) = listener(settings) else { return };
        let max = match reason {
            RefusalReason::MaxConnections => options.connections.total,
            RefusalReason::PerAddress => options.connections.of_one_peer(),
            RefusalReason::Handshakes => options.handshakes.total,
            RefusalReason::OpenFiles => self.budget.max(),
        };
        self.refusals.refused(reason, &shown(client), max, settings);
    }
}

/// Accepts connections until it is stopped.
pub(crate) async fn accept(socket: Socket, mut here: Accepting) {
    let listener = match sys::readiness(socket) {
        Ok(listener) => listener,
        Err(error) => return here.log.error(&format!("Cannot wait for connections; error='{error}'")),
    };
    let door = Door::new(&here);
    let mut pause = LogPause::new(ERROR_LOG_INTERVAL);
    loop {
        let accepted = tokio::select! {
            biased;
            _ = here.stop.wait_for(|stop| *stop) => return,
            accepted = listener.async_io(tokio::io::Interest::READABLE, |socket| socket.accept()) => accepted,
        };
        let (socket, client) = match accepted {
            Ok((socket, address)) => (socket, address.as_socket().map(canonical)),
            Err(error) => {
                let now = Instant::now();
                if let Some(count) = pause.count(1, now) {
                    here.log.error(&format!(
                        "Error accepting a new connection; error='{error}', count='{count}'"
                    ));
                }
                here.budget.relieve(now);
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let settings = here.cell.settings();
        let Some(permit) = door.admit(peer_key(&socket, client), client, &settings) else { continue };
        stats::add(&settings.counters.connections, 1);
        let (task, door) = (here.clone(), door.clone());
        here.reactors.spawn(serve(socket, client, permit, door, task));
    }
}

/// Returns whom a connection is counted for: an address, or a local user.
fn peer_key(socket: &Socket, client: Option<SocketAddr>) -> PeerKey {
    match client {
        Some(client) => PeerKey::of(client.ip()),
        // A peer that has already gone has no user.
        None => PeerKey::User(
            rustix::net::sockopt::socket_peercred(socket).map_or(u32::MAX, |user| user.uid.as_raw()),
        ),
    }
}

async fn serve(
    socket: Socket,
    peer: Option<SocketAddr>,
    permit: Arc<ConnectionPermit>,
    door: Arc<Door>,
    mut here: Accepting,
) {
    let settings = here.cell.settings();
    here.log.notice(&format!(
        "Syslog connection accepted; client='{}', local='{}'",
        shown(peer),
        settings.counters.instance
    ));
    drop(settings);
    let end = tokio::select! {
        biased;
        end = converse(socket, peer, &permit, &door, &mut here) => end,
        reason = permit.displaced() => Err(reason),
    };
    drop(permit);
    let settings = here.cell.settings();
    stats::subtract(&settings.counters.connections, 1);
    let end = match end {
        Ok(end) => end,
        Err(reason) => return door.refused(reason, peer, &settings),
    };
    let how = match end {
        End::Closed => "Syslog connection closed".to_owned(),
        End::Cut => "Syslog connection closed without a TLS goodbye".to_owned(),
        End::Stopped => return,
        End::Idle => "Syslog connection closed, it was idle".to_owned(),
        End::Failed(error) => {
            stats::add(&settings.counters.errors, 1);
            format!("Syslog connection broken; error='{error}'")
        }
    };
    here.log.notice(&format!("{how}; client='{}', local='{}'", shown(peer), settings.counters.instance));
}

/// Serves a connection to its end. Fails when there are too many handshakes.
async fn converse(
    socket: Socket,
    peer: Option<SocketAddr>,
    permit: &Arc<ConnectionPermit>,
    door: &Door,
    here: &mut Accepting,
) -> Result<End, RefusalReason> {
    let settings = here.cell.settings();
    // Futures of long or rare steps are boxed: an idle plain connection does not hold their memory.
    let prepared = tokio::select! {
        biased;
        _ = here.stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
        prepared = Box::pin(prepare(socket, peer, &settings, permit, door)) => prepared,
    };
    let (mut greeted, local) = match prepared {
        Ok(prepared) => prepared,
        Err(GreetError::Refused(reason)) => return Err(reason),
        Err(GreetError::Failed(error)) => return Ok(End::Failed(error)),
    };
    let client = greeted.ends.map(|(source, _)| source).or(peer);
    let local = greeted.ends.map(|(_, target)| target).or(local);
    let identity = identity(&greeted.values);
    let origin = Box::pin(origin_maker(&mut greeted, client, local, &settings, &here.names)).await;
    drop(settings);
    let mut batch_reader = BatchReader::new(&here.cell);
    let proven = Arc::downgrade(permit);
    batch_reader.at_first_batch(Box::new(move || {
        if let Some(permit) = proven.upgrade() {
            permit.prove();
        }
    }));
    let idle = idle_timeout(batch_reader.settings());
    let mut stream = greeted.stream;
    Ok(match listener(batch_reader.settings()).map(|options| options.dialogue.clone()).unwrap_or_default() {
        Dialogue::None => session::run(&mut stream, &mut batch_reader, origin, &mut here.stop, idle).await,
        Dialogue::Relp => {
            Box::pin(relp::run(&mut stream, &mut batch_reader, origin, &mut here.stop, idle)).await
        }
        Dialogue::Beats(options) => {
            let ends = (&mut here.stop, idle);
            Box::pin(beats::run(&mut stream, &mut batch_reader, &options, origin, ends)).await
        }
        Dialogue::Sltp(options) => {
            let (streams, log) = (here.streams.clone(), here.log.clone());
            let ours = numbered::Incoming { options, streams, identity, log };
            Box::pin(numbered::run(&mut stream, &mut batch_reader, origin, &mut here.stop, ours)).await
        }
        Dialogue::Http(options) => {
            Box::pin(http::run(stream, batch_reader, options, origin, &mut here.stop)).await
        }
    })
}

/// Returns the name in the certificate of a peer; empty without one.
fn identity(values: &[(String, Vec<u8>)]) -> String {
    let name = values.iter().find(|(name, _)| name == ".tls.x509_cn");
    name.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).unwrap_or_default()
}

fn listener(settings: &Settings) -> Option<&StreamListener> {
    match &settings.driver {
        SourceDriver::Stream(options) => Some(options),
        _ => None,
    }
}

fn idle_timeout(settings: &Settings) -> Option<Duration> {
    listener(settings).and_then(|options| options.idle_timeout)
}

/// Sets the socket's options, and reads what comes before the messages: a proxy's header, a TLS handshake.
async fn prepare(
    socket: Socket,
    peer: Option<SocketAddr>,
    settings: &Settings,
    permit: &ConnectionPermit,
    door: &Door,
) -> Result<(Greeted, Option<SocketAddr>), GreetError> {
    socket.set_nonblocking(true)?;
    let local = socket.local_addr()?.as_socket().map(canonical);
    if let (Some(peer), Some(options)) = (peer, listener(settings)) {
        options.tcp.set(&socket)?;
        let stream = net::TcpStream::from_std(socket.into())?;
        return Ok((greet(stream, peer, options, (permit, &door.handshakes)).await?, local));
    }
    let stream = StdUnixStream::from(OwnedFd::from(socket));
    debug_assert!(SockRef::from(&stream).local_addr().is_ok_and(|address| address.is_unix()));
    Ok((Greeted::plain(Stream::Unix(net::UnixStream::from_std(stream)?)), None))
}

/// Resolves the peer's name; returns the function that makes the connection's origin, now and after each reload.
async fn origin_maker(
    greeted: &mut Greeted,
    peer: Option<SocketAddr>,
    local: Option<SocketAddr>,
    settings: &Settings,
    names: &HostNames,
) -> impl Fn(&Settings) -> Origin + use<> {
    if let Some(peer) = peer {
        names.name_soon(peer.ip(), &settings.options.hosts).await;
    }
    let wanted = listener(settings).is_some_and(|options| options.credentials);
    let credentials = match &greeted.stream {
        Stream::Unix(stream) if wanted => stream.peer_cred().ok(),
        _ => None,
    };
    let mut values = std::mem::take(&mut greeted.values);
    if let Some(sender) = credentials {
        values.extend(process_values((sender.pid().unwrap_or(0), sender.uid(), sender.gid())));
    }
    let transport = match peer {
        Some(_) if greeted.is_encrypted => Transport::Tls,
        Some(_) => Transport::Tcp,
        None => Transport::UnixStream,
    };
    let names = names.clone();
    move |settings: &Settings| {
        let policy = &settings.options.hosts;
        let host_from = peer.map_or_else(|| own_name(policy), |peer| names.name(peer.ip(), policy));
        let mut origin = settings.origin(transport, peer, host_from);
        origin.local = local;
        if !settings.options.ignores_peer_values {
            origin.values.clone_from(&values);
        }
        if peer.is_none() {
            origin.file_name.clone_from(&settings.counters.instance);
        }
        origin
    }
}

fn shown(peer: Option<SocketAddr>) -> String {
    peer.map_or_else(|| "local".to_owned(), |peer| format!("AF_INET({peer})"))
}
