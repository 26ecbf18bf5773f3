//! The frames of an active segment: an open block, and blocks that are full and compressed.
//!
//! In: frames and texts. Out: compressed blocks; any block again. Until a dictionary was learned, full blocks wait as
//! they are. Holds: about a fifth of the received bytes, and [`BLOCK_BYTES`] of the open block.
//! Limits: a frame of any size makes a block at worst.

use super::pages;
use crate::segment::format::frame::Frames;
use zstd::zstd_safe::{CCtx, CParameter, Strategy, compress_bound};

/// Bytes of frames after which a block is full. Larger ones compress better and cost more to open for one row.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;
/// How blocks are compressed: as level 3 would, with the window of a block and its dictionary, and tables of an eighth
/// of the size. The tables are filled with the dictionary's anew for every block, and smaller ones stay in the nearest
/// cache: a sixth less time for half a percent more bytes. Measured with `segment_bench`; levels above gain little.
const COMPRESSION: [CParameter; 6] = [
    CParameter::CompressionLevel(3),
    CParameter::Strategy(Strategy::ZSTD_dfast),
    CParameter::WindowLog(18),
    CParameter::HashLog(15),
    CParameter::ChainLog(14),
    CParameter::MinMatch(6),
];

/// A compressed block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Its first document.
    pub(crate) first: u32,
    /// Where it lies among the compressed bytes.
    pub(crate) offset: u64,
    pub(crate) stored_bytes: u32,
    pub(crate) plain_bytes: u32,
}

/// A block of an active segment, wherever it is.
pub(crate) enum Found<'a> {
    Plain(&'a Frames),
    Compressed(&'a [u8], Stored),
}

/// The frames of a segment being built.
pub(crate) struct Blocks {
    compressor: CCtx<'static>,
    is_waiting: bool,
    /// Full blocks that wait for a dictionary.
    waiting: Vec<Frames>,
    pub(crate) open: Frames,
    /// First documents of the waiting blocks and of the open one; all behind the compressed ones.
    firsts: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) stored: Vec<Stored>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Blocks {
    /// No frames yet; they wait when the dictionary is still to be learned.
    /// There is room for some compressed bytes.
    pub(crate) fn new(dictionary: Option<&[u8]>, room: usize) -> Blocks {
        let mut blocks = Blocks {
            compressor: compressor(&[]),
            is_waiting: dictionary.is_none(),
            waiting: Vec::new(),
            open: Frames::default(),
            firsts: vec![0],
            bytes: pages::with_room(room),
            stored: Vec::new(),
            plain: Vec::new(),
            packed: Vec::new(),
        };
        if let Some(dictionary) = dictionary {
            blocks.compressor = compressor(dictionary);
        }
        blocks
    }

    /// Ends the open block when it is full; the next frame is of `document`.
    pub(crate) fn end_document(&mut self, document: u32) {
        if self.open.size() < BLOCK_BYTES {
            return;
        }
        if self.is_waiting {
            self.waiting.push(std::mem::take(&mut self.open));
            self.firsts.push(document + 1);
        } else {
            let open = std::mem::take(&mut self.open);
            self.compress(&open, self.firsts[0]);
            self.open = open;
            self.open.clear();
            self.firsts[0] = document + 1;
        }
    }

    fn compress(&mut self, frames: &Frames, first: u32) {
        self.plain.clear();
        frames.encode(&mut self.plain);
        self.packed.clear();
        self.packed.reserve(compress_bound(self.plain.len()));
        let size = self.compressor.compress2(&mut self.packed, &self.plain);
        let size = size.expect("the buffer has the room that compression may need");
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(&self.packed);
        self.stored.push(Stored {
            first,
            offset: offset as u64,
            stored_bytes: size as u32,
            plain_bytes: self.plain.len() as u32,
        });
    }

    /// Uses a dictionary from now on, also for what waits.
    pub(crate) fn learn(&mut self, dictionary: &[u8]) {
        assert!(self.is_waiting, "the blocks are compressed already");
        self.compressor = compressor(dictionary);
        self.compress_waiting();
        self.is_waiting = false;
    }

    fn compress_waiting(&mut self) {
        for (index, frames) in std::mem::take(&mut self.waiting).iter().enumerate() {
            self.compress(frames, self.firsts[index]);
        }
        self.firsts.drain(..self.firsts.len() - 1);
    }

    /// The blocks as they are to be stored, the waiting and the open one compressed behind the others.
    pub(crate) fn remaining(&self, dictionary: &[u8]) -> (Vec<u8>, Vec<Stored>) {
        let mut rest = Blocks::new(Some(dictionary), 0);
        let open = Some(&self.open).filter(|open| open.len() > 0);
        for (frames, first) in self.waiting.iter().chain(open).zip(&self.firsts) {
            rest.compress(frames, *first);
        }
        let shift = self.bytes.len() as u64;
        rest.stored.iter_mut().for_each(|stored| stored.offset += shift);
        (std::mem::take(&mut rest.bytes), std::mem::take(&mut rest.stored))
    }

    /// The block of a document, and its first document.
    pub(crate) fn find(&self, document: u32) -> (Found<'_>, u32) {
        if let Some(index) = self.firsts.partition_point(|first| *first <= document).checked_sub(1) {
            let frames = self.waiting.get(index).unwrap_or(&self.open);
            return (Found::Plain(frames), self.firsts[index]);
        }
        let index = self.stored.partition_point(|stored| stored.first <= document).saturating_sub(1);
        let stored = self.stored[index];
        let start = stored.offset as usize;
        let bytes = &self.bytes[start..start + stored.stored_bytes as usize];
        (Found::Compressed(bytes, stored), stored.first)
    }

    /// First document behind the block that begins with `first`.
    pub(crate) fn end_of(&self, first: u32, length: u32) -> u32 {
        let stored = self.stored.iter().map(|stored| stored.first);
        let mut firsts = stored.chain(self.firsts.iter().copied());
        firsts.find(|known| *known > first).unwrap_or(length).min(length)
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        let waiting: usize = self.waiting.iter().map(Frames::size).sum();
        self.bytes.len() + waiting + self.open.size()
    }

    /// Samples to learn from: neighbouring frames, a few KiB each.
    pub(crate) fn samples(&self, sample_bytes: usize, bytes_max: usize) -> Vec<&[u8]> {
        let step = (self.size() / bytes_max).max(1);
        let blocks = self.waiting.iter().map(Frames::bytes);
        blocks.flat_map(|bytes| bytes.chunks(sample_bytes)).step_by(step).collect()
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        pages::give_back(std::mem::take(&mut self.bytes));
    }
}

fn compressor(dictionary: &[u8]) -> CCtx<'static> {
    let mut compressor = CCtx::create();
    let set =
        COMPRESSION.into_iter().try_for_each(|parameter| compressor.set_parameter(parameter).map(|_| ()));
    set.and_then(|()| compressor.load_dictionary(dictionary).map(|_| ()))
        .expect("a compressor takes these parameters and any dictionary");
    compressor
}
