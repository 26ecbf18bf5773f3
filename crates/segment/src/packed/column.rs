//! The values of one slot of a template, in the most compact form.
//!
//! In: the values of neighbouring rows. Out: pieces of a unit's streams, and the values again.
//! Holds nothing. Limits: a decoder makes at most [`COLUMN_BYTES_MAX`] bytes of values.

use super::{
    shape::{self, RUNS_MAX, Shape},
    values::Values,
};
use crate::format::{Damage, FileSlice, Reader, bits, put_varint};
use std::collections::HashMap;

/// Most bytes that the values of a column may unpack to.
pub(crate) const COLUMN_BYTES_MAX: usize = 64 << 20;
/// Hexadecimal strings shorter than this are better off as text or as numbers.
const HEX_DIGITS_MIN: usize = 5;
/// Approximate bits per byte of compressed text, which the other forms must beat.
const TEXT_BITS: usize = 4;
/// Numbers that differ by less may be stored as bytes, which are compressed.
const BYTE_RANGE: u64 = 256;

/// The forms of a column. The numbers are stored in files.
const TEXT: u8 = 0;
const LENGTHS: u8 = 1;
const SAME: u8 = 2;
const LOWER_HEX: u8 = 3;
const UPPER_HEX: u8 = 4;
const SHAPE: u8 = 5;
const DISTINCT: u8 = 6;
const EARLIER: u8 = 7;

/// The forms of the numbers of a shape.
const PLAIN: u8 = 0;
const STEPS: u8 = 1;
const BYTES: u8 = 2;

/// Streams that the columns of a unit are written to.
#[derive(Default, Debug)]
pub(crate) struct Streams {
    /// Forms and sizes.
    pub(crate) heads: Vec<u8>,
    /// Text.
    pub(crate) text: Vec<u8>,
    /// Small numbers, a byte each.
    pub(crate) small: Vec<u8>,
    /// Packed numbers, which no compression makes smaller.
    pub(crate) packed: Vec<u8>,
}

impl Streams {
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.text.clear();
        self.small.clear();
        self.packed.clear();
    }
}

/// The letters of hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
}

/// The source of a column's values: rows, or the distinct values of another column. The latter are all different,
/// and a file that nests deeper is damaged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Rows,
    Distinct,
}

/// A form, with the details needed to write it.
enum Plan {
    Text,
    Lengths,
    Same,
    /// The case of the digits; length of the common prefix.
    Hex(Case, usize),
    Shape(Shape),
    Distinct(Values, Vec<u32>, Box<Plan>),
    Earlier(usize),
}

/// Appends how many columns some rows have; the columns follow.
pub(crate) fn begin(columns: usize, out: &mut Streams) {
    put_varint(&mut out.heads, columns as u64);
}

/// Appends a column. `earlier` are those of the same rows before it.
pub(crate) fn encode(values: &Values, earlier: &[Values], out: &mut Streams) {
    let first = values.at(0);
    let plan = if values.iter().all(|value| value == first) {
        Plan::Same
    } else if let Some(index) = earlier.iter().position(|other| other == values) {
        Plan::Earlier(index)
    } else {
        plan(values, Depth::Rows).0
    };
    write(&plan, values, out);
}

/// The best form, and its bits.
fn plan(values: &Values, depth: Depth) -> (Plan, usize) {
    if values.iter().any(|value| value.contains(&b'\n')) {
        return (Plan::Lengths, usize::MAX);
    }
    let mut best = (Plan::Text, (values.size() + values.len()) * TEXT_BITS);
    if let Some((case, head)) = hex(values) {
        let bits = (values.at(0).len() - head) * 4 * values.len();
        if bits < best.1 {
            best = (Plan::Hex(case, head), bits);
        }
    }
    if let Some(shape) = shape::take_apart(values) {
        let bits = shape.numbers.iter().map(|numbers| Packing::of(numbers).bits).sum();
        if bits < best.1 {
            best = (Plan::Shape(shape), bits);
        }
    }
    if depth == Depth::Rows {
        let (distinct, ordinals) = distinct(values);
        if distinct.len() * 4 < values.len() * 3 {
            let (nested, bits) = plan(&distinct, Depth::Distinct);
            let bits = bits.saturating_add(ordinal_bits(&ordinals, distinct.len()));
            if bits < best.1 {
                best = (Plan::Distinct(distinct, ordinals, Box::new(nested)), bits);
            }
        }
    }
    best
}

