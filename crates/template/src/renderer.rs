//! The state that a destination needs to render templates, and keeps between messages.
//!
//! In: options, the time, the context of a correlation. Out: the state that rendering reads and updates. Holds:
//! printed times and the sequence number.
//! Limits: none of its own.

mod clock;
mod context;
mod machine;
mod options;
mod site;
mod tags;

pub(crate) use clock::{DATES, DatePart, MessageTime, append_number};
pub use context::{Context, ContextMessage};
pub use machine::{Database, Machine, NameLookup};
pub use options::{OnError, RenderOptions};
pub use site::Site;
pub use tags::TagOrder;

use clock::Clocks;
use message::Stamp;
use std::sync::Arc;

/// The state of rendering for one destination.
#[derive(Clone, Debug)]
pub struct Renderer {
    pub(crate) options: RenderOptions,
    pub(crate) site: Arc<Site>,
    /// The present time: `$C_` macros. Set it once per batch.
    pub now: Stamp,
    /// `$SEQNUM` of the next message; 0 takes the sequence id in the message.
    pub seqnum: u32,
    /// The messages before the present one in its correlation; mostly none.
    pub context: Context,
    /// `$_`: the element that `$(map ...)` and its kin are at, or the old value of `groupset()`.
    pub item: Option<Vec<u8>>,
    /// `${CONTEXT_ID}`: the id of the correlation; empty outside of one.
    pub context_id: Vec<u8>,
    pub(crate) clocks: Clocks,
}

impl Renderer {
    /// Makes a renderer with empty caches.
    pub fn new(options: RenderOptions, site: Arc<Site>) -> Renderer {
        let clocks = Clocks::new(&options);
        Renderer {
            options,
            site,
            now: Stamp::default(),
            seqnum: 0,
            context: Context::new(),
            item: None,
            context_id: Vec::new(),
            clocks,
        }
    }

    /// Uses other options for the duration of a call.
    pub fn with_options(&mut self, options: &RenderOptions, print: impl FnOnce(&mut Renderer)) {
        let before = (std::mem::replace(&mut self.clocks, Clocks::new(options)), self.options.clone());
        self.options = options.clone();
        print(self);
        (self.clocks, self.options) = before;
    }

    /// Returns the options.
    #[inline]
    pub fn options(&self) -> &RenderOptions {
        &self.options
    }
}
