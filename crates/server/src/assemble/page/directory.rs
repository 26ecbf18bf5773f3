//! `page(directory(...))`: the directory whose people may use the page.
//!
//! In: the option. Out: its options with the defaults of its type. Limits: a connection without encryption has to be asked for; without a
//! `grant()` nobody could sign in, which is an error.

use crate::{assemble::lowering::Lowering, authorities};
use accounts::{EVERY_LOGSPACE, RIGHTS, Right, allowed_name};
use config::{Diagnostic, tree::Call};
use directory::{
    GroupRights, GroupRules, GroupSearch, LdapOptions, Membership, Security, Server, check_attribute,
    check_filter,
};
use std::{fmt::Display, time::Duration};
use transport::tls::TlsOptions;

/// Longest time after which rights are read again.
const RECHECK_MAX: Duration = Duration::from_secs(900);
/// Longest time for which rights hold while the directory is away.
const KEEP_RIGHTS_MAX: Duration = Duration::from_secs(7 * 86_400);

impl Lowering<'_> {
    /// The directory; none after an error, which is in the report.
    pub(super) fn directory(&mut self, call: &Call) -> Option<LdapOptions> {
        let text = |name: &str| call.option(name).and_then(Call::text).unwrap_or_default().to_owned();
        let yes = |name: &str| call.option(name).and_then(Call::truth).unwrap_or(false);
        let is_active = text("type") == "active-directory";
        let or = |given: String, ldap: &str, active: &str| match given.is_empty() {
            true => if is_active { active } else { ldap }.to_owned(),
            false => given,
        };
        let mut names = call.option("name-attributes").map(Call::texts).unwrap_or_default();
        if names.is_empty() {
            let known: &[&str] = if is_active { &["sAMAccountName", "userPrincipalName"] } else { &["uid"] };
            names = known.iter().map(|name| (*name).to_owned()).collect();
        }
        let person = "(&(objectCategory=person)(objectClass=user))";
        let options = LdapOptions {
            servers: self.servers(call),
            tls: self.directory_tls(call)?,
            allows_plain: yes("insecure-plain"),
            bind_dn: text("bind-dn"),
            password_file: call
                .option("password-file")
                .and_then(|option| self.folder(option, "/etc/duramen/directory-password")),
            base: text("base"),
            filter: or(text("filter"), "(objectClass=person)", person),
            name_attributes: names,
            id_attribute: or(text("id-attribute"), "entryUUID", "objectGUID"),
            groups: groups(call, if is_active { Membership::InChain } else { Membership::Member }),
            rules: self.rules(call),
            timeout: call
                .option("timeout")
                .and_then(Call::number)
                .map_or(Duration::from_secs(5), |seconds| {
                    Duration::from_secs(u64::try_from(seconds).unwrap_or(5))
                }),
            recheck: self.directory_time(call, "recheck", RECHECK_MAX, RECHECK_MAX),
            keep_rights: self.directory_time(
                call,
                "keep-rights",
                KEEP_RIGHTS_MAX,
                Duration::from_secs(4 * 3600),
            ),
        };
        self.check_directory(call, &options);
        self.report.is_usable().then_some(options)
    }

    fn servers(&mut self, call: &Call) -> Vec<Server> {
        let mut servers = Vec::new();
        let Some(option) = call.option("servers") else { return servers };
        for text in option.texts() {
            match text.parse() {
                Ok(server) => servers.push(server),
                Err(error) => self.wrong(option, error),
            }
        }
        servers
    }

    /// The certificates that are trusted. The name of the server is always said to it and compared.
    fn directory_tls(&mut self, call: &Call) -> Option<TlsOptions> {
        let given = match call.option("tls") {
            Some(tls) => self.tls_of(tls)?,
            None => TlsOptions::default(),
        };
        let names_authorities = given.ca_file.is_some() || given.ca_dir.is_some();
        let ca_file = if names_authorities { given.ca_file } else { authorities::system() };
        Some(TlsOptions { ca_file, sni: true, ..given })
    }

    /// The rights of groups.
    fn rules(&mut self, call: &Call) -> GroupRules {
        let mut rules = Vec::new();
        for grant in call.options().filter(|option| option.key() == "grant") {
            let texts = |name: &str| grant.option(name).map(Call::texts).unwrap_or_default();
            let group = grant.option("group").and_then(Call::text).unwrap_or_default().to_owned();
            if group != directory::EVERYBODY && !group.contains('=') {
                let text = "group() has the distinguished name of a group, as in \"cn=auditors,ou=groups,dc=example,dc=com\", or \"*\" for everybody";
                self.wrong(grant, text);
            }
            let logspaces = texts("logspaces");
            for name in &logspaces {
                if name != EVERY_LOGSPACE && !allowed_name(name.strip_suffix('*').unwrap_or(name)) {
                    self.wrong(grant, format!("`{name}` is no name of a logspace; * means every one, firewall-* every one whose name begins so"));
                }
            }
            let roles = texts("roles");
            if let Some(name) = roles.iter().find(|name| !allowed_name(name)) {
                self.wrong(grant, format!("`{name}` is no name of a role"));
            }
            let asked: Vec<Right> = texts("rights").iter().filter_map(|name| Right::parse(name)).collect();
            // Exporting or administering a logspace needs a search there.
            let is_given = |right: &Right| *right == Right::Search || asked.contains(right);
            let rights = RIGHTS.into_iter().filter(is_given).collect();
            rules.push(GroupRights { group, logspaces, rights, roles });
        }
        GroupRules::new(rules)
    }

    fn directory_time(&mut self, call: &Call, name: &str, most: Duration, default: Duration) -> Duration {
        let Some(option) = call.option(name) else { return default };
        match option.age_s().map(Duration::from_secs) {
            Some(age) if !age.is_zero() && age <= most => age,
            Some(_) | None => {
                self.wrong(option, format!("{name}() is a time of 1 to {} seconds", most.as_secs()));
                default
            }
        }
    }

    fn check_directory(&mut self, call: &Call, options: &LdapOptions) {
        for name in ["servers", "base"] {
            if call.option(name).is_none_or(|option| option.texts().iter().all(String::is_empty)) {
                self.wrong(call, format!("directory() needs {name}()"));
            }
        }
        if options.rules.is_empty() {
            let text = "directory() needs a grant() at least: without one nobody could sign in";
            self.wrong(call, text);
        }
        if options.bind_dn.is_empty() != options.password_file.is_none() {
            self.wrong(call, "bind-dn() and password-file() belong together");
        }
        for name in options.name_attributes.iter().chain([&options.id_attribute]) {
            if let Err(error) = check_attribute(name) {
                self.wrong(call, error);
            }
        }
        if let Err(error) = check_filter(&options.filter) {
            self.wrong(call.option("filter").unwrap_or(call), error);
        }
        let is_plain = options.servers.iter().any(|server| server.security == Security::StartTls);
        if options.allows_plain && is_plain {
            let text = "passwords are sent to ldap:// servers without encryption: everybody on the way can read them";
            self.report.push(Diagnostic::warning(call.option("insecure-plain").unwrap_or(call).span, text));
        }
    }

    fn wrong(&mut self, at: &Call, error: impl Display) {
        self.report.push(Diagnostic::error(at.span, error.to_string()));
    }
}

fn groups(call: &Call, default: Membership) -> GroupSearch {
    let inside = |name: &str| call.option("groups").and_then(|groups| groups.option(name));
    let membership = match inside("membership").and_then(Call::text) {
        Some("member-of") => Membership::MemberOf,
        Some("member-uid") => Membership::MemberUid,
        Some("in-chain") => Membership::InChain,
        Some("member") => Membership::Member,
        Some(_) | None => default,
    };
    GroupSearch {
        membership,
        base: inside("base").and_then(Call::text).unwrap_or_default().to_owned(),
        is_nested: inside("nested").and_then(Call::truth).unwrap_or(false),
    }
}