fn distinct(values: &Values) -> (Values, Vec<u32>) {
    let mut known: HashMap<&[u8], u32> = HashMap::with_capacity(values.len());
    let mut distinct = Values::default();
    let mut ordinals = Vec::with_capacity(values.len());
    for value in values.iter() {
        let next = distinct.len() as u32;
        let ordinal = *known.entry(value).or_insert(next);
        if ordinal == next {
            distinct.push(value);
        }
        ordinals.push(ordinal);
    }
    (distinct, ordinals)
}

fn ordinal_bits(ordinals: &[u32], distinct: usize) -> usize {
    let width = bits::width_of(distinct.saturating_sub(1) as u64) as usize;
    width * ordinals.len()
}

/// Estimates the bits that numbers below 256 take when compressed.
fn entropy_bits(numbers: impl Iterator<Item = u8>) -> usize {
    let mut counts = [0u32; 256];
    let mut total = 0;
    for number in numbers {
        counts[usize::from(number)] += 1;
        total += 1;
    }
    let each = |count: &u32| f64::from(*count) * (f64::from(total) / f64::from(*count)).log2();
    counts.iter().filter(|count| **count > 0).map(each).sum::<f64>() as usize
}

/// Returns the case and the length when all strings, after their common prefix, are hexadecimal numbers of one length.
fn hex(values: &Values) -> Option<(Case, usize)> {
    let first = values.at(0);
    if values.iter().any(|value| value.len() != first.len()) {
        return None;
    }
    let shared = |value: &[u8]| value.iter().zip(first).take_while(|(a, b)| a == b).count();
    let head = values.iter().map(shared).min().unwrap_or(0);
    if first.len() - head < HEX_DIGITS_MIN {
        return None;
    }
    let (mut lower, mut upper) = (true, true);
    for digit in values.iter().flat_map(|value| &value[head..]) {
        lower &= matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        upper &= matches!(digit, b'0'..=b'9' | b'A'..=b'F');
        if !lower && !upper {
            return None;
        }
    }
    Some((if lower { Case::Lower } else { Case::Upper }, head))
}

fn write(plan: &Plan, values: &Values, out: &mut Streams) {
    match plan {
        Plan::Text => {
            out.heads.push(TEXT);
            put_varint(&mut out.heads, (values.size() + values.len()) as u64);
            for value in values.iter() {
                out.text.extend_from_slice(value);
                out.text.push(b'\n');
            }
        }
        Plan::Lengths => {
            out.heads.push(LENGTHS);
            let start = out.text.len();
            for value in values.iter() {
                put_varint(&mut out.text, value.len() as u64);
                out.text.extend_from_slice(value);
            }
            put_varint(&mut out.heads, (out.text.len() - start) as u64);
        }
        Plan::Same => {
            out.heads.push(SAME);
            put_text(values.at(0), out);
        }
        Plan::Hex(case, head) => {
            out.heads.push(match case {
                Case::Lower => LOWER_HEX,
                Case::Upper => UPPER_HEX,
            });
            put_text(&values.at(0)[..*head], out);
            put_varint(&mut out.heads, (values.at(0).len() - head) as u64);
            let digit = |digit: &u8| u64::from(if *digit <= b'9' { digit & 15 } else { (digit & 7) + 9 });
            let digits = values.iter().flat_map(|value| value[*head..].iter().map(digit));
            bits::encode(digits, 4, &mut out.packed);
        }
        Plan::Shape(shape) => {
            out.heads.push(SHAPE);
            out.heads.push(shape.pads.len() as u8);
            shape.literals.iter().for_each(|literal| put_text(literal, out));
            for (numbers, pad) in shape.numbers.iter().zip(&shape.pads) {
                out.heads.push(*pad);
                put_numbers(numbers, out);
            }
        }
        Plan::Distinct(distinct, ordinals, nested) => {
            out.heads.push(DISTINCT);
            put_varint(&mut out.heads, distinct.len() as u64);
            write(nested, distinct, out);
            if distinct.len() <= BYTE_RANGE as usize {
                out.small.extend(ordinals.iter().map(|ordinal| *ordinal as u8));
            } else {
                let width = bits::width_of(distinct.len() as u64 - 1);
                bits::encode(ordinals.iter().map(|ordinal| u64::from(*ordinal)), width, &mut out.packed);
            }
        }
        Plan::Earlier(index) => {
            out.heads.push(EARLIER);
            put_varint(&mut out.heads, *index as u64);
        }
    }
}

