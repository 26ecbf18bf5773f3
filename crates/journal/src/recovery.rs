//! Recovery of a journal when it is opened: finds its end, and cuts the torn tail.
//!
//! In: the files of a directory. Out: the next sequence number; a cut file. Only the last file is read: all others
//! were durable before it was made.
//! Limits: damage that a later record proves to have been durable is kept and reported; unproven damage is the
//! tail of an unfinished write and is cut.

use crate::{
    disk::Disk,
    file::{FileHistory, HEADER_BYTES, Header, JournalFile, decode_header, encode_header},
    reader::Damage,
    scan::{Scan, ScanStep},
};
use std::{collections::VecDeque, io};

/// The findings of opening a journal.
#[derive(Clone, Default, Debug)]
pub struct Recovery {
    /// Bytes of an unfinished write that were cut from the last file.
    pub cut_bytes: u64,
    /// Damage in durable parts of the last file. Earlier files are checked when they are read.
    pub damages: Vec<Damage>,
}

/// The end of the last file.
pub(crate) struct Tail {
    /// The sequence number after its last record.
    pub(crate) next: u64,
    /// Its length after the cut.
    pub(crate) length: u64,
    /// Sequence number below which the records prove that everything was durable.
    durable: u64,
}

/// Returns the salt that the records of a directory carry; `None` when there are no records.
pub(crate) fn find_salt(disk: &dyn Disk, files: &[JournalFile]) -> io::Result<Option<Result<u32, u16>>> {
    let mut guess = None;
    for file in files.iter().rev() {
        let mut start = [0; HEADER_BYTES as usize + 12];
        let read = disk.open(&file.path)?.read_at(0, &mut start)?;
        match decode_header(&start[..read]) {
            Header::Ours { salt, .. } => return Ok(Some(Ok(salt))),
            Header::Foreign { version } => return Ok(Some(Err(version))),
            // A damaged header: the first record repeats the salt.
            Header::Bad if read == start.len() => {
                guess = guess.or(start.last_chunk::<4>().map(|salt| Ok(u32::from_le_bytes(*salt))));
            }
            Header::Bad => {}
        }
    }
    Ok(guess)
}

/// Reads the last file to its end and cuts its torn tail. `None` when it holds nothing at all, not even a header.
pub(crate) fn recover_tail(
    disk: &dyn Disk,
    last: &JournalFile,
    salt: u32,
    recovery: &mut Recovery,
) -> io::Result<Option<Tail>> {
    let file = disk.open(&last.path)?;
    let length = file.len()?;
    let mut start = [0; HEADER_BYTES as usize];
    let read = file.read_at(0, &mut start)?;
    let header = decode_header(&start[..read]);
    let mut scan = Scan::new(disk.open(&last.path)?, salt, last.first, length);
    let tail = walk(&mut scan, last, recovery)?;
    let ours = matches!(header, Header::Ours { first, .. } if first == last.first);
    if !ours && tail.length == HEADER_BYTES {
        recovery.cut_bytes += if header == Header::Bad { length } else { 0 };
        return Ok(None);
    }
    if !ours {
        if tail.durable > last.first {
            let lost = last.first..last.first;
            recovery.damages.push(Damage { path: last.path.clone(), offset: 0, bytes: HEADER_BYTES, lost });
        }
        file.write_at(0, &encode_header(last.first, salt, FileHistory::Recycled))?;
    }
    if matches!(header, Header::Ours { history: FileHistory::New, .. }) {
        recovery.cut_bytes += length - tail.length;
    }
    if !ours || tail.length < length {
        file.set_len(tail.length)?;
        file.sync()?;
    }
    Ok(Some(tail))
}

/// Walks the records; damage that no later record proves durable ends the file.
fn walk(scan: &mut Scan, last: &JournalFile, recovery: &mut Recovery) -> io::Result<Tail> {
    let mut tail = Tail { next: last.first, length: HEADER_BYTES, durable: 0 };
    let mut unproven: VecDeque<Damage> = VecDeque::new();
    loop {
        match scan.advance()? {
            ScanStep::Record(header) => {
                if let Some(damage) = unproven.back_mut().filter(|damage| damage.lost.end == tail.next) {
                    damage.lost.end = header.sequence.max(tail.next);
                }
                while unproven.front().is_some_and(|damage| damage.lost.start < header.durable) {
                    recovery.damages.extend(unproven.pop_front());
                }
                let durable = tail.durable.max(header.durable);
                tail = Tail { next: header.end().max(tail.next), length: scan.offset(), durable };
            }
            ScanStep::End => break,
            ScanStep::Bad => {
                let offset = scan.offset();
                let found = scan.skip_damage(tail.next)?;
                let lost = tail.next..tail.next;
                let bytes = scan.offset() - offset;
                unproven.push_back(Damage { path: last.path.clone(), offset, bytes, lost });
                if !found {
                    break;
                }
            }
        }
    }
    if let Some(torn) = unproven.front() {
        tail = Tail { next: torn.lost.start, length: torn.offset, durable: tail.durable };
    }
    Ok(tail)
}
