//! Stream listeners: TCP and unix-stream connections.
//!
//! In: connections. Out: sessions, each on one reactor. Holds: the count of open connections.
//! Limits: `max-connections()`: more are closed at once, counted, and said once in [`REFUSALS_SAID_EVERY`].

use super::{
    super::{
        feed::{Feed, Live, Names, Slot, own_name},
        http,
        options::{Dialogue, SourceDriver, StreamListener},
        relp,
        session::{self, End, Stream},
    },
    greeting::{Greeted, greet},
    peer::{canonical, process_values},
};
use crate::{InternalLog, destination::set_keepalive, reactor::Reactors, stats, sys};
use message::{Origin, Transport};
use socket2::{SockRef, Socket};
use std::{
    io,
    net::SocketAddr,
    os::{fd::OwnedFd, unix::net::UnixStream as StdUnixStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{net, sync::watch};

/// A flood of refused connections says so at most this often.
const REFUSALS_SAID_EVERY: Duration = Duration::from_secs(1);
/// Pause after an error of `accept`, for instance too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// What an accepting task needs.
#[derive(Clone)]
pub(crate) struct Accepting {
    pub(crate) slot: Arc<Slot>,
    pub(crate) names: Names,
    pub(crate) reactors: Reactors,
    pub(crate) log: InternalLog,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Accepts connections until it is stopped.
pub(crate) async fn accept(socket: Socket, mut here: Accepting) {
    let listener = match sys::readiness(socket) {
        Ok(listener) => listener,
        Err(error) => return here.log.error(&format!("Cannot wait for connections; error='{error}'")),
    };
    let open = Arc::new(AtomicUsize::new(0));
    let mut silent_until = Instant::now();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = here.stop.wait_for(|stop| *stop) => return,
            accepted = listener.async_io(tokio::io::Interest::READABLE, |socket| socket.accept()) => accepted,
        };
        let (socket, peer) = match accepted {
            Ok((socket, address)) => (socket, address.as_socket().map(canonical)),
            Err(error) => {
                here.log.error(&format!("Error accepting a new connection; error='{error}'"));
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let live = here.slot.live();
        let SourceDriver::Stream(options) = &live.driver else { continue };
        if open.load(Ordering::Relaxed) >= options.connections_max {
            stats::add(&live.counters.connections_refused, 1);
            if Instant::now() >= silent_until {
                silent_until = Instant::now() + REFUSALS_SAID_EVERY;
                here.log.error(&format!(
                    "Number of allowed concurrent connections reached, rejecting connection; client='{}', local='{}', group_name='{}', max='{}'",
                    shown(peer), live.counters.instance, live.reading.source, options.connections_max
                ));
            }
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        stats::add(&live.counters.connections, 1);
        let (task, open) = (here.clone(), open.clone());
        here.reactors.spawn(async move {
            serve(socket, peer, task).await;
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

async fn serve(socket: Socket, peer: Option<SocketAddr>, mut here: Accepting) {
    let live = here.slot.live();
    here.log.notice(&format!(
        "Syslog connection accepted; client='{}', local='{}'",
        shown(peer),
        live.counters.instance
    ));
    // What is long or rare has memory of its own while it lasts: an idle connection of the plain kind holds none of it.
    let prepared = tokio::select! {
        biased;
        _ = here.stop.wait_for(|stop| *stop) => Err(End::Stopped),
        prepared = Box::pin(prepare(socket, peer, &live)) => prepared.map_err(End::Failed),
    };
    let end = match prepared {
        Ok((mut greeted, local)) => {
            let client = greeted.ends.map(|(source, _)| source).or(peer);
            let local = greeted.ends.map(|(_, target)| target).or(local);
            let origin = Box::pin(origin_maker(&mut greeted, client, local, &live, &here.names)).await;
            drop(live);
            let mut feed = Feed::new(&here.slot);
            let idle = idle_timeout(feed.live());
            let mut stream = greeted.stream;
            match listener(feed.live()).map(|options| options.dialogue.clone()).unwrap_or_default() {
                Dialogue::None => session::run(&mut stream, &mut feed, origin, &mut here.stop, idle).await,
                Dialogue::Relp => {
                    Box::pin(relp::run(&mut stream, &mut feed, origin, &mut here.stop, idle)).await
                }
                Dialogue::Http(options) => {
                    Box::pin(http::run(stream, feed, options, origin, &mut here.stop)).await
                }
            }
        }
        Err(end) => end,
    };
    let live = here.slot.live();
    stats::take(&live.counters.connections, 1);
    let how = match end {
        End::Closed => "Syslog connection closed".to_owned(),
        End::Cut => "Syslog connection closed without a TLS goodbye".to_owned(),
        End::Stopped => return,
        End::Idle => "Syslog connection closed, it was idle".to_owned(),
        End::Failed(error) => {
            stats::add(&live.counters.errors, 1);
            format!("Syslog connection broken; error='{error}'")
        }
    };
    here.log.notice(&format!("{how}; client='{}', local='{}'", shown(peer), live.counters.instance));
}

fn listener(live: &Live) -> Option<&StreamListener> {
    match &live.driver {
        SourceDriver::Stream(options) => Some(options),
        _ => None,
    }
}

fn idle_timeout(live: &Live) -> Option<Duration> {
    listener(live).and_then(|options| options.idle_timeout)
}

/// Sets the connection up and takes its greeting.
async fn prepare(
    socket: Socket,
    peer: Option<SocketAddr>,
    live: &Live,
) -> io::Result<(Greeted, Option<SocketAddr>)> {
    socket.set_nonblocking(true)?;
    let local = socket.local_addr()?.as_socket().map(canonical);
    if let (Some(peer), Some(options)) = (peer, listener(live)) {
        set_keepalive(&socket, &options.tcp)?;
        let stream = net::TcpStream::from_std(socket.into())?;
        return Ok((greet(stream, peer, options).await?, local));
    }
    let stream = StdUnixStream::from(OwnedFd::from(socket));
    debug_assert!(SockRef::from(&stream).local_addr().is_ok_and(|address| address.is_unix()));
    Ok((Greeted::plain(Stream::Unix(net::UnixStream::from_std(stream)?)), None))
}

/// Looks the peer up, and gives what makes its origin, now and after each reload.
async fn origin_maker(
    greeted: &mut Greeted,
    peer: Option<SocketAddr>,
    local: Option<SocketAddr>,
    live: &Live,
    names: &Names,
) -> impl Fn(&Live) -> Origin + use<> {
    if let Some(peer) = peer {
        names.name_soon(peer.ip(), &live.reading.hosts).await;
    }
    let wanted = listener(live).is_some_and(|options| options.credentials);
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
    move |live: &Live| {
        let policy = &live.reading.hosts;
        let host_from = peer.map_or_else(|| own_name(policy), |peer| names.name(peer.ip(), policy));
        let mut origin = live.origin(transport, peer, host_from);
        origin.local = local;
        if !live.reading.ignores_peer_values {
            origin.values.clone_from(&values);
        }
        if peer.is_none() {
            origin.file_name.clone_from(&live.counters.instance);
        }
        origin
    }
}

fn shown(peer: Option<SocketAddr>) -> String {
    peer.map_or_else(|| "local".to_owned(), |peer| format!("AF_INET({peer})"))
}