fn put_text(text: &[u8], out: &mut Streams) {
    put_varint(&mut out.heads, text.len() as u64);
    out.text.extend_from_slice(text);
}

/// The packing of the numbers at one position.
struct Packing {
    form: u8,
    smallest: u64,
    width: u32,
    bits: usize,
}

impl Packing {
    fn of(numbers: &[u64]) -> Packing {
        let (smallest, largest) = numbers
            .iter()
            .fold((u64::MAX, 0), |(small, large), number| (small.min(*number), large.max(*number)));
        let width = bits::width_of(largest - smallest);
        let mut best = Packing { form: PLAIN, smallest, width, bits: width as usize * numbers.len() };
        let steps = numbers.windows(2).map(|pair| zigzag(pair[0], pair[1])).max().unwrap_or(0);
        let step_width = bits::width_of(steps);
        if (step_width as usize) * numbers.len() + 64 < best.bits {
            let bits = step_width as usize * numbers.len() + 64;
            best = Packing { form: STEPS, smallest: numbers[0], width: step_width, bits };
        }
        if largest - smallest < BYTE_RANGE && width > 0 {
            let bits = entropy_bits(numbers.iter().map(|number| (number - smallest) as u8)) * 9 / 8;
            if bits < best.bits {
                best = Packing { form: BYTES, smallest, width: 8, bits };
            }
        }
        best
    }
}

/// The step between two numbers below 2^63, so that small steps of either sign are small numbers.
fn zigzag(from: u64, to: u64) -> u64 {
    let step = to as i64 - from as i64;
    (step << 1 ^ step >> 63) as u64
}

fn unzigzag(step: u64) -> i64 {
    (step >> 1) as i64 ^ -((step & 1) as i64)
}

fn put_numbers(numbers: &[u64], out: &mut Streams) {
    let Packing { form, smallest, width, .. } = Packing::of(numbers);
    out.heads.push(form);
    put_varint(&mut out.heads, smallest);
    match form {
        PLAIN => {
            out.heads.push(width as u8);
            bits::encode(numbers.iter().map(|number| number - smallest), width, &mut out.packed);
        }
        STEPS => {
            out.heads.push(width as u8);
            let steps = numbers.windows(2).map(|pair| zigzag(pair[0], pair[1]));
            bits::encode(steps, width, &mut out.packed);
        }
        _ => out.small.extend(numbers.iter().map(|number| (number - smallest) as u8)),
    }
}

