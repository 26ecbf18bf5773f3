//! Numbers and padded items in bytes from outside.
//!
//! In: bytes and an offset. Out: the number there, if there is one; one item of a list. Limits: none of it panics.

/// Reads a number of two bytes.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Reads a number of four bytes.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Returns a size with the padding that follows it.
pub(super) fn padded(size: usize) -> usize {
    size.next_multiple_of(4)
}

/// An item with a head of four bytes: two of type (or type and flags), two of length.
pub(super) struct Item<'a> {
    pub(super) head: [u8; 2],
    /// The head and the value, without padding.
    pub(super) whole: &'a [u8],
    pub(super) value: &'a [u8],
}

/// Takes the first item off a list; the padding of the last one may be missing. `None` if its length is impossible.
pub(super) fn take_item<'a>(list: &mut &'a [u8]) -> Option<Item<'a>> {
    let length = usize::from(u16_at(list, 2)?);
    let whole = list.get(..length)?;
    let item = Item { head: [*whole.first()?, *whole.get(1)?], whole, value: whole.get(4..)? };
    *list = list.get(padded(length)..).unwrap_or_default();
    Some(item)
}

/// Appends an item: its head, the value that `write` appends, and padding. A value that is too long is cut: callers
/// write packets, which are shorter.
pub(super) fn append_item(out: &mut Vec<u8>, head: [u8; 2], write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&head);
    out.extend_from_slice(&[0; 2]);
    write(out);
    let length = (out.len() - start).min(usize::from(u16::MAX));
    out.truncate(start + length);
    out[start + 2..start + 4].copy_from_slice(&u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes());
    out.resize(start + padded(length), 0);
}
