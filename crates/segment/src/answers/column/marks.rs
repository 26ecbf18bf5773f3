//! Computes which of 64 documents have a wanted value id, as the bits of a word.
//!
//! In: value ids. Out: a bit for each, the first in the lowest. Holds: the wanted ids. Limits: ids have 31 bits
//! at most.

/// Consecutive value ids, such as those of all values with a common prefix.
pub(crate) struct ValueIdRange {
    first: u32,
    /// The last, counted from the first.
    span: u32,
}

impl ValueIdRange {
    /// Makes a range of value ids without duplicates and without 0; `None` when they are not consecutive, or there are
    /// none.
    pub(crate) fn of(value_ids: &[u32]) -> Option<ValueIdRange> {
        let (first, last) = value_ids
            .iter()
            .fold((u32::MAX, 0), |(first, last), value_id| (first.min(*value_id), last.max(*value_id)));
        let span = last.checked_sub(first)?;
        (span as usize + 1 == value_ids.len()).then_some(ValueIdRange { first, span })
    }

    /// The same value ids as a column writes them that counts from 0.
    pub(crate) fn less_one(&self) -> ValueIdRange {
        ValueIdRange { first: self.first.wrapping_sub(1), span: self.span }
    }

    /// Returns true when a value id is one of them.
    pub(crate) fn have(&self, value_id: u32) -> bool {
        value_id.wrapping_sub(self.first) <= self.span
    }

    /// Returns a bit for each value id, set when it is in the range.
    #[inline]
    pub(crate) fn marks(&self, value_ids: &[u32; 64]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        return sse2::marks(self, value_ids);
        #[cfg(not(target_arch = "x86_64"))]
        gathered(&value_ids.map(|value_id| u8::from(self.have(value_id))))
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse2 {
    //! Safety: every x86-64 has SSE2; nothing is read or written through pointers.

    use super::ValueIdRange;
    use std::arch::x86_64::*;

    #[inline(always)]
    pub(super) fn marks(range: &ValueIdRange, value_ids: &[u32; 64]) -> u64 {
        // Safety: see the module.
        unsafe { vectors(range, value_ids) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn vectors(range: &ValueIdRange, value_ids: &[u32; 64]) -> u64 {
        let first = _mm_set1_epi32(range.first as i32);
        let span = _mm_set1_epi32(range.span as i32);
        // The highest bit of the differences is sufficient; comparing takes longer.
        let outside = |[a, b, c, d]: [u32; 4]| {
            let behind = _mm_sub_epi32(_mm_set_epi32(d as i32, c as i32, b as i32, a as i32), first);
            _mm_or_si128(behind, _mm_sub_epi32(span, behind))
        };
        let mut word = 0;
        for (at, [a, b, c, d]) in value_ids.as_chunks::<4>().0.as_chunks::<4>().0.iter().enumerate() {
            // Packing keeps the sign of each.
            let low = _mm_packs_epi32(outside(*a), outside(*b));
            let high = _mm_packs_epi32(outside(*c), outside(*d));
            let sixteen = _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u16;
            word |= u64::from(!sixteen) << (at * 16);
        }
        word
    }
}

/// The lowest bits of 64 bytes that are 0 or 1.
pub(super) fn gathered(flags: &[u8; 64]) -> u64 {
    /// Brings the lowest bit of each byte into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let eights = flags.as_chunks::<8>().0.iter().enumerate();
    eights.fold(0, |word, (at, eight)| {
        word | (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (at * 8)
    })
}

#[cfg(test)]
mod tests;
