//! Bodies: received completely and decompressed, within limits.
//!
//! In: a request's body. Out: its bytes, and the share of the budget that they take.
//! Holds: nothing. Limits: `max-request-size()` before and after decompression, so that a small body cannot become a
//! huge one; a sender slower than [`RATE_MIN`] bytes a second runs out of time.

use crate::options::{BUDGET_UNIT, HttpOptions};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http_body_util::BodyExt;
use hyper::{
    HeaderMap,
    body::Body,
    body::Incoming,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use std::{io::Read, time::Duration};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout_at},
};

/// Bytes a second of the slowest sender.
const RATE_MIN: usize = 16 << 10;
/// Unpacked at a time.
const PIECE_BYTES: usize = 256 << 10;

/// The reason why a body was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BodyRefusal {
    /// It is too large.
    TooLarge,
    /// All bodies together are too large; later there will be space.
    Busy,
    /// It did not come in time.
    TooSlow,
    /// The connection broke.
    Broken,
    /// It is compressed in an unknown way.
    Encoding,
    /// It cannot be unpacked.
    Damaged,
}

/// A body and its share of the budget.
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    pub(super) share: BudgetShare,
}

/// A share of the budget; given back when dropped.
pub(super) struct BudgetShare(Option<OwnedSemaphorePermit>);

impl BudgetShare {
    pub(super) fn none() -> BudgetShare {
        BudgetShare(None)
    }

    /// Makes it at least `bytes` large.
    fn grow(&mut self, bytes: usize, options: &HttpOptions) -> Result<(), BodyRefusal> {
        let held = self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = bytes.div_ceil(BUDGET_UNIT).saturating_sub(held);
        let Ok(missing) = u32::try_from(missing) else { return Err(BodyRefusal::TooLarge) };
        if missing == 0 {
            return Ok(());
        }
        let more = options.budget.clone().try_acquire_many_owned(missing).map_err(|_| BodyRefusal::Busy)?;
        match &mut self.0 {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
}

/// Receives a body and unpacks it.
pub(super) async fn receive(
    body: Incoming,
    headers: &HeaderMap,
    options: &HttpOptions,
) -> Result<Whole, BodyRefusal> {
    let received = collect(body, options).await?;
    match encoding(headers)? {
        None => Ok(received),
        Some(encoding) => unpack(received, encoding, options),
    }
}

async fn collect(mut body: Incoming, options: &HttpOptions) -> Result<Whole, BodyRefusal> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > options.body_bytes_max {
        return Err(BodyRefusal::TooLarge);
    }
    let mut share = BudgetShare::none();
    share.grow(announced, options)?;
    let mut bytes = Vec::with_capacity(announced);
    let start = Instant::now() + options.timeout;
    loop {
        let frame = timeout_at(start + time_for(bytes.len()), body.frame())
            .await
            .map_err(|_| BodyRefusal::TooSlow)?;
        let Some(frame) = frame else { return Ok(Whole { bytes, share }) };
        let Ok(data) = frame.map_err(|_| BodyRefusal::Broken)?.into_data() else { continue };
        if bytes.len() + data.len() > options.body_bytes_max {
            return Err(BodyRefusal::TooLarge);
        }
        share.grow(bytes.len() + data.len(), options)?;
        bytes.extend_from_slice(&data);
    }
}

/// Returns the time that the slowest sender needs for some bytes.
fn time_for(bytes: usize) -> Duration {
    Duration::from_secs((bytes / RATE_MIN) as u64)
}

/// The compression of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
    Zstd,
    /// Snappy's block format, as Loki's clients pack.
    Snappy,
    /// One of the first three: some clients name several and use one.
    Sniffed,
}

pub(super) fn encoding(headers: &HeaderMap) -> Result<Option<Encoding>, BodyRefusal> {
    let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(None) };
    match value.to_str().unwrap_or("?").trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(None),
        "gzip" | "x-gzip" => Ok(Some(Encoding::Gzip)),
        "deflate" | "zlib" => Ok(Some(Encoding::Deflate)),
        "zstd" => Ok(Some(Encoding::Zstd)),
        "snappy" => Ok(Some(Encoding::Snappy)),
        "gzip,deflate" | "gzip, deflate" => Ok(Some(Encoding::Sniffed)),
        _ => Err(BodyRefusal::Encoding),
    }
}

/// Unpacks a body.
pub(super) fn unpack(packed: Whole, encoding: Encoding, options: &HttpOptions) -> Result<Whole, BodyRefusal> {
    let Whole { bytes, mut share } = packed;
    let bytes = match encoding {
        Encoding::Sniffed => {
            let encoding = match bytes.as_slice() {
                [0x1f, 0x8b, ..] => Encoding::Gzip,
                [0x28, 0xb5, 0x2f, 0xfd, ..] => Encoding::Zstd,
                _ => Encoding::Deflate,
            };
            return unpack(Whole { bytes, share }, encoding, options);
        }
        Encoding::Gzip => read_all(MultiGzDecoder::new(&bytes[..]), &mut share, options)?,
        Encoding::Deflate => read_all(ZlibDecoder::new(&bytes[..]), &mut share, options)?,
        Encoding::Zstd => {
            let decoder = zstd::stream::read::Decoder::with_buffer(&bytes[..]);
            read_all(decoder.map_err(|_| BodyRefusal::Damaged)?, &mut share, options)?
        }
        Encoding::Snappy => {
            let size = snap::raw::decompress_len(&bytes).map_err(|_| BodyRefusal::Damaged)?;
            if size > options.body_bytes_max {
                return Err(BodyRefusal::TooLarge);
            }
            share.grow(size, options)?;
            snap::raw::Decoder::new().decompress_vec(&bytes).map_err(|_| BodyRefusal::Damaged)?
        }
    };
    Ok(Whole { bytes, share })
}

fn read_all(
    mut reader: impl Read,
    share: &mut BudgetShare,
    options: &HttpOptions,
) -> Result<Vec<u8>, BodyRefusal> {
    let mut bytes = Vec::new();
    loop {
        share.grow(bytes.len() + PIECE_BYTES, options)?;
        let piece = (&mut reader).take(PIECE_BYTES as u64).read_to_end(&mut bytes);
        if piece.map_err(|_| BodyRefusal::Damaged)? == 0 {
            return Ok(bytes);
        }
        if bytes.len() > options.body_bytes_max {
            return Err(BodyRefusal::TooLarge);
        }
    }
}

/// Returns whether the content type has a word in it.
pub(super) fn is_of(headers: &HeaderMap, word: &str) -> bool {
    headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.contains(word))
}

#[cfg(test)]
mod tests;
