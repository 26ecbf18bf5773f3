//! The clients of the control socket.
//!
//! In: connections. Out: slots for them. Holds: the clients that wait for their next command, and since
//! when. Limits: the number of slots; when all are taken, the client that has been silent longest loses its
//! slot, unless all are busy with a command: then there is none.

use std::{
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// All clients.
pub(super) struct Clients {
    places: usize,
    present: Mutex<Vec<Entry>>,
}

struct Entry {
    peer: Arc<UnixStream>,
    /// Time since when its next command is awaited; none while one is carried out.
    waiting_since: Option<Instant>,
}

impl Clients {
    pub(super) fn new(places: usize) -> Clients {
        Clients { places, present: Mutex::default() }
    }

    /// Admits a connection; none when there is no slot.
    pub(super) fn admit(self: &Arc<Clients>, peer: UnixStream) -> Option<Client> {
        let peer = Arc::new(peer);
        let mut present = self.present();
        if present.len() >= self.places {
            let waiting =
                present.iter().enumerate().filter_map(|(at, entry)| Some((entry.waiting_since?, at)));
            let (_, oldest) = waiting.min()?;
            // Its thread wakes up and finds the connection closed.
            let _ = present.swap_remove(oldest).peer.shutdown(Shutdown::Both);
        }
        present.push(Entry { peer: peer.clone(), waiting_since: Some(Instant::now()) });
        Some(Client { clients: self.clone(), peer })
    }

    fn present(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client with a slot, which is freed when the client is dropped.
pub(super) struct Client {
    clients: Arc<Clients>,
    peer: Arc<UnixStream>,
}

impl Client {
    /// Its connection.
    pub(super) fn peer(&self) -> &UnixStream {
        &self.peer
    }

    /// Marks the client as one whose command is being executed.
    pub(super) fn set_busy(&self) {
        self.set(None);
    }

    /// Marks the client as one that waits for its next command.
    pub(super) fn set_waiting(&self) {
        self.set(Some(Instant::now()));
    }

    fn set(&self, waiting_since: Option<Instant>) {
        let mut present = self.clients.present();
        if let Some(entry) = present.iter_mut().find(|entry| Arc::ptr_eq(&entry.peer, &self.peer)) {
            entry.waiting_since = waiting_since;
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.clients.present().retain(|entry| !Arc::ptr_eq(&entry.peer, &self.peer));
    }
}
