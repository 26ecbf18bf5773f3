//! Users of a company's directory: LDAP and Active Directory.
//!
//! In: names, passwords, options. Out: people with their groups and the rights that those give, or the step that failed. Holds: which servers
//! failed lately. Touches the network and the file with the password of the service account. Limits: those of [`Ldap`].
//!
//! In reading order: `options` are values, `rules` turns groups into rights, `error` names each step that can fail, `connection` is a
//! session with one server, `person` reads an entry, `groups` finds groups, `ldap` puts these together, `enter` makes accounts of people, `refresh` reads the rights of
//! accounts again.

mod connection;
mod enter;
mod error;
mod groups;
mod ldap;
mod options;
mod person;
mod refresh;
mod rules;

pub use enter::{EnterError, Entered};
pub use error::{DirectoryError, SignInError};
pub use ldap::{Ldap, PersonKey};
pub use options::{
    GroupSearch, LdapOptions, Membership, OptionsError, Security, Server, check_attribute, check_filter,
};
pub use person::Person;
pub use refresh::{Refreshed, Refresher};
pub use rules::{EVERYBODY, GroupRights, GroupRules};
