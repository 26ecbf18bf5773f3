//! The stored fields of a message, as tantivy's documentation advises for speed and size.
//!
//! In: whether positions are kept. Out: the schema and its settings: no frequencies and no field norms,
//! because nothing is ranked; the raw line in blocks of 128 KiB with zstd-3, like ours.

use tantivy::{
    IndexSettings,
    schema::{
        FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    },
    store::{Compressor, ZstdCompressor},
};

/// Name of the tokenizer in the schema.
pub(crate) const WORDS: &str = "words";
/// Bytes of a block of stored lines.
const BLOCK_BYTES: usize = 128 << 10;
const ZSTD_LEVEL: i32 = 3;

/// The choice to keep positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Positions {
    /// Phrases can be searched; positions cost about 20 bytes a message.
    Kept,
    /// Phrases cannot be searched.
    Left,
}

/// The fields.
pub(crate) struct Fields {
    /// Words of the text, of the program and of the host: a word is found in any of them, as with ours.
    pub(crate) words: Field,
    pub(crate) host: Field,
    pub(crate) program: Field,
    pub(crate) severity: Field,
    pub(crate) facility: Field,
    /// Number of the line: the corpus has one each millisecond.
    pub(crate) at_ms: Field,
    pub(crate) raw: Field,
}

/// Makes the schema.
pub(crate) fn schema(positions: Positions) -> Schema {
    let mut schema = Schema::builder();
    let record = match positions {
        Positions::Kept => IndexRecordOption::WithFreqsAndPositions,
        Positions::Left => IndexRecordOption::Basic,
    };
    let indexing =
        TextFieldIndexing::default().set_tokenizer(WORDS).set_index_option(record).set_fieldnorms(false);
    schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing));
    schema.add_text_field("host", STRING | FAST);
    schema.add_text_field("program", STRING | FAST);
    schema.add_u64_field("severity", INDEXED | FAST);
    schema.add_u64_field("facility", INDEXED | FAST);
    schema.add_u64_field("at_ms", FAST);
    schema.add_text_field("raw", STORED);
    schema.build()
}

/// Looks the fields up in an existing index.
pub(crate) fn fields(schema: &Schema) -> tantivy::Result<Fields> {
    Ok(Fields {
        words: schema.get_field("words")?,
        host: schema.get_field("host")?,
        program: schema.get_field("program")?,
        severity: schema.get_field("severity")?,
        facility: schema.get_field("facility")?,
        at_ms: schema.get_field("at_ms")?,
        raw: schema.get_field("raw")?,
    })
}

/// Returns the settings of the document store.
pub(crate) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::Zstd(ZstdCompressor { compression_level: Some(ZSTD_LEVEL) }),
        docstore_blocksize: BLOCK_BYTES,
        ..IndexSettings::default()
    }
}
