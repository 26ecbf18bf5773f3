//! The options of the directory whose people may use the page.
//!
//! In: nothing. Out: rows.

use crate::options::{
    row::{Row, ValueKind as V, row},
    tables::network::TLS,
};

pub(super) const DIRECTORY: &[Row] = &[
    row(
        "type",
        V::Word(&["ldap", "active-directory"]),
        "ldap",
        "the kind of directory, which decides about the defaults of the other options",
    ),
    row(
        "servers",
        V::Texts,
        "",
        "URLs of servers, in the order in which they are tried: ldaps://HOST, or ldap://HOST with StartTLS",
    ),
    row(
        "tls",
        V::Options(&[TLS]),
        "",
        "certificates that are trusted; without it those that the machine trusts",
    ),
    row("insecure-plain", V::YesNo, "no", "send passwords to ldap:// servers without encryption"),
    row(
        "bind-dn",
        V::Text,
        "",
        "distinguished name of the account that searches; without it searches are anonymous",
    ),
    row("password-file", V::Text, "", "file with the password of that account"),
    row("base", V::Text, "", "the branch of the directory below which people are searched"),
    row("filter", V::Text, "(objectClass=person)", "a filter that a person has to pass"),
    row(
        "name-attributes",
        V::Texts,
        "uid",
        "attributes that people may type as their name; the first is the name of the account; Active Directory: sAMAccountName, userPrincipalName",
    ),
    row(
        "id-attribute",
        V::Text,
        "entryUUID",
        "the attribute that a person keeps when they are renamed; Active Directory: objectGUID",
    ),
    row("groups", V::Options(&[GROUPS]), "", "where the groups of people are found"),
    row(
        "grant",
        V::Options(&[GRANT]),
        "",
        "rights of a group; may be given several times, and somebody in no such group is not let in",
    ),
    row("timeout", V::Number(1, 60), "5", "seconds for a connection to a server, and for each answer"),
    row("recheck", V::Age, "15m", "time after which the rights of people are read again, 15 minutes at most"),
    row("keep-rights", V::Age, "4h", "time for which rights hold while no server of the directory answers"),
];

const GROUPS: &[Row] = &[
    row(
        "membership",
        V::Word(&["member-of", "member", "member-uid", "in-chain"]),
        "member",
        "how members are listed: memberOf of people, member or memberUid of groups, or Active Directory's rule for nested groups, which is its default",
    ),
    row("base", V::Text, "", "the branch below which groups are searched; without it that of people"),
    row("nested", V::YesNo, "no", "members of a group that is in another group are in both"),
];

const GRANT: &[Row] = &[
    row(
        "group",
        V::Text,
        "",
        "distinguished name of the group; \"*\" means everybody whom the directory knows",
    ),
    row(
        "logspaces",
        V::Texts,
        "",
        "names of logspaces; * means all of them, firewall-* those whose names begin so",
    ),
    row("rights", V::Words(&["search", "export", "administer"]), "search", "the rights in these logspaces"),
    row("roles", V::Texts, "", "roles of the members"),
];
