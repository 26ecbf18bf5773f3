//! Results of messages.
//!
//! In: messages. Out: the result of each, as JSON. Holds: nothing between two. Limits: those of `check`.

use super::{
    check,
    connection::{NrdpConnection, Shared},
    options::NrdpTarget,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use std::sync::Arc;

/// The receiver of `nrdp()`.
pub struct NrdpReceiver {
    target: NrdpTarget,
    shared: Arc<Shared>,
}

impl NrdpReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: NrdpTarget) -> NrdpReceiver {
        let shared = Shared {
            url: target.url.clone(),
            token: target.token.clone(),
            settings: target.settings.clone(),
        };
        NrdpReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for NrdpReceiver {
    fn begin(&mut self, now: Stamp) {
        let NrdpTarget { host, service, state, output, .. } = &mut self.target;
        [host, output].into_iter().chain(service).chain(state).for_each(|template| template.begin(now));
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        _group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let rendered = |template: &mut Box<dyn Render>| {
            let mut text = Vec::new();
            template.render(batch, index, sequence, &mut text);
            text
        };
        let target = &mut self.target;
        let host = rendered(&mut target.host);
        let service = target.service.as_mut().map(rendered).unwrap_or_default();
        let output = rendered(&mut target.output);
        let state = match &mut target.state {
            Some(state) => rendered(state),
            None => check::state_by_severity(batch.messages[index].pri.severity(), &service).into(),
        };
        Ok(vec![Cell::Text(check::item(&host, &service, &state, &output)?)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(NrdpConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        format!("nrdp,{}", self.target.url)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let constants = [&target.host, &target.output].map(|template| template.constant());
        vec![
            format!("{constants:?} {} {}", target.service.is_some(), target.state.is_some()),
            format!(
                "{} {:?} {:?}",
                target.settings.headers.len(),
                target.settings.timeout,
                target.batches.retries
            ),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        match cells {
            [Cell::Text(item)] => format!("nrdp {item}"),
            _ => self.instance(),
        }
    }
}
