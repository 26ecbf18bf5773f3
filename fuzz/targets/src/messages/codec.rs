//! The journal's payload: any bytes yield a batch or an error.

use message::{Batch, FieldName};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(batch) = message::codec::decode(bytes) {
        read(&batch);
    }
}

/// Reads every field: no span may point outside.
fn read(batch: &Batch) {
    for index in 0..batch.len() {
        for name in ["HOST", "PROGRAM", "MESSAGE", "LEGACY_MSGHDR", ".SDATA.a.b", "x"] {
            let _ = batch.field(index, &FieldName::parse(name));
        }
        let _ = (batch.values(index), batch.tags(index));
    }
}
