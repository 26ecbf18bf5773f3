//! Roles: named bundles of grants, which users have beside their own.
//!
//! In: names of roles and users, grants. Out: the grants of a user with the role that each comes from. Holds nothing.
//! Limits: [`ROLES_MAX`] roles, [`USER_ROLES_MAX`] of one user. A role that is removed gives nobody anything from the next call on.

use super::{
    AccountError, Accounts, File, Grant, Right, StoredRole, User, allowed_name,
    grants::{add_rights, checked, remove_rights},
};

use serde::Serialize;
use utoipa::ToSchema;

/// Most roles of a server: all are shown on one page.
const ROLES_MAX: usize = 1_000;
/// Most roles of one user.
const USER_ROLES_MAX: usize = 100;

/// A role.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct Role {
    /// Name.
    pub name: String,
    /// The grants that its users have.
    pub grants: Vec<Grant>,
}

/// A grant of a user, and where it comes from.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct SourcedGrant {
    /// The grant.
    #[serde(flatten)]
    pub grant: Grant,
    /// The role that it comes from; absent for one that is not of a role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// True if a directory gives it to the user, or the role.
    #[serde(skip_serializing_if = "super::is_false")]
    pub is_of_directory: bool,
}

impl File {
    /// Returns true if a user has a right in a logspace, of their own or by a role.
    pub(super) fn permits(&self, user: &User, logspace: &str, right: Right) -> bool {
        let permits = |grants: &[Grant]| grants.iter().any(|grant| grant.permits(logspace, right));
        // Without grants in the file the user is from before there were any.
        user.grants.as_deref().is_none_or(permits)
            || user.directory.as_ref().is_some_and(|link| permits(&link.rights().grants))
            || self.roles_of(user).chain(self.directory_roles_of(user)).any(|(_, role)| permits(&role.grants))
    }

    /// Returns the grants of a user: their own, those of their roles, then those that their directory gives them.
    pub(super) fn sourced_grants(&self, user: &User) -> Vec<SourcedGrant> {
        let sourced = |grant: &Grant, role: Option<&str>, is_of_directory: bool| SourcedGrant {
            grant: grant.clone(),
            role: role.map(str::to_owned),
            is_of_directory,
        };
        let mut all: Vec<SourcedGrant> =
            user.grants().iter().map(|grant| sourced(grant, None, false)).collect();
        for (name, role) in self.roles_of(user) {
            all.extend(role.grants.iter().map(|grant| sourced(grant, Some(name), false)));
        }
        let given = user.directory.iter().flat_map(|link| &link.rights().grants);
        all.extend(given.map(|grant| sourced(grant, None, true)));
        for (name, role) in self.directory_roles_of(user) {
            all.extend(role.grants.iter().map(|grant| sourced(grant, Some(name), true)));
        }
        all
    }

    /// The roles that a directory gives a user.
    fn directory_roles_of<'f>(&'f self, user: &'f User) -> impl Iterator<Item = (&'f str, &'f StoredRole)> {
        let names = user.directory.iter().flat_map(|link| &link.rights().roles);
        names.filter_map(|name| self.roles.get_key_value(name)).map(|(name, role)| (name.as_str(), role))
    }

    fn roles_of<'f>(&'f self, user: &'f User) -> impl Iterator<Item = (&'f str, &'f StoredRole)> {
        let known = |name: &'f String| self.roles.get_key_value(name);
        user.roles.iter().filter_map(known).map(|(name, role)| (name.as_str(), role))
    }

    fn role(&mut self, name: &str) -> Result<&mut StoredRole, AccountError> {
        self.roles.get_mut(name).ok_or_else(|| AccountError::UnknownRole(name.to_owned()))
    }

    fn add_role(&mut self, name: &str) -> Result<&mut StoredRole, AccountError> {
        if !allowed_name(name) {
            let text = "the name of a role has 1 to 64 of the characters A-Z a-z 0-9 . _ @ -";
            return Err(AccountError::Refused(text));
        }
        if !self.roles.contains_key(name) && self.roles.len() >= ROLES_MAX {
            return Err(AccountError::Taken("there are 1,000 roles already"));
        }
        Ok(self.roles.entry(name.to_owned()).or_default())
    }
}

