//! What a configuration says about a server.
//!
//! In: values that were checked when the configuration was read. Out: connections. Holds: nothing that runs.
//! Limits: `workers()` connections over HTTP and to a database, one to Redis.

use super::{
    http::HttpLane,
    lane::Lane,
    redis::{RedisLane, ReplyNames},
    sql::{SqlLane, SqlQuery},
};
use crate::{key::KeyText, values::Naming};
use outputs::{RedisReader, RedisSource};
use services::{Fetcher, RequestSettings};
use std::{sync::Arc, time::Duration};
use transport::sql::SqlServer;

/// A server, and what is asked there.
#[derive(Clone, Debug)]
pub enum BackendServer {
    /// `http()`
    Http {
        /// `url()`
        url: KeyText,
        /// Settings that all its requests share.
        settings: Arc<RequestSettings>,
        /// `workers()`: requests at the same time, each over a connection of its own.
        workers: usize,
    },
    /// `redis()`
    Redis {
        /// The server.
        source: RedisSource,
        /// `command()`: one that reads, and its arguments.
        command: Vec<KeyText>,
        /// Its name, and the arguments behind the one with the key: the fields of `HMGET`.
        fields: Vec<String>,
    },
    /// `sql()`
    Sql {
        /// The database.
        server: SqlServer,
        /// `query()`
        query: SqlQuery,
        /// `workers()`: sessions, each of which asks for one key at a time.
        workers: usize,
    },
}

/// A server, how its answers become values, and how long they are waited for.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The server.
    pub server: BackendServer,
    /// The names of values.
    pub naming: Naming,
    /// `timeout()` of a lookup.
    pub timeout: Duration,
    /// `time-reopen()`: longest time for which a server that fails is left alone.
    pub reopen: Duration,
    /// Its name for our log and the counters.
    pub name: String,
}

impl Backend {
    /// Makes its connections, none of which is open.
    pub(crate) fn lanes(&self) -> Vec<Box<dyn Lane>> {
        match &self.server {
            BackendServer::Http { url, settings, workers } => {
                let lane = || HttpLane {
                    fetcher: Fetcher::new(settings.clone()),
                    url: url.clone(),
                    naming: self.naming.clone(),
                };
                (0..*workers).map(|_| Box::new(lane()) as Box<dyn Lane>).collect()
            }
            BackendServer::Sql { server, query, workers } => {
                let lane = || SqlLane::new(server.clone(), query.clone(), self.naming.clone(), self.timeout);
                (0..*workers).map(|_| Box::new(lane()) as Box<dyn Lane>).collect()
            }
            BackendServer::Redis { source, command, fields } => vec![Box::new(RedisLane {
                reader: RedisReader::new(source.clone()),
                command: command.clone(),
                names: ReplyNames::of(fields),
                naming: self.naming.clone(),
            })],
        }
    }
}
