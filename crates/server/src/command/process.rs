//! The identity and the rights of the process: `--user`, `--group`, `--chroot`, `--caps`, limits.
//!
//! In: options. Out: a process with fewer rights. Applied before any thread starts, because capabilities belong to threads.
//! Holds: nothing. Limits: without `--user`, `--group` and `--caps` rights stay as they are.

#[cfg(test)]
mod tests;

use clap::Args;
use rustix::{
    io::Errno,
    process::{Gid, Resource, Rlimit, Uid, chdir, chroot, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_keep_capabilities,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};
use std::{fmt, fs, path::PathBuf};

/// Capabilities that a server under another user keeps unless `--caps` is set: ports below 1024, raw sockets,
/// files of others, their owners, and the kernel's log. They are syslog-ng's.
const KEPT: &str = "cap_net_bind_service,cap_net_broadcast,cap_net_raw,cap_dac_read_search,cap_dac_override,\
                    cap_chown,cap_fowner,cap_syslog=ep";

/// The options of syslog-ng about its process.
#[derive(Args, Debug, Default)]
pub(crate) struct ProcessOptions {
    /// User to run as, by name or number
    #[arg(short = 'u', long)]
    user: Option<String>,
    /// Group to run as, by name or number; that of the user when left out
    #[arg(short = 'g', long)]
    group: Option<String>,
    /// Folder to change the root to; all paths are looked up below it
    #[arg(short = 'C', long, value_name = "FOLDER")]
    chroot: Option<PathBuf>,
    /// Capabilities to keep, in libcap's text form, such as cap_net_bind_service=ep
    #[arg(long, conflicts_with = "no_caps")]
    caps: Option<String>,
    /// Keep no capabilities after changing the user
    #[arg(long)]
    no_caps: bool,
    /// Maximum number of open files
    #[arg(long, value_name = "N")]
    fd_limit: Option<u64>,
    /// Write a core file after a crash
    #[arg(long)]
    enable_core: bool,
}

/// The option that this process cannot apply, and why.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum ProcessError {
    /// `--user` names an unknown user.
    NoUser(String),
    /// `--group` names no group.
    NoGroup(String),
    /// The system does not change the root.
    Chroot { folder: PathBuf, source: Errno },
    /// The system does not allow this number of open files.
    OpenFiles { count: u64, source: Errno },
    /// The system does not allow memory images.
    Core(Errno),
    /// The system does not change the user.
    User { id: u32, source: Errno },
    /// The system does not change the group.
    Group { id: u32, source: Errno },
    /// A clause of `--caps` cannot be parsed.
    Clause(String),
    /// There is no capability of this name.
    NoCapability(String),
    /// A capability to keep that the process does not have.
    MissingCapability(String),
    /// The system does not change the capabilities.
    Capabilities(Errno),
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessError::NoUser(name) => write!(f, "--user: there is no user {name}"),
            ProcessError::NoGroup(name) => write!(f, "--group: there is no group {name}"),
            ProcessError::Chroot { folder, source } => {
                write!(f, "--chroot: cannot change the root to {}: {source}", folder.display())
            }
            ProcessError::OpenFiles { count, source } => {
                write!(f, "--fd-limit: cannot allow {count} open files: {source}")
            }
            ProcessError::Core(source) => write!(f, "--enable-core: {source}; see ulimit -Hc"),
            ProcessError::User { id, source } => {
                write!(f, "cannot run as user {id}: {source}; only root may change it")
            }
            ProcessError::Group { id, source } => {
                write!(f, "cannot run as group {id}: {source}; only root may change it")
            }
            ProcessError::Clause(clause) => {
                write!(f, "--caps: {clause:?} is not of the form cap_chown,cap_fowner=ep")
            }
            ProcessError::NoCapability(name) => write!(f, "--caps: there is no capability {name}"),
            ProcessError::MissingCapability(name) => {
                write!(f, "--caps: this process does not have cap_{name}")
            }
            ProcessError::Capabilities(source) => write!(f, "--caps: {source}"),
        }
    }
}

impl std::error::Error for ProcessError {}

/// The fate of capabilities when the user changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rights {
    Kept,
    Lost,
}

/// The ids to run under, looked up before the root changes.
#[derive(Default)]
struct Identity {
    user: Option<Uid>,
    group: Option<Gid>,
    /// All groups of the user.
    groups: Vec<Gid>,
}

impl ProcessOptions {
    /// Applies the options to this process.
    pub(crate) fn apply(&self) -> Result<(), ProcessError> {
        let kept = match (&self.caps, &self.user) {
            (Some(text), _) => Some(parse(text)?),
            (None, Some(_)) if !self.no_caps => Some(parse(KEPT)?),
            (None, _) => None,
        };
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let identity = self.identity(&read("/etc/passwd"), &read("/etc/group"))?;
        self.set_limits()?;
        if let Some(folder) = &self.chroot {
            let failed = |source| ProcessError::Chroot { folder: folder.clone(), source };
            chroot(folder).map_err(failed)?;
            chdir("/").map_err(failed)?;
        }
        become_user(&identity, if kept.is_some() { Rights::Kept } else { Rights::Lost })?;
        match kept {
            Some(kept) => self.keep(kept),
            None => Ok(()),
        }
    }