/// Reads the streams of a unit, column by column.
pub(crate) struct Cursor<'a> {
    pub(crate) heads: Reader<'a>,
    pub(crate) text: Reader<'a>,
    pub(crate) small: Reader<'a>,
    pub(crate) packed: Reader<'a>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(
        heads: FileSlice<'a>,
        text: FileSlice<'a>,
        small: FileSlice<'a>,
        packed: FileSlice<'a>,
    ) -> Cursor<'a> {
        Cursor { heads: heads.reader(), text: text.reader(), small: small.reader(), packed: packed.reader() }
    }

    fn text(&mut self) -> Result<&'a [u8], Damage> {
        let size = self.heads.varint_to(COLUMN_BYTES_MAX)?;
        self.text.take(size)
    }

    fn bits(&mut self, count: usize, width: u32) -> Result<&'a [u8], Damage> {
        self.packed.take(bits::size_of(count, width))
    }

    /// Skips all columns of `rows` rows.
    pub(crate) fn skip_all(&mut self, rows: usize) -> Result<(), Damage> {
        let count = self.heads.varint_to(COLUMN_BYTES_MAX)?;
        (0..count).try_for_each(|_| self.column(rows, &[], None, Depth::Rows))
    }

    /// Reads all columns of `rows` rows.
    pub(crate) fn read_all(&mut self, rows: usize) -> Result<Vec<Values>, Damage> {
        let count = self.heads.varint_to(COLUMN_BYTES_MAX)?;
        let mut columns = Vec::new();
        let mut size = 0;
        for _ in 0..count {
            let mut values = Values::default();
            self.column(rows, &columns, Some(&mut values), Depth::Rows)?;
            size += values.size();
            if size > COLUMN_BYTES_MAX {
                return Err(self.heads.damage("columns are larger than they can be"));
            }
            columns.push(values);
        }
        Ok(columns)
    }

    fn column(
        &mut self,
        rows: usize,
        earlier: &[Values],
        out: Option<&mut Values>,
        depth: Depth,
    ) -> Result<(), Damage> {
        let form = self.heads.byte()?;
        match form {
            TEXT => {
                let text = self.text()?;
                out.map_or(Ok(()), |out| lines(text, rows, out, &self.text))
            }
            LENGTHS => {
                let text = self.text()?;
                out.map_or(Ok(()), |out| {
                    let mut reader = FileSlice::loose(text).reader();
                    (0..rows).try_for_each(|_| reader.bytes().map(|value| out.push(value)))
                })
            }
            SAME => {
                let text = self.text()?;
                self.bound(text.len(), rows)?;
                out.into_iter().for_each(|out| (0..rows).for_each(|_| out.push(text)));
                Ok(())
            }
            LOWER_HEX => self.hex(rows, Case::Lower, out),
            UPPER_HEX => self.hex(rows, Case::Upper, out),
            SHAPE => self.shape(rows, out),
            DISTINCT if depth == Depth::Rows => self.distinct(rows, out),
            EARLIER => {
                let index = self.heads.varint_to(u32::MAX as usize)?;
                let Some(out) = out else { return Ok(()) };
                let known = earlier.get(index).filter(|known| known.len() == rows);
                *out = known.ok_or_else(|| self.heads.damage("a column like one that is not there"))?.clone();
                Ok(())
            }
            _ => Err(self.heads.damage("unknown form of a column")),
        }
    }

    fn bound(&self, bytes: usize, rows: usize) -> Result<(), Damage> {
        match bytes.saturating_mul(rows) <= COLUMN_BYTES_MAX {
            true => Ok(()),
            false => Err(self.heads.damage("a column is larger than it can be")),
        }
    }

    fn hex(&mut self, rows: usize, case: Case, out: Option<&mut Values>) -> Result<(), Damage> {
        let head = self.text()?;
        let digits = self.heads.varint_to(COLUMN_BYTES_MAX)?;
        self.bound(head.len() + digits, rows)?;
        let packed = self.bits(rows * digits, 4)?;
        let Some(out) = out else { return Ok(()) };
        let alphabet: &[u8; 16] = match case {
            Case::Lower => b"0123456789abcdef",
            Case::Upper => b"0123456789ABCDEF",
        };
        let mut at = 0;
        for _ in 0..rows {
            let value = out.open();
            value.extend_from_slice(head);
            for index in at..at + digits {
                let byte = packed.get(index / 2).copied().unwrap_or(0);
                value.push(alphabet[usize::from(if index % 2 == 0 { byte & 15 } else { byte >> 4 })]);
            }
            at += digits;
            out.end();
        }
        Ok(())
    }

    fn shape(&mut self, rows: usize, out: Option<&mut Values>) -> Result<(), Damage> {
        let runs = usize::from(self.heads.byte()?);
        if runs > RUNS_MAX {
            return Err(self.heads.damage("more numbers than a value can have"));
        }
        let mut literals = Vec::with_capacity(runs + 1);
        for _ in 0..=runs {
            literals.push(self.text()?);
        }
        let size = literals.iter().map(|literal| literal.len()).sum::<usize>() + 20 * runs;
        self.bound(size, rows)?;
        let mut numbers = Vec::with_capacity(runs);
        for _ in 0..runs {
            numbers.push((self.heads.byte()?, self.numbers(rows)?));
        }
        let Some(out) = out else { return Ok(()) };
        for row in 0..rows {
            let value = out.open();
            for (literal, (pad, numbers)) in literals.iter().zip(&mut numbers) {
                value.extend_from_slice(literal);
                shape::put_decimal(value, numbers.next(row), *pad);
            }
            value.extend_from_slice(literals[runs]);
            out.end();
        }
        Ok(())
    }

    fn numbers(&mut self, rows: usize) -> Result<Numbers<'a>, Damage> {
        let form = self.heads.byte()?;
        let smallest = self.heads.varint()?;
        let width = match form {
            PLAIN | STEPS => u32::from(self.heads.byte()?),
            BYTES => 8,
            _ => return Err(self.heads.damage("unknown form of numbers")),
        };
        if width > 64 {
            return Err(self.heads.damage("numbers of more than 64 bits"));
        }
        let bytes = match form {
            PLAIN => self.bits(rows, width)?,
            STEPS => self.bits(rows.saturating_sub(1), width)?,
            _ => self.small.take(rows)?,
        };
        Ok(Numbers { form, width, bytes, last: smallest })
    }

    fn distinct(&mut self, rows: usize, out: Option<&mut Values>) -> Result<(), Damage> {
        let count = self.heads.varint_to(rows)?;
        let mut distinct = Values::default();
        let is_wanted = out.is_some();
        self.column(count, &[], is_wanted.then_some(&mut distinct), Depth::Distinct)?;
        let is_small = count <= BYTE_RANGE as usize;
        let width = bits::width_of(count.saturating_sub(1) as u64);
        let ordinals = if is_small { self.small.take(rows)? } else { self.bits(rows, width)? };
        let Some(out) = out else { return Ok(()) };
        let mut size = 0;
        for row in 0..rows {
            let ordinal =
                if is_small { usize::from(ordinals[row]) } else { bits::at(ordinals, row, width) as usize };
            if ordinal >= count {
                return Err(self.small.damage("a value that the column does not have"));
            }
            let value = distinct.at(ordinal);
            size += value.len();
            if size > COLUMN_BYTES_MAX {
                return Err(self.heads.damage("a column is larger than it can be"));
            }
            out.push(value);
        }
        Ok(())
    }
}

fn lines(text: &[u8], rows: usize, out: &mut Values, reader: &Reader<'_>) -> Result<(), Damage> {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text).take(rows) {
        out.push(&text[start..end]);
        start = end + 1;
    }
    if out.len() != rows || start != text.len() {
        return Err(reader.damage("wrong number of values"));
    }
    Ok(())
}

/// The numbers at one position, row by row.
struct Numbers<'a> {
    form: u8,
    width: u32,
    bytes: &'a [u8],
    last: u64,
}

impl Numbers<'_> {
    #[inline]
    fn next(&mut self, row: usize) -> u64 {
        match self.form {
            PLAIN => self.last.wrapping_add(bits::at(self.bytes, row, self.width)),
            BYTES => self.last.wrapping_add(u64::from(self.bytes.get(row).copied().unwrap_or(0))),
            _ => {
                if let Some(step) = row.checked_sub(1) {
                    let step = unzigzag(bits::at(self.bytes, step, self.width));
                    self.last = self.last.wrapping_add(step as u64);
                }
                self.last
            }
        }
    }
}
