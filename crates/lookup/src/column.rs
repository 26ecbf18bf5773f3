//! The columns of a segment.
//!
//! In: nothing. Out: names of columns, how much they are used.

/// A column: one value a document, or none.
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
    /// `tags`, several values a document
    Tags,
    /// A name-value pair, structured data included (`.SDATA.id.name`)
    Named(String),
}

/// A column of a snapshot and how much it is used.
#[derive(Clone, Debug)]
pub struct ColumnUse {
    /// The column.
    pub column: Column,
    /// Documents that have it.
    pub documents: u64,
    /// All its values read as numbers.
    pub numeric: bool,
}
