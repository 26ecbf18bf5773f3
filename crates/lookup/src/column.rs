//! The columns of a segment.
//!
//! In: nothing. Out: names of columns, how often they are used, and the values of documents.

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

/// The values of a column in some documents, each value once. A value id counts from 1; 0 is none.
#[derive(Clone, Debug, Default)]
pub struct ColumnValues {
    /// The value id of each document, in the order of the documents.
    pub ids: Vec<u32>,
    /// The values, one after the other.
    bytes: Vec<u8>,
    /// The end of each value in `bytes`.
    ends: Vec<usize>,
}

impl ColumnValues {
    /// Returns the values of `count` documents that have none yet.
    pub fn new(count: usize) -> ColumnValues {
        ColumnValues { ids: vec![0; count], ..ColumnValues::default() }
    }

    /// Adds a value that is not there yet, and returns its id.
    pub fn add(&mut self, value: &[u8]) -> u32 {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        self.ends.len() as u32
    }

    /// Number of values.
    pub fn distinct(&self) -> usize {
        self.ends.len()
    }

    /// Returns the value of an id; empty for 0 and for ids that no value has.
    pub fn value(&self, id: u32) -> &[u8] {
        let Some(index) = (id as usize).checked_sub(1) else { return b"" };
        let end = self.ends.get(index).copied().unwrap_or_default();
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Bytes of memory in use.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.ids.as_slice()) + self.bytes.len() + size_of_val(self.ends.as_slice())
    }
}
