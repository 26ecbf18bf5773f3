//! The tap points: sources, log paths and destinations by name.
//!
//! In: names. Out: points, which stay the same over reloads as long as a tap is open. Holds: nothing.
//! Limits: none of its own.

use crate::assemble::lowering::Lowering;
use crate::taps::TapPlace;
use config::tree::Path as LogPath;
use message::{Batch, Intake, Selection, WriteBudget};
use pipeline::{Router, route::TapPoint};
use std::sync::Arc;

impl Lowering<'_> {
    /// Returns the tap point of a source, path or destination.
    pub(crate) fn tap(&mut self, kind: &'static str, names: Vec<String>) -> Arc<TapPoint> {
        let name = names.first().cloned().unwrap_or_default();
        let point: Arc<TapPoint> = self.environment.kept.get(&format!("tap {kind} {name}"));
        if !self.taps.iter().any(|place| Arc::ptr_eq(&place.point, &point)) {
            self.taps.push(TapPlace { kind, names, point: point.clone() });
        }
        point
    }

    /// Returns the point and the names of a top-level path: its name, or its position, with or without the
    /// file.
    pub(crate) fn path_tap(&mut self, path: &LogPath) -> (String, Arc<TapPoint>) {
        let place = self.tree.texts.location(path.span);
        let file = place.name.rsplit('/').next().unwrap_or_default();
        let line = format!("{file}:{}", place.line);
        let mut names: Vec<String> = path.name.iter().map(|name| name.text.clone()).collect();
        names.extend([line, place.line.to_string()]);
        let name = names.first().cloned().unwrap_or_default();
        (name, self.tap("log", names))
    }
}

/// The intake of a source: its tap, then the paths.
pub(crate) struct Tapped {
    pub(crate) point: Arc<TapPoint>,
    pub(crate) router: Arc<Router>,
}

impl Intake for Tapped {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        if self.point.is_open() {
            self.point.pass(&batch, &Selection::all(batch.len()));
        }
        self.router.take(batch, budget);
    }
}
