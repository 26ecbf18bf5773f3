//! The options of `mongodb()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds: options
//! only. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::{Render, RenderTyped};
use std::time::Duration;
use transport::tls::SenderTls;

/// The servers to begin with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seeds {
    /// One server, whatever it is.
    Direct(Endpoint),
    /// Servers that know which of them is the primary, and the name of their replica set if it is to be checked.
    Discover(Vec<Endpoint>, Option<String>),
}

impl Seeds {
    /// Returns the servers.
    pub(super) fn servers(&self) -> &[Endpoint] {
        match self {
            Seeds::Direct(server) => std::slice::from_ref(server),
            Seeds::Discover(servers, _) => servers,
        }
    }
}

/// `authMechanism`: the digest of a login.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// `SCRAM-SHA-1`
    Sha1,
    /// `SCRAM-SHA-256`
    Sha256,
}

/// Says who we are.
#[derive(Clone, PartialEq, Eq)]
pub struct MongodbLogin {
    /// The user.
    pub user: String,
    /// Its password.
    pub password: String,
    /// `authSource`: the database that knows the user.
    pub source: String,
    /// `authMechanism`; `None` takes the better of those that the server has for the user.
    pub mechanism: Option<Mechanism>,
}

impl std::fmt::Debug for MongodbLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} by {:?}", self.user, self.source, self.mechanism)
    }
}

/// Who must have a document before it counts as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Waiters {
    /// A number of servers; 0 does not even ask the first.
    Servers(i32),
    /// More than half of them.
    Majority,
    /// Those that a name of the set's configuration means.
    Named(String),
}

/// `write-concern()`, and what a URI says about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WriteConcern {
    /// `w`; `None` leaves it to the server.
    pub waiters: Option<Waiters>,
    /// `wtimeoutMS`: how long the server waits for the others.
    pub within: Option<Duration>,
    /// `journal`: whether the document must be in the server's journal.
    pub journal: Option<bool>,
}

/// `bulk-unordered()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertOrder {
    /// A document is stored after those before it.
    Ordered,
    /// One that is refused keeps none back.
    Unordered,
}

/// `bulk-bypass-validation()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validation {
    /// Documents must be as the collection wants them.
    Checked,
    /// They need not.
    Bypassed,
}

/// How long each thing may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MongodbTimes {
    /// `connectTimeoutMS`: a connection to a server.
    pub connect: Duration,
    /// `socketTimeoutMS`: an answer.
    pub answer: Duration,
    /// `serverSelectionTimeoutMS`: finding the primary.
    pub selection: Duration,
}

/// `mongodb()`.
pub struct MongodbTarget {
    /// The servers.
    pub seeds: Seeds,
    /// `tls()`, for servers that others name.
    pub tls: Option<SenderTls>,
    /// The login.
    pub login: Option<MongodbLogin>,
    /// The database.
    pub database: String,
    /// `collection()`
    pub collection: Box<dyn Render>,
    /// `value-pairs()`
    pub values: Box<dyn RenderTyped>,
    /// `write-concern()`
    pub concern: WriteConcern,
    /// `bulk-unordered()`
    pub order: InsertOrder,
    /// `bulk-bypass-validation()`
    pub validation: Validation,
    /// Time limits.
    pub times: MongodbTimes,
    /// How documents are gathered.
    pub batches: Batches,
}

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) seeds: Seeds,
    pub(super) tls: Option<SenderTls>,
    pub(super) login: Option<MongodbLogin>,
    pub(super) database: String,
    pub(super) concern: WriteConcern,
    pub(super) order: InsertOrder,
    pub(super) validation: Validation,
    pub(super) times: MongodbTimes,
}
