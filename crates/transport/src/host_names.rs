//! Names of machines: those of peers, looked up in the background and cached, and our own.
//!
//! In: addresses. Out: names, or the address as text. Holds: a cache and the queue of one asking thread.
//! A reader is never held up by a name server: a connection waits a moment before its first message
//! ([`WAIT_FOR_NAME`]), a datagram does not wait at all.
//! Limits: [`CACHED_MAX`] names, [`ASKED_MAX`] questions; above them the address is used.

use crate::sys;
use std::{
    collections::HashMap,
    fmt, fs, io,
    net::IpAddr,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Longest time that a connection waits for the name of its peer before its messages carry the address.
const WAIT_FOR_NAME: Duration = Duration::from_secs(2);
/// Without `dns-cache()` an answer serves the connections of one moment.
const UNCACHED: Duration = Duration::from_secs(1);
/// `dns-cache-expire-failed()` by default.
const EXPIRE_FAILED: Duration = Duration::from_secs(60);
/// Names that the machine knows without asking.
const HOSTS: &str = "/etc/hosts";
const CACHED_MAX: usize = 10_000;
const ASKED_MAX: usize = 1_000;

/// `use-dns()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UseDns {
    /// Addresses stay numbers.
    No,
    /// Ask the system's resolver, in the background; until it answers, datagrams carry the address.
    #[default]
    Yes,
    /// Only names from the hosts file.
    PersistOnly,
}

/// How a message gets its host name.
#[derive(Clone, Debug, Default)]
pub struct HostPolicy {
    /// `keep-hostname()`
    pub keep: bool,
    /// `chain-hostnames()` (also `long-hostnames()`)
    pub chain: bool,
    /// `use-dns()`
    pub use_dns: UseDns,
    /// `dns-cache()`: how long an answer is kept, `dns-cache-expire()`; `None` asks again for each connection.
    pub dns_cache: Option<Duration>,
    /// `dns-cache-hosts()`: a file like `/etc/hosts` whose names take precedence.
    pub hosts_file: Option<Arc<Path>>,
    /// `use-fqdn()`
    pub fqdn: bool,
    /// `normalize-hostnames()`: lower case.
    pub normalize: bool,
    /// `custom-domain()`: replaces the domain of names that are printed with one.
    pub custom_domain: String,
    /// `host-override()`
    pub host_override: Option<String>,
}

/// The cache of names. Clones share it.
#[derive(Clone)]
pub struct HostNames(Arc<Shared>);

struct Shared {
    known: Mutex<HashMap<(IpAddr, bool), Known>>,
    questions: SyncSender<Question>,
    answered: watch::Sender<()>,
}

/// An address, and where to look up its name.
struct Question {
    address: IpAddr,
    hosts_only: bool,
    hosts_file: Option<Arc<Path>>,
}

impl Question {
    fn answer(&self) -> Option<String> {
        let listed = self.hosts_file.as_ref().and_then(|file| name_in(file, self.address));
        listed.or_else(|| match self.hosts_only {
            true if self.hosts_file.is_some() => None,
            true => name_in(Path::new(HOSTS), self.address),
            false => sys::name_of(self.address),
        })
    }
}

struct Known {
    name: Option<String>,
    /// When it was looked up; `None` while the query is open.
    at: Option<Instant>,
}

impl fmt::Debug for HostNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostNames")
    }
}

impl HostNames {
    /// Starts the look-up thread. Fails when no thread can be started.
    pub fn start() -> io::Result<HostNames> {
        let (questions, asked) = sync_channel(ASKED_MAX);
        let shared =
            Arc::new(Shared { known: Mutex::default(), questions, answered: watch::Sender::new(()) });
        let weak = Arc::downgrade(&shared);
        std::thread::Builder::new().name("names".to_owned()).spawn(move || {
            let asked: Receiver<Question> = asked;
            while let Ok(question) = asked.recv() {
                let name = question.answer();
                let Some(shared) = weak.upgrade() else { return };
                let known = Known { name, at: Some(Instant::now()) };
                shared.lock().insert((question.address, question.hosts_only), known);
                shared.answered.send_replace(());
            }
        })?;
        Ok(HostNames(shared))
    }

