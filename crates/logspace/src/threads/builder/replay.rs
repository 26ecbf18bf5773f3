//! Reads back messages that only the journal has.
//!
//! In: the journal. Out: the messages in the active segment; losses, reported with the time of the next message.
//! Limits: damage affects only the records it hit.

use super::Builder;
use crate::{
    files::journal_cipher::JournalCipher,
    options::{Notice, Notices},
};
use journal::{Read, ReadError, Reader};
use message::{Selection, codec};
use std::ops::Range;

impl Builder {
    /// Adds everything below `end` that is in the journal and in no segment.
    pub(super) fn replay(
        &mut self,
        reader: &mut Reader,
        end: u64,
        cipher: &JournalCipher,
        notices: &dyn Notices,
    ) -> Result<(), ReadError> {
        // Losses are reported with the time of the message after them.
        let mut lost: Vec<Range<u64>> = Vec::new();
        while reader.next_sequence() < end {
            match reader.read()? {
                Read::End => break,
                Read::Damage(damage) => {
                    lost.push(damage.lost.clone());
                    notices.notice(Notice::Damage(damage));
                }
                Read::Record(record) => {
                    let (sequence, numbers) =
                        (record.sequence, record.sequence..record.sequence + u64::from(record.count));
                    let Some(payload) = cipher.open_record(sequence, record.payload) else {
                        lost.push(numbers);
                        notices.notice(Notice::Undecipherable { sequence });
                        continue;
                    };
                    match codec::decode(&payload) {
                        Ok(batch) => {
                            lost.drain(..).for_each(|lost| self.lose(lost, batch.received.unix_us));
                            self.add(&batch, &Selection::all(batch.len()), sequence);
                            self.publish_when_due();
                        }
                        Err(error) => {
                            lost.push(numbers);
                            notices.notice(Notice::Undecodable { sequence, error });
                        }
                    }
                }
            }
        }
        // The journal ends before the last assigned number.
        lost.push(reader.next_sequence()..end);
        let now_us = self.shared.clock.wall_us();
        lost.drain(..).for_each(|lost| self.lose(lost, now_us));
        self.publish();
        Ok(())
    }
}
