//! The open connections of the page, and the choice of one to close for another.
//!
//! In: new connections, requests that begin and end. Out: a registration for each connection, or none. Holds: the
//! open connections.
//! Limits: [`ConnectionLimits`]. A new connection takes the registration of the connection that has done nothing
//! for the longest time:
//! of its own address when that has too many, otherwise of the address that has the most. A connection whose request
//! has a user keeps its registration until the answer is sent.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use tokio::sync::Notify;

/// The limits of open connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// All together.
    pub total: usize,
    /// Connections from one address; trusted proxies have no such limit.
    pub per_address: usize,
}

impl ConnectionLimits {
    /// Fewest and most connections that the page may have, whatever the limit of descriptors.
    const LEAST: u64 = 32;
    const MOST: u64 = 4_096;

    /// Returns the limits of a process that may have `descriptors` open files: a quarter of them, so that the
    /// rest is there for sources, destinations, the journal and segments; an address gets half of these.
    pub fn of_descriptors(descriptors: u64) -> ConnectionLimits {
        let total = (descriptors / 4).clamp(Self::LEAST, Self::MOST) as usize;
        ConnectionLimits { total, per_address: total / 2 }
    }
}

/// The part of an address that counts as one caller.
type Address = [u8; 16];

/// The kind of peer, which decides whether the limit per address applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// An ordinary client.
    Caller,
    /// A trusted proxy, which forwards the calls of many clients.
    Proxy,
}

struct Entry {
    address: Address,
    /// When it was opened, or last active.
    active: Instant,
    /// Requests that have a user.
    protected: usize,
    close: Arc<Notify>,
}

/// The table.
pub(super) struct Table {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    entries: HashMap<u64, Entry>,
    next: u64,
}

impl Table {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Table> {
        Arc::new(Table { limits, open: Mutex::default() })
    }

    /// A registration for a connection; none when all candidates are busy.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: Address,
        origin: Origin,
        now: Instant,
    ) -> Option<Arc<Registration>> {
        let mut open = self.open();
        let same = open.entries.values().filter(|entry| entry.address == address).count();
        if origin == Origin::Caller && same >= self.limits.per_address {
            open.close_idle(address)?;
        } else if open.entries.len() >= self.limits.total {
            let busiest = open.busiest()?;
            open.close_idle(busiest)?;
        }
        let (id, close) = (open.next, Arc::<Notify>::default());
        open.next += 1;
        open.entries.insert(id, Entry { address, active: now, protected: 0, close: close.clone() });
        Some(Arc::new(Registration { table: Arc::clone(self), id, close }))
    }

    /// Closes a connection that does nothing: the process is out of descriptors.
    pub(super) fn relieve(&self) {
        let mut open = self.open();
        if let Some(busiest) = open.busiest() {
            open.close_idle(busiest);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Returns the address with the most connections that could be closed.
    fn busiest(&self) -> Option<Address> {
        let mut counts: HashMap<Address, usize> = HashMap::new();
        for entry in self.entries.values().filter(|entry| entry.protected == 0) {
            *counts.entry(entry.address).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
    }

    /// Closes the connection of an address that has done nothing for the longest time.
    fn close_idle(&mut self, address: Address) -> Option<()> {
        let idle = self.entries.iter().filter(|(_, entry)| entry.address == address && entry.protected == 0);
        let oldest = idle.min_by_key(|(id, entry)| (entry.active, **id)).map(|(id, _)| *id)?;
        self.entries.remove(&oldest).map(|entry| entry.close.notify_one())
    }
}

/// The registration of a connection, until it is dropped.
pub(super) struct Registration {
    table: Arc<Table>,
    id: u64,
    close: Arc<Notify>,
}

impl Registration {
    /// Waits until the connection must be closed for another.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    /// A request begins.
    pub(super) fn request(self: &Arc<Self>, now: Instant) -> Arc<InRequest> {
        if let Some(entry) = self.table.open().entries.get_mut(&self.id) {
            entry.active = now;
        }
        Arc::new(InRequest { registration: Arc::clone(self), is_protected: AtomicBool::new(false) })
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.table.open().entries.remove(&self.id);
    }
}

/// A request until its answer is sent.
pub(crate) struct InRequest {
    registration: Arc<Registration>,
    is_protected: AtomicBool,
}

impl InRequest {
    /// Notes that the request has a user: its connection keeps its registration.
    pub(crate) fn protect(&self) {
        if !self.is_protected.swap(true, Ordering::Relaxed)
            && let Some(entry) = self.registration.table.open().entries.get_mut(&self.registration.id)
        {
            entry.protected += 1;
        }
    }
}

impl Drop for InRequest {
    fn drop(&mut self) {
        if let Some(entry) = self.registration.table.open().entries.get_mut(&self.registration.id) {
            entry.active = Instant::now();
            entry.protected = entry.protected.saturating_sub(usize::from(*self.is_protected.get_mut()));
        }
    }
}

#[cfg(test)]
mod tests;
