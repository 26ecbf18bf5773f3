//! 64-bit integers in receive order: times, positions of texts.
//!
//! In: numbers. Out: blocks of 256, each with its smallest number, a common unit and the bits that the differences
//! need; any number is found through a directory of 16 bytes per block. A column of one value has no blocks.
//! Limits: 2^32 bytes of blocks.

use super::{
    Damage, FileSlice,
    ordinals::{self, GROUP, group_bytes, width_of},
};

/// Numbers of a block.
pub(crate) const BLOCK: usize = 2 * GROUP;
const ENTRY_BYTES: usize = 16;
/// Differences in blocks of this width are stored as they are, 8 bytes each.
const WIDE: u8 = 64;
/// Units that times come in, in microseconds. Stored by index.
const UNITS: [u64; 3] = [1_000_000, 1_000, 1];

/// Appends a column: a byte that says whether all numbers are equal, then that number, or directory and blocks.
pub(crate) fn encode(numbers: &[i64], out: &mut Vec<u8>) {
    let first = numbers.first().copied().unwrap_or(0);
    if numbers.iter().all(|number| *number == first) {
        out.push(0);
        out.extend_from_slice(&first.to_le_bytes());
        return;
    }
    out.push(1);
    let mut data = Vec::new();
    for block in numbers.chunks(BLOCK) {
        let offset = data.len() as u32;
        let (smallest, unit, width) = encode_block(block, &mut data);
        out.extend_from_slice(&smallest.to_le_bytes());
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(&[unit, width, 0, 0]);
    }
    out.extend_from_slice(&data);
}

fn encode_block(block: &[i64], data: &mut Vec<u8>) -> (i64, u8, u8) {
    debug_assert!((1..=BLOCK).contains(&block.len()), "a block of {} numbers", block.len());
    let smallest = block.iter().copied().min().unwrap_or(0);
    let differences: Vec<u64> = block.iter().map(|number| number.wrapping_sub(smallest) as u64).collect();
    let fits = |unit: &&u64| differences.iter().all(|difference| difference.is_multiple_of(**unit));
    let unit = UNITS.iter().find(fits).copied().unwrap_or(1);
    let index = UNITS.iter().position(|known| *known == unit).unwrap_or(UNITS.len() - 1);
    let largest = differences.iter().max().map_or(0, |largest| largest / unit);
    let Ok(largest) = u32::try_from(largest) else {
        differences.iter().for_each(|difference| data.extend_from_slice(&(difference / unit).to_le_bytes()));
        return (smallest, index as u8, WIDE);
    };
    let width = width_of(largest);
    let small: Vec<u32> = differences.iter().map(|difference| (difference / unit) as u32).collect();
    ordinals::encode(&small, width, data);
    (smallest, index as u8, width)
}

/// A column of numbers as stored.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a> {
    count: usize,
    one: Option<i64>,
    directory: FileSlice<'a>,
    data: FileSlice<'a>,
}

impl<'a> Numbers<'a> {
    /// Reads the head of a column of `count` numbers.
    pub(crate) fn open(part: FileSlice<'a>, count: usize) -> Result<Numbers<'a>, Damage> {
        let mut reader = part.reader();
        if reader.byte()? == 0 {
            let one = Some(reader.i64()?);
            return Ok(Numbers { count, one, directory: FileSlice::default(), data: FileSlice::default() });
        }
        let directory = reader.take_part(count.div_ceil(BLOCK).saturating_mul(ENTRY_BYTES))?;
        let at = reader.position();
        let data = part.piece(at, part.bytes.len() - at)?;
        Ok(Numbers { count, one: None, directory, data })
    }

    fn entry(&self, block: usize) -> Result<(i64, usize, u64, u8), Damage> {
        let mut reader = self.directory.piece(block.saturating_mul(ENTRY_BYTES), ENTRY_BYTES)?.reader();
        let (smallest, offset) = (reader.i64()?, reader.u32()? as usize);
        let unit = UNITS.get(usize::from(reader.byte()?));
        let unit = *unit.ok_or_else(|| reader.damage("unknown unit"))?;
        Ok((smallest, offset, unit, reader.byte()?))
    }

    /// The smallest number of a block.
    pub(crate) fn smallest(&self, block: usize) -> Result<i64, Damage> {
        match self.one {
            Some(one) => Ok(one),
            None => Ok(self.entry(block)?.0),
        }
    }

    /// The numbers of a block.
    pub(crate) fn block(&self, block: usize) -> Result<Vec<i64>, Damage> {
        let length = self.count.saturating_sub(block * BLOCK).min(BLOCK);
        if let Some(one) = self.one {
            return Ok(vec![one; length]);
        }
        let (smallest, offset, unit, width) = self.entry(block)?;
        let add = |difference: u64| smallest.wrapping_add(difference.wrapping_mul(unit) as i64);
        if width == WIDE {
            let mut reader = self.data.piece(offset, length * 8)?.reader();
            return (0..length).map(|_| Ok(add(reader.u64()?))).collect();
        }
        let groups = length.div_ceil(GROUP);
        let packed = self.data.piece(offset, group_bytes(width).saturating_mul(groups))?;
        let mut numbers = Vec::with_capacity(groups * GROUP);
        let mut small = [0; GROUP];
        for group in 0..groups {
            ordinals::decode_group(&packed, group, width, &mut small)?;
            numbers.extend(small.iter().map(|difference| add(u64::from(*difference))));
        }
        numbers.truncate(length);
        debug_assert_eq!(numbers.len(), length, "a block that is shorter than the column says");
        Ok(numbers)
    }

    /// In ascending numbers, the first index whose number is at least `bound`.
    pub(crate) fn lower_bound(&self, bound: i64) -> Result<usize, Damage> {
        if let Some(one) = self.one {
            return Ok(if one < bound { self.count } else { 0 });
        }
        let (mut low, mut high) = (0, self.count.div_ceil(BLOCK));
        while low < high {
            let middle = low.midpoint(high);
            if self.smallest(middle)? < bound { low = middle + 1 } else { high = middle }
        }
        // The block before the first that starts at or above the bound may end above it.
        let Some(block) = low.checked_sub(1) else { return Ok(0) };
        let inside = self.block(block)?.partition_point(|number| *number < bound);
        Ok(block * BLOCK + inside)
    }
}