    /// Looks ids up in the texts of the system's databases.
    fn identity(&self, users: &str, groups: &str) -> Result<Identity, ProcessError> {
        let mut identity = Identity::default();
        if let Some(name) = &self.user {
            let found = entry(users, name);
            let number = found.as_ref().map(|fields| fields.number).or_else(|| name.parse().ok());
            let number = number.ok_or_else(|| ProcessError::NoUser(name.clone()))?;
            identity.user = Some(Uid::from_raw(number));
            if let Some(found) = found {
                identity.group =
                    found.rest.split(':').next().and_then(|id| id.parse().ok()).map(Gid::from_raw);
                identity.groups = groups_of(groups, found.name);
            }
        }
        if let Some(name) = &self.group {
            let number = entry(groups, name).map(|fields| fields.number).or_else(|| name.parse().ok());
            let number = number.ok_or_else(|| ProcessError::NoGroup(name.clone()))?;
            identity.group = Some(Gid::from_raw(number));
        }
        identity.groups.extend(identity.group);
        Ok(identity)
    }

    fn set_limits(&self) -> Result<(), ProcessError> {
        if let Some(count) = self.fd_limit {
            let limit = Rlimit { current: Some(count), maximum: Some(count) };
            setrlimit(Resource::Nofile, limit).map_err(|source| ProcessError::OpenFiles { count, source })?;
        }
        if self.enable_core {
            let unlimited = Rlimit { current: None, maximum: None };
            setrlimit(Resource::Core, unlimited).map_err(ProcessError::Core)?;
        }
        Ok(())
    }

    fn keep(&self, kept: CapabilitySets) -> Result<(), ProcessError> {
        let may = capabilities(None).map_err(ProcessError::Capabilities)?.permitted;
        set_capabilities(None, self.granted(kept, may)?).map_err(ProcessError::Capabilities)
    }

    /// Returns those of some capabilities that a process may have. One that `--caps` names must be among them.
    fn granted(&self, kept: CapabilitySets, may: CapabilitySet) -> Result<CapabilitySets, ProcessError> {
        let missing = kept.permitted - may;
        if let (Some((name, _)), true) = (missing.iter_names().next(), self.caps.is_some()) {
            return Err(ProcessError::MissingCapability(name.to_ascii_lowercase()));
        }
        let CapabilitySets { effective, permitted, inheritable } = kept;
        Ok(CapabilitySets {
            effective: effective & may,
            permitted: permitted & may,
            inheritable: inheritable & may,
        })
    }
}

/// Changes the ids of this thread, and of all that it starts. The groups go first: the user may not change them.
fn become_user(identity: &Identity, rights: Rights) -> Result<(), ProcessError> {
    if rights == Rights::Kept && identity.user.is_some() {
        set_keep_capabilities(true).map_err(ProcessError::Capabilities)?;
    }
    if let Some(group) = identity.group {
        let failed = |source| ProcessError::Group { id: group.as_raw(), source };
        set_thread_groups(&identity.groups).map_err(failed)?;
        set_thread_res_gid(group, group, group).map_err(failed)?;
    }
    if let Some(user) = identity.user {
        let failed = |source| ProcessError::User { id: user.as_raw(), source };
        set_thread_res_uid(user, user, user).map_err(failed)?;
    }
    Ok(())
}

/// A line of `/etc/passwd` or `/etc/group`.
struct Entry<'t> {
    name: &'t str,
    number: u32,
    /// The fields after the number.
    rest: &'t str,
}

/// Returns the entry of a name or of a number.
fn entry<'t>(text: &'t str, key: &str) -> Option<Entry<'t>> {
    let entries = text.lines().filter_map(|line| {
        let mut fields = line.splitn(4, ':');
        let (name, _, number, rest) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some(Entry { name, number: number.parse().ok()?, rest })
    });
    let number = key.parse::<u32>().ok();
    let mut entries = entries;
    entries.find(|entry| entry.name == key || Some(entry.number) == number)
}

/// Returns the groups that have a user among their members.
fn groups_of(text: &str, user: &str) -> Vec<Gid> {
    let of_line = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let (number, members) = (fields.next()?.parse().ok()?, fields.next()?);
        members.split(',').any(|member| member == user).then(|| Gid::from_raw(number))
    };
    text.lines().filter_map(of_line).collect()
}

/// Reads text of libcap: clauses such as `cap_chown,cap_fowner=p cap_syslog+ep`. A capability that is permitted is
/// also effective here: they are not raised and lowered around single calls.
fn parse(text: &str) -> Result<CapabilitySets, ProcessError> {
    let none = CapabilitySet::empty();
    let mut kept = CapabilitySets { effective: none, permitted: none, inheritable: none };
    for clause in text.split_whitespace() {
        let wrong = || ProcessError::Clause(clause.to_owned());
        let at = clause.find(['=', '+', '-']).ok_or_else(wrong)?;
        let (names, flags) = clause.split_at(at);
        let (operator, flags) = flags.split_at(1);
        if flags.is_empty() && operator != "=" || !flags.bytes().all(|flag| b"eip".contains(&flag)) {
            return Err(wrong());
        }
        let named = named(names)?;
        for (flag, set) in
            [('p', &mut kept.permitted), ('e', &mut kept.effective), ('i', &mut kept.inheritable)]
        {
            match (flags.contains(flag), operator) {
                (true, "-") | (false, "=") => set.remove(named),
                (true, _) => set.insert(named),
                (false, _) => {}
            }
        }
    }
    kept.permitted |= kept.effective | kept.inheritable;
    kept.effective |= kept.permitted - kept.inheritable;
    Ok(kept)
}

fn named(names: &str) -> Result<CapabilitySet, ProcessError> {
    if matches!(names, "" | "all") {
        return Ok(CapabilitySet::all());
    }
    let one = |name: &str| {
        let upper = name.to_ascii_uppercase();
        let known = upper.strip_prefix("CAP_").and_then(CapabilitySet::from_name);
        known.ok_or_else(|| ProcessError::NoCapability(name.to_owned()))
    };
    names.split(',').map(one).try_fold(CapabilitySet::empty(), |all, one| Ok(all | one?))
}
