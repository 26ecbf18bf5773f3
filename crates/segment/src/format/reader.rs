//! Reads numbers and byte strings from bytes that may be damaged.
//!
//! In: bytes and their offset in the file. Out: values, or the damage and its offset. Limits: none.

/// Bytes that are not what was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Damage {
    /// Offset in the file.
    pub(crate) offset: u64,
    pub(crate) what: &'static str,
}

/// Bytes of a file, and their offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileSlice<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: u64,
}

impl<'a> FileSlice<'a> {
    /// Wraps bytes that are not from a file.
    pub(crate) fn loose(bytes: &'a [u8]) -> FileSlice<'a> {
        FileSlice { bytes, offset: 0 }
    }

    /// A piece of the part.
    pub(crate) fn piece(&self, start: usize, length: usize) -> Result<FileSlice<'a>, Damage> {
        let bytes = start.checked_add(length).and_then(|end| self.bytes.get(start..end));
        let bytes = bytes.ok_or_else(|| self.damage(start, "a piece lies outside its section"))?;
        Ok(FileSlice { bytes, offset: self.offset + start as u64 })
    }

    /// Returns the damage at an offset of the slice.
    pub(crate) fn damage(&self, at: usize, what: &'static str) -> Damage {
        Damage { offset: self.offset.saturating_add(at as u64), what }
    }

    /// Reads from the start.
    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader { part: *self, at: 0 }
    }
}

/// Reads a part from start to end.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    part: FileSlice<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Returns true when everything was read.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.part.bytes.len()
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Returns damage at the present offset.
    #[cold]
    pub(crate) fn damage(&self, what: &'static str) -> Damage {
        self.part.damage(self.at, what)
    }

    /// The next `length` bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let bytes = self.part.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        let bytes = bytes.ok_or_else(|| self.damage("it ends in the middle of a value"))?;
        self.at += length;
        Ok(bytes)
    }

    /// All that is not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.part.bytes.get(self.at..).unwrap_or_default()
    }

    /// Continues after bytes that were examined already.
    #[inline]
    pub(crate) fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Returns the next `N` bytes without consuming them, if there are that many.
    #[inline]
    pub(crate) fn peek<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.part.bytes.get(self.at..)?.first_chunk()
    }

    /// The next `length` bytes as a part.
    pub(crate) fn take_part(&mut self, length: usize) -> Result<FileSlice<'a>, Damage> {
        let offset = self.part.offset + self.at as u64;
        Ok(FileSlice { bytes: self.take(length)?, offset })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let damage = self.damage("it ends in the middle of a number");
        let bytes = self.part.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        self.at += N;
        bytes.copied().ok_or(damage)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Damage> {
        match self.part.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.damage("it ends in the middle of a number")),
        }
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Damage> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damage> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Damage> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A number of 7 bits a byte, low bits first.
    #[inline(always)]
    pub(crate) fn varint(&mut self) -> Result<u64, Damage> {
        let first = self.byte()?;
        if first < 128 {
            return Ok(u64::from(first));
        }
        self.long_varint(first)
    }

    #[inline(never)]
    fn long_varint(&mut self, first: u8) -> Result<u64, Damage> {
        let mut value = u64::from(first & 127);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(self.damage("a number has too many bytes"))
    }

    /// A number that must be at most `limit`.
    #[inline]
    pub(crate) fn varint_to(&mut self, limit: usize) -> Result<usize, Damage> {
        let value = self.varint()?;
        if value > limit as u64 {
            return Err(self.damage("a number is larger than it can be"));
        }
        Ok(value as usize)
    }

    /// A byte string with its length before it.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Damage> {
        let length = self.varint_to(self.part.bytes.len())?;
        self.take(length)
    }
}

/// Appends a number of 7 bits a byte.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a byte string with its length before it.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
