//! The options of a directory.
//!
//! In: values of the configuration. Out: the same, checked. Holds nothing that is open.
//! Limits: attributes are names of RFC 4512, filters are filters of RFC 4515.

use crate::rules::GroupRules;
use std::{fmt, path::PathBuf, str::FromStr, time::Duration};
use transport::tls::TlsOptions;

/// How connections to a server are protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Security {
    /// TLS from the first byte: `ldaps://`.
    Tls,
    /// `ldap://`, and TLS before anything else is said (StartTLS). A server that refuses it gets no password.
    StartTls,
    /// `ldap://` without encryption, which the configuration has to ask for.
    Plain,
}

/// A server of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// `ldaps://HOST[:PORT]` or `ldap://HOST[:PORT]`.
    pub url: String,
    /// The protection of its connections; `ldap://` means StartTLS until [`LdapOptions::allows_plain`] says otherwise.
    pub security: Security,
}

impl FromStr for Server {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Server, OptionsError> {
        let invalid = || OptionsError::Server(text.to_owned());
        let (security, rest) = match text.split_once("://") {
            Some(("ldaps", rest)) => (Security::Tls, rest),
            Some(("ldap", rest)) => (Security::StartTls, rest),
            _ => return Err(invalid()),
        };
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
        let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        if host.is_empty() || !host.chars().all(is_host) || !port.is_none_or(is_port) {
            return Err(invalid());
        }
        Ok(Server { url: text.to_owned(), security })
    }
}

/// The way in which a directory says who is in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Membership {
    /// The attribute `memberOf` of the person.
    MemberOf,
    /// The attribute `member` of the group, with the distinguished name of the person: `groupOfNames`.
    Member,
    /// The attribute `memberUid` of the group, with the name of the person: `posixGroup`.
    MemberUid,
    /// `member`, followed through groups of groups by the server: Active Directory's rule 1.2.840.113556.1.4.1941.
    InChain,
}

/// The search for groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupSearch {
    /// How members are listed.
    pub membership: Membership,
    /// The branch of the directory below which groups are searched; the base of people when empty.
    pub base: String,
    /// True to follow groups that are members of other groups.
    pub is_nested: bool,
}

/// The options of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LdapOptions {
    /// The servers, in the order in which they are tried.
    pub servers: Vec<Server>,
    /// Certificates to trust.
    pub tls: TlsOptions,
    /// True to talk to `ldap://` without encryption.
    pub allows_plain: bool,
    /// The account that searches; empty: anonymous.
    pub bind_dn: String,
    /// File with its password.
    pub password_file: Option<PathBuf>,
    /// The branch of the directory below which people are searched.
    pub base: String,
    /// A filter that each person has to pass.
    pub filter: String,
    /// The attributes that a person may type as their name; the first is the name of the account.
    pub name_attributes: Vec<String>,
    /// The attribute that a person keeps when they are renamed or moved.
    pub id_attribute: String,
    /// The search for groups.
    pub groups: GroupSearch,
    /// The rights of groups.
    pub rules: GroupRules,
    /// Longest time for a connection, and for each request.
    pub timeout: Duration,
    /// Time after which the rights of an account are read again.
    pub recheck: Duration,
    /// Time for which the last known rights hold while no server answers.
    pub keep_rights: Duration,
}

/// An option that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionsError {
    /// The text is no URL of a server.
    Server(String),
    /// The text is no name of an attribute.
    Attribute(String),
    /// The text is no filter.
    Filter(String),
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionsError::Server(text) => {
                write!(
                    f,
                    "`{text}` is no URL of a directory server: ldaps://HOST[:PORT] or ldap://HOST[:PORT]"
                )
            }
            OptionsError::Attribute(text) => {
                write!(f, "`{text}` is no name of an attribute: letters, digits and -, as in uid")
            }
            OptionsError::Filter(text) => {
                write!(f, "`{text}` is no LDAP filter (RFC 4515), as in (objectClass=inetOrgPerson)")
            }
        }
    }
}

impl std::error::Error for OptionsError {}

/// Checks the name of an attribute.
pub fn check_attribute(text: &str) -> Result<(), OptionsError> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_name { Ok(()) } else { Err(OptionsError::Attribute(text.to_owned())) }
}

/// Checks a filter.
pub fn check_filter(text: &str) -> Result<(), OptionsError> {
    let is_filter = text.starts_with('(') && ldap3::parse_filter(text).is_ok();
    if is_filter { Ok(()) } else { Err(OptionsError::Filter(text.to_owned())) }
}

#[cfg(test)]
mod tests {
    //! URLs, attributes and filters that can be used, and those that cannot.

    use super::*;

    #[test]
    fn a_server_is_a_url_with_a_host() {
        let rows = [
            ("ldaps://dc1.example.com", Some(Security::Tls)),
            ("ldap://dc1.example.com:3268", Some(Security::StartTls)),
            ("ldap://[2001:db8::1]:389", Some(Security::StartTls)),
            ("ldaps://", None),
            ("ldaps://host:0", None),
            ("ldaps://host:70000", None),
            ("ldaps://host/dc=example", None),
            ("ldapi://%2Frun%2Fldapi", None),
            ("dc1.example.com", None),
            ("ldaps://user@host", None),
        ];
        for (text, want) in rows {
            let got = text.parse::<Server>().ok().map(|server| server.security);
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn attributes_and_filters_are_checked() {
        for (text, want) in
            [("uid", true), ("sAMAccountName", true), ("", false), ("uid=*", false), ("1uid", false)]
        {
            assert_eq!(check_attribute(text).is_ok(), want, "{text}");
        }
        let rows = [
            ("(objectClass=person)", true),
            ("(&(a=b)(!(c=d)))", true),
            ("objectClass=person", false),
            ("(&(a=b)", false),
            ("(a=b))", false),
            ("", false),
        ];
        for (text, want) in rows {
            assert_eq!(check_filter(text).is_ok(), want, "{text}");
        }
    }
}
