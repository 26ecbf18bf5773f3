//! `duramen user role`: roles, which are named bundles of rights, and who has them.
//!
//! In: names of roles and users, rights. Out: a changed file of users. Changes are written to the ledger first.

use super::{record, rights};
use accounts::{AccountError, Accounts, Right};
use clap::Subcommand;
use serde_json::json;
use std::path::Path;

#[derive(Subcommand, Debug)]
pub(super) enum RoleVerb {
    /// List the rights of roles
    Ls,
    /// Add a role, which has no rights until they are granted
    Add {
        /// Name
        role: String,
    },
    /// Remove a role: its users lose its rights at once
    Remove {
        /// Name
        role: String,
    },
    /// Grant a role rights in a logspace
    Grant {
        /// Name of the role
        role: String,
        /// Logspace; `*` means all of them, `firewall-*` those whose names begin so
        logspace: String,
        /// Rights: search, export, administer; search when left out
        #[arg(value_parser = rights::parse)]
        rights: Vec<Right>,
    },
    /// Revoke rights of a role
    Revoke {
        /// Name of the role
        role: String,
        /// Logspace, as in the grant
        logspace: String,
        /// Rights; all rights when left out
        #[arg(value_parser = rights::parse)]
        rights: Vec<Right>,
    },
    /// Give a user a role
    Assign {
        /// Name of the user
        name: String,
        /// Name of the role
        role: String,
    },
    /// Take a role from a user
    Unassign {
        /// Name of the user
        name: String,
        /// Name of the role
        role: String,
    },
}

/// Runs the verb.
pub(super) fn run(data: &Path, accounts: &Accounts, verb: &RoleVerb) -> Result<(), AccountError> {
    let (action, logspace, details) = match verb {
        RoleVerb::Ls => return list(accounts),
        RoleVerb::Add { role } => ("set-role", "", json!({"role": role, "grants": []})),
        RoleVerb::Remove { role } => ("remove-role", "", json!({"role": role})),
        RoleVerb::Grant { role, logspace, rights } => {
            ("grant-role", logspace.as_str(), json!({"role": role, "rights": rights::granted(rights)}))
        }
        RoleVerb::Revoke { role, logspace, rights } => {
            ("revoke-role", logspace.as_str(), json!({"role": role, "rights": rights::revoked(rights)}))
        }
        RoleVerb::Assign { name, role } => ("assign-role", "", json!({"user": name, "role": role})),
        RoleVerb::Unassign { name, role } => ("unassign-role", "", json!({"user": name, "role": role})),
    };
    record::append(data, action, logspace, details.clone())?;
    let changed = change(accounts, verb);
    if let Err(error) = &changed {
        let mut details = details;
        details["failed"] = error.to_string().into();
        record::append(data, action, logspace, details)?;
    }
    changed
}

fn change(accounts: &Accounts, verb: &RoleVerb) -> Result<(), AccountError> {
    match verb {
        RoleVerb::Ls => Ok(()),
        RoleVerb::Add { role } => accounts.add_role(role),
        RoleVerb::Remove { role } => accounts.remove_role(role),
        RoleVerb::Grant { role, logspace, rights } => {
            accounts.grant_role(role, logspace, &rights::granted(rights))
        }
        RoleVerb::Revoke { role, logspace, rights } => {
            accounts.revoke_role(role, logspace, &rights::revoked(rights))
        }
        RoleVerb::Assign { name, role } => accounts.assign_role(name, role),
        RoleVerb::Unassign { name, role } => accounts.unassign_role(name, role),
    }
}

fn list(accounts: &Accounts) -> Result<(), AccountError> {
    for role in accounts.roles()? {
        if role.grants.is_empty() {
            outln!("{}", role.name);
        }
        role.grants.iter().for_each(|grant| outln!("{}", rights::line(&role.name, grant)));
    }
    Ok(())
}
