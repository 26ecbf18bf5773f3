//! The skeletons of a segment's templates on disk.
//!
//! In: skeletons by number. Out: a section of chunks of [`CHUNK`] skeletons, each compressed by itself, and the
//! skeletons again. Holds: the chunks read so far. Limits: [`CHUNK_BYTES_MAX`].

use super::values::Values;
use crate::format::{Damage, FileSlice, put_bytes};
use std::io;

/// Skeletons of a chunk.
const CHUNK: usize = 128;
/// Bytes of an entry of the directory: bytes of the chunk, stored and plain.
const ENTRY_BYTES: usize = 8;
/// Most bytes that a chunk may unpack to.
const CHUNK_BYTES_MAX: usize = 64 << 20;
/// Unpacked chunks are dropped beyond this.
const HELD_BYTES_MAX: usize = 64 << 20;
/// Level of compression.
const LEVEL: i32 = 9;

/// The section: 4 number of chunks, the directory, the chunks.
pub(crate) fn encode(skeletons: &Values) -> io::Result<Vec<u8>> {
    let chunks = skeletons.len().div_ceil(CHUNK);
    let mut out = (chunks as u32).to_le_bytes().to_vec();
    let mut data = Vec::new();
    for chunk in 0..chunks {
        let mut plain = Vec::new();
        for number in chunk * CHUNK..skeletons.len().min((chunk + 1) * CHUNK) {
            put_bytes(&mut plain, skeletons.at(number));
        }
        let stored = zstd::bulk::compress(&plain, LEVEL)?;
        out.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        out.extend_from_slice(&(plain.len() as u32).to_le_bytes());
        data.extend_from_slice(&stored);
    }
    out.extend_from_slice(&data);
    Ok(out)
}

/// The skeletons of a file, read on demand.
#[derive(Default)]
pub(super) struct SkeletonTable {
    chunks: Vec<Option<Values>>,
    held_bytes: usize,
}

impl SkeletonTable {
    /// A skeleton by its number; `part` is the section.
    pub(super) fn skeleton(
        &mut self,
        number: u32,
        part: FileSlice<'_>,
        decompressor: &mut zstd::bulk::Decompressor<'static>,
    ) -> Result<&[u8], Damage> {
        let (chunk, at) = (number as usize / CHUNK, number as usize % CHUNK);
        if self.chunks.get(chunk).is_none_or(Option::is_none) {
            let values = read(chunk, part, decompressor)?;
            if self.held_bytes > HELD_BYTES_MAX {
                self.held_bytes = 0;
                self.chunks.clear();
            }
            self.held_bytes += values.size();
            if self.chunks.len() <= chunk {
                self.chunks.resize(chunk + 1, None);
            }
            self.chunks[chunk] = Some(values);
        }
        let values = self.chunks.get(chunk).and_then(Option::as_ref).filter(|values| at < values.len());
        Ok(values.ok_or_else(|| part.damage(0, "a template that the segment does not have"))?.at(at))
    }
}

fn read(
    chunk: usize,
    part: FileSlice<'_>,
    decompressor: &mut zstd::bulk::Decompressor<'static>,
) -> Result<Values, Damage> {
    let mut reader = part.reader();
    let count = reader.u32()? as usize;
    if chunk >= count {
        return Err(part.damage(0, "a template that the segment does not have"));
    }
    let mut start = 4 + count.saturating_mul(ENTRY_BYTES);
    for _ in 0..chunk {
        start = start.saturating_add(reader.u32()? as usize);
        reader.u32()?;
    }
    let (stored, plain) = (reader.u32()? as usize, reader.u32()? as usize);
    let stored = part.piece(start, stored)?;
    let damage = || stored.damage(0, "templates do not decompress");
    if plain > CHUNK_BYTES_MAX {
        return Err(damage());
    }
    let plain = decompressor.decompress(stored.bytes, plain).map_err(|_| damage())?;
    let mut values = Values::default();
    let mut reader = FileSlice::loose(&plain).reader();
    while !reader.is_done() && values.len() < CHUNK {
        values.push(reader.bytes().map_err(|_| damage())?);
    }
    debug_assert!(values.len() <= CHUNK, "{} templates in a chunk", values.len());
    Ok(values)
}
