//! Sources that do not have their router yet.
//!
//! In: drivers and their options; later the router. Out: [`SourceSpec`]s, whose batches pass the tap and then the paths.
//! Holds: nothing but the parts of one source.

use intake::{SourceDriver, SourceOptions, SourceSpec};
use message::{Batch, Intake, Selection, WriteBudget};
use pipeline::{
    Router,
    route::{Entrance, TapPoint},
};
use std::sync::Arc;

/// A source without its router.
pub(crate) struct SourceDraft {
    /// `s_net#0`: name of the statement and number of the driver.
    pub(crate) id: String,
    /// The driver's name in the configuration.
    pub(crate) component: String,
    pub(crate) driver: SourceDriver,
    pub(crate) source_options: SourceOptions,
    pub(crate) tap: Arc<TapPoint>,
}

impl SourceDraft {
    /// Completes the source with the router that gets its batches.
    pub(crate) fn feeding(self, router: Arc<Router>) -> SourceSpec {
        let SourceDraft { id, component, driver, source_options, tap } = self;
        let intake = Arc::new(Tapped { point: tap, entrance: Entrance::new(router) });
        SourceSpec { id, component, driver, options: Arc::new(source_options), intake }
    }
}

/// The intake of a source: its tap, then the paths.
struct Tapped {
    point: Arc<TapPoint>,
    entrance: Entrance,
}

impl Intake for Tapped {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        if self.point.is_open() {
            self.point.pass(&batch, &Selection::all(batch.len()));
        }
        self.entrance.take(batch, budget);
    }
}
