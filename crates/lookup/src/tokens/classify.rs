//! The byte classifier: lower-cases a text and marks the bytes that tokens are made of, 32 at a time where AVX2 is
//! available.
//!
//! In: text. Out: lower-cased bytes, one bit per byte, and whether there are others than ASCII, which this file takes for
//! token bytes. Holds nothing. Limits: the outputs must be long enough.

/// The letters of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Letters {
    Ascii,
    OfAllScripts,
}

impl Letters {
    /// The letters of bytes by whether the highest bit is set in any of them.
    fn of(high_bits: u32) -> Letters {
        if high_bits == 0 { Letters::Ascii } else { Letters::OfAllScripts }
    }
}

/// Returns true when a byte belongs to tokens.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || byte >= 0x80
}

/// Fills `lowered` with the lower-cased text and sets the bits of token bytes in `masks`, which must be zero.
pub(super) fn lower_and_mark(text: &[u8], lowered: &mut [u8], masks: &mut [u64]) -> Letters {
    assert!(
        lowered.len() >= text.len() && masks.len() * 64 >= text.len(),
        "no space for {} bytes",
        text.len()
    );
    #[cfg(target_arch = "x86_64")]
    if avx2::is_available() {
        return avx2::lower_and_mark(text, lowered, masks);
    }
    scalar(text, 0, lowered, masks)
}

/// Does the same byte by byte, from `from` on.
pub(super) fn scalar(text: &[u8], from: usize, lowered: &mut [u8], masks: &mut [u64]) -> Letters {
    for (index, &byte) in text.iter().enumerate().skip(from) {
        lowered[index] = byte.to_ascii_lowercase();
        masks[index >> 6] |= u64::from(is_token(byte)) << (index & 63);
    }
    Letters::of(text.iter().fold(0, |bits, byte| bits | u32::from(byte & 0x80)))
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    //! Safety: `vectors` needs AVX2, which `lower_and_mark` is only called with (see `is_available`); it touches
    //! only whole groups of 32 bytes inside `text` and `lowered`, whose lengths the caller checked.

    use super::Letters;
    use std::arch::x86_64::*;

    /// For each low half of a byte, the high halves (as bits) with which it is a token byte below 0x80.
    const LOW_HALVES: [u8; 16] = {
        let mut table = [0; 16];
        let mut byte = 0;
        while byte < 128 {
            if super::is_token(byte) {
                table[(byte & 15) as usize] |= 1 << (byte >> 4);
            }
            byte += 1;
        }
        table
    };
    const HIGH_HALVES: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

    pub(super) fn is_available() -> bool {
        is_x86_feature_detected!("avx2")
    }

    pub(super) fn lower_and_mark(text: &[u8], lowered: &mut [u8], masks: &mut [u64]) -> Letters {
        debug_assert!(is_available());
        let whole = text.len() & !31;
        // Safety: see the module.
        let mut high = unsafe { vectors(&text[..whole], &mut lowered[..whole], masks) };
        if whole < text.len() {
            let mut group = [0; 32];
            let mut group_lowered = [0; 32];
            let rest = text.len() - whole;
            group[..rest].copy_from_slice(&text[whole..]);
            let mut mask = [0];
            // Safety: one whole group. The zeros after the text are not token bytes.
            high |= unsafe { vectors(&group, &mut group_lowered, &mut mask) };
            lowered[whole..text.len()].copy_from_slice(&group_lowered[..rest]);
            masks[whole >> 6] |= mask[0] << (whole & 32);
        }
        Letters::of(high)
    }

    #[target_feature(enable = "avx2")]
    unsafe fn vectors(text: &[u8], lowered: &mut [u8], masks: &mut [u64]) -> u32 {
        // SAFETY: the table has the 16 bytes that are loaded.
        let pair = |table: &[u8; 16]| unsafe {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast::<__m128i>()))
        };
        let (low_halves, high_halves) = (pair(&LOW_HALVES), pair(&HIGH_HALVES));
        let (zero, fifteen) = (_mm256_setzero_si256(), _mm256_set1_epi8(15));
        let (before_a, behind_z) = (_mm256_set1_epi8(b'A' as i8 - 1), _mm256_set1_epi8(b'Z' as i8 + 1));
        let case = _mm256_set1_epi8(0x20);
        let mut beyond_ascii = 0;
        for (index, (from, to)) in text.chunks_exact(32).zip(lowered.chunks_exact_mut(32)).enumerate() {
            // SAFETY: `chunks_exact` gives 32 bytes, which are what is loaded.
            let bytes = unsafe { _mm256_loadu_si256(from.as_ptr().cast::<__m256i>()) };
            // A shuffle by a byte from 0x80 up gives 0; such bytes are added by their sign bit below.
            let low = _mm256_shuffle_epi8(low_halves, bytes);
            let high =
                _mm256_shuffle_epi8(high_halves, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), fifteen));
            let outside = _mm256_cmpeq_epi8(_mm256_and_si256(low, high), zero);
            let high_bits = _mm256_movemask_epi8(bytes) as u32;
            beyond_ascii |= high_bits;
            let mask = !(_mm256_movemask_epi8(outside) as u32) | high_bits;
            let upper =
                _mm256_and_si256(_mm256_cmpgt_epi8(bytes, before_a), _mm256_cmpgt_epi8(behind_z, bytes));
            let lower = _mm256_or_si256(bytes, _mm256_and_si256(upper, case));
            // SAFETY: `chunks_exact_mut` gives 32 bytes, which are what is written.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast::<__m256i>(), lower) };
            masks[index >> 1] |= u64::from(mask) << ((index & 1) * 32);
        }
        beyond_ascii
    }
}
