//! Documents of messages.
//!
//! In: messages. Out: the collection and the document of each. Holds: nothing between two.
//! Limits: a name that no collection can have, a value that is not of its type, and a document of more than
//! [`DOCUMENT_BYTES_MAX`] make dead letters.

use super::{
    connection::MongodbConnection,
    document::Document,
    options::{MongodbTarget, Shared},
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::{fmt, sync::Arc};
use transport::DeadReason;

/// Largest document that servers take, less the room for its id.
const DOCUMENT_BYTES_MAX: usize = (16 << 20) - 64;
/// Longest name of a database and a collection with a dot between, of servers before 4.4.
const NAMESPACE_BYTES_MAX: usize = 120;

/// The reason why no collection can have a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectionNameError {
    /// It is empty.
    Empty,
    /// It has a dollar sign or a NUL, or a dot at one of its ends.
    Character,
    /// It is one of the server's own.
    System,
    /// It is too long, or not UTF-8.
    Length,
}

impl fmt::Display for CollectionNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollectionNameError::Empty => f.write_str("the name of a collection is empty"),
            CollectionNameError::Character => {
                f.write_str("the name of a collection has a `$` or a NUL, or a dot at one of its ends")
            }
            CollectionNameError::System => f.write_str("collections of `system.` are the server's own"),
            CollectionNameError::Length => write!(
                f,
                "the names of database and collection have more than {NAMESPACE_BYTES_MAX} bytes, or are not UTF-8"
            ),
        }
    }
}

/// Returns the name of a collection of a database, if it can be one.
pub fn check_collection<'n>(database: &str, name: &'n [u8]) -> Result<&'n str, CollectionNameError> {
    let name = std::str::from_utf8(name).map_err(|_| CollectionNameError::Length)?;
    if name.is_empty() {
        Err(CollectionNameError::Empty)
    } else if name.contains(['$', '\0']) || name.starts_with('.') || name.ends_with('.') {
        Err(CollectionNameError::Character)
    } else if name.starts_with("system.") {
        Err(CollectionNameError::System)
    } else if database.len() + 1 + name.len() > NAMESPACE_BYTES_MAX {
        Err(CollectionNameError::Length)
    } else {
        Ok(name)
    }
}

/// The receiver of `mongodb()`.
pub struct MongodbReceiver {
    target: MongodbTarget,
    shared: Arc<Shared>,
}

impl MongodbReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: MongodbTarget) -> MongodbReceiver {
        let shared = Shared {
            seeds: target.seeds.clone(),
            tls: target.tls.clone(),
            login: target.login.clone(),
            database: target.database.clone(),
            concern: target.concern.clone(),
            order: target.order,
            validation: target.validation,
            times: target.times,
        };
        MongodbReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for MongodbReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.collection.begin(now);
        self.target.values.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let mut name = Vec::new();
        self.target.collection.render(batch, index, sequence, &mut name);
        group.push_str(check_collection(&self.target.database, &name).map_err(RowError::bad_name)?);
        let mut document = Document::default();
        let added = self.target.values.typed_pairs(batch, index, sequence, &mut |path, value| {
            document.add(path, value);
        });
        added.map_err(|error| RowError { reason: DeadReason::Cast, text: error.to_string() })?;
        let (elements, has_id) = document.finish()?;
        if elements.len() > DOCUMENT_BYTES_MAX {
            return Err(RowError::too_large("document", DOCUMENT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(elements), Cell::Boolean(has_id)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(MongodbConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let server = self.target.seeds.servers().first();
        let server = server.map_or_else(String::new, |server| format!("{}:{}", server.host, server.port));
        let collection = self.target.collection.constant().unwrap_or("a template");
        format!("mongodb,{server},{},{collection}", self.target.database)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let servers: Vec<_> =
            target.seeds.servers().iter().map(|s| format!("{}:{}", s.host, s.port)).collect();
        let seeds = match &target.seeds {
            super::options::Seeds::Direct(_) => "direct".to_owned(),
            super::options::Seeds::Discover(_, set) => format!("{set:?}"),
        };
        vec![
            format!("{} {seeds} {:?}", servers.join(" "), target.tls.is_some()),
            format!("{:?}", target.login),
            format!("{:?} {:?} {:?}", target.concern, target.order, target.validation),
            format!("{:?}", target.times),
            format!("{} {} {:?}", target.batches.lines, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let bytes = cells.iter().map(Cell::size).max().unwrap_or_default();
        format!("mongodb {}.{group}: a document of {bytes} bytes", self.target.database)
    }
}
