//! A person of a directory, as their entry says.
//!
//! In: an entry. Out: the name, the id, whether it is disabled. Limits: a name has to be one that accounts can have.

use crate::{error::DirectoryError, options::LdapOptions};
use accounts::{DirectoryRights, DirectoryUser, allowed_name, hex};
use ldap3::SearchEntry;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of this kind of directory in accounts.
pub(crate) const LDAP: &str = "ldap";
/// The attributes that say that somebody is disabled, besides those that the options name.
pub(crate) const STATE_ATTRIBUTES: [&str; 5] =
    ["memberOf", "userAccountControl", "accountExpires", "pwdAccountLockedTime", "nsAccountLock"];
/// Flag of `userAccountControl`: the account is disabled.
const ACCOUNT_DISABLED: i64 = 2;
/// Seconds from 1601 to 1970, and units of `accountExpires` in a second.
const EPOCH_1601_S: i64 = 11_644_473_600;
const TICKS_PER_S: i64 = 10_000_000;
/// The value of `pwdAccountLockedTime` of somebody whom only an administrator can let in again.
const LOCKED_FOR_GOOD: &str = "000001010000Z";

/// A person of a directory with their rights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// Distinguished name of their entry.
    pub entry: String,
    /// Letters and digits that they keep when they are renamed.
    pub id: String,
    /// Their name, as the directory writes it.
    pub name: String,
    /// True while they may not sign in.
    pub is_disabled: bool,
    /// Distinguished names of their groups, those of nested groups included if that is asked for.
    pub groups: Vec<String>,
    /// The rights that the groups give; nothing when no rule names one of them.
    pub rights: Option<DirectoryRights>,
}

/// The values of an attribute, whatever case its name is written in.
pub(crate) fn values<'e>(entry: &'e SearchEntry, name: &str) -> Vec<&'e str> {
    let named = entry.attrs.iter().filter(|(attribute, _)| attribute.eq_ignore_ascii_case(name));
    named.flat_map(|(_, values)| values.iter().map(String::as_str)).collect()
}

/// The first value of an attribute as bytes.
fn bytes(entry: &SearchEntry, name: &str) -> Option<Vec<u8>> {
    let binary = entry.bin_attrs.iter().find(|(attribute, _)| attribute.eq_ignore_ascii_case(name));
    let binary = binary.and_then(|(_, values)| values.first().cloned());
    binary.or_else(|| values(entry, name).first().map(|text| text.as_bytes().to_vec()))
}

impl Person {
    /// Returns the person with these rights, as accounts know people of this directory.
    pub fn with<'p>(&'p self, rights: &'p DirectoryRights) -> DirectoryUser<'p> {
        DirectoryUser { source: LDAP, subject: &self.id, name: &self.name, rights }
    }

    /// Reads an entry; groups and rights are found later.
    pub(crate) fn read(entry: &SearchEntry, options: &LdapOptions) -> Result<Person, DirectoryError> {
        let fault = |attribute: &str, fault| DirectoryError::Attribute {
            entry: entry.dn.clone(),
            attribute: attribute.to_owned(),
            fault,
        };
        let attribute = &options.id_attribute;
        let id = bytes(entry, attribute).filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| {
            fault(attribute, "is missing: the service account has to be allowed to read it, or id-attribute() names another")
        })?;
        let attribute = options.name_attributes.first().map_or("uid", String::as_str);
        let name = values(entry, attribute).first().copied();
        let name = name.ok_or_else(|| fault(attribute, "is missing, and it is the name of the account"))?;
        if !allowed_name(name) {
            return Err(fault(
                attribute,
                "cannot be the name of an account: 1 to 64 of the characters A-Z a-z 0-9 . _ @ -",
            ));
        }
        Ok(Person {
            entry: entry.dn.clone(),
            id: id_text(&options.id_attribute, &id),
            name: name.to_owned(),
            is_disabled: is_disabled(entry, now_s()),
            groups: Vec::new(),
            rights: None,
        })
    }
}

/// Returns true for the one attribute that has bytes and no text.
pub(crate) fn attribute_is_binary(name: &str) -> bool {
    ["objectGUID", "objectSid"].iter().any(|binary| binary.eq_ignore_ascii_case(name))
}

/// Returns the text of an id: hexadecimal where it has bytes.
fn id_text(attribute: &str, bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !attribute_is_binary(attribute) => text.to_lowercase(),
        _ => hex(bytes),
    }
}

fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Returns true if an entry is one of somebody who may not sign in.
fn is_disabled(entry: &SearchEntry, now_s: i64) -> bool {
    let number = |name: &str| values(entry, name).first().and_then(|text| text.parse::<i64>().ok());
    // 0 and the largest number mean never.
    let is_past = |ticks: i64| ticks > 0 && ticks != i64::MAX && ticks / TICKS_PER_S - EPOCH_1601_S <= now_s;
    number("userAccountControl").is_some_and(|flags| flags & ACCOUNT_DISABLED != 0)
        || number("accountExpires").is_some_and(is_past)
        || values(entry, "pwdAccountLockedTime").contains(&LOCKED_FOR_GOOD)
        || values(entry, "nsAccountLock").iter().any(|text| text.eq_ignore_ascii_case("true"))
}

#[cfg(test)]
mod tests {
    //! Ids of both kinds, and the ways of directories to say that somebody is disabled.

    use super::*;
    use std::collections::HashMap;

    fn entry(attributes: &[(&str, &str)]) -> SearchEntry {
        let attrs = attributes.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]));
        SearchEntry { dn: "uid=eva,dc=x".to_owned(), attrs: attrs.collect(), bin_attrs: HashMap::new() }
    }

    #[test]
    fn disabled_people_are_known_as_such() {
        let now_s = 1_800_000_000;
        let ticks = |second: i64| ((second + EPOCH_1601_S) * TICKS_PER_S).to_string();
        let rows = [
            ("userAccountControl", "512".to_owned(), false),
            ("userAccountControl", "514".to_owned(), true),
            ("useraccountcontrol", "66050".to_owned(), true),
            ("accountExpires", "0".to_owned(), false),
            ("accountExpires", i64::MAX.to_string(), false),
            ("accountExpires", ticks(now_s + 60), false),
            ("accountExpires", ticks(now_s - 60), true),
            ("pwdAccountLockedTime", "20261128120000Z".to_owned(), false),
            ("pwdAccountLockedTime", LOCKED_FOR_GOOD.to_owned(), true),
            ("nsAccountLock", "TRUE".to_owned(), true),
            ("nsAccountLock", "false".to_owned(), false),
        ];
        for (name, value, want) in rows {
            assert_eq!(is_disabled(&entry(&[(name, &value)]), now_s), want, "{name}={value}");
        }
    }

    #[test]
    fn ids_are_text_or_hexadecimal() {
        assert_eq!(id_text("entryUUID", b"5F0C-A"), "5f0c-a");
        assert_eq!(id_text("objectguid", b"0123456789abcdef"), "30313233343536373839616263646566");
        assert_eq!(id_text("entryUUID", &[0xff, 0x00]), "ff00");
        let mut one = entry(&[]);
        one.bin_attrs.insert("objectguid".to_owned(), vec![vec![0xff, 1]]);
        assert_eq!(bytes(&one, "objectGUID"), Some(vec![0xff, 1]));
    }
}
