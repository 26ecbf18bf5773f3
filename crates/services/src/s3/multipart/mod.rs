//! Objects that are larger than a batch: uploaded part by part, and complete when they are large or old enough.
//!
//! In: batches. Out: parts, complete objects, and what became of their messages. Holds: the part of each open object that is
//! growing, compressed. Limits: [`super::limits::MultipartLimits`].
//!
//! A message is staged when it is in a part, and delivered when its object is complete. Until then it is in the queue on disk. The
//! record beside that queue says which parts the server has, so that an object continues after a crash.
//!
//! | module | what it does |
//! |---|---|
//! | `uploads` | the open objects: batches go to theirs, and the others end |
//! | `stage` | a batch becomes a part of its object |
//! | `finish` | an object is completed, or given up |
//! | `recover` | what an earlier life has left |
//! | `upload` | an object that is being made |
//! | `record` | what the server has, on disk |
//! | `calls` | the requests about uploads, and what their answers mean |

mod calls;
mod finish;
mod record;
mod recover;
mod stage;
mod upload;
mod uploads;

#[cfg(test)]
mod tests;

pub(super) use stage::StageOutcome;
pub(super) use uploads::Uploads;
