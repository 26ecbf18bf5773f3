//! The channels and routes in force.
//!
//! In: the file `notifications.yaml` in the folder of rules. Out: channels and routes, or everything that is wrong with them.
//! Holds nothing. As long as the file has errors, what was in force before stays so, across a restart as well: the database
//! keeps its text.

use alerts::{FolderProblem, Store, StoreError, read_notifications_text};
use query::Matcher;
use rusqlite::{OptionalExtension, params};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};
use watch::{Channel, Notifications, Route, RuleError};

/// A reason why the file cannot be used.
#[derive(Debug)]
pub enum SetupProblem {
    /// It cannot be read.
    Folder(FolderProblem),
    /// Something in it is wrong.
    Fault {
        /// The file.
        path: PathBuf,
        /// The error with its place.
        error: RuleError,
    },
}

impl fmt::Display for SetupProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupProblem::Folder(problem) => problem.fmt(f),
            SetupProblem::Fault { path, error } => write!(f, "{}:{error}", path.display()),
        }
    }
}

impl std::error::Error for SetupProblem {}

/// Channels and routes, with the text that they were read from.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub(crate) text: String,
    pub(crate) channels: Vec<Arc<Channel>>,
    pub(crate) routes: Vec<Arc<Route>>,
}

/// Reads the file of a folder; none when there is no such file.
pub fn read_setup(folder: &Path) -> Result<Option<Setup>, Vec<SetupProblem>> {
    let found = read_notifications_text(folder).map_err(|problem| vec![SetupProblem::Folder(problem)])?;
    let Some((path, text)) = found else { return Ok(None) };
    let named = |error| SetupProblem::Fault { path: path.clone(), error };
    match Setup::of(text) {
        Ok(setup) => Ok(Some(setup)),
        Err(errors) => Err(errors.into_iter().map(named).collect()),
    }
}

impl Setup {
    /// Reads a text.
    pub(crate) fn of(text: String) -> Result<Setup, Vec<RuleError>> {
        let Notifications { channels, routes } = watch::read_notifications(&text)?;
        Ok(Setup { text, channels, routes })
    }
}

/// The routes, ready to be compared with records.
pub(crate) struct Routes {
    pub(crate) routes: Vec<(Arc<Route>, Option<Matcher>)>,
}

impl Routes {
    pub(crate) fn of(setup: &Setup) -> Routes {
        let ready =
            |route: &Arc<Route>| (Arc::clone(route), route.alerts.as_ref().map(|query| query.matcher()));
        Routes { routes: setup.routes.iter().map(ready).collect() }
    }
}

/// Brings a text into force: transitions from now on are routed by it. One that is there already goes on where it was.
pub(crate) fn adopt(store: &Store, text: &str) -> Result<(), StoreError> {
    store.transaction(|transaction| {
        let upsert = "INSERT INTO notification_setup (id, content, routed) \
                      SELECT 1, $1, COALESCE(MAX(number), 0) FROM transition WHERE TRUE \
                      ON CONFLICT (id) DO UPDATE SET content = $1";
        transaction.execute(upsert, params![text])?;
        Ok(())
    })
}

/// Notes that there are no channels and routes any more: what was on its way is given up.
pub(crate) fn retire(store: &Store, now_us: i64) -> Result<(), StoreError> {
    store.transaction(|transaction| {
        transaction.execute("DELETE FROM notification_setup", [])?;
        for table in ["notification_group", "notification_episode", "notification_route", "notification_channel"] {
            transaction.execute(&format!("DELETE FROM {table}"), [])?;
        }
        let waiting = "UPDATE notification_event SET outcome = 'removed' WHERE outcome = 'waiting'";
        transaction.execute(waiting, [])?;
        let sending = "UPDATE notification SET state = 'removed', due_us = NULL, settled_us = $1 WHERE state = 'waiting'";
        transaction.execute(sending, params![now_us])?;
        Ok(())
    })
}

/// Returns the text in force before a restart.
pub(crate) fn kept(store: &Store) -> Result<Option<String>, StoreError> {
    store.transaction(|transaction| {
        let sql = "SELECT content FROM notification_setup";
        Ok(transaction.query_row(sql, [], |row| row.get(0)).optional()?)
    })
}
