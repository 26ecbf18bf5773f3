//! Keeps the ledger of the running server: writes entries, signs its head, and reports security events in
//! `internal()`.
//!
//! In: the actions of users, from any thread; entries that commands wrote while the server ran. Out: entries;
//! a signed head, at most a second behind; messages. Holds: counts of repeated failures; a thread. Limits: for
//! each kind of failure [`repeated::LISTED_MAX`] entries per [`repeated::WINDOW`], the rest is counted in one entry, so
//! that failures cannot fill the disk. Names are cut at [`claim::NAME_CHARS_MAX`] characters.

mod claim;
mod repeated;
mod sentence;

use crate::data_folder::author::now_us;
use accounts::AccountChange;
use api::SecurityEvent;
use claim::bounded;
use evidence::{HeadError, Ledger, LedgerEntry, SigningKey};
use message::Severity;
use repeated::{Repeated, Tick};
use serde_json::{Value, json};
use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use transport::InternalLog;

/// Interval at which the head is signed when there are new entries.
const EVERY: Duration = Duration::from_secs(1);

/// Returns the key that signs; none while there is no logspace.
pub(super) type KeyOf = Box<dyn Fn() -> Option<SigningKey> + Send>;

/// The ledger of a running server.
#[derive(Clone)]
pub(crate) struct LedgerKeeper {
    ledger: Ledger,
    log: InternalLog,
    repeated: Arc<Mutex<Repeated>>,
}

impl LedgerKeeper {
    pub(super) fn new(ledger: Ledger, log: InternalLog) -> LedgerKeeper {
        LedgerKeeper { ledger, log, repeated: Arc::default() }
    }

    /// Writes an entry before the answer is given.
    pub(super) fn note(&self, entry: &LedgerEntry) -> io::Result<()> {
        self.ledger.note(entry)
    }

    /// Writes an entry of the server itself, durably.
    pub(super) fn append(
        &self,
        user: &str,
        action: &'static str,
        logspace: &str,
        details: Value,
    ) -> io::Result<()> {
        let (user, logspace) = (user.to_owned(), logspace.to_owned());
        let entry = LedgerEntry { at_us: now_us(), user, action, logspace, question: String::new(), details };
        self.ledger.append(&entry)
    }

    /// Records a security event.
    pub(super) fn security(&self, event: &SecurityEvent) -> io::Result<()> {
        let (action, user, logspace, details) = described(event);
        let is_listed = match event {
            SecurityEvent::LoggedIn { .. } | SecurityEvent::LoggedOut { .. } => true,
            SecurityEvent::Authenticated { address, .. } => {
                self.repeated().is_first(&format!("{user} {address}"), Instant::now())
            }
            SecurityEvent::TokenUsed { token, address, .. } => {
                self.repeated().is_first(&format!("{user} {token} {address}"), Instant::now())
            }
            SecurityEvent::TokenRefused { address, .. } => {
                self.repeated().is_listed(action, &address.to_string(), Instant::now())
            }
            SecurityEvent::Failed { address, .. }
            | SecurityEvent::WrongCode { address, .. }
            | SecurityEvent::LockedOut { address, .. } => {
                self.repeated().is_listed(action, &address.to_string(), Instant::now())
            }
            SecurityEvent::Malformed { address, .. }
            | SecurityEvent::InvitationRefused { address, .. }
            | SecurityEvent::WrongHost { address, .. } => {
                self.repeated().is_listed(action, &address.to_string(), Instant::now())
            }
            SecurityEvent::DirectoryRights { .. } | SecurityEvent::DirectorySuspended { .. } => true,
            SecurityEvent::DirectoryDenied { address, .. } => {
                self.repeated().is_listed(action, &address.to_string(), Instant::now())
            }
            SecurityEvent::DirectoryUnavailable { .. } => {
                self.repeated().is_listed(action, "", Instant::now())
            }
            SecurityEvent::Refused { .. } => self.repeated().is_listed(action, &user, Instant::now()),
        };
        if is_listed { self.append(&user, action, &logspace, details) } else { Ok(()) }
    }

