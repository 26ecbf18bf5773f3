//! Chooses the server that a sender uses: `failover()` with `failback()`.
//!
//! In: failures and successes of connecting. Out: the server to try. Holds: the current one, and a thread that checks
//! whether the first one is back while another is in use.
//! Limits: one thread; a probe takes at most [`PROBE_WITHIN`].

use super::connect::addresses;
use crate::options::{Failback, Server, SocketTarget};
use std::{
    net::TcpStream,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Longest time of one probe.
const PROBE_WITHIN: Duration = Duration::from_secs(5);

/// The servers of a target.
pub(super) struct Servers {
    list: Vec<Server>,
    present: usize,
    /// Servers tried since the last pause.
    tried: usize,
    probe: Option<Probe>,
}

impl Servers {
    pub(super) fn of(target: &SocketTarget) -> Servers {
        Servers { list: target.servers(), present: 0, tried: 0, probe: None }
    }

    /// The server to connect to.
    pub(super) fn present(&self) -> Server {
        self.list.get(self.present).cloned().unwrap_or_default()
    }

    pub(super) fn has_others(&self) -> bool {
        self.list.len() > 1
    }

    /// Notes that connecting failed or a connection was lost. Returns true to try the next server at once, false
    /// when all were tried.
    pub(super) fn failed(&mut self) -> bool {
        self.probe = None;
        self.present = (self.present + 1) % self.list.len().max(1);
        self.tried += 1;
        if self.tried >= self.list.len() {
            self.tried = 0;
            return false;
        }
        true
    }

    /// Notes a connection. When it is not to the first server, starts watching that one.
    pub(super) fn connected(&mut self, target: &SocketTarget) {
        self.tried = 0;
        if self.present == 0 {
            return;
        }
        if let (Some(failback), Some(first)) = (&target.failback, self.list.first()) {
            self.probe = Probe::start(target.clone(), first.clone(), failback.clone());
        }
    }

    /// Returns true when the first server is back, and makes it the current one.
    pub(super) fn is_back(&mut self) -> bool {
        if self.probe.as_ref().is_some_and(Probe::has_found) {
            self.probe = None;
            self.present = 0;
            return true;
        }
        false
    }
}

/// The thread that looks for a server.
pub(super) struct Probe {
    found: Arc<AtomicBool>,
    stop: Arc<(Mutex<bool>, Condvar)>,
}

impl Probe {
    /// Starts watching a server. `None` when no thread can be started; then the first server is tried again when
    /// the current one fails.
    pub(super) fn start(target: SocketTarget, server: Server, failback: Failback) -> Option<Probe> {
        let probe = Probe { found: Arc::default(), stop: Arc::default() };
        let (found, stop) = (probe.found.clone(), probe.stop.clone());
        let look = move || {
            let mut successes = 0;
            while !stopped(&stop, failback.interval) {
                successes = if answers(&target, &server) { successes + 1 } else { 0 };
                if successes >= failback.successes {
                    return found.store(true, Ordering::Release);
                }
            }
        };
        thread::Builder::new().name("failback".to_owned()).spawn(look).ok().map(|_| probe)
    }

    /// Returns whether the server takes connections.
    pub(super) fn has_found(&self) -> bool {
        self.found.load(Ordering::Acquire)
    }
}

/// Waits for a pause; returns true when stopped.
fn stopped(stop: &(Mutex<bool>, Condvar), pause: Duration) -> bool {
    let told = stop.0.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = stop.1.wait_timeout_while(told, pause, |told| !*told);
    *waited.unwrap_or_else(PoisonError::into_inner).0
}

fn answers(target: &SocketTarget, server: &Server) -> bool {
    let addresses = addresses(target, server).unwrap_or_default();
    addresses.iter().any(|address| TcpStream::connect_timeout(address, PROBE_WITHIN).is_ok())
}

impl Drop for Probe {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
    }
}

#[cfg(test)]
mod tests;