impl Accounts {
    /// Lists the roles in the order of their names.
    pub fn roles(&self) -> Result<Vec<Role>, AccountError> {
        let file = self.known()?;
        let role =
            |(name, role): (&String, &StoredRole)| Role { name: name.clone(), grants: role.grants.clone() };
        Ok(file.roles.iter().map(role).collect())
    }

    /// Returns the grants of a user with the role that each comes from.
    pub fn sourced_grants(&self, user: &str) -> Result<Vec<SourcedGrant>, AccountError> {
        let file = self.known()?;
        Ok(file.sourced_grants(file.known_user(user)?))
    }

    /// Returns the names of the roles of a user, in the order of the names.
    pub fn roles_of(&self, user: &str) -> Result<Vec<String>, AccountError> {
        let file = self.known()?;
        Ok(file.roles_of(file.known_user(user)?).map(|(name, _)| name.to_owned()).collect())
    }

    /// Adds a role without grants.
    pub fn add_role(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            if file.roles.contains_key(name) {
                return Err(AccountError::Taken("there is a role of that name"));
            }
            file.add_role(name).map(drop)
        })
    }

    /// Gives a role these grants and no others; makes it if there is none of that name.
    pub fn set_role(&self, name: &str, grants: &[Grant]) -> Result<(), AccountError> {
        let grants = checked(grants)?;
        self.update(|file| {
            file.add_role(name)?.grants = grants;
            Ok(())
        })
    }

    /// Removes a role, also from its users.
    pub fn remove_role(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            file.roles.remove(name).ok_or_else(|| AccountError::UnknownRole(name.to_owned()))?;
            file.users.values_mut().for_each(|user| user.roles.retain(|role| role != name));
            Ok(())
        })
    }

    /// Adds rights in a logspace to a role.
    pub fn grant_role(&self, role: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        self.update(|file| add_rights(&mut file.role(role)?.grants, logspace, rights))
    }

    /// Removes rights in a logspace from a role.
    pub fn revoke_role(&self, role: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        self.update(|file| remove_rights(&mut file.role(role)?.grants, logspace, rights))
    }

    /// Gives a user these roles and no others.
    pub fn set_roles(&self, user: &str, roles: &[String]) -> Result<(), AccountError> {
        self.update(|file| file.set_roles(user, roles))
    }

    /// Gives a user these grants and roles and no others.
    pub fn set_access(&self, user: &str, grants: &[Grant], roles: &[String]) -> Result<(), AccountError> {
        let grants = checked(grants)?;
        self.update(|file| {
            file.set_roles(user, roles)?;
            file.user(user)?.grants = Some(grants);
            Ok(())
        })
    }

    /// Gives a user one more role.
    pub fn assign_role(&self, user: &str, role: &str) -> Result<(), AccountError> {
        self.update(|file| {
            let mut roles = file.user(user)?.roles.clone();
            roles.push(role.to_owned());
            file.set_roles(user, &roles)
        })
    }

    /// Takes a role from a user.
    pub fn unassign_role(&self, user: &str, role: &str) -> Result<(), AccountError> {
        self.update(|file| {
            let roles = &mut file.user(user)?.roles;
            let at = roles.iter().position(|name| name == role);
            roles.remove(at.ok_or(AccountError::Name("the user does not have that role"))?);
            Ok(())
        })
    }
}

impl File {
    fn set_roles(&mut self, user: &str, roles: &[String]) -> Result<(), AccountError> {
        if let Some(unknown) = roles.iter().find(|role| !self.roles.contains_key(*role)) {
            return Err(AccountError::UnknownRole(unknown.clone()));
        }
        let mut roles = roles.to_vec();
        roles.sort_unstable();
        roles.dedup();
        if roles.len() > USER_ROLES_MAX {
            return Err(AccountError::Refused("a user has 100 roles at most"));
        }
        self.user(user)?.roles = roles;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
