//! The rights that groups of a directory give.
//!
//! In: rules of the configuration, the groups of a person. Out: grants, or nothing when no rule names a group of theirs.
//! Holds nothing. Limits: names of groups are compared without regard to case and to blanks around `,` and `=`.

use accounts::{DirectoryRights, Grant, RIGHTS, Right};
use std::collections::{BTreeMap, BTreeSet};

/// The group that everybody is in whom the directory knows.
pub const EVERYBODY: &str = "*";

/// The rights of the members of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupRights {
    /// Distinguished name of the group, or [`EVERYBODY`].
    pub group: String,
    /// The logspaces.
    pub logspaces: Vec<String>,
    /// The rights in each of them; `search` is one of them when there is any.
    pub rights: Vec<Right>,
    /// Names of roles.
    pub roles: Vec<String>,
}

/// The rights of all groups.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GroupRules(Vec<GroupRights>);

impl GroupRules {
    /// Makes rules.
    pub fn new(rules: Vec<GroupRights>) -> GroupRules {
        GroupRules(rules)
    }

    /// Returns true if there are none: then nobody may sign in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rights of somebody who is in these groups; nothing when no rule is about them.
    pub fn rights<'g>(&self, groups: impl IntoIterator<Item = &'g str>) -> Option<DirectoryRights> {
        let groups: Vec<String> = groups.into_iter().map(normalized).collect();
        let is_meant =
            |rule: &&GroupRights| rule.group == EVERYBODY || groups.contains(&normalized(&rule.group));
        let mut rights: BTreeMap<&str, Vec<Right>> = BTreeMap::new();
        let mut roles = BTreeSet::new();
        let mut is_known = false;
        for rule in self.0.iter().filter(is_meant) {
            is_known = true;
            roles.extend(rule.roles.iter().cloned());
            for logspace in &rule.logspaces {
                rights.entry(logspace).or_default().extend(&rule.rights);
            }
        }
        let grant = |(logspace, has): (&str, Vec<Right>)| {
            let may = RIGHTS.into_iter().filter(|right| has.contains(right)).collect();
            Grant { logspace: logspace.to_owned(), may }
        };
        is_known.then(|| DirectoryRights {
            grants: rights.into_iter().map(grant).collect(),
            roles: roles.into_iter().collect(),
        })
    }
}

/// The form of a distinguished name by which two are compared.
pub(crate) fn normalized(name: &str) -> String {
    let mut form = String::with_capacity(name.len());
    let mut is_escaped = false;
    let mut chars = name.trim().chars().peekable();
    while let Some(c) = chars.next() {
        if matches!(c, ',' | '=') && !is_escaped {
            form.truncate(form.trim_end().len());
            form.push(c);
            while chars.next_if(|next| *next == ' ').is_some() {}
        } else {
            form.extend(c.to_lowercase());
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    form
}

#[cfg(test)]
mod tests {
    //! Names of groups, and what several groups give together.

    use super::*;

    fn rule(group: &str, logspaces: &[&str], rights: &[Right]) -> GroupRights {
        let logspaces = logspaces.iter().map(|name| (*name).to_owned()).collect();
        GroupRights { group: group.to_owned(), logspaces, rights: rights.to_vec(), roles: Vec::new() }
    }

    #[test]
    fn names_are_equal_whatever_their_case_and_blanks() {
        let same = |one: &str, other: &str| normalized(one) == normalized(other);
        assert!(same("CN=Auditors, OU=Groups,DC=example", "cn=auditors,ou=groups, dc = Example"));
        assert!(same("cn=Ärzte,dc=x", "CN=ärzte,DC=x"));
        assert!(!same("cn=a b,dc=x", "cn=ab,dc=x"), "blanks inside count");
        assert!(!same("cn=a\\, b,dc=x", "cn=a\\,b,dc=x"), "an escaped comma is part of the name");
    }

    #[test]
    fn groups_give_their_rights_together_and_nobody_else_gets_in() {
        let rules = GroupRules::new(vec![
            rule("cn=a,dc=x", &["main", "fire"], &[Right::Search]),
            rule("cn=b,dc=x", &["main"], &[Right::Search, Right::Export]),
            rule("cn=c,dc=x", &[], &[]),
        ]);
        let grants = |rules: &GroupRules, groups: &[&str]| {
            rules.rights(groups.iter().copied()).map(|rights| rights.grants)
        };
        assert_eq!(grants(&rules, &["cn=other,dc=x"]), None);
        assert_eq!(grants(&rules, &[]), None);
        assert_eq!(grants(&rules, &["cn=c,dc=x"]), Some(vec![]), "they get in, and see nothing");
        let grant =
            |logspace: &str, may: &[Right]| Grant { logspace: logspace.to_owned(), may: may.to_vec() };
        let both = grants(&rules, &["CN=B, DC=x", "cn=a,dc=x"]).unwrap();
        assert_eq!(both, [grant("fire", &[Right::Search]), grant("main", &[Right::Search, Right::Export])]);
        let analyst = GroupRights { roles: vec!["analyst".to_owned()], ..rule(EVERYBODY, &[], &[]) };
        let both = GroupRules::new(vec![analyst.clone(), analyst]).rights([]).unwrap();
        assert_eq!(both.roles, ["analyst"]);
        let open = GroupRules::new(vec![rule(EVERYBODY, &["main"], &[Right::Search])]);
        assert_eq!(grants(&open, &[]), Some(vec![grant("main", &[Right::Search])]));
        assert_eq!(grants(&GroupRules::default(), &["cn=a,dc=x"]), None);
    }
}
