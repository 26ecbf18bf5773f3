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
use std::{fs, path::PathBuf};

/// Capabilities that a server under another user keeps unless `--caps` says otherwise: ports below 1024, raw sockets,
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
    /// Capabilities to keep, as text of libcap such as cap_net_bind_service=ep
    #[arg(long, conflicts_with = "no_caps")]
    caps: Option<String>,
    /// Keep no capability under another user
    #[arg(long)]
    no_caps: bool,
    /// Most open files
    #[arg(long, value_name = "N")]
    fd_limit: Option<u64>,
    /// Leave a memory image behind after a crash
    #[arg(long)]
    enable_core: bool,
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
    /// Applies the options to this process. An error names the option.
    pub(crate) fn apply(&self) -> Result<(), String> {
        let kept = match (&self.caps, &self.user) {
            (Some(text), _) => Some(parse(text)?),
            (None, Some(_)) if !self.no_caps => Some(parse(KEPT)?),
            (None, _) => None,
        };
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let identity = self.identity(&read("/etc/passwd"), &read("/etc/group"))?;
        self.set_limits()?;
        if let Some(folder) = &self.chroot {
            let failed =
                |error: Errno| format!("--chroot: cannot change the root to {}: {error}", folder.display());
            chroot(folder).map_err(failed)?;
            chdir("/").map_err(failed)?;
        }
        become_user(&identity, kept.is_some())?;
        match kept {
            Some(kept) => self.keep(kept),
            None => Ok(()),
        }
    }

    /// Looks ids up in the texts of the system's databases.
    fn identity(&self, users: &str, groups: &str) -> Result<Identity, String> {
        let mut identity = Identity::default();
        if let Some(name) = &self.user {
            let found = entry(users, name);
            let number = found.as_ref().map(|fields| fields.number).or_else(|| name.parse().ok());
            let number = number.ok_or_else(|| format!("--user: there is no user {name}"))?;
            identity.user = Some(Uid::from_raw(number));
            if let Some(found) = found {
                identity.group =
                    found.rest.split(':').next().and_then(|id| id.parse().ok()).map(Gid::from_raw);
                identity.groups = groups_of(groups, found.name);
            }
        }
        if let Some(name) = &self.group {
            let number = entry(groups, name).map(|fields| fields.number).or_else(|| name.parse().ok());
            let number = number.ok_or_else(|| format!("--group: there is no group {name}"))?;
            identity.group = Some(Gid::from_raw(number));
        }
        identity.groups.extend(identity.group);
        Ok(identity)
    }

    fn set_limits(&self) -> Result<(), String> {
        if let Some(count) = self.fd_limit {
            let limit = Rlimit { current: Some(count), maximum: Some(count) };
            setrlimit(Resource::Nofile, limit)
                .map_err(|error| format!("--fd-limit: cannot allow {count} open files: {error}"))?;
        }
        if self.enable_core {
            let unlimited = Rlimit { current: None, maximum: None };
            setrlimit(Resource::Core, unlimited)
                .map_err(|error| format!("--enable-core: {error}; see ulimit -Hc"))?;
        }
        Ok(())
    }

    fn keep(&self, kept: CapabilitySets) -> Result<(), String> {
        let failed = |error: Errno| format!("--caps: {error}");
        let may = capabilities(None).map_err(failed)?.permitted;
        let missing = kept.permitted - may;
        if let (Some((name, _)), true) = (missing.iter_names().next(), self.caps.is_some()) {
            return Err(format!("--caps: this process does not have cap_{}", name.to_ascii_lowercase()));
        }
        let CapabilitySets { effective, permitted, inheritable } = kept;
        let kept = CapabilitySets {
            effective: effective & may,
            permitted: permitted & may,
            inheritable: inheritable & may,
        };
        set_capabilities(None, kept).map_err(failed)
    }
}

/// Changes the ids of this thread, and of all that it starts. The groups go first: the user may not change them.
fn become_user(identity: &Identity, keeps: bool) -> Result<(), String> {
    if keeps && identity.user.is_some() {
        set_keep_capabilities(true).map_err(|error| format!("--caps: {error}"))?;
    }
    if let Some(group) = identity.group {
        let failed = |error: Errno| {
            format!("cannot run as group {}: {error}; only root may change it", group.as_raw())
        };
        set_thread_groups(&identity.groups).map_err(failed)?;
        set_thread_res_gid(group, group, group).map_err(failed)?;
    }
    if let Some(user) = identity.user {
        set_thread_res_uid(user, user, user).map_err(|error| {
            format!("cannot run as user {}: {error}; only root may change it", user.as_raw())
        })?;
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
fn parse(text: &str) -> Result<CapabilitySets, String> {
    let none = CapabilitySet::empty();
    let mut kept = CapabilitySets { effective: none, permitted: none, inheritable: none };
    for clause in text.split_whitespace() {
        let wrong = || format!("--caps: {clause:?} is not of the form cap_chown,cap_fowner=ep");
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

fn named(names: &str) -> Result<CapabilitySet, String> {
    if matches!(names, "" | "all") {
        return Ok(CapabilitySet::all());
    }
    let one = |name: &str| {
        let upper = name.to_ascii_uppercase();
        let known = upper.strip_prefix("CAP_").and_then(CapabilitySet::from_name);
        known.ok_or_else(|| format!("--caps: there is no capability {name}"))
    };
    names.split(',').map(one).try_fold(CapabilitySet::empty(), |all, one| Ok(all | one?))
}
