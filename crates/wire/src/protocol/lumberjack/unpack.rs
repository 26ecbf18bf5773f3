//! A compressed frame, unpacked as it is read.
//!
//! In: parts of a zlib stream. Out: the steps of a scanner in its content. Holds: one piece of the content.
//! Limits: [`PIECE_BYTES`] are unpacked at a time; the stream has to end where the frame does.

use super::scan::{Level, LumberjackBatch, LumberjackError, Scanner, Step};
use flate2::{Decompress, FlushDecompress, Status};

/// Bytes that are unpacked at a time.
const PIECE_BYTES: usize = 16 << 10;

/// A compressed frame.
pub(super) struct Unpacker {
    inflate: Decompress,
    /// Bytes of the frame that are to come.
    missing: usize,
    piece: Vec<u8>,
    /// Bytes of the piece that were read.
    read: usize,
    has_ended: bool,
}

impl Unpacker {
    pub(super) fn new(size: usize) -> Unpacker {
        Unpacker {
            inflate: Decompress::new(true),
            missing: size,
            piece: Vec::with_capacity(PIECE_BYTES),
            read: 0,
            has_ended: false,
        }
    }

    /// Returns whether the frame was read to its end.
    pub(super) fn is_done(&self) -> bool {
        self.missing == 0 && self.has_ended && self.read == self.piece.len()
    }

    /// Returns whether there may be content without further bytes: a full piece may not be all that was unpacked.
    pub(super) fn has_more(&self) -> bool {
        self.read < self.piece.len() || !self.has_ended && self.piece.len() == PIECE_BYTES || self.is_done()
    }

    /// Reads until something is found. Returns how many bytes of the frame were used.
    pub(super) fn next(
        &mut self,
        bytes: &[u8],
        scanner: &mut Scanner,
        limit: usize,
        batch: &mut LumberjackBatch,
    ) -> Result<(usize, Option<Step>), LumberjackError> {
        let mut at = 0;
        loop {
            if self.read < self.piece.len() {
                let (used, found) = scanner.next(&self.piece[self.read..], Level::Inner, limit, batch)?;
                self.read += used;
                if found.is_some() {
                    return Ok((at, found));
                }
                continue;
            }
            if self.has_ended {
                return match self.missing {
                    0 => Ok((at, None)),
                    _ => Err(LumberjackError("a compressed frame is longer than its content")),
                };
            }
            let part = &bytes[at..][..self.missing.min(bytes.len() - at)];
            let before = self.inflate.total_in();
            self.piece.clear();
            self.read = 0;
            let status = self.inflate.decompress_vec(part, &mut self.piece, FlushDecompress::None);
            let used = usize::try_from(self.inflate.total_in() - before).unwrap_or(usize::MAX);
            at += used;
            self.missing -= used;
            match status {
                Ok(Status::StreamEnd) => self.has_ended = true,
                Ok(_) if used == 0 && self.piece.is_empty() => {
                    return match self.missing {
                        0 => Err(LumberjackError("a compressed frame ends before its content")),
                        _ => Ok((at, None)),
                    };
                }
                Ok(_) => {}
                Err(_) => return Err(LumberjackError("a compressed frame cannot be unpacked")),
            }
        }
    }
}
