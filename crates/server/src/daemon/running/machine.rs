//! The machine for templates: random numbers, names of addresses, entries of the system's databases.
//!
//! In: calls of `$(uuid)`, `$(dns-resolve-ip ...)`, `$(getent ...)`. Out: answers, without waiting for the
//! network.
//! Holds: a cache of names, and the text of `/etc/passwd` and similar files for [`KEPT`].
//! Limits: the databases are files, those of `/etc`; no other service is asked.

use std::{
    collections::HashMap,
    fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use template::{Database, Machine, NameLookup};
use transport::{HostNames, HostPolicy, UseDns};

/// Time for which the text of a database is cached.
const KEPT: Duration = Duration::from_secs(10);
/// Time for which the name of an address is cached: `dns-cache-expire()` by default.
const NAME_KEPT: Duration = Duration::from_secs(3600);

/// This machine.
#[derive(Debug)]
pub(crate) struct ThisMachine {
    names: HostNames,
    /// Folder of the databases.
    folder: PathBuf,
    databases: Mutex<HashMap<&'static str, (Instant, Arc<str>)>>,
}

impl ThisMachine {
    pub(crate) fn start() -> io::Result<ThisMachine> {
        ThisMachine::with_databases(Path::new("/etc"))
    }

    fn with_databases(folder: &Path) -> io::Result<ThisMachine> {
        let names = HostNames::start()?;
        Ok(ThisMachine { names, folder: folder.to_owned(), databases: Mutex::default() })
    }

    /// Returns the text of a database, as it was read less than [`KEPT`] before `now`.
    fn text(&self, file: &'static str, now: Instant) -> Arc<str> {
        let mut known = self.databases.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(file) {
            Some((read, text)) if now.saturating_duration_since(*read) < KEPT => text.clone(),
            _ => {
                let text: Arc<str> = fs::read_to_string(self.folder.join(file)).unwrap_or_default().into();
                known.insert(file, (now, text.clone()));
                text
            }
        }
    }
}

impl Machine for ThisMachine {
    fn fill_random(&self, bytes: &mut [u8]) {
        // A system without random numbers does not start this program: its certificates need them too.
        let _ = getrandom::fill(bytes);
    }

    fn host_name(&self, address: IpAddr, lookup: NameLookup) -> Option<String> {
        let policy = HostPolicy {
            use_dns: if lookup.hosts_only { UseDns::PersistOnly } else { UseDns::Yes },
            dns_cache: lookup.cached.then_some(NAME_KEPT),
            fqdn: lookup.full,
            normalize: lookup.lower,
            ..HostPolicy::default()
        };
        Some(self.names.name(address, &policy))
    }

    fn entry(&self, database: Database, key: &str, member: &str) -> Option<String> {
        let text = |file| self.text(file, Instant::now());
        match database {
            Database::Passwd => {
                const MEMBERS: [(&str, usize); 6] =
                    [("name", 0), ("uid", 2), ("gid", 3), ("gecos", 4), ("dir", 5), ("shell", 6)];
                colons(&text("passwd"), key, member, &MEMBERS)
            }
            Database::Group => {
                const MEMBERS: [(&str, usize); 3] = [("name", 0), ("gid", 2), ("members", 3)];
                colons(&text("group"), key, member, &MEMBERS)
            }
            Database::Services => words(&text("services"), key),
            Database::Protocols => words(&text("protocols"), key),
        }
    }
}

/// Returns an entry of `name:x:number:...`, found by name or number. Without a member it returns the other of
/// the two.
fn colons(text: &str, key: &str, member: &str, members: &[(&str, usize)]) -> Option<String> {
    let by_number = key.parse::<u32>().is_ok();
    let place = match members.iter().find(|(name, _)| *name == member) {
        Some((_, place)) => *place,
        None if by_number => 0,
        None => 2,
    };
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.get(if by_number { 2 } else { 0 }) == Some(&key))?;
    found.get(place).map(|field| (*field).to_owned())
}

/// Looks up an entry of `name number/protocol alias...`: the number of a name, or the name of a number. A key
/// may name the protocol: `80/tcp`, `domain/udp`.
fn words(text: &str, key: &str) -> Option<String> {
    let (key, protocol) = key.split_once('/').unwrap_or((key, ""));
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let [name, value, aliases @ ..] = words.as_slice() else { return None };
        let (number, its_protocol) = value.split_once('/').unwrap_or((value, ""));
        if !protocol.is_empty() && protocol != its_protocol {
            return None;
        }
        if number == key {
            return Some((*name).to_owned());
        }
        (*name == key || aliases.contains(&key)).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests;
