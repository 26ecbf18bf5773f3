//! The names of what verbs and the server both use in the data folder.

/// Folder of logspaces below the data folder.
pub(crate) const LOGSPACES: &str = "logspaces";
/// The database of saved objects below the data folder.
pub(crate) const OBJECTS: &str = "objects/objects.db";
/// The database of alerts below the data folder.
pub(crate) const ALERTS: &str = alerts::DATABASE;
/// The ledger below the data folder.
pub(crate) const LEDGER: &str = "searches.ledger";
/// The accounts below the data folder.
pub(crate) const USERS: &str = "users.json";
