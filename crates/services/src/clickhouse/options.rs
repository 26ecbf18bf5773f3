//! The options of `clickhouse()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds:
//! options only. Limits: none.

use super::column::ClickhouseColumn;
use crate::http::RequestSettings;
use delivery::Batches;
use message::Render;

/// `format()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClickhouseFormat {
    /// `JSONEachRow`: an object for each row.
    #[default]
    Objects,
    /// `JSONCompactEachRow`: an array for each row.
    Arrays,
}

/// The source of rows.
pub enum ClickhouseContent {
    /// `schema()`: columns with their templates.
    Columns(Vec<ClickhouseColumn>),
    /// `json-var()`: a template that gives the whole row in JSON.
    Json(Box<dyn Render>),
}

/// `clickhouse()`.
pub struct ClickhouseTarget {
    /// `url()`, by [`crate::server_url`].
    pub address: String,
    /// `database()`
    pub database: String,
    /// `table()`
    pub table: String,
    /// `schema()` or `json-var()`
    pub content: ClickhouseContent,
    /// `format()`
    pub format: ClickhouseFormat,
    /// `unique-column()`: a column for the id of each message.
    pub unique_column: Option<String>,
    /// Settings that all its requests share.
    pub settings: RequestSettings,
    /// How messages are gathered: a batch is one INSERT.
    pub batches: Batches,
}
