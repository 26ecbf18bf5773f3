//! The groups of a person.
//!
//! In: the entry of a person. Out: distinguished names of groups. Holds: those found so far, so that a circle of groups ends.
//! Limits: [`GROUPS_MAX`] groups, [`DEPTH_MAX`] levels of groups in groups.

use crate::{
    connection::Connection,
    error::DirectoryError,
    options::{LdapOptions, Membership},
    person::{Person, values},
    rules::normalized,
};
use ldap3::{SearchEntry, ldap_escape};
use std::collections::HashSet;

/// Most groups of a person.
const GROUPS_MAX: usize = 5_000;
/// Most levels of groups in groups.
const DEPTH_MAX: usize = 10;
/// Most names in one filter: servers limit the length of a request.
const NAMES_PER_FILTER: usize = 100;
const STEP: &str = "the search for groups";

/// Finds the groups of a person.
pub(crate) async fn of(
    connection: &mut Connection,
    options: &LdapOptions,
    entry: &SearchEntry,
    person: &Person,
) -> Result<Vec<String>, DirectoryError> {
    let first = match options.groups.membership {
        Membership::MemberOf => values(entry, "memberOf").into_iter().map(str::to_owned).collect(),
        Membership::Member => search(connection, options, &equals("member", &person.entry)).await?,
        Membership::MemberUid => search(connection, options, &equals("memberUid", &person.name)).await?,
        Membership::InChain => {
            let filter = equals("member:1.2.840.113556.1.4.1941:", &person.entry);
            return search(connection, options, &filter).await;
        }
    };
    match options.groups.is_nested {
        true => with_outer(connection, options, first).await,
        false => Ok(first),
    }
}

/// Adds the groups that groups are members of, level by level.
async fn with_outer(
    connection: &mut Connection,
    options: &LdapOptions,
    first: Vec<String>,
) -> Result<Vec<String>, DirectoryError> {
    let mut known: HashSet<String> = first.iter().map(|name| normalized(name)).collect();
    let mut all = first.clone();
    let mut level = first;
    for _ in 1..DEPTH_MAX {
        let mut outer = Vec::new();
        for names in level.chunks(NAMES_PER_FILTER) {
            let each: String = names.iter().map(|name| equals("member", name)).collect();
            outer.extend(search(connection, options, &format!("(|{each})")).await?);
        }
        outer.retain(|name| known.insert(normalized(name)));
        if outer.is_empty() {
            break;
        }
        all.extend(outer.iter().cloned());
        if all.len() > GROUPS_MAX {
            return Err(DirectoryError::TooManyGroups { most: GROUPS_MAX });
        }
        level = outer;
    }
    Ok(all)
}

async fn search(
    connection: &mut Connection,
    options: &LdapOptions,
    filter: &str,
) -> Result<Vec<String>, DirectoryError> {
    let base = if options.groups.base.is_empty() { &options.base } else { &options.groups.base };
    // "1.1" asks for no attributes (RFC 4511, 4.5.1.8).
    let found = connection.search(base, filter, &["1.1"], GROUPS_MAX, STEP).await?;
    if found.len() > GROUPS_MAX {
        return Err(DirectoryError::TooManyGroups { most: GROUPS_MAX });
    }
    Ok(found.into_iter().map(|entry| entry.dn).collect())
}

/// A filter for an attribute of a value, in which no character of the value has a meaning.
pub(crate) fn equals(attribute: &str, value: &str) -> String {
    format!("({attribute}={})", ldap_escape(value))
}
