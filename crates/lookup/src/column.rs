//! The columns of a segment.
//!
//! In: nothing. Out: names of columns, and how often they are used.

/// A column: one value per document, or none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// `host`
    Host,
    /// `program`
    Program,
    /// `pid`
    Pid,
    /// `msgid`
    Msgid,
    /// `facility`, values are names
    Facility,
    /// `severity`, values are names
    Severity,
    /// `source`, the name of the source statement
    Source,
    /// `peer`, the address of the last hop without its port
    Peer,
    /// `tags`, several values per document
    Tags,
    /// A name-value pair, structured data included (`.SDATA.id.name`)
    Named(String),
}

/// A column of a snapshot and how often it is used.
#[derive(Clone, Debug)]
pub struct ColumnUse {
    /// The column.
    pub column: Column,
    /// Documents that have it.
    pub documents: u64,
    /// True when all its values can be read as numbers.
    pub numeric: bool,
}
