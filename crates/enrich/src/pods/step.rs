//! The step of a log path.
//!
//! In: messages of files of containers. Out: the same with the names in the path of their file, and what is known of their pod.
//! Holds: the store of pods, if there is an API server.
//! Limits: those of `values`; a batch waits for `metadata-timeout()` at most. [`EXTRA_BYTES_MAX`] of values in a batch, then messages are marked.

use super::{
    file_name::LogFile,
    store::{Handle, PodLookup, PodStore},
    watcher::PodWatch,
};
use crate::{
    known::add,
    step::set,
    values::{Gathering, Naming, Values},
};
use message::{Batch, Selection, Span, ValueKind};
use pipeline::Parser;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use template::{Renderer, Template};
use transport::InternalLog;

/// The options of the step itself.
pub struct PodStepOptions {
    /// `template()`: the path of the file.
    pub template: Arc<Template>,
    /// `prefix()`
    pub prefix: String,
    /// `key-delimiter()`: stands between `labels` or `annotations` and their names.
    pub key_delimiter: String,
    /// `metadata-timeout()`
    pub patience: Duration,
}

/// The step.
pub struct PodStep {
    options: PodStepOptions,
    naming: Naming,
    pods: Option<Pods>,
}

struct Pods {
    store: Arc<PodStore>,
    /// Keeps the thread running; a configuration that is only tried has none.
    _watched: Option<Arc<Handle>>,
}

/// The values of the messages of one file, and those that its batch has taken already.
struct FileValues {
    /// `None` for a path that is not that of a container's file.
    values: Option<Values>,
    outcome: Option<Outcome>,
    spans: Option<Vec<(Span, Span)>>,
    messages: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Found,
    Missing,
    Failed,
}

impl PodStep {
    /// Makes the step. Without pods messages get the names in the path alone; without a log no thread is started.
    pub fn new(
        options: PodStepOptions,
        pods: Option<(PodWatch, Arc<PodStore>)>,
        log: Option<&InternalLog>,
    ) -> PodStep {
        let naming = Naming { prefix: options.prefix.clone(), single: String::new() };
        let pods =
            pods.map(|(what, store)| Pods { _watched: log.map(|log| store.watched(&what, log)), store });
        PodStep { options, naming, pods }
    }

    fn values(&self, path: &[u8], until: Instant) -> FileValues {
        let mut made = FileValues { values: None, outcome: None, spans: None, messages: 0 };
        let Some(file) = std::str::from_utf8(path).ok().and_then(LogFile::parse) else { return made };
        let mut gathering = Gathering::new(&self.naming);
        for (name, value) in file.values() {
            gathering.set(name.as_bytes(), value.as_bytes(), ValueKind::String);
        }
        if let Some(pods) = &self.pods {
            made.outcome =
                Some(match pods.store.find(&file, until.saturating_duration_since(Instant::now())) {
                    PodLookup::Known(pod) => {
                        pod.add_values(&file, &self.options.key_delimiter, &mut gathering);
                        Outcome::Found
                    }
                    PodLookup::Missing => Outcome::Missing,
                    PodLookup::Failed => Outcome::Failed,
                });
        }
        made.values = Some(gathering.finish());
        made
    }

    fn count(&self, files: &[FileValues]) {
        let Some(pods) = &self.pods else { return };
        let counters = &pods.store.lookups().counters;
        for (outcome, counter) in [
            (Outcome::Found, &counters.found),
            (Outcome::Missing, &counters.missing),
            (Outcome::Failed, &counters.failed),
        ] {
            let of_outcome = files.iter().filter(|file| file.outcome == Some(outcome));
            add(counter, of_outcome.map(|file| file.messages).sum());
        }
    }
}

impl Parser for PodStep {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let mut matched = within.clone();
        let until = Instant::now() + self.options.patience;
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut files: Vec<FileValues> = Vec::new();
        let mut last: Option<(Vec<u8>, usize)> = None;
        for index in within.iter() {
            let place = {
                let path = self.options.template.value(batch, index, renderer);
                // Neighbours often are of one file.
                match last.as_ref().filter(|(known, _)| **known == *path) {
                    Some((_, place)) => *place,
                    None => {
                        let path = path.into_owned();
                        let place = *places.entry(path.clone()).or_insert_with(|| {
                            files.push(self.values(&path, until));
                            files.len() - 1
                        });
                        last = Some((path, place));
                        place
                    }
                }
            };
            let file = &mut files[place];
            file.messages += 1;
            match &file.values {
                Some(values) => set(batch, index, values, &mut file.spans),
                None => matched.remove(index),
            }
        }
        self.count(&files);
        matched
    }

    fn waits(&self) -> bool {
        self.pods.is_some()
    }
}