    fn repeated(&self) -> std::sync::MutexGuard<'_, Repeated> {
        self.repeated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the counts of repeated failures whose window has ended, signs the head, and reports new
    /// entries.
    fn tick(&self, key_of: &KeyOf, tick: Tick, reported: &mut Option<String>) {
        for (action, details) in self.repeated().ended(Instant::now(), tick) {
            // A failed write shows in the next lines: the head cannot be signed either.
            let _ = self.append("", action, "", details);
        }
        let trouble = match self.ledger.sign_head(key_of().as_ref(), now_us()) {
            Ok(entries) => {
                for entry in &entries {
                    if let Some((severity, text)) = sentence::of(entry) {
                        self.log.write(severity, &text);
                    }
                }
                None
            }
            Err(HeadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = trouble.as_ref().filter(|_| trouble != *reported) {
            let path = self.ledger.path().display();
            self.log.write(
                Severity::CRITICAL,
                &format!("The ledger cannot be signed; ledger='{path}', error='{error}'"),
            );
        }
        *reported = trouble;
    }

    /// Signs the head every second until it is stopped.
    pub(super) fn start(self, key_of: KeyOf) -> io::Result<LedgerThread> {
        let (stop, stopped) = sync_channel::<()>(1);
        let work = move || {
            let mut reported = None;
            loop {
                let tick = match stopped.recv_timeout(EVERY) {
                    Err(RecvTimeoutError::Timeout) => Tick::Regular,
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => Tick::Last,
                };
                self.tick(&key_of, tick, &mut reported);
                if tick == Tick::Last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("ledger".into()).spawn(work)?;
        Ok(LedgerThread { stop, thread })
    }
}

/// The thread that signs.
pub(super) struct LedgerThread {
    stop: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl LedgerThread {
    /// Signs the entries so far, and ends.
    pub(super) fn stop(self) {
        // The thread also ends by itself when the sender is gone.
        let _ = self.stop.try_send(());
        let _ = self.thread.join();
    }
}

/// Returns the action, the user, the logspace and the details of an event.
fn described(event: &SecurityEvent) -> (&'static str, String, String, Value) {
    let nobody = &String::new();
    let (action, user, logspace, details) = match event {
        SecurityEvent::Malformed { reason, address } => {
            ("login-malformed", nobody, "", json!({"address": address, "reason": reason}))
        }
        SecurityEvent::WrongHost { host, address } => {
            ("wrong-host", nobody, "", json!({"address": address, "host": bounded(host)}))
        }
        SecurityEvent::InvitationRefused { reason, address } => {
            ("invitation-refused", nobody, "", json!({"address": address, "reason": reason}))
        }
        SecurityEvent::LoggedIn { user, address } => ("login", user, "", json!({"address": address})),
        SecurityEvent::Authenticated { user, address } => {
            ("login", user, "", json!({"address": address, "by": "password in the call"}))
        }
        SecurityEvent::TokenUsed { user, token, address } => {
            ("token-used", user, "", json!({"address": address, "token": token}))
        }
        SecurityEvent::TokenRefused { user, token, reason, address } => {
            let token = if token.is_empty() { Value::Null } else { token.as_str().into() };
            ("token-refused", user, "", json!({"address": address, "token": token, "reason": reason}))
        }
        SecurityEvent::LoggedOut { user } => ("logout", user, "", Value::Null),
        SecurityEvent::Failed { user, address } => ("login-failed", user, "", json!({"address": address})),
        SecurityEvent::WrongCode { user, reason, address } => {
            ("code-refused", user, "", json!({"address": address, "reason": reason}))
        }
        SecurityEvent::LockedOut { user, address } => ("locked-out", user, "", json!({"address": address})),
        SecurityEvent::DirectoryRights { user, change: AccountChange::Added } => {
            ("directory-user-added", nobody, "", json!({"user": user}))
        }
        SecurityEvent::DirectoryRights { user, .. } => {
            ("directory-rights", nobody, "", json!({"user": user}))
        }
        SecurityEvent::DirectorySuspended { user, state } => {
            ("directory-suspended", nobody, "", json!({"user": user, "reason": state}))
        }
        SecurityEvent::DirectoryDenied { user, reason, address } => {
            ("directory-denied", user, "", json!({"address": address, "reason": reason}))
        }
        SecurityEvent::DirectoryUnavailable { reason } => {
            ("directory-unavailable", nobody, "", json!({"reason": reason}))
        }
        SecurityEvent::Refused { user, logspace, right } => {
            ("refused", user, logspace.as_str(), json!({"right": right}))
        }
    };
    (action, bounded(user), bounded(logspace), details)
}

#[cfg(test)]
mod tests;
