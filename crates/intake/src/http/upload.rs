//! Journal uploads: an endless body, read as it arrives.
//!
//! In: the chunks of a body. Out: a batch for the complete entries of each. Holds: the incomplete entry,
//! and the batches that wait for tokens. Limits: `max-request-size()` for one entry, [`UNSETTLED_MAX`] batches; a
//! machine that sends nothing for hours is not cut off; the number of connections is limited instead.

use super::{
    answer::{self, Answer},
    body::{BodyRefusal, BudgetShare},
    desk::{Desk, Sent},
    refusal::Refusal,
};
use http_body_util::BodyExt;
use hyper::{StatusCode, body::Incoming};
use std::{collections::VecDeque, sync::Arc};
use wire::{BodyError, ShippedReader};

/// Batches that may wait for their tokens before the next chunk is read.
const UNSETTLED_MAX: usize = 32;

const FORMAT: &str = "http+journal";

/// Reads a body as it comes.
pub(super) async fn stream(mut body: Incoming, desk: &Desk) -> Result<Answer, Refusal> {
    let mut bytes = Vec::new();
    let mut unsettled = VecDeque::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::Body(BodyRefusal::Broken))?;
        let Ok(data) = frame.into_data() else { continue };
        bytes.extend_from_slice(&data);
        let size = ShippedReader::journal_size(&bytes);
        if size > 0 {
            let rest = bytes.split_off(size);
            unsettled
                .push_back(take((Arc::new(std::mem::replace(&mut bytes, rest)), BudgetShare::none()), desk)?);
            desk.wait_for_room().await.map_err(|_| Refusal::Busy)?;
        } else if bytes.len() > desk.options.body_bytes_max {
            return Err(Refusal::Body(BodyRefusal::TooLarge));
        }
        while unsettled.len() > UNSETTLED_MAX
            && let Some(oldest) = unsettled.pop_front()
        {
            desk.settled(oldest).await?;
        }
    }
    // The last entry may lack the blank line after it.
    if !bytes.is_empty() {
        bytes.extend_from_slice(b"\n\n");
        unsettled.push_back(take((Arc::new(bytes), BudgetShare::none()), desk)?);
    }
    for sent in unsettled {
        desk.settled(sent).await?;
    }
    Ok(accepted())
}

/// Reads a body that arrived completely.
pub(super) async fn whole(bodied: (Arc<Vec<u8>>, BudgetShare), desk: &Desk) -> Result<Answer, Refusal> {
    let sent = take(bodied, desk)?;
    desk.settled(sent).await?;
    Ok(accepted())
}

fn take(bodied: (Arc<Vec<u8>>, BudgetShare), desk: &Desk) -> Result<Sent, Refusal> {
    let taken = desk.take(FORMAT, bodied, None, |reader, batch| {
        let done = reader.journal(batch, 0);
        let is_blank = batch.received_bytes[done..].iter().all(u8::is_ascii_whitespace);
        match is_blank {
            true => Ok(()),
            false => {
                batch.messages.clear();
                Err(BodyError { offset: done, reason: "no journal entry" })
            }
        }
    });
    taken.map(|((), sent)| sent).map_err(Refusal::Unreadable)
}

fn accepted() -> Answer {
    answer::text(StatusCode::ACCEPTED, "OK.\n")
}
