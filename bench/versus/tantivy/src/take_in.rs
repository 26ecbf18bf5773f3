//! Reads a file of lines into an index.
//!
//! In: the file. Out: the index, and a line of JSON: messages, seconds until committed and until merged, CPU, memory, bytes.
//! Limits: reads the file, so the sender costs nothing.

use crate::{
    error::Result,
    line::Line,
    schema::{self, Positions, WORDS},
    usage,
    words::Words,
};
use serde_json::json;
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    time::Instant,
};
use tantivy::{Index, IndexWriter, TantivyDocument};

/// Threads that index: one for each core of the machine that the tables are from.
const THREADS: usize = 2;
/// Memory for data that is not written yet, for all threads together.
const HEAP_BYTES: usize = 1000 << 20;
const READ_BYTES: usize = 1 << 20;

/// Makes the index.
pub(crate) fn run(corpus: &Path, folder: &Path, positions: Positions) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let builder = Index::builder().schema(schema::schema(positions)).settings(schema::settings());
    let index = builder.create_in_dir(folder)?;
    index.tokenizers().register(WORDS, Words::default());
    let start = Instant::now();
    let mut writer: IndexWriter = index.writer_with_num_threads(THREADS, HEAP_BYTES)?;
    let messages = add_all(corpus, &index, &writer)?;
    writer.commit()?;
    let seconds = start.elapsed().as_secs_f64();
    writer.wait_merging_threads()?;
    let settled_s = start.elapsed().as_secs_f64();
    // The next writer removes the files that merging left behind.
    let sweeper: IndexWriter = index.writer_with_num_threads(1, 20 << 20)?;
    sweeper.garbage_collect_files().wait()?;
    let figures = json!({
        "messages": messages, "seconds": seconds, "settled_s": settled_s, "cpu_s": usage::cpu_s()?,
        "memory_mib": usage::memory_mib()?, "bytes": usage::bytes(folder)?,
    });
    println!("{figures}");
    Ok(())
}

fn add_all(corpus: &Path, index: &Index, writer: &IndexWriter) -> Result<u64> {
    let fields = schema::fields(&index.schema())?;
    let mut file = BufReader::with_capacity(READ_BYTES, File::open(corpus)?);
    let (mut text, mut messages) = (String::new(), 0);
    loop {
        text.clear();
        if file.read_line(&mut text)? == 0 {
            return Ok(messages);
        }
        let raw = text.trim_end_matches('\n');
        let line = Line::read(raw);
        let mut document = TantivyDocument::default();
        // Separate values, so that a phrase does not extend from one into the next.
        for value in [line.text, line.program, line.host] {
            document.add_text(fields.words, value);
        }
        document.add_text(fields.host, line.host);
        document.add_text(fields.program, line.program);
        document.add_u64(fields.severity, line.pri & 7);
        document.add_u64(fields.facility, line.pri >> 3);
        document.add_u64(fields.at_ms, messages);
        document.add_text(fields.raw, raw);
        writer.add_document(document)?;
        messages += 1;
    }
}
