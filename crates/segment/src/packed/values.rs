//! Byte strings, one after the other: the values of a slot's rows.
//!
//! In: strings. Out: the same by number. Holds: all of them in one buffer. Limits: 4 GiB; a decoder says its own.

/// A list of byte strings.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Values {
    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all strings.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the string at `index`; empty when there is none.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends.get(before).copied().unwrap_or(0));
        let end = self.ends.get(index).copied().unwrap_or(start);
        &self.bytes[start as usize..end as usize]
    }

    /// All strings.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.at(index))
    }

    /// Appends a string.
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.end();
    }

    /// Returns the buffer of the next string, before it is ended.
    #[inline]
    pub(crate) fn open(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Ends the string that was written.
    #[inline]
    pub(crate) fn end(&mut self) {
        debug_assert!(self.bytes.len() <= u32::MAX as usize, "4 GiB of values");
        self.ends.push(self.bytes.len() as u32);
    }

    /// Removes all strings.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}
