//! Reports the state of the server to the service manager, in the protocol of sd_notify(3).
//!
//! In: the states of the server. Out: datagrams to the socket that `$NOTIFY_SOCKET` names; nothing without it.
//! Holds: the socket, and a thread for the watchdog if the service manager requests one.
//! Limits: a message that cannot be sent is lost; the watchdog is not fed when the server's loop has been blocked for
//! [`STANDSTILL`], which is longer than a reload may take.

use rustix::time::{ClockId, clock_gettime};
use std::{
    env,
    ffi::OsStr,
    io,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixDatagram},
        },
    },
    process,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Longest time that the loop may take for one event before the watchdog is no longer fed.
const STANDSTILL: Duration = Duration::from_secs(120);

/// The connection to the service manager, if there is one.
#[derive(Clone, Default)]
pub(super) struct Notifier {
    socket: Option<Arc<UnixDatagram>>,
    last_seen_alive: Arc<Mutex<Option<Instant>>>,
}

impl Notifier {
    /// Returns the notifier for the socket that the environment names.
    pub(super) fn from_environment() -> Notifier {
        let socket = env::var_os("NOTIFY_SOCKET").and_then(|name| connect(&name).ok());
        Notifier { socket: socket.map(Arc::new), ..Notifier::default() }
    }

    /// Starts to feed the watchdog, if there is one: twice in its interval.
    pub(super) fn start_watchdog(&self) -> io::Result<()> {
        let number = |name: &str| env::var(name).ok()?.parse::<u64>().ok();
        let is_ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(process::id()));
        let Some(wait_us) = number("WATCHDOG_USEC").filter(|wait| *wait > 0 && is_ours) else {
            return Ok(());
        };
        if self.socket.is_none() {
            return Ok(());
        }
        self.alive();
        let notifier = self.clone();
        thread::Builder::new().name("watchdog".into()).spawn(move || {
            loop {
                if notifier.is_alive() {
                    notifier.send("WATCHDOG=1\n");
                }
                thread::sleep(Duration::from_micros(wait_us / 2));
            }
        })?;
        Ok(())
    }

    /// Called in each iteration of the loop.
    pub(super) fn alive(&self) {
        *self.last_seen_alive.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_alive(&self) -> bool {
        let last = *self.last_seen_alive.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < STANDSTILL)
    }

    /// Reports that everything is started.
    pub(super) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}\n"));
    }

    /// Reports that a reload begins; [`Notifier::ready`] ends it.
    pub(super) fn reloading(&self) {
        // Without the time, a manager of `Type=notify-reload` ignores it.
        let now = clock_gettime(ClockId::Monotonic);
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        self.send(&format!(
            "RELOADING=1\nMONOTONIC_USEC={microseconds}\nSTATUS=Reloading the configuration\n"
        ));
    }

    /// Reports that the shutdown begins.
    pub(super) fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=Shutting down\n");
    }

    fn send(&self, text: &str) {
        if let Some(socket) = &self.socket {
            // A manager that does not listen counts as none.
            let _ = socket.send(text.as_bytes());
        }
    }
}

/// Connects to a path, or to an abstract name after `@`.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', rest @ ..] => SocketAddr::from_abstract_name(rest)?,
        [b'/', ..] => SocketAddr::from_pathname(name)?,
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a path nor an abstract name")),
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

#[cfg(test)]
mod tests;
