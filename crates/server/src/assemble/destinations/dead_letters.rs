//! Turns `dead-letters()` into a store of dead letters.
//!
//! In: options of a destination. Out: settings of its store. Limits: a name that cannot be a folder is an error.

use super::disk_buffer::{BadFolderName, folder_name};
use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::{DeadLetterOptions, OnFull};
use std::{path::PathBuf, time::Duration};

/// Folder of the stores below the server's data.
pub(crate) const FOLDER: &str = "dead-letters";

impl<'t> Lowering<'t> {
    /// Returns the store of dead letters of a destination; `None` after an error, which is in the report.
    pub(crate) fn dead_letters(&mut self, id: &str, options: &Options<'t>) -> Option<DeadLetterOptions> {
        let name = match folder_name(id, options) {
            Ok(name) => name,
            Err(BadFolderName(name)) => {
                let message = format!(
                    "`{name}` cannot be the name of a folder, which the dead letters need: set persist-name()"
                );
                self.report.push(Diagnostic::error(options.call.name.span, message));
                return None;
            }
        };
        let mut letters = DeadLetterOptions::new(self.environment.data.join(FOLDER).join(name));
        let Some(call) = options.own("dead-letters") else { return Some(letters) };
        let inside = |name: &str| call.option(name);
        let capacity = inside("capacity-bytes").and_then(Call::number);
        if let Some(capacity) = capacity.and_then(|capacity| u64::try_from(capacity).ok()) {
            letters.capacity_bytes = capacity.max(DeadLetterOptions::CAPACITY_BYTES_MIN);
        }
        letters.max_age =
            inside("max-age").and_then(Call::age_s).filter(|age| *age > 0).map(Duration::from_secs);
        letters.on_full = match inside("on-full").and_then(Call::text) {
            Some("drop-oldest" | "drop_oldest") => OnFull::DropOldest,
            Some("drop-newest" | "drop_newest") => OnFull::DropNewest,
            _ => OnFull::Hold,
        };
        letters.recipients = call
            .options()
            .filter(|option| option.key() == "encrypt-certificate")
            .flat_map(Call::texts)
            .collect();
        let key = inside("decrypt-key").and_then(Call::text).filter(|path| !path.is_empty());
        letters.decrypt_key = key.map(PathBuf::from);
        Some(letters)
    }
}