    /// Returns the name of a peer for its messages, without waiting: the address as text while it is not known.
    /// It is then looked up, and available the next time.
    pub fn name(&self, address: IpAddr, policy: &HostPolicy) -> String {
        let known = self.cached(address, policy).flatten();
        known.map_or_else(|| address.to_string(), |name| shown(&name, policy))
    }

    /// Like `name`, but waits for the answer.
    pub async fn name_soon(&self, address: IpAddr, policy: &HostPolicy) -> String {
        let wait = async {
            let mut answers = self.0.answered.subscribe();
            while self.cached(address, policy).is_none() {
                if answers.changed().await.is_err() {
                    return;
                }
            }
        };
        // Without an answer in time the address is used.
        let _ = tokio::time::timeout(WAIT_FOR_NAME, wait).await;
        self.name(address, policy)
    }

    /// Returns the cached name, and looks it up when it is missing or too old. `None` while the first query is
    /// open, `Some(None)` for an address without a name.
    fn cached(&self, address: IpAddr, policy: &HostPolicy) -> Option<Option<String>> {
        let hosts_only = match policy.use_dns {
            UseDns::No => return Some(None),
            UseDns::Yes => false,
            UseDns::PersistOnly => true,
        };
        let mut known = self.0.lock();
        let entry = known.get(&(address, hosts_only));
        let good_for = policy.dns_cache.unwrap_or(UNCACHED);
        let is_open = entry.is_some_and(|entry| entry.at.is_none());
        let is_fresh = entry.is_some_and(|entry| {
            let limit = if entry.name.is_some() { good_for } else { EXPIRE_FAILED };
            entry.at.is_some_and(|at| at.elapsed() < limit)
        });
        let stale = entry.and_then(|entry| entry.at.map(|_| entry.name.clone()));
        if is_open || is_fresh {
            return stale;
        }
        if known.len() >= CACHED_MAX {
            known.clear();
        }
        let question = Question { address, hosts_only, hosts_file: policy.hosts_file.clone() };
        if self.0.questions.try_send(question).is_err() {
            return Some(stale.flatten());
        }
        if stale.is_none() {
            known.insert((address, hosts_only), Known { name: None, at: None });
        } else if let Some(entry) = known.get_mut(&(address, hosts_only)) {
            // The old name is valid until the new one arrives.
            entry.at = Some(Instant::now());
        }
        stale
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, HashMap<(IpAddr, bool), Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name of this machine for messages without a host.
pub fn own_name(policy: &HostPolicy) -> String {
    let text = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = text.trim();
    let name = if name.is_empty() { "localhost" } else { name };
    if policy.fqdn && !name.contains('.') {
        let hosts = fs::read_to_string(HOSTS).unwrap_or_default();
        let full = hosts_lines(&hosts)
            .find(|(_, names)| names.contains(&name))
            .and_then(|(_, names)| names.into_iter().find(|name| name.contains('.')))
            .map(str::to_owned);
        return shown(&full.unwrap_or_else(|| name.to_owned()), policy);
    }
    shown(name, policy)
}

/// Applies `use-fqdn()`, `custom-domain()` and `normalize-hostnames()` to a resolved name.
fn shown(name: &str, policy: &HostPolicy) -> String {
    let short = name.split('.').next().unwrap_or(name);
    let mut shown = match (policy.fqdn, policy.custom_domain.as_str()) {
        (false, _) => short.to_owned(),
        (true, "") => name.to_owned(),
        (true, domain) => format!("{short}.{domain}"),
    };
    if policy.normalize {
        shown.make_ascii_lowercase();
    }
    shown
}

fn name_in(file: &Path, address: IpAddr) -> Option<String> {
    let hosts = fs::read_to_string(file).ok()?;
    let found = hosts_lines(&hosts).find(|(known, _)| *known == address);
    found.and_then(|(_, names)| names.first().map(|name| (*name).to_owned()))
}

fn hosts_lines(hosts: &str) -> impl Iterator<Item = (IpAddr, Vec<&str>)> {
    hosts.lines().filter_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        Some((words.next()?.parse().ok()?, words.collect()))
    })
}

#[cfg(test)]
mod tests;
